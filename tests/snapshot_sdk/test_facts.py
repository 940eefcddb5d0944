"""Facts are matched by kind: a table of cases, and what holds for any text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot_sdk.facts import KINDS, Fact, Match, Matcher, find_facts, guess_kind, match_fact

TABLE = Path(__file__).parent.parent / "data" / "facts" / "cases.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
LIMITS: list[dict[str, Any]] = [
    json.loads(line) for line in TABLE.with_name("limits.jsonl").read_text("utf-8").splitlines()
]
SAYS = ("kept", "restated")


def matched(case: dict[str, Any]) -> Match:
    """Look for the fact of a case in its text."""
    fact = Fact(case["kind"], case["fact"], tuple(case.get("anchors", ())), case.get("path"))
    return match_fact(fact, case["text"])


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case['kind']}-{case['state']}" for n, case in enumerate(CASES, 1)])
def test_the_table(case: dict[str, Any]) -> None:
    """Each case of the table has the state that stands there."""
    assert matched(case).state == case["state"], case["why"]


def test_nothing_is_said_to_be_kept_that_is_not() -> None:
    """A loss that is not seen is the worst error: there is none in the table."""
    lost = [case for case in CASES if case["state"] not in SAYS]
    assert [case for case in lost if matched(case).state in SAYS] == []


@pytest.mark.parametrize("case", LIMITS, ids=[str(n) for n in range(1, len(LIMITS) + 1)])
def test_a_known_limit_is_one(case: dict[str, Any]) -> None:
    """What is not read rightly is written down; what is mended goes to the table."""
    assert matched(case).state != case["state"]


def test_the_table_is_large_and_even() -> None:
    """It has all kinds that are typed, both languages, and at least as many losses as facts that are kept."""
    chinese = sum(any("㐀" <= char <= "鿿" for char in case["text"]) for case in CASES)
    kept = sum(case["state"] in SAYS for case in CASES)
    assert {case["kind"] for case in CASES} == set(KINDS) - {"regex"}
    assert len(CASES) >= 320
    assert 0.4 < chinese / len(CASES) < 0.6
    assert 0.3 < kept / len(CASES) < 0.5


@pytest.mark.parametrize("case", CASES, ids=[str(n) for n in range(1, len(CASES) + 1)])
def test_sightings_are_cut_from_the_text(case: dict[str, Any]) -> None:
    """What a sighting says is what stands at its place in the text as it was given."""
    match = matched(case)
    for one in (*match.sightings, *match.rivals):
        assert one.text == case["text"][one.start : one.end] != ""


def test_an_empty_fact_is_refused() -> None:
    """A fact of nothing stands nowhere, and everywhere."""
    with pytest.raises(ValueError, match="empty"):
        Matcher(Fact("text", " \n"))


@pytest.mark.parametrize(
    ("kind", "text"),
    [("money", "free"), ("date", "soon"), ("time", "later"), ("email", "bob"), ("url", "here"), ("phone", "none"),
     ("percent", "half"), ("duration", "long"), ("number", "many"), ("id", "two words"), ("regex", "("), ("json", "1")],
)  # fmt: skip
def test_what_is_no_value_of_its_kind_is_refused(kind: Any, text: str) -> None:
    """The reason names the text."""
    with pytest.raises(ValueError, match=r"no |needs"):
        Matcher(Fact(kind, text))


def test_a_bare_number_is_weak_evidence_of_an_amount() -> None:
    """It is the same value, but may count something else."""
    assert [one.weak for one in match_fact(Fact("money", "8500元"), "预算8500").sightings] == [True]


def test_a_rival_says_what_differs() -> None:
    """A reader sees why a value is not the fact."""
    [rival] = match_fact(Fact("duration", "3天"), "3个工作日内退款").rivals
    assert (rival.text, rival.why) == ("3个工作日", "working days or nights, not days")


def test_a_regex_is_looked_for_in_the_text_as_it_is() -> None:
    """Case counts there, and nothing is folded."""
    fact = Fact("regex", r"ORD-\d+")
    assert (match_fact(fact, "ORD-12").state, match_fact(fact, "ord-12").state) == ("kept", "absent")


def test_facts_are_found_with_the_words_beside_them() -> None:
    """Each value once, in order, with its kind and anchors."""
    found = find_facts("订单ORD-2024-001的预算是8500元，12月8日前送到，电话13800138000")
    assert [(one.kind, one.text, one.fact.anchors) for one in found] == [
        ("id", "ORD-2024-001", ("订单",)),
        ("money", "8500元", ("订单", "预算")),
        ("date", "12月8日前", ()),
        ("phone", "13800138000", ("电话",)),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("open 18-21 March 2026", [("date", "18-21 March 2026")]),
        ("open March 18 to 21, 2026.", [("date", "March 18 to 21, 2026")]),
        ("3月18-21日有活动", [("date", "3月18-21日")]),
        ("We meet on 11 January.", [("date", "11 January")]),
        ("on 11 Jan. 2025.", [("date", "11 Jan. 2025")]),
        ("2016 年开业", [("number", "2016 年")]),
        ("保修5年", [("duration", "5年")]),
        ("电话 0571-8796-2219", [("phone", "0571-8796-2219")]),
        ("dose 0.1–0.4 mg", [("number", "0.1–0.4")]),
        ("lot 24-001", [("id", "24-001")]),
        ("Pay INV-2, not INV-1", [("id", "INV-2")]),
    ],
)
def test_a_value_is_found_whole_and_of_its_kind(text: str, found: list[tuple[str, str]]) -> None:
    """A range is one, a point ends the sentence, a year is no length of time, what is denied is not said."""
    assert [(one.kind, one.text) for one in find_facts(text)] == found


def test_only_the_kinds_asked_for_are_found() -> None:
    """Other values are left out."""
    assert [one.text for one in find_facts("ORD-1-22 costs $5", ["money"])] == ["$5"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("ORD-2024-001", "id"), ("8500元", "money"), ("约8500元", "money"), ("15%", "percent"), ("2025-12-08", "date"),
     ("下午三点", "time"), ("72小时", "duration"), ("a@b.com", "email"), ("13800138000", "phone"), ("42", "number"),
     ("https://a.b/c", "url"), ("/etc/app/x.yaml", "path"), ("以后请只用中文回答我", "rule"), ("Never call me", "rule"),
     ("Project Falcon", "text")],
)  # fmt: skip
def test_the_kind_of_a_selection_is_guessed(text: str, kind: str) -> None:
    """A whole value is of its kind, a command is a rule, the rest is text."""
    assert guess_kind(text) == kind


@pytest.mark.parametrize("case", CASES, ids=[str(n) for n in range(1, len(CASES) + 1)])
def test_what_is_found_in_a_text_is_seen_in_it(case: dict[str, Any]) -> None:
    """A fact that was found somewhere is looked for there first: it must be seen."""
    for found in find_facts(case["text"]):
        match = Matcher(found.fact).match(case["text"])
        assert match.sightings or [one.why for one in match.rivals] == ["it is denied"], found


MATCHERS = [Matcher(Fact(c["kind"], c["fact"], tuple(c.get("anchors", ())), c.get("path"))) for c in CASES[::23]]


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_looked_into(text: str) -> None:
    """Nothing a prompt may hold raises."""
    for matcher in MATCHERS:
        match = matcher.match(text)
        assert all(text[one.start : one.end] == one.text for one in match.sightings)
    find_facts(text)
    guess_kind(text)


PIECES = st.sampled_from(
    [*"0189零一二千万百点年月日时分%$¥元折成:-./@\\\"'{}[], \n不要only", "\u200b", "\u0308", "\ud800"]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_odd_text_can_be_looked_into(text: str) -> None:
    """Nor does what is made of the signs that the patterns know."""
    for matcher in MATCHERS:
        matcher.match(text)
    for found in find_facts(text):
        assert text[found.start : found.end] == found.text
