"""What of a message the model saw: the field of a stored unit that says so, and how it is read back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from inspector.model.request import Message, Part
from snapshot_sdk.canonical import text_hash

SEEN: Final = "seen"
"""Field of a stored unit: the parts the model saw, each the number of a part, or kind, name and call id of what
stands in the place of one."""


def seen_message(whole: Message, seen: Sequence[Any]) -> Message:
    """Return a message as the model saw it.

    Args:
        whole: The message as it was sent.
        seen: Field of the stored unit.
    """
    parts = (
        whole.parts[one] if isinstance(one, int) else Part(one[0], "", one[1], one[2], opaque=True) for one in seen
    )
    return replace(whole, parts=tuple(parts))


def seen_hash(digest: str, seen: Sequence[Any]) -> str:
    """Name the content of a message as the model saw it: another one than the whole message's."""
    return f"{digest}/{text_hash(json.dumps(seen))}"


def is_emptied(seen: Sequence[Any] | None) -> bool:
    """Say whether nothing of a message is left but what the server put in its place."""
    return seen is not None and not any(isinstance(part, int) for part in seen)
