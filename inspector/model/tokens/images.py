"""What an image costs, by the provider's published rule; never as base64 text. ``docs/tokens.md`` has the sources."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from inspector.model.request import Media
from inspector.model.settings import matches_model
from inspector.model.tokens.families import CLAUDE_4_7
from inspector.model.views import TokenCount

UNKNOWN: Final = TokenCount(None, "unknown")
"""A figure nobody can say."""

Method = Literal["tiles", "patches", "anthropic"]

_TILE_BOX, _TILE_SHORT_SIDE, _TILE = 2048, 768, 512
_PATCH, _MOST_PATCHES = 32, 1536
_ANTHROPIC_PATCH: Final = 28


@dataclass(frozen=True)
class ImageRule:
    """How one family of models counts an image."""

    name: str
    """Word in the origin of a figure."""
    method: Method
    """``tiles`` of 512 px after scaling, ``patches`` of 32 px, or Anthropic's patches of 28 px."""
    patterns: tuple[str, ...]
    """Model names, shell-style, lower case."""
    base: int = 0
    """Tokens of any image; the whole price of a low-detail one (tiles)."""
    tile: int = 0
    """Tokens per tile."""
    multiplier: float = 1.0
    """Tokens per patch."""
    longest_side: int = 0
    """Pixels to which a larger image is scaled (Anthropic)."""
    most: int = 0
    """Tokens an image costs at most (Anthropic)."""
    measured: bool = True
    """The rule gives the figures of the provider's own examples; else it is an estimate."""


RULES: Final = (
    ImageRule("openai_patches", "patches", ("gpt-4.1-mini*",), multiplier=1.62, measured=False),
    ImageRule("openai_patches", "patches", ("gpt-4.1-nano*",), multiplier=2.46, measured=False),
    ImageRule("openai_patches", "patches", ("o4-mini*",), multiplier=1.72, measured=False),
    ImageRule("openai_patches", "patches", ("gpt-5-mini*", "gpt-5.*-mini*"), multiplier=1.62, measured=False),
    ImageRule("openai_patches", "patches", ("gpt-5-nano*", "gpt-5.*-nano*"), multiplier=2.46, measured=False),
    ImageRule("openai_tiles", "tiles", ("gpt-4o-mini*",), base=2833, tile=5667),
    ImageRule("openai_tiles", "tiles", ("gpt-4o*", "chatgpt-4o*", "gpt-4.1*", "gpt-4.5*", "gpt-4-*"), 85, 170),
    ImageRule("openai_tiles", "tiles", ("gpt-5*",), base=70, tile=140),
    ImageRule("openai_tiles", "tiles", ("o1*", "o3*"), base=75, tile=150, measured=False),
    ImageRule("openai_tiles", "tiles", ("computer-use-preview*",), base=65, tile=129, measured=False),
    ImageRule(
        "anthropic_patches",
        "anthropic",
        CLAUDE_4_7,
        longest_side=2576,
        most=4784,
        measured=False,
    ),
    ImageRule("anthropic_patches", "anthropic", ("*claude*",), longest_side=1568, most=1568, measured=False),
)
"""The first rule with a pattern that fits decides; a model without one has images of unknown cost."""


def image_rule(model: str | None) -> ImageRule | None:
    """Return the rule for a model's images; None where none is known."""
    if model is None:
        return None
    return next((rule for rule in RULES if any(matches_model(pattern, model) for pattern in rule.patterns)), None)


def count_image(rule: ImageRule | None, media: Media | None) -> TokenCount:
    """Count an image.

    Args:
        rule: The model's rule; None: not known.
        media: What is known of the image. ``detail`` other than ``low`` counts as high.

    Returns:
        The tokens, or unknown: without a rule, or where the rule needs pixels nobody knows (an address is
        never fetched).
    """
    if rule is None or media is None:
        return UNKNOWN
    origin = f"{'formula' if rule.measured else 'estimate'}:{rule.name}"
    if rule.method == "tiles" and media.detail == "low":
        return TokenCount(rule.base, origin)
    if not media.width or not media.height:
        return UNKNOWN
    width, height = media.width, media.height
    if rule.method == "tiles":
        return TokenCount(rule.base + rule.tile * tiles(width, height), origin)
    if rule.method == "patches":
        return TokenCount(math.ceil(patches(width, height) * rule.multiplier), origin)
    scale = min(1.0, rule.longest_side / max(width, height))
    columns = math.ceil(round(width * scale, 6) / _ANTHROPIC_PATCH)
    rows = math.ceil(round(height * scale, 6) / _ANTHROPIC_PATCH)
    return TokenCount(min(columns * rows, rule.most), origin)


def tiles(width: int, height: int) -> int:
    """Return OpenAI's number of 512 px tiles: fitted into 2,048 px, then the short side brought down to 768 px."""
    scale = min(1.0, _TILE_BOX / max(width, height))
    scale = min(scale, _TILE_SHORT_SIDE / min(width, height))
    # Rounded: 1024 × (768 ÷ 1024) must be one and a half tiles, not a hair more.
    across, down = round(width * scale, 6) / _TILE, round(height * scale, 6) / _TILE
    return math.ceil(across) * math.ceil(down)


def patches(width: int, height: int) -> int:
    """Return OpenAI's number of 32 px patches, scaled down to at most 1,536 that cover whole patches one way."""
    across, down = math.ceil(width / _PATCH), math.ceil(height / _PATCH)
    if across * down <= _MOST_PATCHES:
        return across * down
    scale = math.sqrt(_PATCH * _PATCH * _MOST_PATCHES / (width * height))
    wide, high = width * scale / _PATCH, height * scale / _PATCH
    scale *= min(_whole(wide), _whole(high))
    return min(
        _MOST_PATCHES, math.ceil(round(width * scale / _PATCH, 6)) * math.ceil(round(height * scale / _PATCH, 6))
    )


def _whole(patches_along: float) -> float:
    """Return the factor that brings a side down to whole patches (a side under one patch stays)."""
    return math.floor(patches_along) / patches_along if patches_along >= 1 else 1.0
