"""Facts about looking: presence at every call, without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from inspector.index import Index
from inspector.probes.look import ProbeLook, SessionFacts, calls_to_ask, look
from inspector.probes.probe import Expected, Probe, ProbeKind
from inspector.probes.verdict import Verdict
from snapshot_sdk.facts import Fact

ORDER = Probe("order", "What is the order number?", Expected((Fact("id", "ORD-2024-001"),)), "artifact")
FactsOf = Callable[..., SessionFacts]


def states(found: ProbeLook) -> list[str]:
    """What looking says at each call, in order."""
    return [presence.state for presence in found.presences.values()]


def test_a_fact_is_due_from_the_first_call_that_says_it(forgetful: Index, facts_of: FactsOf) -> None:
    """And absent where a window dropped it."""
    (found,) = look([ORDER], facts_of(forgetful))

    assert states(found) == ["present", "present", "absent", "absent"]
    assert found.flips_at == 3


def test_a_look_alike_is_no_presence(forgetful: Index, facts_of: FactsOf) -> None:
    """ORD-2024-0012 is another order."""
    probe = replace(ORDER, expected=Expected((Fact("id", "ORD-2024-0012"),)))
    (found,) = look([probe], facts_of(forgetful))

    assert not found.ever_due


@pytest.mark.parametrize(
    ("due_from", "due_until", "wanted"),
    [
        (1, None, ["present", "present", "absent", "absent"]),
        (3, None, ["not due", "not due", "absent", "absent"]),
        (None, 2, ["present", "present", "not due", "not due"]),
        (2, 3, ["not due", "present", "absent", "not due"]),
        (9, None, ["not due"] * 4),
    ],
)
def test_turns_say_when_a_probe_is_due(
    due_from: int | None, due_until: int | None, wanted: list[str], forgetful: Index, facts_of: FactsOf
) -> None:
    """From a turn on, until a turn, both inclusive."""
    (found,) = look([replace(ORDER, due_from=due_from, due_until=due_until)], facts_of(forgetful))

    assert states(found) == wanted


def test_of_several_facts_all_must_be_there(forgetful: Index, facts_of: FactsOf) -> None:
    """A list is due when all of it was said, and the worst of it decides."""
    probe = Probe("both", "?", Expected((Fact("text", "box was wet"), Fact("id", "ORD-2024-001"))), "recall")
    (found,) = look([probe], facts_of(forgetful))

    assert states(found) == ["not due", "present", "absent", "absent"]


def test_the_evidence_of_a_question_may_be_another_text(forgetful: Index, facts_of: FactsOf) -> None:
    """Whether the rule stands there decides, not the word that the answer must say."""
    probe = Probe(
        "lang", "?", Expected((Fact("text", "中文"),)), "constraint", (Fact("rule", "Answer in Chinese only"),)
    )
    (found,) = look([probe], facts_of(forgetful))

    assert states(found) == ["present", "present", "absent", "absent"]


def test_a_contradiction_that_was_always_there_is_no_loss(recorded: Callable[..., Index], facts_of: FactsOf) -> None:
    """A value that came to stand beside another one is."""
    said = {"role": "user", "content": "My budget is 8000元."}
    state = {"role": "system", "content": "<state>\nbudget: 8500元\n</state>"}
    index = recorded([{"messages": [said]}, {"messages": [state, said]}, {"messages": [state]}])
    probe = Probe("budget", "?", Expected((Fact("money", "8000元", ("budget",)),)), "constraint")
    (later,) = look([probe], facts_of(index))

    assert states(later) == ["present", "conflicting", "distorted"]
    assert later.flips_at == 2


def test_a_probe_that_must_abstain_is_open_until_a_model_is_asked(forgetful: Index, facts_of: FactsOf) -> None:
    """Looking cannot tell what a model makes up; it can tell that the premise is wrong."""
    probe = Probe("card", "Which card?", Expected(must_abstain=True), "abstention", (Fact("id", "ORD-2024-001"),))
    (found,) = look([probe], facts_of(forgetful))

    assert list(found.verdicts.values()) == ["conflicting", "conflicting", "open", "open"]


def test_each_sample_incident_flips_at_its_call(samples: Index, facts_of: FactsOf) -> None:
    """The fact, the call and what stood in its place, as the sample's own story tells them."""
    incidents: list[tuple[str, Fact, ProbeKind, int | None, Verdict]] = [
        ("order-4711", Fact("id", "ORD-2024-001"), "artifact", 13, "evicted"),
        ("order-4711", Fact("rule", "以后请只用中文回答我"), "constraint", 13, "evicted"),
        ("returns-desk", Fact("rule", "never more than 800 words"), "constraint", 33, "evicted"),
        ("sanya-trip", Fact("money", "8000元", ("预算", "budget")), "constraint", 14, "distorted"),
        ("tea-house-posts", Fact("text", "一个感叹号都不要用"), "constraint", 14, "evicted"),
        ("night-shift", Fact("text", "Do not roll anything back"), "constraint", 8, "evicted"),
        (
            "checkout-504",
            Fact("rule", "Do not restart or roll back anything before I say so."),
            "constraint",
            None,
            "known",
        ),
        ("lisbon-offsite", Fact("money", "1,800 euros"), "constraint", None, "known"),
        ("group-visit", Fact("text", "Two pupils use wheelchairs"), "constraint", None, "known"),
    ]
    found: list[tuple[str, int | None, str]] = []
    for session, fact, kind, _, _ in incidents:
        (one,) = look([Probe("p", "?", Expected((fact,)), kind)], facts_of(samples, session))
        flips = one.flips_at
        found.append((session, flips, "known" if flips is None else one.verdicts[flips]))

    assert found == [(session, call, verdict) for session, _, _, call, verdict in incidents]


def test_a_pin_without_a_scope_is_asked_of_every_lane(samples: Index, facts_of: FactsOf) -> None:
    """The scout of storage-review was not told of the legal hold."""
    probe = Probe("hold", "?", Expected((Fact("text", "billing_2023 is under legal hold"),)), "constraint", lane="*")
    (found,) = look([probe], facts_of(samples, "storage-review"))

    assert found.flips_at == 18


def test_cleared_results_do_not_make_a_call_unreadable(samples: Index, facts_of: FactsOf) -> None:
    """It is known what a server cleared; only what nobody can read is opaque."""
    assert facts_of(samples, "storage-review").opaque == frozenset()


def test_an_encrypted_compaction_is_opaque(recorded: Callable[..., Index], facts_of: FactsOf) -> None:
    """What is gone may stand in it: only a model can be asked."""
    said = {"role": "user", "content": "My order number is ORD-2024-001."}
    mark = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA"}
    after = [mark, {"role": "user", "content": "Go on."}]
    index = recorded([{"model": "m", "input": [said]}, {"model": "m", "input": after}], api="openai.responses")
    (found,) = look([ORDER], facts_of(index))

    assert states(found) == ["present", "opaque"]


@pytest.mark.parametrize(
    ("at", "wanted"),
    [
        ("all", tuple(range(1, 22))),
        ("3,17", (3, 17)),
        ("around-compactions", (12, 13, 18, 20)),
        ("20, 1", (1, 20)),
    ],
)
def test_where_a_suite_is_asked(at: str, wanted: tuple[int, ...], samples: Index, facts_of: FactsOf) -> None:
    """Words and numbers, together as one likes."""
    facts = facts_of(samples, "order-4711")
    found = calls_to_ask(at, facts.calls, facts.changes)

    assert found[:2] == wanted[:2] if at == "around-compactions" else found == wanted


@pytest.mark.parametrize("at", ["", "every:0", "every:x", "99", "sometimes", "-1"])
def test_a_place_that_is_none_is_refused_in_words(at: str, samples: Index, facts_of: FactsOf) -> None:
    """The error repeats the word."""
    facts: Any = facts_of(samples, "order-4711")
    with pytest.raises(ValueError, match=at if at else "is none of"):
        calls_to_ask(at, facts.calls, facts.changes)


def test_how_it_went_is_told_of_the_last_loss(forgetful: Index, facts_of: FactsOf) -> None:
    """By a call; before it nothing is known."""
    (found,) = look([ORDER], facts_of(forgetful))
    loss = found.loss_at(4)

    assert found.loss_at(2) is None
    assert loss is not None
    assert (loss.call, loss.before_call) == (3, 2)


def test_probes_looked_for_together_are_found_as_each_alone(samples: Index, facts_of: FactsOf) -> None:
    """The prompts are gone through once for all of them."""
    facts = facts_of(samples, "order-4711")
    rule = replace(ORDER, id="rule", expected=Expected((Fact("rule", "以后请只用中文回答我"),)))
    near = replace(ORDER, id="near", expected=Expected((Fact("id", "ORD-2024-0012"),)))
    probes = [ORDER, rule, near]

    assert look(probes, facts) == tuple(found for probe in probes for found in look([probe], facts))
