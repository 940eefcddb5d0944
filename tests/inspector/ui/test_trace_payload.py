"""What the browser gets of a fact: one symbol a call, a row a message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_asking import follow, make_fact
from inspector.model.views import CallRow
from inspector.ui.trace_payload import THERE, Shown, trace_payload, watch_target

MakeChanges = Callable[..., SessionChanges]
RULE = "以后请只用中文回答。"


@pytest.fixture
def payload(make_changes: MakeChanges, make_call: Callable[..., CallRow]) -> Callable[..., dict[str, Any]]:
    """Follow a text through calls that are lists of texts."""

    def build(text: str, *contexts: list[str], answers: dict[int, str] | None = None) -> dict[str, Any]:
        changes = make_changes(*contexts)
        rows = [make_call(context.call) for context in changes.contexts]
        found = follow(make_fact(text, contexts=changes.contexts), changes, answers or {})
        return trace_payload(found, Shown("order", rows, changes, {"find": text, "scope": "all"}))

    return build


def test_the_verdict_has_a_symbol_a_call(payload: Callable[..., dict[str, Any]]) -> None:
    """Held, held, gone, gone."""
    [lane] = payload(RULE, ["hello", RULE], ["hello", RULE], ["hello"], ["hello"])["lanes"]

    assert (lane["calls"], lane["verdict"]) == ([1, 2, 3, 4], "■■✕✕")
    assert lane["losses"] == {"3": [2, None]}


def test_a_carrier_ends_with_its_fate(payload: Callable[..., dict[str, Any]]) -> None:
    """Nothing is drawn where it does not stand."""
    [lane] = payload(RULE, ["hello"], ["hello", RULE], ["hello"], ["hello"])["lanes"]

    [carrier] = lane["carriers"]
    assert (carrier["number"], carrier["role"], carrier["marks"]) == (2, "user", " ■✕ ")


def test_a_message_that_stands_there_without_it_is_told_apart(payload: Callable[..., dict[str, Any]]) -> None:
    """It was edited: the place is there, the fact is not."""
    words = "The trip goes to Lisbon in May with four people, two rooms and a car"
    [lane] = payload("ORD-1001", [f"{words}, ORD-1001."], [f"{words}."])["lanes"]

    assert lane["carriers"][0]["marks"] == f"■{THERE}"


def test_every_symbol_has_a_meaning_and_words(payload: Callable[..., dict[str, Any]]) -> None:
    """The browser invents none."""
    found = payload(RULE, ["hello", RULE], ["hello"])
    [lane] = found["lanes"]

    used = set(lane["verdict"]) | {mark for carrier in lane["carriers"] for mark in carrier["marks"]}
    assert used - {" ", "·"} <= found["signs"]["carriers"].keys()


def test_an_answer_nobody_recorded_is_told_from_a_silent_one(payload: Callable[..., dict[str, Any]]) -> None:
    """Only what is known can be said to say nothing."""
    [lane] = payload("ORD-1001", ["order ORD-1001"], ["order ORD-1001"], answers={2: "ORD-1001 is on its way"})["lanes"]

    assert (lane["answers"], lane["answered"]) == ("·■", [False, True])


def test_a_watch_takes_the_text_as_it_stands(make_changes: MakeChanges) -> None:
    """And not as it was typed: watches are word for word."""
    changes = make_changes(["预算 8,000 元以内"])
    found = follow(make_fact("8000元", contexts=changes.contexts), changes, {})

    assert watch_target(found, changes) == {"text": "8,000 元"}
