"""Anthropic's answers made of recorded messages, also as AWS Bedrock and Google Vertex carry them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from snapshot_sdk._fixture_values import PlayedCall
from snapshot_sdk._playback_openai import pieces
from snapshot_sdk._playback_values import Asked

_UNKNOWN_USAGE: Final = {"input_tokens": 0, "output_tokens": 0}
"""Where no usage was recorded: Anthropic's clients add up these two while they read, and fail where one is absent."""

_TEXTS: Final = {"text": ("text", "text_delta"), "thinking": ("thinking", "thinking_delta")}
"""Type of a block that comes in pieces → its member and the type of a piece."""

_INPUTS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
"""Types of blocks whose ``input`` comes in pieces of JSON."""


def whole_message(call: PlayedCall, asked: Asked) -> dict[str, Any]:
    """Returns the body of a message.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    blocks = _blocks(call)
    used = any(isinstance(block, Mapping) and block.get("type") == "tool_use" for block in blocks)
    return {
        "id": f"msg_played_{call.call}",
        "type": "message",
        "role": "assistant",
        "model": call.model or asked.model,
        "content": blocks,
        "stop_reason": call.stop_reason or ("tool_use" if used else "end_turn"),
        "stop_sequence": None,
        "usage": {**_UNKNOWN_USAGE, **(call.usage or {})},
    }


def _blocks(call: PlayedCall) -> list[Any]:
    blocks: list[Any] = []
    for message in call.answer:
        content = message.get("content") if isinstance(message, Mapping) else None
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        blocks += content or ()
    return blocks


def message_events(call: PlayedCall, asked: Asked) -> Iterator[Any]:
    """Yields the events of a streamed message.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    whole = whole_message(call, asked)
    usage = {**whole["usage"], "output_tokens": 0}
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None, "usage": usage}}
    for index, block in enumerate(whole["content"]):
        begun, deltas = _cut(block)
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def _cut(block: Any) -> tuple[Any, list[dict[str, Any]]]:
    """The block as its start brings it, and what follows piece by piece."""
    kind = block.get("type") if isinstance(block, Mapping) else None
    if kind in _INPUTS and isinstance(block.get("input"), Mapping):
        text = json.dumps(block["input"], ensure_ascii=False)
        parts = pieces(text) if block["input"] else []
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in parts]
    if kind not in _TEXTS or not isinstance(block.get(_TEXTS[kind][0]), str):
        return block, []
    name, delta = _TEXTS[kind]
    begun = {**block, name: ""}
    deltas = [{"type": delta, name: piece} for piece in pieces(block[name])]
    if block.get("citations"):
        begun["citations"] = []
        deltas += [{"type": "citations_delta", "citation": one} for one in block["citations"]]
    if block.get("signature"):
        begun["signature"] = ""
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    return begun, deltas


def whole_complete(call: PlayedCall, asked: Asked) -> dict[str, Any]:
    """Returns the body of one of the older completions.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    text = "".join(block["text"] for block in _blocks(call) if isinstance(block, Mapping) and "text" in block)
    head = {"id": f"compl_played_{call.call}", "type": "completion", "model": call.model or asked.model}
    return {**head, "completion": text, "stop_reason": call.stop_reason or "stop_sequence", "stop": None}


def complete_events(call: PlayedCall, asked: Asked) -> Iterator[Any]:
    """Yields the events of one of the older completions.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    whole = whole_complete(call, asked)
    texts = pieces(whole["completion"])
    for text in texts[:-1]:
        yield {**whole, "completion": text, "stop_reason": None}
    yield {**whole, "completion": texts[-1]}
