"""Facts about the ledger that ``compactions`` writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from snapshot_sdk import Recorder

SYSTEM = {"role": "system", "content": "You are a clerk."}
BEFORE = [
    SYSTEM,
    {"role": "user", "content": "Never call me before 9:00. My budget is 8,000 EUR. Order ORD-2024-001."},
    {"role": "assistant", "content": "Noted."},
    {"role": "user", "content": "When does it come?"},
]
AFTER = [
    SYSTEM,
    {"role": "user", "content": "[Summary of the conversation] ORD-2024-001. My budget is 8,500 EUR. Ticket TK-99123."},
    BEFORE[-1],
]


@pytest.fixture
def shortened(tmp_path: Path) -> Path:
    """A recorded summary that loses a rule, alters the budget, keeps the order and invents a ticket."""
    directory = tmp_path / "shortened"
    with Recorder(directory, session="order") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": BEFORE}, api="openai.chat")
        recorder.compaction(before=BEFORE, after=AFTER, strategy="summary")
        recorder.snapshot({"model": "gpt-4.1", "messages": AFTER}, api="openai.chat")
    return directory


def test_json_has_the_whole_ledger(shortened: Path, run_json: Callable[..., Any]) -> None:
    """Each entry with its message, what stands instead and why it is listed."""
    [found] = run_json("compactions", shortened, "order")
    entries = {entry["text"]: entry for entry in found["ledger"]["entries"]}

    assert entries["Never call me before 9:00."]["state"] == "dropped"
    assert entries["8,000 EUR"]["instead"]["text"] == "8,500 EUR"
    assert entries["8,000 EUR"]["instead"]["message"] == "m5"
    assert (entries["ORD-2024-001"]["message"], entries["ORD-2024-001"]["stands"]) == ("m2", ["m5"])
    assert (entries["TK-99123"]["state"], entries["TK-99123"]["message"]) == ("invented", "m5")


def test_lines_name_what_matters_most(shortened: Path, run: Callable[..., Result]) -> None:
    """Lost, altered, invented; what was kept is counted."""
    lines = run("compactions", shortened, "order").stdout.splitlines()

    assert lines[2].startswith("compaction 1: ")
    assert lines[3] == "  ✕ rule “Never call me before 9:00.” (m2; it says “Never”)"
    assert any(line.startswith("  ≠ amount “8,000 EUR” (m2; ") and "m5 says “8,500 EUR”" in line for line in lines)
    assert "  ? id “TK-99123” (m5; no message has it)" in lines


def test_prompt_text_cannot_steer_the_terminal(tmp_path: Path, run: Callable[..., Result]) -> None:
    """A rule with an escape in it is written out."""
    directory = tmp_path / "hostile"
    evil = {"role": "user", "content": "Never call me \x1b[2J again."}
    with Recorder(directory, session="s") as recorder:
        recorder.snapshot({"model": "m", "messages": [SYSTEM, evil, BEFORE[-1]]}, api="openai.chat")
        recorder.compaction(before=[SYSTEM, evil], after=[SYSTEM], strategy="trim")
        recorder.snapshot({"model": "m", "messages": [SYSTEM, BEFORE[-1]]}, api="openai.chat")

    assert "\x1b" not in run("compactions", directory, "s").stdout
