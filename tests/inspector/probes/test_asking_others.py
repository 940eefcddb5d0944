"""Facts about the sample incidents in Bedrock's and Cohere's dialects: the same verdicts at the same calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from inspector.index import Index
from inspector.model.dialects import read_request
from inspector.probes.asking import Cell, group_records, make_cells, make_questions
from inspector.probes.look import SessionFacts, look
from inspector.probes.probe import Expected, Probe
from inspector.probes.replay_client import ReplayClient
from inspector.probes.replay_convert import to_openai_chat
from inspector.probes.replay_convert_to import from_openai_chat
from inspector.probes.replay_place import fit_place
from inspector.probes.replay_target import Address, Target
from inspector.probes.results import AnswerStore, Arm
from inspector.probes.runner import run
from inspector.probes.stored_call import stored_call
from snapshot_sdk import Recorder
from snapshot_sdk.facts import Fact

FactsOf = Callable[..., SessionFacts]
RULE = "What is missing? “And one hard rule for everything you write for me: never more than ____ words.”"
CAP = (Fact("rule", "never more than 800 words"),)
WAYS = {
    "bedrock.converse": "/model/amazon.nova-pro-v1%3A0/converse-stream",
    "anthropic.messages": "/model/anthropic.claude-sonnet-4-v1%3A0/invoke-with-response-stream",
    "cohere.chat": "/v2/chat",
}
"""Where the agent's calls of each dialect went."""


class Incident(NamedTuple):
    """A sample session, what is asked of it, and the last call that knows and one that does not."""

    session: str
    probe: Probe
    calls: tuple[int, int]


INCIDENTS = (
    Incident(
        "order-4711",
        Probe("p", "下单人王敏的订单号是多少？", Expected((Fact("id", "ORD-2024-001"),)), "artifact"),
        (6, 14),
    ),
    Incident("returns-desk", Probe("p", RULE, Expected((Fact("number", "800"),)), "constraint", CAP), (5, 33)),
    Incident(
        "sanya-trip",
        Probe("p", "总预算是多少元？", Expected((Fact("money", "8000元", ("预算", "budget")),)), "constraint"),
        (9, 15),
    ),
)


@pytest.fixture
def rewritten(tmp_path: Path, samples: Index, opened: Callable[[Path], Index], server: Any) -> Callable[..., Index]:
    """Records a sample session anew, as an agent of another provider would have sent it, and opens its index."""

    def make(session: str, api: str) -> Index:
        directory = tmp_path / api
        url = server.url + WAYS[api]
        with Recorder(directory, session=session) as recorder:
            for call in samples.calls(session):
                body = json.loads(samples.request_bytes(session, call.number))
                chat = to_openai_chat(read_request(body, call.api)).body
                written = from_openai_chat(api, {**chat, "model": "command-a-03-2025"}).body
                sent = fit_place(written, Address(url, api, own=True), None).body
                with recorder.turn(call.number if call.turn is None else call.turn):
                    recorder.snapshot(sent, api=api, endpoint=url, lane=call.lane, purpose=call.purpose)
                    recorder.response(body={"choices": [{"message": {"role": "assistant", "content": "ok"}}]})
        return opened(directory)

    return make


def asked(
    index: Index, facts: SessionFacts, incident: Incident, tmp_path: Path, arms: tuple[Arm, ...] = ("as sent",)
) -> Iterator[tuple[Cell, str]]:
    """Put an incident's probe to its two calls, at the calls' own server."""
    looks = look([incident.probe], facts, incident.calls)
    calls = {number: stored_call(index, incident.session, number) for number in incident.calls}
    asking = make_questions(looks, calls, facts, Target(), arms=arms, replicates=1)
    with ReplayClient("sk-very-secret", first_wait=0.01) as client:
        summary = run(asking.questions, client, AnswerStore(tmp_path / "a.answers.jsonl"), lambda _: None)
    assert [one.why for one in asking.not_asked if one.arm == "as sent"] == []
    by_call = {one.call: one for one in summary.records if one.arm == "as sent"}
    for cell in make_cells(looks, group_records(asking.questions, summary.records), asking.not_asked):
        yield cell, by_call[cell.call].endpoint


@pytest.mark.parametrize("api", list(WAYS))
@pytest.mark.parametrize("incident", INCIDENTS, ids=[one.session for one in INCIDENTS])
def test_an_incident_has_its_verdict_in_every_dialect(
    incident: Incident, api: str, rewritten: Callable[..., Index], facts_of: FactsOf, tmp_path: Path
) -> None:
    """The stored request itself, at its own server, which refuses what the provider's would refuse."""
    index = rewritten(incident.session, api)
    (before, url), (after, _) = asked(index, facts_of(index, incident.session), incident, tmp_path)

    assert (before.verdict, before.failed) == ("known", False), before
    assert after.failed, after
    assert after.asked is not None
    assert after.asked.failures == ()
    assert "stream" not in url


@pytest.mark.parametrize("api", ["bedrock.converse", "cohere.chat"])
def test_controls_and_repair_are_asked_in_every_dialect(
    api: str, rewritten: Callable[..., Index], facts_of: FactsOf, tmp_path: Path
) -> None:
    """Taken out the fact is not guessed; put last, or put back, it is known."""
    incident = INCIDENTS[0]
    index = rewritten(incident.session, api)
    arms: tuple[Arm, ...] = ("as sent", "without the fact", "fact last", "repair")
    (before, _), (after, _) = asked(index, facts_of(index, incident.session), incident, tmp_path, arms)

    assert {one.arm: one.right for one in before.controls} == {"without the fact": 0, "fact last": 1}
    assert {one.arm: one.right for one in after.controls}["repair"] == 1


def test_the_key_is_in_no_record(rewritten: Callable[..., Index], facts_of: FactsOf, tmp_path: Path) -> None:
    """Nor in a body that is sent."""
    incident = INCIDENTS[0]
    index = rewritten(incident.session, "bedrock.converse")
    list(asked(index, facts_of(index, incident.session), incident, tmp_path))

    assert "sk-very-secret" not in (tmp_path / "a.answers.jsonl").read_text()
