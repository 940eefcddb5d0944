"""What a span says of a model call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from snapshot_sdk.adapters.genai_spans import agent_run_of, conversation_of, is_model_call, read_span_call

ASKED = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "hi"}]}])
SAID = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "yes"}], "finish_reason": "stop"}])
CHAT: dict[str, Any] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4.1",
    "gen_ai.input.messages": ASKED,
    "gen_ai.output.messages": SAID,
}
BODY = {
    "model": "claude-x",
    "system": [{"type": "text", "text": "Be kind"}],
    "messages": [{"role": "user", "content": "hi"}],
    "max_tokens": 5,
}


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"openinference.span.kind": "LLM"}, True),
        ({"openinference": {"span": {"kind": "LLM"}}}, True),
        ({"openinference.span.kind": "CHAIN", "llm.input_messages.0.message.role": "user"}, False),
        ({"gen_ai.operation.name": "chat"}, True),
        ({"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": ASKED}, False),
        ({"gen_ai.operation.name": "execute_tool"}, False),
        ({"gen_ai.operation.name": "embeddings"}, False),
        ({"llm.request.type": "chat"}, True),
        ({"llm.request.type": "embedding"}, False),
        ({"traceloop.span.kind": "workflow", "gen_ai.prompt.0.content": "x"}, False),
        ({"gen_ai.prompt.0.content": "x"}, True),
        ({"ai.operationId": "ai.generateText.doGenerate"}, True),
        ({"ai.operationId": "ai.generateText", "ai.prompt.messages": "[]"}, False),
        ({"request_data": json.dumps(BODY)}, True),
        ({"http.method": "POST"}, False),
        ({}, False),
    ],
)
def test_model_calls(attributes: dict[str, Any], expected: bool) -> None:
    """A call of a model is told from runs of agents, tools, chains and embeddings."""
    assert is_model_call(attributes) is expected


def test_the_conventions() -> None:
    """A call is put together as a chat completion, and what is not told is named."""
    call = read_span_call({**CHAT, "gen_ai.request.temperature": 0.3, "gen_ai.usage.input_tokens": 9})

    assert call is not None
    assert call.request == {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}], "temperature": 0.3}
    assert (call.api, call.whole, call.missing) == ("openai.chat", False, ("system", "tools", "parameters"))
    assert call.answer == {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9},
    }


def test_another_providers_messages() -> None:
    """Messages of a provider that speaks another dialect were sent in another form."""
    call = read_span_call({**CHAT, "gen_ai.provider.name": "aws.bedrock"})

    assert call is not None
    assert "wire form" in call.missing


def test_the_providers_own_body() -> None:
    """A body that the span holds is the request, in its own dialect, and lacks nothing."""
    answer = {"id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": "yes"}], "usage": {}}
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.system": "anthropic",
        "input.value": json.dumps(BODY),
        "output.value": json.dumps(answer),
        "llm.input_messages.0.message.role": "user",
    }

    call = read_span_call(attributes)

    assert call is not None
    assert (call.request, call.api, call.whole, call.missing) == (BODY, "anthropic.messages", True, ())
    assert call.answer == answer


def test_an_own_body_with_a_told_answer() -> None:
    """Where the answer is told in attributes only, it is worded as the request's provider does."""
    attributes = {
        "openinference.span.kind": "LLM",
        "input.value": json.dumps(BODY),
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "yes",
        "llm.token_count.prompt": 12,
    }

    call = read_span_call(attributes)

    assert call is not None
    assert call.answer is not None
    assert call.answer["content"] == [{"type": "text", "text": "yes"}]
    assert call.answer["usage"]["input_tokens"] == 12


def test_messages_only() -> None:
    """An object of messages without a model is no whole body: the rest comes from the span."""
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m",
        "llm.invocation_parameters": '{"temperature": 1}',
        "input.value": json.dumps({"messages": [{"role": "user", "content": "hi"}]}),
    }

    call = read_span_call(attributes)

    assert call is not None
    assert call.request == {"model": "m", "temperature": 1, "messages": [{"role": "user", "content": "hi"}]}
    assert (call.whole, call.missing) == (False, ("tools",))


def test_hidden_parts() -> None:
    """A body with something hidden in it is not whole, and says so."""
    body = {**BODY, "messages": [{"role": "user", "content": "__REDACTED__"}]}

    call = read_span_call({"openinference.span.kind": "LLM", "input.value": json.dumps(body)})

    assert call is not None
    assert (call.whole, call.missing) == (False, ("redacted content",))
    assert call.problems


def test_no_content() -> None:
    """A call whose content was not captured cannot be shown."""
    told = {name: value for name, value in CHAT.items() if "messages" not in name}

    assert is_model_call(told)
    assert read_span_call(told) is None


def test_dropped_oldest() -> None:
    """With the answer there, what was dropped is the oldest; a prompt without a gap lost none of its messages."""
    attributes = {
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "hi",
        "gen_ai.completion.0.content": "yes",
    }

    call = read_span_call(attributes, dropped=4)

    assert call is not None
    assert "later messages" not in call.missing
    assert "4 attribute(s)" in call.problems[0]


def test_dropped_newest() -> None:
    """Other languages' libraries drop the newest: no answer, and the prompt may have lost its end."""
    attributes = {"llm.request.type": "chat", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "hi"}

    call = read_span_call(attributes, dropped=4)

    assert call is not None
    assert "later messages" in call.missing


def test_the_one_event() -> None:
    """Messages may stand in one event in place of the attributes."""
    told = {name: value for name, value in CHAT.items() if "messages" not in name}
    details = {"gen_ai.input.messages": ASKED, "gen_ai.output.messages": SAID}

    call = read_span_call(told, [("gen_ai.client.inference.operation.details", details)])

    assert call is not None
    assert call.request["messages"] == [{"role": "user", "content": "hi"}]


def test_events_in_an_attribute() -> None:
    """pydantic-ai keeps its events in one attribute."""
    told = [
        {"event.name": "gen_ai.user.message", "role": "user", "content": "hi"},
        {"event.name": "gen_ai.choice", "index": 0, "message": {"role": "assistant", "content": "yes"}},
    ]

    call = read_span_call({"gen_ai.operation.name": "chat", "events": json.dumps(told)})

    assert call is not None
    assert call.request["messages"] == [{"role": "user", "content": "hi"}]
    assert call.answer is not None
    assert call.answer["choices"][0]["message"]["content"] == "yes"


@pytest.mark.parametrize(
    ("events", "failure", "more", "expected"),
    [
        ([("exception", {"exception.type": "RateLimit", "exception.message": "429"})], "x", {}, "RateLimit: 429"),
        ([], "refused", {}, "refused"),
        ([], None, {"error.type": "timeout"}, "timeout"),
        ([], None, {}, None),
    ],
)
def test_errors(events: list[Any], failure: str | None, more: dict[str, Any], expected: str | None) -> None:
    """An exception says most, then the status, then the type of the error."""
    call = read_span_call({**CHAT, **more}, events, failure=failure)

    assert call is not None
    assert call.error == expected


def test_kept_by_the_provider() -> None:
    """What a stateful request refers to is not in the span."""
    attributes = {**CHAT, "llm.invocation_parameters": json.dumps({"model": "m", "previous_response_id": "resp_1"})}

    call = read_span_call(attributes)

    assert call is not None
    assert "earlier messages" in call.missing


@pytest.mark.parametrize(
    "attributes",
    [{"gen_ai.conversation.id": "c"}, {"session.id": "c"}, {"traceloop.association.properties.thread_id": "c"}],
)
def test_conversations(attributes: dict[str, str]) -> None:
    """A conversation has a name in each convention."""
    assert conversation_of(attributes) == "c"


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}, "a"),
        ({"openinference.span.kind": "AGENT"}, "span"),
        ({"traceloop.span.kind": "agent", "traceloop.entity.name": "a"}, "a"),
        ({"gen_ai.operation.name": "chat", "gen_ai.agent.name": "a"}, None),
    ],
)
def test_agents(attributes: dict[str, str], expected: str | None) -> None:
    """A run of an agent is told from a call that an agent made."""
    assert agent_run_of(attributes, "span") == expected


@pytest.mark.parametrize("odd", [None, 3, "", "[", "{}", "null", [], [1], {"a": [None]}, "[[1]]", '[{"role": 5}]'])
def test_odd_values(odd: Any) -> None:
    """No value anywhere makes reading fail."""
    for name in (*CHAT, "events", "input.value", "output.value", "llm.input_messages", "llm.tools", "gen_ai.prompt.0"):
        read_span_call(
            {**CHAT, name: odd}, [("gen_ai.choice", {"message": odd}), ("gen_ai.user.message", {"body": odd})]
        )
