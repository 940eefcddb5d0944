"""Where spans keep messages, and what is said of those they lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from snapshot_sdk.adapters._span_prompts import answer_of, prompt_of

SYSTEM = {"role": "system", "content": "只用中文"}
USER = {"role": "user", "content": "hi"}
ANSWER = {"role": "assistant", "content": "yes"}
Events = list[tuple[str, dict[str, Any]]]


def parts(role: str, text: str) -> dict[str, Any]:
    """A message of the semantic conventions."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


@pytest.mark.parametrize(
    ("attributes", "events"),
    [
        ({"gen_ai.input.messages": json.dumps([parts("system", "只用中文"), parts("user", "hi")])}, []),
        ({"gen_ai.input.messages": [parts("system", "只用中文"), parts("user", "hi")]}, []),
        (
            {
                "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "只用中文"}]),
                "gen_ai.input.messages": json.dumps([parts("user", "hi")]),
            },
            [],
        ),
        (
            {
                "llm.input_messages.0.message.role": "system",
                "llm.input_messages.0.message.content": "只用中文",
                "llm.input_messages.1.message.role": "user",
                "llm.input_messages.1.message.content": "hi",
            },
            [],
        ),
        (
            {
                "gen_ai.prompt.0.role": "system",
                "gen_ai.prompt.0.content": "只用中文",
                "gen_ai.prompt.1.role": "user",
                "gen_ai.prompt.1.content": "hi",
                "gen_ai.prompt.prompt_filter_results": "[]",
            },
            [],
        ),
        ({"gen_ai.prompt": json.dumps([SYSTEM, USER])}, []),
        (
            {"ai.prompt.messages": json.dumps([SYSTEM, {"role": "user", "content": [{"type": "text", "text": "hi"}]}])},
            [],
        ),
        (
            {},
            [
                ("gen_ai.system.message", {"gen_ai.system": "openai", "content": "只用中文"}),
                ("gen_ai.user.message", {"gen_ai.system": "openai", "content": "hi"}),
            ],
        ),
        (
            {},
            [
                ("gen_ai.system.message", {"gen_ai.event.content": json.dumps(SYSTEM)}),
                ("gen_ai.user.message", {"content": '[{"text": "hi"}]'}),
            ],
        ),
        ({}, [("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([SYSTEM, USER])})]),
        (
            {},
            [
                ("gen_ai.system.message", {"body": {"content": "只用中文"}, "event.name": "gen_ai.system.message"}),
                ("gen_ai.user.message", {"body": {"content": "hi"}}),
            ],
        ),
    ],
)
def test_conventions(attributes: dict[str, Any], events: Events) -> None:
    """The same two messages are read from every convention."""
    assert prompt_of(attributes, events).messages == [SYSTEM, USER]


@pytest.mark.parametrize(
    ("attributes", "events"),
    [
        ({"gen_ai.output.messages": json.dumps([{**parts("assistant", "yes"), "finish_reason": "stop"}])}, []),
        (
            {
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.content": "yes",
                "llm.finish_reason": "stop",
            },
            [],
        ),
        (
            {
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.content": "yes",
                "gen_ai.completion.0.finish_reason": "stop",
            },
            [],
        ),
        ({}, [("gen_ai.choice", {"finish_reason": "stop", "message": json.dumps(ANSWER)})]),
        ({}, [("gen_ai.choice", {"finish_reason": "stop", "message": '[{"text": "yes"}]'})]),
        ({}, [("gen_ai.choice", {"body": {"index": 0, "finish_reason": "stop", "message": ANSWER}})]),
        ({"ai.response.text": "yes", "ai.response.finishReason": "stop"}, []),
    ],
)
def test_answers(attributes: dict[str, Any], events: Events) -> None:
    """An answer and why it ended are read from every convention."""
    found = answer_of(attributes, events)

    assert (found.messages, found.reasons) == ([ANSWER], ["stop"])


def numbered(first: int, last: int) -> dict[str, str]:
    """Attributes of messages, as OpenInference numbers them."""
    return {
        f"llm.input_messages.{n}.message.{name}": value
        for n in range(first, last)
        for name, value in (("role", "user"), ("content", f"q{n}"))
    }


def test_the_oldest_are_dropped() -> None:
    """Python's tracing drops the oldest attributes: a list that begins late has lost its beginning."""
    found = prompt_of(numbered(27, 60), [])

    assert found.missing == ("earlier messages",)
    assert "begins with message 27" in found.problems[0]
    assert found.messages[0]["content"] == "q27"


def test_a_torn_first_message() -> None:
    """The limit may fall inside a message: content without a role is the rest of one."""
    attributes = numbered(0, 5)
    del attributes["llm.input_messages.0.message.role"]

    found = prompt_of(attributes, [])

    assert found.missing == ("earlier messages",)
    assert "torn" in found.problems[0]


def test_a_gap() -> None:
    """Messages that are gone from the middle are counted."""
    found = prompt_of({**numbered(0, 3), **numbered(6, 8)}, [])

    assert found.missing == ("messages",)
    assert "5 of 8" in found.problems[0]


def test_a_list_that_breaks_off() -> None:
    """A limit of length cuts the JSON of all messages: the whole ones are kept, and that there were more is said."""
    told = json.dumps([parts("user", "one"), parts("user", "two")])

    found = prompt_of({"gen_ai.input.messages": told[:-20]}, [])

    assert [one["content"] for one in found.messages] == ["one"]
    assert found.missing == ("later messages",)


def test_contents_that_did_not_come() -> None:
    """Some instrumentations lose content of several parts: the message is there and says nothing."""
    found = prompt_of({"gen_ai.input.messages": json.dumps([{"role": "user", "parts": []}])}, [])

    assert found.missing == ("message contents",)


def test_hidden() -> None:
    """What OpenInference hid is no message."""
    assert prompt_of({"gen_ai.prompt": "__REDACTED__", "gen_ai.system_instructions": "__REDACTED__"}, []).messages == []
