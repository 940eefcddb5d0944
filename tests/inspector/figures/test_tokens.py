"""The token chart as a figure, judged by its data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from inspector.figures.tokens import BARS_UP_TO, token_chart
from inspector.model.layers import Layer
from inspector.model.request import Usage
from inspector.model.views import CallRow, TokenCount

UNKNOWN = TokenCount(None, "unknown")
CALL = CallRow(
    id="a",
    number=1,
    turn=1,
    turn_label="t1",
    turn_inferred=False,
    lane="main",
    lane_origin="given",
    purpose=None,
    previous=None,
    api="openai.chat",
    model="gpt-4.1",
    time="2026-11-28T14:02:00Z",
    duration_ms=None,
    status="answered",
    http_status=200,
    error=None,
    attempts=1,
    stop_reason="stop",
    usage=Usage(None, None, None, None, None),
    usage_raw=None,
    composition={Layer.SYSTEM: 60, Layer.HISTORY: 40},
    origins={Layer.SYSTEM: "tokenizer:o200k_base", Layer.HISTORY: "tokenizer:o200k_base"},
    counted=TokenCount(100, "tokenizer:o200k_base"),
    provider=TokenCount(130, "provider"),
    calibrated=UNKNOWN,
    unattributed=30,
    tokens=TokenCount(130, "provider"),
    window=16_000,
    budget=8_000,
    threshold=None,
    messages=4,
    exact="bytes",
    missing=(),
    caller=None,
    file="a.jsonl",
    line=2,
)
NOT_COUNTED: dict[str, Any] = {
    "composition": {},
    "origins": {},
    "counted": UNKNOWN,
    "provider": UNKNOWN,
    "tokens": UNKNOWN,
    "unattributed": None,
}


def traces(calls: list[CallRow]) -> dict[str, Any]:
    """Return the traces of the chart by name."""
    return {trace.name: trace for trace in token_chart(calls, mode="light").data}


def test_layers_are_stacked_from_system_up_to_the_unattributed_rest() -> None:
    """The order of traces is the order of the stack; layers that never occur are no traces."""
    assert [name for name in traces([CALL]) if name not in ("budget", "window")] == [
        "SY system",
        "HI history",
        "UN unattributed",
    ]


def test_a_layer_keeps_its_tokens() -> None:
    """Figures arrive as they are."""
    calls = [CALL, replace(CALL, number=2, composition={Layer.SYSTEM: 60, Layer.HISTORY: 75})]
    assert list(traces(calls)["HI history"].y) == [40, 75]


def test_an_uncounted_call_is_a_gap_and_a_cross() -> None:
    """Unknown is not 0."""
    found = traces([CALL, replace(CALL, number=2, **NOT_COUNTED)])
    assert list(found["SY system"].y) == [60, None]
    assert list(found["tokens unknown"].x) == [2]


def test_what_only_the_provider_knows_is_unattributed() -> None:
    """A call without a count, with the provider's figure, is all outline."""
    call = replace(CALL, **(NOT_COUNTED | {"tokens": TokenCount(500, "provider")}))
    assert list(traces([call])["UN unattributed"].y) == [500]


def test_a_limit_nobody_told_has_no_line() -> None:
    """No threshold known, no line."""
    assert "threshold" not in traces([CALL])


def test_texts_of_the_user_are_escaped() -> None:
    """Plotly reads titles and hovers as HTML: no markup of a trace gets through."""
    call = replace(CALL, turn_label="<img src=x onerror=alert(1)>")
    figure = token_chart([call], mode="dark", title="<a href='javascript:alert(1)'>s</a>")
    written = str(figure.to_plotly_json())
    assert "<img" not in written
    assert "<a " not in written
    assert "&lt;img" in written


def test_many_calls_are_areas() -> None:
    """Above the limit the chart is drawn as areas, with the same figures."""
    calls = [replace(CALL, number=number) for number in range(1, BARS_UP_TO + 2)]
    trace = traces(calls)["SY system"]
    assert trace.stackgroup == "layers"
    assert list(trace.y) == [60] * len(calls)


def test_both_palettes_colour_the_ground() -> None:
    """The figure stands on the page's own ground."""
    grounds = {token_chart([CALL], mode=mode).layout.paper_bgcolor for mode in ("light", "dark")}
    assert grounds == {"#FFFFFF", "#14171C"}
