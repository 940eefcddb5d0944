"""A directory of two sessions, of which one breaks everything a gate looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.gate.case import KINDS, Case, GateReport
from inspector.gate.running import run_gate
from inspector.index import Index, open_index
from inspector.probes.suite import load_suite
from snapshot_sdk import Recorder

RULE = "Never answer in English"
SUITE = """
name = "desk"

[[probes]]
id = "order"
question = "What is the order number?"
kind = "artifact"
expected = { id = "ORD-2024-001" }

[[probes]]
id = "passport"
question = "What is the passport number?"
kind = "artifact"
expected = { id = "PA-7719" }
"""
SYSTEM = {"role": "system", "content": "You work at a desk of a warehouse."}
ASKED = {"role": "user", "content": f"My order is ORD-2024-001. {RULE}."}
CALLING = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}],
}
FOUND = {"role": "tool", "tool_call_id": "c1", "content": "It left on Monday."}
LATER = {"role": "user", "content": "Which shelf is the kettle on?"}


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """``broken`` loses its pin, its order number, a tool call and its budgets at call 2; ``healthy`` nothing."""
    directory = tmp_path / "desk"
    with Recorder(directory, session="broken", window=100_000, budget=20, budgets={"tool_results": 3}) as recorder:
        recorder.pin(RULE)
        recorder.snapshot({"model": "gpt-4.1", "messages": [SYSTEM, ASKED]}, api="openai.chat")
        recorder.snapshot({"model": "gpt-4.1", "messages": [SYSTEM, FOUND, LATER]}, api="openai.chat")
    with Recorder(directory, session="healthy", window=100_000) as recorder:
        recorder.pin(RULE)
        recorder.snapshot({"model": "gpt-4.1", "messages": [SYSTEM, ASKED, CALLING, FOUND]}, api="openai.chat")
    return directory


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A probe both sessions are about, and one that none is about."""
    file = tmp_path / "desk.toml"
    file.write_text(SUITE, "utf-8")
    return file


@pytest.fixture
def index(traces: Path) -> Iterator[Index]:
    """The index of the directory."""
    with open_index(traces) as opened:
        opened.refresh()
        yield opened


@pytest.fixture
def report(index: Index, suite: Path) -> GateReport:
    """The report on the directory, every kind closing the gate."""
    return run_gate(index, "desk", [load_suite(suite)], KINDS)


@pytest.fixture
def case(report: GateReport) -> Callable[[str, str], Case]:
    """Give the case of a session by its name, or the part of it that tells it from the others."""

    def find(session: str, name: str) -> Case:
        (found,) = [case for case in report.cases if case.session == session and name in case.name]
        return found

    return find
