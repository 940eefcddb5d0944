"""Bodies inside spans, and answers in the words of their family."""

from __future__ import annotations

import json
from typing import Any

import pytest

from snapshot_sdk.adapters._span_bodies import Family, family_of, made_answer, own_answer, own_body

MESSAGE = {
    "role": "assistant",
    "content": "yes",
    "reasoning_content": "hm",
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
}
USAGE = {
    "prompt_tokens": 1050,
    "completion_tokens": 9,
    "prompt_tokens_details": {"cached_tokens": 1000},
    "completion_tokens_details": {"reasoning_tokens": 4},
}


@pytest.mark.parametrize(
    "body",
    [
        {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
        {"model": "m", "input": "hi"},
        {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
    ],
)
def test_own_body(body: dict[str, Any]) -> None:
    """OpenInference keeps the body as it was given to the client."""
    assert own_body({"input.value": json.dumps(body), "input.mime_type": "application/json"}) == body


@pytest.mark.parametrize(
    "value",
    [
        "hi",
        '{"question": "hi"}',
        '{"messages": [["HumanMessage", "hi"]]}',
        '{"messages": []}',
        '{"model": "m", "contents": [{"parts": []}], "config": {}}',
        '{"model": "m", "messages": [{"role": "user", "content": "h',
    ],
)
def test_no_body(value: str) -> None:
    """Text, other objects, a client's arguments and a body that breaks off are none."""
    assert own_body({"input.value": value}) is None


@pytest.mark.parametrize(
    ("body", "provider", "family"),
    [
        ({"messages": [{"role": "user"}]}, "openai", "openai.chat"),
        ({"messages": [{"role": "user"}], "system": "x"}, None, "anthropic.messages"),
        ({"messages": [{"role": "user"}]}, "Anthropic", "anthropic.messages"),
        ({"messages": [{"role": "system"}]}, "anthropic", "openai.chat"),
        ({"input": "x"}, None, "openai.responses"),
        ({"contents": []}, None, "gemini.generate_content"),
    ],
)
def test_family(body: dict[str, Any], provider: str | None, family: Family) -> None:
    """The body tells in whose words it is; the provider decides where two use the same."""
    assert family_of(body, provider) == family


def test_an_answer_of_another_family() -> None:
    """An answer that an instrumentation rewrote is not taken for the provider's."""
    attributes = {"output.value": json.dumps({"content": [{"type": "text", "text": "yes"}]})}

    assert own_answer(attributes, "anthropic.messages") is not None
    assert own_answer(attributes, "openai.chat") is None


def test_chat_answer() -> None:
    """A chat completion has its message, its reason in OpenAI's words, and its usage."""
    body = made_answer("openai.chat", [MESSAGE], ["tool_call"], USAGE, "id1", "m")

    assert body["choices"] == [{"index": 0, "message": MESSAGE, "finish_reason": "tool_calls"}]
    assert (body["id"], body["model"], body["usage"]) == ("id1", "m", USAGE)


def test_anthropic_answer() -> None:
    """Anthropic's has blocks, and counts the cache beside the input."""
    body = made_answer("anthropic.messages", [MESSAGE], ["tool_use"], USAGE, None, None)

    assert [block["type"] for block in body["content"]] == ["thinking", "text", "tool_use"]
    assert body["content"][2]["input"] == {"a": 1}
    assert (body["usage"]["input_tokens"], body["usage"]["cache_read_input_tokens"]) == (50, 1000)


def test_responses_answer() -> None:
    """The Responses API's has items."""
    body = made_answer("openai.responses", [MESSAGE], ["stop"], USAGE, None, None)

    assert [item["type"] for item in body["output"]] == ["reasoning", "message", "function_call"]
    assert body["usage"]["input_tokens"] == 1050


def test_gemini_answer() -> None:
    """Gemini's has parts, and counts thoughts beside the answer."""
    body = made_answer("gemini.generate_content", [MESSAGE], ["STOP"], USAGE, None, None)

    [candidate] = body["candidates"]
    assert [next(iter(part)) for part in candidate["content"]["parts"]] == ["text", "text", "functionCall"]
    assert (body["usageMetadata"]["candidatesTokenCount"], body["usageMetadata"]["thoughtsTokenCount"]) == (5, 4)
