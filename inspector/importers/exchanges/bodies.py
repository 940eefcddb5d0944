"""Plain request bodies: one JSON object, an array of them, or JSONL, alone or beside their responses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspector.importers.base import ImportedSession, Report, reporting
from inspector.importers.exchanges.exchange import body_of, call_of, session_of
from inspector.importers.reading.documents import Document, digest_of
from inspector.importers.reading.grouping import Grouping, group

_SAMPLED_ITEMS: Final = 10
"""How many items of an array are looked at to recognise it: the first may be damaged."""


class Bodies:
    """A file of bodies is a session; files of one body each that lie together are one, in the order of their names."""

    name = "bodies"
    title = (
        "request bodies: an object with `messages`, `contents`, or `model` and `input` or `prompt`, "
        'or {"request": body, "response": …}; one, an array, or one a line'
    )

    def recognises(self, sample: Any) -> bool:
        """Look for a body in the value or in the first items of an array."""
        items = sample[:_SAMPLED_ITEMS] if isinstance(sample, list) else [sample]
        return any(body_of(item) is not None for item in items)

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read files of many bodies one by one, and those of a single body as the calls of one session."""
        single: list[Grouping] = []
        for document in sorted(documents, key=lambda document: natural(document.path.name)):
            with reporting(document.path, report):
                grouping = group(document, report, wanted=_is_call, expected="request body", name_of=session_of)
                if grouping.only is not None:
                    single.append(grouping)
                else:
                    yield from _sessions(grouping)
        if single:
            yield _session_of_files(single)


def _is_call(value: Any) -> bool:
    return body_of(value) is not None


def _sessions(grouping: Grouping) -> Iterator[ImportedSession]:
    """Split a file by the session its values name; without names it is one."""
    path = grouping.document.path
    digest = grouping.document.digest
    for name, entries in grouping.groups():
        yield ImportedSession(
            session=name or path.stem,
            format=Bodies.name,
            source=path.name,
            digest=digest if name is None else digest_of([digest, name]),  # no session passes for another
            calls=lambda entries=entries: map(call_of, entries()),  # type: ignore[misc]
            repairs=tuple(grouping.repairs),
        )


def natural(name: str) -> list[tuple[int, str]]:
    """Key that sorts ``call-10`` after ``call-9``."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", name) if piece]


def _session_of_files(files: Sequence[Grouping]) -> ImportedSession:
    """Make a session of files that hold one body each; a file alone keeps its own name."""
    documents = [file.document for file in files]
    first = documents[0].path
    alone = len(files) == 1
    folder = first.resolve().parent.name
    name = next(iter(files[0].places))
    return ImportedSession(
        session=(name or first.stem) if alone else folder,
        format=Bodies.name,
        source=first.name if alone else folder,
        digest=documents[0].digest if alone else digest_of(document.digest for document in documents),
        calls=lambda: (call_of(entry) for document in documents for entry in document.entries()),
        repairs=tuple(f"{file.document.path.name}: {repair}" for file in files for repair in file.repairs),
        meta={} if alone else {"files": [document.path.name for document in documents]},
    )
