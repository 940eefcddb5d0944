"""Facts about ``diff``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from snapshot_sdk import Recorder

SYSTEM = {"role": "system", "content": "You are a clerk."}
RULE = {"role": "user", "content": "Answer in Chinese only. \x1b[2J"}
STATE = "<state> slot: choosing one on Saturday morning, by SMS, as agreed </state>"
LATER = STATE.replace("Saturday", "Sunday")


def user(text: str) -> dict[str, str]:
    """A message of the user."""
    return {"role": "user", "content": text}


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """Session ``order``: at call 2 the rule is gone, the state is edited, a question is new; and one like it."""
    directory = tmp_path / "changed"
    first = [SYSTEM, RULE, user(STATE), user("When does it come?")]
    second = [SYSTEM, user(LATER), user("When does it come?"), user("And the invoice?")]
    with Recorder(directory, session="order") as recorder:
        for number, messages in enumerate((first, second), 1):
            with recorder.turn(number):
                recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
        recorder.compaction(before=second, after=[SYSTEM, second[-1]], strategy="trim", reason="history > 70 %")
        with recorder.turn(3):
            recorder.snapshot({"model": "gpt-4.1", "messages": [SYSTEM, second[-1]]}, api="openai.chat")
    with Recorder(directory, session="a:b") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": [SYSTEM, RULE]}, api="openai.chat")
    return directory


def fates(found: dict[str, Any]) -> list[tuple[str, str | None, str | None]]:
    """Fate and the numbers on both sides."""
    return [
        (block["fate"], *(block[side] and block[side]["number"] for side in ("before", "after")))
        for block in found["blocks"]
    ]


def test_each_block_has_a_row(changed: Path, run_json: Callable[..., Any]) -> None:
    """In reading order, what is gone where it stood."""
    found = run_json("diff", changed, "order:1", "order:2")

    assert fates(found) == [
        ("kept", "m1", "m1"),
        ("evicted", "m2", None),
        ("edited", "m3", "m3"),
        ("kept", "m4", "m4"),
        ("added", None, "m5"),
    ]
    assert found["counts"]["kept"] == 2
    assert found["before"] | {"tokens": None} == {
        "session": "order", "call": 1, "turn_label": "t1", "lane": "main", "messages": 4, "tokens": None,
    }  # fmt: skip


def test_a_row_says_what_it_knows(changed: Path, run_json: Callable[..., Any]) -> None:
    """Tokens on both sides, certainty, evidence, and which compaction did it."""
    found = run_json("diff", changed, "order:t2", "order:3")
    [row] = [block for block in found["blocks"] if block["before"]["number"] == "m3"]

    assert row["fate"] == "evicted"
    assert row["before"]["place"] == 2
    assert (found["compaction"]["said_by"], found["compaction"]["reason"]) == ("recorded", "history > 70 %")
    assert (row["certainty"], row["cause"]) == ("certain", found["compaction"]["number"])
    assert row["tokens"]["before"] > 0
    assert row["tokens"]["after"] is None
    assert row["evidence"]


def test_text_gives_the_words(changed: Path, run_json: Callable[..., Any]) -> None:
    """Only of what was rewritten; together they are the texts."""
    rows = run_json("diff", changed, "order:1", "order:2", "--text")["blocks"]
    [edited] = [row for row in rows if "words" in row]

    assert [run["text"] for run in edited["words"] if run["change"] != "same"] == ["Saturday", "Sunday"]
    assert "".join(run["text"] for run in edited["words"] if run["change"] != "added") == STATE
    assert edited["text"] == {"before": STATE, "after": LATER}


def test_any_two_calls_of_any_sessions(changed: Path, run_json: Callable[..., Any]) -> None:
    """By content; a name with a colon is one."""
    found = run_json("diff", changed, "order:1", "a:b:1")

    assert fates(found)[:2] == [("kept", "m1", "m1"), ("kept", "m2", "m2")]
    assert found["counts"]["evicted"] == 2


def test_a_call_alone_is_of_the_same_session(changed: Path, run_json: Callable[..., Any]) -> None:
    """``order:1 2`` is ``order:1 order:2``."""
    assert run_json("diff", changed, "order:1", "2") == run_json("diff", changed, "order:1", "order:2")


def test_for_people_only_what_changed_is_listed(changed: Path, run: Callable[..., Result]) -> None:
    """Without a terminal words stand for symbols, and nothing can drive it."""
    result = run("diff", changed, "order:1", "order:2")
    lines = result.stdout.splitlines()

    assert result.exit_code == 0
    assert lines[2] == "2 kept · 1 edited · 1 evicted · 1 added"
    assert [line.split("\t")[0] for line in lines if "\t" in line] == ["fate", "evicted", "edited", "added"]
    assert "\x1b" not in result.output


def test_all_lists_the_rest_too(changed: Path, run: Callable[..., Result]) -> None:
    """With ``--all``."""
    assert run("diff", changed, "order:1", "order:2", "--all").stdout.count("\nkept\t") == 2


def test_words_are_marked_without_colours(changed: Path, run: Callable[..., Result]) -> None:
    """As ``wdiff`` marks them."""
    assert "one on [-Saturday-]{+Sunday+} morning" in run("diff", changed, "order:1", "2", "--text").stdout


def test_the_same_call_twice_has_no_difference(changed: Path, run: Callable[..., Result]) -> None:
    """Everything is kept."""
    assert run("diff", changed, "order:1", "order:1").stdout.splitlines()[-1] == "4 kept"


@pytest.mark.parametrize(
    ("first", "second", "code", "said"),
    [
        ("order", "order:1", 2, "write SESSION:CALL"),
        ("order:1", "order:9", 3, "session 'order' has no call 9; its calls are numbered 1 to 3"),
        ("order:t8", "order:1", 3, "session 'order' has no turn t8; its turns are t1 to t3"),
        ("order:last", "order:1", 2, "'last' is no call of session 'order'"),
        ("ordr:1", "order:1", 3, "there is no session 'ordr'"),
    ],
)
def test_what_is_not_there_is_said(
    changed: Path, run: Callable[..., Result], first: str, second: str, code: int, said: str
) -> None:
    """With what there is."""
    result = run("diff", changed, first, second)

    assert result.exit_code == code
    assert said in " ".join(result.stderr.split())
