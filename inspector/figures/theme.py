"""The palette: colours of layers, of what happened and of the ground, light and dark.

Six hues for the families of layers (the texture tells the members apart) and five colours for
what happened (the symbol tells the exact fate). The test of this module checks contrast and that
any two colours of a set stay apart under normal sight and the three kinds of colour blindness.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Final, Literal

from inspector.model.layers import LAYER_STYLES, Family, Layer
from inspector.model.views import Severity

Kind = Literal["lost", "altered", "condensed", "here", "same"]
"""What happened, by meaning."""


@dataclass(frozen=True)
class Ground:
    """What everything stands on."""

    background: str
    """The page."""
    raised: str
    """Heads of tables, buttons, bands."""
    text: str
    muted: str
    """Text of second rank."""
    line: str
    """Rules and borders."""
    accent: str
    """Selection, focus and links."""
    fill: str
    """A column of the scrubber without a finding."""


@dataclass(frozen=True)
class Palette:
    """All colours of one mode, as ``#RRGGBB``."""

    families: dict[Family, str]
    kinds: dict[Kind, str]
    ground: Ground


LIGHT: Final = Palette(
    families={
        "instructions": "#164A96",
        "knowledge": "#2F7D68",
        "summary": "#BD69D4",
        "dialogue": "#8B9198",
        "reasoning": "#776E8E",
        "tool traffic": "#A06F14",
        "overhead": "#C9CDD3",
    },
    kinds={
        "lost": "#9C1219",
        "altered": "#A56200",
        "condensed": "#751E99",
        "here": "#00758A",
        "same": "#4A4F56",
    },
    ground=Ground(
        background="#FFFFFF",
        raised="#F4F5F7",
        text="#1C2126",
        muted="#5C646E",
        line="#D9DDE3",
        accent="#1F5FBF",
        fill="#B9C0C9",
    ),
)

DARK: Final = Palette(
    families={
        "instructions": "#3169AF",
        "knowledge": "#73BEA6",
        "summary": "#CD7CE5",
        "dialogue": "#7C8087",
        "reasoning": "#CBC9EA",
        "tool traffic": "#CFA24C",
        "overhead": "#3C424B",
    },
    kinds={
        "lost": "#E8604A",
        "altered": "#F4C86C",
        "condensed": "#CF84FB",
        "here": "#92E5E2",
        "same": "#868B93",
    },
    ground=Ground(
        background="#14171C",
        raised="#1D2127",
        text="#E4E7EB",
        muted="#98A0AB",
        line="#343A43",
        accent="#7AB0F5",
        fill="#4A515B",
    ),
)

MODES: Final[dict[Literal["light", "dark"], Palette]] = {"light": LIGHT, "dark": DARK}

SEVERITY_KINDS: Final[dict[Severity, Kind]] = {"error": "lost", "warning": "altered", "info": "same"}
"""A severity borrows the colour of a kind."""

SEVERITY_SYMBOLS: Final[dict[Severity, str]] = {"error": "●", "warning": "▲", "info": "○"}

STACK_ORDER: Final[tuple[str, ...]] = tuple(LAYER_STYLES)
"""Layers from the bottom of a stacked bar to its top; the unattributed rest last."""


def layer_colour(layer: Layer | str, mode: Literal["light", "dark"]) -> str:
    """Return the colour of a layer's family; ``unattributed`` counts as a layer here."""
    return MODES[mode].families[LAYER_STYLES[layer].family]


def theme_json() -> str:
    """Return the palette and the styles of the layers as JSON for the browser."""
    styles = {str(name): asdict(style) for name, style in LAYER_STYLES.items()}
    return json.dumps(
        {
            "modes": {mode: asdict(palette) for mode, palette in MODES.items()},
            "layers": styles,
            "order": [str(name) for name in STACK_ORDER],
            "severities": {
                severity: {"kind": kind, "symbol": SEVERITY_SYMBOLS[severity]}
                for severity, kind in SEVERITY_KINDS.items()
            },
        },
        ensure_ascii=False,
    )
