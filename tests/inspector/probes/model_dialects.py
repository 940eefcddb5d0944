"""What the model server reads and writes in each dialect, and what the providers' own servers would refuse."""

from __future__ import annotations

import binascii
import json
import struct
from collections.abc import Iterator
from typing import Any

AWS_EVENTS = "application/vnd.amazon.eventstream"
KEYS = (
    "document", "data", "json", "text", "content", "parts",
    "input", "output", "functionResponse", "response", "arguments",
)  # fmt: skip
"""Under which something readable stands."""
IN_WORDS = ("without calling a tool", "不要调用工具")
"""Heeded where a dialect has no switch that forbids calls."""


def texts_of(value: Any) -> Iterator[str]:
    """Everything readable in a content, whatever the dialect."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts_of(one)
    elif isinstance(value, dict):
        function = value.get("function") or value.get("functionCall")
        if isinstance(function, dict):
            yield json.dumps(function, ensure_ascii=False)
        if isinstance(value.get("toolUse"), dict):
            yield json.dumps(value["toolUse"], ensure_ascii=False)
        if isinstance(value.get("toolResult"), dict):
            yield from texts_of(value["toolResult"])
        for key in KEYS:
            if key in value:
                yield from texts_of(
                    value[key] if not isinstance(value[key], dict) else json.dumps(value[key], ensure_ascii=False)
                )


def prompt_of(path: str, body: dict[str, Any]) -> list[str]:
    """Texts of a prompt, in order."""
    names = (
        ("systemInstruction", "contents")
        if "generateContent" in path
        else ("system", "instructions", "documents", "messages", "input")
    )
    members = [body[name] for name in names if name in body]
    if "/converse" in path:  # a question is a block there, behind those of the message before it
        members = [[block for message in body["messages"] for block in message["content"]]]
        members.insert(0, body.get("system") or [])
    found = []
    for member in members:
        for message in member if isinstance(member, list) else [member]:
            text = "\n".join(texts_of(message if isinstance(message, dict) else {"text": message}))
            calls = message.get("tool_calls") if isinstance(message, dict) else None
            found.append("\n".join(one for one in (text, *texts_of(calls or [])) if one))
    return found


def may_call(path: str, body: dict[str, Any]) -> bool:
    """Tell whether the request has tools that nobody forbade to call."""
    tools = body.get("tools") or (body.get("toolConfig") or {}).get("tools")
    if not tools:
        return False
    if path.startswith("/model/") or path == "/api/chat":
        return not any(words in prompt_of(path, body)[-1] for words in IN_WORDS)
    choice = body.get("tool_choice")
    mode = ((body.get("toolConfig") or {}).get("functionCallingConfig") or {}).get("mode")
    return choice not in ("none", "NONE", {"type": "none"}) and mode != "NONE"


def refusal(path: str, body: dict[str, Any]) -> str | None:
    """Say why Bedrock or Cohere would refuse a request, in their words; None: they would not."""
    if path.endswith("/v2/chat"):
        known = body.get("tool_choice") in (None, "NONE", "REQUIRED") and isinstance(body.get("model"), str)
        return None if known else "invalid request"
    if path.startswith("/model/") and "/converse" in path:
        roles = [message["role"] for message in body["messages"]]
        if roles != [("user", "assistant")[n % 2] for n in range(len(roles))]:
            return "A conversation must alternate between user and assistant roles."
        blocks = [block for message in body["messages"] for block in message["content"]]
        if any("toolUse" in one or "toolResult" in one for one in blocks) and not body.get("toolConfig"):
            return "The toolConfig field must be defined when using toolUse and toolResult content blocks."
        return None
    if path.startswith("/model/"):
        if not body.get("anthropic_version"):
            return "anthropic_version: Field required"
        extra = next((name for name in ("model", "stream") if name in body), None)
        if extra is not None:
            return f"Malformed input request: extraneous key [{extra}] is not permitted"
        if (body.get("tool_choice") or {}).get("type") == "none":
            return "tool_choice: Input tag 'none' does not match any of the expected tags: 'auto', 'any', 'tool'"
    return None


def answer_body(path: str, text: str, size: int, *, calls: bool) -> dict[str, Any]:
    """The answer in the dialect of the path."""
    wrote = len(text) // 4 + 1
    if path.endswith("/v2/chat"):
        return cohere_body(text, size, wrote, calls=calls)
    if path.startswith("/model/") and "/converse" in path:
        used = {"toolUse": {"toolUseId": "tooluse_1", "name": "look", "input": {}}}
        return {
            "output": {"message": {"role": "assistant", "content": [used if calls else {"text": text}]}},
            "stopReason": "tool_use" if calls else "end_turn",
            "usage": {"inputTokens": size, "outputTokens": wrote, "totalTokens": size + wrote},
        }
    if path.endswith("/messages") or path.startswith("/model/"):
        content: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if calls:
            content = [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]
        usage = {"input_tokens": size, "output_tokens": wrote}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": content,
            "stop_reason": "end_turn",
            "usage": usage,
        }
    if "generateContent" in path or "GenerateContent" in path:
        parts: list[dict[str, Any]] = [{"functionCall": {"name": "look", "args": {}}}] if calls else [{"text": text}]
        meta = {"promptTokenCount": size, "candidatesTokenCount": wrote, "totalTokenCount": size + wrote}
        return {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
            "usageMetadata": meta,
        }
    if path.endswith("/responses"):
        output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
        return {
            "id": "resp_1",
            "output": output,
            "status": "completed",
            "usage": {"input_tokens": size, "output_tokens": wrote},
        }
    if path == "/api/chat":
        counts = {"prompt_eval_count": size, "eval_count": wrote}
        return {"message": {"role": "assistant", "content": text}, "done": True, "done_reason": "stop", **counts}
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        function = {"name": "look", "arguments": "{}"}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        }
    usage = {"prompt_tokens": size, "completion_tokens": wrote, "total_tokens": size + wrote}
    return {"id": "chatcmpl-1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage}


def cohere_body(text: str, size: int, wrote: int, *, calls: bool) -> dict[str, Any]:
    """An answer of Cohere's."""
    message: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    if calls:
        function = {"name": "look", "arguments": "{}"}
        message = {
            "role": "assistant",
            "tool_plan": "I will look.",
            "tool_calls": [{"id": "look0", "function": function}],
        }
    counts = {"input_tokens": size, "output_tokens": wrote}
    return {
        "id": "c0",
        "finish_reason": "TOOL_CALL" if calls else "COMPLETE",
        "message": message,
        "usage": {"billed_units": counts, "tokens": counts},
    }


def aws_event(kind: str, event: dict[str, Any]) -> bytes:
    """An event in the framing of AWS."""
    payload = json.dumps(event).encode()
    names = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in names.items()
    )
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    prelude += struct.pack(">I", binascii.crc32(prelude))
    message = prelude + headers + payload
    return message + struct.pack(">I", binascii.crc32(message))


def converse_stream(pieces: list[str], size: int) -> bytes:
    """An answer of Bedrock's Converse, streamed."""
    events: list[tuple[str, dict[str, Any]]] = [("messageStart", {"role": "assistant"})]
    events += [("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}}) for piece in pieces]
    events += [("contentBlockStop", {"contentBlockIndex": 0}), ("messageStop", {"stopReason": "end_turn"})]
    events += [("metadata", {"usage": {"inputTokens": size, "outputTokens": 9, "totalTokens": size + 9}})]
    return b"".join(aws_event(kind, event) for kind, event in events)


def stream_of(path: str, text: str, size: int) -> bytes:
    """The answer as server-sent events, in two pieces."""
    half = len(text) // 2
    pieces = [text[:half], text[half:]]
    if "/converse" in path:
        return converse_stream(pieces, size)
    events: list[tuple[str | None, Any]]
    if path.endswith("/v2/chat"):
        begun = {"message": {"content": {"type": "text", "text": ""}}}
        events = [(None, {"type": "message-start", "id": "c0", "delta": {"message": {"role": "assistant"}}})]
        events += [(None, {"type": "content-start", "index": 0, "delta": begun})]
        for piece in pieces:
            delta = {"message": {"content": {"text": piece}}}
            events.append((None, {"type": "content-delta", "index": 0, "delta": delta}))
        events += [(None, {"type": "content-end", "index": 0})]
        usage = {"tokens": {"input_tokens": size, "output_tokens": 9}}
        events += [(None, {"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": usage}})]
        return "".join(f"data: {json.dumps(data)}\n\n" for _, data in events).encode()
    if path.endswith("/messages"):
        start = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [],
            "usage": {"input_tokens": size, "output_tokens": 1},
        }
        events = [("message_start", {"type": "message_start", "message": start})]
        events += [
            (
                "content_block_start",
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            )
        ]
        for piece in pieces:
            delta = {"type": "text_delta", "text": piece}
            events.append(("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}))
        events += [("content_block_stop", {"type": "content_block_stop", "index": 0})]
        events += [
            (
                "message_delta",
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            )
        ]
        events += [("message_stop", {"type": "message_stop"})]
    elif "enerateContent" in path:
        events = [(None, {"candidates": [{"content": {"role": "model", "parts": [{"text": one}]}}]}) for one in pieces]
        events[-1][1]["candidates"][0]["finishReason"] = "STOP"
    else:
        events = [(None, {"choices": [{"index": 0, "delta": {"role": "assistant", "content": one}}]}) for one in pieces]
        events += [(None, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}), (None, "[DONE]")]
    lines = [
        (f"event: {name}\n" if name else "") + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
        for name, data in events
    ]
    return "".join(lines).encode()
