"""OpenAI batch input: JSONL of ``custom_id``, ``method``, ``url`` and ``body``, requests that are independent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.importers.base import ImportedCall, ImportedSession, Report, reporting
from inspector.importers.exchanges.exchange import answer_of, is_body
from inspector.importers.reading.documents import SAMPLED_LINES, Document, digest_of
from inspector.importers.reading.grouping import group
from inspector.importers.reading.line_values import Entry


class OpenAIBatch:
    """Each ``custom_id`` is a session: requests of a batch do not continue one another."""

    name = "openai-batch"
    title = "OpenAI batch input: JSONL of objects with `custom_id`, `url` and `body`"

    def recognises(self, sample: Any) -> bool:
        """Look for a line of a batch, in a file of lines or in an array."""
        return any(map(_is_line, sample[:SAMPLED_LINES] if isinstance(sample, list) else [sample]))

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each line into a session of its own; lines with one ``custom_id`` stay together, in order."""
        for document in documents:
            with reporting(document.path, report):
                yield from _sessions(document, report)


def _sessions(document: Document, report: Report) -> Iterator[ImportedSession]:
    grouping = group(document, report, wanted=_is_line, expected="batch request", name_of=_name)
    digest = document.digest
    for name, entries in grouping.groups():
        yield ImportedSession(
            session=name or document.path.stem,
            format=OpenAIBatch.name,
            source=document.path.name,
            digest=digest_of([digest, name or ""]),
            calls=lambda entries=entries: map(_call, entries()),  # type: ignore[misc]
            repairs=tuple(grouping.repairs),
        )


def _name(value: dict[str, Any]) -> str:
    return str(value["custom_id"])


def _call(entry: Entry) -> ImportedCall:
    value = entry.value
    return ImportedCall(request=value["body"], endpoint=str(value["url"]), answer=answer_of(value))


def _is_line(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "custom_id" in value
        and isinstance(value.get("url"), str)
        and is_body(value.get("body"))
    )
