"""OpenAI's streams: chat completions, as nearly every server speaks them, and responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snapshot_sdk.adapters._joined import joined


def merge_chat(events: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], bool]:
    """Chat completions, and the older completions with ``text``. Usage: the last that came (it is cumulative).

    Args:
        events: In order.

    Returns:
        The body, and whether the protocol's own end was seen.
    """
    body: dict[str, Any] = {"choices": []}
    choices: dict[int, dict[str, Any]] = {}
    for event in events:
        for name in ("id", "model", "service_tier", "system_fingerprint"):
            if event.get(name):
                body[name] = event[name]
        usage = event.get("usage") or (event.get("x_groq") or {}).get("usage")
        if usage:
            body["usage"] = usage
        for part in event.get("choices") or ():
            index = part.get("index") or 0
            choice = choices.setdefault(index, {"index": index, "message": {"role": "assistant"}})
            if part.get("finish_reason"):
                choice["finish_reason"] = part["finish_reason"]
            delta = part.get("delta") or part.get("message") or {}
            if isinstance(part.get("text"), str):
                delta = {"content": part["text"]}
            _add_delta(choice["message"], delta)
    for choice in choices.values():
        for call in choice["message"].get("tool_calls") or ():
            call.pop("index", None)  # only the pieces carry it
    body["choices"] = [choices[index] for index in sorted(choices)]
    done = bool(choices) and all(choice.get("finish_reason") for choice in choices.values())
    return body, done


def _add_delta(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for name, value in delta.items():
        if value is None:
            message.setdefault(name, None)
        elif name == "tool_calls":
            calls = message.get(name) or []
            for part in value:
                _add_call(calls, part)
            message[name] = calls
        elif name == "function_call":
            _add_function(message.setdefault(name, {}), value)
        elif name == "role":
            message[name] = value
        else:
            message[name] = joined(message.get(name), value)


def _add_call(calls: list[dict[str, Any]], part: dict[str, Any]) -> None:
    """Calls come in pieces with an index; where a server leaves it out, an id begins a new one."""
    index = part.get("index")
    call = next((one for one in calls if index is not None and one.get("index") == index), None)
    if call is None and index is None and calls and part.get("id") in (None, "", calls[-1].get("id")):
        call = calls[-1]
    if call is None:
        call = {} if index is None else {"index": index}
        calls.append(call)
    for name, value in part.items():
        if name == "function" and isinstance(value, dict):
            _add_function(call.setdefault("function", {}), value)
        elif value is not None and not (value == "" and call.get(name)):
            call[name] = value


def _add_function(function: dict[str, Any], part: dict[str, Any]) -> None:
    for name, value in part.items():
        if name == "arguments":
            function[name] = joined(function.get(name), value)
        elif value:
            function[name] = value


def merge_responses(events: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], bool]:
    """The last event holds the whole answer; of a stream that was cut, the items so far.

    Args:
        events: In order.

    Returns:
        The body, and whether the protocol's own end was seen.
    """
    body: dict[str, Any] = {}
    items: dict[int, dict[str, Any]] = {}
    for event in events:
        kind = str(event.get("type"))
        response = event.get("response")
        if isinstance(response, dict):
            body = response
            if kind in ("response.completed", "response.incomplete", "response.failed"):
                return body, True
        index = event.get("output_index")
        if not isinstance(index, int):
            continue
        if isinstance(event.get("item"), dict):
            items[index] = event["item"]
        elif kind == "response.output_text.delta":
            item = items.setdefault(index, {"type": "message", "role": "assistant"})
            item["content"] = _part(item.get("content"), event, {"type": "output_text", "text": ""}, "text")
        elif kind == "response.function_call_arguments.delta":
            item = items.setdefault(index, {"type": "function_call"})
            item["arguments"] = (item.get("arguments") or "") + str(event.get("delta") or "")
        elif kind == "response.reasoning_summary_text.delta":
            item = items.setdefault(index, {"type": "reasoning"})
            item["summary"] = _part(item.get("summary"), event, {"type": "summary_text", "text": ""}, "text")
    return {**body, "output": [items[index] for index in sorted(items)]}, False


def _part(parts: Any, event: dict[str, Any], empty: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = list(parts) if isinstance(parts, list) else []
    place = event.get("content_index", event.get("summary_index"))
    place = place if isinstance(place, int) and 0 <= place <= len(found) else max(len(found) - 1, 0)
    if place == len(found):
        found.append(dict(empty))
    found[place] = {**found[place], name: str(found[place].get(name) or "") + str(event.get("delta") or "")}
    return found
