"""Chat templates and tool definitions cost what the providers' own figures say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.layers import Layer
from inspector.model.request import Message, Part
from inspector.model.tokens import message_overhead, prompt_overhead, tokenizer_for, tools_cost
from inspector.model.tokens.typescript import render_function

FIGURES = json.loads(
    (Path(__file__).parents[3] / "data" / "tokens" / "openai_api_figures.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", FIGURES["cases"], ids=lambda case: str(case["tokens"]))
def test_figures_of_the_openai_api(count_body: Callable[..., Any], case: dict[str, Any]) -> None:
    """Text, template, functions and calls together give the API's own ``prompt_tokens``."""
    body = {key: value for key, value in case.items() if key != "tokens"}
    assert count_body(body, FIGURES["model"]).total == case["tokens"]


def test_forced_functions() -> None:
    """A forced function costs four tokens and its name, a forbidden call one."""
    tokenizer = tokenizer_for("gpt-3.5-turbo")
    assert prompt_overhead("openai.chat", {"function_call": "none"}, tokenizer).count == 4
    named = prompt_overhead("openai.chat", {"function_call": {"name": "foo"}}, tokenizer)
    assert named.count == 3 + 4 + tokenizer.count("foo")
    assert prompt_overhead("openai.chat", {"function_call": "auto"}, tokenizer).count == 3


def test_a_short_prompt_of_claude(count_body: Callable[..., Any]) -> None:
    """Anthropic bills ``Say 'foo'`` as 12 tokens."""
    body = {"model": "claude-haiku-4-5", "max_tokens": 3, "messages": [{"role": "user", "content": "Say 'foo'"}]}
    assert count_body(body).total == 12


@pytest.mark.parametrize(
    ("model", "calls", "origin"),
    [
        ("gpt-4.1", 0, "formula:openai_chat"),
        ("gpt-4.1", 1, "estimate:openai_tool_calls"),
        ("deepseek-chat", 0, "estimate:openai_chat"),
    ],
)
def test_origins_say_what_is_measured(model: str, calls: int, origin: str) -> None:
    """A formula over a borrowed tokenizer, or taken over to today's tool calls, is an estimate."""
    message = Message("assistant", (Part("text", "x"), *[Part("tool_call", "{}", "f")] * calls))
    assert message_overhead("openai.chat", message, tokenizer_for(model)).origin == origin


def test_unknown_dialects_have_unknown_overhead() -> None:
    """Of an unknown API's template nothing is said."""
    message = Message("user", (Part("text", "x"),))
    assert message_overhead("unknown", message, tokenizer_for("x")).count is None
    assert prompt_overhead("unknown").count is None


@pytest.mark.parametrize(
    ("api", "model", "message", "prompt"),
    [
        ("openai.responses", "gpt-4.1", 4, 3),
        ("mistral.chat", "mistral-large-latest", 2, 1),
        ("gemini.generate_content", "gemini-2.5-flash", 0, 1),
        ("bedrock.converse", "us.anthropic.claude-sonnet-4-6", 4, 4),
        ("bedrock.converse", "us.amazon.nova-lite-v1:0", None, None),
        ("ollama.chat", "llama3", None, None),
        ("cohere.chat", "command-a", None, None),
    ],
)
def test_frames_of_other_apis(api: str, model: str, message: int | None, prompt: int | None) -> None:
    """Frames that are known are counted; the others are unknown, not 0."""
    tokenizer = tokenizer_for(model)
    one = message_overhead(api, Message("user", (Part("text", "hi"),)), tokenizer)
    whole = prompt_overhead(api, {}, tokenizer)
    assert (one.count, whole.count) == (message, prompt)
    for count in (one, whole):
        kinds = {"openai.responses": "formula:openai_chat"} if count.count is not None else {api: "unknown"}
        assert count.origin == kinds.get(api, count.origin)
        assert count.origin.partition(":")[0] in ("formula", "estimate", "unknown")


def test_responses_write_tools_as_chat_does() -> None:
    """A flat definition costs what a nested one costs."""
    tokenizer = tokenizer_for("gpt-4.1")
    function = {"name": "find", "description": "Find.", "parameters": {"properties": {"q": {"type": "string"}}}}
    nested = tools_cost("openai.chat", [{"type": "function", "function": function}], tokenizer, "s")
    assert tools_cost("openai.responses", [{"type": "function", **function}], tokenizer, "s") == nested


def test_each_tool_has_its_share() -> None:
    """The shares of the tools and the frame add up to the whole, and a longer tool costs more."""
    tokenizer = tokenizer_for("gpt-4o")
    short, long = {"name": "a"}, {"name": "b", "description": "does a great many things " * 20}
    cost = tools_cost("openai.chat", [{"type": "function", "function": short}, {"function": long}], tokenizer)
    assert cost.total == sum(tool.count for tool in cost.tools if tool.count) + (cost.frame.count or 0)
    assert (cost.tools[1].count or 0) > (cost.tools[0].count or 0)


def test_no_tools_cost_nothing() -> None:
    """Without definitions there is no frame either."""
    assert tools_cost("openai.chat", [], tokenizer_for("gpt-4o")).total == 0


def test_anthropic_tools_bring_instructions() -> None:
    """Anthropic adds its documented instructions once, whatever the number of tools."""
    tokenizer = tokenizer_for("claude-3-opus-20240229")
    one = tools_cost("anthropic.messages", [{"name": "a", "input_schema": {}}], tokenizer)
    two = tools_cost("anthropic.messages", [{"name": "a", "input_schema": {}}] * 2, tokenizer)
    assert one.frame.count == two.frame.count == 530


def test_rendering() -> None:
    """A definition is written as a TypeScript type: optional members, enums, unions, arrays, nested objects."""
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"type": "string", "enum": ["x", "y"], "description": "Which"},
            "b": {"type": ["integer", "null"]},
            "c": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
            "d": {"type": "object", "properties": {"e": {"type": "boolean", "description": "not shown"}}},
            "f": {},
        },
    }
    function = {"name": "go", "description": "Goes.", "parameters": schema}
    assert render_function({"type": "function", "function": function}) == (
        '// Goes.\ntype go = (_: {\n// Which\na: "x" | "y",\nb?: number | null,\nc?: string | number[],\n'
        "d?: {\n  e?: boolean,\n},\nf?: any,\n}) => any;\n\n"
    )


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "type", "function", "parameters", "properties", "items", "enum", "required", "anyOf"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(tools=st.lists(values, max_size=3))
@pytest.mark.parametrize("api", ["openai.chat", "anthropic.messages", "unknown"])
def test_no_definition_raises(api: str, tools: list[Any]) -> None:
    """Any JSON value as a definition is counted."""
    assert tools_cost(api, tools, tokenizer_for("gpt-4o")).total >= 0


def test_endless_schemas_end() -> None:
    """A schema nested a thousand deep is written as far as anyone would go."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(1_000):
        schema = {"anyOf": [schema]}
    text = render_function({"name": "f", "parameters": {"properties": {"a": schema}}})
    assert text == "type f = (_: {\na?: any,\n}) => any;\n\n"


@pytest.mark.realdata
def test_real_calls_of_claude_through_litellm(count_body: Callable[..., Any], realdata: Path) -> None:
    """Six real calls: counted is 7 to 30 percent below the billed size, and grows with it."""
    shares = []
    for file in sorted(realdata.glob("openhands/llm-logs/*.json")):
        log = json.loads(file.read_text(encoding="utf-8"))
        counted = count_body({"messages": log["messages"], "tools": log["tools"]}, log["response"]["model"])
        assert counted.layer(Layer.TOOLS) > 0
        shares.append(counted.total / log["response"]["usage"]["prompt_tokens"])
    assert len(shares) == 6
    assert all(0.70 < share < 0.93 for share in shares)
