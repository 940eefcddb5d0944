"""Facts about ``trace``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from snapshot_sdk import Recorder

SYSTEM = {"role": "system", "content": "You are a clerk."}
RULE = "Answer in Chinese only."


def user(text: str) -> dict[str, str]:
    """A message of the user."""
    return {"role": "user", "content": text}


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    """Session ``order``: a recorded trim before call 2 loses the order number; call 2 asks for it again."""
    directory = tmp_path / "lost"
    full = [SYSTEM, user("My order number is ORD-1001."), user("When does it come?")]
    short = [SYSTEM, full[-1]]
    with Recorder(directory, session="order", window=1000) as recorder:
        with recorder.turn(1):
            recorder.snapshot({"model": "gpt-4.1", "messages": full}, api="openai.chat")
            recorder.response(messages=[{"role": "assistant", "content": "Let me look."}])
        with recorder.turn(2):
            recorder.compaction(before=full, after=short, strategy="trim", reason="2 messages")
            recorder.snapshot({"model": "gpt-4.1", "messages": short}, api="openai.chat")
            recorder.response(
                messages=[{"role": "assistant", "content": "Could you please provide your order number?"}]
            )
    return directory


def test_the_sentences_come_first(lost: Path, run: Callable[..., Result]) -> None:
    """Where it was, what took it, what the answers did."""
    result = run("trace", lost, "order", "--value", "id:ORD-1001")

    first, second, third, *_ = result.stdout.splitlines()
    assert first == "The id was in the prompt of call 1 only, unchanged."
    assert second.startswith("At call 2 a trim (")
    assert second.endswith("took its message m2 out. Nothing replaced it.")
    assert third == "The answer of call 2 asked for it again."
    assert "verdict  ■✕" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["order", "--value", ":ORD-1001"], 1),
        (["order", "--text", "When does it come?"], 0),
        (["order", "--text", "nowhere"], 1),
        (["order:1", "--value", ":ORD-1001"], 0),
        (["order", "t2", "--value", ":ORD-1001"], 1),
        (["order", "9", "--text", "x"], 3),
        (["nobody", "--text", "x"], 3),
        (["order", "--regex", "(a"], 2),
        (["order", "--value", "money:abc"], 2),
        (["order", "--value", "nonsense:abc"], 2),
        (["order", "--text", "x", "--lane", "nowhere"], 2),
        (["order"], 2),
    ],
)
def test_the_exit_code_says_whether_it_is_held(
    lost: Path, run: Callable[..., Result], arguments: list[str], code: int
) -> None:
    """1: lost, altered, broken or nowhere; with a call: that one could not read it."""
    assert run("trace", lost, *arguments).exit_code == code


def test_a_call_is_answered_for_itself(lost: Path, run: Callable[..., Result]) -> None:
    """``SESSION:N`` says what the fact was in that call."""
    assert run("trace", lost, "order:t2", "--value", ":ORD-1001").stdout.startswith("call 2: ✕ evicted\n")


def test_json_names_messages_losses_and_rows(lost: Path, run: Callable[..., Result]) -> None:
    """As the other commands do: ``m2``."""
    found = json.loads(run("trace", lost, "order", "--value", ":ORD-1001", "--json").stdout)

    assert found["fact"]["kind"] == "id"
    assert [call["state"] for call in found["calls"]] == ["kept", "evicted"]
    [loss] = found["losses"]
    assert (loss["call"], loss["carriers"], loss["compaction"], loss["remains"]) == (2, ["m2"], 1, "nothing")
    assert [row["how"] for row in found["rows"]] == ["verbatim", "gone", "asked for again"]


def test_a_json_value_is_found_by_its_path(tmp_path: Path, run: Callable[..., Result]) -> None:
    """The same value elsewhere is another fact."""
    with Recorder(tmp_path / "t", session="order") as recorder:
        messages = [user('{"order": {"id": "A1"}, "other": "B2"}')]
        recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")

    assert run("trace", tmp_path / "t", "order", "--value", "json:order.id=A1").exit_code == 0
    assert run("trace", tmp_path / "t", "order", "--value", "json:order.id=B2").exit_code == 1


def test_hostile_text_is_made_visible(tmp_path: Path, run: Callable[..., Result]) -> None:
    """A prompt cannot drive the terminal."""
    with Recorder(tmp_path / "t", session="order") as recorder:
        messages = [user("order ORD-1001 \x1b[31mred")]
        recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")

    result = run("trace", tmp_path / "t", "order", "--value", ":ORD-1001")

    assert "\x1b" not in result.stdout
    assert "\\x1b" in result.stdout


def test_a_contradiction_is_nothing_fine(tmp_path: Path, run: Callable[..., Result]) -> None:
    """The value stands there all the time, and from call 2 on another one beside it."""
    directory = tmp_path / "disputed"
    said = user("The order number is ORD-2024-001.")
    other = {"role": "system", "content": "The order number is ORD-2024-009."}
    with Recorder(directory, session="desk") as recorder:
        for turn, messages in enumerate(([said], [said, other, user("Go on.")]), start=1):
            with recorder.turn(turn):
                recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
                recorder.response(messages=[{"role": "assistant", "content": "Yes."}])
    words = ("trace", directory, "desk", "--value", "id:ORD-2024-001")
    result = run(*words, "--json")
    states = [call["state"] for call in json.loads(result.stdout)["calls"]]

    assert states == ["kept", "conflicting"]
    assert result.exit_code == 1
    assert run("trace", directory, "desk", "2", *words[3:]).exit_code == 0


def test_each_sign_belongs_to_a_call(tmp_path: Path, run: Callable[..., Result]) -> None:
    """The calls of another lane have none here."""
    with Recorder(tmp_path / "two", session="two") as recorder:
        for lane in ("main", "side", "side", "main", "main"):
            body = {"model": "m", "messages": [user("My order number is ORD-1001.")]}
            recorder.snapshot(body, api="openai.chat", lane=lane)
    result = run("trace", tmp_path / "two", "two", "--value", "id:ORD-1001")

    assert "verdict  ■■■  calls 1, 4–5" in result.stdout
