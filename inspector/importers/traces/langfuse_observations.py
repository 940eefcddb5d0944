"""Langfuse's exports: traces and observations out of each of the shapes that its API, its app and its exports have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from inspector.importers.base import Report
from inspector.importers.reading.documents import Document
from inspector.importers.reading.json_pieces import Item, Loader, read_items
from inspector.importers.reading.moments import moment
from inspector.importers.reading.values import inner_items, objects
from inspector.importers.traces.traced_forest import Forest, Node, NodeKind, graph_namespace
from inspector.importers.traces.traced_values import mapping_in

_KINDS: Final[Mapping[str, NodeKind]] = {"GENERATION": "call", "AGENT": "agent", "TOOL": "tool"}

_CONTAINERS: Final = ("observations", "data", "traces")
"""Arrays that hold observations or traces: of a trace, of an answer of the API, of an export."""

_TYPES: Final = frozenset(
    {
        "AGENT", "CHAIN", "EMBEDDING", "EVALUATOR", "EVENT", "GENERATION", "GUARDRAIL", "RETRIEVER", "SPAN", "TOOL",
    }
)  # fmt: skip
"""Types of observations."""

_TRACE_MARKS: Final = frozenset({"observations", "bookmarked", "htmlPath", "projectId", "project_id"})
"""Members of which a trace has one at least, and other logs with an ``id`` and a ``timestamp`` have none."""

_SPELLINGS: Final = {
    "traceId": "trace_id", "parentObservationId": "parent_observation_id", "startTime": "start_time",
    "endTime": "end_time", "sessionId": "session_id", "modelParameters": "model_parameters",
    "usageDetails": "usage_details", "statusMessage": "status_message", "toolDefinitions": "tool_definitions",
    "traceName": "trace_name", "providedModelName": "provided_model_name",
}  # fmt: skip
"""Names of members: those of the API, then those of the export to a bucket."""


def member(value: Mapping[str, Any], name: str) -> Any:
    """Give a member of an observation or a trace, in either spelling."""
    found = value.get(name)
    return value.get(_SPELLINGS.get(name, name)) if found is None else found


def is_observation(value: Any) -> bool:
    """Say whether a value is an observation."""
    if not isinstance(value, dict) or str(value.get("type")) not in _TYPES:
        return False
    return isinstance(member(value, "traceId"), str) and isinstance(value.get("id"), str)


def is_trace(value: Any) -> bool:
    """Say whether a value is a trace: one with observations, or the row of one."""
    if not isinstance(value, dict) or not isinstance(value.get("id"), str) or member(value, "traceId") is not None:
        return False
    return "timestamp" in value and bool(_TRACE_MARKS & value.keys())


def recognises(sample: Any) -> bool:
    """Look for an observation or a trace in a value, in what it holds, or in its first items."""
    if isinstance(sample, list):
        return any(map(recognises, objects(sample)))
    if not isinstance(sample, dict):
        return False
    if is_observation(sample):
        return True
    inner = list(inner_items(sample, _CONTAINERS))
    if is_trace(sample.get("trace")) or is_trace(sample):
        return not inner or any(is_observation(one) or isinstance(one, str) for one in inner)
    return any(is_observation(one) or is_trace(one) for one in inner)


def plant(document: Document, forest: Forest, report: Report, repairs: list[str]) -> None:
    """Put every observation of an export into the forest, without its content.

    Raises:
        UnreadableError: It is no JSON.
        OSError: It cannot be read.
    """
    for item in read_items(document, _CONTAINERS, report, repairs):
        told = _note_trace(item.value, forest) | _note_trace(item.outer, forest)
        if told:
            forest.note_file(document.path)
        if item.container == "":  # what stands around the arrays: a trace, or pages of an answer
            continue
        for place, observation in enumerate(_observations(item.value, forest)):
            node = _node(observation, item, place)
            if forest.get(node.id) is None:  # pages of the API overlap, and a trace may be there twice
                forest.put(node)


def observation_of(node: Node, loader: Loader) -> dict[str, Any]:
    """Read an observation again.

    Raises:
        UnreadableError: The file is another than it was.
        OSError: It cannot be read.
    """
    piece = node.pieces[0]
    return next(islice(_observations(loader.load(piece), None), piece.place, None), {})


def _observations(value: Any, forest: Forest | None) -> Iterator[dict[str, Any]]:
    """Give the observations in an item: itself, or those of the trace it is."""
    if is_observation(value):
        yield value
    elif isinstance(value, dict):
        if forest is not None:
            _note_trace(value, forest)
        for one in inner_items(value, _CONTAINERS):
            yield from _observations(one, forest)


def _note_trace(value: Any, forest: Forest) -> bool:
    """Remember to which session a trace belongs; False: it is no trace."""
    inner = value.get("trace") if isinstance(value, dict) else None
    trace = inner if isinstance(inner, dict) else value
    if not is_trace(trace):
        return False
    identity, session = trace.get("id"), member(trace, "sessionId")
    if isinstance(identity, str):
        if isinstance(session, str) and session:
            forest.sessions_of_traces.setdefault(identity, session)
        if isinstance(trace.get("name"), str) and trace["name"]:
            forest.names_of_traces.setdefault(identity, trace["name"])
    return True


def _node(value: Mapping[str, Any], item: Item, place: int) -> Node:
    metadata = mapping_in(value.get("metadata"))
    parent, session = member(value, "parentObservationId"), member(value, "sessionId")
    return Node(
        id=value["id"],
        trace=str(member(value, "traceId")),
        parent=parent if isinstance(parent, str) and parent else None,
        kind=_KINDS.get(str(value["type"]), "other"),
        name=str(value.get("name") or value["type"]),
        start=moment(member(value, "startTime")),
        session=session if isinstance(session, str) and session else None,
        namespace=graph_namespace(metadata),
        bare=value.get("input") in (None, "", {}, []) and not metadata.get("attributes"),
        pieces=(replace(item.piece, place=place),),
    )
