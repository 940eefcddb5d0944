"""Anthropic's stream, also as AWS Bedrock and Google Vertex carry it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from snapshot_sdk.adapters._joined import joined


def merge_messages(events: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], bool]:
    """Messages. Usage: that of the start, overwritten by the totals of ``message_delta``.

    Args:
        events: In order.

    Returns:
        The body, and whether the protocol's own end was seen.
    """
    body: dict[str, Any] = {"role": "assistant"}
    blocks: dict[int, dict[str, Any]] = {}
    inputs: dict[int, str] = {}
    ended = False
    for event in events:
        kind = event.get("type")
        place = event.get("index")
        index = place if isinstance(place, int) else len(blocks)
        if kind == "message_start":
            body |= event.get("message") or {}
        elif kind == "content_block_start":
            blocks[index] = dict(event.get("content_block") or {})
        elif kind == "content_block_delta":
            delta = event.get("delta") or {}
            if "partial_json" in delta:
                inputs[index] = inputs.get(index, "") + delta["partial_json"]
            else:
                _add_block(blocks.setdefault(index, {}), delta)
        elif kind == "message_delta":
            body |= {name: value for name, value in (event.get("delta") or {}).items() if value is not None}
            usage = {name: value for name, value in (event.get("usage") or {}).items() if value is not None}
            body["usage"] = (body.get("usage") or {}) | usage
            if event.get("context_management") is not None:
                body["context_management"] = event["context_management"]  # what was cleared before the model read it
        elif kind == "message_stop":
            ended = True
    for index, text in inputs.items():
        blocks.setdefault(index, {"type": "tool_use"})["input"] = _input(text)
    # A reader may stop at the stop reason: nothing but message_stop follows it.
    return {**body, "content": [blocks[index] for index in sorted(blocks)]}, ended or bool(body.get("stop_reason"))


def _add_block(block: dict[str, Any], delta: dict[str, Any]) -> None:
    for name, value in delta.items():
        if name == "type":
            continue
        if name == "citation":
            block["citations"] = [*(block.get("citations") or []), value]
        else:
            block[name] = joined(block.get(name), value)


def _input(text: str) -> Any:
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return text  # cut in the middle: what came
