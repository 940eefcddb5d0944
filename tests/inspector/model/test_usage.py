"""Usage is normalised per provider; what cannot be true is named and not used."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.model.dialects import dialect_named
from inspector.model.request import Usage
from inspector.model.usage import UsageReport


def report(api: str, usage: Any) -> UsageReport:
    """Read a provider's usage."""
    return dialect_named(api).usage_report(usage)


SAME_PROMPT: list[tuple[str, dict[str, Any]]] = [
    ("anthropic.messages", {"input_tokens": 50, "cache_read_input_tokens": 100_000, "output_tokens": 4}),
    ("bedrock.converse", {"inputTokens": 50, "cacheReadInputTokens": 100_000, "outputTokens": 4}),
    (
        "openai.chat",
        {"prompt_tokens": 100_050, "prompt_tokens_details": {"cached_tokens": 100_000}, "completion_tokens": 4},
    ),
    ("openai.chat", {"prompt_tokens": 100_050, "cache_read_input_tokens": 100_000, "completion_tokens": 4}),  # litellm
    ("openai.chat", {"prompt_tokens": 100_050, "prompt_cache_hit_tokens": 100_000, "completion_tokens": 4}),  # DeepSeek
    (
        "openai.responses",
        {"input_tokens": 100_050, "input_tokens_details": {"cached_tokens": 100_000}, "output_tokens": 4},
    ),
    (
        "gemini.generate_content",
        {"promptTokenCount": 100_050, "cachedContentTokenCount": 100_000, "candidatesTokenCount": 4},
    ),
    ("mistral.chat", {"prompt_tokens": 100_050, "num_cached_tokens": 100_000, "completion_tokens": 4}),
    ("cohere.chat", {"tokens": {"input_tokens": 100_050, "output_tokens": 4}, "cached_tokens": 100_000}),
    ("ollama.chat", {"prompt_eval_count": 100_050, "prompt_eval_cached_count": 100_000, "eval_count": 4}),
]


@pytest.mark.parametrize(("api", "usage"), SAME_PROMPT)
def test_one_prompt_is_one_size(api: str, usage: dict[str, Any]) -> None:
    """50 fresh tokens after 100,000 cached ones are a context of 100,050, whoever says it."""
    context = report(api, usage).context
    assert (context.input_tokens, context.cached_read, context.output_tokens) == (100_050, 100_000, 4)


def test_cached_tokens_are_not_added_twice() -> None:
    """10 in with 3 cached and 4 out are 14, not 17."""
    usage = report(
        "openai.responses", {"input_tokens": 10, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 3}}
    )
    assert (usage.context.input_tokens or 0) + (usage.context.output_tokens or 0) == 14


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (-1, "less than nothing"),
        ("12", "no number"),
        (True, "no number"),
        ([1], "no number"),
        (1.5, "no whole number"),
        (float("inf"), "no whole number"),
        (10**12, "more than any call"),
        pytest.param(10**5000, "more than any call", id="endless"),
    ],
)
def test_impossible_figures_are_named(value: Any, reason: str) -> None:
    """A figure that is no number of tokens is a problem with its path, and unknown."""
    found = report("openai.chat", {"prompt_tokens": value, "completion_tokens": 5})
    assert found.context == Usage(None, None, None, 5, None)
    (problem,) = found.problems
    assert problem.field == "prompt_tokens"
    assert reason in problem.reason
    assert len(problem.value) <= 80


def test_more_cached_than_there_is() -> None:
    """Cached tokens beyond the prompt make both figures unusable: one of them is counted otherwise."""
    found = report("openai.chat", {"prompt_tokens": 50, "prompt_tokens_details": {"cached_tokens": 100_000}})
    assert found.context == Usage(None, None, None, None, None)
    (problem,) = found.problems
    assert "100,000" in problem.reason
    assert "50" in problem.reason


def test_more_reasoning_than_answer() -> None:
    """Reasoning beyond the answer is refused, the answer stays."""
    found = report("openai.chat", {"completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 9}})
    assert found.context == Usage(None, None, None, 5, None)
    assert found.problems


def test_reasoning_counted_beside_the_answer() -> None:
    """Where the total shows that reasoning is left out of the answer, it is added."""
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 115,
        "completion_tokens_details": {"reasoning_tokens": 100},
    }
    found = report("openai.chat", usage)
    assert found.context == Usage(10, None, None, 105, 100)
    assert (found.problems, len(found.notes)) == ((), 1)
    inside = report("openai.chat", {**usage, "completion_tokens": 105})
    assert (inside.context.output_tokens, inside.notes) == (105, ())


ITERATIONS = {
    "input_tokens": 229,
    "output_tokens": 5,
    "iterations": [
        {"type": "compaction", "input_tokens": 100, "cache_creation_input_tokens": 55_096, "output_tokens": 131},
        {"type": "message", "input_tokens": 229, "cache_creation_input_tokens": 0, "output_tokens": 5},
    ],
}


def test_size_and_price_of_a_compacting_call() -> None:
    """The context is the largest pass, the bill is all of them, and no figure is both."""
    found = report("anthropic.messages", ITERATIONS)
    assert found.context.input_tokens == 55_196
    assert found.billed.input_tokens == 55_425
    assert [(one.kind, one.usage.input_tokens) for one in found.passes] == [("compaction", 55_196), ("message", 229)]
    assert "55,196" in found.notes[0]


def test_passes_of_server_tools_are_no_size() -> None:
    """Three passes over a growing prompt are a context of the largest, not of their sum."""
    passes = [{"type": "message", "input_tokens": n, "output_tokens": 1} for n in (1000, 1200, 1500)]
    found = report("anthropic.messages", {"input_tokens": 3700, "output_tokens": 3, "iterations": passes})
    assert (found.context.input_tokens, found.billed.input_tokens) == (1500, 3700)


def test_sums_of_server_tools_are_no_exact_size() -> None:
    """Without passes, the figure of a call with server tools is an upper bound, and says so."""
    usage = {"input_tokens": 16, "cache_read_input_tokens": 13_637, "server_tool_use": {"web_search_requests": 0}}
    found = report("anthropic.messages", usage)
    assert (found.context.input_tokens, found.input_is, len(found.notes)) == (13_653, "at most", 1)
    assert report("anthropic.messages", {"input_tokens": 16}).input_is == "exact"


def test_a_bad_pass_is_named_with_its_place() -> None:
    """A problem in a pass says which."""
    found = report("anthropic.messages", {"iterations": [{"input_tokens": 5}, {"input_tokens": "x"}]})
    assert [problem.field for problem in found.problems] == ["iterations[1].input_tokens"]


def test_cache_writes_by_lifetime() -> None:
    """Where only the two lifetimes are told, they add up."""
    usage = {"input_tokens": 1, "cache_creation": {"ephemeral_5m_input_tokens": 2, "ephemeral_1h_input_tokens": 3}}
    assert report("anthropic.messages", usage).context == Usage(6, None, 5, None, None)


@pytest.mark.parametrize("usage", ["none", [], 3])
def test_usage_that_is_no_object(usage: Any) -> None:
    """Usage that is no object is a problem, not an error."""
    found = report("openai.chat", usage)
    assert (found.context.input_tokens, found.problems[0].field) == (None, "usage")


def test_nothing_said_is_nothing_wrong() -> None:
    """Absent usage and null figures are unknown without a problem."""
    for usage in (None, {}, {"prompt_tokens": None, "prompt_tokens_details": None}):
        found = report("openai.chat", usage)
        assert (found.context, found.problems) == (Usage(None, None, None, None, None), ())
