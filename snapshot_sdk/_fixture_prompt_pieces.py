"""One entry of a prompt, of whatever API: who speaks, and the pieces of what is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from snapshot_sdk._fixture_prompt_blocks import (
    Piece,
    as_results,
    either,
    json_text,
    listed,
    mapping,
    read_block,
    read_blocks,
    read_thinking,
    text_or_json,
    word,
)

ROLES: Final[Mapping[str, str]] = {"model": "assistant", "function": "tool"}
"""Roles of Gemini and of OpenAI's older API, in the words all others share."""

_ENVELOPE: Final = frozenset({"type", "id", "call_id", "status", "name", "created_by"})
"""Members of a call in OpenAI's Responses that are no argument of it."""
_OWN_CALLS: Final = frozenset(
    {"function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"}
)
"""Calls of OpenAI's Responses that the agent must answer; the server answers all others itself."""


class Entry(NamedTuple):
    """What one entry of a prompt says."""

    role: str | None
    """``system``, ``developer``, ``user``, ``assistant``, ``tool``; None: it has none."""
    pieces: tuple[Piece, ...]


def read_entry(member: str, value: Any) -> Entry:
    """Reads an element of an array member of a body, or a whole member that is no array.

    Args:
        member: The member of the body it stands in.
        value: Any JSON value.
    """
    if member in ("tools", "functions", "toolConfig"):
        return Entry(None, tuple(_tools(member, value)))
    if member in ("system", "systemInstruction", "system_instruction", "instructions"):
        content = value["parts"] if isinstance(value, Mapping) and "parts" in value else value
        return Entry("system", tuple(read_blocks(content)))
    if member == "documents":  # Cohere
        return Entry(None, tuple(read_block({"type": "document", "document": value})))
    if member == "prompt" and isinstance(value, Mapping):
        # OpenAI: a template kept by the server; the body has its id and what is filled in.
        return Entry("developer", (Piece("other", json_text(value), name="prompt", opaque=True),))
    if not isinstance(value, Mapping):
        return Entry("user" if member in ("input", "prompt", "contents") else None, tuple(read_block(value)))
    kind = word(value.get("type")) or "message"
    if kind != "message" and "role" not in value:
        return Entry(_item_role(kind), tuple(_item(kind, value)))
    role = word(value.get("role")) or ("user" if member == "contents" else None)
    role = ROLES.get(role, role) if role is not None else None
    return Entry(role, tuple(_message(role, value)))


def _message(role: str | None, message: Mapping[str, Any]) -> Iterator[Piece]:
    if "parts" in message:  # Gemini
        yield from read_blocks(message["parts"])
        return
    content = message.get("content")
    if role == "tool":
        name = word(message.get("name")) or word(message.get("tool_name"))
        yield from as_results(read_blocks(content), name, word(message.get("tool_call_id")))
        return
    yield from _reasoning(message)
    yield from read_blocks(content)
    yield from (Piece("media", "") for _ in listed(message.get("images")))  # Ollama
    yield from _calls(message)
    if isinstance(message.get("refusal"), str) and message["refusal"]:
        yield Piece("text", message["refusal"], name="refusal")
    if message.get("audio"):
        yield Piece("media", "", name="audio")


def _reasoning(message: Mapping[str, Any]) -> Iterator[Piece]:
    """An assistant's reasoning once, however many of the rival members repeat it."""
    members = ("reasoning_content", "reasoning", "thinking", "tool_plan")
    text = next((text for name in members if (text := word(message.get(name)))), None)
    if text is not None:
        yield Piece("reasoning", text)
    for block in (*listed(message.get("thinking_blocks")), *listed(message.get("reasoning_details"))):
        piece = read_thinking(block)
        if text is None or piece.opaque:
            yield piece


def _calls(message: Mapping[str, Any]) -> Iterator[Piece]:
    for call in listed(message.get("tool_calls")):
        fields = mapping(call)
        made = mapping(fields.get("function")) or mapping(fields.get("custom"))
        call_id, name = word(fields.get("id")), word(made.get("name"))
        arguments = made.get("arguments", made.get("input"))
        yield Piece("tool_call", text_or_json(arguments) if made else json_text(call), name, call_id)
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping):
        yield Piece("tool_call", text_or_json(legacy.get("arguments")), word(legacy.get("name")))


def _item_role(kind: str) -> str | None:
    if kind.endswith("_output") or kind == "mcp_approval_response":
        return "tool"
    if kind.endswith("_call") or kind in ("reasoning", "compaction", "compaction_summary", "mcp_approval_request"):
        return "assistant"
    return None


def _item(kind: str, item: Mapping[str, Any]) -> Iterator[Piece]:
    """An item of OpenAI's Responses, or a block that stands alone."""
    call_id, name = word(item.get("call_id")) or word(item.get("id")), word(item.get("name"))
    if kind in ("function_call", "custom_tool_call", "mcp_approval_request"):
        arguments = text_or_json(item.get("arguments", item.get("input")))
        yield Piece("tool_call", arguments, name, call_id, served=kind == "mcp_approval_request")
    elif kind == "mcp_approval_response":
        said = {key: item[key] for key in ("approve", "reason") if item.get(key) is not None}
        request = word(item.get("approval_request_id"))
        yield Piece("tool_result", json_text(said), "mcp_approval", request, served=True)
    elif kind.endswith("_call"):
        yield from _served_call(kind, item, call_id)
    elif kind.endswith("_output"):
        output = item.get("output", item.get("tools"))
        # A list of things without a type is what the tool gave back, not a list of blocks.
        plain = isinstance(output, list | tuple) and not any(word(mapping(block).get("type")) for block in output)
        pieces = iter((Piece("text", json_text(output)),) if output else ()) if plain else read_blocks(output)
        yield from as_results(pieces, name, call_id)
    elif kind == "reasoning":
        yield from _reasoning_item(item)
    elif kind in ("compaction", "compaction_summary"):
        text = text_or_json(item.get("summary"))
        yield Piece("text", text, name="compaction", opaque=not text)
    elif kind == "item_reference":
        yield Piece("other", text_or_json(item.get("id")), name=kind, opaque=True)
    else:
        yield from read_block(item)


def _served_call(kind: str, item: Mapping[str, Any], call_id: str | None) -> Iterator[Piece]:
    """The call of a built-in tool: its own members are the arguments, and often it holds its result."""
    arguments = {key: value for key, value in item.items() if key not in _ENVELOPE}
    only = next(iter(arguments.values())) if len(arguments) == 1 else arguments
    name = word(item.get("name")) or kind.removesuffix("_call")
    served = kind not in _OWN_CALLS
    if kind == "mcp_call":
        yield Piece("tool_call", text_or_json(item.get("arguments")), name, call_id, served=True)
        for member in ("output", "error"):
            if item.get(member) is not None:
                yield Piece("tool_result", text_or_json(item[member]), name, call_id, served=True)
    elif kind == "file_search_call":
        yield Piece("tool_call", json_text(item.get("queries")), name, call_id, served=True)
        for result in listed(item.get("results")):
            text = word(mapping(result).get("text"))
            yield Piece("tool_result", json_text(result) if text is None else text, name, call_id, served=True)
    elif kind == "code_interpreter_call":
        yield Piece("tool_call", text_or_json(item.get("code")), name, call_id, served=True)
        for output in listed(item.get("outputs")):
            logs = word(mapping(output).get("logs"))
            yield Piece("tool_result", json_text(output) if logs is None else logs, name, call_id, served=True)
    else:
        yield Piece("tool_call", text_or_json(only) if arguments else "", name, call_id, served=served)


def _reasoning_item(item: Mapping[str, Any]) -> Iterator[Piece]:
    texts = [text for piece in listed(item.get("content")) if (text := word(mapping(piece).get("text")))]
    yield from (Piece("reasoning", text) for text in texts)
    for piece in listed(item.get("summary")):
        summary = word(mapping(piece).get("text"))
        if summary and summary not in texts:
            yield Piece("reasoning", summary, name="summary")
    if item.get("encrypted_content") or not (texts or item.get("summary")):
        yield Piece("reasoning", "", opaque=True)


def _tools(member: str, value: Any) -> Iterator[Piece]:
    """Tool definitions, a piece each."""
    if member == "toolConfig":
        for tool in listed(mapping(value).get("tools") if isinstance(value, Mapping) else value):
            spec = mapping(tool).get("toolSpec", tool)
            if not (isinstance(tool, Mapping) and set(tool) == {"cachePoint"}):
                yield Piece("tool_definition", json_text(spec, 2), word(mapping(spec).get("name")))
        return
    declared = either(mapping(value), "functionDeclarations")
    if declared is None and not (isinstance(value, Mapping) and "type" not in value and "name" not in value):
        inner = mapping(mapping(value).get("function")) or mapping(mapping(value).get("custom"))
        name = word(inner.get("name")) or word(mapping(value).get("name")) or word(mapping(value).get("type"))
        yield Piece("tool_definition", json_text(value, 2), name)
        return
    for function in listed(declared):
        yield Piece("tool_definition", json_text(function, 2), word(mapping(function).get("name")))
    for key, tool in mapping(value).items():  # googleSearch, codeExecution, urlContext …
        if key not in ("functionDeclarations", "function_declarations"):
            yield Piece("tool_definition", json_text({key: tool}, 2), key)
