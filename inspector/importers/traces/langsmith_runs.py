"""LangSmith's runs: out of exports, answers of the API and what the SDK posts, each put together from its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from inspector.importers.base import Report
from inspector.importers.reading.documents import Document
from inspector.importers.reading.json_pieces import Loader, Piece, read_items
from inspector.importers.reading.moments import moment
from inspector.importers.reading.values import inner_items, objects
from inspector.importers.traces.traced_forest import Forest, Node, NodeKind, graph_namespace
from inspector.importers.traces.traced_values import mapping_in

_CONTAINERS: Final = ("runs", "data", "post", "patch", "child_runs")
"""Arrays that hold runs: of a page of the API, of what the SDK posts, and the runs within a run."""

_TYPES: Final = frozenset({"chain", "embedding", "llm", "parser", "prompt", "retriever", "tool"})
_KINDS: Final[Mapping[str, NodeKind]] = {"llm": "call", "tool": "tool"}

_THREAD_KEYS: Final = ("session_id", "thread_id", "conversation_id")
"""Metadata that names the thread of a run, first the one that LangSmith asks first. A run's own ``session_id`` is
the id of its project."""

_OF_A_RUN: Final = frozenset({"trace_id", "dotted_order", "inputs", "start_time", "parent_run_id", "session_name"})
_LATER: Final = frozenset({"outputs", "end_time", "error", "events"})
"""Members of what is sent when a run has ended."""


def is_run(value: Any) -> bool:
    """Say whether a value is a run, or begins one that is completed later."""
    if not isinstance(value, dict) or str(value.get("run_type")) not in _TYPES:
        return False
    return _identity(value) is not None and bool(_OF_A_RUN & value.keys())


def is_completion(value: Any) -> bool:
    """Say whether a value is what is sent when a run has ended: without its type, and in part without its id."""
    if not isinstance(value, dict) or value.get("run_type") is not None:
        return False
    return bool({"trace_id", "dotted_order"} & value.keys()) and bool(_LATER & value.keys()) and bool(_identity(value))


def recognises(sample: Any) -> bool:
    """Look for a run in a value, in what it holds, or in its first items."""
    if isinstance(sample, list):
        return any(map(recognises, objects(sample)))
    if not isinstance(sample, dict):
        return False
    if is_run(sample) or is_completion(sample):
        return True
    return any(is_run(one) or is_completion(one) for one in inner_items(sample, _CONTAINERS))


def plant(document: Document, forest: Forest, report: Report, repairs: list[str]) -> None:
    """Put every run of an export into the forest, without its content.

    Raises:
        UnreadableError: It is no JSON.
        OSError: It cannot be read.
    """
    for item in read_items(document, _CONTAINERS, report, repairs):
        outer = _identity(item.outer) if is_run(item.outer) else None
        for place, (run, parent) in enumerate(_runs(item.value, outer)):
            node = _node(run, parent, replace(item.piece, place=place))
            known = forest.get(node.id)
            forest.put(node if known is None else _joined(known, node))


def run_of(node: Node, loader: Loader) -> dict[str, Any]:
    """Read a run again, put together from all that was said of it.

    Raises:
        UnreadableError: The file is another than it was.
        OSError: It cannot be read.
    """
    run: dict[str, Any] = {}
    for piece in node.pieces:
        found = next(islice(_runs(loader.load(piece), None), piece.place, None), None)
        run = _merged(run, found[0]) if found is not None else run
    return run


def metadata_of(run: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the metadata of a run, where the SDK keeps it and where exports put it."""
    return {**mapping_in(run.get("metadata")), **mapping_in(mapping_in(run.get("extra")).get("metadata"))}


def _runs(value: Any, parent: str | None) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Give the runs in an item, each with the id of the run it is nested in: itself, then those within it."""
    if not isinstance(value, dict):
        return
    within = parent
    if is_run(value) or is_completion(value):
        yield value, parent
        within = _identity(value)
    for one in inner_items(value, _CONTAINERS):
        yield from _runs(one, within)


def _node(run: Mapping[str, Any], parent: str | None, piece: Piece) -> Node:
    order = run.get("dotted_order")
    chain = _ids_in(order) if isinstance(order, str) else []
    identity = _identity(run) or ""
    metadata = metadata_of(run)
    own_parent, trace = run.get("parent_run_id"), run.get("trace_id")
    parents = (own_parent, chain[-2] if len(chain) > 1 else None, parent)
    above = next((one for one in parents if isinstance(one, str) and one), None)
    roots = (trace, chain[0] if chain else None, above, identity)
    return Node(
        id=identity,
        trace=next(one for one in roots if isinstance(one, str)),
        parent=above,
        kind=_KINDS.get(str(run.get("run_type")), "other"),
        name=str(run.get("name") or run.get("run_type") or "run"),
        start=moment(run.get("start_time")),
        order=order if isinstance(order, str) else "",
        session=next((str(metadata[key]) for key in _THREAD_KEYS if metadata.get(key)), None),
        namespace=graph_namespace(metadata),
        bare=not run.get("inputs"),
        pieces=(piece,),
    )


def _joined(known: Node, later: Node) -> Node:
    """Add to a run what is said of it a second time."""
    named = later if known.kind == "other" and later.kind != "other" else known
    return replace(
        named,
        parent=known.parent or later.parent,
        start=known.start or later.start,
        order=known.order or later.order,
        session=known.session or later.session,
        namespace=known.namespace or later.namespace,
        bare=known.bare and later.bare,
        pieces=(*known.pieces, *later.pieces),
    )


def _merged(run: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Put what is said later over what was said first, where it says anything."""
    merged = dict(run)
    for name, value in more.items():
        before = merged.get(name)
        if name in ("extra", "metadata") and isinstance(before, dict) and isinstance(value, dict):
            merged[name] = _merged(before, value)
        elif name not in merged or value not in (None, "", {}, []):
            merged[name] = value
    return merged


def _identity(run: Mapping[str, Any]) -> str | None:
    """Give the id of a run; the SDK for JavaScript completes runs by their place in the order only."""
    identity, order = run.get("id"), run.get("dotted_order")
    if isinstance(identity, str) and identity:
        return identity
    chain = _ids_in(order) if isinstance(order, str) else []
    return chain[-1] if chain else None


def _ids_in(order: str) -> list[str]:
    """Give the ids in a ``dotted_order``: ``<time>Z<id>`` of each run from the root on, joined by dots."""
    ids = [step.partition("Z")[2] for step in order.split(".")]
    return ids if all(ids) else []
