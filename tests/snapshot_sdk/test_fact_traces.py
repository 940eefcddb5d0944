"""What is told at once of a text's numbers rules out too little, never too much."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot_sdk._fact_traces import NumberTraces
from snapshot_sdk.facts import Fact, Matcher, ReadyText

TABLE = Path(__file__).parent.parent / "data" / "facts" / "cases.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
NUMBERS = {
    (case["kind"], case["fact"], tuple(case.get("anchors", ())))
    for case in CASES
    if case["kind"] in ("number", "money", "percent", "duration")
}
TEXTS = [case["text"] for case in CASES]
READY = [ReadyText(text) for text in TEXTS]


@pytest.mark.parametrize("fact", sorted(NUMBERS), ids=lambda fact: f"{fact[0]}-{fact[1][:12]}")
def test_a_ready_text_says_the_same_on_the_table(fact: tuple[Any, str, tuple[str, ...]]) -> None:
    """Each number of the table in each text of the table: the same as in the bare text."""
    matcher = Matcher(Fact(*fact))

    for text, ready in zip(TEXTS, READY, strict=True):
        assert matcher.match(ready) == matcher.match(text), text


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(NUMBERS)), st.text('20145.,:万千百十零一八五 元点月日天小时%@/#"', max_size=40))
def test_a_ready_text_of_numerals_says_the_same(fact: tuple[Any, str, tuple[str, ...]], text: str) -> None:
    """So does what is made of the signs that numbers are written with."""
    matcher = Matcher(Fact(*fact))

    assert matcher.match(ReadyText(text)) == matcher.match(text)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(NUMBERS)),
    st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(["\n", " ", "，", ""])), min_size=1, max_size=4),
)
def test_a_ready_text_put_together_says_the_same(
    fact: tuple[Any, str, tuple[str, ...]], pieces: list[tuple[str, str]]
) -> None:
    """So do texts of the table joined by anything."""
    text, matcher = "".join(one + joint for one, joint in pieces), Matcher(Fact(*fact))

    assert matcher.match(ReadyText(text)) == matcher.match(text)


@pytest.mark.parametrize(
    "text", ["8,500", "0.85万", "八千五百", "eight thousand", "8 千5", "8万5", "85"], ids=lambda text: str(text)
)
def test_a_number_in_another_writing_is_not_ruled_out(text: str) -> None:
    """Digits without 0 are compared; Chinese numerals and English words may be any number that begins so."""
    assert NumberTraces(text).may_hold("85")


@pytest.mark.parametrize("text", ["order 8451", "5,800", "8-5", "phone, often, sixty"], ids=lambda text: str(text))
def test_a_number_that_is_not_there_is_ruled_out(text: str) -> None:
    """Its digits stand nowhere in a row, and no word sounds like its beginning."""
    assert not NumberTraces(text).may_hold("85")
