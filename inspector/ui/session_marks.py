"""The words of the events under the token chart, one line each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from inspector.model.views import EventRow
from inspector.ui.format import MINUS, one_line

_NAMES: Final = ("name", "key", "field", "tool")
"""Under which of its data an event says what it is about; the first that is there."""
_EVENT: Final = 320
"""Characters of an event."""
_VALUE: Final = 120
"""Characters of one value of it."""
_LISTED: Final = 6
"""Changed keys and sent candidates that are named; the others are counted."""


def event_words(event: EventRow) -> str:
    """Return an event in one line: its kind, its name, what it carries and whose code it was."""
    data = dict(event.data)
    name = next((str(data.pop(key)) for key in _NAMES if isinstance(data.get(key), str)), "")
    parts = []
    if "before" in data and "after" in data:
        parts += _changes(data.pop("before"), data.pop("after"))
    if isinstance(data.get("candidates"), list):
        parts.append(_candidates(data.pop("candidates")))
    parts += [f"{key} {_value(value)}" for key, value in data.items() if value is not None]
    head = f"{event.kind} {one_line(name, 80)}".rstrip()
    line = f"{head}: {' · '.join(parts)}" if parts else head
    return f"{one_line(line, _EVENT)}, {event.caller}" if event.caller else one_line(line, _EVENT)


def _changes(before: Any, after: Any) -> list[str]:
    """Return what a state update changed: of two mappings only the keys that differ."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return [f"{_value(before)} → {_value(after)}"]
    changed = [f"+{key} {_value(value)}" for key, value in after.items() if key not in before]
    changed += [f"{MINUS}{key}" for key in before if key not in after]
    changed += [
        f"{key} {_value(old)} → {_value(after[key])}" for key, old in before.items() if after.get(key, old) != old
    ]
    if len(changed) > _LISTED:
        return [*changed[:_LISTED], f"and {len(changed) - _LISTED:,} more"]
    return changed or ["nothing changed"]


def _candidates(candidates: Sequence[Any]) -> str:
    """Return how many candidates of a retrieval there were, and which were sent."""
    rows = [row for row in candidates if isinstance(row, Mapping)]
    sent = [one_line(str(row.get("id", "?")), 40) for row in rows if row.get("sent")]
    names = ", ".join(sent[:_LISTED]) + (f" and {len(sent) - _LISTED:,} more" if len(sent) > _LISTED else "")
    return f"{len(sent):,} of {len(candidates):,} candidates sent" + (f": {names}" if names else "")


def _value(value: Any) -> str:
    """Return a value as text: strings bare, the rest as JSON."""
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr), _VALUE)
