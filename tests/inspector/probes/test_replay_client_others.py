"""Facts about answers of Bedrock and Cohere: errors in their shapes, filters, calls of tools, and signed tries."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from inspector.probes.replay_aws import AwsKeys
from inspector.probes.replay_client import ReplayClient, Reply
from inspector.probes.replay_keys import Key
from inspector.probes.replay_request import ReplayRequest
from inspector.probes.replay_target import Address

ORDER = "My order number is ORD-2024-001."
BLOCKS = [{"text": ORDER}, {"text": "What is the order number?"}]
CONVERSE: dict[str, Any] = {"messages": [{"role": "user", "content": BLOCKS}]}
TALK = [{"role": "user", "content": one["text"]} for one in BLOCKS]
COHERE: dict[str, Any] = {"model": "command-a-03-2025", "messages": TALK}
PATHS = {"bedrock.converse": "/model/amazon.nova-pro-v1%3A0/converse", "cohere.chat": "/v2/chat"}
KEYS = AwsKeys("AKIDEXAMPLE", "a-very-secret-key", "eu-west-1", "a-temporary-token")


def ask(server: Any, api: str, body: dict[str, Any], key: Key | None = None) -> Reply:
    """Send a question."""
    request = ReplayRequest(Address(server.url + PATHS[api], api, own=True), body)
    with ReplayClient(key, timeout=20, first_wait=0.01) as client:
        return client.ask(request, threading.Event())


def converse(stop: str, *blocks: dict[str, Any]) -> str:
    """An answer of Bedrock's."""
    return json.dumps({"output": {"message": {"role": "assistant", "content": list(blocks)}}, "stopReason": stop})


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (400, '{"message": "The provided model identifier is invalid."}', "The provided model identifier is invalid."),
        (
            403,
            '{"Message": "User: arn:aws:iam::1:user/x is not authorized"}',
            "User: arn:aws:iam::1:user/x is not auth",
        ),
        (401, '{"id": "1", "message": "invalid api token"}', "invalid api token"),
    ],
)
def test_a_refusal_is_told_in_the_words_of_its_server(
    status: int, body: str, says: str, server: Any, failure: Callable[..., Any]
) -> None:
    """AWS and Cohere say it beside no ``error``; it is not asked again."""
    server.model.failures = [failure(status, {}, body)]
    reply = ask(server, "bedrock.converse", CONVERSE)

    assert reply.error is not None
    assert reply.error.startswith(f"HTTP {status}: {says}")
    assert len(server.model.requests) == 1


@pytest.mark.parametrize(("api", "body"), [("bedrock.converse", CONVERSE), ("cohere.chat", COHERE)])
def test_a_throttled_question_waits_as_long_as_it_is_told(
    api: str, body: dict[str, Any], server: Any, failure: Callable[..., Any]
) -> None:
    """Then it is asked again."""
    server.model.failures = [failure(429, {"retry-after": "0"}, '{"message": "Too many requests"}')]
    reply = ask(server, api, body)

    assert (reply.text, reply.attempts) == (ORDER, 2)


@pytest.mark.parametrize(
    ("stop", "says"),
    [
        ("guardrail_intervened", "a filter of the provider stopped the answer"),
        ("content_filtered", "a filter of the provider stopped the answer"),
        ("model_context_window_exceeded", "the answer was cut"),
        ("malformed_model_output", "the answer did not end"),
        ("malformed_tool_use", "it called a tool"),
    ],
)
def test_bedrock_says_why_it_is_no_answer(stop: str, says: str, server: Any, failure: Callable[..., Any]) -> None:
    """Though there are words: a guardrail's own, for one."""
    server.model.failures = [failure(200, {}, converse(stop, {"text": "Sorry, I cannot help."}))]
    reply = ask(server, "bedrock.converse", CONVERSE)

    assert reply.text is None
    assert reply.error is not None
    assert reply.error.startswith(says)


@pytest.mark.parametrize(
    ("stop", "says"), [("TIMEOUT", "did not end"), ("ERROR", "did not end"), ("TOOL_CALL", "tool")]
)
def test_cohere_says_why_it_is_no_answer(stop: str, says: str, server: Any, failure: Callable[..., Any]) -> None:
    """In capitals."""
    message = {"role": "assistant", "content": [{"type": "text", "text": "Let me"}]}
    server.model.failures = [failure(200, {}, json.dumps({"finish_reason": stop, "message": message}))]
    reply = ask(server, "cohere.chat", COHERE)

    assert reply.text is None
    assert says in (reply.error or "")


def test_thinking_is_no_part_of_an_answer(server: Any, failure: Callable[..., Any]) -> None:
    """Of either: what is judged is what was said."""
    thought = {"reasoningContent": {"reasoningText": {"text": "ORD-2024-009?", "signature": "s"}}}
    content = [{"type": "thinking", "thinking": "ORD-2024-009?"}, {"type": "text", "text": "It is ORD-2024-001."}]
    cohere = json.dumps({"finish_reason": "COMPLETE", "message": {"role": "assistant", "content": content}})
    server.model.failures = [
        failure(200, {}, converse("end_turn", thought, {"text": "It is ORD-2024-001."})),
        failure(200, {}, cohere),
    ]

    assert ask(server, "bedrock.converse", CONVERSE).text == "It is ORD-2024-001."
    assert ask(server, "cohere.chat", COHERE).text == "It is ORD-2024-001."


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("bedrock.converse", {**CONVERSE, "toolConfig": {"tools": [{"toolSpec": {"name": "look"}}]}}),
        ("cohere.chat", {**COHERE, "tools": [{"type": "function", "function": {"name": "look"}}]}),
    ],
)
def test_a_model_that_calls_a_tool_all_the_same_has_not_answered(api: str, body: dict[str, Any], server: Any) -> None:
    """It is a failure that names the tool."""
    reply = ask(server, api, body)

    assert reply.text is None
    assert "it called a tool (look)" in (reply.error or "")


def test_each_try_is_signed_anew(server: Any, failure: Callable[..., Any]) -> None:
    """With the token of temporary keys, and no secret."""
    server.model.failures = [failure(503)]
    reply = ask(server, "bedrock.converse", CONVERSE, KEYS)
    sent = server.model.headers

    assert (reply.text, len(sent)) == (ORDER, 2)
    for headers in sent:
        assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
        assert headers["x-amz-security-token"] == "a-temporary-token"
        assert "a-very-secret-key" not in str(headers)


def test_nothing_of_aws_keys_is_shown(server: Any, failure: Callable[..., Any]) -> None:
    """A server that repeats them has them masked, in an error and in an answer."""
    told = "AKIDEXAMPLE a-very-secret-key a-temporary-token"
    server.model.failures = [
        failure(403, {}, json.dumps({"message": told})),
        failure(200, {}, converse("end_turn", {"text": told})),
    ]
    refused, answered = (ask(server, "bedrock.converse", CONVERSE, KEYS) for _ in range(2))

    assert refused.error == "HTTP 403: … … …"
    assert answered.text == "… … …"
