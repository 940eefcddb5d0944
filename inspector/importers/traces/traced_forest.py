"""Spans, runs or observations as the trees they are: which are calls, in which session and turn, and whose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from inspector.importers.reading.json_pieces import Piece

_TOOL_STEP: Final = "tools"
"""Step of LangGraph's agents that runs tools: a graph in it is an agent that was called as a tool."""

NodeKind = Literal["call", "agent", "tool", "other"]


@dataclass(frozen=True)
class Node:
    """One span, without its content."""

    id: str
    """Its id."""
    trace: str
    """Id of the trace it belongs to."""
    parent: str | None
    """Id of the span it is in; None: it is a root."""
    kind: NodeKind
    """A request to a model, an agent, a tool, or anything else."""
    name: str
    """What its program calls it."""
    start: datetime | None
    """When it began, UTC; None: not noted."""
    order: str = ""
    """Sorts it among the spans of its trace, where the format says how; empty: by time."""
    session: str | None = None
    """Session that it names itself."""
    namespace: tuple[str, ...] = ()
    """Names and ids of the nested graphs it ran in, outermost first (LangGraph); empty: none, or not noted."""
    bare: bool = False
    """Its input is not there."""
    pieces: tuple[Piece, ...] = ()
    """Where its content stands; later ones add to the earlier."""


@dataclass(frozen=True)
class Owner:
    """One run of an agent."""

    id: str
    """Its span's id, or the namespace of its graph."""
    name: str
    """Its name."""
    above: tuple[str, ...]
    """Ids of the agents it runs within, nearest first."""


@dataclass(frozen=True)
class PlacedCall:
    """A call and where it belongs."""

    node: Node
    """The call."""
    turn: int | None
    """Which of the session's traces it is in, from 1; None: there is one only."""
    owner: Owner | None
    """Whose it is; None: no agent's."""
    main: bool
    """The agent is the one that leads the trace."""
    trace_name: str | None = None
    """Name of its trace, where it has one."""


@dataclass
class TracedSession:
    """The calls of a session, in order."""

    name: str
    """Its own name, or the trace's id."""
    calls: list[PlacedCall] = field(default_factory=list)
    """In the order in which they are to be written."""

    @property
    def leading_names(self) -> tuple[str | None, str | None]:
        """Name of most traces, and of most calls of leading agents; None where no name is there twice."""
        traces = Counter({call.node.trace: call.trace_name for call in self.calls}.values())
        calls = Counter(call.node.name for call in self.calls if call.main)
        return _repeated(traces), _repeated(calls)


def graph_namespace(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the nested graphs that LangGraph's metadata names, outermost first; empty: none, or not noted."""
    found = metadata.get("langgraph_checkpoint_ns") or metadata.get("checkpoint_ns")
    return tuple(found.split("|")) if isinstance(found, str) and found else ()


class Forest:
    """All spans of an export."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._told: set[Path] = set()
        self.sessions_of_traces: dict[str, str] = {}
        """Session by trace, where a trace says it."""
        self.names_of_traces: dict[str, str] = {}
        """Name by trace."""

    def note_file(self, path: Path) -> None:
        """Remember that a file says something of traces, though it may hold no call."""
        self._told.add(path)

    def holds_traces_of(self, path: Path) -> bool:
        """Say whether a file says something of traces."""
        return path in self._told

    def get(self, identity: str) -> Node | None:
        """Give a span by its id."""
        return self._nodes.get(identity)

    def put(self, node: Node) -> None:
        """Add a span, or put a fuller one in the place of that with its id."""
        self._nodes[node.id] = node

    def calls(self) -> list[Node]:
        """Give every call, in the order in which they were met.

        A call that holds others, with their prompts, is the run of a loop around them: they are what was sent.
        """
        calls = [node for node in self._nodes.values() if node.kind == "call"]
        around = self._around(node for node in calls if not node.bare)
        loops = self._around(node for node in calls if not node.bare and node.id not in around)
        return [node for node in calls if node.id not in loops]

    def _around(self, nodes: Iterable[Node]) -> set[str]:
        """Give the ids of all spans that these are in."""
        return {up.id for node in nodes for up in self._above(node)}

    def sessions(self) -> list[TracedSession]:
        """Give the sessions that hold calls, each with its traces in the order in which they began."""
        traces: dict[str, list[Node]] = {}
        for node in self.calls():
            traces.setdefault(node.trace, []).append(node)
        sessions: dict[str, list[list[Node]]] = {}
        for trace, nodes in traces.items():
            nodes.sort(key=_order)
            sessions.setdefault(self._session(trace, nodes), []).append(nodes)
        return [TracedSession(name, list(self._placed(found))) for name, found in sessions.items()]

    def name_of(self, node: Node) -> str | None:
        """Name the trace of a span: as the trace says, else by its root."""
        root = next(reversed(list(self._above(node))), None)
        return self.names_of_traces.get(node.trace) or (root.name if root is not None else None)

    def _session(self, trace: str, nodes: list[Node]) -> str:
        """Name the session of a trace: by the trace, by a call of it, by a span around one, else by the trace's id."""
        named = self.sessions_of_traces.get(trace)
        for node in nodes:
            named = named or node.session or next((up.session for up in self._above(node) if up.session), None)
        # A lone surrogate in a name could be written nowhere.
        return (named or trace).encode("utf-8", "replace").decode()

    def _placed(self, traces: list[list[Node]]) -> Iterator[PlacedCall]:
        traces.sort(key=lambda nodes: _time(nodes[0]))
        for turn, nodes in enumerate(traces, start=1):
            owners = [self._owner(node) for node in nodes]
            leader = _leader(owners)
            for node, owner in zip(nodes, owners, strict=True):
                main = (owner.id if owner is not None else None) == leader
                yield PlacedCall(node, turn if len(traces) > 1 else None, owner, main, self.name_of(node))

    def _above(self, node: Node) -> Iterator[Node]:
        """Give the spans a span is in, nearest first; parents that are not there, or go in a circle, end it."""
        seen = {node.id}
        while node.parent is not None and node.parent not in seen:
            parent = self._nodes.get(node.parent)
            if parent is None:
                return
            seen.add(parent.id)
            yield parent
            node = parent

    def _owner(self, node: Node) -> Owner | None:
        """Find whose a call is: the nearest nested graph, agent or tool around it.

        Spans within a graph are steps of it, also where an exporter calls a step an agent: the graph's own namespace
        tells better which calls belong together.
        """
        around = [up for up in self._above(node) if up.kind in ("agent", "tool")]
        above = [up for up in around if not up.namespace]
        ids = tuple(up.id for up in above)
        if node.namespace[:-1]:  # the last is the step of the graph that made the call
            graphs = [node.namespace[: depth + 1] for depth in range(len(node.namespace) - 1)]
            paths = tuple("|".join(graph) for graph in reversed(graphs))
            name = graphs[-1][-1].partition(":")[0]
            if name == _TOOL_STEP:
                name = next((up.name for up in around if up.kind == "tool"), name)
            return Owner(paths[0], name, (*paths[1:], *ids))
        return Owner(ids[0], above[0].name, ids[1:]) if above else None


def _leader(owners: list[Owner | None]) -> str | None:
    """Choose who leads a trace: of those that run within no other, the one with most calls, else the first."""
    ids = {owner.id for owner in owners if owner is not None}
    outermost = Counter(
        owner.id if owner is not None else None for owner in owners if owner is None or not ids & set(owner.above)
    )
    return outermost.most_common(1)[0][0] if outermost else None


def _repeated(names: Counter[str] | Counter[str | None]) -> str | None:
    """Give the most frequent name, the first of several; None where it is there once only."""
    return next((name for name, times in names.most_common(1) if times > 1), None)


def _order(node: Node) -> tuple[str, float]:
    return node.order, _time(node)


def _time(node: Node) -> float:
    return node.start.timestamp() if node.start is not None else 0.0
