"""Checks of how a prompt is built: summaries beside one another, and the cached head."""

from __future__ import annotations

import re
from typing import Any

import pytest

from snapshot_sdk._fixture_checks_shape import judge_head, judge_summaries
from snapshot_sdk._fixture_prompt import prompt_of
from snapshot_sdk.canonical import content_hash

TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}


def said(*texts: str, role: str = "user") -> list[dict[str, Any]]:
    """Messages of one role."""
    return [{"role": role, "content": text} for text in texts]


SUMMARIES = {
    "none": (said("hello"), 0),
    "one": (said("<summary>a</summary>", "hello"), 1),
    "two messages": (said("<summary>a</summary>", "[对话摘要]\nb"), 2),
    "two headings in brackets": (said("[Context summary] a", "[Context summary] b"), 2),
    "two headings in one message": (said("[对话摘要]\na\n[对话摘要]\nb"), 2),
    "a heading within its tag": (said("<summary>\n[对话摘要]\na\n</summary>"), 1),
    "opening words and a tag": (said("[对话摘要]\n<summary>a</summary>"), 1),
    "opening words of an assistant": (said("[CONTEXT COMPACTION SUMMARY] a", role="assistant"), 1),
    "a tag in a tool's result": ([{"role": "tool", "tool_call_id": "c", "content": "<summary>a</summary>"}], 0),
    "a tag in an answer": (said("<summary>a</summary>", role="assistant"), 0),
    "first lines": (said("Summary of the conversation so far:\na", "以下是之前对话的总结：b"), 2),
    "a summary that was summarised again": (
        said("Summary of the conversation so far:\nSummary of the conversation so far:\na\nb"),
        2,
    ),
    "a first line and what it tells of": (said("Summary of the conversation so far:\nThey read a chat summary."), 1),
    "a first line with a heading": (said("## Here is an updated summary of our earlier discussion:\n[对话摘要]\na"), 1),
    "a talk of summaries": (
        said("Summary of the meeting: a", "Please write a conversation summary", "把对话摘要发我"),
        0,
    ),
    "a summary and a memory": (said("<summary>a</summary><memory>b</memory>"), 1),
}


@pytest.mark.parametrize(("messages", "count"), SUMMARIES.values(), ids=SUMMARIES.keys())
def test_summaries(messages: list[dict[str, Any]], count: int) -> None:
    """More than one fails."""
    verdict = judge_summaries(prompt_of(messages))
    assert verdict.ok is (count < 2)
    if count > 1:
        assert verdict.what.startswith(f"{count} summaries stand in the prompt")
        assert "message 1 (user)" in (verdict.instead or "")


def test_a_message_with_several_summaries_is_named() -> None:
    """Which message holds how many: of a summary of a summary that is the whole fault."""
    verdict = judge_summaries(prompt_of(said("[对话摘要]\na\n[对话摘要]\nb", role="system")))
    assert verdict.what.endswith("; message 1 (system) holds 2 of them")


def test_summary_that_only_the_record_knows() -> None:
    """A compaction's message counts, also without a mark."""
    own = {"role": "user", "content": "We agreed on the lake."}
    prompt = prompt_of([own, *said("<summary>a</summary>")])
    assert judge_summaries(prompt).ok
    assert judge_summaries(prompt, {content_hash(own)}).ok is False


def test_first_line_of_what_was_said_claims_nothing() -> None:
    """A user may paste a summary: it is no compaction's."""
    pasted = {"role": "user", "content": "Summary of the conversation so far:\nwe met"}
    prompt = prompt_of([pasted, *said("<summary>a</summary>")])
    assert judge_summaries(prompt).ok is False
    assert judge_summaries(prompt, told={content_hash(pasted)}).ok


def body(system: Any, tools: Any, **more: Any) -> dict[str, Any]:
    """A body of Anthropic's."""
    return {"system": system, "tools": tools, "messages": said("hello"), **more}


HEADS = {
    "same": (body("rules", [TOOL]), body("rules", [TOOL]), None),
    "another conversation": (body("rules", [TOOL]), body("rules", [TOOL], messages=said("bye")), None),
    "a mark for the cache": (
        body([{"type": "text", "text": "r", "cache_control": {"type": "ephemeral"}}], [TOOL]),
        body([{"type": "text", "text": "r"}], [TOOL]),
        None,
    ),
    "a time": (
        body("now 09:15", [TOOL]),
        body("now 09:16", [TOOL]),
        "the system prompt changed: .*09:15.* became .*09:16",
    ),
    "a tool": (body("r", [TOOL]), body("r", [{**TOOL, "type": "custom"}]), "tool definition 1 changed"),
    "tools in another order": (body("r", [TOOL, {"name": "b"}]), body("r", [{"name": "b"}, TOOL]), "tool definition 1"),
    "keys in another order": (body("r", [{"a": 1, "b": 2}]), body("r", [{"b": 2, "a": 1}]), "tool definition 1"),
    "a block": (body([{"text": "a"}, {"text": "b"}], []), body([{"text": "a"}, {"text": "c"}], []), "block 2 changed"),
    "a block more": (body([{"text": "a"}], []), body([{"text": "a"}, {"text": "b"}], []), "block 2 is new"),
    "no tools": (body("r", [TOOL]), body("r", []), "tool definition 1"),
}


@pytest.mark.parametrize(("before", "after", "fault"), HEADS.values(), ids=HEADS.keys())
def test_heads(before: dict[str, Any], after: dict[str, Any], fault: str | None) -> None:
    """The first difference is named, with both texts."""
    verdict = judge_head(prompt_of(after), prompt_of(before))
    assert verdict.ok is (fault is None)
    assert re.search(fault or "as one call earlier", verdict.what), verdict.what


def test_system_message_is_a_part_of_the_head() -> None:
    """Leading instructions among the messages are compared, the conversation is not."""
    before = prompt_of([*said("a", role="system"), *said("x")])
    assert judge_head(prompt_of([*said("a", role="system"), *said("y", "z")]), before).ok
    assert judge_head(prompt_of([*said("b", role="system"), *said("x")]), before).ok is False


def test_no_earlier_prompt() -> None:
    """Nothing to compare with is neither yes nor no."""
    assert judge_head(prompt_of(said("x")), None).ok is None
