"""Facts about asking a suite: verdicts of presence and answer, controls, repair and bisection, over real HTTP."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index
from inspector.model.context import CallContext
from inspector.probes.asking import Cell, group_records, make_cells, make_questions
from inspector.probes.bisect import bisect, questions_at_most
from inspector.probes.controls import GAP, put_last, statement_of, without_facts
from inspector.probes.look import ProbeLook, SessionFacts, look
from inspector.probes.metrics import (
    constraint_loss_rate,
    information_loss_rate,
    key_information_presence,
    key_information_recall,
    measure,
    preference_compliance,
    repeated_execution_rate,
)
from inspector.probes.probe import Expected, Probe
from inspector.probes.repair import find_repair
from inspector.probes.replay_client import ReplayClient
from inspector.probes.replay_request import StoredCall
from inspector.probes.replay_target import Target
from inspector.probes.results import AnswerStore, Arm, answers_file
from inspector.probes.runner import run
from snapshot_sdk.facts import Fact

FactsOf = Callable[..., SessionFacts]
ORDER = Probe("order", "What is the order number?", Expected((Fact("id", "ORD-2024-001"),)), "artifact")
FILLER = "The lamp in the hall burns {n} hours. A cat sleeps on step {n}. Rain falls on roof {n}."


def stored(index: Index, session: str, number: int) -> StoredCall:
    """A call as recorded."""
    view = index.call(session, number)
    body = index.request_bytes(session, number)
    return StoredCall(session, number, view.call.id, view.call.api, view.call.model, view.endpoint, body, tokens=500)


def asked(
    index: Index,
    facts: SessionFacts,
    probes: Sequence[Probe],
    url: str,
    calls: Sequence[int],
    arms: Sequence[Arm] = ("as sent",),
) -> tuple[Cell, ...]:
    """Ask a suite at some calls."""
    looks = look(probes, facts, calls)
    by_number = {number: stored(index, facts.session, number) for number in calls}
    asking = make_questions(looks, by_number, facts, Target(endpoint=url, api="openai.chat"), arms=arms, replicates=2)
    store = AnswerStore(answers_file(Path(index.directory), facts.session))
    with ReplayClient(first_wait=0.01) as client:
        summary = run(asking.questions, client, store, lambda _: None)
    return make_cells(looks, group_records(asking.questions, summary.records), asking.not_asked)


def buried(recorded: Callable[..., Index]) -> Index:
    """A session whose order number stands in the middle of a long talk."""
    lines = [FILLER.format(n=n) for n in range(1, 30)]
    text = " ".join([*lines[:14], "The order number is ORD-2024-001.", *lines[14:]])
    return recorded([{"model": "m", "messages": [{"role": "user", "content": text}]}])


def test_presence_and_answer_make_the_verdict(forgetful: Index, facts_of: FactsOf, server: Any) -> None:
    """Known while it stands there; then the model says that it does not know."""
    cells = asked(forgetful, facts_of(forgetful), [ORDER], server.url, (1, 2, 3, 4))

    assert [cell.verdict for cell in cells] == ["known", "known", "abstained", "abstained"]
    assert [cell.failed for cell in cells] == [False, False, True, True]


def test_a_model_that_guesses_right_is_found_out(forgetful: Index, facts_of: FactsOf, server: Any) -> None:
    """The fact is gone and the answer right: it comes from elsewhere."""
    server.model.guess = "It is ORD-2024-001."
    (cell,) = asked(forgetful, facts_of(forgetful), [ORDER], server.url, (3,))

    assert cell.verdict == "guessed"
    assert not cell.failed


def test_a_made_up_value_is_an_evicted_one(forgetful: Index, facts_of: FactsOf, server: Any) -> None:
    """Nothing of it was there to distort."""
    server.model.guess = "It is ORD-2024-777."
    (cell,) = asked(forgetful, facts_of(forgetful), [ORDER], server.url, (3,))

    assert cell.verdict == "evicted"
    assert cell.asked is not None
    assert cell.asked.state == "repeats another value"


def test_what_stands_there_and_is_not_recalled_is_buried(
    recorded: Callable[..., Index], facts_of: FactsOf, server: Any
) -> None:
    """Put last it is recalled, taken out it is not guessed: it is the position."""
    index = buried(recorded)
    server.model.forgets = 1.0
    arms: tuple[Arm, ...] = ("as sent", "without the fact", "fact last")
    (cell,) = asked(index, facts_of(index), [ORDER], server.url, (1,), arms)
    right = {arm.arm: arm.right for arm in cell.controls}

    assert cell.presence.state == "present"
    assert cell.verdict == "buried"
    assert cell.failed
    assert right == {"without the fact": 0, "fact last": 2}


def test_forgetting_is_seeded(recorded: Callable[..., Index], facts_of: FactsOf, server: Any) -> None:
    """The same seed forgets the same: a test can rely on it."""
    index = buried(recorded)
    server.model.forgets = 0.5
    states = []
    for server.model.seed in (1, 2, 3, 4, 5, 6):
        (cell,) = asked(index, facts_of(index), [ORDER], f"{server.url}/seed{server.model.seed}/v1", (1,))
        assert cell.asked is not None
        states.append(cell.asked.state)

    assert {"right", "abstains"} == set(states)


@pytest.mark.parametrize("session", ["order-4711", "returns-desk", "sanya-trip"])
def test_the_samples_are_asked_in_every_dialect(
    session: str, samples: Index, facts_of: FactsOf, server: Any, tmp_path: Path
) -> None:
    """OpenAI's, Anthropic's and Gemini's: the stored request itself, at a server of its own dialect."""
    order, cap = Expected((Fact("id", "ORD-2024-001"),)), (Fact("rule", "never more than 800 words"),)
    asks = "What is missing? “And one hard rule for everything you write for me: never more than ____ words.”"
    budget = Expected((Fact("money", "8000元", ("预算", "budget")),))
    cases = {
        "order-4711": (Probe("p", "下单人王敏的订单号是多少？", order, "artifact"), (6, 14)),
        "returns-desk": (Probe("p", asks, Expected((Fact("number", "800"),)), "constraint", cap), (5, 33)),
        "sanya-trip": (Probe("p", "总预算是多少元？", budget, "constraint"), (9, 15)),
    }
    probe, calls = cases[session]
    facts = facts_of(samples, session)
    looks = look([probe], facts, calls)
    by_number = {number: stored(samples, session, number) for number in calls}
    api = by_number[calls[0]].api
    asking = make_questions(looks, by_number, facts, Target(endpoint=server.url, api=api), replicates=1)
    with ReplayClient() as client:
        summary = run(asking.questions, client, AnswerStore(tmp_path / "a.answers.jsonl"), lambda _: None)
    before, after = make_cells(looks, group_records(asking.questions, summary.records))

    assert asking.not_asked == ()
    assert not before.failed, before
    assert after.failed, after
    assert all(api.split(".")[0] in one.api for one in summary.records)


def test_a_probe_never_alters_a_trace(forgetful: Index, facts_of: FactsOf, server: Any) -> None:
    """The answers lie beside the traces, and the index takes them for none."""
    directory = Path(forgetful.directory)
    traces = [file for file in directory.rglob("*.jsonl") if file.parent.name != "probes"]
    before = {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in traces}
    asked(forgetful, facts_of(forgetful), [ORDER], server.url, (1, 3))
    forgetful.refresh()

    assert {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in traces} == before
    assert list(directory.glob("probes/*.answers.jsonl"))
    assert forgetful.line_errors() == ()
    assert [row.session for row in forgetful.sessions()] == ["shop"]


def test_a_fact_is_taken_out_wherever_it_stands() -> None:
    """In text, in arguments that stay JSON, in nested values; ids that hold the body together stay."""
    function = {"name": "look", "arguments": '{"id": "ORD-2024-001", "n": 2}'}
    late = [{"type": "text", "text": "ORD-2024-001 is late."}]
    body = {
        "messages": [
            {"role": "user", "content": "Order ORD-2024-001, not ORD-2024-0012."},
            {"role": "assistant", "tool_calls": [{"id": "ORD-2024-001", "function": function}]},
            {"role": "tool", "tool_call_id": "ORD-2024-001", "content": late},
        ],
        "tools": [{"description": "such as ORD-2024-001"}],
    }
    edited = without_facts([Fact("id", "ORD-2024-001")])("openai.chat", body)
    user, assistant, tool = edited["messages"]

    assert user["content"] == f"Order {GAP}, not ORD-2024-0012."
    assert assistant["tool_calls"][0]["function"]["arguments"] == f'{{"id": "{GAP}", "n": 2}}'
    assert assistant["tool_calls"][0]["id"] == "ORD-2024-001"
    assert tool["content"][0]["text"] == f"{GAP} is late."
    assert edited["tools"] == body["tools"]


def test_what_was_said_is_put_right_before_the_question(forgetful: Index, facts_of: FactsOf) -> None:
    """The sentence that said it first, in the language of the question."""
    contexts: Sequence[CallContext] = facts_of(forgetful).changes.contexts

    assert statement_of(Fact("id", "ORD-2024-001"), contexts) == "My order number is ORD-2024-001."
    last = put_last(ORDER, contexts)
    assert last is not None
    assert last.endswith(f"“My order number is ORD-2024-001.”\n\n{ORDER.question}")


def test_the_smallest_repair_is_the_cheapest_message(forgetful: Index, facts_of: FactsOf, server: Any) -> None:
    """With it back the model answers right."""
    facts = facts_of(forgetful)
    (found,) = look([ORDER], facts)
    repair = find_repair(found, facts, 3)
    assert repair is not None
    (cell,) = asked(forgetful, facts, [ORDER], server.url, (3,), ("as sent", "repair"))

    assert repair.passes
    assert len(repair.messages) == 1
    assert repair.tokens
    assert cell.asked is not None
    assert cell.asked.right == 0
    assert [(arm.arm, arm.right) for arm in cell.controls] == [("repair", 2)]
    assert find_repair(found, facts, 1) is None


def test_a_repair_may_take_several_messages(recorded: Callable[..., Index], facts_of: FactsOf) -> None:
    """The fewest that together say all that is missing."""
    first = {"role": "user", "content": "The order number is ORD-2024-001."}
    second = {"role": "user", "content": "The refund is REF-77812."}
    talk = {"role": "assistant", "content": "Fine weather today."}
    index = recorded([{"messages": [first, talk, second]}, {"messages": [talk]}])
    probe = Probe("both", "?", Expected((Fact("id", "ORD-2024-001"), Fact("id", "REF-77812"))), "artifact")
    facts = facts_of(index)
    (found,) = look([probe], facts)
    repair = find_repair(found, facts, 2)

    assert repair is not None
    assert repair.passes
    assert len(repair.messages) == 2


def test_another_value_that_stays_makes_a_repair_fail(samples: Index, facts_of: FactsOf) -> None:
    """The budget comes back and the wrong one still stands in the state."""
    probe = Probe("budget", "?", Expected((Fact("money", "8000元", ("预算", "budget")),)), "constraint")
    facts = facts_of(samples, "sanya-trip")
    (found,) = look([probe], facts)
    repair = find_repair(found, facts, 15)

    assert repair is not None
    assert repair.messages
    assert not repair.passes
    assert "m1 " in repair.why


def test_bisection_asks_two_calls_where_looking_is_right(samples: Index, facts_of: FactsOf) -> None:
    """The call before and the call itself; and it names the compaction."""
    facts = facts_of(samples, "order-4711")
    (found,) = look([Probe("p", "?", Expected((Fact("rule", "以后请只用中文回答我"),)), "constraint")], facts)
    flip = bisect(found, facts.changes, lambda call: call < 13)

    assert (flip.call, flip.before_call, flip.compaction) == (13, 12, 1)
    assert len(flip.asked) <= 3


@pytest.mark.parametrize("wrong_from", range(1, 23))
def test_bisection_finds_every_flip(wrong_from: int, samples: Index, facts_of: FactsOf) -> None:
    """Before, at and after the loss that looking sees, in few questions."""
    facts = facts_of(samples, "order-4711")
    (found,) = look([Probe("p", "?", Expected((Fact("rule", "以后请只用中文回答我"),)), "constraint")], facts)
    due = [call for call, presence in found.presences.items() if presence.state != "not due"]
    wanted = next((call for call in due if call >= wrong_from), None)
    flip = bisect(found, facts.changes, lambda call: call < wrong_from)

    assert flip.call == wanted
    assert len(flip.asked) <= questions_at_most(len(due))


RULE_4711 = Probe("p", "?", Expected((Fact("rule", "以后请只用中文回答我"),)), "constraint")


@pytest.mark.parametrize("answered", [0, 1, 2])
def test_a_search_without_an_answer_names_no_call(answered: int, samples: Index, facts_of: FactsOf) -> None:
    """At its first call, or after some that were answered: nothing is wrong that nobody answered."""
    facts = facts_of(samples, "order-4711")
    (found,) = look([RULE_4711], facts)
    answers = iter([call == 99 for call in range(answered)])
    flip = bisect(found, facts.changes, lambda call: next(answers, None))

    assert (flip.call, flip.compaction) == (None, None)
    assert flip.unanswered is not None
    assert len(flip.asked) == answered


def test_a_search_passes_over_calls_that_cannot_be_asked(samples: Index, facts_of: FactsOf) -> None:
    """It says which stand between the last right call and the first wrong one."""
    facts = facts_of(samples, "order-4711")
    (found,) = look([RULE_4711], facts)
    askable = set(range(1, 30)) - {12, 13}
    flip = bisect(found, facts.changes, lambda call: call < 13, askable)

    assert (flip.call, flip.before_call) == (14, 11)
    assert "cannot be asked" in flip.why
    assert not {12, 13} & set(flip.asked)
    assert bisect(found, facts.changes, lambda call: True, ()).call is None


def test_a_flip_after_the_loss_is_not_called_one_before_it(samples: Index, facts_of: FactsOf) -> None:
    """A model may answer right for a while without having it."""
    facts = facts_of(samples, "order-4711")
    (found,) = look([RULE_4711], facts)

    assert bisect(found, facts.changes, lambda call: call < 15).why.startswith("after looking sees it go, at call 13")
    assert bisect(found, facts.changes, lambda call: call < 9).why.startswith("before looking sees anything missing")


def test_no_compaction_is_blamed_where_nothing_was_right_before(samples: Index, facts_of: FactsOf) -> None:
    """Wrong from the beginning is no loss."""
    facts = facts_of(samples, "order-4711")
    (found,) = look([RULE_4711], facts)
    flip = bisect(found, facts.changes, lambda call: False)

    assert (flip.before_call, flip.compaction) == (None, None)


def test_presence_and_recall_are_shares_of_what_is_due_and_asked(
    forgetful: Index, facts_of: FactsOf, server: Any
) -> None:
    """Present at two of four calls, right at two of four."""
    facts = facts_of(forgetful)
    cells = asked(forgetful, facts, [ORDER], server.url, (1, 2, 3, 4))
    looks: tuple[ProbeLook, ...] = look([ORDER], facts)

    assert key_information_presence(looks).value == 0.5
    assert key_information_recall(cells).value == 0.5
    assert key_information_recall(()).value is None


def test_a_constraint_counts_as_lost_at_its_last_call(samples: Index, facts_of: FactsOf) -> None:
    """One of two of order-4711: the number comes back, the rule does not."""
    probes = [
        Probe("a", "?", Expected((Fact("rule", "以后请只用中文回答我"),)), "constraint"),
        Probe("b", "?", Expected((Fact("id", "ORD-2024-001"),)), "constraint"),
    ]
    found = constraint_loss_rate(look(probes, facts_of(samples, "order-4711")))

    assert (found.part, found.whole) == (1, 2)


def test_compliance_looks_at_the_answers(samples: Index, facts_of: FactsOf) -> None:
    """All of order-4711 are in Chinese; one in English would break the rule, and a rule nobody can check counts not."""
    facts = facts_of(samples, "order-4711")
    looks = look([Probe("p", "?", Expected((Fact("rule", "以后请只用中文回答我"),)), "preference", due_from=1)], facts)
    vague = look([Probe("p", "?", Expected((Fact("rule", "另外有事发短信，别打电话"),)), "preference")], facts)
    due = len(looks[0].presences)
    broken = {**facts.answers, 14: "Could you please tell me the number of your order and the phone again?"}

    assert preference_compliance(looks, facts.answers).value == 1.0
    assert preference_compliance(looks, broken).part == due - 1
    assert preference_compliance(vague, facts.answers).value is None


def test_a_repeated_turn_is_information_that_was_lost(samples: Index, facts_of: FactsOf) -> None:
    """The customer of order-4711 says the number again; nobody of group-visit repeats themselves."""
    assert information_loss_rate(facts_of(samples, "order-4711").changes.contexts).part >= 1
    assert information_loss_rate(facts_of(samples, "group-visit").changes.contexts).part == 0


def test_a_deed_done_twice_is_repeated_execution(recorded: Callable[..., Index], facts_of: FactsOf) -> None:
    """After a failure it is not; nor is reading twice."""

    def made(identity: str, name: str, result: str) -> list[dict[str, Any]]:
        function = {"name": name, "arguments": '{"order": 1}'}
        call = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": identity, "type": "function", "function": function}],
        }
        return [call, {"role": "tool", "tool_call_id": identity, "content": result}]

    messages = [
        {"role": "user", "content": "Refund it."},
        *made("c1", "refund_order", '{"ok": false}'),
        *made("c2", "refund_order", '{"ok": true}'),
        *made("c3", "refund_order", '{"ok": true}'),
        *made("c4", "read_order", "{}"),
        *made("c5", "read_order", "{}"),
    ]
    found = repeated_execution_rate(facts_of(recorded([{"messages": messages}])).changes.contexts)

    assert (found.part, found.whole) == (1, 3)


def test_every_figure_says_its_formula(forgetful: Index, facts_of: FactsOf) -> None:
    """And is unknown where it is a share of nothing."""
    facts = facts_of(forgetful)
    looks = look([ORDER], facts)
    figures = measure(looks, make_cells(looks), facts.changes.contexts, facts.answers)

    assert len({one.name for one in figures}) == 7
    assert all("/" in one.formula or "mean" in one.formula for one in figures)
    assert next(one for one in figures if one.name == "interruption_recovery").value is None
