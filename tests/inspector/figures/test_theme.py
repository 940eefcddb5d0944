"""The palette can be read, and its colours stay apart for every reader."""

from __future__ import annotations

import itertools
import json
import math
import tomllib
from pathlib import Path

import pytest

import inspector.figures.theme
from inspector.figures.theme import MODES, STACK_ORDER, layer_colour, theme_json
from inspector.model.layers import LAYER_STYLES, UNATTRIBUTED, Layer

Rgb = tuple[float, float, float]

SIGHT: dict[str, tuple[Rgb, Rgb, Rgb]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""Machado, Oliveira and Fernandes 2009, severity 1; on linear RGB."""

SETS = {
    ("families", "light"): 12.9,
    ("families", "dark"): 12.3,
    ("kinds", "light"): 12.1,
    ("kinds", "dark"): 16.5,
}
"""Smallest distance (ΔE2000) between two colours of a set: what the design found, less its rounding."""


def linear(colour: str) -> Rgb:
    """Return linear RGB of ``#RRGGBB``."""
    r, g, b = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return (_linear(r), _linear(g), _linear(b))


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def seen(colour: str, sight: str) -> Rgb:
    """Return linear RGB as a reader of that sight sees it."""
    rgb = linear(colour)
    r, g, b = (
        min(1.0, max(0.0, sum(weight * value for weight, value in zip(row, rgb, strict=True)))) for row in SIGHT[sight]
    )
    return (r, g, b)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2."""
    bright, dim = sorted((luminance(linear(one)), luminance(linear(other))), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(rgb: Rgb) -> float:
    """Return relative luminance."""
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def lab(rgb: Rgb) -> Rgb:
    """Return CIELAB under D65."""
    r, g, b = rgb
    x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047
    y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883
    fx, fy, fz = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z))
    return (116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz))


def distance(one: Rgb, other: Rgb) -> float:
    """Return ΔE2000 of two CIELAB colours (Sharma, Wu and Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_chroma = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * math.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))
    c1, c2 = math.hypot(a1 * stretch, b1), math.hypot(a2 * stretch, b2)
    h1, h2 = (math.degrees(math.atan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    d_l, d_c = l2 - l1, c2 - c1
    d_h = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn) / 2)
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    weight = (
        1
        - 0.17 * math.cos(math.radians(hue - 30))
        + 0.24 * math.cos(math.radians(2 * hue))
        + 0.32 * math.cos(math.radians(3 * hue + 6))
        - 0.20 * math.cos(math.radians(4 * hue - 63))
    )
    s_l = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    s_c, s_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * weight
    swing = 30 * math.exp(-(((hue - 275) / 25) ** 2))
    twist = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7)) * math.sin(math.radians(2 * swing))
    return math.sqrt((d_l / s_l) ** 2 + (d_c / s_c) ** 2 + (d_h / s_h) ** 2 + twist * (d_c / s_c) * (d_h / s_h))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
        ((90.8027, -2.0831, 1.4410), (91.1528, -1.6435, 0.0447), 1.4441),
    ],
)
def test_distance_agrees_with_the_published_pairs(one: Rgb, other: Rgb, expected: float) -> None:
    """The measure of this test is ΔE2000."""
    assert distance(one, other) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(("which", "mode"), SETS)
def test_colours_of_a_set_stay_apart(which: str, mode: str, sight: str) -> None:
    """No two families and no two kinds look alike, whatever the reader's sight."""
    colours: dict[str, str] = getattr(MODES[mode], which)  # type: ignore[index]
    nearest = min(
        (distance(lab(seen(a, sight)), lab(seen(b, sight))), name_a, name_b)
        for (name_a, a), (name_b, b) in itertools.combinations(colours.items(), 2)
    )

    assert nearest[0] >= SETS[which, mode], nearest


@pytest.mark.parametrize("mode", MODES)
def test_colours_stand_out_from_the_ground(mode: str) -> None:
    """Fills, symbols and text of second rank can be made out on the page."""
    palette = MODES[mode]  # type: ignore[index]
    ground = palette.ground.background

    fills = {name: contrast(c, ground) for name, c in palette.families.items() if name != "overhead"}
    kinds = {name: contrast(c, ground) for name, c in palette.kinds.items()}
    assert min(fills.values()) >= 3.1, fills
    assert min(kinds.values()) >= 4.8, kinds
    for surface in (ground, palette.ground.raised):
        assert contrast(palette.ground.muted, surface) >= 5.4
        assert contrast(palette.ground.text, surface) >= 12
        assert contrast(palette.ground.accent, surface) >= 4.5


def test_every_layer_has_a_colour_and_a_place_in_the_stack() -> None:
    """The palette covers the layers and the unattributed rest."""
    assert list(STACK_ORDER) == [*Layer, UNATTRIBUTED]
    for mode, palette in MODES.items():
        assert {layer_colour(layer, mode) for layer in STACK_ORDER} == set(palette.families.values())


def test_members_of_a_family_differ_in_texture() -> None:
    """Two layers of one hue never share a texture."""
    looks = [(style.family, style.texture) for style in LAYER_STYLES.values()]

    assert len(looks) == len(set(looks))


def test_the_browser_gets_the_same_palette() -> None:
    """The JSON for the scripts holds every colour and style."""
    sent = json.loads(theme_json())

    assert sent["modes"]["dark"]["families"] == MODES["dark"].families
    assert sent["layers"]["summary"] == {"code": "SU", "family": "summary", "texture": "solid"}
    assert sent["order"][0] == "system"


def test_streamlit_is_configured_with_the_palette() -> None:
    """The config beside the entry script names the same ground colours."""
    config = Path(inspector.figures.theme.__file__).parents[1] / ".streamlit" / "config.toml"
    themes = tomllib.loads(config.read_text("utf-8"))["theme"]

    for mode, palette in MODES.items():
        ground = palette.ground
        expected = {
            "primaryColor": ground.accent,
            "backgroundColor": ground.background,
            "secondaryBackgroundColor": ground.raised,
            "textColor": ground.text,
            "borderColor": ground.line,
            "linkColor": ground.accent,
        }
        assert themes[mode] == expected
