"""Which vocabulary a model counts with, and how far off the nearest one is where its own cannot be had offline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from inspector.model.settings import matches_model


@dataclass(frozen=True)
class Family:
    """Models that share a tokenizer."""

    name: str
    """For people."""
    patterns: tuple[str, ...]
    """Shell-style patterns of model names, lower case, without the provider's prefix."""
    encoding: str
    """Vocabulary to count with."""
    exact: bool
    """It is their own."""
    error: tuple[int, int] | None = None
    """Counted less true size in percent of the true size, least and greatest over five kinds of text (English,
    Chinese, code, JSON, rows of identifiers); None: not measured. ``docs/tokens.md`` has the table."""


CLAUDE_4_7: Final = tuple(
    f"*claude-{size}-{version}*" for size in ("opus", "sonnet", "haiku") for version in ("4-[7-9]", "4.[7-9]", "[5-9]")
)
"""Patterns of Claude 4.7 and later, which have a tokenizer and image limits of their own."""

FAMILIES: Final = (
    Family("gpt-oss", ("gpt-oss*",), "o200k_base", True),
    Family(
        "GPT-4o and later",
        ("gpt-4o*", "gpt-4.1*", "gpt-4.5*", "gpt-5*", "chatgpt-4o*", "o1*", "o3*", "o4*", "codex-*",
         "computer-use-preview*", "ft:gpt-4o*", "ft:gpt-4.1*"),
        "o200k_base",
        True,
    ),
    Family("GPT-4 and GPT-3.5", ("gpt-4*", "gpt-3.5*", "gpt-35*", "ft:gpt-4*", "ft:gpt-3.5*"), "cl100k_base", True),
    Family("Claude 4.7 and later", CLAUDE_4_7, "o200k_base", False, (-37, -27)),
    Family("Claude up to 4.6", ("*claude*",), "o200k_base", False, (-25, -7)),
    Family("Gemini", ("*gemini*", "*gemma*"), "o200k_base", False, (-22, 3)),
    Family("Llama 4", ("*llama-4*", "*llama4*"), "o200k_base", False, (0, 14)),
    Family("Llama 3", ("*llama*",), "o200k_base", False, (-1, 1)),
    Family("Qwen", ("*qwen*", "qwq*"), "o200k_base", False, (-19, 7)),
    Family("DeepSeek", ("*deepseek*",), "o200k_base", False, (-5, 7)),
    Family("Mistral", ("*mistral*", "*magistral*", "*devstral*", "*codestral*", "*ministral*", "*pixtral*"),
           "o200k_base", False, (-23, -5)),
    Family("GLM", ("*glm-*",), "o200k_base", False, (-5, 7)),
    Family("MiniMax", ("*minimax*",), "o200k_base", False, (-1, 15)),
)  # fmt: skip
"""The first family with a pattern that fits decides. Errors follow from the counts of ``docs/tokens.md``."""

UNKNOWN_FAMILY: Final = Family("a model of unknown family", ("*",), "o200k_base", False)
"""For everything else."""


def family_of(model: str | None) -> Family:
    """Return the family of a model.

    Args:
        model: Its name, with or without a provider's prefix (``openai/``, ``litellm_proxy/anthropic/``); None: unknown.
    """
    if model is None:
        return UNKNOWN_FAMILY
    return next(
        (family for family in FAMILIES if any(matches_model(pattern, model) for pattern in family.patterns)),
        UNKNOWN_FAMILY,
    )
