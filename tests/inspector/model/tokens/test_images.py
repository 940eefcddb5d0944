"""Images cost what the providers' own examples say."""

from __future__ import annotations

import pytest

from inspector.model.request import Media
from inspector.model.tokens.images import count_image, image_rule


def cost(model: str, width: int | None, height: int | None, detail: str | None = None) -> tuple[int | None, str]:
    """Return tokens and origin of an image."""
    count = count_image(image_rule(model), Media("image/png", 1, width, height, detail))
    return count.count, count.origin


@pytest.mark.parametrize(
    ("model", "width", "height", "detail", "tokens"),
    [
        ("gpt-4o", 1024, 1024, "high", 765),
        ("gpt-4o", 2048, 4096, "high", 1105),
        ("gpt-4o", 4096, 8192, "low", 85),
        ("gpt-4o", 100, 100, "auto", 85 + 170),
        ("gpt-4o", 513, 100, None, 85 + 2 * 170),
        ("openai/gpt-4.1", 1024, 1024, None, 765),
        ("gpt-4o-mini", 1024, 1024, None, 2833 + 4 * 5667),
        ("gpt-5", 1024, 1024, None, 70 + 4 * 140),
    ],
)
def test_openai_tiles(model: str, width: int, height: int, detail: str | None, tokens: int) -> None:
    """OpenAI's documented examples (765, 1105, 85), and the prices of other models."""
    assert cost(model, width, height, detail) == (tokens, "formula:openai_tiles")


@pytest.mark.parametrize(
    ("width", "height", "patches"), [(1024, 1024, 1024), (1800, 2400, 1452), (32, 32, 1), (10_000, 16, 313)]
)
def test_openai_patches(width: int, height: int, patches: int) -> None:
    """OpenAI's documented examples (1024, 1452), times the model's multiplier, rounded up."""
    assert cost("gpt-4.1-mini", width, height) == (-(-patches * 162 // 100), "estimate:openai_patches")


@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        ("claude-sonnet-4-5", 1000, 1000, 1296),
        ("claude-sonnet-4-5", 200, 200, 64),
        ("claude-sonnet-4-5", 6000, 4000, 1568),
        ("claude-opus-4-7", 6000, 4000, 4784),
        ("claude-opus-4-7", 1000, 1000, 1296),
    ],
)
def test_anthropic_patches(model: str, width: int, height: int, tokens: int) -> None:
    """28 px patches, after scaling to the longest side, capped by the model's most."""
    assert cost(model, width, height) == (tokens, "estimate:anthropic_patches")


def test_unknown_is_none() -> None:
    """Without pixels or without a rule nobody knows; a low-detail image needs no pixels."""
    assert cost("gpt-4o", None, None) == (None, "unknown")
    assert cost("gpt-4o", None, None, "low") == (85, "formula:openai_tiles")
    assert cost("qwen-vl", 10, 10) == (None, "unknown")
    assert count_image(image_rule("gpt-4o"), None).count is None
