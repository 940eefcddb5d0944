"""The check of cut messages: every way to cut is found, and nothing else is called a cut."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import pytest

from snapshot_sdk._fixture_checks_cuts import judge_cuts
from snapshot_sdk._fixture_checks_words import Verdict
from snapshot_sdk._fixture_prompt import prompt_of

RESULT = json.dumps({"stops": [{"name": f"stop {n}", "price": n * 17, "note": "by the lake"} for n in range(12)]})
LONG = "First we drive to the lake, then we walk around it, and in the evening we eat at the inn. " * 4


def judge(said: list[dict[str, Any]], sent: list[dict[str, Any]]) -> Verdict:
    """The verdict on what is sent, given what was said."""
    told = prompt_of(said).messages
    return judge_cuts(prompt_of(sent), told, [f"t1 · call {n}" for n in range(1, len(told) + 1)])


def user(text: str) -> dict[str, Any]:
    """A user's message."""
    return {"role": "user", "content": text}


def result(text: str, call: str = "c1") -> dict[str, Any]:
    """A tool's result."""
    return {"role": "tool", "tool_call_id": call, "content": text}


CUTS = {
    "head": LONG[:200],
    "tail": LONG[-200:],
    "ellipsis": LONG[:200] + "…",
    "dots": LONG[:200] + "...",
    "bracket": LONG[:200] + "... [truncated]",
    "count": LONG[:200] + "\n[164 more characters]",
    "chinese": LONG[:200] + "……（内容过长，已截断）",
    "middle": LONG[:150] + "\n\n…[1,204 characters omitted]…\n\n" + LONG[-150:],
    "tail after a mark": "[earlier text omitted] " + LONG[-150:],
    "middle without a mark": LONG[:90] + LONG[-120:],
    "shortened by words": textwrap.shorten(LONG.replace(". ", ".\n\n"), 150),
}


@pytest.mark.parametrize("text", CUTS.values(), ids=CUTS.keys())
def test_every_way_to_cut(text: str) -> None:
    """Head, tail or both, with and without a mark."""
    verdict = judge([user(LONG)], [user(text)])
    assert verdict.ok is False
    assert "a message of t1 · call 1 cut from" in verdict.what


def test_names_the_call_and_both_lengths() -> None:
    """What was cut, from how many to how many characters, and what is gone."""
    verdict = judge([result(RESULT)], [result(RESULT[:100])])
    assert f"the result of c1 of t1 · call 1 cut from {len(RESULT):,} to 100 characters" in verdict.what
    assert "in the middle of its JSON" in verdict.what
    assert "stop 2" in verdict.what


def test_json_written_anew() -> None:
    """Who cuts a result has often parsed it before."""
    compact = json.dumps(json.loads(RESULT), separators=(",", ":"))
    assert judge([result(RESULT)], [result(compact)]).ok
    assert judge([result(RESULT)], [result(compact[:200])]).ok is False


def test_block_of_a_message() -> None:
    """A result that is one block among several is looked at by itself."""
    blocks = [
        {"type": "tool_result", "tool_use_id": call, "content": text} for call, text in (("a", RESULT), ("b", LONG))
    ]
    cut = [blocks[0], {**blocks[1], "content": LONG[:80]}]
    verdict = judge([{"role": "user", "content": blocks}], [{"role": "user", "content": cut}])
    assert verdict.ok is False
    assert "the result of b" in verdict.what


def test_cut_version_that_the_history_has_too() -> None:
    """A result that was cut in a later prompt is cut, also where that prompt left its version in the history."""
    said = [result(RESULT), result(RESULT[:100] + "… [truncated]")]
    assert judge(said, [result(RESULT[:100] + "… [truncated]")]).ok is False


WHOLE = {
    "as it was": (LONG, LONG),
    "white space at the end": (LONG, LONG.rstrip()),
    "place-holder": (RESULT, "[Old tool result content cleared]"),
    "another text": (LONG, "Something else that begins in its own way."),
    "more than it was": (LONG, LONG + " And home by noon."),
    "edited": (LONG, LONG.replace("the lake", "the sea")),
    "same beginning, other end": (
        "Please book the hotel for six people on Friday",
        "Please book the hotel, and more rooms",
    ),
}


@pytest.mark.parametrize(("said", "sent"), WHOLE.values(), ids=WHOLE.keys())
def test_what_is_no_cut(said: str, sent: str) -> None:
    """Whole, openly cleared, edited, or another text."""
    assert judge([user(said)], [user(sent)]).ok is True


def test_short_text_that_begins_a_longer_one() -> None:
    """Two messages of the history may begin alike: neither is the other one cut."""
    said = [user("Please go on with the plan"), user("Please go on with the plan, but leave out the museum")]
    assert judge(said, said).ok is True


def test_end_that_every_message_has() -> None:
    """A prompt line behind every answer of a shell, or a count of lines, makes no message a cut one."""
    line = "(Open file: /repo/a.py)\n(Current directory: /repo)\nbash-$"
    said = [user(f"{LONG}\n{line}"), result(f"[File: a.py (1 lines total)]\n1:\n{line}")]
    assert judge(said, said).ok is True


def test_loss_is_quoted_as_it_was_written() -> None:
    """Also where white space was changed on the way."""
    verdict = judge(
        [user("One two three four.\n\nFive six seven eight nine.")], [user("One two three four. Five six…")]
    )
    assert "cut from 47 to 29 characters: “seven eight nine.” is gone" in verdict.what


def test_long_list_is_counted() -> None:
    """Of many cut messages the first are named and the rest counted."""
    said = [result(f"{n} {LONG}", f"c{n}") for n in range(9)]
    verdict = judge(said, [result(f"{n} {LONG}"[:120], f"c{n}") for n in range(9)])
    assert verdict.what.endswith("and 4 more")


NUMBERED = " ".join(f"line {n}: value {n * n * 37}" for n in range(120))

MARKED_IN_FRONT = {
    "tag": "[shortened] " + NUMBERED[:600],
    "tag on its own line": "[truncated]\n" + NUMBERED[:600],
    "sentence": "Result (cut to 600 chars): " + NUMBERED[:600],
    "in front and behind": "<preview>" + NUMBERED[:600] + "</preview> Ask again for the rest.",
    "every second stretch": "".join(NUMBERED[at : at + 30] for at in range(0, len(NUMBERED), 60)),
}


@pytest.mark.parametrize("text", MARKED_IN_FRONT.values(), ids=MARKED_IN_FRONT.keys())
def test_a_part_of_a_result_whatever_stands_around_it(text: str) -> None:
    """What answers the same call and lacks a considerable part is cut."""
    verdict = judge([result(NUMBERED)], [result(text)])
    assert verdict.ok is False
    assert "the result of c1 of t1 · call 1 with parts missing" in verdict.what


def test_a_part_of_the_users_message_behind_a_mark() -> None:
    """Without an id, the only message of its role that is like it tells."""
    assert judge([user("Hello"), user(NUMBERED)], [user("Hello"), user("[shortened] " + NUMBERED[:600])]).ok is False


def test_a_cut_result_that_the_history_has_too_behind_a_mark() -> None:
    """The recorded prompt left its version in the history: it is cut there, too."""
    cut = result("[shortened] " + NUMBERED[:600])
    assert judge([result(NUMBERED), cut], [cut]).ok is False


RETOLD = {
    "a summary of another role": [
        {"role": "system", "content": "Summary of the conversation so far: " + NUMBERED[:600]}
    ],
    "a tagged summary": [user("<conversation_summary>" + NUMBERED[:600] + "</conversation_summary>")],
    "a result retold": [result("The tool gave 120 lines; line 7: value 1813 is the one that matters to us here.")],
    "a quote beside the whole": [user(NUMBERED), user("You wrote: " + NUMBERED[:600])],
    "wrapped": [result("<result>" + NUMBERED + "</result>")],
    "edited": [result(NUMBERED.replace("line 7:", "row seven:"))],
}


@pytest.mark.parametrize("sent", RETOLD.values(), ids=RETOLD.keys())
def test_what_quotes_and_is_no_cut(sent: list[dict[str, Any]]) -> None:
    """Retelling, quoting beside the whole, wrapping and editing take nothing away."""
    said = [result(NUMBERED)] if sent[0]["role"] == "tool" else [user(NUMBERED)]
    assert judge(said, sent).ok is True


def test_the_longest_missing_passage_is_quoted() -> None:
    """The reader sees what the model did not."""
    verdict = judge([result(NUMBERED)], [result("[shortened] " + NUMBERED[:600])])
    assert "line 119: value 523957” is gone" in verdict.what


def test_a_repeated_passage_that_stands_once_is_cut() -> None:
    """One quote does not account for four passages that say the same."""
    assert judge([result(LONG)], [result("[shortened] " + LONG[:120])]).ok is False
