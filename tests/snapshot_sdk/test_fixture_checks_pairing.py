"""The check of tool calls and results, by the rule of each API."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from snapshot_sdk._fixture_checks_pairing import judge_pairing
from snapshot_sdk._fixture_checks_words import Verdict
from snapshot_sdk._fixture_prompt import prompt_of

Messages = Sequence[dict[str, Any]]


def judge(api: str, messages: Messages, member: str = "messages") -> Verdict:
    """The verdict on a conversation."""
    return judge_pairing(prompt_of({"model": "m", member: list(messages)}, api=api))


def chat(role: str, *calls: str, of: str | None = None) -> dict[str, Any]:
    """A message of OpenAI's chat."""
    made = [{"id": call, "type": "function", "function": {"name": "f", "arguments": "{}"}} for call in calls]
    return {
        "role": role,
        "content": "x",
        **({"tool_calls": made} if made else {}),
        **({"tool_call_id": of} if of else {}),
    }


def claude(role: str, *calls: str, of: Sequence[str] = ()) -> dict[str, Any]:
    """A message of Anthropic's."""
    blocks = [{"type": "tool_result", "tool_use_id": call, "content": "r"} for call in of]
    return {
        "role": role,
        "content": [*blocks, *({"type": "tool_use", "id": call, "name": "f", "input": {}} for call in calls)] or "x",
    }


CHAT = {
    "paired": ([chat("user"), chat("assistant", "a", "b"), chat("tool", of="b"), chat("tool", of="a")], None),
    "no tools": ([chat("user"), chat("assistant")], None),
    "open at the end": ([chat("user"), chat("assistant", "a")], "result of f a is missing: .* the prompt ends there"),
    "orphan": ([chat("user"), chat("tool", of="a")], r"message 2 \(tool\) holds the result of a"),
    "one of two": ([chat("assistant", "a", "b"), chat("tool", of="a"), chat("user")], "f b is missing"),
    "user between": ([chat("assistant", "a"), chat("user"), chat("tool", of="a")], "follows before it"),
    "id twice": (
        [chat("assistant", "a"), chat("tool", of="a"), chat("assistant", "a"), chat("tool", of="a")],
        r"the tool call a stands in message 1 \(assistant\) and again in message 3",
    ),
    "result twice": ([chat("assistant", "a"), chat("tool", of="a"), chat("tool", of="a")], "the result of a stands in"),
}


@pytest.mark.parametrize("api", ["openai.chat", "mistral.chat", "cohere.chat", "ollama.chat"])
@pytest.mark.parametrize(("messages", "fault"), CHAT.values(), ids=CHAT.keys())
def test_chat(api: str, messages: Messages, fault: str | None) -> None:
    """OpenAI's chat and its kin: results right behind the call."""
    _expect(judge(api, messages), fault)


CLAUDE = {
    "paired": ([claude("user"), claude("assistant", "a", "b"), claude("user", of=("a", "b"))], None),
    "in two messages, which the API merges": (
        [claude("assistant", "a", "b"), claude("user", of=("a",)), claude("user", of=("b",))],
        None,
    ),
    "one turn late": (
        [claude("assistant", "a"), claude("user"), claude("assistant"), claude("user", of=("a",))],
        "message 2 .user. follows without it",
    ),
    "orphan": ([claude("user", of=("a",))], r"message 1 \(user\) holds the result of a"),
    "open at the end": ([claude("user"), claude("assistant", "a")], "the prompt ends there"),
}


@pytest.mark.parametrize(("messages", "fault"), CLAUDE.values(), ids=CLAUDE.keys())
def test_anthropic(messages: Messages, fault: str | None) -> None:
    """Anthropic: results in the very next message."""
    _expect(judge("anthropic.messages", messages), fault)


def test_tools_of_the_server_owe_nothing() -> None:
    """What a provider runs itself has its result in the same message, or nowhere."""
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    assert judge("anthropic.messages", [{"role": "assistant", "content": [search]}, claude("user")]).ok
    item = {"type": "web_search_call", "id": "ws", "status": "completed"}
    assert judge("openai.responses", [item], "input").ok


def item(kind: str, call: str) -> dict[str, Any]:
    """An item of OpenAI's Responses."""
    return {
        "type": kind,
        "call_id": call,
        **({"name": "f", "arguments": "{}"} if kind == "function_call" else {"output": "r"}),
    }


def test_responses() -> None:
    """OpenAI's Responses: anywhere behind the call."""
    call, result, words = (
        item("function_call", "a"),
        item("function_call_output", "a"),
        {"role": "user", "content": "x"},
    )
    _expect(judge("openai.responses", [call, words, result], "input"), None)
    _expect(judge("openai.responses", [result, call], "input"), "holds the result of a")
    _expect(judge("openai.responses", [call, words], "input"), "no message behind it holds it")


def gemini(role: str, kind: str, *names: str) -> dict[str, Any]:
    """A content of Gemini's, whose calls have no ids."""
    member = {"call": "functionCall", "response": "functionResponse"}[kind]
    inner = {"args": {}} if kind == "call" else {"response": {}}
    return {"role": role, "parts": [{member: {"name": name, **inner}} for name in names]}


def test_gemini() -> None:
    """Without ids calls and results are tied by name and number."""
    calls = gemini("model", "call", "f", "g")
    _expect(judge("gemini.generate_content", [calls, gemini("user", "response", "f", "g")], "contents"), None)
    _expect(judge("gemini.generate_content", [calls, gemini("user", "response", "f")], "contents"), "of g is missing")
    _expect(judge("gemini.generate_content", [gemini("user", "response", "f")], "contents"), "holds the result of f")


def test_bedrock() -> None:
    """Bedrock's blocks, by Anthropic's rule."""
    use = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]}
    back = {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "r"}]}}]}
    _expect(judge("bedrock.converse", [use, back]), None)
    _expect(judge("bedrock.converse", [use, {"role": "user", "content": [{"text": "x"}]}]), "f a is missing")


def test_ollama_without_ids() -> None:
    """Ollama's results name the tool only."""
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
    _expect(judge("ollama.chat", [call, {"role": "tool", "tool_name": "f", "content": "r"}]), None)
    _expect(judge("ollama.chat", [call, {"role": "tool", "tool_name": "g", "content": "r"}]), "of g")


def test_result_of_two_blocks_is_one() -> None:
    """A result with a text and an image is no second result."""
    content = [{"type": "text", "text": "r"}, {"type": "text", "text": "s"}]
    back = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": content}]}
    _expect(judge("anthropic.messages", [claude("assistant", "a"), back]), None)


def test_rule_by_shape_where_the_dialect_is_unknown() -> None:
    """A bare list of messages is read by what its messages look like."""
    late = [claude("assistant", "a"), claude("user"), claude("assistant"), claude("user", of=("a",))]
    assert judge_pairing(prompt_of(late)).ok is False


def _expect(verdict: Verdict, fault: str | None) -> None:
    if fault is None:
        assert verdict.ok, verdict.what
    else:
        assert verdict.ok is False
        assert re.search(fault, verdict.what), verdict.what
