"""What Anthropic's server leaves of a conversation that holds a compaction block: nothing of what stands before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_COMPACTION: Final = "compaction"
"""Type of the block, and the only member of a body that holds such: ``messages``."""


def seen_messages(messages: Sequence[Any]) -> list[tuple[int, Any]]:
    """Gives the messages that the model reads, each with its place (from 0) in the body.

    Anthropic documents that its server drops all that stands before the last compaction block, also within its
    message. A failed compaction, which has no content, stands for nothing.

    Args:
        messages: The member ``messages`` of a body.
    """
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        content = message.get("content") if isinstance(message, Mapping) else None
        blocks = content if isinstance(content, list | tuple) else ()
        at = next((at for at in range(len(blocks) - 1, -1, -1) if _stands_for_others(blocks[at])), None)
        if at is not None:
            kept = {**message, "content": list(blocks[at:])} if at else message
            return [(place, kept), *enumerate(messages[place + 1 :], place + 1)]
    return list(enumerate(messages))


def _stands_for_others(block: Any) -> bool:
    return (
        isinstance(block, Mapping)
        and block.get("type") == _COMPACTION
        and bool(block.get("content") or block.get("encrypted_content"))
    )
