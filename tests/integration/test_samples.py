"""The index of the samples tells what happened in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

import pytest

from inspector.analysis.story import add_stories
from inspector.index import Index, open_index
from inspector.model.layers import Layer
from inspector.model.views import SessionRow
from sample_data import TRACES
from snapshot_sdk import read_requests


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


def test_all_three_are_there(told: dict[str, SessionRow]) -> None:
    """The three samples are sessions of the origin *sample*, with no unreadable line."""
    assert {row.session: row.origin for row in told.values()} == dict.fromkeys(
        ("order-4711", "returns-desk", "lisbon-offsite"), "sample"
    )


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
    assert [row.session for row in told.values()][-1] == "lisbon-offsite"


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
        assert all(json.loads(s.body_bytes())["model"] for s in stored)
