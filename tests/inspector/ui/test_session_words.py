"""Words of the Session page: endings, provenance, figures, the quiet line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.analysis.lifelines import LifeEvent, Lifeline, SessionLife
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from inspector.model.request import Usage
from inspector.model.views import CallRow, SessionRow, TokenCount
from inspector.ui.session_words import (
    origin_words,
    provenance_words,
    quiet_words,
    status_words,
    tokens_words,
    usage_words,
)

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
    duration_ms=3_100.0,
    status="answered",
    http_status=200,
    error=None,
    attempts=1,
    stop_reason="stop",
    usage=Usage(11_352, 2_816, None, 214, None),
    usage_raw=None,
    composition={Layer.SYSTEM: 11_320},
    origins={Layer.SYSTEM: "tokenizer:o200k_base"},
    counted=TokenCount(11_320, "tokenizer:o200k_base"),
    provider=TokenCount(11_352, "provider"),
    calibrated=UNKNOWN,
    unattributed=32,
    tokens=TokenCount(11_352, "provider"),
    window=16_000,
    budget=None,
    threshold=None,
    messages=4,
    exact="bytes",
    missing=(),
    caller="agent/chat.py:41",
    file="a.jsonl",
    line=2,
)
SESSION = SessionRow(
    session="order-4711",
    agent=None,
    models=("gpt-4.1",),
    calls=2,
    turns=1,
    started="2026-11-28T14:02:00Z",
    ended="2026-11-28T14:03:00Z",
    peak=TokenCount(6_080, "provider"),
    window=16_000,
    budget=None,
    threshold=None,
    compactions=0,
    pins=0,
    pins_gone=0,
    failed_calls=0,
    fill=(),
    lanes=(("main", 2),),
    origin="recorded",
    exact=("bytes",),
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"status": "failed", "http_status": 400, "error": "context too long"}, "refused: 400, context too long"),
        ({"status": "failed", "http_status": 503, "error": None}, "failed: 503"),
        ({"status": "failed", "http_status": None, "error": "connection reset"}, "failed, connection reset"),
        ({"status": "incomplete", "error": None}, "cut off after 3.1 s"),
        ({"status": "incomplete", "duration_ms": None, "error": "by the caller"}, "cut off, by the caller"),
        ({"status": "no answer"}, "no answer recorded"),
    ],
)
def test_the_ending_of_a_call_is_said_in_words(changes: dict[str, object], words: str) -> None:
    """Each way a call can end has its words; a plain answer has none."""
    assert status_words(replace(CALL, **changes)) == words  # type: ignore[arg-type]


def test_figures_stand_side_by_side_with_who_says_them() -> None:
    """Counted, provider and the rest are three figures, none hidden in another."""
    assert tokens_words(CALL) == "11,320 counted (o200k_base) · 11,352 by the provider · 32 unattributed"


def test_a_count_above_the_providers_is_shown_with_a_true_minus() -> None:
    """A negative rest is not hidden."""
    assert tokens_words(replace(CALL, unattributed=-7)).endswith("−7 unattributed")


def test_an_estimate_is_marked_as_one() -> None:
    """A figure of the nearest tokenizer never looks counted."""
    call = replace(CALL, counted=TokenCount(9_310, "estimate:o200k_base"), provider=UNKNOWN, unattributed=None)
    assert tokens_words(call) == "≈ 9,310 counted (estimate: o200k_base)"


def test_unknown_tokens_are_said_to_be_unknown() -> None:
    """No figure at all is words, never 0."""
    call = replace(CALL, counted=UNKNOWN, provider=UNKNOWN, unattributed=None, tokens=UNKNOWN)
    assert tokens_words(call).startswith("tokens unknown")


def test_usage_names_only_what_the_provider_said() -> None:
    """Absent figures of the usage are left out."""
    assert usage_words(CALL) == "2,816 read from the cache · 214 out"


def test_a_rebuilt_prompt_says_what_its_log_lacked() -> None:
    """Missing parts are named in words."""
    words = provenance_words("rebuilt", ("system", "tools"))
    assert words == "rebuilt from a log: this log has no system prompt and no tool definitions"


def test_origins_lose_their_prefix_only_where_it_says_nothing() -> None:
    """``tokenizer:`` goes, ``estimate:`` and ``formula:`` stay."""
    assert [origin_words(origin) for origin in ("tokenizer:o200k_base", "estimate:o200k_base", "provider")] == [
        "o200k_base",
        "estimate: o200k_base",
        "provider",
    ]


def life(*events: tuple[int, Fate]) -> SessionLife:
    """Return the lives of one message an event, each added at call 1."""
    added = LifeEvent(1, Fate.ADDED, "certain", "inferred", "")
    lines = [
        Lifeline(n, "main", Layer.HISTORY, "", 5, ((1, 1),), (added, LifeEvent(call, fate, "certain", "inferred", "")))
        for n, (call, fate) in enumerate(events, 1)
    ]
    return SessionLife(tuple(lines), {}, {}, {})


def test_where_nothing_was_taken_out_the_quiet_line_says_so() -> None:
    """The quiet line with its share of the window: known from the fates, not from what was recorded."""
    assert quiet_words(SESSION, 46, life()) == "No findings. Peak 38 %. Nothing was taken out in 46 calls."


def test_messages_that_moved_or_came_back_are_not_taken_out() -> None:
    """Only what is gone was taken out."""
    assert "Nothing was taken out" in quiet_words(SESSION, 2, life((2, Fate.MOVED), (2, Fate.RETURNED)))


def test_what_was_taken_out_is_named_by_call() -> None:
    """A call that lost several messages is named once."""
    words = quiet_words(SESSION, 9, life((3, Fate.EVICTED), (3, Fate.SUMMARISED), (7, Fate.EVICTED)))
    assert words.endswith("3 messages taken out, at calls 3, 7.")


def test_many_calls_that_lost_something_are_cut() -> None:
    """Six calls are named, the others stand in the picture."""
    assert quiet_words(SESSION, 20, life(*((n, Fate.EVICTED) for n in range(2, 12)))).endswith("2, 3, 4, 5, 6, 7 ….")


def test_rewritten_messages_are_counted_beside() -> None:
    """Nothing is gone, yet a text is not the one it was."""
    words = quiet_words(SESSION, 2, life((2, Fate.EDITED), (2, Fate.TRUNCATED)))
    assert words.endswith("Nothing was taken out in 2 calls; 2 messages rewritten.")


def test_held_pins_are_counted_in_the_quiet_line() -> None:
    """Pins that held are worth a word."""
    assert quiet_words(replace(SESSION, pins=2), 1, life()).startswith("No findings. Peak 38 %, 2 pins held.")


def test_an_unknown_window_leaves_the_peak_in_tokens() -> None:
    """No share is made up where the window is not known."""
    assert quiet_words(replace(SESSION, window=None), 1, life()).startswith("No findings. Peak 6,080 tokens.")
