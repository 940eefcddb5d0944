"""Turns the lines of a Codex rollout into requests of the Responses API and their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedCompaction, ImportedRecord
from inspector.importers.reading.moments import milliseconds, moment

Item = dict[str, Any]

MISSING: Final = ("tools", "parameters")
"""What no rollout holds."""

SYSTEM: Final = "system"
"""Missing in rollouts without ``base_instructions`` (before Codex wrote them down)."""

EARLIER: Final = "earlier messages"
"""Missing after a compaction that is stored as its summary only: what Codex kept beside it is not said; and where the
beginning of a rollout is lost."""

_NOT_SENT: Final = frozenset({"ghost_snapshot"})
"""Items that Codex keeps for itself."""

_OWN: Final = frozenset({"internal_chat_message_metadata_passthrough"})
"""Members of items that Codex keeps for itself."""


def is_output(item: Mapping[str, Any]) -> bool:
    """Say whether an item is the model's: a message of the assistant, its reasoning, a call of a tool."""
    kind = str(item.get("type"))
    if kind == "message":
        return item.get("role") == "assistant"
    return kind == "reasoning" or kind.endswith("_call")


def last_usage(event: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Give the tokens of the last answer; ``total_token_usage`` is the sum of all and no size of anything."""
    info = event.get("info") if event.get("type") == "token_count" else None
    usage = info.get("last_token_usage") if isinstance(info, dict) else None
    return usage if isinstance(usage, dict) else None


@dataclass
class _Pending:
    """A request whose answer is still being read."""

    request: dict[str, Any]
    missing: tuple[str, ...]
    turn: int | None
    sent: datetime | None
    ended: datetime | None = None
    output: list[Item] = field(default_factory=list)
    usage: Mapping[str, Any] | None = None
    error: str | None = None
    input_since: bool = False
    """Something for the next request came after the answer began."""
    turn_over: bool = False
    """The next output answers another request for certain."""


class Rollout:
    """The context of a session as its rollout is read."""

    def __init__(self, meta: Mapping[str, Any], *, counted: bool) -> None:
        """Begin with what the session's own ``session_meta`` says.

        Args:
            meta: Its payload.
            counted: The rollout reports the tokens of each answer.
        """
        base = meta.get("base_instructions")
        text = base.get("text") if isinstance(base, dict) else base
        self._instructions = text if isinstance(text, str) else None
        self._forked_at = moment(meta.get("timestamp")) if meta.get("forked_from_id") else None
        self._counted = counted
        self._items: list[Item] = []
        self._settings: dict[str, Any] = {}
        self._pending: _Pending | None = None
        self._turn = 0
        self._last_input: datetime | None = None
        self._total: Any = None
        self._tokens: int | None = None
        self._lacks_kept = not meta

    def feed(self, line: Mapping[str, Any]) -> Iterator[ImportedRecord]:
        """Take the next line."""
        kind, payload, time = line["type"], line["payload"], moment(line.get("timestamp"))
        if kind == "response_item":
            yield from self._item(payload, time)
        elif kind == "compacted":
            yield from self._compact(payload, time)
        elif kind == "turn_context":
            self._settings = _settings(payload)
            self._turn_over()
        elif kind == "event_msg":
            self._event(payload)

    def finish(self) -> Iterator[ImportedRecord]:
        """Give the call that is still being put together when the rollout ends."""
        pending, self._pending = self._pending, None
        if pending is not None:
            yield _call(pending)

    def _item(self, payload: Mapping[str, Any], time: datetime | None) -> Iterator[ImportedRecord]:
        if payload.get("type") in _NOT_SENT:
            return
        item = {key: value for key, value in payload.items() if key not in _OWN}
        if not is_output(payload):
            self._last_input = time or self._last_input
            if self._pending is not None:
                self._pending.input_since = True
                self._pending.turn_over |= item.get("type") == "message"
        elif self._forked_at is None or time is None or time >= self._forked_at:
            if self._begins_anew():
                yield from self.finish()
                self._pending = self._request(time)
            if self._pending is not None:
                self._pending.output.append(item)
                self._pending.ended = time or self._pending.ended
        self._items.append(item)

    def _begins_anew(self) -> bool:
        """Say whether an output is the first of another answer.

        Tools may run, and their results be written, while an answer is still coming: where the rollout
        reports tokens, an answer is over when its tokens have been reported.
        """
        pending = self._pending
        if pending is None or pending.turn_over:
            return True
        return pending.input_since and (pending.usage is not None or not self._counted)

    def _request(self, time: datetime | None) -> _Pending:
        request = dict(self._settings)
        if self._instructions is not None:
            request["instructions"] = self._instructions
        request["input"] = list(self._items)
        missing = [] if self._instructions is not None else [SYSTEM]
        missing += [*MISSING, *([EARLIER] if self._lacks_kept else [])]
        return _Pending(request, tuple(missing), self._turn or None, self._last_input or time, time)

    def _event(self, event: Mapping[str, Any]) -> None:
        kind = event.get("type")
        if kind == "user_message":
            self._turn += 1
            self._turn_over()
        elif kind in ("task_started", "turn_aborted") and self._pending is not None:
            if kind == "turn_aborted":
                self._pending.error = f"turn aborted: {event.get('reason')}"
            self._turn_over()
        usage = last_usage(event)
        total = event["info"].get("total_token_usage") if usage is not None else None
        if usage is None or total == self._total:  # said again after a resume
            return
        self._total = total
        size = usage.get("total_tokens")
        self._tokens = size if isinstance(size, int) else self._tokens
        if self._pending is not None and self._pending.usage is None:
            self._pending.usage = usage

    def _turn_over(self) -> None:
        if self._pending is not None:
            self._pending.turn_over = True

    def _compact(self, payload: Mapping[str, Any], time: datetime | None) -> Iterator[ImportedRecord]:
        """Begin anew with the history that replaces what was there."""
        yield from self.finish()
        before = self._items
        history = payload.get("replacement_history")
        self._lacks_kept = not isinstance(history, list)
        if isinstance(history, list):
            self._items = [
                {k: v for k, v in item.items() if k not in _OWN} for item in history if isinstance(item, dict)
            ]
        else:
            self._items = [*_users(before), _summary(payload.get("message"))]
        number = payload.get("window_number")
        yield ImportedCompaction(
            strategy="summary",
            before=before,
            after=list(self._items),
            policy="compacted",
            reason=None if number is None else f"context window {number} begins",
            turn=self._turn or None,
            time=time,
            tokens_before=self._tokens,
        )


def _call(pending: _Pending) -> ImportedCall:
    sent, ended = pending.sent, pending.ended
    body = {"output": pending.output, "usage": _usage(pending.usage)}
    return ImportedCall(
        request=pending.request,
        exact="rebuilt",
        missing=pending.missing,
        api="openai.responses",
        turn=pending.turn,
        time=sent,
        answer=ImportedAnswer(
            body,
            time=ended,
            duration_ms=milliseconds(sent, ended),
            error=pending.error,
        ),
    )


def _usage(usage: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Word Codex's counts as the API does."""
    if usage is None:
        return None
    return {
        "input_tokens": usage.get("input_tokens"),
        "input_tokens_details": {"cached_tokens": usage.get("cached_input_tokens")},
        "output_tokens": usage.get("output_tokens"),
        "output_tokens_details": {"reasoning_tokens": usage.get("reasoning_output_tokens")},
        "total_tokens": usage.get("total_tokens"),
    }


def _settings(context: Mapping[str, Any]) -> dict[str, Any]:
    """Take from a ``turn_context`` what stands in requests."""
    found: dict[str, Any] = {}
    if isinstance(context.get("model"), str):
        found["model"] = context["model"]
    reasoning = {name: context[name] for name in ("effort", "summary") if isinstance(context.get(name), str)}
    return {**found, "reasoning": reasoning} if reasoning else found


def _users(items: list[Item]) -> list[Item]:
    """Give the messages of the user, which Codex keeps through a compaction."""
    return [item for item in items if item.get("type") == "message" and item.get("role") == "user"]


def _summary(text: Any) -> Item:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": str(text or "")}]}
