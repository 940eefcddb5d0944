"""The recorded calls of a fixture while they are played: which come next, what the agent sent, why it ended."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from snapshot_sdk._context import named_lane
from snapshot_sdk._fixture_values import Fixture, PlayedCall
from snapshot_sdk._playback_answers import PLAYABLE, answer_of
from snapshot_sdk._playback_guard import is_loopback
from snapshot_sdk._playback_matching import Lane, find_lane
from snapshot_sdk._playback_signs import Signs, request_signs
from snapshot_sdk._playback_values import Asked, BrokenError, HttpAnswer, PlaybackStop, RefusedError
from snapshot_sdk.adapters._codings import decode
from snapshot_sdk.adapters._endpoints import Endpoints
from snapshot_sdk.adapters._exchange import Outgoing

_MAX_REFUSED: Final = 5
"""Addresses that a message names."""


@dataclass(frozen=True)
class Captured:
    """A request that the agent sent."""

    call: PlayedCall
    """The recorded call it stands for."""
    body: Mapping[str, Any]


class Calls:
    """The recorded calls, lane by lane. Safe to use from several threads."""

    def __init__(self, fixture: Fixture) -> None:
        """Begins with the first call of each lane.

        Args:
            fixture: Whose calls.
        """
        self.wanted = _wanted(fixture)
        """The fixture's own call: with its request the agent ends."""
        self.captured: list[Captured] = []
        """What the agent sent, in order."""
        self.failure: str | None = None
        """Why the agent had to end early."""
        self.reached = False
        """The fixture's own call was made."""
        self.refused: Counter[str] = Counter()
        """Addresses that are no model's, and how often they were asked."""
        self.broken: list[str] = []
        """Calls without a recorded answer."""
        self.ended = False
        """The playback is over: only threads that it left have nothing to ask."""
        self._lock = threading.Lock()
        self._signs = request_signs(fixture.request)
        self._lanes: dict[str, list[PlayedCall]] = {}
        for call in (*(one for one in fixture.played if one.call < self.wanted.call), self.wanted):
            self._lanes.setdefault(call.lane, []).append(call)
        self._next = dict.fromkeys(self._lanes, 0)
        endpoints = {call.endpoint for calls in self._lanes.values() for call in calls}
        self._endpoints = Endpoints([url for url in endpoints if url and _is_url(url)], any_host=True)

    @property
    def name(self) -> str:
        """The fixture's own call, in words."""
        return f"call {self.wanted.call} of lane {self.wanted.lane}"

    def in_lane(self) -> list[Captured]:
        """The first try of each call of the fixture's own lane, in order."""
        first: dict[int, Captured] = {}
        for one in self.captured:
            if one.call.lane == self.wanted.lane:
                first.setdefault(one.call.call, one)
        return list(first.values())

    def expected_in_lane(self) -> int:
        """How many calls the fixture's own lane has, with its own."""
        return len({call.call for call in self._lanes[self.wanted.lane]})

    def refuse(self, address: str) -> str:
        """Notes that something would have left the machine, and returns why it does not.

        Args:
            address: Where to.
        """
        with self._lock:
            self.refused[address] += 1
        return f"{address} is no model of the recording: nothing leaves the machine while answers are played back"

    def answer(self, outgoing: Outgoing, *, inside: bool = False) -> HttpAnswer | None:
        """Answers a request of the agent.

        Args:
            outgoing: The request.
            inside: Its client would answer it without a network.

        Returns:
            None: it stays on this machine, and may go on.

        Raises:
            RefusedError: It would leave the machine, and is no model call.
            BrokenError: The recorded call had no answer.
            PlaybackStop: The agent ends here.
        """
        found = self._endpoints.find(outgoing.method, outgoing.url)
        body = _body(outgoing) if found is not None else None
        if found is None or body is None:
            if inside or is_loopback(urlsplit(outgoing.url).hostname):
                return None
            raise RefusedError(self.refuse(f"{outgoing.method} {outgoing.url.partition('?')[0]}"))
        lane, purpose = named_lane()
        model = body.get("model")
        named = model if isinstance(model, str) else found.model
        asked = Asked(outgoing.method, outgoing.url, found.api, body, named, lane, purpose or found.purpose)
        with self._lock:
            call = self._take(asked)
        if not call.answer and call.status is None:
            raise BrokenError(f"call {call.call} of lane {call.lane} has no recorded answer")
        return answer_of(call, asked)

    def _take(self, asked: Asked) -> PlayedCall:
        """Finds the recorded call that a request stands for; the agent ends where there is none, or is the last."""
        if self.reached or self.failure is not None:
            raise PlaybackStop
        lane = find_lane([self._lane(name) for name in self._lanes], asked)
        number = len(self.captured) + 1
        if lane is None:
            spoken = sorted({call.api for calls in self._lanes.values() for call in calls})
            self._fail(f"request {number} is of {asked.api}; the recorded calls are of {', '.join(spoken)}")
        elif lane.over:
            count = len(self._lanes[lane.name])
            self._fail(
                f"request {number} to {asked.path} has no recorded answer: it belongs to lane {lane.name}, whose calls"
                f" up to call {self.wanted.call} are all played ({count}; the last was call {lane.current.call})"
            )
        else:
            return self._play(lane, asked, number)
        raise PlaybackStop

    def _play(self, lane: Lane, asked: Asked, number: int) -> PlayedCall:
        call = lane.current
        self._next[lane.name] += 1
        self.captured.append(Captured(call, asked.body))
        if call is self.wanted:
            self.reached = True
            raise PlaybackStop
        if not call.answer and call.status is None:
            self.broken.append(f"call {call.call} of lane {call.lane}")
        elif asked.api is None and call.api not in PLAYABLE:
            self._fail(f"request {number} stands for call {call.call}, whose dialect {call.api} cannot be played")
            raise PlaybackStop
        return call

    def _fail(self, reason: str) -> None:
        self.failure = reason

    def _lane(self, name: str) -> Lane:
        calls, place = self._lanes[name], self._next[name]
        over = place == len(calls)
        current = calls[place - 1 if over else place]
        sent = next((request_signs(one.body) for one in reversed(self.captured) if one.call.lane == name), None)
        last = calls[place - 1] if place else None
        return Lane(name, current, over, last, self._signs_of(current), sent, name == self.wanted.lane)

    def _signs_of(self, call: PlayedCall) -> Signs | None:
        if call.heads is not None and call.tools is not None:
            return Signs(call.heads, call.tail, call.tools)
        if call.lane != self.wanted.lane:
            return None
        return self._signs if call is self.wanted else self._signs._replace(tail=None)

    def remarks(self) -> str:
        """What else is to be known where a playback failed, as sentences to be put behind others."""
        notes = ""
        if len(self._lanes) > 1 and self.captured:
            played = [f"{self._next[name]} of {len(calls)} of lane {name}" for name, calls in self._lanes.items()]
            notes += f" Calls that its requests stood for: {', '.join(played)}."
        if self.broken:
            notes += f" Without a recorded answer, and played as a connection that failed: {', '.join(self.broken)}."
        if self.refused:
            some = [f"{url} ({count} times)" if count > 1 else url for url, count in self.refused.items()]
            more = f" and {len(some) - _MAX_REFUSED} more" if len(some) > _MAX_REFUSED else ""
            notes += f" Refused, for nothing leaves the machine: {', '.join(some[:_MAX_REFUSED])}{more}."
        return notes


def _wanted(fixture: Fixture) -> PlayedCall:
    """The first try of the fixture's own call; what it was answered is not needed."""
    origin = fixture.origin
    for call in fixture.played:
        if call.call == origin.call:
            return call
    return PlayedCall(
        call=origin.call,
        lane=origin.lane,
        api=fixture.api,
        endpoint=next((one.endpoint for one in reversed(fixture.played) if one.lane == origin.lane), None),
        status=None,
        answer=(),
        stop_reason=None,
        usage=None,
        model=fixture.model,
    )


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:  # a part of it is masked, in brackets
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _body(outgoing: Outgoing) -> Mapping[str, Any] | None:
    """The JSON object that a request sends; None: it sends none, and so is no model call."""
    data = outgoing.body
    if data is not None and outgoing.encoding:
        data = decode(data, outgoing.encoding)
    try:
        body = json.loads(data or b"null")
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None
