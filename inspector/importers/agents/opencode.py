"""OpenCode event streams: JSONL of arrays, one an event or a hook, of a session and its sub-agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.importers.agents.opencode_calls import Stream
from inspector.importers.base import ImportedRecord, ImportedSession, Report, reporting
from inspector.importers.reading.documents import Document
from inspector.importers.reading.records import read_values, survey

_HOOKS: Final = ("event", "chat.", "experimental.", "tool.", "command.", "permission.", "shell.", "config", "auth")
"""How the names of events and hooks begin that a plugin is told of."""


def is_line(value: Any) -> bool:
    """Say whether an array is a line of a stream: a name, what came in, and maybe what went out."""
    if not isinstance(value, list) or len(value) < 2 or not isinstance(value[0], str):
        return False
    return value[0].startswith(_HOOKS) and isinstance(value[1], dict)


class OpenCode:
    """One stream is one session; the sessions of sub-agents in it are lanes."""

    name = "opencode"
    title = 'OpenCode event stream: JSONL of arrays such as ["event", {"event": {"type": …, "properties": …}}]'

    def recognises(self, sample: Any) -> bool:
        """Look for a line of a stream that is OpenCode's: an event, or a hook that names a session."""
        if not is_line(sample):
            return False
        event = sample[1].get("event")
        return (isinstance(event, dict) and "properties" in event) or "sessionID" in sample[1] or "toolID" in sample[1]

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each stream into a session."""
        for document in documents:
            repairs: list[str] = []
            parents: dict[str, str | None] = {}
            version = window = None
            with reporting(document.path, report):
                for _, line in survey(document.path, is_line, "line of an event stream", report, repairs):
                    info = session_info(line)
                    if info is not None:
                        parents.setdefault(str(info["id"]), info.get("parentID"))
                        version = info.get("version") or version
                    elif line[0] == "experimental.chat.system.transform":
                        window = _window(line[1]) or window
                        parents.setdefault(str(line[1].get("sessionID")), None)
                yield ImportedSession(
                    session=next((name for name, parent in parents.items() if parent is None), document.path.stem),
                    format=self.name,
                    source=document.path.name,
                    digest=document.digest,
                    logs=(document,),
                    calls=lambda document=document: _records(document),  # type: ignore[misc]
                    agent="OpenCode",
                    window=window,
                    repairs=tuple(repairs),
                    meta={"version": version} if version else {},
                )


def session_info(line: Sequence[Any]) -> Mapping[str, Any] | None:
    """Give what an event says of a session, if it does."""
    event = line[1].get("event") if line[0] == "event" else None
    if not isinstance(event, dict) or event.get("type") not in ("session.created", "session.updated"):
        return None
    properties = event.get("properties")
    info = properties.get("info") if isinstance(properties, dict) else None
    return info if isinstance(info, dict) and "id" in info else None


def _window(hook: Mapping[str, Any]) -> int | None:
    """Give the window of the model a prompt is for; the last is the main model's, the first may write the title."""
    model = hook.get("model")
    limit = model.get("limit") if isinstance(model, dict) else None
    context = limit.get("context") if isinstance(limit, dict) else None
    return context if isinstance(context, int) and context > 0 else None


def _records(document: Document) -> Iterator[ImportedRecord]:
    stream = Stream()
    for _, line in read_values(document.path, is_line):
        yield from stream.feed(line)
    yield from stream.finish()
