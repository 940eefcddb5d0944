"""The words of the Call page's header and its ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from inspector.model.layers import Layer
from inspector.model.request import Usage
from inspector.model.views import CallRow, TokenCount
from inspector.ui import call_words as words

MakeCall = Callable[..., CallRow]


@pytest.mark.parametrize(
    ("exact", "missing", "raw", "said"),
    [
        ("bytes", (), False, "exact bytes ✓"),
        ("bytes", (), True, "stored raw"),
        ("values", (), False, "handed over by your code"),
        ("redacted", (), False, "redacted before writing"),
        ("imported", (), False, "imported"),
        ("imported", ("tools",), False, "imported: this log has no tool definitions"),
        (
            "rebuilt",
            ("system", "tools"),
            False,
            "rebuilt from a log: this log has no system prompt and no tool definitions",
        ),
    ],
)
def test_provenance(make_call: MakeCall, exact: str, missing: tuple[str, ...], raw: bool, said: str) -> None:
    """How far the bytes are proved is said in words."""
    assert words.provenance(make_call(1, exact=exact, missing=missing), (), raw=raw).text == said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": "answered"}, None),
        (
            {"status": "failed", "http_status": 400, "error": "prompt is too long: 210000 tokens"},
            "refused: 400, context too long",
        ),
        ({"status": "failed", "http_status": 429, "error": "slow\ndown"}, "refused: 429, slow down"),
        ({"status": "failed", "http_status": None, "error": "no route"}, "failed: no route"),
        ({"status": "incomplete", "duration_ms": 3_100.0}, "cut off by the caller after 3.1 s"),
        ({"status": "incomplete", "duration_ms": None, "error": "reset"}, "broke off: reset"),
        ({"status": "no answer"}, "no answer recorded"),
    ],
)
def test_outcome(make_call: MakeCall, changes: dict[str, Any], said: str | None) -> None:
    """A call without a whole answer says how it ended."""
    fact = words.outcome(make_call(1, **changes))
    assert (fact.text if fact else None) == said


def test_odd_usage_is_said(make_call: MakeCall) -> None:
    """An impossible value is reported, not drawn; a bound is called one."""
    call = replace(make_call(1), usage_problems=("cached = 12: more than the input",), usage_notes=("at least",))

    assert words.usage_remarks(call) == ["impossible usage: cached = 12: more than the input", "at least"]


def test_usage_line(make_call: MakeCall) -> None:
    """The provider's figures on one line."""
    call = make_call(1, usage=Usage(11_352, 2_816, None, 214, None))
    assert words.usage_line(call) == "11,352 in (2,816 cached) · 214 out by the provider"


def test_no_usage_is_no_line(make_call: MakeCall) -> None:
    """Where the provider said nothing, nothing is said."""
    assert words.usage_line(make_call(1)) == ""


def test_ledger_sets_counted_against_the_provider(make_call: MakeCall) -> None:
    """Counted by origin, provider, what is unattributed, calibrated; unknown is a dash."""
    call = make_call(
        1,
        composition={Layer.SYSTEM: 900, Layer.OVERHEAD: 100},
        origins={Layer.SYSTEM: "tokenizer:o200k_base", Layer.OVERHEAD: "formula:openai.chat"},
        counted=TokenCount(1_000, "tokenizer:o200k_base"),
        provider=TokenCount(980, "provider"),
        unattributed=-20,
    )
    assert [(line.label, line.tokens, line.origin) for line in words.ledger(call)] == [
        ("counted", "1,000", "tokenizer:o200k_base"),
        ("of these", "900", "tokenizer:o200k_base"),
        ("of these", "100", "formula:openai.chat"),
        ("by the provider", "980", "provider"),
        ("unattributed", "−20", "provider − counted"),
        ("calibrated", "–", ""),
    ]


def test_parameters_are_short_chips_with_the_whole_in_the_tooltip() -> None:
    """A long parameter is cut in the chip only."""
    (fact,) = words.parameter_facts({"response_format": {"schema": "x" * 100}})
    assert len(fact.text) < 60
    assert "x" * 100 in fact.title
