"""Outputs of every kind become the answer they were, in the words of the API that was asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.importers.traces.traced_answers import api_of_answer, read_answer
from inspector.importers.traces.traced_messages import ANTHROPIC, CHAT, GEMINI, RESPONSES
from inspector.model.dialects import dialect_named
from inspector.model.request import Usage
from snapshot_sdk._responses import read_answer as take_apart

CALL = {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"q":1}'}}
MESSAGE = {"role": "assistant", "content": "Wait", "tool_calls": [CALL]}
LC = {
    "lc": 1, "type": "constructor", "id": ["x", "AIMessage"],
    "kwargs": {"content": "Wait", "tool_calls": [{"name": "find", "args": {"q": 1}, "id": "c"}]},
}  # fmt: skip
GEMINI_PARTS = [{"text": "Wait"}, {"function_call": {"name": "find", "args": {"q": 1}}}]
OUTPUTS: dict[str, Any] = {
    "a completion": {"choices": [{"message": MESSAGE, "finish_reason": "tool_calls"}]},
    "a choice": {"index": 0, "message": MESSAGE, "event.name": "gen_ai.choice"},
    "a message": MESSAGE,
    "messages": [MESSAGE],
    "a text": json.dumps(MESSAGE),
    "LangChain's result": {"generations": [[{"text": "Wait", "message": LC}]], "llm_output": {}},
    "LangChain's message": LC,
    "an object around it": {"output": MESSAGE},
    "Vercel's": {"text": "Wait", "toolCalls": [{"toolCallId": "c", "toolName": "find", "input": '{"q":1}'}]},
    "parts": [
        {
            "role": "assistant",
            "finish_reason": "tool_calls",
            "parts": [
                {"type": "text", "content": "Wait"},
                {"type": "tool_call", "id": "c", "name": "find", "arguments": {"q": 1}},
            ],
        }
    ],
    "Anthropic's": {
        "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [
            {"type": "text", "text": "Wait"},
            {"type": "tool_use", "id": "c", "name": "find", "input": {"q": 1}},
        ],
    },
    "a response": {
        "object": "response",
        "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Wait"}]},
            {"type": "function_call", "call_id": "c", "name": "find", "arguments": '{"q":1}'},
        ],
    },
    "Gemini's": {"candidates": [{"content": {"role": "model", "parts": GEMINI_PARTS}}]},
}  # fmt: skip


def said(body: dict[str, Any] | None, api: str) -> list[tuple[str, str]]:
    """Give what an answer says, by the way it takes to the page."""
    assert body is not None
    messages = [dialect_named(api).decode("messages", one) for one in take_apart(body).messages]
    return [(part.kind, part.text.replace(" ", "")) for message in messages for part in message.parts]


@pytest.mark.parametrize("api", [CHAT, RESPONSES, ANTHROPIC, GEMINI])
@pytest.mark.parametrize("output", OUTPUTS)
def test_outputs(output: str, api: str) -> None:
    """The same answer is the same in every form, whichever API was asked."""
    assert said(read_answer(OUTPUTS[output], api, None), api) == [("text", "Wait"), ("tool_call", '{"q":1}')]


@pytest.mark.parametrize(
    ("value", "api"),
    [
        (OUTPUTS["a completion"], CHAT),
        (OUTPUTS["a response"], RESPONSES),
        (OUTPUTS["Anthropic's"], ANTHROPIC),
        (OUTPUTS["Gemini's"], GEMINI),
        ({"content": {"role": "model", "parts": []}, "usage_metadata": {}}, GEMINI),
        (MESSAGE, None),
        ("Hi", None),
    ],
)
def test_api_of_answer(value: Any, api: str | None) -> None:
    """A provider's own answer gives away which API it is of."""
    assert api_of_answer(value) == api


def test_piece_as_reason() -> None:
    """The reason of a streamed answer is found in the piece that was noted in its place."""
    piece = {"index": 0, "delta": {}, "finish_reason": "stop"}
    body = read_answer({"choices": [{"message": MESSAGE, "finish_reason": piece}]}, CHAT, None)
    assert take_apart(body).stop_reason == "stop"


def test_own_usage_first() -> None:
    """Usage in the provider's answer counts before what the tracer made of it."""
    body = read_answer(OUTPUTS["a completion"] | {"usage": {"prompt_tokens": 9}}, CHAT, Usage(1, None, None, 1, None))
    assert body is not None
    assert body["usage"] == {"prompt_tokens": 9}


def test_usage_of_gemini() -> None:
    """Google's client writes usage in snake case; the API's names are what is read."""
    counts = {"prompt_token_count": 6, "candidates_token_count": 951, "thoughts_token_count": 1104}
    body = read_answer(OUTPUTS["Gemini's"] | {"usage_metadata": counts}, GEMINI, None)
    assert body is not None
    assert dialect_named(GEMINI).usage(body["usageMetadata"]) == Usage(6, None, None, 2055, 1104)


def test_parsed_output() -> None:
    """An output that is no message is what the answer was parsed into, and is shown as its JSON."""
    body = read_answer({"quality": "good"}, CHAT, None)
    assert body is not None
    assert body["choices"][0]["message"]["content"] == '{"quality": "good"}'


def test_only_usage() -> None:
    """Usage without an output is an answer of which no more is known."""
    assert read_answer(None, CHAT, Usage(9, None, None, 2, None)) == {
        "choices": [],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2},
    }


@pytest.mark.parametrize("value", [None, ""])
def test_nothing(value: Any) -> None:
    """Without an output and usage there is no answer."""
    assert read_answer(value, CHAT, None) is None
