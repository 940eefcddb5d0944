"""Gives the calls of a session their lanes: sub-agents and side calls apart from the conversation that is led."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from inspector.importers.traces.traced_forest import PlacedCall, TracedSession
from snapshot_sdk.canonical import content_hash

_LISTS: Final = ("messages", "input", "contents")
_INSTRUCTIONS: Final = frozenset({"system", "developer"})


@dataclass
class _Lane:
    """A conversation of an agent."""

    name: str | None
    """None: the main lane."""
    agent: str
    """Name of the agent."""
    opening: str | None
    """Hash of its first message that is no instruction; None: there is none."""
    begun_with: int
    """Messages in the first prompt of its latest run."""


class Lanes:
    """Names the lanes of a session, call by call.

    The agent that leads a trace has the main lane, in every trace of the session. A run of another agent is a lane of
    its own, unless it begins with the opening of a conversation that an agent of this name had before, and with more
    messages than that began with: then it goes on with it (a hand-over and back). Of the calls of the main lane some
    are none of its conversation (a guard, a title): those whose trace, or who themselves, are named unlike most, and
    whose opening no other call of the main lane has had.
    """

    def __init__(self, session: TracedSession) -> None:
        """Begin a session.

        Args:
            session: All of it, for the names that lead it.
        """
        self._trace_name, self._call_name = session.leading_names
        self._main_openings: set[str | None] = set()
        self._runs: dict[str, _Lane] = {}
        self._lanes: list[_Lane] = []
        self._taken: set[str] = set()

    def lane_of(self, call: PlacedCall, request: Mapping[str, Any]) -> str | None:
        """Name the lane of a call; None: the main one.

        Args:
            call: The call, in the order of the session.
            request: Its body.
        """
        opening, length = _opening(request)
        if not call.main:
            return self._other(call, opening, length)
        aside = self._aside(call)
        if aside is not None and opening not in self._main_openings:
            self._taken.add(aside)
            return aside
        self._main_openings.add(opening)
        if call.owner is not None and call.owner.id not in self._runs:
            self._runs[call.owner.id] = _Lane(None, call.owner.name, opening, length)
            self._lanes.append(self._runs[call.owner.id])
        return None

    def _aside(self, call: PlacedCall) -> str | None:
        """Give the name that sets a call apart from most of its session; None: nothing does."""
        if self._trace_name is not None and call.trace_name not in (None, self._trace_name):
            return call.trace_name
        if self._call_name is not None and call.node.name != self._call_name:
            return call.node.name
        return None

    def _other(self, call: PlacedCall, opening: str | None, length: int) -> str | None:
        """Name the lane of a call that is not the leading agent's."""
        if call.owner is None:
            self._taken.add(call.node.name)
            return call.node.name
        lane = self._runs.get(call.owner.id)
        if lane is None:
            name = call.owner.name
            lane = next((one for one in reversed(self._lanes) if _goes_on(one, name, opening, length)), None)
            if lane is None:
                lane = _Lane(self._free(name), name, opening, length)
                self._lanes.append(lane)
            lane.begun_with = length
            self._runs[call.owner.id] = lane
        return lane.name

    def _free(self, name: str) -> str:
        """Number the runs of agents with one name."""
        number = 1
        while (free := name if number == 1 else f"{name} {number}") in self._taken:
            number += 1
        self._taken.add(free)
        return free


def _goes_on(lane: _Lane, agent: str, opening: str | None, length: int) -> bool:
    return lane.agent == agent and opening is not None and lane.opening == opening and length > lane.begun_with


def _opening(request: Mapping[str, Any]) -> tuple[str | None, int]:
    """Give the hash of the first message that is no instruction, and how many messages there are."""
    messages: list[Any] = next((request[name] for name in _LISTS if isinstance(request.get(name), list)), [])
    said = (one for one in messages if isinstance(one, dict) and str(one.get("role")) not in _INSTRUCTIONS)
    first = next(said, None)
    try:
        return (None if first is None else content_hash(first)), len(messages)
    except TypeError:  # members of it are of types that no message has
        return None, len(messages)
