"""pi sessions: JSONL of entries, in a line (older) or a tree (newer), with compactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from inspector.importers.agents.pi_messages import (
    ANTHROPIC,
    BRANCH_SUMMARY,
    SUMMARY,
    Message,
    answer_body,
    as_sent,
    joined_results,
    summary_message,
)
from inspector.importers.base import (
    ImportedAnswer,
    ImportedCall,
    ImportedCompaction,
    ImportedRecord,
    ImportedSession,
    Report,
    reporting,
)
from inspector.importers.reading.documents import Document
from inspector.importers.reading.moments import milliseconds, moment
from inspector.importers.reading.records import read_values, survey

MISSING: Final = ("system", "tools", "parameters")
"""What no session of pi holds."""

EARLIER: Final = "earlier messages"
"""Missing where the beginning of a session is lost, until that is compacted."""

WIRE_FORM: Final = "wire form"
"""Missing where the API is neither Anthropic's nor OpenAI's chat: the messages are right, their shape is not."""

_TYPES: Final = frozenset(
    {
        "session", "message", "compaction", "branch_summary", "model_change", "thinking_level_change", "custom",
        "custom_message", "label", "session_info",
    }
)  # fmt: skip

_ROLES: Final = frozenset({"user", "assistant", "toolResult"})
"""Whose messages an entry holds; no other log has messages of the type ``message`` inside entries with a time."""

_USED: Final = frozenset({"type", "message", "summary", "content", "firstKeptEntryIndex", "firstKeptEntryId"})
"""Members of an entry that say what is in the context; a session keeps no more of it, its branches may be needed."""

_SENT: Final = frozenset(
    {
        "role", "content", "stopReason", "toolCallId", "isError", "command", "output", "cancelled", "exitCode",
        "excludeFromContext",
    }
)  # fmt: skip
"""Members of a message that decide what is sent of it; a tool's ``details`` can be as long as its output."""


def is_entry(value: Any) -> bool:
    """Say whether an object is an entry of a session, and not a part of one."""
    return isinstance(value, dict) and value.get("type") in _TYPES and ("timestamp" in value or "id" in value)


class Pi:
    """One file is one session."""

    name = "pi"
    title = 'pi session: JSONL that begins with an object with `type` "session", `id` and `cwd`'

    def recognises(self, sample: Any) -> bool:
        """Look for the header, or for a message where the header is lost."""
        if not isinstance(sample, dict):
            return False
        if sample.get("type") == "session":
            return {"id", "cwd"} <= sample.keys()
        message = sample.get("message")
        said = isinstance(message, dict) and message.get("role") in _ROLES and "content" in message
        return said and sample.get("type") == "message" and "timestamp" in sample

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each file into a session."""
        for document in documents:
            header: Mapping[str, Any] = {}
            repairs: list[str] = []
            with reporting(document.path, report):
                for _, entry in survey(document.path, is_entry, "entry of a session", report, repairs):
                    if entry["type"] == "session" and not header:
                        header = entry
                yield ImportedSession(
                    session=str(header.get("id") or document.path.stem),
                    format=self.name,
                    source=document.path.name,
                    digest=document.digest,
                    logs=(document,),
                    calls=lambda document=document: _Session().read(document),  # type: ignore[misc]
                    agent="pi",
                    repairs=tuple(repairs),
                    one_lane=True,
                )


@dataclass(frozen=True)
class _Entry:
    """An entry on the way from the root to the last one."""

    key: str
    """Its id; in sessions without ids its place in the file."""
    value: Mapping[str, Any]


def _used(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is needed of an entry to put the context together."""
    used = {name: entry[name] for name in _USED if name in entry}
    message = entry.get("message")
    if isinstance(message, dict):
        used["message"] = {name: message[name] for name in _SENT if name in message}
    return used


class _Session:
    """Follows the entries of a session and keeps the path that its next request would send."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[_Entry, str | None]] = {}
        self._path: list[_Entry] = []
        self._api = ANTHROPIC
        self._messages: list[Message] = []
        self._turn = 0
        self._branched_at: datetime | None = None
        self._lacks_start = False

    def read(self, document: Document) -> Iterator[ImportedRecord]:
        """Give the calls and compactions of a file."""
        for place, (_, value) in enumerate(read_values(document.path, is_entry)):
            self._lacks_start |= place == 0 and value["type"] != "session"
            if value["type"] == "session":
                branched = value.get("branchedFrom") or value.get("parentSession")
                self._branched_at = moment(value.get("timestamp")) if branched else self._branched_at
            entry = _Entry(str(value.get("id") or place) if value["type"] != "session" else "root", _used(value))
            parent = value.get("parentId")
            if entry.key in self._entries:
                continue
            self._go_to(parent if isinstance(parent, str) else None)
            message = value.get("message")
            if value["type"] == "message" and isinstance(message, dict):
                if message.get("role") == "assistant":
                    yield from self._call(value, message)
                self._turn += message.get("role") == "user"
            before = self._messages
            self._entries[entry.key] = entry, parent if parent is not None else self._tip()
            self._path.append(entry)
            if value["type"] == "compaction":
                self._lacks_start = False
                self._messages = self._rebuilt()
                yield self._compaction(value, before)
            else:
                self._messages = self._with(before, entry)

    def _tip(self) -> str | None:
        return self._path[-1].key if self._path else None

    def _go_to(self, parent: str | None) -> None:
        """Go back to another branch, where an entry does not follow the last one."""
        if parent is None or parent == self._tip() or parent not in self._entries:
            return
        path: list[_Entry] = []
        following: str | None = parent
        while following is not None and following in self._entries and len(path) <= len(self._entries):
            entry, following = self._entries[following]
            path.append(entry)
        self._path = path[::-1]
        self._messages = self._rebuilt()

    def _call(self, entry: Mapping[str, Any], message: Mapping[str, Any]) -> Iterator[ImportedCall]:
        """Make a call of an answer, unless it was copied from the session this one branched from."""
        ended = moment(entry.get("timestamp"))
        if self._branched_at is not None and ended is not None and ended < self._branched_at:
            return
        api = str(message.get("api") or ANTHROPIC)
        if api != self._api:
            self._api = api
            self._messages = self._rebuilt()
        sent = moment(message.get("timestamp")) or ended
        missing = MISSING if api in (ANTHROPIC, "openai-completions") else (*MISSING, WIRE_FORM)
        missing = (*missing, EARLIER) if self._lacks_start else missing
        failed = message.get("stopReason") in ("aborted", "error")
        model = message.get("model")
        yield ImportedCall(
            request={**({"model": model} if isinstance(model, str) else {}), "messages": list(self._messages)},
            exact="rebuilt",
            missing=missing,
            api="anthropic.messages" if api == ANTHROPIC else "openai.chat",
            turn=self._turn or None,
            time=sent,
            answer=ImportedAnswer(
                answer_body(message, api),
                time=ended,
                duration_ms=milliseconds(sent, ended),
                error=str(message.get("errorMessage") or message["stopReason"]) if failed else None,
            ),
        )

    def _compaction(self, value: Mapping[str, Any], before: list[Message]) -> ImportedCompaction:
        tokens = value.get("tokensBefore")
        return ImportedCompaction(
            strategy="summary",
            before=before,
            after=list(self._messages),
            policy="compaction",
            turn=self._turn or None,
            time=moment(value.get("timestamp")),
            tokens_before=tokens if isinstance(tokens, int) else None,
        )

    def _rebuilt(self) -> list[Message]:
        """Put the messages of the path together: from the last compaction on, and what it keeps."""
        last = next((i for i in range(len(self._path) - 1, -1, -1) if self._path[i].value["type"] == "compaction"), -1)
        messages: list[Message] = []
        if last >= 0:
            compaction = self._path[last].value
            messages.append(summary_message(str(compaction.get("summary")), SUMMARY))
            kept = self._kept_from(compaction, last)
            for entry in self._path[kept:last]:
                messages = self._with(messages, entry)
        for entry in self._path[last + 1 :]:
            messages = self._with(messages, entry)
        return messages

    def _kept_from(self, compaction: Mapping[str, Any], last: int) -> int:
        """Find the first entry of the path that a compaction keeps; its own place where it keeps none."""
        index, key = compaction.get("firstKeptEntryIndex"), compaction.get("firstKeptEntryId")
        if isinstance(index, int):  # of the file, which is a line then
            return min(index, last)
        return next((i for i, entry in enumerate(self._path[:last]) if entry.key == key), last)

    def _with(self, messages: list[Message], entry: _Entry) -> list[Message]:
        """Add what an entry puts into the context; the list that was there may still be a request's."""
        value = entry.value
        found: Message | None = None
        if value["type"] == "message" and isinstance(value.get("message"), dict):
            found = as_sent(value["message"], self._api)
        elif value["type"] == "custom_message":
            found = as_sent({"role": "custom", "content": value.get("content")}, self._api)
        elif value["type"] == "branch_summary":
            found = summary_message(str(value.get("summary")), BRANCH_SUMMARY)
        if found is None:
            return messages
        together = joined_results(messages[-1], found) if messages and self._api == ANTHROPIC else None
        return [*messages, found] if together is None else [*messages[:-1], together]
