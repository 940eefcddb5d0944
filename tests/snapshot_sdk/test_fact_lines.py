"""The filter of lines lets too much through, never too little."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot_sdk import _fact_finders as finders
from snapshot_sdk._fact_kinds import Fact, Places
from snapshot_sdk._fact_line_finder import by_line
from snapshot_sdk._fact_lines import Signs, lines_with, may_hold_id, may_hold_number
from snapshot_sdk._fact_name_finder import name_finder
from snapshot_sdk._fact_rule_sense import WORD
from snapshot_sdk._fact_rules import RuleFinder, RuleSighting, _sentence
from snapshot_sdk._fact_text import fold, folded
from snapshot_sdk._fact_value_finder import moment_finder, quantity_finder

TABLE = Path(__file__).parent.parent / "data" / "facts" / "cases.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
VALUES = [case for case in CASES if case["kind"] not in ("rule", "text", "json")]
RULES = [case for case in CASES if case["kind"] == "rule"]
EVERY_LINE = re.compile("^", re.MULTILINE)
SINGLE = {(case["kind"], case["fact"], tuple(case.get("anchors", ()))) for case in VALUES}


def both(kind: Any, fact: str, anchors: tuple[str, ...], text: str) -> tuple[Places, Places]:
    """Look for a value with the filter and without."""
    form, marks = folded(fact).strip(), tuple(map(folded, anchors))
    if kind in ("id", "email", "url", "path", "phone"):
        find, may = name_finder(kind, form, fact, marks)
    elif kind in ("date", "time"):
        find, may = moment_finder(kind, form, marks)
    else:
        find, may = quantity_finder(kind, form, marks)
    filtered, every = by_line(find, may), by_line(find, EVERY_LINE)
    return filtered(fold(text), text), every(fold(text), text)


@pytest.mark.parametrize("fact", sorted(SINGLE), ids=lambda fact: f"{fact[0]}-{fact[1][:12]}")
def test_the_filter_changes_nothing_on_the_table(fact: tuple[str, str, tuple[str, ...]]) -> None:
    """Each fact of the table in each text of the table: the same with the filter as without."""
    for case in CASES:
        filtered, every = both(*fact, case["text"])
        assert filtered == every, case["text"]


JOINTS = st.sampled_from(["\n", " ", "，", ". ", "", "\n\n", '"', '", "', '","', ', "', '": "'])
TEXTS = st.lists(st.tuples(st.sampled_from([case["text"] for case in CASES]), JOINTS), min_size=1, max_size=5)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(SINGLE)), TEXTS)
def test_the_filter_changes_nothing_on_texts_put_together(
    fact: tuple[str, str, tuple[str, ...]], pieces: list[tuple[str, str]]
) -> None:
    """Nor where texts are joined by line ends, spaces or nothing."""
    filtered, every = both(*fact, "".join(text + joint for text, joint in pieces))
    assert filtered == every


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(SINGLE)), st.text('ord-20145.,:万千百十零一八五 元点月日天小时%@/#"', max_size=40))
def test_the_filter_changes_nothing_on_odd_texts(fact: tuple[str, str, tuple[str, ...]], text: str) -> None:
    """Nor on what is made of the signs of values."""
    filtered, every = both(*fact, text)
    assert filtered == every


NAMES = sorted(fact for fact in SINGLE if fact[0] in ("id", "phone"))
EDITS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 1), st.sampled_from(["", "0", "7", "x", "-", ".", "_", " "])),
    max_size=3,
)
"""Where, how many characters go, and what comes in their place."""


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(NAMES), EDITS, st.sampled_from(["order ", "", "订单", "x"]), st.sampled_from([" is paid", "。", ""])
)
def test_the_filter_changes_nothing_on_slips(
    fact: tuple[str, str, tuple[str, ...]], edits: list[tuple[int, int, str]], before: str, after: str
) -> None:
    """Nor where characters of a name are lost, new or others."""
    slip = fact[1]
    for at, lost, sign in edits:
        start = at % (len(slip) + 1)
        slip = slip[:start] + sign + slip[start + lost :]
    filtered, every = both(*fact, before + slip + after)
    assert filtered == every


class Patient(RuleFinder):
    """Looks into every sentence."""

    def _candidates(self, text: str) -> list[tuple[int, int]]:
        words = [match.span() for match in WORD.finditer(text)]
        return sorted({_sentence(text, start, end) for start, end in words})


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted({case["fact"] for case in RULES})), TEXTS)
def test_rules_are_looked_for_in_all_sentences_that_can_say_them(rule: str, pieces: list[tuple[str, str]]) -> None:
    """The sentences without the rule's rarest words say nothing of it."""
    text = folded("".join(text + joint for text, joint in pieces))
    quick: list[RuleSighting] = RuleFinder(folded(rule)).find(text)
    assert quick == Patient(folded(rule)).find(text)


MANY = [(re.escape(letter), letter) for letter in "abcdefgh"] + [("[xy]z?", "xy"), ("[0-9]a", "")]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("abcdefghxyz01", max_size=12), min_size=1, max_size=60))
def test_signs_find_what_one_pattern_of_all_would(texts: list[str]) -> None:
    """Whatever selection of them a text has, and however many selections there were before."""
    signs, joined = Signs(MANY), re.compile("|".join(pattern for pattern, _ in MANY))
    for text in texts:
        assert [match.span() for match in signs.finditer(text)] == [match.span() for match in joined.finditer(text)]


def test_lines_are_given_once() -> None:
    """However often a pattern occurs in one."""
    text = "a1 a2\nb\na3"
    assert [text[start:end] for start, end in lines_with(text, re.compile("a"))] == ["a1 a2", "a3"]


def test_a_line_without_a_piece_of_an_id_is_passed_over() -> None:
    """Of three pieces two changes leave one whole."""
    may = may_hold_id("ord-2024-001", ())
    assert may.search("ord-20x4-0o1 is paid")
    assert not may.search("the order is paid")
    assert not may.search("the parcel left in may 2019")


def test_a_line_without_the_digits_of_a_number_is_passed_over() -> None:
    """8500 has an 8 and a 5 next to each other, in any writing."""
    may = may_hold_number([Decimal(8500)], ())
    assert all(may.search(text) for text in ("8,500", "八千五", "0.85万", "8.5k", "eight thousand"))
    assert not any(may.search(text) for text in ("58", "1200元", "三千", "5 and 8"))


def test_a_fact_needs_no_filter_to_be_a_finder() -> None:
    """Texts, rules and JSON are looked for in the whole text."""
    assert finders.finder_of(Fact("text", "ab"))(fold("x ab"), "x ab").same[0].start == 2
