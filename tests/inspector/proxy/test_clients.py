"""The real clients of OpenAI and Anthropic, with nothing changed but their base URL."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

QUESTION: list[Any] = [{"role": "user", "content": "你好 👩‍👩‍👧 </script>"}]


def test_openai(proxy: Any, server: Any, loopback: Any) -> None:
    """Chat, whole and streamed: the answers are those of the server, the bodies those it received."""
    openai = pytest.importorskip("openai", reason="the client package openai is not installed")
    with openai.OpenAI(api_key="k", base_url=f"{proxy.url}/v1") as client:
        whole = client.chat.completions.create(model="gpt-4.1", messages=QUESTION)
        server.replies = [loopback.stream(loopback.sse(*loopback.CHAT_EVENTS, done=True))]
        streamed = list(client.chat.completions.create(model="gpt-4.1", messages=QUESTION, stream=True))
        server.replies = [loopback.Reply(loopback.RESPONSE)]
        response = client.responses.create(model="gpt-5", input="q")

    assert whole.choices[0].message.content == response.output_text == "hi"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in streamed if chunk.choices) == "hi"
    assert proxy.stored() == server.bodies()
    assert [one["complete"] for one in proxy.records("response")] == [True] * 3
    assert [one["blobs"][0]["value"]["role"] for one in proxy.records("response") if one["blobs"]] != []
    assert [one.model for one in proxy.passed] == ["gpt-4.1", "gpt-4.1", "gpt-5"]


def test_openai_retries(proxy: Any, server: Any, loopback: Any) -> None:
    """Tries that the client makes by itself are attempts of one call."""
    openai = pytest.importorskip("openai", reason="the client package openai is not installed")
    server.replies = [loopback.Reply({}, status=500, headers={"retry-after-ms": "1"}), loopback.Reply(loopback.CHAT)]
    with openai.OpenAI(api_key="k", base_url=f"{proxy.url}/v1") as client:
        client.chat.completions.create(model="gpt-4.1", messages=QUESTION)

    assert len(proxy.records("snapshot")) == 1
    assert [(one["n"], one["status"]) for one in proxy.records("attempt")] == [(1, 500), (2, 200)]


def test_openai_at_once(proxy: Any, server: Any, loopback: Any) -> None:
    """Many at once, async and streamed, in two sessions told by a header."""
    openai = pytest.importorskip("openai", reason="the client package openai is not installed")
    server.choose = lambda _: loopback.stream(loopback.sse(*loopback.CHAT_EVENTS, done=True))

    async def ask(client: Any, n: int) -> int:
        told = {"x-context-inspector-session": f"s{n % 2}"}
        question = [{"role": "user", "content": str(n)}]
        stream = await client.chat.completions.create(model="m", messages=question, stream=True, extra_headers=told)
        return len([part async for part in stream])

    async def run() -> list[int]:
        async with openai.AsyncOpenAI(api_key="k", base_url=f"{proxy.url}/v1") as client:
            return await asyncio.gather(*(ask(client, n) for n in range(12)))

    assert asyncio.run(run()) == [4] * 12
    assert sorted(proxy.stored()) == sorted(server.bodies())
    assert sorted({record["session"] for record in proxy.records("header")}) == ["s0", "s1"]


def test_anthropic(proxy: Any, server: Any, loopback: Any) -> None:
    """Messages, whole and streamed; counting tokens is no call."""
    anthropic = pytest.importorskip("anthropic", reason="the client package anthropic is not installed")
    with anthropic.Anthropic(api_key="k", base_url=proxy.url) as client:
        server.replies = [loopback.Reply(loopback.MESSAGE)]
        whole = client.messages.create(model="claude-x", max_tokens=9, messages=QUESTION)
        server.replies = [loopback.stream(loopback.sse(*loopback.MESSAGE_EVENTS, named=True))]
        with client.messages.stream(model="claude-x", max_tokens=9, messages=QUESTION) as stream:
            text = "".join(stream.text_stream)
        server.replies = [loopback.Reply({"input_tokens": 3})]
        counted = client.messages.count_tokens(model="claude-x", messages=QUESTION)

    assert (whole.content[0].text, text, counted.input_tokens) == ("hi", "hi", 3)
    assert proxy.stored() == server.bodies()[:2]
    assert [one["usage"]["output_tokens"] for one in proxy.records("response")] == [3, 3]
    assert [one["api"] for one in proxy.records("snapshot")] == ["anthropic.messages"] * 2


def test_anthropic_is_refused(proxy: Any, server: Any, loopback: Any) -> None:
    """The client's own error gets through."""
    anthropic = pytest.importorskip("anthropic", reason="the client package anthropic is not installed")
    server.replies = [loopback.Reply({"type": "error", "error": {"type": "x", "message": "no"}}, status=400)]
    with anthropic.Anthropic(api_key="k", base_url=proxy.url) as client, pytest.raises(anthropic.BadRequestError):
        client.messages.create(model="claude-x", max_tokens=9, messages=QUESTION)

    assert proxy.records("response")[0]["status"] == 400
