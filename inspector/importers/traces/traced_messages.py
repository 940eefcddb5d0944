"""Messages as frameworks hand them to tracing tools, told apart one by one, as messages of OpenAI's chat API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from inspector.importers.reading.values import compact, tool_call
from inspector.importers.traces.langchain_messages import to_openai_message
from inspector.importers.traces.traced_values import structure
from snapshot_sdk.adapters.genai_spans import chat_messages

CHAT: Final = "openai.chat"
RESPONSES: Final = "openai.responses"
ANTHROPIC: Final = "anthropic.messages"
GEMINI: Final = "gemini.generate_content"

_ITEMS: Final = frozenset({"message", "reasoning", "item_reference", "compaction", "function_call", "custom_tool_call"})
_ITEM_ENDS: Final = ("_call", "_call_output", "_output")
_BLOCKS: Final = frozenset({"tool_use", "tool_result"})
"""Blocks that only Anthropic's API has."""

_PARTS: Final = frozenset({"tool-call", "tool-result", "tool_call_response", "uri", "blob", "thinking_content"})
"""Types of parts that no provider's API has: OpenTelemetry's and those of Vercel's AI SDK."""

_RENAMED: Final = {"model": "assistant", "human": "user", "ai": "assistant", "reasoning": "assistant"}
_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function", *_RENAMED})
_TRACE_KEYS: Final = ("gen_ai.", "event.name")
"""Begins of members that an exporter has put beside a message's own."""

_TOOL_KEYS: Final = ("parameters", "input_schema", "inputSchema", "function")


@dataclass
class Conversation:
    """What a list of messages turned out to be."""

    api: str
    """Dialect of the messages."""
    messages: list[Any] = field(default_factory=list)
    """In that dialect."""
    tools: list[dict[str, Any]] = field(default_factory=list)
    """Definitions of tools that stood among the messages."""
    system: str | list[Any] | None = None
    """Instructions that the dialect keeps beside the messages (Anthropic)."""
    converted: bool = False
    """The messages had another form than the one they were sent in: another than the dialect's own."""


def read_conversation(values: Sequence[Any]) -> Conversation | None:
    """Read a list of messages in whichever form; None where it holds nothing that is a message.

    Known are OpenAI's chat messages, items of OpenAI's Responses, Gemini's contents, Anthropic's messages, LangChain's
    in all their forms, those of OpenTelemetry (with ``parts``, and the older events), of OpenInference and of Vercel's
    AI SDK. A tool's definition among the messages, where LangChain's exporter puts it, becomes one of the tools.

    Args:
        values: The list; a list in it, as of a batch of one, is read in its place.
    """
    while len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    if not values:
        return None
    if _are_items(values):
        return Conversation(RESPONSES, list(values))
    if _are_contents(values):
        return Conversation(GEMINI, list(values))
    found = Conversation(CHAT)
    known = 0
    for value in values:
        definition = _definition(value)
        if definition is not None:
            found.tools.append(definition)
            found.converted = True
            continue
        messages = list(_messages(value, found))
        known += bool(messages)
        found.messages += messages or [value]
    if not known:
        return None
    return as_anthropic(found) if _has_blocks(found.messages) else found


def read_message(value: Any) -> list[dict[str, Any]]:
    """Read one message in whichever form; none where it is none, several where it holds results of several tools."""
    return list(_messages(value, Conversation(CHAT)))


def _messages(value: Any, found: Conversation) -> Iterator[dict[str, Any]]:
    if isinstance(value, str):
        found.converted = True
        yield {"role": "user", "content": value}
        return
    if isinstance(value, list):
        pair = to_openai_message(value)
        found.converted = True
        if pair is not None:
            yield pair
        return
    if not isinstance(value, dict):
        return
    if isinstance(value.get("message"), dict) and "role" not in value:  # a choice, or OpenInference
        found.converted = True
        yield from _messages(value["message"], found)
    elif _is_langchain(value):
        message = to_openai_message(value)
        if message is not None:
            found.converted = True
            yield message
    elif str(value.get("role")) in _ROLES:
        yield from _chat(value, found)


def _chat(value: Mapping[str, Any], found: Conversation) -> Iterator[dict[str, Any]]:
    """Read a message with a role: OpenAI's as it is, other forms as OpenAI's."""
    bare = {key: one for key, one in value.items() if not key.startswith(_TRACE_KEYS)}
    message = dict(bare)
    role = str(message["role"])
    message["role"] = _RENAMED.get(role, role)
    if _has_parts(message):
        found.converted = True
        yield from chat_messages(message)
        return
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        message["tool_calls"] = [_call(call) for call in calls]
    if role == "tool" and "tool_call_id" not in message and isinstance(message.get("id"), str):
        message["tool_call_id"] = message.pop("id")  # the older events of OpenTelemetry
    found.converted = found.converted or message != bare
    yield message


def _has_parts(message: Mapping[str, Any]) -> bool:
    """Say whether a message with a role is made of parts that OpenAI's chat API does not have."""
    if isinstance(message.get("parts"), list) or isinstance(message.get("contents"), list):
        return True
    return any(isinstance(block, dict) and str(block.get("type")) in _PARTS for block in _blocks(message))


def _call(call: Any) -> Any:
    """Read a call of a tool: OpenAI's as it is, OpenInference's out of its envelope, flat ones as OpenAI's."""
    if not isinstance(call, dict):
        return call
    if isinstance(call.get("tool_call"), dict):
        return _call(call["tool_call"])
    if isinstance(call.get("function"), dict) or "custom" in call or "name" not in call:
        return call
    given = next((call[key] for key in ("arguments", "args", "input") if key in call), "")
    return tool_call(call.get("id"), call["name"], given if isinstance(given, str) else compact(given))


def _is_langchain(value: Mapping[str, Any]) -> bool:
    if "lc" in value or "lc_kwargs" in value:
        return True
    if "role" in value:
        return isinstance(value.get("additional_kwargs"), dict)
    return isinstance(value.get("type"), str) and ("content" in value or isinstance(value.get("data"), dict))


def _definition(value: Any) -> dict[str, Any] | None:
    """Give the tool that a message of role ``tool`` defines, where an exporter has put it among the messages."""
    if not isinstance(value, dict) or value.get("role") != "tool" or value.get("tool_call_id"):
        return None
    content = structure(value.get("content"))
    if not isinstance(content, dict) or not any(isinstance(content.get(key), dict) for key in _TOOL_KEYS):
        return None
    named = content.get("function") if isinstance(content.get("function"), dict) else content
    return content if isinstance(named, dict) and "arguments" not in named and "name" in named else None


def _are_items(values: Sequence[Any]) -> bool:
    """Say whether these are items of the Responses API: all have a type or a role, and one a type only it knows."""
    if not all(isinstance(value, dict) and ("type" in value or "role" in value) for value in values):
        return False
    own = [value for value in values if "role" not in value and _is_item_type(value.get("type"))]
    blocks = (block for value in values for block in _blocks(value))
    typed = any(isinstance(block, dict) and block.get("type") in ("input_text", "output_text") for block in blocks)
    return (bool(own) or typed) and all("role" in value or value in own for value in values)


def _is_item_type(kind: Any) -> bool:
    return isinstance(kind, str) and (kind in _ITEMS or kind.endswith(_ITEM_ENDS))


def _are_contents(values: Sequence[Any]) -> bool:
    """Say whether these are Gemini's contents, whose parts have no type."""
    return all(
        isinstance(value, dict)
        and isinstance(value.get("parts"), list)
        and not any(isinstance(part, dict) and "type" in part for part in value["parts"])
        for value in values
    )


def _has_blocks(messages: Sequence[Any]) -> bool:
    blocks = (block for message in messages for block in _blocks(message))
    return any(isinstance(block, dict) and str(block.get("type")) in _BLOCKS for block in blocks)


def _blocks(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def as_anthropic(found: Conversation) -> Conversation:
    """Put instructions that lead the messages where the API of Anthropic has them."""
    messages = list(found.messages)
    system: list[Any] = []
    while messages and isinstance(messages[0], dict) and messages[0].get("role") in ("system", "developer"):
        system.append(messages.pop(0).get("content"))
    found.api, found.messages = ANTHROPIC, messages
    if system:
        found.converted = True
        found.system = system[0] if len(system) == 1 else [{"type": "text", "text": str(text)} for text in system]
    return found
