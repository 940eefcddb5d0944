"""Facts about the marks of probes on the timeline: which calls have one, and what it says."""

from __future__ import annotations

from collections.abc import Callable

from inspector.index import Index
from inspector.probes.look import ProbeLook, SessionFacts, look
from inspector.probes.probe import Expected, Probe
from inspector.probes.results import AnswerRecord, Arm, latest
from inspector.probes.timeline import CallMark, mark_calls
from snapshot_sdk.facts import Fact

FactsOf = Callable[..., SessionFacts]
ORDER = Probe("order", "What is the order number?", Expected((Fact("id", "ORD-2024-001"),)), "artifact")
SHELF = Probe("shelf", "Which shelf?", Expected((Fact("text", "二号"),)), "recall")


def answered(
    call: int, text: str | None, replicate: int = 1, *, probe: Probe = ORDER, arm: Arm = "as sent"
) -> AnswerRecord:
    """An answer that stands in the file."""
    return AnswerRecord(
        session="shop", call=call, snapshot="a", probe=probe.id, arm=arm, replicate=replicate, request=f"{call} {arm}",
        question=probe.question, api="openai.chat", endpoint="http://127.0.0.1", model="m", time="2026-11-28T00:00:00Z",
        answer=text, error=None if text else "busy",
    )  # fmt: skip


def marks(facts: SessionFacts, *records: AnswerRecord, probes: tuple[Probe, ...] = (ORDER,)) -> dict[int, CallMark]:
    """The marks by call, of one suite."""
    looks: tuple[ProbeLook, ...] = look(probes, facts)
    return {mark.call: mark for mark in mark_calls([("desk.toml", looks)], latest(iter(records)))}


def test_a_loss_that_looking_finds_is_marked_where_it_begins(forgetful: Index, facts_of: FactsOf) -> None:
    """Without a single answer."""
    found = marks(facts_of(forgetful))

    assert list(found) == [3]
    [one] = found[3].probed
    assert (one.suite, one.probe, one.verdict, one.failed) == ("desk.toml", "order", "evicted", True)
    assert one.line == "✕ evicted from here on: What is the order number? (looked)"


def test_a_call_that_was_asked_has_the_verdict_of_its_answers(forgetful: Index, facts_of: FactsOf) -> None:
    """Where looking finds the loss, too, the answers alone are told."""
    found = marks(
        facts_of(forgetful), answered(1, "ORD-2024-001"), answered(2, "I don't know."), answered(3, "ORD-2024-001")
    )

    assert [found[call].probed[0].verdict for call in (1, 2, 3)] == ["known", "buried", "guessed"]
    assert found[2].probed[0].line == "◐ buried: What is the order number? (right 0 of 1)"
    assert len(found[3].probed) == 1


def test_the_worst_of_a_call_comes_first(forgetful: Index, facts_of: FactsOf) -> None:
    """A probe that fails before one that does not."""
    records = (answered(3, "二号", probe=SHELF), answered(3, "no idea"))
    found = marks(facts_of(forgetful), *records, probes=(SHELF, ORDER))

    assert found[3].probed[0].probe == "order"
    assert found[3].probed[0].failed


def test_a_question_of_no_suite_is_told_without_a_verdict(forgetful: Index, facts_of: FactsOf) -> None:
    """Nothing is expected of its answers; controls and failures alone are no verdict either."""
    other = Probe("x", "What colour?", Expected((Fact("text", "red"),)), "recall")
    records = (answered(1, "red", probe=other), answered(2, None), answered(2, "x", arm="fact last"))
    found = marks(facts_of(forgetful), *records)

    assert (found[1].probed[0].suite, found[1].probed[0].verdict) == (None, "open")
    assert "stands in no suite" in found[1].probed[0].line
    assert found[2].probed[0].line.endswith("(asked, no answer that could be judged)")
