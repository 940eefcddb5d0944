"""Faults that public issues of other tools describe, in small: what goes in, and what is right to come out.

Each test names the kind of fault. Inputs are logs as agents leave them, imported and indexed, and read as the pages do.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.index import open_index
from inspector.model.fates import Fate
from snapshot_sdk import Recorder

GONE = {Fate.EVICTED, Fate.SUMMARISED}
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x00\x00\x00\x02\x00"
"""How a picture of 512 by 512 pixels begins."""
SYSTEM = {"role": "system", "content": "You are a clerk. Never refund twice."}
TASK = {"role": "user", "content": "Refund order 4711, then tell the customer."}


Bring = Callable[..., Any]
"""Writes values (or raw bytes) as the lines of a log, imports and indexes it."""


def chat(*messages: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A body of OpenAI's chat."""
    return {"model": "gpt-4.1", "messages": list(messages), **members}


def claude(*messages: dict[str, Any]) -> dict[str, Any]:
    """A body of Anthropic's messages."""
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "You are a clerk.", "messages": list(messages)}


def said(role: str, *blocks: dict[str, Any] | str) -> dict[str, Any]:
    """A message of text and other blocks."""
    return {"role": role, "content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]}


def used(key: str) -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": key, "name": "look", "input": {"id": key}}


def gave(key: str) -> dict[str, Any]:
    """The result of a call."""
    return {"type": "tool_result", "tool_use_id": key, "content": f"found by {key}"}


HISTORY = [
    said("user", "start"),
    said("assistant", used("t1")),
    said("user", gave("t1")),
    said("assistant", used("t2")),
]
CHAT_CALL = {"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CHAT = [{"role": "user", "content": "start"}, {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}]
CHAT_RESULT = {"role": "tool", "tool_call_id": "t1", "content": "found"}
ITEMS = [
    {"role": "user", "content": "start"},
    {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "t1"},
    {"type": "function_call_output", "call_id": "t1", "output": "found"},
]
SYNTHETIC = {**gave("t2"), "content": "[Request interrupted by user]", "is_error": True}
PAIRS = {
    "result without its call": (
        claude(*HISTORY[:3]), claude(said("user", "Summary of what was done", gave("t1"))), {"tool_result": {"t1"}},
    ),
    "call without its result": (
        claude(*HISTORY[:3]), claude(*HISTORY[:2], said("user", "go on")), {"tool_call": {"t1"}},
    ),
    "result in a message with text": (
        claude(*HISTORY[:2], said("user", "thanks", gave("t1"))), claude(said("user", "thanks", gave("t1"))),
        {"tool_result": {"t1"}},
    ),
    "tool message at the front": (chat(*CHAT, CHAT_RESULT), chat(CHAT_RESULT), {"tool_result": {"t1"}}),
    "output item at the front": (
        {"model": "gpt-5.1", "input": ITEMS}, {"model": "gpt-5.1", "input": ITEMS[2:]}, {"tool_result": {"t1"}},
    ),
    "result made up after an interruption": (
        claude(*HISTORY, said("user", SYNTHETIC)), claude(said("user", "Summary", SYNTHETIC)), {"tool_result": {"t2"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "orphans"), PAIRS.values(), ids=PAIRS)
def test_pair_broken_by_trimming_is_shown_as_sent(
    bring: Bring, before: dict[str, Any], after: dict[str, Any], orphans: dict[str, set[str]]
) -> None:
    """The prompt keeps its orphan, block by block and with its id, and is not mended; the lost half is gone."""
    found = bring(before, after)
    halves: dict[str, set[str]] = {"tool_call": set(), "tool_result": set()}
    for row in found.call(2).messages:
        for part in row.message.parts:
            if part.kind in halves and part.call_id is not None:
                halves[part.kind].add(part.call_id)
    alone = {kind: ids - halves["tool_result" if kind == "tool_call" else "tool_call"] for kind, ids in halves.items()}

    assert {kind: ids for kind, ids in alone.items() if ids} == orphans
    assert set(found.fates(2)) & (GONE | {Fate.EDITED})
    assert json.loads(found.index.request_bytes(found.session, 2)) == after


def test_requests_without_history_say_that_none_is_there(bring: Bring) -> None:
    """A filter that is always empty: of the earlier messages each request carries none but the system prompt."""
    found = bring(*(chat(SYSTEM, {"role": "user", "content": f"{n}: {'question ' * n}"}) for n in range(1, 6)))

    for call in range(2, 6):
        assert found.fates(call) == [Fate.KEPT, Fate.EVICTED]
    assert [len(found.call(n).messages) for n in found.numbers()] == [2] * 5


def test_task_prompt_pushed_out_by_a_window(bring: Bring) -> None:
    """The first message of the user leaves at the request that no longer has it, not before."""
    turns = [{"role": ("assistant", "user")[n % 2], "content": f"step {n} " * 9} for n in range(4)]
    found = bring(chat(SYSTEM, TASK, *turns[:2]), chat(SYSTEM, TASK, *turns[:3]), chat(SYSTEM, *turns[1:4]))

    assert Fate.EVICTED not in found.fates(2)
    assert found.fates(3)[:2] == [Fate.KEPT, Fate.EVICTED]


def test_system_prompt_lost_by_a_window(bring: Bring) -> None:
    """A window that slides over everything takes the system prompt with it."""
    found = bring(chat(SYSTEM, TASK, {"role": "assistant", "content": "done"}), chat(TASK))

    assert found.fates(2)[0] in GONE
    assert "system" not in found.call(2).call.composition


def test_pinned_message_that_a_trim_ignores(tmp_path: Path) -> None:
    """A pin that is absent is broken at every call from there on, though the window is within its limits."""
    with Recorder(tmp_path, session="s", window=100_000) as recorder:
        recorder.pin("Never refund twice")
        for messages in ([SYSTEM, TASK], [TASK], [TASK]):
            recorder.snapshot(chat(*messages))
    with open_index(tmp_path) as index:
        index.refresh()
        assert [len(call.pins_gone) for call in index.calls("s")] == [0, 1, 1]


def test_counts_of_a_cached_prompt(bring: Bring) -> None:
    """Anthropic's input is what was not cached, OpenAI's is all of it: each context has its full size."""
    anthropic = {"input_tokens": 50, "cache_read_input_tokens": 100_000, "output_tokens": 4}
    openai = {"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}
    found = bring(
        {"request": claude(said("user", "x")), "response": {"type": "message", "content": [], "usage": anthropic}},
        {"request": chat(TASK), "response": {"choices": [], "usage": openai}},
    )

    assert [found.call(n).call.provider.count for n in (1, 2)] == [100_050, 10]


def test_chinese_is_counted_and_not_divided_by_four(bring: Bring) -> None:
    """A hundred characters of Chinese are no 25 tokens."""
    count = bring(chat({"role": "user", "content": "你好世界" * 25})).call().messages[0].tokens

    assert count.origin == "tokenizer:o200k_base"
    assert count.count is not None
    assert 50 <= count.count <= 150


def test_count_of_an_unknown_model_is_an_estimate(bring: Bring) -> None:
    """It is counted with another vocabulary, and says so at every figure."""
    found = bring({"model": "nobody-knows-7b", "messages": [TASK]}).call()

    assert found.call.counted.origin.startswith("estimate:")
    assert {row.tokens.origin.partition(":")[0] for row in found.messages} == {"estimate"}


def test_image_is_no_text_and_base64_in_a_text_is(bring: Bring) -> None:
    """A typed image costs what images cost; the same bytes in a text block cost what they are as text."""
    png = base64.b64encode(PNG + bytes(300_000)).decode()
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png}"}}
    mixed = "".join(f"{n * 2_654_435_761 % 2**32:08x}" for n in range(5_000))
    plain = {"type": "text", "text": base64.b64encode(mixed.encode()).decode()}

    def count(block: dict[str, Any]) -> int | None:
        return bring(chat({"role": "user", "content": [block]})).call().messages[0].tokens.count

    as_image, as_text = count(image), count(plain)

    assert as_image is not None
    assert 0 < as_image < 2_000
    assert as_text is not None
    assert as_text > 20_000


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]},
        {"role": "assistant", "tool_calls": [CHAT_CALL]},
        {"role": "assistant", "content": "", "tool_calls": [CHAT_CALL]},
    ],
)
def test_message_without_content_keeps_its_calls(bring: Bring, message: dict[str, Any]) -> None:
    """No text, and the call with its arguments is there and counted."""
    row = bring(chat(TASK, message)).call().messages[1]

    assert [(part.kind, part.call_id) for part in row.message.parts if part.text or part.call_id] == [
        ("tool_call", "t1")
    ]
    assert row.tokens.count


@pytest.mark.parametrize(
    "odd", [{"tool_calls": None}, {"tool_calls": [{"id": "t1", "function": None}]}, {"content": None}]
)
def test_null_where_an_object_belongs_costs_no_message(bring: Bring, odd: dict[str, Any]) -> None:
    """The message is shown, and so are the ones around it."""
    found = bring(chat(TASK, {"role": "assistant", "content": "hm", **odd}, TASK)).call()

    assert [row.message.role for row in found.messages] == ["user", "assistant", "user"]


def test_clock_in_the_system_prompt_changes_nothing_else(bring: Bring) -> None:
    """The first byte that differs from call to call is in the system prompt, which is edited; all else is kept."""
    clock = "You are a clerk. Never refund twice. It is 10:0{}:00."
    found = bring(*(chat({"role": "system", "content": clock.format(minute)}, TASK) for minute in (1, 2)))
    first, second = (found.index.request_bytes(found.session, n) for n in (1, 2))
    differs = next(place for place, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)

    assert first[:differs].endswith(b"It is 10:0")
    assert found.fates(2) == [Fate.EDITED, Fate.KEPT]


def test_compactions_in_a_row_are_each_there_with_their_size(bring: Bring) -> None:
    """Two compactions that bring the context down for no longer than a call: neither is merged into the other."""
    at = "2026-01-01T00:00:0{}Z"
    usage = {"input": 900, "output": 9, "cacheRead": 0, "cacheWrite": 0}
    answer = {
        "role": "assistant",
        "api": "anthropic-messages",
        "content": [{"type": "text", "text": "ok"}],
        "usage": usage,
    }
    lines: list[dict[str, Any]] = [{"type": "session", "id": "s", "cwd": "/", "timestamp": at.format(0)}]
    for number in range(3):
        lines.append(
            {"type": "message", "timestamp": at.format(number), "message": {"role": "user", "content": "go " * 99}}
        )
        lines.append({"type": "message", "timestamp": at.format(number), "message": answer})
        lines.append(
            {"type": "compaction", "timestamp": at.format(number), "summary": "so far", "tokensBefore": 900 + number}
        )
    found = bring(*lines)

    assert [one.tokens_before for one in found.index.compactions("s")] == [900, 901, 902]
    assert [call.provider.count for call in found.index.calls("s")] == [900] * 3


def test_summary_of_everything_begins_no_new_lane(bring: Bring) -> None:
    """Before and after it nothing is common, and it is one line all the same: the transcript says so."""
    lines: list[dict[str, Any]] = []

    def add(kind: str, **members: Any) -> None:
        parent = members.pop("parentUuid", lines[-1]["uuid"] if lines else None)
        place = len(lines)
        at = f"2026-01-01T00:00:{place:02}Z"
        lines.append(
            {"type": kind, "uuid": f"u{place}", "parentUuid": parent, "sessionId": "s", "timestamp": at, **members}
        )

    def answer(name: str) -> None:
        blocks = [{"type": "text", "text": f"done {name}"}]
        add("assistant", message={"id": name, "role": "assistant", "model": "claude-opus-4-5", "content": blocks})

    add("user", message={"role": "user", "content": "Never touch prod. List the files."})
    answer("m1")
    add("user", message={"role": "user", "content": "And the folders."})
    answer("m2")
    add("system", subtype="compact_boundary", parentUuid=None, compactMetadata={"trigger": "auto", "preTokens": 900})
    add("user", isCompactSummary=True, message={"role": "user", "content": "Summary: files were listed."})
    answer("m3")
    found = bring(*lines)
    calls = found.index.calls("s")
    [change] = trace_changes(found.index, "s").compactions

    assert [(call.lane, call.lane_origin) for call in calls] == [("main", "given")] * 3
    assert calls[2].previous == calls[1].id
    assert (change.before_call, change.call) == (2, 3)
    assert found.fates(3) == [Fate.SUMMARISED] * 3
