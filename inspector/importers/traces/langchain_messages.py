"""LangChain's messages, in the three forms in which they are stored, as messages of OpenAI's chat API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from inspector.importers.reading.values import as_list, spaced, tool_call
from inspector.importers.traces.langchain_blocks import Block, CallBlock, OpaqueThinking, read_block

_ROLES: Final = {
    "human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "system": "system",
    "developer": "developer", "tool": "tool", "function": "function",
}  # fmt: skip
"""Role by LangChain's type of a message, and by the role of messages that are OpenAI's already."""

_CLASSES: Final = {
    "HumanMessage": "human", "AIMessage": "ai", "SystemMessage": "system", "ToolMessage": "tool",
    "FunctionMessage": "function", "ChatMessage": "chat",
}  # fmt: skip
"""Type by class; the class of a piece of a stream ends in ``Chunk``."""

_ROLE_OVERRIDE: Final = "__openai_role__"
"""Where LangChain keeps that a system message is to be sent as OpenAI's ``developer``."""

_KEPT: Final = ("name", "tool_call_id")
"""Members of LangChain's messages that OpenAI's have too, and that the model or the API reads."""

_REASONING: Final = ("reasoning_content", "reasoning")
"""Where LangChain keeps a model's reasoning that is no block of its content."""


def to_openai_message(value: Any) -> dict[str, Any] | None:
    """Read a message of LangChain as a message of OpenAI's chat API.

    Text, thinking and images stay blocks of the content, in their order; calls of tools that stand in the content
    (Anthropic's ``tool_use``) become ``tool_calls``, once, also where LangChain repeats them there. A block of a
    kind not known here stays as it is. Ids of messages, artifacts and metadata are left out: no model is sent them.

    Args:
        value: A constructor (``{"lc": 1, "type": "constructor", "id": […, "HumanMessage"], "kwargs": {…}}``), an
            object with ``type`` and ``data``, a flat object with ``type`` and ``content``, a pair of role and
            content, or a message that has a ``role`` already.

    Returns:
        The message; None where the value is no message.
    """
    if isinstance(value, list | tuple):
        role, fields = _of_pair(value)
    elif isinstance(value, Mapping):
        role, fields = _of_object(value)
    else:
        return None
    return None if role is None else _message(role, fields)


def to_openai_messages(values: Any) -> list[dict[str, Any]] | None:
    """Read a list of LangChain's messages; None where it is none, or holds anything else."""
    if not isinstance(values, list) or not values:
        return None
    messages = [to_openai_message(value) for value in values]
    return None if None in messages else [message for message in messages if message is not None]


def fields_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the members of a message, out of the envelope it is stored in."""
    inner = next((value[key] for key in ("kwargs", "data", "lc_kwargs") if isinstance(value.get(key), Mapping)), value)
    return inner if isinstance(inner, Mapping) else value


def _of_pair(value: Sequence[Any]) -> tuple[str | None, Mapping[str, Any]]:
    """Read ``["human", "text"]``, the short form in which LangChain takes messages."""
    if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], str | list):
        return _ROLES.get(value[0]), {"content": value[1]}
    return None, {}


def _of_object(value: Mapping[str, Any]) -> tuple[str | None, Mapping[str, Any]]:
    """Find the role of a message and its members."""
    fields = fields_of(value)
    if value.get("type") == "constructor" or "lc" in value:
        kind = _class_of(value)
    elif "role" in fields and "type" not in fields and fields is value:
        return _ROLES.get(str(fields["role"])), fields
    else:
        kind = _kind(value.get("type"))
    if kind == "chat":
        role = fields.get("role")
        return (_ROLES.get(role, role) if isinstance(role, str) else None), fields
    if kind is None or not (fields.keys() & {"content", "tool_calls", "additional_kwargs"}):
        return None, fields
    extra = fields.get("additional_kwargs")
    override = extra.get(_ROLE_OVERRIDE) if isinstance(extra, Mapping) else None
    return (override if isinstance(override, str) else _ROLES.get(kind)), fields


def _class_of(value: Mapping[str, Any]) -> str | None:
    """Give the type of a constructed message; a subclass of a user's own still carries it among its members."""
    path = value.get("id")
    name = str(path[-1]) if isinstance(path, list) and path else ""
    return _CLASSES.get(name.removesuffix("Chunk")) or _kind(fields_of(value).get("type"))


def _kind(kind: Any) -> str | None:
    """Read a type of message, which pieces of streams give by their class."""
    if not isinstance(kind, str):
        return None
    known = _CLASSES.get(kind.removesuffix("Chunk"), kind)
    return known if known in _ROLES or known == "chat" else None


def _message(role: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    read = _Content()
    content = fields.get("content")
    message: dict[str, Any] = {"role": role}
    message["content"] = list(read.blocks(content)) if isinstance(content, list) else content
    message |= {key: fields[key] for key in _KEPT if fields.get(key) is not None}
    extra = fields.get("additional_kwargs")
    extra = extra if isinstance(extra, Mapping) else {}
    calls = list(_calls(fields, extra))
    known = [call.get("id") for call in calls]
    calls += [call for call in read.calls if call["id"] is None or call["id"] not in known]
    if calls:
        message["tool_calls"] = calls
    elif isinstance(extra.get("function_call"), Mapping):
        message["function_call"] = extra["function_call"]
    message |= _reasoning(fields, extra)
    if read.opaque:
        message["thinking_blocks"] = read.opaque
    for key in ("refusal", "audio"):
        if extra.get(key):
            message[key] = extra[key]
    return message


@dataclass
class _Content:
    """What of a message's content does not stay there."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    opaque: list[dict[str, Any]] = field(default_factory=list)

    def blocks(self, content: Sequence[Any]) -> Iterator[Block]:
        for value in content:
            read = read_block(value)
            if isinstance(read, CallBlock):
                self.calls.append(_call(read.id, read.name, read.arguments))
            elif isinstance(read, OpaqueThinking):
                self.opaque.append({"type": "redacted_thinking", "data": read.data})
            elif read is not None:
                yield read


def _calls(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the calls of a message, as LangChain sends them: parsed ones written anew, those it could not parse raw.

    What the provider sent (``additional_kwargs``) only counts where LangChain keeps no calls of its own.
    """
    said = [
        call
        for member in ("tool_calls", "invalid_tool_calls")
        for call in as_list(fields.get(member))
        if isinstance(call, Mapping)
    ]
    for call in said or as_list(extra.get("tool_calls")):
        if not isinstance(call, Mapping):
            continue
        if isinstance(call.get("function"), Mapping):
            yield dict(call)
            continue
        arguments = call.get("args")
        yield _call(call.get("id"), call.get("name"), "" if arguments is None else arguments)


def _call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    return tool_call(call_id, name, arguments if isinstance(arguments, str) else spaced(arguments))


def _reasoning(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Give the reasoning beside the content: a text, or OpenAI's item with its summary."""
    for source in (extra, fields):
        for key in _REASONING:
            said = source.get(key)
            if isinstance(said, str) and said:
                return {"reasoning_content": said}
            if isinstance(said, Mapping):
                pieces = [piece for piece in as_list(said.get("summary")) if isinstance(piece, Mapping)]
                text = "\n".join(str(piece["text"]) for piece in pieces if piece.get("text"))
                return {"reasoning_content": text} if text else {}
    return {}
