"""Token counts as tracing tools keep them, in the words of the provider whose answer they stand beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.model.request import Usage

_READ: Final = frozenset({"cache_read", "cached_tokens", "cached", "cache_read_input_tokens", "cache_read_tokens"})
_WRITTEN: Final = frozenset(
    {"cache_creation", "cache_write", "cache_creation_input_tokens", "cache_write_tokens", "cache_creation_tokens"}
)
_WRITTEN_BY_LIFE: Final = frozenset({"ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"})
"""Parts of what was written, by how long it is kept: beside the sum, or in its place."""
_REASONING: Final = frozenset({"reasoning", "reasoning_tokens", "thoughts"})
_INPUTS: Final = ("input", "input_tokens", "prompt_tokens", "inputTokens", "promptTokens", "prompt")
_OUTPUTS: Final = ("output", "output_tokens", "completion_tokens", "outputTokens", "completionTokens", "completion")
_TOTALS: Final = ("total", "total_tokens", "totalTokens")
_DETAILS: Final = ("input_token_details", "output_token_details", "prompt_tokens_details", "completion_tokens_details")


def usage_of_langchain(counts: Any) -> Usage | None:
    """Read LangChain's ``usage_metadata``, in which the input includes what was cached, whatever the provider.

    Args:
        counts: ``input_tokens``, ``output_tokens`` and their details; anything else has no usage.
    """
    if not isinstance(counts, Mapping):
        return None
    details = _details(counts, "input")
    reasoning = _sum_of(_details(counts, "output"), _REASONING)
    usage = Usage(
        _first(counts, _INPUTS), _sum_of(details, _READ), _written(details), _first(counts, _OUTPUTS), reasoning
    )
    return usage if usage.input_tokens or usage.output_tokens else None  # all zero: nothing was reported


def usage_of_langfuse(counts: Any) -> Usage | None:
    """Read Langfuse's ``usageDetails``.

    Langfuse takes kinds of tokens it knows apart (``input_cache_read``, ``output_reasoning``,
    ``cache_read_input_tokens``) out of ``input`` and ``output``; exporters by OpenTelemetry leave them in. Which it is
    the total tells; without one, what Langfuse does holds, except for names such as ``prompt_details.cache_read``,
    that only those exporters give.

    Args:
        counts: Numbers by kind; anything else has no usage.
    """
    if not isinstance(counts, Mapping) or not any(_number(count) for count in counts.values()):
        return None  # all zero: nothing was reported
    fresh, answer, whole = _first(counts, _INPUTS), _first(counts, _OUTPUTS), _first(counts, _TOTALS)
    beside = {name: number for name, count in counts.items() if (number := _number(count)) is not None}
    for name in (*_INPUTS, *_OUTPUTS, *_TOTALS):
        beside.pop(name, None)
    inputs = {_kind(name): count for name, count in beside.items() if _is_input(name)}
    outputs = {_kind(name): count for name, count in beside.items() if not _is_input(name)}
    apart = not any("details." in name for name in beside)
    if whole is not None and fresh is not None and answer is not None and whole == fresh + answer:
        apart = False
    elif whole is not None and whole == (fresh or 0) + (answer or 0) + sum(beside.values()):
        apart = True
    return Usage(
        (fresh or 0) + sum(inputs.values()) if apart and (fresh is not None or inputs) else fresh,
        _sum_of(inputs, _READ),
        _written(inputs),
        (answer or 0) + sum(outputs.values()) if apart and (answer is not None or outputs) else answer,
        _sum_of(outputs, _REASONING),
    )


def write_usage(usage: Usage | None, api: str) -> dict[str, Any] | None:
    """Word usage as the provider of ``api`` does; None stays None, and a figure not known is left out."""
    if usage is None:
        return None
    if api == "gemini.generate_content":
        reasoning = usage.reasoning_tokens or 0
        answer = None if usage.output_tokens is None else max(0, usage.output_tokens - reasoning)
        return _known(
            promptTokenCount=usage.input_tokens,
            candidatesTokenCount=answer,
            thoughtsTokenCount=usage.reasoning_tokens,
            cachedContentTokenCount=usage.cached_read,
        )
    if api == "anthropic.messages":
        cached = (usage.cached_read or 0) + (usage.cached_write or 0)
        return _known(
            input_tokens=None if usage.input_tokens is None else max(0, usage.input_tokens - cached),
            cache_read_input_tokens=usage.cached_read,
            cache_creation_input_tokens=usage.cached_write,
            output_tokens=usage.output_tokens,
        )
    prompt, completion = ("input", "output") if api == "openai.responses" else ("prompt", "completion")
    counts = {f"{prompt}_tokens": usage.input_tokens, f"{completion}_tokens": usage.output_tokens}
    details = "tokens_details"
    return {
        **{name: count for name, count in counts.items() if count is not None},
        **_group(f"{prompt}_{details}", cached_tokens=usage.cached_read, cache_write_tokens=usage.cached_write),
        **_group(f"{completion}_{details}", reasoning_tokens=usage.reasoning_tokens),
    }


def _written(counts: Mapping[str, Any]) -> int | None:
    known = [one for kinds in (_WRITTEN, _WRITTEN_BY_LIFE) if (one := _sum_of(counts, kinds)) is not None]
    return max(known) if known else None


def _group(name: str, **counts: int | None) -> dict[str, Any]:
    known = _known(**counts)
    return {name: known} if known else {}


def _known(**counts: int | None) -> dict[str, Any]:
    return {name: count for name, count in counts.items() if count is not None}


def _details(counts: Mapping[str, Any], side: str) -> Mapping[str, Any]:
    names = _DETAILS[::2] if side == "input" else _DETAILS[1::2]
    return next((counts[name] for name in names if isinstance(counts.get(name), Mapping)), {})


def _sum_of(counts: Mapping[str, Any], kinds: frozenset[str]) -> int | None:
    found = [number for name in kinds if (number := _number(counts.get(name))) is not None]
    return sum(found) if found else None


def _first(counts: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    return next((number for name in names if (number := _number(counts.get(name))) is not None), None)


def _kind(name: str) -> str:
    """Give the kind of tokens in a name that says on which side they are, too."""
    bare = name.rpartition(".")[2]
    for side in ("input_", "output_", "prompt_", "completion_"):
        bare = bare.removeprefix(side)
    return bare


def _is_input(name: str) -> bool:
    return name.startswith(("input", "prompt", "cache"))


def _number(value: Any) -> int | None:
    """Read a count; some exports write numbers as texts."""
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value)
