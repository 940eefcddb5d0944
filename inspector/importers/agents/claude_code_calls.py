"""Turns the records of a Claude Code transcript into calls and compactions, lane by lane."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from inspector.importers.agents.claude_code_context import Context, Node, blocks
from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedCompaction, ImportedRecord
from inspector.importers.reading.moments import milliseconds, moment
from inspector.importers.reading.values import as_object, as_text

API: Final = "anthropic.messages"

MISSING: Final = ("system", "tools", "parameters")
"""What no transcript holds."""

EARLIER: Final = "earlier messages"
"""Missing where a transcript begins in the middle of a conversation, until that is compacted."""

ATTACHMENTS: Final = "attachments"
"""Missing where Claude Code noted an attachment (reminders, files, plans) and not the text it sent for it."""

SYNTHETIC: Final = "<synthetic>"
"""Model of messages that Claude Code makes itself: no request led to them."""

_NO_PROMPT: Final = ("<command-", "<local-command-", "<bash-", "[Request interrupted", "Caveat: The messages below")
"""How messages of the user begin that no user typed as a prompt."""


@dataclass
class _Pending:
    """A request whose answer is still being read."""

    answer: str
    model: str | None
    messages: list[dict[str, Any]]
    missing: tuple[str, ...]
    turn: int | None
    sent: datetime | None
    ended: datetime | None
    content: list[Any] = field(default_factory=list)
    usage: Mapping[str, Any] | None = None
    stop_reason: str | None = None


@dataclass
class _Compacting:
    """A compaction whose summary is still to come."""

    record: Mapping[str, Any]
    before: list[dict[str, Any]]
    preserved: list[Node]


class Lane:
    """One line of thought: the conversation itself, or a sub-agent."""

    def __init__(self, name: str | None, purpose: str | None = None) -> None:
        """Begin empty.

        Args:
            name: Its name; None: the main one.
            purpose: What a sub-agent was asked to do.
        """
        self._name = name
        self._purpose = purpose
        self._context = Context()
        self._aliases: dict[str, str | None] = {}
        """The node that stands for a record: itself, or for records that are not sent the one before."""
        self._answered: set[str] = set()
        self._pending: _Pending | None = None
        self._compaction: _Compacting | None = None
        self._last_time: datetime | None = None
        self._turn: int | None = None
        self._lacks_start = False
        self._attachments = False

    def feed(self, record: Mapping[str, Any], *, history: bool = False) -> Iterator[ImportedRecord]:
        """Take the next record of the lane.

        Args:
            record: As it stands in the transcript.
            history: It was replayed from another session: part of the context, no call of this one.
        """
        uuid, kind = record.get("uuid"), record.get("type")
        if not isinstance(uuid, str) or uuid in self._aliases:
            return  # no place in the tree, or a replay of what is there already
        parent = self._parent_of(record)
        if kind == "system" and record.get("subtype") == "compact_boundary":
            yield from self._compact(uuid, record)
        elif kind == "system" and record.get("subtype") == "microcompact_boundary":
            self._aliases[uuid] = parent
            yield from self._microcompact(record)
        elif kind in ("user", "assistant") and self._is_sent(record):
            yield from self._message(uuid, parent, record, history)
        else:
            self._attachments |= kind == "attachment"
            self._aliases[uuid] = parent

    def finish(self) -> Iterator[ImportedRecord]:
        """Give what is still being put together when the transcript ends."""
        yield from self._emit()
        yield from self._emit_compaction()

    @property
    def turn(self) -> int | None:
        """Number of the last prompt of the user."""
        return self._turn

    # -- messages

    def _message(
        self, uuid: str, parent: str | None, record: Mapping[str, Any], history: bool
    ) -> Iterator[ImportedRecord]:
        message, content = record["message"], record["message"].get("content")
        time = moment(record.get("timestamp"))
        if record["type"] == "assistant":
            answer = str(message.get("id") or uuid)
            if answer not in self._answered:
                yield from self._emit()
                yield from self._emit_compaction()
                self._answered.add(answer)
                if not history and message.get("model") != SYNTHETIC:
                    if parent is not None:
                        self._context.go_to(parent)
                    self._begin(answer, message, time)
            self._take_block(answer, message, time)
            self._place(uuid, parent, "assistant", content, answer)
            return
        summary = record.get("isCompactSummary") is True
        if not summary:
            yield from self._emit_compaction()
            if _is_prompt(record, content):
                self._turn = (self._turn or 0) + 1
        self._place(uuid, parent, "user", content)
        if summary and self._compaction is not None:
            if self._compaction.preserved:
                self._context.preserve(self._compaction.preserved)
                self._aliases[uuid] = self._compaction.preserved[-1].uuid
            yield from self._emit_compaction()
        self._last_time = time or self._last_time

    def _place(self, uuid: str, parent: str | None, role: str | None, content: Any, answer: str | None = None) -> None:
        self._aliases[uuid] = uuid
        self._context.add(uuid, parent, role, content, answer)

    def _parent_of(self, record: Mapping[str, Any]) -> str | None:
        """Find the node a record follows; a parent that is not in the transcript is taken to be the last node."""
        parent = record.get("parentUuid")
        if parent is None:
            return None
        if parent in self._aliases:
            return self._aliases[parent]
        if not self._aliases:
            self._lacks_start = True
        return self._context.tip

    def _is_sent(self, record: Mapping[str, Any]) -> bool:
        """Say whether a record is part of the prompt: Claude Code's own reports of errors are not."""
        message = record.get("message")
        return isinstance(message, dict) and "content" in message and record.get("isApiErrorMessage") is not True

    # -- calls

    def _begin(self, answer: str, message: Mapping[str, Any], time: datetime | None) -> None:
        model = message.get("model")
        self._pending = _Pending(
            answer=answer,
            model=model if isinstance(model, str) else None,
            messages=list(self._context.messages),
            missing=(*MISSING, *self._also_missing()),
            turn=self._turn,
            sent=self._last_time or time,
            ended=time,
        )

    def _also_missing(self) -> Iterable[str]:
        if self._lacks_start:
            yield EARLIER
        if self._attachments:
            yield ATTACHMENTS

    def _take_block(self, answer: str, message: Mapping[str, Any], time: datetime | None) -> None:
        """Add a block to the answer; the last record's usage holds, earlier ones are counted while it streams."""
        pending = self._pending
        if pending is None or pending.answer != answer:
            return
        content = message.get("content")
        pending.content += content if isinstance(content, list) else [{"type": "text", "text": content}]
        pending.ended = time or pending.ended
        if isinstance(message.get("usage"), dict):
            pending.usage = message["usage"]
        if isinstance(message.get("stop_reason"), str):
            pending.stop_reason = message["stop_reason"]

    def _emit(self) -> Iterator[ImportedCall]:
        pending, self._pending = self._pending, None
        if pending is None:
            return
        request: dict[str, Any] = {} if pending.model is None else {"model": pending.model}
        request["messages"] = pending.messages
        body = {
            "id": pending.answer,
            "type": "message",
            "role": "assistant",
            "content": pending.content,
            "stop_reason": pending.stop_reason,
            "usage": pending.usage,
        }
        yield ImportedCall(
            request=request,
            exact="rebuilt",
            missing=pending.missing,
            api=API,
            turn=pending.turn,
            lane=self._name,
            purpose=self._purpose,
            time=pending.sent,
            answer=ImportedAnswer(body, time=pending.ended, duration_ms=milliseconds(pending.sent, pending.ended)),
        )

    # -- compactions

    def _compact(self, uuid: str, record: Mapping[str, Any]) -> Iterator[ImportedRecord]:
        """A new context begins; what it begins with is known when its summary has been read."""
        yield from self._emit()
        yield from self._emit_compaction()
        before = self._context.messages
        kept = as_object(as_object(record.get("compactMetadata")).get("preservedSegment"))
        preserved = self._context.between(str(kept.get("headUuid")), str(kept.get("tailUuid")))
        self._lacks_start = self._attachments = False
        self._place(uuid, None, None, None)
        self._compaction = _Compacting(record, before, preserved)

    def _emit_compaction(self) -> Iterator[ImportedCompaction]:
        """Give the compaction that was begun, with what the context holds now as its outcome."""
        if self._compaction is None:
            return
        compacting, self._compaction = self._compaction, None
        self._context.seal()
        metadata = as_object(compacting.record.get("compactMetadata"))
        yield ImportedCompaction(
            strategy="summary",
            before=compacting.before,
            after=list(self._context.messages),
            policy="compact",
            reason=as_text(metadata.get("trigger")),
            lane=self._name,
            turn=self._turn,
            time=moment(compacting.record.get("timestamp")),
            tokens_before=_count(metadata.get("preTokens")),
            tokens_after=_count(metadata.get("postTokens")),
            duration_ms=_count(metadata.get("durationMs")),
        )

    def _microcompact(self, record: Mapping[str, Any]) -> Iterator[ImportedRecord]:
        """Old tool results leave later requests; in the transcript they stay as they were."""
        yield from self._emit()
        before = list(self._context.messages)
        metadata = as_object(record.get("microcompactMetadata"))
        ids = [tool for tool in metadata.get("compactedToolIds") or () if isinstance(tool, str)]
        self._context.clear(ids)
        self._context.seal()
        yield ImportedCompaction(
            strategy="edit",
            before=before,
            after=list(self._context.messages),
            policy="microcompact",
            reason=_microcompact_reason(metadata, len(ids)),
            lane=self._name,
            turn=self._turn,
            time=moment(record.get("timestamp")),
        )


def _microcompact_reason(metadata: Mapping[str, Any], results: int) -> str:
    """Word what Claude Code notes; its ``preTokens`` counts compactable tool output and is no context size."""
    reason = f"{as_text(metadata.get('trigger')) or 'unknown trigger'}: {results} tool result(s) cleared"
    saved, of = _count(metadata.get("tokensSaved")), _count(metadata.get("preTokens"))
    return reason if saved is None else f"{reason}, {saved:,} tokens saved of {of or 0:,} that tool output took"


def _is_prompt(record: Mapping[str, Any], content: Any) -> bool:
    """Say whether a message of the user is one that the user wrote."""
    if record.get("isMeta") is True:
        return False
    if any(block.get("type") == "tool_result" for block in blocks(content)):
        return False
    texts = [content] if isinstance(content, str) else [str(block.get("text", "")) for block in blocks(content)]
    return not all(text.lstrip().startswith(_NO_PROMPT) for text in texts)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
