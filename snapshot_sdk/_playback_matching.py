"""Which recorded call a request of the agent stands for: lanes are told by what their requests look like.

Each lane is a queue. A request belongs to the lane it resembles most, and gets the next answer of that lane.
``docs/fixtures.md`` lists the points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final
from urllib.parse import urlsplit

from snapshot_sdk._fixture_values import PlayedCall
from snapshot_sdk._playback_answers import PLAYABLE
from snapshot_sdk._playback_signs import Signs, ids_of, request_signs, texts_of
from snapshot_sdk._playback_values import Asked

_NAMED: Final = 16.0
"""The agent's own recorder names the lane: more than everything else together."""
_CARRIES: Final = 4.0
"""The last answer of the lane stands in the request: only its own lane sends it again, as a message of its own."""
_BEGINS: Final = 4.0
"""The request begins as the recorded one did; in proportion to how far."""
_ENDS: Final = 6.0
"""Its last text begins as the recorded one did. It weighs most: what a call wants is often said there alone."""
_TOOLS: Final = 2.0
_MODEL: Final = 2.0
_PURPOSE: Final = 2.0
_ENDPOINT: Final = 1.0
_UNKNOWN: Final = 0.5
"""Share of the points for what is not known of a lane: between alike and unlike. Of a lane that is over it is none:
that a request has no recorded answer is said only where something speaks for it."""

_TELLING: Final = 12
"""Characters from which a text of an answer is looked for in a request: shorter ones stand anywhere."""


@dataclass(frozen=True)
class Lane:
    """A lane of the recording, as far as it was played."""

    name: str
    current: PlayedCall
    """The call that is next; of a lane whose calls were all played, the last."""
    over: bool
    """All its calls were played."""
    last: PlayedCall | None
    """The call that was played last; None: none yet."""
    signs: Signs | None
    """Of the request that ``current`` answered; None: unknown."""


def find_lane(lanes: Sequence[Lane], asked: Asked) -> Lane | None:
    """Returns the lane that a request belongs to.

    Args:
        lanes: Those of the recording.
        asked: The request.

    Returns:
        The lane with the most points, perhaps one that is over; of several, one that goes on, with the earliest
        call. None: no lane speaks the dialect of the request.
    """
    fitting = [lane for lane in lanes if asked.api in (None, lane.current.api) or lane.current.api not in PLAYABLE]
    if not fitting:
        return None
    signs = request_signs(asked.body)
    texts = frozenset(texts_of(asked.body)) | frozenset(ids_of(asked.body))
    return max(fitting, key=lambda lane: (_points(lane, asked, signs, texts), not lane.over, -lane.current.call))


def _points(lane: Lane, asked: Asked, signs: Signs, texts: frozenset[str]) -> float:
    call, known = lane.current, lane.signs
    unknown = 0.0 if lane.over else _UNKNOWN
    points = _NAMED if asked.lane is not None and asked.lane == lane.name else 0.0
    points += _CARRIES * _carries(lane.last, texts)
    points += _BEGINS * (unknown if known is None else _alike(signs.heads, known.heads))
    points += _ENDS * (unknown if known is None or known.tail is None else _alike([signs.tail or ""], [known.tail]))
    points += _TOOLS * (unknown if known is None else signs.tools == known.tools)
    points += _MODEL * (unknown if call.model is None else asked.model == call.model)
    points += _PURPOSE * (_UNKNOWN if asked.purpose is None else asked.purpose == call.purpose)
    return points + _ENDPOINT * (unknown if call.endpoint is None else _place(asked.url) == _place(call.endpoint))


def _place(url: str) -> tuple[str | None, str]:
    """Host and path; of an address with a masked part, in brackets, the text as it is."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None, url
    return parts.hostname, parts.path.rstrip("/")


def _alike(found: Sequence[str], recorded: Sequence[str]) -> float:
    """How far the texts begin alike, from 0 to 1."""
    shares = []
    for place in range(max(len(found), len(recorded))):
        pair = [texts[place] if place < len(texts) else "" for texts in (found, recorded)]
        longest = max(len(text) for text in pair)
        same = sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], zip(*pair, strict=False)))
        shares.append(same / longest if longest else 1.0)
    return sum(shares) / len(shares) if shares else 1.0


def _carries(last: PlayedCall | None, texts: frozenset[str]) -> float:
    """Whether the answer that was played last stands among the texts of a request, each as a whole."""
    if last is None:
        return _UNKNOWN
    said = {text for message in last.answer for text in (*texts_of(message), *ids_of(message)) if len(text) >= _TELLING}
    if not said:
        return _UNKNOWN
    return len(said & texts) / len(said)
