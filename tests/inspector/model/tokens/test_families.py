"""Every model finds the vocabulary it counts with, and what is known of the error."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiktoken

from inspector.model.tokens.families import FAMILIES, family_of


@pytest.mark.parametrize(
    ("model", "name", "encoding", "exact"),
    [
        ("gpt-4o-2024-08-06", "GPT-4o and later", "o200k_base", True),
        ("openai/gpt-4.1-mini", "GPT-4o and later", "o200k_base", True),
        ("gpt-5.4-mini", "GPT-4o and later", "o200k_base", True),
        ("o3-mini", "GPT-4o and later", "o200k_base", True),
        ("o4-mini", "GPT-4o and later", "o200k_base", True),
        ("ft:gpt-4o-mini:acme", "GPT-4o and later", "o200k_base", True),
        ("gpt-4-turbo", "GPT-4 and GPT-3.5", "cl100k_base", True),
        ("gpt-4", "GPT-4 and GPT-3.5", "cl100k_base", True),
        ("gpt-35-turbo", "GPT-4 and GPT-3.5", "cl100k_base", True),
        ("openai/gpt-oss-120b", "gpt-oss", "o200k_base", True),
        ("claude-3-5-haiku-latest", "Claude up to 4.6", "o200k_base", False),
        ("claude-sonnet-4-5-20250929", "Claude up to 4.6", "o200k_base", False),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "Claude up to 4.6", "o200k_base", False),
        ("litellm_proxy/anthropic/claude-opus-4-6", "Claude up to 4.6", "o200k_base", False),
        ("claude-opus-4-7", "Claude 4.7 and later", "o200k_base", False),
        ("anthropic/claude-opus-4.8", "Claude 4.7 and later", "o200k_base", False),
        ("claude-sonnet-5", "Claude 4.7 and later", "o200k_base", False),
        ("gemini-2.5-flash", "Gemini", "o200k_base", False),
        ("meta-llama/Llama-3.3-70B-Instruct", "Llama 3", "o200k_base", False),
        ("llama-4-scout", "Llama 4", "o200k_base", False),
        ("Qwen/Qwen3-32B", "Qwen", "o200k_base", False),
        ("deepseek-chat", "DeepSeek", "o200k_base", False),
        ("magistral-medium-latest", "Mistral", "o200k_base", False),
        ("zai-org/glm-4.7", "GLM", "o200k_base", False),
        ("gpt-6", "a model of unknown family", "o200k_base", False),
        ("acme-1", "a model of unknown family", "o200k_base", False),
        (None, "a model of unknown family", "o200k_base", False),
    ],
)
def test_family(model: str | None, name: str, encoding: str, exact: bool) -> None:
    """Names with prefixes, dates and any case are known; the rest is unknown."""
    family = family_of(model)
    assert (family.name, family.encoding, family.exact) == (name, encoding, exact)


@pytest.mark.parametrize(
    "model",
    ["gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "o4-mini", "gpt-4", "gpt-3.5-turbo", "gpt-4-turbo", "gpt-35-turbo"],
)
def test_agrees_with_tiktoken(model: str) -> None:
    """Where tiktoken knows a model, both name the same encoding."""
    assert family_of(model).encoding == tiktoken.encoding_name_for_model(model)


def test_errors_are_told_for_every_borrowed_vocabulary() -> None:
    """A family that counts with another's vocabulary says how far off it is."""
    assert all(family.exact is (family.error is None) for family in FAMILIES)


def test_the_documentation_tells_the_errors() -> None:
    """``docs/tokens.md`` gives each family's range in its row."""
    page = (Path(__file__).parents[4] / "docs" / "tokens.md").read_text(encoding="utf-8").replace("−", "-")
    rows = [row for row in page.splitlines() if row.startswith("|")]
    for family in FAMILIES:
        if family.error is not None:
            low, high = family.error
            span = f"{low:+d} … {high:+d}".replace("+0 ", "0 ")
            assert any(family.name.lower() in row.lower() and span in row for row in rows), family.name
