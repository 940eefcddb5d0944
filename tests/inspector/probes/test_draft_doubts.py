"""Facts about what a draft shows and does not choose: mistakes of the agent are no truth, half sentences no rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inspector.index import Index
from inspector.probes.draft import Draft, draft_probes, suite_of
from inspector.probes.draft_doubts import rule_doubt
from inspector.probes.look import SessionFacts, look

FactsOf = Callable[..., SessionFacts]


def drafts_of(index: Index, session: str, facts: SessionFacts) -> dict[str, Draft]:
    """The drafts of a session, by what they expect."""
    drafts = draft_probes(facts, index.pins(session), index.watches(session))
    return {fact.text: one for one in drafts for fact in one.probe.expected.facts}


@pytest.mark.parametrize(
    ("session", "value", "why"),
    [
        ("sanya-trip", "8500元", "the user said 8000元"),
        ("team-dinner", "18", "the user said 22"),
        ("order-4711", "change_delivery", "only the state says it"),
    ],
)
def test_a_state_that_is_wrong_is_not_chosen(
    session: str, value: str, why: str, samples: Index, facts_of: FactsOf
) -> None:
    """It drifted, was overwritten, or stands nowhere else: shown, with the reason."""
    draft = drafts_of(samples, session, facts_of(samples, session))[value]

    assert not draft.chosen
    assert f"not chosen: {why}" in draft.why


@pytest.mark.parametrize(("session", "value"), [("sanya-trip", "三亚"), ("lisbon-offsite", "Lisbon")])
def test_a_state_that_the_user_said_is_chosen(session: str, value: str, samples: Index, facts_of: FactsOf) -> None:
    """It has a source."""
    assert drafts_of(samples, session, facts_of(samples, session))[value].chosen


@pytest.mark.parametrize("session", ["lisbon-offsite", "group-visit", "checkout-504", "october-margin"])
def test_a_healthy_session_passes_its_own_draft(session: str, samples: Index, facts_of: FactsOf) -> None:
    """Nothing that was chosen unseen is found missing."""
    facts = facts_of(samples, session)
    suite = suite_of(draft_probes(facts, samples.pins(session), samples.watches(session)), session)
    failed = {one.probe.id: one.failed for one in look(suite.probes, facts) if one.failed}

    assert suite.probes
    assert failed == {}


def test_a_part_of_a_quotation_is_not_chosen(samples: Index, facts_of: FactsOf) -> None:
    """Somebody else said the other half of it."""
    drafts = drafts_of(samples, "returns-desk", facts_of(samples, "returns-desk"))
    [quoted] = [one for text, one in drafts.items() if "has to be money" in text]

    assert not quoted.chosen
    assert "a part of a quotation" in quoted.why


@pytest.mark.parametrize(
    ("rule", "after", "doubt"),
    [
        ("Two things must not go wrong", ". N", "announces"),
        ("Three rules apply whatever happens and whoever asks for them", ": a", "announces"),
        ("有两点要求必须遵守", "：一", "announces"),
        ("Two pupils use wheelchairs and must be able to do everything", ". ", None),
        ("Hold it for six, don't buy yet", ".", "for the moment"),
        ("先别下单，等我确认", "。", "for the moment"),
        ("Never buy before I say so", ".", None),
        ("I just don't think it has to be money.\" Use that", "", "quotation"),
        ("不能用“口径不同”带过去", "", None),
        ("以后请只用中文回答我", "。", None),
        ("三点前不要打电话", "。", None),
        ("两条短信之间不要少于一周", "。", None),
        ("2) Never write to the archive", ".", None),
        ("Sagen Sie nie „vielleicht“", ".", None),
        ("Orders that are not paid yet must never be shipped", ".", None),
        ("一个感叹号都不要用", "。", None),
    ],
)
def test_what_is_no_rule_of_its_own(rule: str, after: str, doubt: str | None) -> None:
    """It counts what follows, holds for the moment, or is the half of something."""
    found = rule_doubt(rule, after)

    assert (found is None) if doubt is None else (found is not None and doubt in found)


def test_a_result_under_the_name_of_the_user_is_no_speech(samples: Index, facts_of: FactsOf) -> None:
    """Some dialects send results of tools as the user: they are asked about in the language of the talk."""
    draft: Any = drafts_of(samples, "sanya-trip", facts_of(samples, "sanya-trip"))["H-507"]

    assert "空白处" in draft.probe.question
