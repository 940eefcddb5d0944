"""Gemini CLI: saved sessions (JSON or JSONL), and the list of contents of a checkpoint or trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.importers.agents.gemini_cli_calls import calls_of_contents, calls_of_session
from inspector.importers.base import ImportedRecord, ImportedSession, Problem, Report, reporting
from inspector.importers.reading.documents import Document
from inspector.importers.reading.records import survey

_HEADER: Final = frozenset({"sessionId", "projectHash"})
"""Members of a session, and of the first line of one that is written line by line."""

_SAID: Final = frozenset({"user", "gemini", "info", "warning", "error"})
"""Types of a session's messages."""


class GeminiCli:
    """One file is one session."""

    name = "gemini-cli"
    title = (
        "Gemini CLI session (`sessionId`, `projectHash` and `messages`, or a line each), "
        "or a list of contents with `role` and `parts`"
    )

    def recognises(self, sample: Any) -> bool:
        """Look for a session, its first line, or contents."""
        if isinstance(sample, dict) and sample.keys() >= _HEADER:
            return True
        return _contents_of(sample) is not None

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each file into a session; of several states of one session only the longest."""
        longest: dict[str, _Seen] = {}
        for document in documents:
            with reporting(document.path, report):
                seen = _look(document, report)
                known = longest.get(seen.session)
                if known is not None:
                    shorter, kept = (seen, known) if seen.size <= known.size else (known, seen)
                    reason = f"an earlier state of session {seen.session}, of which {kept.document.path.name} has more"
                    report(Problem(str(shorter.document.path), reason, lost=False))
                longest[seen.session] = seen if known is None or seen.size > known.size else known
        for seen in longest.values():
            yield ImportedSession(
                session=seen.session,
                format=self.name,
                source=seen.document.path.name,
                digest=seen.document.digest,
                calls=lambda document=seen.document: _calls(document),  # type: ignore[misc]
                agent="Gemini CLI",
                repairs=seen.repairs,
            )


@dataclass(frozen=True)
class _Seen:
    """What is known of a file after it was read once."""

    document: Document
    session: str
    size: int
    """Messages or contents in it."""
    repairs: tuple[str, ...]


def _look(document: Document, report: Report) -> _Seen:
    repairs: list[str] = []
    value = _load(document, report, repairs)
    contents = _contents_of(value)
    name = value.get("sessionId") if isinstance(value, dict) else None
    size = len(value["messages"] if contents is None else contents)
    return _Seen(document, name if isinstance(name, str) else document.path.stem, size, tuple(repairs))


def _calls(document: Document) -> Iterator[ImportedRecord]:
    value = _load(document, lambda _: None, [])
    contents = _contents_of(value)
    return calls_of_session(value["messages"]) if contents is None else calls_of_contents(contents)


def _load(document: Document, report: Report, repairs: list[str]) -> Any:
    """Read a file, whichever of the forms it has."""
    if document.by_lines:
        return _session_of_lines(document, report, repairs)
    if document.is_array:
        return list(_items(document, report, repairs))
    parsed = document.whole()
    repairs += parsed.repairs
    return parsed.value


def _items(document: Document, report: Report, repairs: list[str]) -> Iterator[Any]:
    """Give the contents of a list; of one that breaks off those before."""
    for entry in document.entries():
        if entry.error is not None:
            report(Problem(str(document.path), entry.error))
            continue
        repairs.extend(repair for repair in entry.repairs if repair not in repairs)
        yield entry.value


def _contents_of(value: Any) -> list[Any] | None:
    """Give the contents that a file holds, alone or as ``history``."""
    contents = value.get("history") if isinstance(value, dict) else value
    if not isinstance(contents, list) or not contents:
        return None
    roles = (
        item.get("role") if isinstance(item, dict) and isinstance(item.get("parts"), list) else 0 for item in contents
    )
    return contents if all(role in ("user", "model") for role in roles) else None


def _session_of_lines(document: Document, report: Report, repairs: list[str]) -> dict[str, Any]:
    """Put together a session that is written line by line: a message said again replaces the earlier one."""
    session: dict[str, Any] = {}
    messages: dict[str, Mapping[str, Any]] = {}
    for number, line in survey(document.path, _is_line, "line of a session", report, repairs):
        changed = line.get("$set")
        if isinstance(changed, dict):
            session |= {key: value for key, value in changed.items() if key != "messages"}
            if isinstance(changed.get("messages"), list):
                messages = {str(one.get("id")): one for one in changed["messages"] if isinstance(one, dict)}
        elif "$rewindTo" in line:
            ids = list(messages)
            kept = ids.index(str(line["$rewindTo"])) if str(line["$rewindTo"]) in messages else 0
            messages = {key: messages[key] for key in ids[:kept]}
        elif line.get("type") in _SAID:
            messages[str(line.get("id", number))] = line
        else:
            session |= line
    return {**session, "messages": list(messages.values())}


def _is_line(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return bool(value.keys() & {"$set", "$rewindTo"}) or value.keys() >= _HEADER or value.get("type") in _SAID
