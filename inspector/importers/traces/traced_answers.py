"""What a tracing tool noted as the output of a model, as the provider's answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from inspector.importers.reading.values import compact, objects, tool_call
from inspector.importers.traces.langchain_messages import fields_of, to_openai_message
from inspector.importers.traces.traced_answer_forms import write_answer
from inspector.importers.traces.traced_messages import ANTHROPIC, CHAT, GEMINI, RESPONSES, read_message
from inspector.importers.traces.traced_usage import usage_of_langchain, write_usage
from inspector.importers.traces.traced_values import structure
from inspector.model.request import Usage

Message = dict[str, Any]

_REASONS: Final = ("finish_reason", "stop_reason", "finishReason")
_BESIDE: Final = frozenset({*_REASONS, "index", "logprobs", "usage_metadata"})
"""What may stand in a noted message and is about the answer, not of it."""

_CALLING: Final = ("content", "tool_calls")
_ARGUMENTS: Final = ("arguments", "args", "input")
_GEMINI_MEMBERS: Final = {"finish_reason": "finishReason", "usage_metadata": "usageMetadata",
                          "model_version": "modelVersion", "response_id": "responseId",
                          "prompt_feedback": "promptFeedback"}  # fmt: skip
"""Google's Python client names members in snake case; the API in camel case."""


def api_of_answer(value: Any) -> str | None:
    """Name the dialect that an output is in; None where it does not give that away."""
    value = _candidates(structure(value))
    if not isinstance(value, dict):
        return None
    if value.get("object") == "response" or (value.get("type") == "response" and "output" in value):
        return RESPONSES
    if isinstance(value.get("candidates"), list):
        return GEMINI
    if value.get("type") == "message" and value.get("role") == "assistant" and isinstance(value.get("content"), list):
        return ANTHROPIC if "stop_reason" in value or "usage" in value else None
    return CHAT if isinstance(value.get("choices"), list) else None


def read_answer(value: Any, api: str | None, usage: Usage | None) -> dict[str, Any] | None:
    """Write an output as the body of an answer.

    Args:
        value: The provider's answer, messages in any form, or a text.
        api: Dialect of the request; an answer in another form is written in it.
        usage: Tokens as the tracer counts them; those in the answer itself come first.

    Returns:
        The body; None where there is neither an output nor usage.
    """
    value = _candidates(structure(value))
    native = api_of_answer(value)
    if native is not None and api in (None, native):
        return _native(value, native, usage)
    if native is not None:
        usage = _own_usage(value) or usage
    messages, reason = _messages(value)
    written = write_usage(usage, api or CHAT)
    if not messages and written is None:
        return None
    body = write_answer(messages, reason, api)
    if written:
        body["usageMetadata" if api == GEMINI else "usage"] = written
    return body


def _candidates(value: Any) -> Any:
    """Put a single answer of Gemini, as its agent kit notes it, among the candidates it was one of."""
    content = value.get("content") if isinstance(value, dict) else None
    if not isinstance(content, dict) or not isinstance(content.get("parts"), list):
        return value
    rest = {key: one for key, one in value.items() if key not in ("content", "finish_reason", "finishReason")}
    reason = value.get("finishReason", value.get("finish_reason"))
    return {**rest, "candidates": [{"content": content, "finishReason": reason}]}


def _native(value: Mapping[str, Any], api: str, usage: Usage | None) -> dict[str, Any]:
    """Give the provider's own answer, with usage in its words."""
    body = dict(value)
    if api == CHAT:
        body["choices"] = [_choice(choice) for choice in body["choices"]]
    if api == GEMINI:
        body = {_GEMINI_MEMBERS.get(key, key): one for key, one in body.items()}
        body["candidates"] = [
            {_GEMINI_MEMBERS.get(key, key): one for key, one in candidate.items()}
            for candidate in objects(body["candidates"])
        ]
        if isinstance(body.get("usageMetadata"), dict):
            body["usageMetadata"] = {_camel(key): one for key, one in body["usageMetadata"].items()}
    name = "usageMetadata" if api == GEMINI else "usage"
    if not isinstance(body.get(name), dict):
        # LangSmith's wrappers put the provider's usage in LangChain's words.
        counted = usage_of_langchain(body.get("usage_metadata")) or usage
        body.pop(name, None)
        body |= {name: written} if (written := write_usage(counted, api)) else {}
    return body


def _choice(choice: Any) -> Any:
    """Mend a choice of a stream, of which LangSmith's SDK for JavaScript notes the last piece as its reason."""
    reason = choice.get("finish_reason") if isinstance(choice, dict) else None
    return {**choice, "finish_reason": reason.get("finish_reason")} if isinstance(reason, dict) else choice


def _own_usage(value: Mapping[str, Any]) -> Usage | None:
    return usage_of_langchain(value.get("usage_metadata")) or usage_of_langchain(value.get("usage"))


def _messages(value: Any) -> tuple[list[Message], str | None]:
    """Read messages out of an output, and why they ended."""
    if value is None or value == "":
        return [], None
    if isinstance(value, str):
        return [{"role": "assistant", "content": value}], None
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, dict):
        return [{"role": "assistant", "content": json.dumps(value)}], None
    reason = next((value[key] for key in _REASONS if isinstance(value.get(key), str)), None)
    found = _of_object(value)
    if found is not None:
        return found[0], found[1] or reason
    # An output that is no message is what the answer was parsed into.
    return [{"role": "assistant", "content": json.dumps(value, ensure_ascii=False)}], reason


def _of_list(values: Sequence[Any]) -> tuple[list[Message], str | None]:
    if all(isinstance(value, dict) and ("toolName" in value or "toolCallId" in value) for value in values):
        return [_with_calls(None, values)], "tool_calls"
    if any(
        isinstance(value, dict) and "role" not in value and value.get("type") == "function_call" for value in values
    ):
        return _of_items(values), None
    found = [(read_message(value), value) for value in values]
    messages = [message for some, _ in found for message in some]
    if not messages:
        return [{"role": "assistant", "content": json.dumps(values, ensure_ascii=False)}], None
    reasons = (value.get(key) for _, value in found if isinstance(value, dict) for key in _REASONS)
    answers = [_assistant(message) for message in messages]
    return answers, next((reason for reason in reasons if isinstance(reason, str)), None)


def _of_object(value: Mapping[str, Any]) -> tuple[list[Message], str | None] | None:
    """Read an object that is a message, or holds some; None where it does not."""
    generations = value.get("generations")
    if isinstance(generations, list):  # LangChain's result, of a batch of prompts
        return _of_generations(generations)
    for name in ("choices", "messages", "output"):
        inner = structure(value.get(name))
        if isinstance(inner, list) and inner:
            return _of_list(inner)
    for name in ("message", "output", "response"):
        inner = structure(value.get(name))
        if isinstance(inner, dict) and (found := read_message(inner)):
            return [_assistant(message) for message in found], None
        if isinstance(inner, str) and name != "message":
            return [{"role": "assistant", "content": inner}], None
    if isinstance(value.get("candidates"), list):
        return [_of_content(one.get("content")) for one in objects(value["candidates"])], None
    calls = value.get("toolCalls", value.get("tool_calls"))
    if "role" not in value and (isinstance(value.get("text"), str) or isinstance(calls, list)):  # Vercel's AI SDK
        return [_with_calls(value.get("text") or value.get("content"), structure(calls) or ())], None
    found = read_message(value)
    return ([_assistant(message) for message in found], None) if found else None


def _of_generations(generations: Sequence[Any]) -> tuple[list[Message], str | None]:
    messages: list[Message] = []
    reason: str | None = None
    for generation in objects(
        [one for batch in generations for one in (batch if isinstance(batch, list) else [batch])]
    ):
        message = to_openai_message(generation.get("message"))
        text = generation.get("text")
        messages.append(message or {"role": "assistant", "content": text if isinstance(text, str) else ""})
        info = generation.get("generation_info")
        told = [info, fields_of(generation["message"]).get("response_metadata")] if message else [info]
        for known in objects(told):
            reason = reason or next((known[key] for key in _REASONS if isinstance(known.get(key), str)), None)
    return messages, reason


def _of_items(items: Sequence[Any]) -> list[Message]:
    """Read items of a Responses answer as one message."""
    blocks = [block for item in objects(list(items)) for block in objects(item.get("content"))]
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    calls = [item for item in objects(list(items)) if item.get("type") == "function_call"]
    return [_with_calls("\n".join(texts) or None, calls)]


def _of_content(content: Any) -> Message:
    """Read Gemini's content as a message."""
    parts = content.get("parts") if isinstance(content, dict) else None
    texts = [part["text"] for part in objects(parts) if isinstance(part.get("text"), str) and not part.get("thought")]
    calls = [
        call for part in objects(parts) if isinstance(call := part.get("functionCall", part.get("function_call")), dict)
    ]
    return _with_calls("".join(texts), calls)


def _with_calls(text: Any, calls: Sequence[Any]) -> Message:
    message: Message = {"role": "assistant", "content": text}
    written = []
    for call in objects(list(calls)):
        inner = call.get("function")
        function = inner if isinstance(inner, dict) else call
        name = function.get("name") or call.get("toolName")
        given: Any = next(
            (function[key] for key in ("arguments", "args", "input") if function.get(key) is not None), {}
        )
        arguments = given if isinstance(given, str) else compact(given)
        call_id = call.get("call_id") or call.get("toolCallId") or call.get("id")
        written.append(tool_call(call_id, name, arguments))
    return {**message, "tool_calls": written} if written else message


def _assistant(message: Message) -> Message:
    """An output without a role, or with one of the user's by mistake, is the model's."""
    bare = {key: one for key, one in message.items() if key not in _BESIDE}
    if any(block.get("type") == "tool_use" for block in objects(bare.get("content"))):
        # Anthropic's calls stand among the blocks; those of all other APIs beside them.
        bare |= to_openai_message({"type": "ai", **{key: bare[key] for key in _CALLING if key in bare}}) or {}
    return {**bare, "role": "assistant"}


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)
