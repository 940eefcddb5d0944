"""Every request of the samples stands for its own call, also where calls of several lanes come in another order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from snapshot_sdk._fixture_values import Fixture, Origin, PlayedCall
from snapshot_sdk._playback_calls import Calls
from snapshot_sdk._playback_signs import request_signs
from snapshot_sdk._playback_values import PlaybackStop
from snapshot_sdk.adapters._exchange import Outgoing
from snapshot_sdk.reading import TraceFile, iter_records

TRACES: Final = Path(__file__).parents[2] / "sample_data" / "traces"
SESSIONS: Final = sorted(path.name for path in TRACES.iterdir() if path.is_dir() and not path.name.startswith("."))


def read(session: str) -> tuple[Fixture, dict[int, Mapping[str, Any]]]:
    """The fixture of the main lane's last call, and the requests of all calls by number."""
    snapshots: list[dict[str, Any]] = []
    bodies: dict[str, Any] = {}
    responses: dict[str, tuple[dict[str, Any], tuple[Any, ...]]] = {}
    for path in sorted((TRACES / session).glob("*.jsonl")):
        trace = TraceFile(keep_all=True)
        for record in iter_records(path):
            trace.feed(record)
            if record["type"] == "snapshot":
                snapshots.append(dict(record))
                bodies[record["id"]] = trace.request(record).body()
            elif record["type"] == "response":
                said = tuple(element.value for element in trace.messages(record))
                responses[record["snapshot"]] = (dict(record), said)
    snapshots.sort(key=lambda record: record["time"])
    played = []
    for number, record in enumerate(snapshots, 1):
        response, answer = responses.get(record["id"], ({}, ()))
        signs = request_signs(bodies[record["id"]])
        played.append(
            PlayedCall(
                call=number,
                lane=record["lane"],
                api=record["api"],
                endpoint=record["endpoint"],
                status=response.get("status"),
                answer=answer,
                stop_reason=response.get("stop_reason"),
                usage=response.get("usage"),
                model=record["model"],
                purpose=record["purpose"],
                heads=signs.heads,
                tail=signs.tail,
                tools=signs.tools,
            )
        )
    last = max(call.call for call in played if call.lane == "main")
    requests = {number: bodies[record["id"]] for number, record in enumerate(snapshots, 1) if number <= last}
    origin = Origin(session, last, None, "main", snapshots[last - 1]["id"], "", None)
    api, model = played[last - 1].api, played[last - 1].model
    return Fixture("n", "t", origin, api, model, None, None, requests[last], (), (), played=tuple(played)), requests


def played_for(fixture: Fixture, requests: dict[int, Mapping[str, Any]], order: list[int]) -> list[int]:
    """The calls whose answers requests get, sent in an order."""
    calls = Calls(fixture)
    endpoints = {call.call: call.endpoint for call in fixture.played}
    for number in order:
        data = json.dumps(requests[number]).encode()
        try:
            calls.answer(Outgoing("POST", str(endpoints[number]), data, None))
        except PlaybackStop:
            break
    assert calls.reached, calls.failure
    return [one.call.call for one in calls.captured]


@pytest.mark.parametrize("session", SESSIONS)
def test_each_request_gets_its_own_answer(session: str) -> None:
    """In the recorded order, and with all side calls before the first call of the main lane."""
    fixture, requests = read(session)
    lanes = {call.call: call.lane for call in fixture.played}
    recorded = sorted(requests)
    side_first = sorted(requests, key=lambda number: (lanes[number] == "main", number))
    assert played_for(fixture, requests, recorded) == recorded
    assert played_for(fixture, requests, side_first) == side_first


@pytest.mark.parametrize("session", SESSIONS)
def test_a_side_call_left_out_changes_nothing(session: str) -> None:
    """An agent that no longer summarises gets the answers of its main lane all the same."""
    fixture, requests = read(session)
    main = [call.call for call in fixture.played if call.lane == "main" and call.call in requests]
    assert played_for(fixture, requests, main) == main


def stubbed(value: Any) -> Any:
    """A request whose tools all answered ``{}``, as a test's stand-ins do."""
    if isinstance(value, list):
        return [stubbed(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    told = value.get("role") == "tool" or value.get("type") in ("tool_result", "function_call_output")
    return {name: "{}" if told and name in ("content", "output") else stubbed(one) for name, one in value.items()}


@pytest.mark.parametrize("session", SESSIONS)
def test_tools_that_answer_otherwise_lead_to_no_side_call(session: str) -> None:
    """An agent that no longer summarises, with tools of a test, stays in its lane."""
    fixture, requests = read(session)
    main = [call.call for call in fixture.played if call.lane == "main" and call.call in requests]
    assert played_for(fixture, {number: stubbed(requests[number]) for number in main}, main) == main


def test_an_agent_that_keeps_everything_stays_in_its_lane() -> None:
    """It begins as the calls before the compaction did, and as the summariser: that alone makes it none."""
    fixture, requests = read(next(name for name in SESSIONS if name.startswith("returns-desk")))
    main = [call for call in fixture.played if call.lane == "main" and call.call in requests]
    messages, kept = list(requests[1]["messages"]), dict[int, Mapping[str, Any]]()
    for call in main:
        kept[call.call] = {**requests[1], "messages": list(messages)}
        used = (
            [block["id"] for block in call.answer[0]["content"] if block["type"] == "tool_use"] if call.answer else []
        )
        results = [{"type": "tool_result", "tool_use_id": one, "content": "{}"} for one in used]
        messages += [*call.answer, {"role": "user", "content": results or "And then?"}]
    numbers = [call.call for call in main]
    assert played_for(fixture, kept, numbers) == numbers


def test_the_samples_have_side_calls() -> None:
    """Else the tests above would show nothing."""
    lanes = [len({call.lane for call in read(session)[0].played}) for session in SESSIONS]
    assert sum(1 for count in lanes if count > 1) >= 5
