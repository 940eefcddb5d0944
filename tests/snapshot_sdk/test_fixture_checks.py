"""Checks of a fixture: which prompts fail which, and what their messages answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from snapshot_sdk._fixture_checks import protected_texts, run_check, run_checks
from snapshot_sdk._fixture_prompt import prompt_of, recorded_prompt
from snapshot_sdk._fixture_prompt_building import build_prompt, previous_recorded
from snapshot_sdk._fixture_values import Check, CheckKind, Fixture, HistoryMessage
from snapshot_sdk.facts import Fact


def failed(fixture: Fixture, messages: list[Any]) -> set[str]:
    """Ids of the checks that fail."""
    outcomes = run_checks(fixture, prompt_of(messages, fixture), previous_recorded(fixture))
    return {outcome.check.id for outcome in outcomes if outcome.ok is False}


def test_recorded_prompt_fails_what_it_lost(trip: Fixture) -> None:
    """The rule is gone, the amount is another one, and the user's words are retold."""
    outcomes = run_checks(trip, recorded_prompt(trip), previous_recorded(trip))
    assert {one.check.id for one in outcomes if one.ok is False} == {"pin_1", "fact_1", "protected"}
    assert all(one.ok is not None for one in outcomes)


def test_whole_history_passes(trip: Fixture) -> None:
    """A builder that takes nothing out keeps everything."""
    prompt = build_prompt(trip, lambda history, window: history)
    assert all(outcome.ok for outcome in run_checks(trip, prompt, previous_recorded(trip)))


def _without(place: int) -> Any:
    return lambda said: said[:place] + said[place + 1 :]


def _with(place: int, **changed: Any) -> Any:
    return lambda said: [{**message, **changed} if at == place else message for at, message in enumerate(said)]


RULES_OF_ANOTHER_DAY = "You are a travel desk.\nToday is 2026-03-05.\nNever book without a yes."
EVERY = {"pin_1", "fact_1", "protected", "pairing", "system", "cut", "budget", "reserve", "summaries", "head"}
FAULTY = {
    "rule lost": (_without(1), {"pin_1", "fact_1", "protected"}),
    "call lost": (_without(2), {"pairing"}),
    "result lost": (_without(3), {"pairing"}),
    "system lost": (_without(0), {"system", "head"}),
    "system cut": (_with(0, content="You are a travel desk."), {"system", "head", "cut"}),
    "system new at every call": (_with(0, content=RULES_OF_ANOTHER_DAY), {"head"}),
    "result cut": (_with(3, content='{"hotels": [{"name": "Blue Bay", "pri…'), {"cut"}),
    "amount wrong": (lambda said: [*said, {"role": "user", "content": "<state>budget: 800元</state>"}], {"fact_1"}),
    "two summaries": (
        lambda said: [*said, *({"role": "user", "content": f"<summary>{n}</summary>"} for n in "ab")],
        {"summaries"},
    ),
    "too long": (lambda said: [*said, {"role": "user", "content": "word " * 2000}], {"budget", "reserve"}),
    "all lost": (lambda said: said[:1], EVERY),
}  # fmt: skip


@pytest.mark.parametrize(("change", "ids"), FAULTY.values(), ids=FAULTY.keys())
def test_each_fault_fails_its_own_checks(trip: Fixture, change: Any, ids: set[str]) -> None:
    """No check passes what it is there for, none fails for another one's fault."""
    said = [message.message for message in trip.history if not message.summary]
    assert failed(trip, change(said)) == ids


def test_message_answers_what_when_why_and_instead(trip: Fixture) -> None:
    """What is lost, where it was said, at which call and why it went, what stands there."""
    outcome = run_check(trip.checks[0], recorded_prompt(trip), trip)
    assert outcome.message.splitlines() == [
        "pin_1 fails: “Answer in Chinese only” is gone: no message of the prompt holds it",
        "  said first: t1 · call 1 (user)",
        "  at the time: failed in t2 · call 3 of session trip: "
        "the summary at call 3 took message 2 and did not keep it",
        "  the prompt holds instead: nothing like it; 3 messages, with a summary in message 2 (user): "
        "“[对话摘要] The user wants a hotel; budget 8000元.”",
    ]


def test_message_of_a_check_that_held(trip: Fixture) -> None:
    """A check that the recorded prompt passed says so when it fails now."""
    outcome = run_check(
        trip.checks[9], prompt_of([{"role": "user", "content": "x"}], trip), trip, previous_recorded(trip)
    )
    assert outcome.ok is False
    assert "at the time: held in t2 · call 3 of session trip" in outcome.message


@pytest.mark.parametrize("kind", ["pin", "fact", "protected", "system", "pairing"])
def test_what_may_stand_elsewhere_is_not_called_lost(trip: Fixture, kind: CheckKind) -> None:
    """A part of the prompt that the server keeps may hold it."""
    check = next(one for one in trip.checks if one.kind == kind)
    body = {
        "model": "m",
        "previous_response_id": "r",
        "input": [{"type": "function_call_output", "call_id": "a", "output": "x"}],
    }
    outcome = run_check(check, prompt_of(body, api="openai.responses"), trip)
    assert outcome.ok is None
    assert "kept by the server (previous_response_id), so it may stand there" in outcome.message


def test_protected_texts_of_a_layer_that_is_written_anew(trip: Fixture) -> None:
    """Of memory the newest text counts, of what the user said each one."""
    memories = [replace(trip.history[1], message={"role": "user", "content": text}, layer="memory") for text in "ab"]
    fixture = replace(trip, history=(*memories, *trip.history[1:]))
    assert [text for _, text in protected_texts(fixture, "memory")] == ["b"]
    assert [text for _, text in protected_texts(fixture, "input")] == [
        "Answer in Chinese only. My budget is 8500元.",
        "Which of them did I ask you to book?",
    ]


def test_protected_run_of_a_message(trip: Fixture) -> None:
    """Where a message joins layers only the run of that layer must stand."""
    joined = {"role": "system", "content": "rules\n<memory>likes tea</memory>\nmore"}
    fixture = replace(trip, history=(replace(trip.history[0], message=joined), *trip.history[1:]))
    assert [text for _, text in protected_texts(fixture, "memory")] == ["<memory>likes tea</memory>"]


def test_layer_that_nobody_has(trip: Fixture) -> None:
    """Nothing to protect is neither yes nor no."""
    assert run_check(Check("p", "protected", "p", layer="memory"), recorded_prompt(trip), trip).ok is None


@pytest.mark.parametrize(
    "check",
    [Check("p", "pin", "p", regex="("), Check("f", "fact", "f", facts=(Fact("money", "much"),))],
    ids=["pattern", "fact"],
)
def test_check_that_is_wrong_itself(trip: Fixture, check: Check) -> None:
    """It is told, and the other checks run."""
    outcomes = run_checks(replace(trip, checks=(check, *trip.checks)), recorded_prompt(trip))
    assert outcomes[0].ok is None
    assert "the check itself is wrong" in outcomes[0].message
    assert len(outcomes) == len(trip.checks) + 1


def test_rules_of_the_system_prompt_contradict_nothing(trip: Fixture) -> None:
    """Another amount in the instructions was there all along, also where they are no part of the history."""
    rules = {"role": "system", "content": "The budget of a guest is at most 20000元."}
    fixture = replace(trip, request={**trip.request, "messages": [rules, *trip.request["messages"][1:]]})
    prompt = prompt_of([rules, trip.history[1].message], fixture)
    assert run_check(trip.checks[1], prompt, fixture).ok


def test_a_pinned_part_of_a_word_is_what_was_meant(trip: Fixture) -> None:
    """Who selected “hinese only” finds it in the message it was selected in."""
    check = Check("p", "pin", "", text="hinese only")
    prompt = build_prompt(trip, lambda history, window: history)
    assert run_check(check, prompt, trip).ok is True


@pytest.mark.parametrize(
    ("change", "ok"),
    [
        (lambda said: said, True),
        (lambda said: said[:-1], False),
        (lambda said: [said[0], said[-1], *said[1:-1]], False),
        (lambda said: [*said, {"role": "user", "content": "<reminder>Be brief.</reminder>"}], True),
    ],
    ids=["as it was", "dropped", "moved up", "a reminder behind it"],
)
def test_newest_input_stands_last(trip: Fixture, change: Any, ok: bool) -> None:
    """A builder that drops what the user said last, or puts something older behind it, is found."""
    newest = HistoryMessage(
        {"role": "user", "content": "And Sunday?"}, "messages", "h", "input", 3, 2, 5, answer=False, summary=False
    )
    earlier = tuple(replace(one, layer="history") if one.layer == "input" else one for one in trip.history)
    fixture = replace(trip, history=(*earlier, newest))
    said = [message.message for message in fixture.history if not message.summary]
    check = Check("p", "protected", "", layer="input")
    assert run_check(check, prompt_of(change(said), fixture), fixture).ok is ok


def test_a_fact_holds_where_its_message_stands_word_for_word(trip: Fixture) -> None:
    """Whatever a reading of the message says: a builder that quotes it has lost nothing."""
    said = {"role": "user", "content": "寿眉老白茶，10 月 8 日起供应"}
    entry = HistoryMessage(said, "messages", "h", "history", 1, 1, 9, answer=False, summary=False)
    fixture = replace(trip, history=(entry, *trip.history))
    check = Check("f", "fact", "", facts=(Fact("date", "10 月 8 日"),))
    assert run_check(check, prompt_of([said], fixture), fixture).ok is True
    retold = [{"role": "user", "content": "10 月 8 日起有茶"}]
    assert run_check(check, prompt_of(retold, fixture), fixture).ok is False


def test_signs_that_cannot_be_seen_or_encoded_are_written_out(trip: Fixture) -> None:
    """A message goes through terminals and between processes: no escape, no turn, no lone surrogate, no broken line."""
    origin = replace(trip.origin, session="a\x1b[31m\u202eb\nc")
    check = Check("p", "pin", "", text="never \ud83d said")
    message = run_check(check, recorded_prompt(trip), replace(trip, origin=origin)).message
    assert "session a\\x1b[31m\\u202eb\\nc" in message
    assert message.encode()
