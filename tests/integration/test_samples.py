"""The index of the samples tells what happened in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

import pytest

from inspector.analysis.story import add_stories
from inspector.index import Index, open_index
from inspector.model.layers import Layer
from inspector.model.views import AnswerView, SessionRow
from sample_data import TRACES
from sample_data.generate import SCENARIOS
from snapshot_sdk import read_requests

pytestmark = pytest.mark.xdist_group("samples")  # they are indexed once, not by every worker


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    """Index the samples where they stand; the index goes to the cache of the test run."""
    index = open_index(TRACES)
    index.refresh()
    yield index
    index.close()


@pytest.fixture(scope="module")
def told(index: Index) -> dict[str, SessionRow]:
    """Return the sessions with their stories."""
    return {row.session: row for row in add_stories(index, index.sessions())}


def gone(index: Index, session: str) -> dict[str, tuple[int, ...]]:
    """Return for each pin of a session the calls that lack it."""
    return {pin.excerpt: pin.gone for pin in index.pins(session)}


def answered(index: Index, session: str, call: int) -> AnswerView:
    """Return the answer of a call, which has one."""
    answer = index.call(session, call).answer
    assert answer is not None
    return answer


def test_all_are_there(index: Index, told: dict[str, SessionRow]) -> None:
    """Each scenario is a session of the origin *sample* that says on one line what went wrong; every line is read."""
    assert {row.session: (row.origin, row.incident) for row in told.values()} == {
        scenario.SESSION: ("sample", scenario.INCIDENT) for scenario in SCENARIOS
    }
    assert index.line_errors() == ()


def test_the_worst_come_first(told: dict[str, SessionRow]) -> None:
    """Sessions with an error stand before those without."""
    errors = [any(sentence.severity == "error" for sentence in row.story) for row in told.values()]

    assert errors == sorted(errors, reverse=True)


def test_the_night_shift_lost_its_order_to_a_trim(index: Index, told: dict[str, SessionRow]) -> None:
    """The worst sentence: at call 8 the pinned order is gone, a recorded trim took its message; three results stay."""
    worst = told["night-shift"].story[0]
    tokens = {
        call.number: call.composition[Layer.TOOL_RESULTS] for call in index.calls("night-shift") if call.turn == 3
    }

    assert (worst.severity, worst.kind, worst.call) == ("error", "pin_gone", 8)
    assert "“Do not roll anything back” is gone since call 8: a trim (sample_data/memory.py:" in worst.text
    assert gone(index, "night-shift")["Do not roll anything back"] == tuple(range(8, 13))
    assert tokens[7] + 1_000 > tokens[8] > 2_000
    assert "rollback_deploy" in {part.name for m in answered(index, "night-shift", 8).messages for part in m.parts}


def test_the_tea_house_lost_its_rule_in_the_second_summary(index: Index, told: dict[str, SessionRow]) -> None:
    """The worst sentence: the second summary took the first and does not quote the rule; it is back when repeated."""
    worst = told["tea-house-posts"].story[0]
    summaries = index.compactions("tea-house-posts")

    assert (worst.severity, worst.kind, worst.call) == ("error", "pin_gone", summaries[1].call)
    assert "“一个感叹号都不要用” is gone from call 14 until call 21: summary" in worst.text
    assert [one.strategy for one in summaries] == ["summary"] * 3
    assert [call.lane for call in index.calls("tea-house-posts") if call.purpose == "summary"] == ["summariser"] * 3
    assert answered(index, "tea-house-posts", 19).messages[0].text.count("！") > 5


def test_the_sanya_trip_lost_its_budget_to_an_edit(index: Index, told: dict[str, SessionRow]) -> None:
    """The worst sentence: the pinned amount is gone from call 14 to 19, the message that holds the state was edited."""
    worst = told["sanya-trip"].story[0]
    (drift,) = [
        event
        for event in index.events("sanya-trip")
        if event.kind == "state" and event.data["before"].get("budget") != event.data["after"].get("budget") == "8500元"
    ]

    assert (worst.severity, worst.kind, worst.call) == ("error", "pin_gone", 14)
    assert (
        "“8000元” is gone from call 14 until call 20: its message m1 was edited, “budget: 8000元” became" in worst.text
    )
    assert drift.data["before"]["budget"] == "8000元"
    assert drift.call == 14


def test_the_freezer_move_has_two_summaries_in_one_prompt(index: Index, told: dict[str, SessionRow]) -> None:
    """From call 15 on two messages of the layer *summary* stand in every prompt; the late one took no message."""
    layers = {
        call.number: sum(m.layer is Layer.SUMMARY for m in index.call("freezer-move", call.number).messages)
        for call in index.calls("freezer-move")
        if call.lane == "main"
    }

    worst = told["freezer-move"].story[0]

    assert (worst.severity, worst.kind, worst.call) == ("error", "summary_twice", 15)
    assert {number for number, count in layers.items() if count == 2} == set(range(15, 19))
    assert layers[14] == 1
    assert [(one.state, one.call) for one in index.compactions("freezer-move")] == [("done", 14), ("done", 15)]


def test_the_dialects_are_read_as_what_they_are(index: Index) -> None:
    """Each sample is of one dialect, and no message of it is unknown."""
    for session, api in (
        ("night-shift", "anthropic.messages"),
        ("tea-house-posts", "openai.chat"),
        ("sanya-trip", "gemini.generate_content"),
        ("freezer-move", "openai.chat"),
    ):
        calls = index.calls(session)
        messages = [row.message for call in calls for row in index.call(session, call.number).messages]
        parts = {part.kind for message in messages for part in message.parts}

        assert {call.api for call in calls} == {api}
        assert "other" not in parts


def test_the_order_number_is_gone_while_it_is_asked_for(index: Index) -> None:
    """The pinned order number is missing from call 13 to call 16; the answer of call 16 asks for it."""
    hits = index.search("ORD-2024-001", session="order-4711").sessions[0].hits
    in_prompt = {hit.call for hit in hits if hit.places}
    asked = index.call("order-4711", 16)

    assert gone(index, "order-4711")["ORD-2024-001"] == (13, 14, 15, 16)
    assert {13, 14, 15, 16} & in_prompt == set()
    assert {12, 17} <= in_prompt
    assert asked.call.turn == 8
    assert asked.answer is not None
    assert "提供一下订单号" in asked.answer.messages[0].text


def test_the_search_finds_an_answer_in_chinese(index: Index) -> None:
    """The question for the order number is found in the answer of call 16, and in the prompts after it."""
    (found,) = index.search("提供一下订单号").sessions

    assert [hit.call for hit in found.hits if hit.in_answer] == [16]
    assert min(hit.call for hit in found.hits if hit.places) == 17


def test_the_trims_are_recorded_with_their_place_in_the_code(index: Index) -> None:
    """Both cuts of the window are known as trims, each with its line, and lead to the first call after them."""
    trims = index.compactions("order-4711")

    assert [(one.strategy, one.call) for one in trims] == [("trim", 13), ("trim", 20)]
    assert all(one.caller is not None and one.caller.startswith("sample_data/memory.py:") for one in trims)


def test_the_cap_is_gone_since_the_second_summary(index: Index) -> None:
    """The pinned cap is missing from the calls of turns 14 and 15, and the last answer is long."""
    calls = index.calls("returns-desk")
    lacking = gone(index, "returns-desk")["never more than 800 words"]
    answer = index.call("returns-desk", len(calls)).answer

    assert lacking == tuple(call.number for call in calls if call.turn in (14, 15) and call.lane == "main")
    assert answer is not None
    assert len(answer.messages[0].text.split()) > 1_900


def test_the_bad_sessions_say_so_and_the_healthy_one_does_not(told: dict[str, SessionRow]) -> None:
    """The stories of the two incidents have an error about a pin; the healthy one has neither error nor warning."""
    worst = {session: {s.severity for s in row.story} for session, row in told.items()}

    assert "error" in worst["order-4711"]
    assert "error" in worst["returns-desk"]
    assert worst["lisbon-offsite"] <= {"info"}


def test_the_healthy_session_lost_nothing(index: Index, told: dict[str, SessionRow]) -> None:
    """All three pins held in every call of the main lane; the peak is below half the budget; no call failed."""
    row = told["lisbon-offsite"]

    assert set(gone(index, "lisbon-offsite").values()) == {()}
    assert (row.pins, row.pins_gone, row.failed_calls) == (3, 0, 0)
    assert row.peak.count is not None
    assert row.peak.count < 4_000
    assert [call.attempts for call in index.calls("lisbon-offsite") if call.attempts > 1] == [2]


def test_labels_decide_the_layers(index: Index) -> None:
    """State, memory, summary and retrieved passages of the healthy session have their layers and sources."""
    composed = {layer for call in index.calls("lisbon-offsite") for layer in call.composition}
    sources = {s.source for m in index.call("lisbon-offsite", 5).messages for s in m.segments}

    assert {Layer.MEMORY, Layer.STATE, Layer.SUMMARY, Layer.RETRIEVED, Layer.TOOLS} <= composed
    assert {"profile:m.kowalska", "task state", "kb:policy-4.2", "kb:policy-4.5"} <= sources


def test_the_span_labels_cut_a_system_string(index: Index) -> None:
    """The one system string of the Anthropic session is cut into instructions and profile."""
    system = next(m for m in index.call("returns-desk", 1).messages if m.member == "system")

    assert [layer for layer, _ in groupby(s.layer for s in system.segments)] == [Layer.SYSTEM, Layer.MEMORY]


def test_the_counted_figures_are_near_the_bill(index: Index) -> None:
    """OpenAI prompts are counted within 3 % of what was billed; Claude ones, an estimate, within 20 %."""
    for session, limit in (("order-4711", 0.03), ("lisbon-offsite", 0.06), ("returns-desk", 0.20)):
        for call in index.calls(session):
            assert call.counted.count is not None
            assert call.provider.count is not None
            assert abs(call.provider.count - call.counted.count) <= limit * call.provider.count + 20, call


def test_every_request_comes_back_byte_for_byte(index: Index) -> None:
    """For every call of every sample the index gives the body that the SDK reads from the file."""
    for row in index.sessions():
        (file,) = TRACES.glob(f"{row.session}-*/*.jsonl")
        stored = [request for _, request in read_requests(file)]

        assert [index.request_bytes(row.session, n + 1) for n in range(len(stored))] == [s.body_bytes() for s in stored]
        assert all(json.loads(s.body_bytes()) for s in stored)
