"""The story of a session: what is said, in what order, and what is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.analysis.changes import SessionChanges
from inspector.analysis.lifelines import SessionLife
from inspector.analysis.story import MOST_SENTENCES, add_stories, tell_story
from inspector.model.context import Block, CallContext, CompactedContexts
from inspector.model.layers import Layer
from inspector.model.request import Usage
from inspector.model.views import CallRow, CompactionRow, LineErrorRow, PinRow, Sentence, SessionRow, TokenCount
from inspector.model.watches import Watch

UNKNOWN = TokenCount(None, "unknown")
SESSION = SessionRow(
    session="s",
    agent=None,
    models=("m",),
    calls=3,
    turns=3,
    started="2026-01-01T00:00:00Z",
    ended="2026-01-01T01:00:00Z",
    peak=UNKNOWN,
    window=None,
    budget=None,
    threshold=None,
    compactions=0,
    pins=0,
    pins_gone=0,
    failed_calls=0,
    fill=(),
    lanes=(("main", 3),),
    origin="recorded",
    exact=("values",),
)
DAMAGE = LineErrorRow("s/a.jsonl", 214, 1000, "cut in the middle", 0)


def call(number: int, **more: Any) -> CallRow:
    """A healthy call, but for what is given."""
    row = CallRow(
        id=f"id-{number}",
        number=number,
        turn=number,
        turn_label=f"t{number}",
        turn_inferred=False,
        lane="main",
        lane_origin="default",
        purpose=None,
        previous=None,
        api="openai.chat",
        model="m",
        time="t",
        duration_ms=None,
        status="answered",
        http_status=200,
        error=None,
        attempts=1,
        stop_reason="stop",
        usage=Usage(None, None, None, None, None),
        usage_raw=None,
        composition={},
        origins={},
        counted=UNKNOWN,
        provider=UNKNOWN,
        calibrated=UNKNOWN,
        unattributed=None,
        tokens=TokenCount(100, "provider"),
        window=None,
        budget=None,
        threshold=None,
        messages=1,
        exact="values",
        missing=(),
        caller=None,
        file="s/a.jsonl",
        line=number,
    )
    return replace(row, **more)


NO_LIFE = SessionLife((), {}, {}, {})
NO_CHANGES = SessionChanges((), NO_LIFE, (), ())


def tell(
    calls: Sequence[CallRow],
    changes: SessionChanges = NO_CHANGES,
    damages: Sequence[LineErrorRow] = (),
    answers: Mapping[int, str] | None = None,
) -> list[str]:
    """Texts of the story."""
    return [sentence.text for sentence in tell_story(SESSION, calls, changes, damages, answers)]


HEALTHY = [call(1), call(2), call(3)]


def test_a_healthy_session_has_no_story() -> None:
    """Nothing happened, nothing is said."""
    assert tell(HEALTHY) == []


def test_a_refused_call_is_told_with_its_reason() -> None:
    """In words where the reason is a known one."""
    error = "This model's maximum context length is 128000 tokens."

    assert tell([call(1), call(2, status="failed", http_status=400, error=error)]) == [
        "Call 2 was refused: 400, context too long."
    ]
    assert tell([call(1, status="failed", http_status=None, error="timed out")]) == ["Call 1 failed: timed out."]
    assert tell([call(1, status="failed", http_status=503)]) == ["Call 1 was refused: 503."]


def test_one_cause_is_told_once() -> None:
    """With how many calls share it."""
    calls = [call(n, status="failed", http_status=429, error="slow down") for n in (1, 2, 3)]

    assert tell(calls) == ["Call 1 was refused: 429, slow down (and 2 more)."]


def test_a_cut_off_answer_is_told() -> None:
    """By its limit, or by the caller."""
    assert tell([call(1, stop_reason="length")]) == ["Call 1 was cut off by a limit on its answer (length)."]
    assert tell([call(1, status="incomplete", stop_reason=None)]) == ["Call 1 was cut off."]


def test_a_missing_answer_is_told_where_answers_are_recorded() -> None:
    """An agent that records none misses none, and the last call may be under way."""
    silent = call(2, status="no answer")

    assert tell([call(1), silent, call(3)]) == ["Call 2 has no recorded answer."]
    assert tell([call(1), silent]) == []
    assert tell([call(1, status="no answer"), silent, call(3, status="no answer")]) == []


def test_a_context_over_its_budget_is_told() -> None:
    """Since when, and how far at most; other lanes have their own limits."""
    sizes = [TokenCount(n, "provider") for n in (15_000, 16_400, 16_500)]
    calls = [call(n, tokens=size, budget=16_000) for n, size in enumerate(sizes, start=1)]
    helper = call(4, lane="helper", tokens=TokenCount(99_999, "provider"), budget=16_000)

    assert tell([*calls, helper]) == ["The context is over its budget of 16,000 tokens since call 2 (103 %)."]


def test_over_the_window_is_worse_than_over_the_budget() -> None:
    """And it is one cause."""
    calls = [call(1, tokens=TokenCount(20, "provider"), window=10, budget=5)]
    (sentence,) = tell_story(SESSION, calls, NO_CHANGES)

    assert (sentence.severity, sentence.kind) == ("error", "over_window")


def test_damaged_files_are_told() -> None:
    """Something of the session may be missing."""
    assert tell(HEALTHY, damages=[DAMAGE, DAMAGE]) == [
        "2 lines of its files could not be read as they stand; the first is s/a.jsonl:214, cut in the middle."
    ]


def test_the_worst_comes_first_then_the_earliest() -> None:
    """And never more than a reader takes in."""
    calls = [call(1, stop_reason="length"), *(call(n, status="failed", error=f"e{n}") for n in range(2, 12))]
    story = tell_story(SESSION, calls, NO_CHANGES, [DAMAGE])

    assert len(story) == MOST_SENTENCES
    assert [sentence.call for sentence in story] == [2, 3, 4, 5, 6, 7]
    assert {sentence.severity for sentence in story} == {"error"}


class Answers:
    """An index of three sessions."""

    def calls(self, session: str) -> tuple[CallRow, ...]:
        """One failed call in ``bad``."""
        return (call(1), call(2, status="failed", error="e")) if session == "bad" else tuple(HEALTHY)

    def contexts(self, session: str) -> tuple[CallContext, ...]:
        """One message is gone at call 2 of ``noted``."""
        old = Block("o", "user", Layer.HISTORY, "the first question")
        kept = Block("k", "assistant", Layer.HISTORY, "the answer to it")
        second = (kept,) if session == "noted" else (old, kept)
        return CallContext(1, "id-1", None, "main", (old, kept)), CallContext(2, "id-2", "id-1", "main", second)

    def compacted(self, session: str, contexts: object = None) -> tuple[CompactedContexts, ...]:
        """None was named."""
        return ()

    def compactions(self, session: str) -> tuple[CompactionRow, ...]:
        """A trim in ``noted``."""
        row = CompactionRow(
            id="c", state="done", strategy="trim", policy=None, reason=None, lane="main", time="t", tokens_before=None,
            tokens_after=None, duration_ms=None, error=None, caller=None, before_messages=2, after_messages=1, call=2,
        )  # fmt: skip
        return (row,) if session == "noted" else ()

    def pins(self, session: str) -> tuple[PinRow, ...]:
        """None."""
        return ()

    def watches(self, session: str) -> tuple[Watch, ...]:
        """None."""
        return ()

    def answers(self, session: str) -> dict[int, str]:
        """None."""
        return {}

    def line_errors(self) -> tuple[LineErrorRow, ...]:
        """None of these files."""
        return (replace(DAMAGE, file="other"),)


def test_sessions_are_ordered_worst_first_then_newest() -> None:
    """A recorded compaction is no trouble."""
    rows = [
        replace(SESSION, session="noted", ended="2026-01-02", compactions=1),
        replace(SESSION, session="bad", ended="2026-01-01"),
        replace(SESSION, session="fine", ended="2026-01-03"),
    ]
    told = add_stories(Answers(), rows)

    assert [row.session for row in told] == ["bad", "fine", "noted"]
    assert told[0].first_error == 2
    assert told[0].story == (Sentence("error", "failed_call", "Call 2 failed: e.", 2),)
    assert told[1].first_error is None
    assert [sentence.text for sentence in told[2].story] == ["A trim took 1 message."]


class Strict(Answers):
    """An index that may not be asked for marks."""

    def compactions(self, session: str) -> tuple[CompactionRow, ...]:
        """Nobody may ask."""
        raise AssertionError(session)

    def compacted(self, session: str, contexts: object = None) -> tuple[CompactedContexts, ...]:
        """Nobody may ask."""
        raise AssertionError(session)

    def pins(self, session: str) -> tuple[PinRow, ...]:
        """Nobody may ask."""
        raise AssertionError(session)


def test_marks_that_a_session_has_none_of_are_not_asked_for() -> None:
    """The row counts compactions and pins: of a thousand sessions without any, no question is put for them."""
    (told,) = add_stories(Strict(), [replace(SESSION, session="fine", compactions=0, pins=0)])

    assert told.compactions_found == 0
