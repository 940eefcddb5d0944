"""Facts about mini-swe-agent's trajectories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.agents.mini_swe_agent import MiniSweAgent
from inspector.importers.base import ImportedCall, Problem
from inspector.importers.reading.documents import Document

RESPONSE = {"created": 1_700_000_000, "choices": [], "usage": {"prompt_tokens": 9}}
RUN: dict[str, Any] = {
    "trajectory_format": "mini-swe-agent-1.1",
    "instance_id": "repo-1",
    "info": {"config": {"model": {"model_name": "m", "model_kwargs": {"temperature": 0.0, "drop_params": True}}}},
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}], "extra": {"response": RESPONSE}},
        {"role": "tool", "tool_call_id": "1", "content": "out", "extra": {"timestamp": 1_700_000_003.5}},
        {"role": "assistant", "content": "b", "extra": {"response": RESPONSE, "timestamp": 1_700_000_005.0}},
        {"role": "exit", "content": "diff"},
    ],
}


def calls_of(path: Path) -> list[ImportedCall]:
    """Give the calls of a file."""
    problems: list[Problem] = []
    [session] = MiniSweAgent().read([Document(path)], problems.append)
    assert problems == []
    return [record for record in session.calls() if isinstance(record, ImportedCall)]


def test_every_answer_is_a_call_with_what_was_before(write_json: Callable[..., Path]) -> None:
    """A prompt is all messages before its answer, without the agent's own members, with what steers the model."""
    first, second = calls_of(write_json("a.traj.json", RUN))

    assert first.request == {"model": "m", "messages": RUN["messages"][:2], "temperature": 0.0}
    assert isinstance(second.request, dict)
    assert second.request["messages"][2:] == [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "out"},
    ]
    assert (first.exact, first.missing) == ("rebuilt", ("tools",))


def test_times_and_usage_are_the_logs(write_json: Callable[..., Path]) -> None:
    """A request goes out when the last output was there; the answer is the provider's."""
    _, second = calls_of(write_json("a.traj.json", RUN))

    assert second.answer is not None
    assert (second.answer.duration_ms, second.answer.body) == (1500.0, RESPONSE)


def test_run_without_tools_is_whole(write_json: Callable[..., Path]) -> None:
    """Where commands are written in text there are no tools: the log carries the whole body."""
    messages = [{"role": "user", "content": "u"}, {"role": "assistant", "content": "```ls```"}]
    [call] = calls_of(write_json("a.traj.json", {**RUN, "messages": messages}))

    assert (call.exact, call.missing) == ("imported", ())


@pytest.mark.parametrize("sample", [None, [], {"messages": []}, {"trajectory_format": "other", "messages": []}])
def test_other_values_are_not_recognised(sample: Any) -> None:
    """The format's name or the version is needed."""
    assert not MiniSweAgent().recognises(sample)


@pytest.mark.realdata
def test_real_trajectory(realdata: Path) -> None:
    """53 nested prompts, each with the provider's own count: 1,615 tokens first, 25,916 at the end, never fewer."""
    [path] = (realdata / "mini-swe-agent").glob("*.json")
    calls = calls_of(path)
    counts = [call.answer.body["usage"]["prompt_tokens"] for call in calls if call.answer and call.answer.body]
    lengths = [len(call.request["messages"]) for call in calls if isinstance(call.request, dict)]

    assert (len(calls), counts[0], counts[-1]) == (53, 1615, 25_916)
    assert counts == sorted(counts)
    assert lengths == list(range(2, 108, 2))
