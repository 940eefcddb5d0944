"""What a session commits itself to: the message that says it first, and whether somebody watches it."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.changes import trace_session
from inspector.analysis.session_commitments import MOST, READ_OF_ALL, READ_OF_ONE, number_commitments
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.watches import make_watch

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]


def test_a_rule_has_the_number_of_its_message(block: MakeBlock, calls: MakeCalls) -> None:
    """Its first one; a rule that stands in ten prompts is one."""
    said = [block("You are a clerk.", "system", layer=Layer.SYSTEM), block("Never call me before 9:00.")]
    changes = trace_session(calls(said, [*said, block("And now?")]))
    found = number_commitments(changes.contexts, changes.life, changes.pins)

    assert [(one.number, one.commitment.kind, one.watched) for one in found] == [(2, "rule", False)]


def test_a_watched_one_says_so(block: MakeBlock, calls: MakeCalls) -> None:
    """By its text, or a part of it."""
    watches = [make_watch({"text": "Never call me before 9:00"})]
    changes = trace_session(calls([block("Never call me before 9:00.")]), watches=watches)

    assert number_commitments(changes.contexts, changes.life, changes.pins)[0].watched


def test_small_talk_commits_to_nothing(block: MakeBlock, calls: MakeCalls) -> None:
    """Neither thanks nor a question."""
    changes = trace_session(calls([block("谢谢！"), block("Is it there yet?")]))

    assert number_commitments(changes.contexts, changes.life, changes.pins) == ()


def test_a_long_session_is_bounded(block: MakeBlock, calls: MakeCalls) -> None:
    """No more is read than is bearable, and no more is told than is read."""
    filler = "x " * (READ_OF_ONE // 2)
    many = [block(f"Never call me before {n % 24}:{n % 60:02}, rule {n}. {filler}") for n in range(60)]
    assert sum(len(one.text) for one in many) > READ_OF_ALL
    changes = trace_session(calls(many))

    assert 0 < len(number_commitments(changes.contexts, changes.life, changes.pins)) <= MOST
