"""What a server did to a prompt, as columns, and the sizes that follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.model.usage import UsageReport
from inspector.model.views import ServerEffect, TokenCount


def largest_read(call: Mapping[str, Any]) -> int:
    """The size of the largest context of a call: where its server compacted, that of the pass before."""
    read = call["input_tokens"] if call["server"] and call["input_is"] == "exact" else None
    return max(call["tokens"] or 0, read or 0)


def size_seen(report: UsageReport) -> int | None:
    """Return the size of what the model wrote its answer from: after a compaction in the call, the later pass."""
    passes = report.passes
    if len(passes) > 1 and any(one.kind == "compaction" for one in passes[:-1]):
        return passes[-1].usage.input_tokens
    return report.context.input_tokens


def effect_columns(effect: ServerEffect | None, counted: TokenCount) -> dict[str, Any]:
    """Write what a server did to a prompt as columns."""
    if effect is None:
        names = ("server_removed", "server_removed_messages", "server_added", "server_added_messages")
        nothing = dict.fromkeys((*names, "server_certainty"))
        return {"server": [], **nothing, "sent": counted.count, "sent_origin": counted.origin}
    return {
        "server": list(effect.kinds),
        "server_removed": effect.removed,
        "server_removed_messages": effect.removed_messages,
        "server_added": effect.added,
        "server_added_messages": effect.added_messages,
        "server_certainty": effect.certainty,
        "sent": effect.sent.count,
        "sent_origin": effect.sent.origin,
    }
