"""Inputs of every kind become the request they were, and say what is not known of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.importers.traces.traced_messages import ANTHROPIC, CHAT, GEMINI, RESPONSES
from inspector.importers.traces.traced_prompts import Noted, Prompt, read_prompt

HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
KNOWN = Noted(model="m", tools=[], all_parameters=True)


def prompt(value: Any, noted: Noted = KNOWN) -> Prompt:
    """Read an input that holds a prompt."""
    found = read_prompt(value, noted)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "body",
    [
        {"model": "x", "messages": HI, "temperature": 0},
        {"model": "x", "messages": HI, "max_tokens": 9, "system": "Be brief"},
        {"model": "x", "input": "Hi", "instructions": "Be brief"},
        {"model": "x", "input": [{"type": "message", "role": "user", "content": "Hi"}]},
        {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "generationConfig": {"temperature": 0}},
        {"model": "x", "prompt": "Hi", "max_tokens": 9},
    ],
)
def test_whole_bodies(body: dict[str, Any]) -> None:
    """A body is kept as it is, also as a text, and nothing noted besides is put into it."""
    noted = Noted(model="other", tools=[TOOL], parameters={"top_p": 1})
    for value in (body, json.dumps(body)):
        found = prompt(value, noted)
        assert (found.body, found.whole, found.missing) == (body, True, ())


def test_extra_body() -> None:
    """What a client merges into the body is merged, and what steers the client is left out."""
    found = prompt({"model": "x", "messages": HI, "extra_body": {"top_k": 5}, "api_key": "secret", "timeout": 1})
    assert found.body == {"model": "x", "messages": HI, "top_k": 5}


def test_parameters_without_model() -> None:
    """Of members beside messages only parameters are taken, where no model says that it is a body."""
    found = prompt({"messages": HI, "tools": [TOOL], "temperature": 0, "user_id": "u1"}, Noted(model="m"))
    assert found.body == {"model": "m", "messages": HI, "tools": [TOOL], "temperature": 0}
    assert found.missing == ("parameters",)


@pytest.mark.parametrize(
    ("noted", "missing"),
    [
        (Noted(), ("tools", "parameters", "model")),
        (Noted(model="m", tools=[]), ("parameters",)),
        (Noted(model="m", tools=[TOOL], all_parameters=True), ()),
    ],
)
def test_missing(noted: Noted, missing: tuple[str, ...]) -> None:
    """What was not noted is missing; tools of which it was noted that there are none are not."""
    assert prompt(HI, noted).missing == missing


def test_text() -> None:
    """A text is the user's, in a form that is not known."""
    found = prompt("Hi {there}")
    assert (found.body["messages"], found.missing) == ([{"role": "user", "content": "Hi {there}"}], ("wire form",))


def test_text_and_instructions() -> None:
    """So is a prompt of Vercel's AI SDK, with its instructions before it."""
    found = prompt({"system": "Be brief", "prompt": "Hi"})
    assert [one["role"] for one in found.body["messages"]] == ["system", "user"]


@pytest.mark.parametrize("value", [{"args": [], "kwargs": {"messages": HI}}, {"args": [HI], "kwargs": {}}])
def test_traced_function(value: Any) -> None:
    """The arguments of a traced function are looked into."""
    assert prompt(value).body["messages"] == HI


@pytest.mark.parametrize(
    ("api", "member"), [(RESPONSES, "input"), (ANTHROPIC, "messages"), (CHAT, "messages"), (None, "messages")]
)
def test_dialect_of_the_answer(api: str | None, member: str) -> None:
    """Messages that look alike in all APIs are of the one that answered."""
    found = prompt(HI, Noted(model="m", api=api))
    assert (found.api, found.body[member]) == (api or CHAT, HI)


@pytest.mark.parametrize(
    ("value", "member", "instructions"),
    [
        (HI, "messages", {"role": "system", "content": "Be brief"}),
        ([{"type": "message", "role": "user", "content": "Hi"}, {"type": "reasoning"}], "instructions", "Be brief"),
        ([{"role": "user", "parts": [{"text": "Hi"}]}], "systemInstruction", "Be brief"),
    ],
)
def test_instructions_beside(value: Any, member: str, instructions: Any) -> None:
    """Instructions that were noted beside the messages are put where the API has them."""
    body = prompt(value, Noted(model="m", system="Be brief")).body
    assert (body[member][0] if member == "messages" else body[member]) == instructions


def test_googles_client() -> None:
    """The arguments of Google's client are written as the body that it makes of them."""
    config = {"system_instruction": "Be brief", "temperature": 0, "tools": [{"functionDeclarations": []}], "seed": None}
    found = prompt({"model": "gemini-x", "contents": "Hi", "config": config}, Noted())
    assert found.body == {
        "model": "gemini-x",
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "tools": [{"functionDeclarations": []}],
        "systemInstruction": "Be brief",
        "generationConfig": {"temperature": 0},
    }
    assert (found.api, found.missing) == (GEMINI, ("wire form",))


@pytest.mark.parametrize(
    ("api", "value", "tools"),
    [
        (GEMINI, [{"role": "user", "parts": [{"text": "Hi"}]}], [{"functionDeclarations": [TOOL["function"]]}]),
        (ANTHROPIC, HI, [{"name": "find", "input_schema": {"type": "object"}}]),
        (CHAT, HI, [TOOL]),
    ],
)
def test_tools_of_each_api(api: str, value: Any, tools: Any) -> None:
    """Tools are written as the API has them."""
    assert prompt(value, Noted(model="m", tools=[TOOL], api=api)).body["tools"] == tools


@pytest.mark.parametrize("value", [None, "", "  ", {}, [], {"content": "role"}, {"city": "Tokyo"}, 7, {"messages": []}])
def test_no_prompt(value: Any) -> None:
    """What holds no prompt is none."""
    assert read_prompt(value, KNOWN) is None
