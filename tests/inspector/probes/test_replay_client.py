"""Facts about the client: real HTTP, patience, and a key that nobody gets to see."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from inspector.probes.replay_client import ReplayClient, Reply, retry_after
from inspector.probes.replay_request import ReplayRequest
from inspector.probes.replay_target import Address

ORDER = "My order number is ORD-2024-001."
QUESTION = "What is the order number?"
TALK = [{"role": "user", "content": ORDER}, {"role": "user", "content": QUESTION}]
CONTENTS = [{"role": "user", "parts": [{"text": text}]} for text in (ORDER, QUESTION)]
BLOCKS = [{"role": "user", "content": [{"text": text} for text in (ORDER, QUESTION)]}]
CALL: dict[str, tuple[str, dict[str, Any]]] = {
    "openai.chat": ("/v1/chat/completions", {"messages": TALK}),
    "openai.responses": ("/v1/responses", {"input": TALK}),
    "anthropic.messages": ("/v1/messages", {"system": "Be kind.", "messages": TALK}),
    "gemini.generate_content": ("/v1beta/models/g:generateContent", {"contents": CONTENTS}),
    "ollama.chat": ("/api/chat", {"messages": TALK}),
    "cohere.chat": ("/v2/chat", {"model": "command-a-03-2025", "messages": TALK}),
    "bedrock.converse": ("/model/amazon.nova-pro-v1%3A0/converse", {"messages": BLOCKS}),
}


def request(server: Any, api: str = "openai.chat", **more: Any) -> ReplayRequest:
    """A question to the server."""
    path, body = CALL[api]
    return ReplayRequest(Address(server.url + path, api, own=False), {**body, **more})


def ask(server: Any, api: str = "openai.chat", *, key: str | None = None, **more: Any) -> Reply:
    """Send it."""
    with ReplayClient(key, timeout=20, first_wait=0.01) as client:
        return client.ask(request(server, api, **more), threading.Event())


@pytest.mark.parametrize("api", list(CALL))
def test_an_answer_is_read_in_its_dialect(api: str, server: Any) -> None:
    """Text and normalised usage."""
    reply = ask(server, api)

    assert reply.text == ORDER
    assert reply.counted is not None
    assert (
        reply.counted.input_tokens == sum(map(len, ([*(["Be kind."] if "anth" in api else []), ORDER, QUESTION]))) // 4
    )
    assert reply.error is None


@pytest.mark.parametrize("api", ["openai.chat", "anthropic.messages", "cohere.chat", "bedrock.converse"])
def test_a_streamed_answer_is_read_too(api: str, server: Any) -> None:
    """Some gateways stream whatever is asked."""
    assert ask(server, api, stream=True).text == ORDER


@pytest.mark.parametrize(
    ("api", "header", "value"),
    [
        ("openai.chat", "authorization", "Bearer sk-secret"),
        ("anthropic.messages", "x-api-key", "sk-secret"),
        ("gemini.generate_content", "x-goog-api-key", "sk-secret"),
        ("cohere.chat", "authorization", "Bearer sk-secret"),
        ("bedrock.converse", "authorization", "Bearer sk-secret"),
    ],
)
def test_the_key_goes_where_the_dialect_wants_it(api: str, header: str, value: str, server: Any) -> None:
    """And in no other header."""
    ask(server, api, key="sk-secret")

    assert [(name, one) for name, one in server.model.headers[0].items() if "sk-secret" in one] == [(header, value)]


def test_without_a_key_none_is_sent(server: Any) -> None:
    """A server on this machine needs none."""
    ask(server)

    assert not {"authorization", "x-api-key"} & server.model.headers[0].keys()


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_server_is_asked_again(status: int, server: Any, failure: Callable[..., Any]) -> None:
    """Until it answers."""
    server.model.failures = [failure(status), failure(status)]
    reply = ask(server)

    assert (reply.text, reply.attempts) == (ORDER, 3)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 302])
def test_a_refusal_is_not_asked_again(status: int, server: Any, failure: Callable[..., Any]) -> None:
    """And no redirect is followed: a key would go along."""
    server.model.failures = [failure(status, {"location": f"{server.url}/elsewhere"}, '{"error": {"message": "no"}}')]
    reply = ask(server, key="sk-secret")

    assert reply.text is None
    assert reply.error == f"HTTP {status}: no"
    assert len(server.model.requests) == 1


def test_a_server_that_stays_busy_is_given_up(server: Any, failure: Callable[..., Any]) -> None:
    """After the tries that were allowed, with what it said."""
    server.model.failures = [failure(503)] * 9
    with ReplayClient(attempts=3, first_wait=0.01) as client:
        reply = client.ask(request(server), threading.Event())

    assert (reply.attempts, reply.error) == (3, "HTTP 503: busy")
    assert len(server.model.requests) == 3


def test_the_server_says_how_long_to_wait(server: Any, failure: Callable[..., Any]) -> None:
    """A wait of nothing beats the client's own, which would be an hour here."""
    server.model.failures = [failure(429, {"retry-after": "0"})]
    with ReplayClient(first_wait=3600) as client:
        reply = client.ask(request(server), threading.Event())

    assert reply.text == ORDER


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, wanted: float | None) -> None:
    """As HTTP has it; what cannot be read says nothing."""
    assert retry_after(value, datetime(2026, 11, 30, 12, tzinfo=UTC)) == wanted


def test_a_wait_ends_when_the_run_is_cancelled(server: Any, failure: Callable[..., Any]) -> None:
    """Not after the hour that was asked for."""
    server.model.failures = [failure(429, {"retry-after": "3600"})]
    cancelled = threading.Event()
    threading.Timer(0.05, cancelled.set).start()
    with ReplayClient() as client:
        reply = client.ask(request(server), cancelled)

    assert reply.cancelled


def test_nobody_at_the_address_is_an_error_in_words(server: Any) -> None:
    """Not an exception."""
    gone = ReplayRequest(Address("http://127.0.0.1:9/v1/chat/completions", "openai.chat", own=False), {"messages": []})
    with ReplayClient(attempts=2, first_wait=0.01) as client:
        reply = client.ask(gone, threading.Event())

    assert reply.error is not None
    assert "cannot be reached" in reply.error
    assert reply.attempts == 2


def test_a_slow_server_is_an_error_in_words(server: Any) -> None:
    """After the patience that was asked for."""
    server.model.hold = threading.Event()
    with ReplayClient(timeout=0.1, attempts=1) as client:
        reply = client.ask(request(server), threading.Event())
    server.model.hold.set()

    assert reply.error == "no answer in time"


@pytest.mark.parametrize("body", ["<html>", "[]", '{"error": "sk-secret is wrong"}', '{"choices": []}', ""])
def test_an_answer_of_another_shape_is_an_error(body: str, server: Any, failure: Callable[..., Any]) -> None:
    """With status 200, too."""
    server.model.failures = [failure(200, {}, body)]
    reply = ask(server, key="sk-secret")

    assert reply.text is None
    assert reply.error


def test_the_key_is_in_no_error(server: Any, failure: Callable[..., Any]) -> None:
    """Though the server repeats it, whole or in part."""
    server.model.failures = [failure(401, {}, '{"error": {"message": "Incorrect key sk-secret, sk-abcd1234****wxyz"}}')]
    reply = ask(server, key="sk-secret")

    assert reply.error is not None
    assert "sk-" not in reply.error
    assert "Incorrect key" in reply.error


def test_a_model_that_calls_a_tool_has_not_answered(server: Any) -> None:
    """It was forbidden: a failure with the tool's name, and no answer that could be kept."""
    reply = ask(server, tools=[{"type": "function"}])

    assert reply.text is None
    assert reply.error is not None
    assert "it called a tool (look)" in reply.error
    assert ask(server, tools=[{"type": "function"}], tool_choice="none").text == ORDER


EVENTS = {"content-type": "text/event-stream"}
CUT_CHAT = 'data: {"choices": [{"index": 0, "delta": {"content": "The order is ORD-2024-00"}}]}\n\n'
CUT_MESSAGES = (
    'data: {"type": "message_start", "message": {"role": "assistant", "content": []}}\n\n'
    'data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}\n\n'
    'data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ORD-2024-00"}}\n\n'
)
CUT_RESPONSES = 'data: {"type": "response.output_text.delta", "output_index": 0, "delta": "ORD-2024-00"}\n\n'
CUT_GEMINI = 'data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "ORD-2024-00"}]}}]}\n\n'
CUT_OLLAMA = '{"message": {"role": "assistant", "content": "ORD-2024-00"}, "done": false}\n'


@pytest.mark.parametrize(
    ("api", "body", "kind"),
    [
        ("openai.chat", CUT_CHAT, "text/event-stream"),
        ("openai.chat", 'data: {"choi', "text/event-stream"),
        ("openai.responses", CUT_RESPONSES, "text/event-stream"),
        ("anthropic.messages", CUT_MESSAGES, "text/event-stream"),
        ("gemini.generate_content", CUT_GEMINI, "text/event-stream"),
        ("ollama.chat", CUT_OLLAMA, "application/x-ndjson"),
        ("ollama.chat", CUT_OLLAMA, "application/json"),
    ],
)
def test_a_stream_that_breaks_off_is_no_answer(
    api: str, body: str, kind: str, server: Any, failure: Callable[..., Any]
) -> None:
    """Its own end was not seen: it is asked again, and what the first try may have cost is counted."""
    server.model.failures = [failure(200, {"content-type": kind}, body)]
    reply = ask(server, api)

    assert (reply.text, reply.attempts, reply.unmetered) == (ORDER, 2, 1)


def test_a_stream_that_always_breaks_off_is_a_failure(server: Any, failure: Callable[..., Any]) -> None:
    """With what came of it."""
    server.model.failures = [failure(200, EVENTS, CUT_CHAT)] * 9
    with ReplayClient(attempts=2, first_wait=0.01) as client:
        reply = client.ask(request(server), threading.Event())

    assert (reply.text, reply.error) == (
        None,
        "the answer broke off before its end: “The order is ORD-2024-00”",
    )


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("openai.chat", {"choices": [{"finish_reason": "length", "message": {"role": "assistant", "content": "Let"}}]}),
        ("anthropic.messages", {"content": [{"type": "text", "text": "Let"}], "stop_reason": "max_tokens"}),
        (
            "openai.responses",
            {
                "output": [
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let"}]}
                ],
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
            },
        ),
        (
            "gemini.generate_content",
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "Let"}]}, "finishReason": "MAX_TOKENS"}]},
        ),
        ("ollama.chat", {"message": {"role": "assistant", "content": "Let"}, "done": True, "done_reason": "length"}),
        (
            "cohere.chat",
            {
                "finish_reason": "MAX_TOKENS",
                "message": {"role": "assistant", "content": [{"type": "text", "text": "L"}]},
            },
        ),
        (
            "bedrock.converse",
            {"stopReason": "max_tokens", "output": {"message": {"role": "assistant", "content": [{"text": "Let"}]}}},
        ),
    ],
)
def test_an_answer_that_was_cut_at_its_limit_is_none(
    api: str, body: dict[str, Any], server: Any, failure: Callable[..., Any]
) -> None:
    """A model that still thinks has answered nothing wrong; it is said, and not sent again by itself."""
    server.model.failures = [failure(200, {}, json.dumps(body))]
    reply = ask(server, api)

    assert reply.text is None
    assert reply.error is not None
    assert reply.error.startswith("the answer was cut at its limit of tokens")
    assert len(server.model.requests) == 1


@pytest.mark.parametrize("said", ["", "  \n", None])
def test_an_empty_answer_is_a_failure(said: str | None, server: Any, failure: Callable[..., Any]) -> None:
    """Nothing was answered, so nothing is known."""
    message = {"role": "assistant", "content": said}
    body = {"choices": [{"finish_reason": "stop", "message": message}]}
    server.model.failures = [failure(200, {}, json.dumps(body))]

    assert ask(server).error == "it answered nothing (stop)"


def test_a_server_that_drips_is_late(server: Any, failure: Callable[..., Any]) -> None:
    """The time is that of the whole answer, not of its next byte."""
    dripping = _Dripping()
    try:
        drips = ReplayRequest(Address(dripping.url, "openai.chat", own=False), {"messages": []})
        with ReplayClient(timeout=0.3, attempts=1) as client:
            reply = client.ask(drips, threading.Event())
    finally:
        dripping.close()

    assert (reply.error, reply.unmetered) == ("no answer in time", 1)
    assert dripping.still_dripped


class _Dripping:
    """A server that sends a byte of its headers now and then, for ever."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self.still_dripped = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1/chat/completions"

    def _serve(self) -> None:
        with suppress(OSError):
            connection, _ = self._listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Drip: ")
                while not self._over.wait(0.02):
                    connection.sendall(b"x")
                    self.still_dripped = True

    def close(self) -> None:
        """Stop."""
        self._over.set()
        self._listener.close()
        self._thread.join(5)


def test_what_was_never_sent_costs_nothing(server: Any, failure: Callable[..., Any]) -> None:
    """Nobody listens; and a server that refuses says so with a status."""
    gone = ReplayRequest(Address("http://127.0.0.1:9/v1/chat/completions", "openai.chat", own=False), {"messages": []})
    with ReplayClient(attempts=2, first_wait=0.01) as client:
        assert client.ask(gone, threading.Event()).unmetered == 0
    server.model.failures = [failure(503), failure(400)]
    assert ask(server).unmetered == 0


def test_a_key_that_is_echoed_in_an_answer_is_masked(server: Any, failure: Callable[..., Any]) -> None:
    """It would be stored with the answer; a word such as ``EMPTY`` stands for itself."""
    message = {"role": "assistant", "content": "You sent sk-very-secret."}
    body = json.dumps({"choices": [{"finish_reason": "stop", "message": message}]})
    server.model.failures = [failure(200, {}, body), failure(200, {}, body.replace("sk-very-secret", "EMPTY"))]

    assert ask(server, key="sk-very-secret").text == "You sent …."
    assert ask(server, key="EMPTY").text == "You sent EMPTY."
