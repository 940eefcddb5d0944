"""Data sets for training: each row a session, each answer in it a call.

A row is one conversation. To ask a model for its third answer one sends the two before it, so each message of the
assistant is the answer to a request that holds what stands before it: a row of several turns has several calls. Where
a row names a better and a worse answer to one prompt, these are two calls with the same request, the worse in a lane
of its own. What was trained with which loss is no part of a context; weights are left out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedSession, Problem, Report, reporting
from inspector.importers.reading.describing import looks_like
from inspector.importers.reading.documents import Document
from inspector.importers.reading.json_pieces import Item, read_items
from inspector.importers.reading.values import spaced

Message = dict[str, Any]

MISSING: Final = ("model", "parameters")
"""What no row of a data set holds."""

WIRE_FORM: Final = "wire form"
"""Missing where a row has its texts, but not the messages they were put into."""

REJECTED: Final = "rejected"
"""Lane of an answer that is the worse of two."""

_LABELS: Final = ("label", "kto_tag")
"""Members that say whether an answer is wanted (KTO)."""


@dataclass(frozen=True)
class Row:
    """One row of a data set."""

    messages: list[Message]
    """The conversation, in the shape of OpenAI's chat completions."""
    chosen: list[Message] = field(default_factory=list)
    """The better answer to it, where there are two, or the answer where that stands apart."""
    rejected: list[Message] = field(default_factory=list)
    """The worse one."""
    tools: list[Any] = field(default_factory=list)
    """Definitions, in OpenAI's shape."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the request that the row names."""
    wire_form: bool = True
    """The row holds messages, not only texts for a template."""


ReadRow = Callable[[Any], Row | None]
"""Reads a row; None: it is none of this kind."""


def read_rows(
    format_name: str, expected: str, read_row: ReadRow, documents: Sequence[Document], report: Report
) -> Iterator[ImportedSession]:
    """Read each row of each file into a session, named by the file and the place of the row in it.

    Args:
        format_name: Name of the importer.
        expected: What a row should be, for the report.
        read_row: Reads one.
        documents: The files.
        report: Told of what could not be read.
    """
    for document in documents:
        with reporting(document.path, report):
            yield from _rows_of(format_name, expected, read_row, document, report)


def _rows_of(
    format_name: str, expected: str, read_row: ReadRow, document: Document, report: Report
) -> Iterator[ImportedSession]:
    path = document.path
    seen: Counter[str] = Counter()
    repairs: list[str] = []
    for place, item in enumerate(read_items(document, (), report, repairs), start=1):
        line = item.piece.line
        row = read_row(item.value)
        if row is None:
            at = f"line {line}" if line is not None else f"item {place - 1}"
            report(Problem(str(path), f"{at} is no {expected} but {looks_like(item.value)}", line))
            continue
        digest = hashlib.sha256(_source(item.value)).hexdigest()
        seen[digest] += 1  # rows that repeat are sessions of their own
        if seen[digest] > 1:
            digest = hashlib.sha256(f"{digest} {seen[digest]}".encode()).hexdigest()
        yield ImportedSession(
            session=_name(document, item, place),
            format=format_name,
            source=path.name,
            digest=f"sha256:{digest[:32]}",
            calls=lambda row=row: _calls(row),  # type: ignore[misc]
            repairs=tuple(repairs),
            meta=_meta(item.value),
        )
        repairs.clear()


def _name(document: Document, item: Item, place: int) -> str:
    """Name a row by its line, else by its place in the array; the only value of a file by the file."""
    stem = document.path.stem
    if item.piece.line is not None:
        return f"{stem} {item.piece.line}" + (f".{item.piece.record + 1}" if item.piece.record else "")
    return f"{stem} {place}" if document.head().lstrip().startswith(b"[") else stem


def _source(value: Any) -> bytes:
    return spaced(value).encode(errors="surrogatepass")


def _calls(row: Row) -> Iterator[ImportedCall]:
    """Give a call for each answer: those in the conversation, the better one, the worse one."""
    missing = MISSING if row.wire_form else (*MISSING, WIRE_FORM)
    turn = 0
    for place, message in enumerate(row.messages):
        turn += message["role"] == "user"
        if message["role"] == "assistant":
            yield _call(row, place, [message], missing, turn)
    ends_with_answer = bool(row.messages) and row.messages[-1]["role"] == "assistant"
    if row.chosen or not (ends_with_answer or row.rejected):
        yield _call(row, len(row.messages), row.chosen, missing, turn)
    if row.rejected:
        yield _call(row, len(row.messages), row.rejected, missing, turn, REJECTED)


def _call(
    row: Row, end: int, answer: Sequence[Message], missing: tuple[str, ...], turn: int, lane: str | None = None
) -> ImportedCall:
    request: dict[str, Any] = {"messages": row.messages[:end]}
    if row.tools:
        request["tools"] = row.tools
    return ImportedCall(
        request={**request, **row.parameters},
        exact="rebuilt",
        missing=missing,
        api="openai.chat",
        lane=lane,
        turn=turn or None,
        answer=ImportedAnswer(None, messages=tuple(answer)) if answer else None,
    )


def _meta(value: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the id of a row, and whether its answer is wanted."""
    label = next((value[name] for name in _LABELS if isinstance(value.get(name), bool)), None)
    named = {"id": value.get("id"), "label": label}
    return {name: told for name, told in named.items() if told is not None}
