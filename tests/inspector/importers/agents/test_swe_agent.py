"""Facts about SWE-agent trajectories."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.agents.swe_agent import SweAgent
from inspector.importers.base import ImportedCall, ImportedSession, Problem
from inspector.importers.reading.documents import Document


def observation(text: str, call: str) -> dict[str, Any]:
    """An observation as the history has it."""
    return {"role": "tool", "content": text, "agent": "main", "message_type": "observation", "tool_call_ids": [call]}


def action(text: str, call: str) -> dict[str, Any]:
    """An answer as the history has it."""
    function = {"id": call, "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    return {
        "role": "assistant", "content": text, "thought": text, "action": "ls", "agent": "main",
        "tool_calls": [function], "thinking_blocks": None, "message_type": "action",
    }  # fmt: skip


START = [{"role": "system", "content": "Fix it.", "agent": "main"}, {"role": "user", "content": "Bug", "agent": "main"}]
FIRST = [*START, action("look", "c1"), observation("files", "c1")]
SECOND = [*START, action("look", "c1"), observation("Old environment output: (1 lines omitted)", "c1"),
          action("edit", "c2"), observation("done", "c2")]  # fmt: skip
BEFORE_1_1 = {
    "environment": "main",
    "trajectory": [
        {"response": "look", "action": "ls", "messages": FIRST},
        {"response": "edit", "action": "ed", "messages": SECOND},
    ],
    "history": [],
    "info": {"exit_status": "submitted", "model_stats": {"api_calls": 2}, "submission": "diff"},
    "replay_config": {"agent": {"model": {"name": "gpt-4o"}}},
}


def read(path: Path) -> tuple[list[ImportedSession], list[Problem]]:
    """Read a file as the format does."""
    problems: list[Problem] = []
    return list(SweAgent().read([Document(path)], problems.append)), problems


def calls_of(path: Path) -> list[ImportedCall]:
    """Give the calls of the only session in a file."""
    [session], _ = read(path)
    return list(session.calls())


def test_every_step_with_a_prompt_is_a_call(write_json: Callable[..., Path]) -> None:
    """Each step's messages are one request, with what the history processor left of them."""
    calls = calls_of(write_json("a.traj", BEFORE_1_1))

    assert [len(call.request["messages"]) for call in calls if isinstance(call.request, dict)] == [4, 6]
    assert isinstance(calls[1].request, dict)
    assert calls[1].request["messages"][3]["content"].startswith("Old environment output")


def test_messages_are_reduced_to_what_is_sent(write_json: Callable[..., Path]) -> None:
    """SWE-agent's own members are left out; the id of the answered call is put as it puts it."""
    request = calls_of(write_json("a.traj", BEFORE_1_1))[0].request

    assert isinstance(request, dict)
    assert request["model"] == "gpt-4o"
    assert request["messages"][1] == {"role": "user", "content": "Bug"}
    assert request["messages"][2] == {
        "role": "assistant",
        "content": "look",
        "tool_calls": action("", "c1")["tool_calls"],
    }
    assert request["messages"][3] == {"role": "tool", "content": "files", "tool_call_id": "c1"}


def test_content_null_is_sent(write_json: Callable[..., Path]) -> None:
    """A message whose content is null keeps it."""
    start = [{"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}]
    request = calls_of(write_json("a.traj", {"trajectory": [{"response": "", "query": start}]}))[0].request

    assert isinstance(request, dict)
    assert request["messages"][1] == {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}


def test_messages_stored_after_a_step_are_answered_by_the_next(write_json: Callable[..., Path]) -> None:
    """``messages`` of a step is the next step's prompt: so is the answer, and the last prompt has none."""
    calls = calls_of(write_json("a.traj", BEFORE_1_1))

    assert calls[0].answer is not None
    assert calls[0].answer.messages[0]["content"] == "edit"
    assert calls[0].answer.messages[0]["tool_calls"][0]["id"] == "c2"
    assert calls[1].answer is None


def test_query_of_a_step_is_answered_by_it(write_json: Callable[..., Path]) -> None:
    """``query`` (since 1.1.0) is the prompt of its own step."""
    steps = [{"response": "look", "query": START}, {"response": "edit", "query": FIRST}]
    calls = calls_of(write_json("a.traj", {"trajectory": steps}))

    assert [call.answer and call.answer.messages[0]["content"] for call in calls] == ["look", "edit"]


def test_what_a_trajectory_lacks_is_named(write_json: Callable[..., Path]) -> None:
    """Tools and parameters are never there; the model is, unless it was a replay."""
    replay = {**BEFORE_1_1, "replay_config": {"agent": {"model": {"name": "replay"}}}}

    assert {call.missing for call in calls_of(write_json("a.traj", BEFORE_1_1))} == {("tools", "parameters")}
    assert {call.missing for call in calls_of(write_json("b.traj", replay))} == {("tools", "parameters", "model")}
    assert {call.exact for call in calls_of(write_json("a.traj", BEFORE_1_1))} == {"rebuilt"}


def test_steps_without_a_prompt_are_counted(write_json: Callable[..., Path]) -> None:
    """A step that carries no prompt costs that step and is said."""
    steps = [{"response": "look", "query": START}, {"response": "edit"}, "odd"]
    [session], problems = read(write_json("run.traj.json", {"trajectory": steps}))

    assert session.session == "run"
    assert len(list(session.calls())) == 1
    assert [problem.reason for problem in problems] == ["2 step(s) carry no prompt, the first is step 2"]


@pytest.mark.parametrize(
    "sample",
    [None, [], {}, {"trajectory": {}}, {"trajectory": []}, {"trajectory": [{"action": "ls"}]}, {"messages": START}],
)
def test_trajectories_without_prompts_are_not_recognised(sample: Any) -> None:
    """Without a prompt in any step there is nothing to import."""
    assert not SweAgent().recognises(sample)


@pytest.mark.realdata
def test_real_trajectory(realdata: Path) -> None:
    """The demonstration has 13 prompts of 4, 6, … 28 messages, and each but the last its answer."""
    [path] = (realdata / "swe-agent" / "function_calling_replace").glob("*.traj")
    calls = calls_of(path)

    assert [len(call.request["messages"]) for call in calls if isinstance(call.request, dict)] == [*range(4, 29, 2)]
    for call, following in itertools.pairwise(calls):
        assert isinstance(following.request, dict)
        assert call.answer is not None
        sent_back = following.request["messages"][len(call.request["messages"])]  # type: ignore[index]
        assert call.answer.messages[0] == sent_back
    assert calls[-1].answer is None


@pytest.mark.realdata
def test_real_trajectory_loses_one_output_a_step(realdata: Path) -> None:
    """From the fifth observation on, exactly one earlier message is replaced by its omission, step by step."""
    [path] = (realdata / "swe-agent" / "function_calling_replace").glob("*.traj")
    prompts = [call.request["messages"] for call in calls_of(path) if isinstance(call.request, dict)]
    changed = [
        [after["content"][:22] for before, after in zip(earlier, later, strict=False) if before != after]
        for earlier, later in itertools.pairwise(prompts)
    ]

    assert all(len(change) <= 1 for change in changed)
    assert sum(change == ["Old environment output"] for change in changed) >= 7
