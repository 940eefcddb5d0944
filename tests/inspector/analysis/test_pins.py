"""How pinned and watched texts fare."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.analysis.changes import trace_session
from inspector.analysis.pins import PinLife, fold_writing
from inspector.model.context import Block, CallContext
from inspector.model.fates import Fate
from inspector.model.views import PinRow
from inspector.model.watches import Watch

Make = Callable[..., Block]
Calls = Callable[..., list[CallContext]]

RULE = "never more than 800 words"
PIN = PinRow("p", RULE, "asked for", "agent.py:9", 1, None, (), {"text": RULE}, "main")


def follow(contexts: Sequence[CallContext], pin: PinRow | Watch = PIN) -> PinLife:
    """The life of one pin or watch."""
    pins, watches = ([pin], []) if isinstance(pin, PinRow) else ([], [pin])
    (life,) = trace_session(contexts, pin_rows=pins, watches=watches).pins
    return life


def test_a_pin_that_holds_is_verbatim(block: Make, calls: Calls) -> None:
    """In every call, whatever message carries it."""
    life = follow(calls([block(f"please, {RULE}!")], [block(f"they said: {RULE}", "system")]))

    assert life.verdicts == {1: "verbatim", 2: "verbatim"}
    assert (life.first_broken_call, life.broken, life.cause) == (None, (), None)
    assert (life.reason, life.caller, life.watched) == ("asked for", "agent.py:9", False)


def test_a_lost_pin_names_its_cause(block: Make, calls: Calls) -> None:
    """The first call without it, what became of its message, and the compaction."""
    carrier, others = block(f"please, {RULE}!"), [block("b"), block("c")]
    life = follow(calls([carrier, *others], [carrier, *others], others, others))

    assert life.verdicts == {1: "verbatim", 2: "verbatim", 3: "gone", 4: "gone"}
    assert (life.first_broken_call, life.broken) == (3, (3, 4))
    assert life.cause is not None
    assert (life.cause.fate, life.cause_message, life.cause_compaction) == (Fate.EVICTED, 1, 1)
    assert life.carriers == (1,)


def test_a_pin_that_comes_back_is_said_to(block: Make, calls: Calls) -> None:
    """It stays broken where it broke."""
    rest = [block("b"), block("c")]
    life = follow(calls([block(RULE), *rest], rest, [*rest, block(f"again: {RULE}")]))

    assert (life.first_broken_call, life.back_call, life.broken) == (2, 3, (2,))
    assert life.carriers == (1, 4)


def test_a_carrier_that_says_less_is_altered(block: Make, calls: Calls) -> None:
    """Most of its words are there."""
    old = block(f"A hard rule for the spring issue of the magazine: {RULE}, please.")
    new = block("A hard rule for the spring issue of the magazine: more than 900 words, please never.")
    life = follow(calls([old], [new]))

    assert life.verdicts[2] == "altered"
    assert life.cause is not None
    assert life.cause.fate is Fate.EDITED


def test_a_carrier_cut_before_the_rule_has_lost_it(block: Make, calls: Calls) -> None:
    """It is gone, cut off, though its message stands there."""
    text = "A long story about the spring issue of the magazine. " * 5 + RULE
    life = follow(calls([block(text)], [block(text[:100])]))

    assert life.verdicts[2] == "gone"
    assert life.cause is not None
    assert life.cause.fate is Fate.TRUNCATED


def test_other_writing_is_altered(block: Make, calls: Calls) -> None:
    """Case, width, white space: a reader would take it for the same, bytes do not."""
    life = follow(calls([block(RULE), block("b")], [block("b"), block("NEVER  more than\n８００ words", "system")]))

    assert life.verdicts[2] == "altered"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**9))
def test_other_writing_is_found_in_whatever_call_it_stands(block: Make, calls: Calls, seed: int) -> None:
    """By each of several pins, and only where no message of the call says it word for word."""
    source = random.Random(seed)
    rules = [RULE, "answer in Chinese", "预算 8,500元"]
    said = [block(text) for text in (*rules, *(f"（{rule.upper()}）".replace(" ", "  ") for rule in rules), "b", "c")]
    contexts = calls(*(source.choices(said, k=source.randrange(1, 4)) for _ in range(8)))
    pins = [PinRow(rule, rule, None, None, 1, None, (), {"text": rule}, "main") for rule in rules]

    for rule, life in zip(rules, trace_session(contexts, pin_rows=pins).pins, strict=True):
        folded = fold_writing(rule)
        has = {call.call: any(rule in one.text for one in call.blocks) for call in contexts}
        written = {call.call: any(folded in fold_writing(one.text) for one in call.blocks) for call in contexts}
        kept = {call for call, verdict in life.verdicts.items() if verdict in ("verbatim", "duplicated")}
        assert kept == {call for call in has if has[call]}
        assert all(life.verdicts[call] == "altered" for call in has if written[call] and not has[call])
        assert all(life.verdicts[call] == "gone" for call in has if not written[call] and not has[call])


def test_short_texts_are_looked_for_as_they_are(block: Make, calls: Calls) -> None:
    """In other writing they stand in many a word."""
    life = follow(
        calls([block("answer in CN")], [block("the technician is here")]), replace(PIN, target={"text": "CN"})
    )

    assert life.verdicts[2] == "gone"


def test_only_a_summary_that_quotes_it_is_not_broken(block: Make, calls: Calls) -> None:
    """But said so."""
    summary = block(f"<summary>Rule: {RULE}.</summary>", "system", is_summary=True)
    life = follow(calls([block(RULE), block("b")], [summary, block("b")]))

    assert life.verdicts[2] == "only in a summary"
    assert life.first_broken_call is None


def test_the_same_message_twice_is_duplicated(block: Make, calls: Calls) -> None:
    """Other messages that say it too are none of its copies."""
    carrier = block(RULE)
    life = follow(calls([carrier, block(f"yes, {RULE}", "assistant")], [carrier, carrier]))

    assert life.verdicts == {1: "verbatim", 2: "duplicated"}


@pytest.mark.parametrize(
    "target", [{"regex": r"never more than \d+ words"}, {"message": f"user:{RULE}"}, {"text": RULE}, {}]
)
def test_every_kind_of_target_is_followed(block: Make, calls: Calls, target: dict[str, Any]) -> None:
    """A pattern, a message, a text; without a target the excerpt."""
    life = follow(calls([block(RULE), block("b")], [block("b")]), replace(PIN, target=target))

    assert life.verdicts == {1: "verbatim", 2: "gone"}


def test_an_edited_pinned_message_is_altered(block: Make, calls: Calls) -> None:
    """Whatever was changed in it."""
    life = follow(calls([block(RULE)], [block(f"{RULE}, mostly")]), replace(PIN, target={"message": f"user:{RULE}"}))

    assert life.verdicts == {1: "verbatim", 2: "altered"}


def test_a_pattern_of_another_python_holds_nowhere(block: Make, calls: Calls) -> None:
    """It is gone, and nothing breaks."""
    assert follow(calls([block(RULE)]), replace(PIN, target={"regex": "(?<"})).verdicts == {1: "gone"}


def test_only_calls_of_its_time_and_lane_count(block: Make, calls: Calls) -> None:
    """From the pin to its release, in its lane."""
    contexts = calls([block("a")], [block(RULE)], [block("b")], [block("c")])
    contexts[2] = replace(contexts[2], lane="helper")
    life = follow(contexts, replace(PIN, since_call=2, released_call=4))

    assert life.verdicts == {2: "verbatim"}
    assert (life.since_call, life.released_call) == (2, 4)


def test_a_watch_counts_from_its_first_appearance(block: Make, calls: Calls) -> None:
    """Or from its call; only in the main lane."""
    contexts = calls([block("a")], [block("a"), block(RULE)], [block("a")])
    watch = Watch("w", {"text": RULE}, RULE)

    assert follow(contexts, watch).verdicts == {2: "verbatim", 3: "gone"}
    assert follow(contexts, replace(watch, since_call=1)).verdicts == {1: "gone", 2: "verbatim", 3: "gone"}
    assert follow(contexts, watch).watched


def test_a_watch_on_what_never_was_has_no_verdict(block: Make, calls: Calls) -> None:
    """It cannot have been lost."""
    life = follow(calls([block("a")]), Watch("w", {"text": RULE}, RULE))

    assert (life.verdicts, life.since_call, life.first_broken_call) == ({}, None, None)
