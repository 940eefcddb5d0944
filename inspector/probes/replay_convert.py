"""Writes a request of any dialect as an OpenAI chat request, for servers that speak nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from inspector.model.request import Message, Part, Request

_INSTRUCTIONS: Final = frozenset({"system", "developer"})
_ASSISTANT: Final = frozenset({"assistant", "model"})


class Converted(NamedTuple):
    """A request in OpenAI's chat shape."""

    body: dict[str, Any]
    notes: tuple[str, ...]
    """What could not be carried over, in words."""


def to_openai_chat(request: Request) -> Converted:
    """Write a decoded request as an OpenAI chat request.

    Text, tool calls, their results and tool definitions are carried over; thinking, images and files are not.

    Args:
        request: The request.
    """
    messages: list[dict[str, Any]] = []
    tools: list[dict[str, Any]] = []
    lost: dict[str, int] = {}
    calls: set[str] = set()
    for element in request.elements:
        for part in element.message.parts:
            if part.kind == "tool_definition":
                tools += _tool(part)
            elif part.kind in ("image", "file", "reasoning") or part.opaque:
                name = {"image": "images", "file": "files", "reasoning": "thinking"}.get(part.kind, "unreadable parts")
                lost[name] = lost.get(name, 0) + 1
        for message in _messages(element.message, calls):
            if messages and _joins(messages[-1], message):
                messages[-1]["content"] += f"\n\n{message['content']}"
            else:
                messages.append(message)
    leading = [one for one in messages if one["role"] == "system"]
    body: dict[str, Any] = {
        "model": request.model or "",
        "messages": [*leading, *(m for m in messages if m["role"] != "system")],
    }
    if tools:
        body["tools"] = tools
    said = [f"{count} {name}" for name, count in lost.items()]
    return Converted(body, (f"not carried over: {', '.join(said)}",) if said else ())


def _messages(message: Message, calls: set[str]) -> Iterator[dict[str, Any]]:
    """One message of another dialect is several here: each tool result is one of its own."""
    text = "\n".join(p.text for p in message.parts if p.kind in ("text", "other") and p.text and not p.opaque)
    role = message.role
    if role is None and not text and not any(p.kind in ("tool_call", "tool_result") for p in message.parts):
        return
    made = [part for part in message.parts if part.kind == "tool_call"]
    for part in message.parts:
        if part.kind == "tool_result":
            if part.call_id in calls:
                yield {"role": "tool", "tool_call_id": part.call_id, "content": part.text}
            else:  # without an id no call can be named, and servers refuse a result of none
                yield {"role": "user", "content": f"[{part.name or 'tool'} result]\n{part.text}"}
    named = [part for part in made if part.call_id]
    unnamed = [f"[called {part.name}({part.text})]" for part in made if not part.call_id]
    text = "\n".join(one for one in (text, *unnamed) if one)
    if named:
        calls.update(str(part.call_id) for part in named)
        functions = [
            {"id": part.call_id, "type": "function", "function": {"name": part.name or "tool", "arguments": part.text}}
            for part in named
        ]
        yield {"role": "assistant", "content": text or None, "tool_calls": functions}
    elif text:
        name = "system" if role in _INSTRUCTIONS else "assistant" if role in _ASSISTANT else "user"
        yield {"role": name, "content": text}


def _joins(before: dict[str, Any], message: dict[str, Any]) -> bool:
    """Two texts of one speaker in a row are one: chat templates of many models want them to alternate."""
    plain = {"role", "content"}
    return before["role"] == message["role"] and before.keys() == message.keys() == plain and bool(before["content"])


def _tool(part: Part) -> list[dict[str, Any]]:
    try:
        data = json.loads(part.text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, dict) or "systemTool" in data:  # which only Bedrock has
        return []
    found = []
    declared = data.get("functionDeclarations", data.get("function_declarations"))
    for one in declared if isinstance(declared, list) else [data]:
        inner = one.get("function", one) if isinstance(one, dict) else {}
        if not isinstance(inner, dict):
            continue
        name = inner.get("name") or part.name
        if not isinstance(name, str):
            continue
        named = inner.get("inputSchema")  # of Bedrock
        schema = inner.get("parameters") or inner.get("input_schema") or inner.get("parametersJsonSchema")
        schema = schema or (named.get("json") if isinstance(named, dict) else None)
        function = {
            "name": name,
            "description": inner.get("description") or "",
            "parameters": schema or {"type": "object"},
        }
        found.append({"type": "function", "function": function})
    return found
