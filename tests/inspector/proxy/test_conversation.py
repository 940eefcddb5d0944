"""Which session, lane and turn a request belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

CHAT = "/v1/chat/completions"
ASK = b'{"model":"gpt-4.1","messages":[{"role":"user","content":"q"}]}'


def _header(proxy: Any) -> list[str]:
    return [record["session"] for record in proxy.records("header")]


@pytest.mark.parametrize(
    ("headers", "session"),
    [
        ({}, "run"),
        ({"x-context-inspector-session": "order-4711", "session-id": "other"}, "order-4711"),
        ({"X-Claude-Code-Session-Id": "c1"}, "c1"),
        ({"session_id": "codex-1"}, "codex-1"),
        ({"session-id": "codex-2", "thread-id": "t"}, "codex-2"),
        ({"x-session-affinity": "ses_1"}, "ses_1"),
        ({"x-session-id": ""}, "run"),
        ({"x-context-inspector-session": "工单 4711".encode()}, "工单 4711"),
        ({"x-session-id": b"caf\xe9"}, "café"),
    ],
)
def test_session(headers: dict[str, Any], session: str, proxy: Any) -> None:
    """What the agent tells the proxy goes first, then what coding agents say of themselves, then the run."""
    httpx2.post(proxy.url + CHAT, content=ASK, headers=headers)

    assert _header(proxy) == [session]
    assert [one.session for one in proxy.passed] == [session]


def test_session_of_the_run(start: Callable[..., Any], server: Any) -> None:
    """A session the user named goes before what coding agents say, not before what is told to the proxy."""
    proxy = start(server.url, run="mine")
    httpx2.post(proxy.url + CHAT, content=ASK, headers={"session-id": "codex"})
    httpx2.post(proxy.url + CHAT, content=ASK, headers={"x-context-inspector-session": "told"})

    assert sorted(_header(proxy)) == ["mine", "told"]


@pytest.mark.parametrize("conversation", ['"conv_1"', '{"id": "conv_1"}'])
def test_stored_conversation(conversation: str, proxy: Any) -> None:
    """A request of OpenAI's Responses that continues a stored conversation is of that session."""
    httpx2.post(f"{proxy.url}/v1/responses", content=f'{{"model":"m","conversation":{conversation}}}')

    assert _header(proxy) == ["conv_1"]


@pytest.mark.parametrize(
    ("headers", "lane"),
    [
        ({}, ("main", "default", None, None)),
        (
            {
                "x-context-inspector-lane": "critic",
                "x-context-inspector-turn": "7",
                "x-context-inspector-purpose": "judge",
            },
            ("critic", "given", "judge", 7),
        ),
        ({"x-context-inspector-purpose": "title"}, ("title", "given", "title", None)),
        ({"x-context-inspector-turn": "seven"}, ("main", "default", None, "seven")),
        ({"x-claude-code-agent-id": "a1"}, ("agent a1", "given", None, None)),
        ({"x-openai-subagent": "review"}, ("review", "given", None, None)),
        (
            {"x-openai-subagent": "collab_spawn", "x-codex-parent-thread-id": "r", "thread-id": "t1"},
            ("collab_spawn t1", "given", None, None),
        ),
    ],
)
def test_lane(headers: dict[str, str], lane: tuple[Any, ...], proxy: Any) -> None:
    """A lane that nobody named is the default one, and the record says so: none is guessed from the prompt."""
    httpx2.post(proxy.url + CHAT, content=ASK, headers=headers)

    (snapshot,) = proxy.records("snapshot")
    assert tuple(snapshot[name] for name in ("lane", "lane_origin", "purpose", "turn")) == lane


def test_what_the_terminal_is_told(proxy: Any) -> None:
    """Model, status, usage as the provider counts, and no error."""
    httpx2.post(proxy.url + CHAT, content=ASK, headers={"x-context-inspector-lane": "l"})
    proxy.stop()

    (passed,) = proxy.passed
    assert (passed.model, passed.status, passed.lane, passed.error) == ("gpt-4.1", 200, "l", None)
    assert (passed.usage.input_tokens, passed.usage.cached_read, passed.usage.output_tokens) == (11, 4, 3)
