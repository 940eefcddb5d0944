"""Prompts, answers and tools are found in the attributes of spans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.importers.traces.traced_attributes import input_in, output_in, parameters_in, system_in, tools_in

HI = [{"role": "user", "content": "Hi"}]
PYDANTIC = {"name": "find", "parameters_json_schema": {"type": "object"}}
FIND = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.input.messages": json.dumps(HI)},
        {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Hi"},
        {"ai.prompt.messages": json.dumps(HI)},
        {"events": json.dumps([*HI, {"event.name": "gen_ai.choice", "message": {"role": "assistant"}}])},
        {"input.value": json.dumps(HI), "input.mime_type": "application/json"},
    ],
)
def test_inputs(attributes: dict[str, Any]) -> None:
    """The prompt is found under the names of each convention, without the answer that stands beside it."""
    assert input_in(attributes) == HI


def test_openinference() -> None:
    """OpenInference's flattened messages keep their envelopes, which the reading of messages knows."""
    attributes = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Hi"}
    assert input_in(attributes) == [{"message": HI[0]}]


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.output.messages": json.dumps([{"role": "assistant", "content": "Yo"}])},
        {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Yo"},
        {"ai.response.text": "Yo"},
        {"events": json.dumps([{"event.name": "gen_ai.choice", "message": {"content": "Yo"}}])},
    ],
)
def test_outputs(attributes: dict[str, Any]) -> None:
    """So is the answer."""
    assert "Yo" in json.dumps(output_in(attributes))


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.tool.definitions": json.dumps([FIND])},
        {"model_request_parameters": json.dumps({"function_tools": [PYDANTIC]})},
        {"llm.tools.0.tool.json_schema": json.dumps(FIND)},
        {"ai.prompt.tools": [json.dumps({"type": "function", "name": "find", "inputSchema": {"type": "object"}})]},
    ],
)
def test_tools(attributes: dict[str, Any]) -> None:
    """Tools are found in each convention, and are OpenAI's then."""
    assert tools_in(attributes) == [FIND]


def test_no_tools_and_not_said() -> None:
    """That there were no tools is another thing than nothing being said of them."""
    assert tools_in({"gen_ai.tool.definitions": "[]"}) == []
    assert tools_in({}) is None


def test_instructions() -> None:
    """Instructions beside the messages are their texts."""
    parts = [{"type": "text", "content": "Be brief"}, {"type": "text", "content": "and kind"}]
    assert system_in({"gen_ai.system_instructions": json.dumps(parts)}) == "Be brief\nand kind"
    assert system_in({}) is None


def test_parameters() -> None:
    """Numbers that are texts among the attributes are numbers, and what is no parameter is left out."""
    attributes = {
        "gen_ai.request.temperature": "0.5",
        "gen_ai.request.max_tokens": "100",
        "llm.invocation_parameters": json.dumps({"top_p": 1, "model": "x", "messages": HI}),
    }
    assert parameters_in(attributes) == {"top_p": 1, "temperature": 0.5, "max_tokens": 100}


@pytest.mark.parametrize("attributes", [{}, {"gen_ai.input.messages": ""}, {"gen_ai.prompt.role": "user"}])
def test_nothing(attributes: dict[str, Any]) -> None:
    """Attributes without a prompt have none."""
    assert input_in(attributes) is None
