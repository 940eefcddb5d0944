"""Provider bodies inside spans, and answers put together in the provider's own words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal

from snapshot_sdk.adapters._span_messages import Message
from snapshot_sdk.adapters._span_values import REDACTED, get, load

Family = Literal["openai.chat", "openai.responses", "anthropic.messages", "gemini.generate_content"]

_BODY_PATHS: Final = ("input.value", "request_data")
"""Where a whole body may stand: OpenInference, Logfire."""

_ANSWER_PATHS: Final = ("output.value", "response_data")

_ANSWERS: Final[Mapping[Family, str]] = {
    "openai.chat": "choices",
    "openai.responses": "output",
    "anthropic.messages": "content",
    "gemini.generate_content": "candidates",
}
"""The member by which an answer of each family is known."""


_CHAT_REASONS: Final = {"tool_call": "tool_calls"}
"""Reasons of the GenAI conventions that chat completions word otherwise."""


def own_body(attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the body as the client was given it, where the span holds it whole.

    Args:
        attributes: The span's.
    """
    for path in _BODY_PATHS:
        loaded = load(get(attributes, path))
        body = loaded.value
        if isinstance(body, Mapping) and not loaded.cut and (_is_chat(body) or _is_gemini(body) or _is_responses(body)):
            return dict(body)
    return None


def own_answer(attributes: Mapping[str, Any], family: Family) -> dict[str, Any] | None:
    """Returns the provider's answer, where the span holds it and it is of the request's family."""
    for path in _ANSWER_PATHS:
        answer = load(get(attributes, path)).value
        if isinstance(answer, Mapping) and isinstance(answer.get(_ANSWERS[family]), list):
            return dict(answer)
    return None


def family_of(body: Mapping[str, Any], provider: str | None) -> Family:
    """Tells in whose words a body is.

    Args:
        body: From :func:`own_body`.
        provider: Who was asked.
    """
    if "contents" in body:
        return "gemini.generate_content"
    if "messages" not in body:
        return "openai.responses"
    roles = {message.get("role") for message in body["messages"] if isinstance(message, Mapping)}
    if "system" in body or (provider and "anthropic" in provider.lower() and not roles & {"system", "tool"}):
        return "anthropic.messages"
    return "openai.chat"


def is_redacted(body: Any) -> bool:
    """Tells whether OpenInference hid a part of a value."""
    return REDACTED in json.dumps(body, ensure_ascii=False, default=str)


def made_answer(
    family: Family,
    messages: list[Message],
    reasons: list[str | None],
    usage: Mapping[str, Any] | None,
    identity: str | None,
    model: str | None,
) -> dict[str, Any]:
    """Puts an answer together in the words of the request's family.

    Args:
        family: Of the request.
        messages: In the shape of OpenAI's chat completions.
        reasons: Why each ended.
        usage: In the words of a chat completion.
        identity: The provider's id of the answer.
        model: The model that answered.
    """
    known = {"id": identity, "model": model}
    named: dict[str, Any] = {name: value for name, value in known.items() if value is not None}
    reason = next((one for one in reasons if one), None)
    if family == "openai.chat":
        words = [_CHAT_REASONS.get(one or "", one) for one in reasons]
        choices = [
            {"index": index, "message": message, "finish_reason": words[index]}
            for index, message in enumerate(messages)
        ]
        return {**named, "choices": choices, **({"usage": dict(usage)} if usage else {})}
    if family == "anthropic.messages":
        blocks = [block for message in messages for block in _anthropic_blocks(message)]
        body = {**named, "role": "assistant", "content": blocks, "stop_reason": reason}
        return {**body, "usage": _anthropic_usage(usage)} if usage else body
    if family == "openai.responses":
        output = [item for message in messages for item in _responses_items(message)]
        body = {**named, "output": output}
        return {**body, "usage": _responses_usage(usage)} if usage else body
    parts = [part for message in messages for part in _gemini_parts(message)]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason}
    body = {"candidates": [candidate], **({"responseId": identity} if identity else {})}
    return {**body, "usageMetadata": _gemini_usage(usage)} if usage else body


def _is_chat(body: Mapping[str, Any]) -> bool:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return False
    return all(isinstance(message, Mapping) and "role" in message for message in messages)


def _is_gemini(body: Mapping[str, Any]) -> bool:
    """Gemini's REST body; the arguments of its client (with ``config``) are none."""
    contents = body.get("contents")
    listed = isinstance(contents, list) and all(isinstance(one, Mapping) and "parts" in one for one in contents)
    return listed and "config" not in body


def _is_responses(body: Mapping[str, Any]) -> bool:
    return isinstance(body.get("model"), str) and isinstance(body.get("input"), list | str)


def _texts(message: Message) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content] if content else []
    texts = (block.get("text") for block in content or () if isinstance(block, Mapping))
    return [one for one in texts if isinstance(one, str)]


def _calls(message: Message) -> list[tuple[Any, Any, str]]:
    return [
        (call.get("id"), get(call, "function.name"), str(get(call, "function.arguments")))
        for call in message.get("tool_calls", ())
    ]


def _anthropic_blocks(message: Message) -> list[dict[str, Any]]:
    thinking = message.get("reasoning_content")
    return [
        *([{"type": "thinking", "thinking": thinking}] if thinking else []),
        *({"type": "text", "text": one} for one in _texts(message)),
        *(
            {"type": "tool_use", "id": identity, "name": name, "input": load(arguments).value}
            for identity, name, arguments in _calls(message)
        ),
    ]


def _responses_items(message: Message) -> list[dict[str, Any]]:
    texts, thinking = _texts(message), message.get("reasoning_content")
    content = [{"type": "output_text", "text": one} for one in texts]
    return [
        *([{"type": "reasoning", "summary": [{"type": "summary_text", "text": thinking}]}] if thinking else []),
        *([{"type": "message", "role": "assistant", "content": content}] if content else []),
        *(
            {"type": "function_call", "call_id": identity, "name": name, "arguments": arguments}
            for identity, name, arguments in _calls(message)
        ),
    ]


def _gemini_parts(message: Message) -> list[dict[str, Any]]:
    thinking = message.get("reasoning_content")
    return [
        *([{"text": thinking, "thought": True}] if thinking else []),
        *({"text": one} for one in _texts(message)),
        *({"functionCall": {"name": name, "args": load(arguments).value}} for _, name, arguments in _calls(message)),
    ]


def _anthropic_usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Anthropic counts what was read from the cache and written to it beside its input."""
    read = get(usage, "prompt_tokens_details.cached_tokens")
    written = get(usage, "prompt_tokens_details.cache_write_tokens")
    prompt = usage.get("prompt_tokens")
    return {
        "input_tokens": None if prompt is None else prompt - (read or 0) - (written or 0),
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "output_tokens": usage.get("completion_tokens"),
    }


def _responses_usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "input_tokens": usage.get("prompt_tokens"),
        "input_tokens_details": usage.get("prompt_tokens_details"),
        "output_tokens": usage.get("completion_tokens"),
        "output_tokens_details": usage.get("completion_tokens_details"),
    }


def _gemini_usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Gemini counts thoughts beside the answer's candidates."""
    thoughts = get(usage, "completion_tokens_details.reasoning_tokens")
    answer = usage.get("completion_tokens")
    return {
        "promptTokenCount": usage.get("prompt_tokens"),
        "cachedContentTokenCount": get(usage, "prompt_tokens_details.cached_tokens"),
        "candidatesTokenCount": answer if answer is None else answer - (thoughts or 0),
        "thoughtsTokenCount": thoughts,
    }
