"""Whose call it is: the spans of an inspect_ai transcript as lanes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

_APART: Final = frozenset({"branch", "fork", "handoff", "scorer", "subtask", "task", "tool"})
"""Types of spans in which a conversation of its own is held; solvers go on with the sample's."""

_JUDGE: Final = "judge"
"""Purpose of calls that a scorer makes."""


class Lane(NamedTuple):
    """Where a call belongs."""

    name: str | None
    """None: the main one."""
    purpose: str | None = None
    """What a side call is for."""


MAIN: Final = Lane(None)


class _Span(NamedTuple):
    parent: str | None
    kind: str
    name: str


class Spans:
    """The spans of a transcript so far.

    A tool that calls models holds a conversation of its own, and so does an agent that another agent runs, a
    scorer, and each of several tasks that run side by side. Two runs of one agent are two lanes.
    """

    def __init__(self) -> None:
        self._spans: dict[str, _Span] = {}
        self._names: dict[str, str] = {}
        """Of lanes, by the span that makes them."""
        self._used: Counter[str] = Counter()
        self._steps: list[str] = []
        """Scorers at work, in logs from before there were spans."""

    def take(self, event: Mapping[str, Any]) -> None:
        """Note where a span begins, or a step begins or ends."""
        kind, name = str(event.get("type")), str(event.get("name"))
        if event.get("event") == "span_begin" and isinstance(event.get("id"), str):
            parent = event.get("parent_id")
            self._spans[event["id"]] = _Span(parent if isinstance(parent, str) else None, kind, name)
        elif event.get("event") == "step" and kind == "scorer":
            if event.get("action") == "begin":
                self._steps.append(name)
            elif self._steps:
                self._steps.pop()

    def lane(self, span_id: Any) -> Lane:
        """Say which lane an event in a span belongs to.

        Args:
            span_id: Of the innermost span; None: the log has no spans.
        """
        if self._steps:
            return Lane(self._steps[-1], _JUDGE)
        found: str | None = None
        agents = 0
        judged = False
        for one in self._path(span_id):
            span = self._spans[one]
            if span.kind in _APART:
                found, judged = one, span.kind == "scorer"
            elif span.kind == "agent":
                agents += 1
                if agents > 1 or found is not None:
                    found = one
        if found is None:
            return MAIN
        return Lane(self._name(found), _JUDGE if judged else None)

    def apart(self, name: str) -> str:
        """Name a lane that no span makes; a second one of the same name gets a number."""
        self._used[name] += 1
        return name if self._used[name] == 1 else f"{name} {self._used[name]}"

    def _name(self, span_id: str) -> str:
        if span_id not in self._names:
            self._names[span_id] = self.apart(self._spans[span_id].name)
        return self._names[span_id]

    def _path(self, span_id: Any) -> list[str]:
        """Give the spans around an event, the outermost first."""
        path: list[str] = []
        while isinstance(span_id, str) and span_id in self._spans and span_id not in path:
            path.append(span_id)
            span_id = self._spans[span_id].parent
        return path[::-1]
