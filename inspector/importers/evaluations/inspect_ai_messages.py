"""Bodies in the shape of OpenAI's chat from inspect_ai's own messages, tools and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.importers.reading.values import spaced, tool_call

_SETTINGS: Final = {
    "best_of": "best_of", "frequency_penalty": "frequency_penalty", "logit_bias": "logit_bias", "logprobs": "logprobs",
    "max_tokens": "max_tokens", "num_choices": "n", "parallel_tool_calls": "parallel_tool_calls",
    "presence_penalty": "presence_penalty", "reasoning_effort": "reasoning_effort",
    "reasoning_tokens": "reasoning_tokens", "seed": "seed", "stop_seqs": "stop", "temperature": "temperature",
    "top_k": "top_k", "top_logprobs": "top_logprobs", "top_p": "top_p", "verbosity": "verbosity",
}  # fmt: skip
"""Settings that reach a model → parameters; others (``max_retries``, ``timeout`` …) steer inspect_ai."""

_FINISHED: Final = {"max_tokens": "length", "model_length": "length", "unknown": None}
"""Stop reasons that OpenAI words otherwise, and what inspect_ai says where none was given."""


def request_of(event: Mapping[str, Any], messages: list[Any]) -> dict[str, Any]:
    """Put a request together from a model event.

    Args:
        event: The event, with attachments resolved.
        messages: Its input.
    """
    tools = [_tool(tool) for tool in event.get("tools") or () if isinstance(tool, dict)]
    config = event.get("config")
    settings = config if isinstance(config, dict) else {}
    request: dict[str, Any] = {"messages": [message_of(message) for message in messages]}
    if tools:
        request["tools"] = tools
        request["tool_choice"] = _choice(event.get("tool_choice"))
    request |= {_SETTINGS[name]: value for name, value in settings.items() if name in _SETTINGS and value is not None}
    model = event.get("model")
    return {"model": model, **request} if isinstance(model, str) else request


def answer_of(output: Mapping[str, Any]) -> dict[str, Any] | None:
    """Put a chat completion together from an output; None: it has no choices, so nothing came."""
    choices = [choice for choice in output.get("choices") or () if isinstance(choice, dict)]
    if not choices:
        return None
    body: dict[str, Any] = {
        "model": output.get("model"),
        "choices": [
            {
                "index": place,
                "message": message_of(choice.get("message")),
                "finish_reason": _FINISHED.get(str(choice.get("stop_reason")), choice.get("stop_reason")),
            }
            for place, choice in enumerate(choices)
        ],
    }
    usage = usage_of(output.get("usage"))
    return body if usage is None else {**body, "usage": usage}


def usage_of(usage: Any) -> dict[str, Any] | None:
    """Word usage as OpenAI does, whose count of the prompt includes what came from and went to the cache.

    inspect_ai leaves both out; versions of 2025 and before did not for OpenAI's models. The total tells which it is.
    """
    if not isinstance(usage, dict):
        return None
    prompt, answer, total = (_count(usage.get(name)) for name in ("input_tokens", "output_tokens", "total_tokens"))
    read, written = (_count(usage.get(f"input_tokens_cache_{name}")) for name in ("read", "write"))
    beside = (read or 0) + (written or 0)
    if prompt is not None and beside and (total is None or answer is None or total != prompt + answer):
        prompt += beside
    details = {"cached_tokens": read, "cache_write_tokens": written}
    named = {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "prompt_tokens_details": {name: value for name, value in details.items() if value is not None} or None,
    }
    reasoning = _count(usage.get("reasoning_tokens"))
    if reasoning is not None:
        named["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return {name: value for name, value in named.items() if value is not None}


def message_of(message: Any) -> Any:
    """Give a message in OpenAI's shape; what is no message is given as it is."""
    if not isinstance(message, dict):
        return message
    role = message.get("role")
    reasoning, content = _content(message.get("content"))
    found: dict[str, Any] = {"role": role, "content": content}
    if reasoning:
        found["reasoning_content"] = "\n".join(reasoning)
    calls = [_call(call) for call in message.get("tool_calls") or () if isinstance(call, dict)]
    if calls:
        found["tool_calls"] = calls
    if role == "tool":
        found |= {"tool_call_id": message.get("tool_call_id"), "name": message.get("function")}
        error = message.get("error")
        if isinstance(error, dict) and error.get("message"):
            found["content"] = str(error["message"])  # what providers are sent in place of a result
    return {name: value for name, value in found.items() if value is not None or name == "content"}


def _content(content: Any) -> tuple[list[str], Any]:
    """Split content into reasoning and the rest."""
    if not isinstance(content, list):
        return [], content
    reasoning: list[str] = []
    blocks: list[Any] = []
    for block in content:
        if isinstance(block, dict) and block.get("type") == "reasoning":
            text = block.get("summary") if block.get("redacted") else block.get("reasoning")
            if isinstance(text, str) and text:
                reasoning.append(text)
        else:
            blocks += _blocks(block)
    return reasoning, blocks


def _blocks(block: Any) -> Iterator[Any]:
    if not isinstance(block, dict):
        yield block
        return
    kind = block.get("type")
    if kind == "text":
        yield {"type": "text", "text": block.get("text")}
    elif kind == "image":
        detail = {"detail": block["detail"]} if block.get("detail") not in (None, "auto") else {}
        yield {"type": "image_url", "image_url": {"url": block.get("image"), **detail}}
    elif kind == "audio":
        audio = str(block.get("audio"))
        data = audio.partition(";base64,")[2] if audio.startswith("data:") else audio
        yield {"type": "input_audio", "input_audio": {"data": data, "format": block.get("format")}}
    elif kind == "document":
        file = {"filename": block.get("filename"), "file_data": block.get("document")}
        yield {"type": "file", "file": {name: value for name, value in file.items() if value is not None}}
    else:
        yield {name: value for name, value in block.items() if name != "internal"}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    """Word a tool call; very old logs have its function and arguments in the same places."""
    arguments = call.get("arguments")
    text = arguments if isinstance(arguments, str) else spaced(arguments)
    return tool_call(call.get("id"), call.get("function"), text)


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: tool[name] for name in ("name", "description", "parameters") if tool.get(name) is not None}
    return {"type": "function", "function": named}


def _choice(choice: Any) -> Any:
    """Word a choice of tools: ``any`` is OpenAI's ``required``; a tool is named in an object."""
    if isinstance(choice, dict):
        return {"type": "function", "function": {"name": choice.get("name")}}
    return "required" if choice == "any" else choice


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
