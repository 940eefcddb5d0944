"""Facts about ``compactions``, ``lifelines`` and ``pins``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from snapshot_sdk import Recorder

SYSTEM = {"role": "system", "content": "You are a clerk."}


def user(text: str) -> dict[str, str]:
    """A message of the user."""
    return {"role": "user", "content": text}


FIRST = [SYSTEM, user("Answer in Chinese only."), user("Order ORD-1."), user("When does it come?")]
SUMMARY = [SYSTEM, user("[Summary of the conversation] Order ORD-1 is asked for."), FIRST[-1]]


@pytest.fixture
def summarised(tmp_path: Path) -> Path:
    """Session ``order``: a recorded summary before call 2 loses the pinned rule; ``quiet`` has no pin."""
    directory = tmp_path / "summarised"
    with Recorder(directory, session="order", window=1000) as recorder:
        recorder.pin("Answer in Chinese only", reason="user constraint")
        recorder.snapshot({"model": "gpt-4.1", "messages": FIRST}, api="openai.chat")
        recorder.compaction(before=FIRST, after=SUMMARY, strategy="summary", reason="history > 70 %")
        recorder.snapshot({"model": "gpt-4.1", "messages": SUMMARY}, api="openai.chat")
    with Recorder(directory, session="quiet") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": [SYSTEM, user("never before 9:00")]}, api="openai.chat")
    return directory


def watch(directory: Path, text: str) -> None:
    """Set a watch by hand."""
    (directory / "inspector.toml").write_text(f'[[watches]]\ntext = "{text}"\nsession = "quiet"\n', "utf-8")


def test_a_compaction_has_every_figure(summarised: Path, run_json: Callable[..., Any]) -> None:
    """Who says so, what it took, by whom it was replaced."""
    [found] = run_json("compactions", summarised, "order")

    assert (found["number"], found["call"], found["before_call"]) == (1, 2, 1)
    assert (found["said_by"], found["certainty"], found["strategy"]) == ("recorded", "certain", "summary")
    assert found["taken"] == [2, 3]
    assert found["summary"] == 5
    assert found["reason"] == "history > 70 %"
    assert found["fates"] == {"kept": 2, "summarised": 2, "added": 1}
    assert found["layers_before"]["system"] == found["layers_after"]["system"]


def test_compactions_are_a_table(summarised: Path, run: Callable[..., Result]) -> None:
    """One line each; below it what they lost."""
    lines = run("compactions", summarised, "order").stdout.splitlines()

    assert lines[1].split("\t")[:6] == ["1", "2", "1", "summary", "done", "agent"]
    assert lines[2] == "compaction 1: 1 lost, 0 altered, 0 invented, 1 kept"


def test_a_life_has_runs_and_events(summarised: Path, run_json: Callable[..., Any]) -> None:
    """From its first call to what took it."""
    lives = run_json("lifelines", summarised, "order")
    rule = lives[1]

    assert [life["number"] for life in lives] == ["m1", "m2", "m3", "m4", "m5"]
    assert (rule["runs"], rule["gone_since"]) == ([[1, 1]], 2)
    assert [(event["call"], event["fate"], event["other"]) for event in rule["events"]] == [
        (1, "added", None),
        (2, "summarised", "m5"),
    ]
    assert rule["events"][1]["said_by"] == "recorded"
    assert lives[0]["gone_since"] is None


def test_lifelines_are_a_table(summarised: Path, run: Callable[..., Result]) -> None:
    """With what happened last in words."""
    rows = [line.split("\t") for line in run("lifelines", summarised, "order").stdout.splitlines()]

    assert rows[2][0] == "m2"
    assert rows[2][4:6] == ["1", "taken by m5 at 2"]


def test_a_broken_pin_is_code_one(summarised: Path, run: Callable[..., Result]) -> None:
    """So that a script can ask."""
    result = run("pins", summarised)
    [row] = [line.split("\t") for line in result.stdout.splitlines()[1:]]

    assert result.exit_code == 1
    assert row[:5] == ["gone at 2", "order", "pinned", "1", "2"]
    assert "m2 summarised into m5 by compaction 1" in row[5]


def test_pins_that_hold_are_code_zero(summarised: Path, run: Callable[..., Result]) -> None:
    """A watch is checked as a pin is, in its session only."""
    watch(summarised, "never before 9:00")
    result = run("pins", summarised, "quiet")

    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].split("\t")[:4] == ["verbatim", "quiet", "watched", "1"]


def test_no_pin_is_no_trouble(summarised: Path, run: Callable[..., Result]) -> None:
    """And is said."""
    result = run("pins", summarised, "quiet")

    assert (result.exit_code, result.stdout) == (0, "no pins, no watches\n")


def test_pins_json_has_a_verdict_a_call(summarised: Path, run: Callable[..., Result]) -> None:
    """With cause and carriers; the exit code is the same."""
    result = run("pins", summarised, "order", "--json")
    [pin] = json.loads(result.stdout)

    assert result.exit_code == 1
    assert pin["verdicts"] == {"1": "verbatim", "2": "gone"}
    assert (pin["session"], pin["watched"], pin["first_broken_call"], pin["broken"]) == ("order", False, 2, [2])
    assert (pin["carriers"], pin["cause_message"], pin["cause"]["fate"]) == (["m2"], "m2", "summarised")


def test_watches_count_in_the_list_of_sessions(summarised: Path, run_json: Callable[..., Any]) -> None:
    """As pins do."""
    before = {row["session"]: (row["pins"], row["pins_gone"]) for row in run_json("sessions", summarised)}
    watch(summarised, "never before 9:00")
    after = {row["session"]: (row["pins"], row["pins_gone"]) for row in run_json("sessions", summarised)}

    assert before == {"order": (1, 1), "quiet": (0, 0)}
    assert after == {"order": (1, 1), "quiet": (1, 0)}


def test_the_story_has_its_evidence(summarised: Path, run_json: Callable[..., Any]) -> None:
    """The message that was lost, the compaction that took it, and the page that shows it."""
    [row] = [row for row in run_json("sessions", summarised) if row["session"] == "order"]
    lost = row["story"][0]

    assert (lost["kind"], lost["call"], lost["message"], lost["compaction"]) == ("pin_gone", 2, 2, 1)
    assert lost["page"] == "compare"


def test_show_numbers_messages_by_their_lives(summarised: Path, run_json: Callable[..., Any]) -> None:
    """The same number in every command."""
    messages = run_json("show", summarised, "order", "2")["messages"]

    assert [(message["number"], message["born_call"]) for message in messages] == [("m1", 1), ("m5", 2), ("m4", 1)]


@pytest.mark.parametrize("command", ["compactions", "lifelines", "pins"])
def test_no_such_session(summarised: Path, run: Callable[..., Result], command: str) -> None:
    """Code 3, with the names that are close."""
    result = run(command, summarised, "ordr")

    assert result.exit_code == 3
    assert "there is no session 'ordr'" in result.stderr


def test_compaction_without_a_call_after_it_shows_what_was_recorded(tmp_path: Path, run: Callable[..., Result]) -> None:
    """Where no call follows, its sizes are those that the agent recorded, and what it took is not known."""
    with Recorder(tmp_path / "last", session="order") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": FIRST}, api="openai.chat")
        recorder.compaction(before=FIRST, after=SUMMARY, strategy="summary", tokens_before=1_900, tokens_after=40)
    row = run("compactions", tmp_path / "last", "order").stdout.splitlines()[1].split("\t")

    assert row[6:9] == ["", "1,900 recorded", "40 recorded"]
