"""Which recorded call a request of the agent stands for: lanes are told by what their requests look like.

Each lane is a queue. A request belongs to the lane it resembles most, and gets the next answer of that lane.
``docs/fixtures.md`` lists the points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, NamedTuple
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

_LITTLE: Final = 0.5
"""Share from which the ends of two requests are alike: two sentences begin with the same letters by chance."""
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
    sent: Signs | None = None
    """Of the last request of the agent that was of this lane; None: there was none yet."""
    own: bool = False
    """It is the lane of the fixture's own call."""


def find_lane(lanes: Sequence[Lane], asked: Asked) -> Lane | None:
    """Returns the lane that a request belongs to.

    Args:
        lanes: Those of the recording.
        asked: The request.

    Returns:
        The lane with the most points, perhaps one that is over. Of equals one that goes on, the one in which the
        agent is, the fixture's own, the one with the earliest call. The lane in which the agent is gives way only to
        one with a mark of its own. None: no lane speaks the dialect of the request.
    """
    fitting = [lane for lane in lanes if asked.api in (None, lane.current.api) or lane.current.api not in PLAYABLE]
    if not fitting:
        return None
    signs = request_signs(asked.body)
    texts = frozenset(texts_of(asked.body)) | frozenset(ids_of(asked.body))
    looked = [_look(lane, asked, signs, texts) for lane in fitting]
    best = max(looked, key=_rank)
    at_home = [look for look in looked if look.continued and not look.lane.over]
    home = max(at_home, key=_rank) if at_home else best
    return (best if best is home or _is_marked(best, home) else home).lane


class _Look(NamedTuple):
    """What a request has of a lane."""

    lane: Lane
    points: float
    named: bool
    """The agent's own recorder says so: the lane, or what the call is for."""
    ends: float
    """How far its end is alike, from 0 to 1."""
    carries: float
    """How much of the lane's last answer it holds, from 0 to 1."""
    continued: bool
    """It goes on from the lane's last request: what that ended with stands in it."""


def _look(lane: Lane, asked: Asked, signs: Signs, texts: frozenset[str]) -> _Look:
    call, known = lane.current, lane.signs
    unknown = 0.0 if lane.over else _UNKNOWN
    named = asked.lane is not None and asked.lane == lane.name
    carries = _carries(lane.last, texts)
    begins = unknown if known is None else _alike(signs.heads, known.heads)
    ends = unknown if known is None or known.tail is None else _alike([signs.tail or ""], [known.tail])
    ends = ends if ends >= _LITTLE else 0.0
    tools = unknown if known is None else float(signs.tools == known.tools)
    purpose = _UNKNOWN if asked.purpose is None else float(asked.purpose == call.purpose)
    points = _NAMED * named + _CARRIES * carries + _BEGINS * begins + _ENDS * ends + _TOOLS * tools
    points += _MODEL * (unknown if call.model is None else asked.model == call.model)
    points += _PURPOSE * purpose
    points += _ENDPOINT * (unknown if call.endpoint is None else _place(asked.url) == _place(call.endpoint))
    named = named or (asked.purpose is not None and asked.purpose == call.purpose)
    return _Look(lane, points, named, ends, carries, _continues(lane.sent, signs, texts))


def _rank(look: _Look) -> tuple[float, bool, bool, bool, int]:
    lane = look.lane
    return look.points, not lane.over, look.continued, lane.own, -lane.current.call


def _is_marked(other: _Look, home: _Look) -> bool:
    """Whether a request has something of another lane, and not of the one in which the agent is.

    Model and address are no such mark: an agent that is mended may well ask another model, which also did side calls.
    Nor are beginning and tools: those are the same as in the agent's last request of its lane, and an agent that keeps
    what was recorded as dropped begins as earlier calls did, of whatever lane.
    """
    return other.named or other.ends > home.ends or other.carries > max(home.carries, _UNKNOWN)


def _continues(sent: Signs | None, signs: Signs, texts: frozenset[str]) -> bool:
    """Whether a request holds what the lane's last one ended with, and begins as that did."""
    if sent is None or not sent.tail or sent.heads[:1] != signs.heads[:1] or sent.tools != signs.tools:
        return False
    return any(text.startswith(sent.tail) for text in texts)


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
