"""The token chart of a lane as a Plotly figure: to explore, to switch layers, to save."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any, Final, Literal

import plotly.graph_objects as go

from inspector.figures.theme import MODES, layer_colour
from inspector.model.layers import LAYER_STYLES, UNATTRIBUTED, Layer, Texture
from inspector.model.views import CallRow

BARS_UP_TO: Final = 300
"""Calls drawn as bars; more are areas, which a browser draws in a fraction of the time."""
_SHAPES: Final[dict[Texture, str]] = {"solid": "", "hatch": "/", "dots": ".", "bars": "|", "outline": ""}
_HEIGHT: Final = 560
"""Pixels."""
_LINES: Final = (("window", "dot"), ("budget", "solid"), ("threshold", "dash"))


def token_chart(calls: Sequence[CallRow], *, mode: Literal["light", "dark"], title: str = "") -> go.Figure:
    """Return tokens by layer over the calls of one lane, stacked as on the Session page.

    A call whose tokens are unknown gets a cross on the axis: it must not read as an empty prompt.
    All texts of the trace are escaped: Plotly reads hover texts as HTML.

    Args:
        calls: Calls of one lane, in order.
        mode: Which palette.
        title: Stands above the figure and in the saved picture; the user's text.
    """
    ground = MODES[mode].ground
    figure = go.Figure()
    numbers = [call.number for call in calls]
    for layer in (*Layer, UNATTRIBUTED):
        amounts = [_amount(call, layer) for call in calls]
        if any(amounts):
            figure.add_trace(_layer_trace(calls, layer, amounts, mode))
    unknown = [call for call in calls if call.counted.count is None and call.tokens.count is None]
    if unknown:
        figure.add_trace(_unknown_trace(unknown, ground.muted))
    for name, dash in _LINES:
        limits = [getattr(call, name) for call in calls]
        if any(limit is not None for limit in limits):
            figure.add_trace(
                go.Scatter(
                    x=numbers,
                    y=limits,
                    name=name,
                    mode="lines",
                    line={"dash": dash, "width": 1.5, "shape": "hvh", "color": ground.text},
                    visible=True if name != "window" else "legendonly",
                    hovertemplate=f"{name} %{{y:,}}<extra></extra>",
                )
            )
    figure.update_layout(
        title={"text": html.escape(title), "font": {"size": 14}},
        barmode="stack",
        bargap=0.08,
        height=_HEIGHT,
        margin={"l": 88, "r": 16, "t": 48, "b": 56},
        paper_bgcolor=ground.background,
        plot_bgcolor=ground.background,
        font={"color": ground.text, "size": 13},
        hovermode="closest",
        legend={"traceorder": "reversed"},
        xaxis={
            "title": {"text": "call"},
            "gridcolor": ground.line,
            "zeroline": False,
            "rangeslider": {"visible": False},
        },
        yaxis={"title": {"text": "tokens"}, "gridcolor": ground.line, "rangemode": "tozero", "tickformat": ",d"},
    )
    return figure


def _unknown_trace(calls: Sequence[CallRow], colour: str) -> go.Scatter:
    return go.Scatter(
        x=[call.number for call in calls],
        y=[0] * len(calls),
        name="tokens unknown",
        mode="markers",
        marker={"symbol": "x", "size": 8, "color": colour},
        hovertemplate="call %{x}: tokens unknown<extra></extra>",
    )


def _amount(call: CallRow, layer: Layer | str) -> int | None:
    """Return the tokens of a layer; None where they are unknown, and for a count above the provider's.

    Where nothing could be counted, all that the provider says is unattributed.
    """
    if not isinstance(layer, Layer):
        rest = call.unattributed if call.counted.count is not None else call.tokens.count
        return rest if rest is not None and rest > 0 else None
    return None if call.counted.count is None else call.composition.get(layer, 0)


def _layer_trace(
    calls: Sequence[CallRow], layer: Layer | str, amounts: list[int | None], mode: Literal["light", "dark"]
) -> go.Bar | go.Scatter:
    style = LAYER_STYLES[layer]
    ground = MODES[mode].ground
    colour = layer_colour(layer, mode)
    outline = style.texture == "outline"
    pattern = {"shape": _SHAPES[style.texture], "fgcolor": ground.background, "size": 6, "solidity": 0.25}
    common: dict[str, Any] = {
        "x": [call.number for call in calls],
        "y": amounts,
        "name": f"{style.code} {layer.replace('_', ' ')}",
        "customdata": [_hover(call, layer) for call in calls],
        "hovertemplate": "%{customdata}<br>%{y:,} tokens<extra>" + style.code + "</extra>",
    }
    if len(calls) <= BARS_UP_TO:
        marker = {
            "color": "rgba(0,0,0,0)" if outline else colour,
            "line": {"width": 1 if outline else 0, "color": ground.muted},
            "pattern": {**pattern, "bgcolor": colour} if pattern["shape"] else None,
        }
        return go.Bar(**common, marker=marker)
    return go.Scatter(
        **common,
        mode="lines",
        stackgroup="layers",
        line={"width": 1 if outline else 0, "shape": "hv", "color": ground.muted if outline else colour},
        fillcolor="rgba(0,0,0,0)" if outline else colour,
        fillpattern=None if outline or not pattern["shape"] else {**pattern, "bgcolor": colour, "fillmode": "replace"},
        stackgaps="infer zero",
    )


def _hover(call: CallRow, layer: Layer | str) -> str:
    """Return what the pointer shows of a call, as HTML without any of the user's markup."""
    origin = call.origins.get(layer, "unknown") if isinstance(layer, Layer) else "provider less counted"
    lines = [f"call {call.number} · {call.turn_label}", str(layer).replace("_", " "), origin]
    if call.status != "answered":
        lines.append(call.status)
    return "<br>".join(html.escape(line) for line in lines)
