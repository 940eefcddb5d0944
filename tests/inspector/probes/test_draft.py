"""Facts about drafts: what a session turns on becomes a question in its own language."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.index import Index
from inspector.probes.draft import Draft, draft_probes, suite_of
from inspector.probes.draft_questions import ask_about_rule, ask_about_value, is_chinese, is_fair
from inspector.probes.draft_state import find_state_values
from inspector.probes.look import SessionFacts, look
from inspector.probes.scorers import score
from inspector.probes.suite import load_suite, save_suite
from snapshot_sdk.facts import Fact

FactsOf = Callable[..., SessionFacts]
SESSIONS = (
    "order-4711",
    "returns-desk",
    "lisbon-offsite",
    "sanya-trip",
    "night-shift",
    "tea-house-posts",
    "group-visit",
)


def drafts_of(index: Index, facts: SessionFacts) -> tuple[Draft, ...]:
    """Draft from a session."""
    return draft_probes(facts, index.pins(facts.session), index.watches(facts.session))


@pytest.mark.parametrize("session", SESSIONS)
def test_a_question_never_says_its_answer(session: str, samples: Index, facts_of: FactsOf) -> None:
    """A model that repeats the question must not pass."""
    given = [
        draft.probe.id
        for draft in drafts_of(samples, facts_of(samples, session))
        if draft.chosen and score(draft.probe.expected, draft.probe.question).state == "right"
    ]

    assert given == []


@pytest.mark.parametrize("session", SESSIONS)
def test_what_is_drafted_is_found_by_looking(session: str, samples: Index, facts_of: FactsOf) -> None:
    """Every chosen probe is due somewhere, and held by the first context that is due."""
    facts = facts_of(samples, session)
    looks = look([draft.probe for draft in drafts_of(samples, facts) if draft.chosen], facts)

    assert [found.probe.id for found in looks if not found.ever_due] == []


@pytest.mark.parametrize("session", SESSIONS)
def test_a_draft_is_a_suite_that_can_be_loaded(session: str, samples: Index, facts_of: FactsOf, tmp_path: Path) -> None:
    """What is saved comes back."""
    suite = suite_of(drafts_of(samples, facts_of(samples, session)), session)
    save_suite(suite, tmp_path / "s.toml")

    assert load_suite(tmp_path / "s.toml").probes == suite.probes


@pytest.mark.parametrize(
    ("session", "fact", "asks"),
    [
        ("order-4711", "ORD-2024-001", "订单号是多少"),
        ("order-4711", "以后请只用中文回答我", "哪种语言"),
        ("sanya-trip", "8000元", "总预算是多少"),
        ("returns-desk", "never more than 800 words", "____ words"),
        ("night-shift", "Do not roll anything back", "Which rules"),
    ],
)
def test_pins_come_first_and_are_asked_in_their_language(
    session: str, fact: str, asks: str, samples: Index, facts_of: FactsOf
) -> None:
    """Each with the pin it is about."""
    drafts = drafts_of(samples, facts_of(samples, session))
    own = [draft for draft in drafts if any(one.text == fact for one in draft.probe.looked_for)]

    assert asks in own[0].probe.question
    assert own[0].chosen
    assert own[0].why.startswith("pin “")
    assert is_chinese(own[0].probe.question) == is_chinese(asks)


@pytest.mark.parametrize("session", SESSIONS)
def test_each_draft_says_why_it_was_found(session: str, samples: Index, facts_of: FactsOf) -> None:
    """In words, and in the file."""
    drafts = drafts_of(samples, facts_of(samples, session))

    assert all(draft.why and draft.probe.note == draft.why for draft in drafts)
    assert len({draft.probe.id for draft in drafts}) == len(drafts)
    assert all(re.fullmatch(r"[a-z0-9-]+", draft.probe.id) for draft in drafts)


def test_a_value_is_asked_by_its_noun() -> None:
    """Where none stands before it, by the blank it leaves."""
    order = Fact("id", "ORD-2024-001")

    assert ask_about_value(order, "My order number is ORD-2024-001, thanks.") == "What is the order number?"
    assert ask_about_value(order, "我的订单号是 ORD-2024-001") == "订单号是多少？"
    assert "____" in ask_about_value(order, "Take ORD-2024-001 back, all of it.")


def test_a_figure_in_a_limit_is_asked_by_its_blank() -> None:
    """A number that is no limit is no question."""
    limited, expected = ask_about_rule("Never more than 800 words")
    assert "____ words" in limited
    assert expected.facts[0].text == "800"
    assert "____" not in ask_about_rule("Two pupils use wheelchairs and must take part")[0]


def test_a_blank_needs_words_around_it() -> None:
    """“Take ____.” can be answered by anything."""
    assert not is_fair("What belongs in the blank? “So ____.”")
    assert is_fair("What belongs in the blank? “The harbour closes at ____.”")


def test_values_of_the_state_are_found(samples: Index, facts_of: FactsOf) -> None:
    """By key, with the call since which they hold; the time of the last update is none."""
    values = {value.key: value for value in find_state_values(facts_of(samples, "sanya-trip").changes.contexts)}

    assert values["destination"].text == "三亚"
    assert "last_updated" not in values
