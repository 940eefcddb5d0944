"""Token counts of tracing tools keep their meaning."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.importers.traces.traced_usage import usage_of_langchain, usage_of_langfuse, write_usage
from inspector.model.dialects import dialect_named
from inspector.model.request import Usage


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # Anthropic by Langfuse: what was cached is beside the input.
        (
            {"input": 50, "cache_read_input_tokens": 100_000, "output": 10, "total": 100_060},
            Usage(100_050, 100_000, None, 10, None),
        ),
        # LangChain by Langfuse: kinds it knows are taken out.
        (
            {"input": 60, "input_cache_read": 40, "output": 5, "output_reasoning": 3, "total": 108},
            Usage(100, 40, None, 8, 3),
        ),
        # OpenTelemetry: they are left in, as the total tells.
        ({"input": 100, "input_cached_tokens": 40, "output": 8, "total": 108}, Usage(100, 40, None, 8, None)),
        (
            {"input": 100, "prompt_details.cache_read": 40, "output": 8, "completion_details.reasoning": 3},
            Usage(100, 40, None, 8, 3),
        ),
        ({"input": "9", "output": "2"}, Usage(9, None, None, 2, None)),
        ({"input": 1195, "total": 1195}, Usage(1195, None, None, None, None)),
        ({"total": 30}, Usage(None, None, None, None, None)),
        ({"input": 0, "output": 0, "total": 0}, None),
        ({}, None),
        (None, None),
        ({"input": float("nan"), "output": "many"}, None),
    ],
)
def test_langfuse(counts: Any, expected: Usage | None) -> None:
    """Langfuse's counts are read by what their total says, and nothing reported is nothing known."""
    assert usage_of_langfuse(counts) == expected


@pytest.mark.parametrize(
    ("details", "written"),
    [
        ({"cache_creation": 30}, 30),
        ({"cache_creation": 0, "ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 10}, 30),
        ({"cache_creation": 30, "ephemeral_5m_input_tokens": 30}, 30),
        ({}, None),
    ],
)
def test_langchain_writes(details: dict[str, int], written: int | None) -> None:
    """What was written to the cache counts once, however it is split."""
    usage = usage_of_langchain({"input_tokens": 100, "output_tokens": 1, "input_token_details": details})
    assert usage == Usage(100, None, written, 1, None)


@pytest.mark.parametrize("counts", [None, "9", {}, {"input_tokens": 0, "output_tokens": 0}])
def test_nothing_reported(counts: Any) -> None:
    """Counts that are none, or all zero, are no usage."""
    assert usage_of_langchain(counts) is None


@pytest.mark.parametrize("api", ["openai.chat", "openai.responses", "anthropic.messages", "gemini.generate_content"])
@pytest.mark.parametrize("usage", [Usage(100, 40, None, 8, 3), Usage(100, None, None, None, None)])
def test_words_of_each_provider(api: str, usage: Usage) -> None:
    """Usage in the words of a provider is read back as it was."""
    expected = usage
    if api == "anthropic.messages":  # which says nothing of reasoning
        expected = Usage(usage.input_tokens, usage.cached_read, usage.cached_write, usage.output_tokens, None)
    assert dialect_named(api).usage(write_usage(usage, api)) == expected
