"""Each sample's story: the call, the messages, the cause, the pin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.pins import PinLife
from inspector.analysis.story import add_stories
from inspector.index import Index, open_index
from inspector.model.fates import Fate
from inspector.model.views import Sentence
from sample_data import TRACES

pytestmark = pytest.mark.xdist_group("samples")  # their stories are told once, not by every worker

SESSIONS = ("order-4711", "returns-desk", "lisbon-offsite")


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    """Open the samples."""
    with open_index(TRACES) as index:
        index.refresh()
        yield index


@pytest.fixture(scope="module")
def changes(index: Index) -> dict[str, SessionChanges]:
    """What changed in each."""
    return {session: trace_changes(index, session) for session in SESSIONS}


@pytest.fixture(scope="module")
def stories(index: Index) -> dict[str, tuple[Sentence, ...]]:
    """Their stories."""
    return {row.session: row.story for row in add_stories(index, index.sessions())}


def pin(changes: SessionChanges, excerpt: str) -> PinLife:
    """The life of a pin, by its text."""
    return next(pin for pin in changes.pins if pin.excerpt == excerpt)


def text_of(changes: SessionChanges, number: int) -> str:
    """Text of a message."""
    return changes.life.lifelines[number - 1].text


def test_the_order_story(stories: dict[str, tuple[Sentence, ...]]) -> None:
    """The rule and the number go with the trim at call 13; at call 16 the number is asked for."""
    assert [(s.severity, s.call, s.text) for s in stories["order-4711"]] == [
        (
            "error",
            13,
            "The pinned texts “以后请只用中文回答我” and “ORD-2024-001” are gone since call 13: a trim "
            "(sample_data/memory.py:60) took their messages m4 and m6. “ORD-2024-001” is back at call 17.",
        ),
        ("error", 16, "The assistant asked for the “订单号” it had been given: ORD-2024-001 was taken out at call 13."),
        ("info", 13, "A trim took 14 messages, 2,360 tokens. Recorded: “25 messages”, sample_data/memory.py:60."),
        ("info", 20, "A trim took 16 messages, 2,320 tokens. Recorded: “25 messages”, sample_data/memory.py:60."),
    ]


def test_the_order_number_has_its_message_and_cause(changes: dict[str, SessionChanges]) -> None:
    """Message 6 gave it; compaction 1 took it; call 17 has it again."""
    life = pin(changes["order-4711"], "ORD-2024-001")

    assert "订单号是 ORD-2024-001" in text_of(changes["order-4711"], 6)
    assert (life.first_broken_call, life.back_call, life.broken) == (13, 17, (13, 14, 15, 16))
    assert (life.cause_message, life.cause_compaction) == (6, 1)
    assert life.cause is not None
    assert (life.cause.fate, life.cause.said_by) == (Fate.EVICTED, "recorded")


def test_the_rule_never_comes_back(changes: dict[str, SessionChanges]) -> None:
    """Message 4 said it."""
    life = pin(changes["order-4711"], "以后请只用中文回答我")

    assert (life.first_broken_call, life.back_call, life.cause_message) == (13, None, 4)
    assert {life.verdicts[call] for call in range(13, 22)} == {"gone"}


def test_the_trims_agree_with_the_prompts(changes: dict[str, SessionChanges]) -> None:
    """Recorded, nothing inferred beside them, no contradiction, everything else kept or added."""
    found = changes["order-4711"].compactions

    assert [(c.call, c.before_call, c.said_by, c.strategy, c.contradictions) for c in found] == [
        (13, 12, "recorded", "trim", ()),
        (20, 19, "recorded", "trim", ()),
    ]
    assert set(found[0].fates) <= {Fate.KEPT, Fate.ADDED, Fate.EVICTED, Fate.EDITED}
    assert found[0].fates[Fate.EVICTED] == len(found[0].taken) == 14


def test_the_word_cap_story(stories: dict[str, tuple[Sentence, ...]]) -> None:
    """The second summary took the first, which quoted the cap; the answer is too long."""
    story = stories["returns-desk"]

    assert [(s.severity, s.kind, s.call, s.compaction) for s in story] == [
        ("error", "pin_gone", 33, 2),
        ("error", "rule_broken", 34, 2),
        ("info", "compaction", 20, 1),
        ("info", "compaction", 33, 2),
    ]
    assert story[0].text.startswith("The pinned text “never more than 800 words” is gone since call 33: summary m")
    assert story[1].text == (
        "The answer of call 34 has 2,090 words; the pinned text “never more than 800 words” was not in its prompt."
    )


def test_the_cap_stood_only_in_the_first_summary(changes: dict[str, SessionChanges]) -> None:
    """From call 20 on; the second one took that summary."""
    life = pin(changes["returns-desk"], "never more than 800 words")
    first, second = changes["returns-desk"].compactions

    assert {life.verdicts[call] for call in life.verdicts if 20 <= call < 33} == {"only in a summary"}
    assert (life.first_broken_call, life.cause_message, life.cause_compaction) == (33, first.summary, 2)
    assert life.cause is not None
    assert (life.cause.fate, life.cause.other) == (Fate.SUMMARISED, second.summary)
    assert first.summary in second.taken


def test_the_summaries_took_what_was_recorded(changes: dict[str, SessionChanges]) -> None:
    """Nothing else is gone, and no side call is taken for a compaction."""
    for change in changes["returns-desk"].compactions:
        assert change.said_by == "recorded"
        assert change.contradictions == ()
        assert change.fates[Fate.SUMMARISED] == len(change.taken)
        assert Fate.EVICTED not in change.fates


def test_the_healthy_session_only_notes_its_summaries(
    changes: dict[str, SessionChanges], stories: dict[str, tuple[Sentence, ...]]
) -> None:
    """All pins hold verbatim in every call of their lane."""
    assert [(s.severity, s.kind, s.call) for s in stories["lisbon-offsite"]] == [
        ("info", "compaction", 14),
        ("info", "compaction", 23),
    ]
    assert {verdict for pin in changes["lisbon-offsite"].pins for verdict in pin.verdicts.values()} == {"verbatim"}


def test_the_freezer_story(stories: dict[str, tuple[Sentence, ...]]) -> None:
    """The worst of it: since call 15 two summaries stand in the prompt, with two quotes."""
    worst = stories["freezer-move"][0]

    assert (worst.severity, worst.kind, worst.call, worst.compaction) == ("error", "summary_twice", 15, 2)
    assert worst.text == (
        "Two summaries of the same conversation, m47 and m50, since call 15: only m47 says Q-780 and 15,420.00, "
        "only m50 says 14,860.00."
    )


def test_the_sanya_story(stories: dict[str, tuple[Sentence, ...]]) -> None:
    """The worst of it: the state that held the pinned budget was edited, from which amount to which."""
    worst = stories["sanya-trip"][0]

    assert (worst.severity, worst.kind, worst.call, worst.message) == ("error", "pin_gone", 14, 1)
    assert worst.text == (
        "The pinned text “8000元” is gone from call 14 until call 20: its message m1 was edited, "
        "“budget: 8000元” became “budget: 8500元”."
    )


def test_the_night_shift_story(stories: dict[str, tuple[Sentence, ...]]) -> None:
    """The worst of it: a trim in the middle of a turn took the message that forbade what the agent then does."""
    worst = stories["night-shift"][0]

    assert (worst.severity, worst.kind, worst.call, worst.message) == ("error", "pin_gone", 8, 11)
    assert worst.text.startswith("The pinned text “Do not roll anything back” is gone since call 8: a trim (")
    assert [(s.kind, s.call, s.message) for s in stories["night-shift"][1:2]] == [("input_gone", 8, 11)]


def test_the_tea_house_story(stories: dict[str, tuple[Sentence, ...]]) -> None:
    """The worst of it: the second summary of three does not quote the rule."""
    worst = stories["tea-house-posts"][0]

    assert (worst.severity, worst.kind, worst.call, worst.compaction) == ("error", "pin_gone", 14, 2)
    assert worst.text.startswith("The pinned text “一个感叹号都不要用” is gone from call 14 until call 21: summary m50")
