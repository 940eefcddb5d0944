"""What the strip of the frame shows of a session, as plain values for the browser."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.growth import growth_at
from inspector.analysis.servers import describe_effect
from inspector.model.views import CallRow, IndexState, ServerEffect, SessionRow, Severity
from inspector.ui.format import format_count, format_span

_SEVERITY_RANK: Final[dict[Severity, int]] = {"info": 0, "warning": 1, "error": 2}
_STATUS_RANK: Final = {"answered": 0, "no answer": 0, "incomplete": 1, "failed": 2}


def strip_data(
    row: SessionRow,
    calls: Sequence[CallRow],
    changes: SessionChanges,
    default_call: int,
) -> dict[str, Any]:
    """Return one session as columns, one entry a call, in display order.

    Args:
        row: The session, with its story.
        calls: All calls of all lanes.
        changes: Its compactions, and its pins and watches.
        default_call: The call it opens at.
    """
    gone_from = [pin.first_broken_call for pin in changes.pins if pin.first_broken_call is not None]
    return {
        "name": row.session,
        "line": session_line(row),
        "default_call": default_call,
        "lanes": lane_numbers(calls),
        "turns": [call.turn_label for call in calls],
        "tokens": [call.tokens.count for call in calls],
        "limits": [call.budget or call.window for call in calls],
        "thresholds": [call.threshold for call in calls],
        "failed": [call.number for call in calls if call.status == "failed"],
        "ranks": ranks(row, calls, gone_from),
        "compactions": [
            [change.call, change.strategy or "compaction"] for change in changes.compactions if change.call is not None
        ],
        "gone_from": sorted(gone_from),
        "gone_words": gone_words(changes),
        "server": {str(call.number): server_tag(call.server) for call in calls if call.server is not None},
        "growth": growth_columns(calls),
    }


def gone_words(changes: SessionChanges) -> str:
    """Say which pins are gone where, as the story does: ``1 pin gone from call 10 until call 12``."""
    broken = [(pin.first_broken_call, pin.back_call) for pin in changes.pins if pin.first_broken_call is not None]
    gone = sorted(broken, key=lambda one: one[0])  # one that never came back has no second number
    if not gone:
        return ""
    first = gone[0][0]
    back = {call for _, call in gone}
    if len({since for since, _ in gone}) == 1 and len(back) == 1 and None not in back:
        return f"{format_count(len(gone), 'pin')} gone from call {first} until call {gone[0][1]}"
    returned = sum(call is not None for _, call in gone)
    again = f", {returned:,} of them back" if returned else ""
    return f"{format_count(len(gone), 'pin')} gone since call {first}{again}"


def server_tag(effect: ServerEffect) -> list[str]:
    """Return the tag of a call whose prompt a server changed, and its long form."""
    long = (
        f"{effect.removed_messages:,} messages of the body were not seen by the model, "
        f"{effect.added_messages:,} were added; what the server did is {effect.certainty}. The tokens are counted, "
        "framing included; all other figures are of what the model saw. Click for the effective prompt."
    )
    return [describe_effect(effect), long]


def session_line(row: SessionRow) -> str:
    """Say in one line what the session is: ``gpt-4.1 · 22 turns · 46 calls · 2026-11-28 14:02–14:31``."""
    models = ", ".join(row.models[:2]) + (f" and {len(row.models) - 2} more" if len(row.models) > 2 else "")
    parts = [
        row.agent,
        models,
        format_count(row.turns, "turn") if row.turns else None,
        format_count(row.calls, "call"),
        format_span(row.started, row.ended),
        None if row.origin == "recorded" else row.origin,
    ]
    return " · ".join(part for part in parts if part)


def lane_numbers(calls: Iterable[CallRow]) -> list[list[Any]]:
    """Return ``[lane, [numbers of its calls]]``; the main lane first, the others as they appear."""
    lanes: defaultdict[str, list[int]] = defaultdict(list)
    for call in calls:
        lanes[call.lane].append(call.number)
    return [[lane, numbers] for lane, numbers in sorted(lanes.items(), key=lambda item: item[0] != "main")]


def ranks(row: SessionRow, calls: Sequence[CallRow], gone_from: Iterable[int]) -> list[int]:
    """Return how bad the worst thing *at* each call is: 0 nothing, 1 a warning, 2 an error."""
    worst = {call.number: _STATUS_RANK[call.status] for call in calls}
    said = [(sentence.call, _SEVERITY_RANK[sentence.severity]) for sentence in row.story if sentence.call is not None]
    for number, rank in [*said, *((number, 2) for number in gone_from)]:
        if number in worst:
            worst[number] = max(worst[number], rank)
    return [worst[call.number] for call in calls]


def growth_columns(calls: Iterable[CallRow]) -> list[list[int] | None]:
    """Return, for each call, tokens a call and calls left as judged there; None: too little is known."""
    sizes: defaultdict[str, list[int | None]] = defaultdict(list)
    columns: list[list[int] | None] = []
    for call in calls:
        sizes[call.lane].append(call.tokens.count)
        growth = growth_at(sizes[call.lane], call.budget or call.window)
        columns.append(None if growth is None else [growth.per_call, growth.calls_left])
    return columns


def live_data(state: IndexState, polls: int) -> dict[str, Any]:
    """Return how the index stands; ``polls`` makes each answer of the server a new one."""
    return {
        "polls": polls,
        "running": state.running,
        "files": state.files,
        "files_done": state.files_done,
        "bytes": state.bytes,
        "bytes_done": state.bytes_done,
        "calls": state.calls,
        "note": state.note,
    }


def gone_note(gone: Sequence[str]) -> str | None:
    """Say which sessions went while the app was open; None: none did."""
    if not gone:
        return None
    if len(gone) == 1:
        return f"{gone[0]} is gone: its trace files were removed"
    return f"{format_count(len(gone), 'session')} are gone: their trace files were removed"


def short_path(directory: Path) -> str:
    """Write a directory as its reader would type it: from the home or the working directory."""
    for base, sign in ((Path.cwd(), "."), (Path.home(), "~")):
        if directory == base:
            return sign
        if directory.is_relative_to(base):
            return f"{sign}/{directory.relative_to(base)}"
    return str(directory)
