"""A sample's bad call, exported, and played back to real agents: one that trims as the sample did, and a mended one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from inspector.fixtures.building import build_fixture
from inspector.index import open_index
from snapshot_sdk.fixtures import Fixture
from snapshot_sdk.testing import assert_check, load_fixture, play_back

httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed")

TRACES: Final = Path(__file__).parents[2] / "sample_data" / "traces"
URL: Final = "https://api.openai.com/v1/chat/completions"
RULE: Final = "以后请只用中文回答我"


@pytest.fixture(scope="module")
def exported() -> Fixture:
    """The last call of the sample whose window of messages loses the first rule of the user."""
    with open_index(TRACES) as index:
        index.refresh()
        return build_fixture(index, "order-4711", 21).fixture


def agent(fixture: Fixture, *, keep: int | None) -> Callable[[list[str]], None]:
    """An agent with tools, that sends its last messages; None: all."""
    history = [entry.message for entry in fixture.history]
    system = [message for message in history if message["role"] == "system"]
    results = {message["tool_call_id"]: message for message in history if message["role"] == "tool"}

    def run(inputs: list[str]) -> None:
        messages: list[dict[str, Any]] = []
        with httpx2.Client() as client:
            for text in inputs:
                messages.append({"role": "user", "content": text})
                while True:
                    sent = [*system, *(messages if keep is None else messages[-keep:])]
                    body = {"model": fixture.model, "messages": sent, "tools": fixture.request["tools"]}
                    answer = client.post(URL, json=body).raise_for_status().json()["choices"][0]["message"]
                    messages.append(answer)
                    if not answer.get("tool_calls"):
                        break
                    messages += [results[call["id"]] for call in answer["tool_calls"]]

    return run


def _pin(fixture: Fixture) -> str:
    return next(check.id for check in fixture.checks if check.kind == "pin" and RULE in (check.text or ""))


def test_a_mended_agent_passes(exported: Fixture) -> None:
    """It keeps all: every check of the fixture holds of the prompt that it sends."""
    mended = agent(exported, keep=None)
    for check in exported.checks:
        assert_check(check.id, exported, agent=mended)


def test_a_faulty_agent_fails(exported: Fixture) -> None:
    """It sends the last six messages: the rule is gone again, and the message says so."""
    with pytest.raises(AssertionError, match=f"“{RULE}” is gone"):
        assert_check(_pin(exported), exported, agent=agent(exported, keep=6))


def test_prompts_are_those_of_the_lane(exported: Fixture) -> None:
    """One for each recorded call, each longer than the one before, with the recorded ids of tool calls."""
    prompts = play_back(exported, agent(exported, keep=None))
    lengths = [len(prompt.messages) for prompt in prompts]
    assert len(prompts) == exported.origin.call
    assert lengths == sorted(set(lengths))
    made = {piece.id for message in prompts[-1].messages for piece in message.calls}
    assert made == {piece.id for message in prompts[-1].messages for piece in message.results}


def test_the_file_is_enough(exported: Fixture, tmp_path: Path) -> None:
    """Read back from its file it plays the same."""
    from snapshot_sdk.fixtures import dump_fixture

    (tmp_path / "order.json").write_text(dump_fixture(exported), "utf-8")
    again = load_fixture("order.json", beside=tmp_path / "test_order.py")
    assert [prompt.body for prompt in play_back(again, agent(again, keep=6))] == [
        prompt.body for prompt in play_back(exported, agent(exported, keep=6))
    ]
