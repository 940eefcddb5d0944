"""Answers of Gemini, Bedrock's ``converse``, Ollama and Cohere made of recorded messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from snapshot_sdk._fixture_values import PlayedCall
from snapshot_sdk._playback_openai import pieces
from snapshot_sdk._playback_values import Asked

_NO_DATE: Final = "1970-01-01T00:00:00Z"
"""Ollama's answers carry a date; the recorded one is not known."""


def whole_gemini(call: PlayedCall, asked: Asked) -> dict[str, Any]:
    """Returns the body of Gemini's ``generateContent``, or of a cache that was made.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    model = call.model or asked.model
    if asked.path.endswith("/cachedContents"):
        name = f"cachedContents/played-{call.call}"
        return {"name": name, "model": model, **({"usageMetadata": dict(call.usage)} if call.usage else {})}
    if not call.answer and call.stop_reason:
        return {"candidates": [], "promptFeedback": {"blockReason": call.stop_reason}, **_gemini_tail(call, model)}
    candidates = [
        {"content": content, "finishReason": call.stop_reason or "STOP", "index": index}
        for index, content in enumerate(call.answer or ({"role": "model", "parts": []},))
    ]
    return {"candidates": candidates, **_gemini_tail(call, model)}


def _gemini_tail(call: PlayedCall, model: str | None) -> dict[str, Any]:
    usage = {} if call.usage is None else {"usageMetadata": dict(call.usage)}
    return {**usage, "modelVersion": model, "responseId": f"played-{call.call}"}


def gemini_events(call: PlayedCall, asked: Asked) -> Iterator[Any]:
    """Yields the events of Gemini's ``streamGenerateContent``: whole answers, each with further parts.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    whole = whole_gemini(call, asked)
    for candidate in whole.get("candidates", ()):
        content = candidate["content"] if isinstance(candidate["content"], Mapping) else {}
        for part in content.get("parts") or ():
            for piece in _gemini_pieces(part):
                inner = {**content, "parts": [piece]}
                yield {
                    "candidates": [{"content": inner, "index": candidate["index"]}],
                    "responseId": whole["responseId"],
                }
    ends = [
        {"content": {"role": "model", "parts": []}, "finishReason": one["finishReason"], "index": one["index"]}
        for one in whole.get("candidates", ())
    ]
    yield {**whole, **({"candidates": ends} if ends else {})}


def _gemini_pieces(part: Any) -> list[Any]:
    """A text goes on in the next piece where nothing but text is in it; a signature belongs to the whole."""
    if not isinstance(part, Mapping) or not isinstance(part.get("text"), str) or part.keys() - {"text", "thought"}:
        return [part]
    return [{**part, "text": piece} for piece in pieces(part["text"])]


def whole_converse(call: PlayedCall, asked: Asked) -> dict[str, Any]:
    """Returns the body of Bedrock's ``converse``.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    message = _message(call, [])
    used = any(isinstance(block, Mapping) and "toolUse" in block for block in message["content"])
    reason = call.stop_reason or ("tool_use" if used else "end_turn")
    body = {"output": {"message": message}, "stopReason": reason, "metrics": {"latencyMs": 0}}
    return body if call.usage is None else {**body, "usage": dict(call.usage)}


def converse_events(call: PlayedCall, asked: Asked) -> Iterator[Any]:
    """Yields the events of Bedrock's ``converse-stream``: ``{type: event}`` each.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    whole = whole_converse(call, asked)
    yield {"messageStart": {"role": "assistant"}}
    for index, block in enumerate(whole["output"]["message"]["content"]):
        place = {"contentBlockIndex": index}
        start, deltas = _converse_pieces(block)
        if start is not None:
            yield {"contentBlockStart": {**place, "start": start}}
        for delta in deltas:
            yield {"contentBlockDelta": {**place, "delta": delta}}
        yield {"contentBlockStop": place}
    yield {"messageStop": {"stopReason": whole["stopReason"]}}
    yield {"metadata": {**({"usage": whole["usage"]} if "usage" in whole else {}), "metrics": whole["metrics"]}}


def _converse_pieces(block: Any) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    tool = block.get("toolUse")
    if isinstance(tool, Mapping):
        text = tool["input"] if isinstance(tool.get("input"), str) else json.dumps(tool.get("input") or {})
        start = {"toolUse": {name: value for name, value in tool.items() if name != "input"}}
        return start, [{"toolUse": {"input": piece}} for piece in pieces(text)]
    if isinstance(block.get("text"), str):
        return None, [{"text": piece} for piece in pieces(block["text"])]
    reasoning = block.get("reasoningContent")
    inner = reasoning.get("reasoningText") if isinstance(reasoning, Mapping) else None
    if isinstance(inner, Mapping):
        return None, [{"reasoningContent": {name: value}} for name, value in inner.items()]
    return None, [block]


def whole_ollama(call: PlayedCall, asked: Asked) -> dict[str, Any]:
    """Returns the body of Ollama's chat or, by the address, of its ``generate``.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    message = _message(call, "")
    said = {"response": message["content"]} if asked.path.endswith("/generate") else {"message": message}
    end = {"done": True, "done_reason": call.stop_reason or "stop", **(call.usage or {})}
    return {"model": call.model or asked.model, "created_at": _NO_DATE, **said, **end}


def ollama_events(call: PlayedCall, asked: Asked) -> Iterator[Any]:
    """Yields the lines of Ollama's stream.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    whole = whole_ollama(call, asked)
    head = {"model": whole["model"], "created_at": _NO_DATE}
    message = whole.get("message") or {"role": "assistant", "content": whole.get("response")}
    texts = pieces(message.get("content") or "")
    for text in texts:
        if "response" in whole:
            yield {**head, "response": text, "done": False}
        else:
            yield {**head, "message": {"role": message["role"], "content": text}, "done": False}
    if "response" in whole:
        yield {**whole, "response": ""}
    else:
        yield {**whole, "message": {**message, "content": ""}}


def whole_cohere(call: PlayedCall, asked: Asked) -> dict[str, Any]:
    """Returns the body of Cohere's chat, version 2.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    message = _message(call, [])
    reason = call.stop_reason or ("TOOL_CALL" if message.get("tool_calls") else "COMPLETE")
    body = {"id": f"played-{call.call}", "finish_reason": reason, "message": message}
    return body if call.usage is None else {**body, "usage": dict(call.usage)}


def cohere_events(call: PlayedCall, asked: Asked) -> Iterator[Any]:
    """Yields the events of Cohere's stream.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    whole = whole_cohere(call, asked)
    message = whole["message"]
    yield {"type": "message-start", "id": whole["id"], "delta": {"message": {"role": "assistant"}}}
    if isinstance(message.get("tool_plan"), str):
        for piece in pieces(message["tool_plan"]):
            yield {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": piece}}}
    content = message["content"]
    for index, block in enumerate([{"type": "text", "text": content}] if isinstance(content, str) else content or ()):
        yield from _cohere_block(index, block)
    for index, tool in enumerate(message.get("tool_calls") or ()):
        yield from _cohere_tool(index, tool)
    for index, citation in enumerate(message.get("citations") or ()):
        yield {"type": "citation-start", "index": index, "delta": {"message": {"citations": citation}}}
        yield {"type": "citation-end", "index": index}
    usage = {"usage": whole["usage"]} if "usage" in whole else {}
    yield {"type": "message-end", "delta": {"finish_reason": whole["finish_reason"], **usage}}


def _cohere_block(index: int, block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    name = "thinking" if "thinking" in block else "text"
    begun = {"content": {**block, name: ""}}
    yield {"type": "content-start", "index": index, "delta": {"message": begun}}
    for piece in pieces(block.get(name) or ""):
        yield {"type": "content-delta", "index": index, "delta": {"message": {"content": {name: piece}}}}
    yield {"type": "content-end", "index": index}


def _cohere_tool(index: int, tool: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    function = tool.get("function") or {}
    begun = {**tool, "function": {**function, "arguments": ""}}
    yield {"type": "tool-call-start", "index": index, "delta": {"message": {"tool_calls": begun}}}
    for piece in pieces(function.get("arguments") or ""):
        more = {"tool_calls": {"function": {"arguments": piece}}}
        yield {"type": "tool-call-delta", "index": index, "delta": {"message": more}}
    yield {"type": "tool-call-end", "index": index}


def _message(call: PlayedCall, empty: Any) -> dict[str, Any]:
    first = next((message for message in call.answer if isinstance(message, Mapping)), {})
    return {**first, "role": first.get("role") or "assistant", "content": first.get("content") or empty}
