"""Tools, parameters and tokens that spans tell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from snapshot_sdk.adapters._span_settings import model_of, parameters_of, tools_of, usage_of

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}}
FLAT = {"type": "function", "name": "f", "description": "d", "parameters": SCHEMA}


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.tool.definitions": json.dumps([FLAT])},
        {"gen_ai.tool.definitions": [json.dumps(TOOL)]},
        {"llm.tools.0.tool.json_schema": json.dumps(TOOL)},
        {"llm.tools": [{"tool.json_schema": json.dumps({"name": "f", "description": "d", "input_schema": SCHEMA})}]},
        {
            "llm.request.functions.0.name": "f",
            "llm.request.functions.0.description": "d",
            "llm.request.functions.0.parameters": json.dumps(SCHEMA),
        },
        {
            "model_request_parameters": json.dumps(
                {"function_tools": [{"name": "f", "description": "d", "parameters_json_schema": SCHEMA}]}
            )
        },
        {"ai.prompt.tools": [json.dumps({"type": "function", "name": "f", "description": "d", "inputSchema": SCHEMA})]},
    ],
)
def test_tools(attributes: dict[str, Any]) -> None:
    """Definitions of every convention and provider become OpenAI's."""
    assert tools_of(attributes) == [TOOL]


def test_a_providers_own_tool() -> None:
    """A tool that the provider names by its type stays as it is."""
    search = {"type": "web_search_20250305", "name": "web_search"}

    assert tools_of({"gen_ai.tool.definitions": json.dumps([search])}) == [search]


def test_parameters_of_openinference() -> None:
    """They are all there were; what is no parameter is left out."""
    told = {"model": "m", "temperature": 0.2, "tools": [], "id": "resp_1", "object": "response"}

    assert parameters_of({"llm.invocation_parameters": json.dumps(told)}) == ({"model": "m", "temperature": 0.2}, True)


def test_parameters_of_langchain() -> None:
    """LangChain's list names the model twice, and what is not sent as null."""
    told = {"_type": "openai-chat", "model": "m", "model_name": "m", "stop": None, "stream": False}

    assert parameters_of({"llm.invocation_parameters": json.dumps(told)})[0] == {"model": "m", "stream": False}


def test_parameters_of_the_conventions() -> None:
    """Known ones have their names in a request; there may have been more."""
    attributes = {
        "gen_ai.request.temperature": 0,
        "gen_ai.request.stop_sequences": ("a", "b"),
        "llm.is_streaming": False,
    }

    assert parameters_of(attributes) == ({"temperature": 0, "stop": ["a", "b"]}, False)


def test_model() -> None:
    """What was asked for comes before what answered."""
    assert model_of({"gen_ai.response.model": "m-2025", "gen_ai.request.model": "m"}) == "m"
    assert model_of({"gen_ai.response.model": "m-2025"}) == "m-2025"
    assert model_of({}) is None


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "gen_ai.usage.input_tokens": 1050,
            "gen_ai.usage.output_tokens": 7,
            "gen_ai.usage.cache_read.input_tokens": 1000,
        },
        {
            "llm.token_count.prompt": 1050,
            "llm.token_count.completion": 7,
            "llm.token_count.prompt_details.cache_read": 1000,
        },
        {
            "gen_ai.usage.prompt_tokens": "1050",
            "gen_ai.usage.completion_tokens": 7.0,
            "gen_ai.usage.cache_read_input_tokens": 1000,
        },
    ],
)
def test_usage(attributes: dict[str, Any]) -> None:
    """Tokens are worded as a chat completion's; numbers that are text are numbers."""
    usage, odd = usage_of(attributes)

    assert usage == {
        "prompt_tokens": 1050,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 1000},
    }
    assert odd is None


def test_input_without_the_cache() -> None:
    """Anthropic's own input_tokens leave out the cache: 50 with 100,000 read are 100,050, and that is said."""
    usage, odd = usage_of({"gen_ai.usage.input_tokens": 50, "gen_ai.usage.cache_read_input_tokens": 100_000})

    assert usage is not None
    assert usage["prompt_tokens"] == 100_050
    assert odd is not None
    assert "100,000" in odd


def test_a_total_gives_the_cache_away() -> None:
    """Cached tokens that fit into the input may still stand beside it: then the total includes them."""
    attributes = {
        "gen_ai.usage.input_tokens": 500,
        "gen_ai.usage.output_tokens": 10,
        "gen_ai.usage.cache_read_input_tokens": 300,
        "llm.usage.total_tokens": 810,
    }

    usage, _ = usage_of(attributes)

    assert usage is not None
    assert usage["prompt_tokens"] == 800


def test_openai_counts_the_cache_in() -> None:
    """10 in, 3 of them cached, 4 out: the input stays 10."""
    usage, odd = usage_of(
        {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 4, "gen_ai.usage.cache_read.input_tokens": 3}
    )

    assert usage is not None
    assert (usage["prompt_tokens"], odd) == (10, None)


def test_no_usage() -> None:
    """Nothing told is unknown, not 0."""
    assert usage_of({"gen_ai.usage.input_tokens": None}) == (None, None)
