"""Turns the events of an OpenCode stream into calls and compactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from inspector.importers.agents.opencode_messages import (
    Message,
    answer_blocks,
    as_anthropic,
    as_chat,
    chat_answer,
    in_context,
)
from inspector.importers.agents.opencode_tools import input_schema
from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedCompaction, ImportedRecord
from inspector.importers.reading.moments import milliseconds, moment

PARAMETERS: Final = "parameters"
"""Missing always: the stream has no sampling parameters."""

TOOL_DETAILS: Final = "tool details"
"""Missing where tools are stored as validators, from which descriptions of arguments are gone."""

WIRE_FORM: Final = "wire form"
"""Missing where the API is neither Anthropic's nor OpenAI's chat: the messages are right, their shape is not."""

_ANTHROPIC: Final = "@ai-sdk/anthropic"
_CHAT: Final = "@ai-sdk/openai-compatible"

_NEVER_SENT: Final = frozenset({"invalid"})
"""Tools that OpenCode defines for itself: ``invalid`` takes calls of tools that are not there."""


@dataclass
class _Step:
    """A request that was made, and the parts of its answer so far."""

    message: Message
    request: dict[str, Any]
    missing: tuple[str, ...]
    api: str
    turn: int | None
    sent: datetime | None
    parts: set[str] = field(default_factory=set)


@dataclass
class _Session:
    """A session of the stream: the main one, or a sub-agent's."""

    lane: str | None
    messages: dict[str, Message] = field(default_factory=dict)
    system: list[str] = field(default_factory=list)
    model: Mapping[str, Any] = field(default_factory=dict)
    step: _Step | None = None
    turn: int = 0
    compacted: set[str] = field(default_factory=set)
    """Summaries that were told of."""


class Stream:
    """Follows a stream, session by session."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}
        self._parents: dict[str, str] = {}
        self._tools: dict[str, Mapping[str, Any]] = {}

    def feed(self, line: Sequence[Any]) -> Iterator[ImportedRecord]:
        """Take the next line."""
        hook, given = line[0], line[1]
        result = line[2] if len(line) > 2 and isinstance(line[2], dict) else {}
        if hook == "tool.definition":
            self._tools[str(given.get("toolID"))] = result
        elif hook == "experimental.chat.system.transform":
            self._prompt(given, result)
        elif hook == "event" and isinstance(given.get("event"), dict):
            properties = given["event"].get("properties")
            if isinstance(properties, dict):
                yield from self._event(str(given["event"].get("type")), properties)

    def finish(self) -> Iterator[ImportedRecord]:
        """Give the calls whose answers never came to an end."""
        for session in self._sessions.values():
            yield from self._end(session, None)

    # -- what a request is made of

    def _session(self, name: str) -> _Session:
        if name not in self._sessions:
            parent = self._parents.get(name)
            self._sessions[name] = _Session(None if parent is None else f"agent-{name[-8:]}")
        return self._sessions[name]

    def _prompt(self, given: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Note the system prompt of the next request, unless it is that of a side call such as the title's."""
        session = self._session(str(given.get("sessionID")))
        model, system = given.get("model"), result.get("system")
        model = model if isinstance(model, dict) else {}
        awaited = next((m for m in reversed(session.messages.values()) if m.role == "assistant"), None)
        if awaited is not None and awaited.info.get("modelID") not in (None, model.get("id")):
            return
        session.system = [text for text in system if isinstance(text, str)] if isinstance(system, list) else []
        session.model = model

    def _event(self, kind: str, properties: Mapping[str, Any]) -> Iterator[ImportedRecord]:
        info, part = properties.get("info"), properties.get("part")
        if kind in ("session.created", "session.updated") and isinstance(info, dict):
            if isinstance(info.get("parentID"), str):
                self._parents[str(info.get("id"))] = info["parentID"]
        elif kind == "message.updated" and isinstance(info, dict):
            yield from self._message(self._session(str(info.get("sessionID"))), info)
        elif kind == "message.removed":
            self._session(str(properties.get("sessionID"))).messages.pop(str(properties.get("messageID")), None)
        elif kind == "message.part.updated" and isinstance(part, dict):
            yield from self._part(self._session(str(part.get("sessionID"))), part, moment(properties.get("time")))
        elif kind == "message.part.removed":
            message = self._session(str(properties.get("sessionID"))).messages.get(str(properties.get("messageID")))
            if message is not None:
                message.parts.pop(str(properties.get("partID")), None)

    def _message(self, session: _Session, info: dict[str, Any]) -> Iterator[ImportedRecord]:
        key = str(info.get("id"))
        known = session.messages.get(key)
        if known is None:
            known = session.messages[key] = Message(info)
            session.turn += known.role == "user"
        before = in_context(session.messages.values()) if known.info.get("finish") != info.get("finish") else []
        known.info = info
        if known.is_summary and info.get("finish") is not None and key not in session.compacted:
            session.compacted.add(key)
            yield from self._end(session, None)
            yield self._compaction(session, [message for message in before if message is not known], info)

    def _part(self, session: _Session, part: Mapping[str, Any], time: datetime | None) -> Iterator[ImportedRecord]:
        message = session.messages.get(str(part.get("messageID")))
        if message is None:
            return
        kind, key = part.get("type"), str(part.get("id"))
        if kind == "step-start" and key not in message.parts:
            yield from self._end(session, None)
            session.step = self._begin(session, message, time)
        message.parts[key] = part
        if session.step is not None and session.step.message is message:
            session.step.parts.add(key)
            if kind == "step-finish":
                yield from self._end(session, time, part)

    def _begin(self, session: _Session, message: Message, time: datetime | None) -> _Step:
        """Put together the request that is answered from now on."""
        api = session.model.get("api")
        package = api.get("npm") if isinstance(api, dict) else None
        anthropic = package == _ANTHROPIC
        context = [m for m in in_context(session.messages.values()) if m is not message or m.parts]
        request: dict[str, Any] = {"model": session.model.get("id") or message.info.get("modelID")}
        messages = as_anthropic(context) if anthropic else as_chat(context)
        tools, whole = _tools(self._tools, anthropic)
        missing = [] if session.system else ["system"]
        if tools:
            request["tools"] = tools
        if anthropic:
            request["system"] = [{"type": "text", "text": text} for text in session.system]
        else:
            messages = [*({"role": "system", "content": text} for text in session.system), *messages]
        request["messages"] = messages
        missing += ["tools"] if not tools else [] if whole else [TOOL_DETAILS]
        missing += [PARAMETERS] if package in (_ANTHROPIC, _CHAT) else [PARAMETERS, WIRE_FORM]
        shape = "anthropic.messages" if anthropic else "openai.chat"
        sent = _time(message.info, "created") or time
        return _Step(message, request, tuple(missing), shape, session.turn or None, sent)

    # -- what comes of it

    def _end(
        self, session: _Session, time: datetime | None, finish: Mapping[str, Any] | None = None
    ) -> Iterator[ImportedCall]:
        step, session.step = session.step, None
        if step is None:
            return
        info = step.message.info
        parts = [part for key, part in step.message.parts.items() if key in step.parts]
        ended = time or _time(info, "completed")
        reason = finish.get("reason") if finish is not None else info.get("finish")
        tokens = finish.get("tokens") if finish is not None else info.get("tokens")
        body: dict[str, Any]
        if step.api == "anthropic.messages":
            stop = {"tool-calls": "tool_use", "stop": "end_turn", "length": "max_tokens"}.get(str(reason), reason)
            body = {"role": "assistant", "content": answer_blocks(parts), "stop_reason": stop}
        else:
            stop = {"tool-calls": "tool_calls"}.get(str(reason), reason)
            answer = chat_answer(parts) or {"role": "assistant", "content": None}
            body = {"choices": [{"message": answer, "finish_reason": stop}]}
        usage = _usage(tokens, step.api)
        error = info.get("error")
        yield ImportedCall(
            request=step.request,
            exact="rebuilt",
            missing=step.missing,
            api=step.api,
            turn=step.turn,
            lane=session.lane,
            purpose="summary" if step.message.is_summary else None,
            time=step.sent,
            answer=ImportedAnswer(
                {**body, "usage": usage} if usage else body,
                time=ended,
                duration_ms=milliseconds(step.sent, ended),
                error=_error(error) if isinstance(error, dict) else None if finish is not None else "broken off",
            ),
        )

    def _compaction(self, session: _Session, before: list[Message], info: Mapping[str, Any]) -> ImportedCompaction:
        anthropic = isinstance(session.model.get("api"), dict) and session.model["api"].get("npm") == _ANTHROPIC
        write = as_anthropic if anthropic else as_chat
        asked = session.messages.get(str(info.get("parentID")))
        parts = [part for part in asked.parts.values() if part.get("type") == "compaction"] if asked else []
        automatic = bool(parts) and parts[0].get("auto") is True
        return ImportedCompaction(
            strategy="summary",
            before=write(message for message in before if not message.asks_compaction),
            after=write(in_context(session.messages.values())),
            policy="compaction",
            reason="auto" if automatic else "manual",
            lane=session.lane,
            turn=session.turn or None,
            time=_time(info, "completed") or _time(info, "created"),
        )


def _tools(defined: Mapping[str, Mapping[str, Any]], anthropic: bool) -> tuple[list[dict[str, Any]], bool]:
    """Write the tools, and say whether their arguments are described as they were sent."""
    tools: list[dict[str, Any]] = []
    whole = True
    for name, tool in defined.items():
        if name in _NEVER_SENT:
            continue
        schema, exact = input_schema(tool.get("parameters"))
        whole = whole and exact
        described = {"name": name, "description": tool.get("description")}
        if anthropic:
            tools.append({**described, "input_schema": schema})
        else:
            tools.append({"type": "function", "function": {**described, "parameters": schema}})
    return tools, whole


def _usage(tokens: Any, api: str) -> dict[str, Any] | None:
    """Write OpenCode's counts, in which ``input`` is what was not cached, as the provider counts."""
    if not isinstance(tokens, dict) or not any(isinstance(tokens.get(key), int) and tokens[key] for key in tokens):
        return None
    cache = tokens.get("cache")
    cache = cache if isinstance(cache, dict) else {}
    read, written = cache.get("read") or 0, cache.get("write") or 0
    fresh, output = tokens.get("input") or 0, tokens.get("output") or 0
    if api == "anthropic.messages":
        counts = {"input_tokens": fresh, "output_tokens": output}
        return {**counts, "cache_read_input_tokens": read, "cache_creation_input_tokens": written}
    return {
        "prompt_tokens": fresh + read + written,
        "completion_tokens": output,
        "prompt_tokens_details": {"cached_tokens": read},
        "completion_tokens_details": {"reasoning_tokens": tokens.get("reasoning") or 0},
    }


def _error(error: Mapping[str, Any]) -> str:
    data = error.get("data")
    message = data.get("message") if isinstance(data, dict) else None
    return f"{error.get('name')}: {message}" if message else str(error.get("name"))


def _time(info: Mapping[str, Any], which: str) -> datetime | None:
    time = info.get("time")
    return moment(time.get(which)) if isinstance(time, dict) else None
