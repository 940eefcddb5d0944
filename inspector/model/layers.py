"""The layers of a context: names, two-letter codes, families and textures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

Texture = Literal["solid", "hatch", "dots", "bars", "outline"]
Family = Literal["instructions", "knowledge", "summary", "dialogue", "reasoning", "tool traffic", "overhead"]


class Layer(StrEnum):
    """Which tier of the context a segment belongs to; in stack order, lowest first."""

    SYSTEM = "system"
    TOOLS = "tools"
    MEMORY = "memory"
    STATE = "state"
    RETRIEVED = "retrieved"
    ATTACHMENTS = "attachments"
    SUMMARY = "summary"
    HISTORY = "history"
    INPUT = "input"
    REASONING = "reasoning"
    TOOL_RESULTS = "tool_results"
    TOOL_CALLS = "tool_calls"
    OVERHEAD = "overhead"


@dataclass(frozen=True)
class LayerStyle:
    """How a layer is shown."""

    code: str
    """Two letters."""
    family: Family
    """Decides the hue."""
    texture: Texture
    """Tells members of one family apart."""


UNATTRIBUTED: Final = "unattributed"
"""Provider's figure less the counted one: shown like a layer, but it is none."""

LAYER_STYLES: Final[dict[str, LayerStyle]] = {
    Layer.SYSTEM: LayerStyle("SY", "instructions", "solid"),
    Layer.TOOLS: LayerStyle("TD", "instructions", "hatch"),
    Layer.MEMORY: LayerStyle("ME", "knowledge", "solid"),
    Layer.STATE: LayerStyle("ST", "knowledge", "hatch"),
    Layer.RETRIEVED: LayerStyle("RE", "knowledge", "dots"),
    Layer.ATTACHMENTS: LayerStyle("AT", "knowledge", "bars"),
    Layer.SUMMARY: LayerStyle("SU", "summary", "solid"),
    Layer.HISTORY: LayerStyle("HI", "dialogue", "solid"),
    Layer.INPUT: LayerStyle("IN", "dialogue", "hatch"),
    Layer.REASONING: LayerStyle("RS", "reasoning", "solid"),
    Layer.TOOL_RESULTS: LayerStyle("TR", "tool traffic", "solid"),
    Layer.TOOL_CALLS: LayerStyle("TC", "tool traffic", "hatch"),
    Layer.OVERHEAD: LayerStyle("OV", "overhead", "hatch"),
    UNATTRIBUTED: LayerStyle("UN", "overhead", "outline"),
}
