"""Writes an OpenAI chat request in another dialect: what was read of any dialect can be asked in any other.

It has what :mod:`inspector.probes.replay_convert` carries over: text, tool calls, their results, tool definitions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from inspector.probes.replay_convert import Converted
from inspector.probes.replay_dialects import LEAST_TOKENS

Message = Mapping[str, Any]
Blocks = list[dict[str, Any]]

_OPENING: Final = "…"
"""Stands as the first message where a talk begins with the assistant: Anthropic, Bedrock and Gemini want the user."""
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]")
"""Not in ids of calls and names of tools, as Anthropic and Bedrock want them."""
_LONGEST: Final = 64
"""Characters of an id or a name there."""


class _Shapes(NamedTuple):
    """How a dialect writes the blocks of a message."""

    text: Callable[[str], dict[str, Any]]
    call: Callable[[str, str, Any], dict[str, Any]]
    """Of id, name and arguments."""
    result: Callable[[str, str, str], dict[str, Any]]
    """Of id, name and text."""


_ANTHROPIC: Final = _Shapes(
    text=lambda text: {"type": "text", "text": text},
    call=lambda call, name, given: {"type": "tool_use", "id": _fit(call), "name": _fit(name), "input": given},
    result=lambda call, name, text: {"type": "tool_result", "tool_use_id": _fit(call), "content": text},
)
_BEDROCK: Final = _Shapes(
    text=lambda text: {"text": text},
    call=lambda call, name, given: {"toolUse": {"toolUseId": _fit(call), "name": _fit(name), "input": given}},
    # A blank text is refused there.
    result=lambda call, name, text: {
        "toolResult": {"toolUseId": _fit(call), "content": [{"text": text}] if text.strip() else []}
    },
)
_GEMINI: Final = _Shapes(
    text=lambda text: {"text": text},
    call=lambda call, name, given: {"functionCall": {"name": name, "args": given}},
    result=lambda call, name, text: {"functionResponse": {"name": name, "response": {"output": text}}},
)


def from_openai_chat(api: str, chat: Mapping[str, Any]) -> Converted:
    """Write a chat request of OpenAI's in a dialect.

    Args:
        api: The dialect; one that questions can be added in.
        chat: The request, as :func:`inspector.probes.replay_convert.to_openai_chat` writes it.
    """
    head = {"model": chat.get("model", "")}
    messages: Sequence[Message] = chat["messages"]
    tools = [one["function"] for one in chat.get("tools", ())]
    body, opened = _WRITERS[api](messages, tools)
    return Converted({**head, **body}, ("its first message of the user was put in: “…”",) if opened else ())


def _anthropic(messages: Sequence[Message], tools: Blocks) -> tuple[dict[str, Any], bool]:
    system, talk, opened = _alternating(messages, _ANTHROPIC)
    named = [
        {"name": _fit(one["name"]), "description": one["description"], "input_schema": one["parameters"]}
        for one in _defined(tools, messages)
    ]
    made = {"max_tokens": LEAST_TOKENS, "system": system, "tools": named, "messages": talk}
    return _filled(made), opened


def _converse(messages: Sequence[Message], tools: Blocks) -> tuple[dict[str, Any], bool]:
    system, talk, opened = _alternating(messages, _BEDROCK)
    specs = [_spec(one) for one in _defined(tools, messages)]
    made = {
        "toolConfig": {"tools": specs} if specs else None,
        "system": [{"text": system}] if system else None,
        "messages": talk,
    }
    return _filled(made), opened


def _spec(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool of Bedrock's; an empty description is refused there."""
    said = {"description": tool["description"]} if tool["description"] else {}
    return {"toolSpec": {"name": _fit(tool["name"]), **said, "inputSchema": {"json": tool["parameters"]}}}


def _gemini(messages: Sequence[Message], tools: Blocks) -> tuple[dict[str, Any], bool]:
    system, talk, opened = _alternating(messages, _GEMINI)
    contents = [{"role": "model" if one["role"] == "assistant" else "user", "parts": one["content"]} for one in talk]
    declared = [
        {"name": one["name"], "description": one["description"], "parametersJsonSchema": one["parameters"]}
        for one in tools
    ]
    made = {
        "systemInstruction": {"parts": [{"text": system}]} if system else None,
        "tools": [{"functionDeclarations": declared}] if declared else None,
        "contents": contents,
    }
    return _filled(made), opened


def _responses(messages: Sequence[Message], tools: Blocks) -> tuple[dict[str, Any], bool]:
    items: Blocks = []
    for message in messages:
        if message["role"] == "tool":
            items.append(
                {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
            )
            continue
        if message.get("content"):
            items.append({"role": message["role"], "content": message["content"]})
        items += [
            {"type": "function_call", "call_id": one["id"], **one["function"]} for one in message.get("tool_calls", ())
        ]
    return _filled({"tools": [{"type": "function", **one, "strict": False} for one in tools], "input": items}), False


def _ollama(messages: Sequence[Message], tools: Blocks) -> tuple[dict[str, Any], bool]:
    """Ollama wants arguments as an object, and knows the tool of a result by its name."""
    names = _names(messages)
    written = []
    for message in messages:
        one = {name: value for name, value in message.items() if name not in ("tool_calls", "tool_call_id")}
        one["content"] = message.get("content") or ""
        if message["role"] == "tool":
            one["tool_name"] = names.get(message["tool_call_id"], "tool")
        if message.get("tool_calls"):
            functions = (call["function"] for call in message["tool_calls"])
            one["tool_calls"] = [
                {"function": {"name": function["name"], "arguments": _object(function["arguments"])}}
                for function in functions
            ]
        written.append(one)
    return _filled({"messages": written, "tools": _functions(tools)}), False


def _cohere(messages: Sequence[Message], tools: Blocks) -> tuple[dict[str, Any], bool]:
    """Cohere has OpenAI's shapes, but no content that is null."""
    written = [{name: value for name, value in one.items() if value is not None} for one in messages]
    return _filled({"messages": written, "tools": _functions(tools)}), False


def _functions(tools: Blocks) -> Blocks:
    return [{"type": "function", "function": one} for one in tools]


def _alternating(messages: Sequence[Message], shapes: _Shapes) -> tuple[str, Blocks, bool]:
    """Return the instructions, the talk in turns of user and assistant, and whether a beginning was put in."""
    names = _names(messages)
    instructions: list[str] = []
    talk: Blocks = []
    for message in messages:
        if message["role"] == "system":
            instructions.append(str(message["content"]))
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = list(_blocks(message, names, shapes))
        if not blocks:
            continue
        if talk and talk[-1]["role"] == role:
            talk[-1]["content"] += blocks
        else:
            talk.append({"role": role, "content": blocks})
    opened = bool(talk) and talk[0]["role"] == "assistant"
    if opened:
        talk.insert(0, {"role": "user", "content": [shapes.text(_OPENING)]})
    return "\n\n".join(instructions), talk, opened


def _blocks(message: Message, names: Mapping[str, str], shapes: _Shapes) -> Iterator[dict[str, Any]]:
    if message["role"] == "tool":
        call = message["tool_call_id"]
        yield shapes.result(call, names.get(call, "tool"), message["content"])
        return
    if str(message.get("content") or "").strip():
        yield shapes.text(message["content"])
    for one in message.get("tool_calls", ()):
        function = one["function"]
        yield shapes.call(one["id"], function["name"], _object(function["arguments"]))


def _defined(tools: Blocks, messages: Sequence[Message]) -> Blocks:
    """Tools, or where none is defined those that were called: a call of a tool that is not defined is refused."""
    called = dict.fromkeys(_names(messages).values())
    return tools or [{"name": name, "description": "", "parameters": {"type": "object"}} for name in called]


def _names(messages: Sequence[Message]) -> dict[str, str]:
    """Names of the tools that were called, by the id of the call."""
    return {one["id"]: one["function"]["name"] for message in messages for one in message.get("tool_calls", ())}


def _object(arguments: str) -> dict[str, Any]:
    """Arguments as an object; what is none stands under one name, as a call must have an object."""
    try:
        data = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        data = arguments
    return data if isinstance(data, dict) else {"arguments": data}


def _fit(text: str) -> str:
    return _UNFIT.sub("_", text)[:_LONGEST]


def _filled(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value or name in ("messages", "contents", "input")}


_WRITERS: Final[Mapping[str, Callable[[Sequence[Message], Blocks], tuple[dict[str, Any], bool]]]] = {
    "openai.chat": lambda messages, tools: (_filled({"messages": messages, "tools": _functions(tools)}), False),
    "mistral.chat": lambda messages, tools: (_filled({"messages": messages, "tools": _functions(tools)}), False),
    "openai.responses": _responses,
    "anthropic.messages": _anthropic,
    "gemini.generate_content": _gemini,
    "ollama.chat": _ollama,
    "cohere.chat": _cohere,
    "bedrock.converse": _converse,
}
