"""Facts about Claude Code transcripts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from claude_code_logs import Log, compactions_of, read, request, result, usage, use
from importing import calls_of

from inspector.importers.agents.claude_code import ClaudeCode
from inspector.importers.agents.claude_code_context import CLEARED
from inspector.importers.base import ImportedCall, ImportedCompaction
from inspector.importers.run import import_paths

SUMMARY = "This session is being continued from a previous conversation"
BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 900}}


Write = Callable[..., Path]


def test_an_answer_is_one_call_with_its_last_usage(write_lines: Write) -> None:
    """One record a block repeats the usage of one request: only the last record's counts."""
    log = Log()
    log.user("hi")
    log.answer("m1", {"type": "text", "text": "a"}, use("t1"), output=3)
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    [call] = calls_of(session)

    assert usage(call)["output_tokens"] == 4
    assert request(call) == [{"role": "user", "content": "hi"}]
    assert call.answer is not None
    assert call.answer.body is not None
    assert len(call.answer.body["content"]) == 2


def test_what_a_transcript_lacks_is_named(write_lines: Write) -> None:
    """System prompt, tools and parameters are never there."""
    log = Log()
    log.user("hi")
    log.answer("m1")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    [call] = calls_of(session)

    assert (call.exact, call.missing) == ("rebuilt", ("system", "tools", "parameters"))


def test_turns_count_what_the_user_wrote(write_lines: Write) -> None:
    """Results, notes of Claude Code and interruptions begin no turn."""
    log = Log()
    log.user("one")
    log.answer("m1", use("t1"))
    log.user(result("t1"))
    log.user("Caveat: …", isMeta=True)
    log.user("[Request interrupted by user]")
    log.answer("m2")
    log.user("two")
    log.answer("m3")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])

    assert [call.turn for call in calls_of(session)] == [1, 1, 2]


def test_synthetic_answers_are_no_calls(write_lines: Write) -> None:
    """A message that Claude Code made itself had no request; its reports of errors are not even sent."""
    log = Log()
    log.user("hi")
    log.answer("m1")
    message = {"id": "x", "role": "assistant", "model": "<synthetic>", "content": [{"type": "text", "text": "429"}]}
    log.add({"type": "assistant", "message": message}, isApiErrorMessage=True)
    log.user("again")
    log.answer("m2")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    calls = calls_of(session)

    assert [len(request(call)) for call in calls] == [1, 3]


def test_compaction_begins_a_new_context(write_lines: Write) -> None:
    """After a boundary a request begins with the summary; the boundary is a compaction record."""
    log = Log()
    log.user("one")
    log.answer("m1")
    log.add(BOUNDARY, parentUuid=None, logicalParentUuid=log.last)
    log.user(SUMMARY, isCompactSummary=True)
    log.user("two")
    log.answer("m2")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    [compaction] = compactions_of(session)
    last = calls_of(session)[-1]

    assert (compaction.strategy, compaction.reason, compaction.tokens_before) == ("summary", "auto", 900)
    assert compaction.before is not None
    assert compaction.after is not None
    assert [message["role"] for message in compaction.before] == ["user", "assistant"]
    assert [message["content"] for message in compaction.after] == [SUMMARY]
    assert [message["content"] for message in request(last)] == [SUMMARY, "two"]


def test_dangling_logical_parent_is_said(write_lines: Write) -> None:
    """A boundary that names a record which is not here loses nothing of what is, and it is said."""
    log = Log()
    log.user("one")
    log.answer("m1")
    log.add(BOUNDARY, parentUuid=None, logicalParentUuid="elsewhere")
    log.user(SUMMARY, isCompactSummary=True)
    log.answer("m2")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    [compaction] = compactions_of(session)

    assert compaction.before is not None
    assert len(compaction.before) == 2
    assert [repair for repair in session.repairs if "logicalParentUuid" in repair]


def test_preserved_messages_follow_the_summary(write_lines: Write) -> None:
    """A compaction that keeps a segment verbatim has it behind the summary."""
    log = Log()
    log.user("one")
    log.answer("m1")
    head = log.user("two")
    tail = log.answer("m2")
    metadata = {"trigger": "manual", "postTokens": 40, "preservedSegment": {"headUuid": head, "tailUuid": tail}}
    log.add({**BOUNDARY, "compactMetadata": metadata}, parentUuid=None)
    log.user(SUMMARY, isCompactSummary=True)
    log.user("three")
    log.answer("m3")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    last = request(calls_of(session)[-1])

    assert [block["text"] for block in last[0]["content"]] == [SUMMARY, "two"]
    assert last[2] == {"role": "user", "content": "three"}
    assert compactions_of(session)[0].tokens_after == 40


def test_microcompaction_clears_the_listed_results(write_lines: Write) -> None:
    """The listed results leave later requests though the transcript keeps them; earlier requests have them."""
    log = Log()
    log.user("hi")
    log.answer("m1", use("t1"))
    log.user(result("t1", "long"))
    log.answer("m2", use("t2"))
    log.user(result("t2", "short"))
    metadata = {"trigger": "auto", "preTokens": 500, "tokensSaved": 200, "compactedToolIds": ["t1"]}
    log.add({"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": metadata})
    log.answer("m3")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    [compaction] = compactions_of(session)
    second, third = calls_of(session)[1:]

    assert request(second)[2]["content"] == result("t1", "long")
    assert request(third)[2]["content"] == result("t1", CLEARED)
    assert request(third)[4]["content"] == result("t2", "short")
    assert (compaction.strategy, compaction.tokens_before) == ("edit", None)
    assert compaction.reason == "auto: 1 tool result(s) cleared, 200 tokens saved of 500 that tool output took"


def test_start_in_the_middle_is_said_until_it_is_compacted(write_lines: Write) -> None:
    """A transcript whose first parent is elsewhere lacks earlier messages, no longer so after a compaction."""
    log = Log()
    log.last = "elsewhere"
    log.user("go on")
    log.answer("m1")
    log.add(BOUNDARY, parentUuid=None)
    log.user(SUMMARY, isCompactSummary=True)
    log.answer("m2")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])

    assert ["earlier messages" in call.missing for call in calls_of(session)] == [True, False]


def test_replayed_history_is_no_call(write_lines: Write) -> None:
    """A session that begins with another's records has them in its context; only its own answers are calls."""
    first, second = Log("s1"), Log("s2")
    first.user("one")
    first.answer("m1")
    second.lines = [{**record, "sessionId": "s2"} for record in first.lines]
    second.last = first.last
    second.user("two")
    second.answer("m2")
    one, two = read([write_lines("s2.jsonl", *second.lines), write_lines("s1.jsonl", *first.lines)])[0]

    assert (one.session, two.session) == ("s1", "s2")
    assert [len(request(call)) for call in calls_of(one)] == [1]
    assert [len(request(call)) for call in calls_of(two)] == [3]
    assert "1 answer(s) replayed from another session are its history, no calls" in two.repairs


def test_records_of_another_session_are_history(write_lines: Write) -> None:
    """Records that keep another session's id are context, no calls."""
    log = Log("old")
    log.user("one")
    log.answer("m1")
    log.session = "s1"
    log.user("two")
    log.answer("m2")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])

    assert [len(request(call)) for call in calls_of(session)] == [3]


def test_repeated_records_are_read_once(write_lines: Write) -> None:
    """A record that stands twice is one record, and that is said."""
    log = Log()
    log.user("hi")
    log.answer("m1")
    [session], _ = read([write_lines("s1.jsonl", *log.lines, *log.lines)])

    assert len(calls_of(session)) == 1
    assert "2 record(s) repeat an earlier one and are read once" in session.repairs


def test_earlier_state_of_a_transcript_is_passed_over(write_lines: Write) -> None:
    """Of two files of which one begins with all of the other, the longer is imported."""
    log = Log()
    log.user("hi")
    log.answer("m1")
    short = write_lines("a.jsonl", *log.lines)
    log.user("more")
    log.answer("m2")
    sessions, problems = read([short, write_lines("b.jsonl", *log.lines)])

    assert [session.source for session in sessions] == ["b.jsonl"]
    assert [(problem.source, problem.lost) for problem in problems] == [(str(short), False)]


def test_clock_that_goes_back_gives_no_duration(write_lines: Write) -> None:
    """An answer stamped before its prompt has no duration rather than a negative one."""
    log = Log()
    log.user("hi")
    log.answer("m1", timestamp="2025-12-31T00:00:00Z")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    [call] = calls_of(session)

    assert call.answer is not None
    assert call.answer.duration_ms is None


@pytest.mark.parametrize("text", ["cut \ud83d pair", "NUL \x00 here", "the six characters \\u0000", float("nan")])
def test_odd_content_comes_through(
    write_lines: Write, tmp_path: Path, requests_in: Callable[[Path], list[Any]], text: Any
) -> None:
    """Lone surrogates, NUL characters, their escapes as text, and NaN are in the trace as they were in the log."""
    log = Log()
    log.user([{"type": "text", "text": text}])
    log.answer("m1")
    summary = import_paths([write_lines("s1.jsonl", *log.lines)], tmp_path / "out")
    [(_, body)] = requests_in(tmp_path / "out")

    assert summary.problems == ()
    assert repr(body["messages"][0]["content"][0]["text"]) == repr(text)


def test_images_stay_images(write_lines: Write) -> None:
    """An image is a typed block, of the user or in a result, and never text."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 1000}}
    log = Log()
    log.user([image])
    log.answer("m1", use("t1"))
    log.user([{"type": "tool_result", "tool_use_id": "t1", "content": [image]}])
    log.answer("m2")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    last = request(calls_of(session)[-1])

    assert last[0]["content"] == [image]
    assert last[2]["content"][0]["content"] == [image]


def test_result_without_its_call_is_shown_as_it_was_sent(write_lines: Write) -> None:
    """A compaction that keeps a result but not its call gives a request with the orphan: it is not mended."""
    log = Log()
    log.user("hi")
    log.answer("m1", use("t1"))
    kept = log.user(result("t1"))
    metadata = {"trigger": "auto", "preservedSegment": {"headUuid": kept, "tailUuid": kept}}
    log.add({**BOUNDARY, "compactMetadata": metadata}, parentUuid=None)
    log.user(SUMMARY, isCompactSummary=True)
    log.answer("m2")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])

    assert [block["type"] for block in request(calls_of(session)[-1])[0]["content"]] == ["text", "tool_result"]


@pytest.mark.parametrize(
    ("sample", "known"),
    [
        ({"type": "summary", "summary": "x", "leafUuid": "u"}, True),
        ({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}, True),
        ({"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s"}, True),
        ({"type": "mode", "mode": "normal", "sessionId": "s"}, True),
        ({"type": "message", "id": "m", "sessionId": "s"}, False),
        ({"type": "user", "content": "x"}, False),
        ([], False),
    ],
)
def test_recognised_by_the_first_record(sample: Any, known: bool) -> None:
    """Any record that may come first tells the format."""
    assert ClaudeCode().recognises(sample) is known


def named_in_next(log: Log, write_lines: Write) -> bool:
    """Say whether each message that the compaction names stands in the prompt of the call after it."""
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    records = list(session.calls())
    [place] = [place for place, record in enumerate(records) if isinstance(record, ImportedCompaction)]
    compaction, call = records[place], records[place + 1]
    assert isinstance(compaction, ImportedCompaction)
    assert isinstance(call, ImportedCall)
    return compaction.after is not None and all(message in request(call) for message in compaction.after)


def test_prompt_after_a_summary_changes_no_message_of_it(write_lines: Write) -> None:
    """After ``/compact`` the user goes on: what the compaction left stands in the next prompt as it was recorded."""
    log = Log()
    log.user("one")
    log.answer("m1")
    log.add(BOUNDARY, parentUuid=None)
    log.user(SUMMARY, isCompactSummary=True)
    log.user("two")
    log.user("and three")
    log.answer("m2")

    assert named_in_next(log, write_lines)
    assert len(request(calls_of(read([write_lines("s1.jsonl", *log.lines)])[0][0])[-1])) == 2


def test_prompt_after_cleared_results_changes_none(write_lines: Write) -> None:
    """After a microcompaction what the user adds is a message of its own as well."""
    log = Log()
    log.user("one")
    log.answer("m1", use("t1"))
    log.user(result("t1"))
    log.add(
        {"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": {"compactedToolIds": ["t1"]}}
    )
    log.user("go on")
    log.answer("m2")

    assert named_in_next(log, write_lines)
