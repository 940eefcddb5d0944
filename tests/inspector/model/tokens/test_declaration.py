"""Tool definitions as Google writes them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.model.dialects.gemini import GeminiGenerateContent
from inspector.model.tokens import tokenizer_for, tools_cost
from inspector.model.tokens.declaration import render_declaration

API = "gemini.generate_content"
WORST = 1
"""Tokens by which the bill of a definition is missed at most; compact JSON misses it by 9."""
BILLS = {
    "test_gemini_test_function_calling.yaml": ("What is the weather like in Boston? Call provided tools.",),
    "test_google_model_thinking_part.yaml": ("How do I cross the street?", "You are a helpful assistant."),
    "test_google_streaming_tool_call_thought_signature.yaml": (
        "What is the capital of the user country? Call the tool",
    ),
}
"""Cassette → the texts of its first prompt, which has one tool."""


def test_members_stand_in_order_and_bare() -> None:
    """As in the template of the open model."""
    function = {
        "name": "find",
        "parameters": {
            "type": "OBJECT",
            "required": ["q"],
            "properties": {"q": {"type": "STRING", "enum": ["a", "b"]}},
        },
        "description": "Find.",
    }

    assert render_declaration(function) == (
        'declaration:find{description:"Find.",parameters:{properties:{q:{enum:["a","b"],type:"STRING"}},'
        'required:["q"],type:"OBJECT"}}'
    )


def test_a_json_schema_is_a_schema() -> None:
    """What only validates is not written."""
    schema = {"additionalProperties": False, "properties": {}, "type": "object"}

    for name in ("parametersJsonSchema", "parameters_json_schema"):
        assert (
            render_declaration({"name": "go", name: schema})
            == 'declaration:go{description:"",parameters:{type:"object"}}'
        )


@pytest.mark.parametrize(
    "odd", [None, "google_search", 3, {"name": None, "parameters": [1]}, {"parameters": {1: {2: None}}}]
)
def test_odd_definitions_are_written_somehow(odd: Any) -> None:
    """Nothing raises."""
    assert render_declaration(odd).startswith("declaration:")


def test_a_deep_schema_ends() -> None:
    """A hostile definition is cut."""
    schema: dict[str, Any] = {"type": "OBJECT"}
    for _ in range(sys.getrecursionlimit()):
        schema = {"items": schema}

    assert "…" in render_declaration({"name": "deep", "parameters": schema})


def test_every_function_has_its_own_figure() -> None:
    """And nothing stands around them all."""
    cost = tools_cost(
        API,
        [{"name": "a"}, {"name": "b", "description": "does a great many things " * 20}],
        tokenizer_for("gemini-2.5-flash"),
    )

    assert cost.frame.count == 0
    assert {tool.origin for tool in cost.tools} == {"estimate:gemini_declaration"}
    assert (cost.tools[1].count or 0) > (cost.tools[0].count or 0) + 20


@pytest.mark.realdata
@pytest.mark.parametrize("cassette", BILLS)
def test_real_bills_are_met(realdata: Path, cassette: str) -> None:
    """Of three prompts with one tool each, less their texts and the one token that opens a prompt."""
    yaml = pytest.importorskip("yaml")
    first = yaml.safe_load((realdata / "vcr" / "gemini" / cassette).read_text(encoding="utf-8"))["interactions"][0]
    request = first["request"]
    body = request.get("parsed_body") or json.loads(request["body"])
    answer = first["response"].get("parsed_body")
    text = json.dumps(answer) if answer else str(first["response"]["body"]["string"])
    billed = int(text.rsplit('"promptTokenCount": ', 1)[1].split(",")[0])
    tokenizer = tokenizer_for("gemini-2.5-flash")
    (part,) = GeminiGenerateContent().decode("tools", body["tools"][0]).parts
    texts = sum(tokenizer.count(text) for text in BILLS[cassette])

    counted = tools_cost(API, [json.loads(part.text)], tokenizer).total

    assert abs(billed - texts - 1 - counted) <= WORST
