"""OpenAI's answers made of recorded messages: chat completions, as nearly every server speaks them, and responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from snapshot_sdk._fixture_values import PlayedCall
from snapshot_sdk._playback_values import Asked

DONE: Final = "[DONE]"
"""What OpenAI's protocol sends last."""

PIECE: Final = 80
"""Characters of one event of a streamed text: long enough to be quick, short enough to come in several."""

_ECHOED: Final = ("instructions", "metadata", "temperature", "top_p", "tools", "tool_choice", "parallel_tool_calls")
"""Members of a request that a response repeats."""


def pieces(text: str) -> list[str]:
    """Cuts a text as a stream brings it; an empty one is one piece.

    Args:
        text: The text.
    """
    return [text[place : place + PIECE] for place in range(0, len(text), PIECE)] or [""]


def whole_chat(call: PlayedCall, asked: Asked) -> dict[str, Any]:
    """Returns the body of a chat completion.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    choices = [
        {"index": index, "message": message, "finish_reason": _reason(call, message), "logprobs": None}
        for index, message in enumerate(_messages(call))
    ]
    return {**_chat_head(call, asked, "chat.completion"), "choices": choices, **_usage(call)}


def chat_events(call: PlayedCall, asked: Asked) -> Iterator[Any]:
    """Yields the events of a streamed chat completion.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    head = _chat_head(call, asked, "chat.completion.chunk")
    options = asked.body.get("stream_options")
    counted = isinstance(options, Mapping) and bool(options.get("include_usage"))
    between = {"usage": None} if counted else {}
    for index, message in enumerate(_messages(call)):
        for delta in _deltas(message):
            yield {**head, "choices": [{"index": index, "delta": delta, "finish_reason": None}], **between}
        last = {"index": index, "delta": {}, "finish_reason": _reason(call, message)}
        yield {**head, "choices": [last], **between}
    if counted:
        yield {**head, "choices": [], **_usage(call)}
    yield DONE


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": message.get("role") or "assistant", "content": "" if message.get("content") else None}
    for name, value in message.items():
        if name == "role" or value is None:
            continue
        if name == "tool_calls" and isinstance(value, Sequence):
            # Each call at once: some servers never cut one, and their clients take no piece of one.
            yield from ({"tool_calls": [{"index": index, **one}]} for index, one in enumerate(value))
        elif isinstance(value, str) and value:
            yield from ({name: piece} for piece in pieces(value))
        elif not isinstance(value, str):
            yield {name: value}


def _messages(call: PlayedCall) -> list[Mapping[str, Any]]:
    empty: list[Mapping[str, Any]] = [{"role": "assistant", "content": ""}]
    return [message for message in call.answer if isinstance(message, Mapping)] or empty


def _reason(call: PlayedCall, message: Mapping[str, Any]) -> str:
    return call.stop_reason or ("tool_calls" if message.get("tool_calls") else "stop")


def _usage(call: PlayedCall) -> dict[str, Any]:
    return {} if call.usage is None else {"usage": dict(call.usage)}


def _chat_head(call: PlayedCall, asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-played-{call.call}", "object": kind, "created": 0, "model": call.model or asked.model}


def whole_completion(call: PlayedCall, asked: Asked) -> dict[str, Any]:
    """Returns the body of one of the older completions.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    choices = [
        {"index": index, "text": message.get("content") or "", "finish_reason": call.stop_reason or "stop"}
        for index, message in enumerate(_messages(call))
    ]
    return {**_chat_head(call, asked, "text_completion"), "choices": choices, **_usage(call)}


def completion_events(call: PlayedCall, asked: Asked) -> Iterator[Any]:
    """Yields the events of one of the older completions.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    whole = whole_completion(call, asked)
    for choice in whole["choices"]:
        texts = pieces(choice["text"])
        for text in texts[:-1]:
            yield {**whole, "choices": [{**choice, "text": text, "finish_reason": None}]}
        yield {**whole, "choices": [{**choice, "text": texts[-1]}]}
    yield DONE


def whole_response(call: PlayedCall, asked: Asked) -> dict[str, Any]:
    """Returns the body of a response, or of a compaction of its endpoint.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    if asked.path.endswith("/compact"):
        head = {"id": f"resp_played_{call.call}", "object": "response.compaction", "created_at": 0}
        return {**head, "output": _items(call), **_usage(call)}
    status = call.stop_reason if call.stop_reason in ("completed", "failed", "in_progress") else None
    incomplete = None if call.stop_reason is None or status else {"reason": call.stop_reason}
    return {
        "id": f"resp_played_{call.call}",
        "object": "response",
        "created_at": 0,
        "model": call.model or asked.model,
        "status": status or ("incomplete" if incomplete else "completed"),
        "error": None,
        "incomplete_details": incomplete,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": _items(call),
        "usage": None if call.usage is None else dict(call.usage),
        **{name: asked.body[name] for name in _ECHOED if asked.body.get(name) is not None},
    }


def _items(call: PlayedCall) -> list[dict[str, Any]]:
    """The items as recorded; what every client expects of a message and was not recorded is put to it."""
    items = []
    for index, item in enumerate(call.answer):
        if not isinstance(item, Mapping):
            continue
        whole = {"id": f"item_played_{call.call}_{index}", **item}
        if item.get("type") == "message" or ("type" not in item and "content" in item):
            whole = {"type": "message", "status": "completed", **whole, "content": _parts(item.get("content"))}
        items.append(whole)
    return items


def _parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        content = [{"type": "output_text", "text": content}]
    return [
        {"annotations": [], **part} if isinstance(part, Mapping) and part.get("type") == "output_text" else part
        for part in content or ()
    ]


def response_events(call: PlayedCall, asked: Asked) -> Iterator[Any]:
    """Yields the events of a streamed response, numbered.

    Args:
        call: What was recorded.
        asked: What the agent sent.
    """
    for number, event in enumerate(_response_events(whole_response(call, asked))):
        yield {**event, "sequence_number": number}


def _response_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**whole, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(whole["output"]):
        yield from _item_events(index, item)
    ended = whole["status"] if whole["status"] in ("incomplete", "failed") else "completed"
    yield {"type": f"response.{ended}", "response": whole}


def _item_events(index: int, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    place = {"output_index": index, "item_id": item["id"]}
    begun = item
    if item.get("type") == "message":
        begun = {**item, "status": "in_progress", "content": []}
    elif isinstance(item.get("arguments"), str):
        begun = {**item, "arguments": ""}
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}
    if item.get("type") == "message":
        for number, part in enumerate(item["content"]):
            yield from _part_events({**place, "content_index": number}, part)
    elif item.get("type") == "function_call" and isinstance(item.get("arguments"), str):
        for piece in pieces(item["arguments"]):
            yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
        done = {"name": item.get("name"), "arguments": item["arguments"]}
        yield {"type": "response.function_call_arguments.done", **place, **done}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _part_events(place: dict[str, Any], part: Any) -> Iterator[dict[str, Any]]:
    text = part.get("text") if isinstance(part, Mapping) and part.get("type") == "output_text" else None
    begun = part if text is None else {**part, "text": ""}
    yield {"type": "response.content_part.added", **place, "part": begun}
    if isinstance(text, str):
        for piece in pieces(text):
            yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **place, "text": text, "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}
