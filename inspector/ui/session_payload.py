"""What the Session page sends to the browser: rows of the index as plain JSON values.

The calls travel as columns, not as one object a call: 1,000 calls of 13 layers are about
100 KB, sent once per version of the index. Everything that changes while one scrubs is in it,
so a step needs no server.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from inspector.analysis.overlaps import find_overlaps, overlap_words
from inspector.analysis.servers import describe_effect
from inspector.model.layers import LAYER_STYLES, UNATTRIBUTED, Layer
from inspector.model.views import CallRow, EventRow, SessionRow, is_estimate
from inspector.ui.session_marks import event_words
from inspector.ui.session_words import origin_words, status_words

STORY_LINES: Final = 6
"""More sentences than this are a list, not a story (UI.md §4)."""
EVENTS_PER_CALL: Final = 12
"""Events of one call that are sent with their text; the others are only counted."""


def session_payload(
    row: SessionRow,
    calls: Sequence[CallRow],
    events: Sequence[EventRow],
    opens_at: int | None,
) -> dict[str, Any]:
    """Return everything the canvas, the legend and the windows of the Session page draw.

    Args:
        row: The session, with its story.
        calls: All calls of all lanes, in display order.
        events: Events of the session.
        opens_at: The call that is selected where the address names none.
    """
    turns = {call.number: call.turn_label for call in calls}
    return {
        "session": row.session,
        "opensAt": opens_at,
        "story": [
            {
                "severity": sentence.severity,
                "kind": sentence.kind,
                "text": sentence.text,
                "call": sentence.call,
                "turn": turns.get(sentence.call) if sentence.call is not None else None,
                "message": sentence.message,
                "compaction": sentence.compaction,
                "page": sentence.page,
                "fact": sentence.fact,
            }
            for sentence in row.story[:STORY_LINES]
        ],
        "layers": _layers(calls),
        "calls": _calls(calls),
        "events": _events(events),
    }


def _layers(calls: Iterable[CallRow]) -> list[dict[str, str]]:
    """Return the layers that occur anywhere in the session, in stack order: the legend's fixed rows."""
    present: set[str] = set()
    for call in calls:
        present.update(layer for layer, count in call.composition.items() if count)
        if call.unattributed:
            present.add(UNATTRIBUTED)
    return [
        {"key": key, "code": style.code, "name": key.replace("_", " ")}
        for key, style in ((str(name), style) for name, style in LAYER_STYLES.items())
        if key in present
    ]


def _calls(calls: Sequence[CallRow]) -> dict[str, Any]:
    """Return the calls as columns; a column whose value never changes is that value alone."""
    numbers = {call.id: call.number for call in calls}
    layers = [layer for layer in Layer if any(call.composition.get(layer) for call in calls)]
    return {
        "number": [call.number for call in calls],
        "turn": [call.turn_label for call in calls],
        "lane": _column([call.lane for call in calls]),
        "purpose": _column([call.purpose for call in calls]),
        "previous": [numbers.get(call.previous) if call.previous else None for call in calls],
        "status": _column([call.status for call in calls]),
        "note": _sparse(calls, status_words),
        "server": _sparse(calls, lambda call: None if call.server is None else describe_effect(call.server)),
        "overlaps": {
            str(number): {"calls": list(others), "words": overlap_words(others)}
            for number, others in find_overlaps(calls).items()
        },
        "attempts": _column([call.attempts for call in calls]),
        "tokens": [call.tokens.count for call in calls],
        "tokensOrigin": _column([origin_words(call.tokens.origin) for call in calls]),
        "estimated": _column([is_estimate(call.tokens.origin) for call in calls]),
        "counted": _column([call.counted.count for call in calls]),
        "countedOrigin": _column([origin_words(call.counted.origin) for call in calls]),
        "provider": _column([call.provider.count for call in calls]),
        "unattributed": _column([call.unattributed for call in calls]),
        "window": _column([call.window for call in calls]),
        "budget": _column([call.budget for call in calls]),
        "threshold": _column([call.threshold for call in calls]),
        "model": _column([call.model for call in calls]),
        "messages": [call.messages for call in calls],
        "layers": {str(layer): [call.composition.get(layer, 0) for call in calls] for layer in layers},
        "origins": {
            str(layer): _column([origin_words(call.origins.get(layer, "unknown")) for call in calls])
            for layer in layers
        },
    }


def _column(values: list[Any]) -> Any:
    """Return a column as short as it goes: the one value all calls have, runs of equal values, or the values."""
    runs: list[list[Any]] = []
    for value in values:
        if runs and runs[-1][0] == value:
            runs[-1][1] += 1
        else:
            runs.append([value, 1])
    if len(runs) == 1:
        return runs[0][0]
    return {"runs": runs} if len(runs) * 2 < len(values) else values


def _sparse(calls: Sequence[CallRow], value: Any) -> dict[str, Any]:
    """Return what few calls have, by call number."""
    return {str(call.number): found for call in calls if (found := value(call))}


def _events(events: Iterable[EventRow]) -> list[dict[str, Any]]:
    """Return one entry per call and lane: its kinds, in order of time, and the texts of the first few."""
    groups: dict[tuple[int | None, str], dict[str, Any]] = {}
    for event in events:
        group = groups.setdefault(
            (event.call, event.lane), {"call": event.call, "lane": event.lane, "kinds": [], "texts": [], "count": 0}
        )
        group["count"] += 1
        if event.kind not in group["kinds"]:
            group["kinds"].append(event.kind)
        if len(group["texts"]) < EVENTS_PER_CALL:
            group["texts"].append(event_words(event))
    return list(groups.values())
