"""Items of OpenAI's Responses API, as they stand in ``input`` and in an answer's ``output``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from inspector.model.dialects.openai_shapes import (
    block_parts,
    blocks_of,
    content_parts,
    image_part,
    result_parts,
    tool_definition,
)
from inspector.model.dialects.shapes import (
    json_text,
    mapping,
    media_part,
    opt_str,
    other_parts,
    text_or_json,
)
from inspector.model.request import Message, Part

COMPACTION: Final = "compaction"
"""Name of the part that stands for earlier items."""

ITEM_REFERENCE: Final = "item_reference"
"""Name of the part that stands for an item kept by the server; its text is the item's id."""

_ENVELOPE: Final = frozenset({"type", "id", "call_id", "status", "name", "created_by"})
"""Members of a call that are no argument of it."""

_Reader = Callable[[Mapping[str, Any]], Iterator[Part]]


def decode_item(value: Any) -> Message:
    """Decode an item.

    Items without a role get that of who speaks in them: ``assistant`` for what the model made, ``tool`` for what a
    tool gave back. Nothing is hidden: an item of an unknown type is shown as its JSON.

    Args:
        value: Any JSON value.
    """
    if not isinstance(value, Mapping):
        return Message(None, tuple(block_parts(value)))
    kind, item_id = opt_str(value.get("type")) or "message", opt_str(value.get("id"))
    if kind == "message" or ("role" in value and kind not in _READERS):
        return Message(opt_str(value.get("role")), tuple(content_parts(value.get("content"))), item_id=item_id)
    reader = _READERS.get(kind)
    if reader is not None:
        parts = tuple(reader(value))
    elif kind.endswith(("_call_output", "_output")):
        parts = tuple(_output(value))
    elif kind.endswith("_call"):
        parts = tuple(_call(value))
    else:
        parts = tuple(other_parts(value))
    return Message(_role(kind), parts, item_id=item_id)


def _role(kind: str) -> str | None:
    if kind.endswith("_output") or kind == "mcp_approval_response":
        return "tool"
    if kind.endswith("_call") or kind in _READERS:
        return "assistant"
    return None


def _reasoning(item: Mapping[str, Any]) -> Iterator[Part]:
    texts = [text for piece in blocks_of(item.get("content")) if (text := opt_str(mapping(piece).get("text")))]
    yield from (Part("reasoning", text) for text in texts)
    for piece in blocks_of(item.get("summary")):
        summary = opt_str(mapping(piece).get("text"))
        if summary and summary not in texts:
            yield Part("reasoning", summary, name="summary")
    if item.get("encrypted_content") or not (texts or item.get("summary")):
        # Kept by the server or encrypted: the model reads it, nobody else.
        yield Part("reasoning", "", opaque=True)


def _function_call(item: Mapping[str, Any]) -> Iterator[Part]:
    arguments = item.get("arguments") if "arguments" in item else item.get("input")
    yield Part("tool_call", text_or_json(arguments), opt_str(item.get("name")), _call_id(item))


def _call(item: Mapping[str, Any]) -> Iterator[Part]:
    """Decode the call of a built-in tool: its own members are the arguments."""
    kind = opt_str(item.get("type")) or ""
    arguments = {key: argument for key, argument in item.items() if key not in _ENVELOPE}
    only = next(iter(arguments.values())) if len(arguments) == 1 else arguments
    name = opt_str(item.get("name")) or kind.removesuffix("_call")
    yield Part("tool_call", text_or_json(only) if arguments else "", name, _call_id(item))


def _output(item: Mapping[str, Any]) -> Iterator[Part]:
    output = item.get("output", item.get("tools"))
    parts: Iterator[Part]
    if isinstance(output, Mapping) and "image_url" in output:  # computer_screenshot
        parts = iter((image_part(output),))
    elif isinstance(output, list | tuple) and not any(opt_str(mapping(block).get("type")) for block in output):
        parts = iter((Part("text", json_text(output)),) if output else ())
    else:
        parts = content_parts(output)
    yield from result_parts(parts, opt_str(item.get("name")), _call_id(item))


def _file_search(item: Mapping[str, Any]) -> Iterator[Part]:
    call_id = _call_id(item)
    yield Part("tool_call", json_text(item.get("queries")), "file_search", call_id)
    for result in blocks_of(item.get("results")):
        found = mapping(result)
        name, text = opt_str(found.get("filename")), opt_str(found.get("text"))
        yield Part("tool_result", json_text(result) if text is None else text, name or "file_search", call_id)


def _code_interpreter(item: Mapping[str, Any]) -> Iterator[Part]:
    call_id = _call_id(item)
    yield Part("tool_call", text_or_json(item.get("code")), "code_interpreter", call_id)
    for output in blocks_of(item.get("outputs")):
        fields = mapping(output)
        if isinstance(fields.get("logs"), str):
            yield Part("tool_result", str(fields["logs"]), "code_interpreter", call_id)
        elif isinstance(fields.get("url"), str):
            image = media_part("image", "code_interpreter", url=str(fields["url"]))
            yield Part("image", "", image.name, call_id, image.media)
        else:
            yield from result_parts(other_parts(output), "code_interpreter", call_id)


def _image_generation(item: Mapping[str, Any]) -> Iterator[Part]:
    call_id = _call_id(item)
    yield Part("tool_call", text_or_json(item.get("revised_prompt")), "image_generation", call_id)
    if isinstance(item.get("result"), str):
        image = media_part("image", "image_generation", data=str(item["result"]))
        yield Part("image", "", image.name, call_id, image.media)


def _mcp_call(item: Mapping[str, Any]) -> Iterator[Part]:
    name, call_id = opt_str(item.get("name")), _call_id(item)
    yield Part("tool_call", text_or_json(item.get("arguments")), name, call_id)
    for member in ("output", "error"):
        if item.get(member) is not None:
            yield Part("tool_result", text_or_json(item[member]), name, call_id)


def _tool_list(item: Mapping[str, Any]) -> Iterator[Part]:
    tools = blocks_of(item.get("tools"))
    for tool in tools:
        yield from tool_definition(tool).parts
    if not tools:
        yield from other_parts(item)


def _approval(item: Mapping[str, Any]) -> Iterator[Part]:
    said = {key: item[key] for key in ("approve", "reason") if item.get(key) is not None}
    yield Part("tool_result", json_text(said), "mcp_approval", opt_str(item.get("approval_request_id")))


def _compaction(item: Mapping[str, Any]) -> Iterator[Part]:
    text = text_or_json(item.get("summary"))
    yield Part("text", text, name=COMPACTION, opaque=not text)


def _reference(item: Mapping[str, Any]) -> Iterator[Part]:
    yield Part("other", text_or_json(item.get("id")), name=ITEM_REFERENCE, opaque=True)


def _call_id(item: Mapping[str, Any]) -> str | None:
    return opt_str(item.get("call_id")) or opt_str(item.get("id"))


_READERS: Final[Mapping[str, _Reader]] = {
    "reasoning": _reasoning,
    "function_call": _function_call,
    "custom_tool_call": _function_call,
    "mcp_approval_request": _function_call,
    "mcp_approval_response": _approval,
    "mcp_call": _mcp_call,
    "mcp_list_tools": _tool_list,
    "tool_search_output": _tool_list,
    "file_search_call": _file_search,
    "code_interpreter_call": _code_interpreter,
    "image_generation_call": _image_generation,
    "compaction": _compaction,
    "compaction_summary": _compaction,
    "item_reference": _reference,
}
