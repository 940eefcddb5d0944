"""What stands where a fact stood, without its own words beside it."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.changes import trace_session
from inspector.analysis.fact_asking import follow, make_fact
from inspector.analysis.fact_standing import Standing, find_standing
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]


def standing_of(text: str, contexts: list[CallContext], answers: dict[int, str] | None = None) -> Standing | None:
    """What stands where a fact stood, at its first loss."""
    changes = trace_session(contexts)
    found = follow(make_fact(text, contexts=changes.contexts), changes, answers or {})
    return find_standing(found, changes, found.trace.losses[0])


def test_the_answer_that_named_a_value_is_enough(block: MakeBlock, calls: MakeCalls) -> None:
    """Its tool call stands in no prompt before the loss."""
    state = block("<task_state>\npeople: 18\n</task_state>", "system", layer=Layer.STATE)
    contexts = calls([state, block("改成 22 人。")], [state])
    standing = standing_of("22 人", contexts, {1: 'change_hold({"people": 22})'})

    assert standing is not None
    assert (standing.name, standing.text, standing.is_older) == ("people", "18", True)


def test_a_sentence_is_followed_by_the_values_in_it(block: MakeBlock, calls: MakeCalls) -> None:
    """Who selects the whole sentence asks the same."""
    state = block("<task_state>\npeople: 18\n</task_state>", "system", layer=Layer.STATE)
    contexts = calls([state, block("小林：人数改成 22 人。")], [state])
    standing = standing_of("人数改成 22 人", contexts, {1: 'change_hold({"people": 22})'})

    assert standing is not None
    assert standing.number == 1


def test_a_state_that_says_the_value_itself_is_no_successor(block: MakeBlock, calls: MakeCalls) -> None:
    """Of a sentence only its words went."""
    state = block("<task_state>\npeople: 22\n</task_state>", "system", layer=Layer.STATE)
    contexts = calls([state, block("小林：人数改成 22 人。")], [state])

    assert standing_of("人数改成 22 人", contexts, {1: 'change_hold({"people": 22})'}) is None


def test_another_slot_is_another_thing(block: MakeBlock, calls: MakeCalls) -> None:
    """Eighteen tables are no eighteen people."""
    state = block("<task_state>\ntables: 18\n</task_state>", "system", layer=Layer.STATE)
    contexts = calls([state, block("改成 22 人。")], [state])

    assert standing_of("22 人", contexts, {1: 'change_hold({"people": 22})'}) is None


def test_what_a_rewritten_message_says_at_that_place_is_found(block: MakeBlock, calls: MakeCalls) -> None:
    """Between the words that stood around it."""
    clock = "You plan visits for groups. Current time: {}.\nAnswer in the language of the last message."
    before, now = (block(clock.format(time), "system") for time in ("08:14:08Z", "08:15:40Z"))
    standing = standing_of("08:14:08Z", calls([before], [now]))

    assert standing is not None
    assert (standing.name, standing.text) == ("", "08:15:40Z")


def test_words_that_were_only_cut_out_have_no_successor(block: MakeBlock, calls: MakeCalls) -> None:
    """What stood around them stands side by side now."""
    text = "The trip goes to Lisbon in May with four people, two rooms{} and one car for the week"
    before, now = block(text.format(" by the sea"), "system"), block(text.format(""), "system")

    assert standing_of("by the sea", calls([before], [now])) is None
