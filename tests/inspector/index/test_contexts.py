"""The messages of all calls of a session, loaded for comparison."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import SessionNotFoundError
from inspector.index import Index, open_index
from inspector.model.context import Block
from inspector.model.layers import Layer
from snapshot_sdk import Recorder
from snapshot_sdk.canonical import content_hash

SYSTEM = {"role": "system", "content": "You are the order desk."}
ASK = {"role": "user", "content": "订单号是 ORD-2024-001"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "shipped"}
SUMMARY = {"role": "user", "content": "<summary>The order is ORD-2024-001.</summary>"}


def request(*messages: dict[str, Any]) -> dict[str, Any]:
    """Build a request of these messages."""
    return {"model": "gpt-4.1", "messages": list(messages)}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An index of one session with a tool call, a recorded summary and two answers."""
    with Recorder(tmp_path, session="s") as recorder:
        recorder.snapshot(request(SYSTEM, ASK), api="openai.chat")
        recorder.response(messages=[CALL])
        recorder.snapshot(request(SYSTEM, ASK, CALL, RESULT), api="openai.chat")
        recorder.compaction(before=[ASK, CALL, RESULT], after=[SUMMARY], strategy="summary", reason="full")
        recorder.snapshot(request(SYSTEM, SUMMARY), api="openai.chat")
        recorder.response(messages=[{"role": "assistant", "content": "It is on its way."}])
    with open_index(tmp_path) as index:
        index.refresh()
        yield index


def test_each_call_has_its_messages_in_order(index: Index) -> None:
    """A context lists the messages of its call as they were sent."""
    contexts = index.contexts("s")

    assert [[block.content for block in context.blocks] for context in contexts] == [
        [content_hash(m) for m in messages]
        for messages in ([SYSTEM, ASK], [SYSTEM, ASK, CALL, RESULT], [SYSTEM, SUMMARY])
    ]


def test_equal_messages_of_two_calls_are_one_value(index: Index) -> None:
    """A message that stands in many prompts is loaded once."""
    first, second, _ = index.contexts("s")

    assert first.blocks[0] is second.blocks[0]


def test_a_call_names_the_call_it_continues(index: Index) -> None:
    """``previous`` is the id of the call before in its lane, and none for the first."""
    contexts = index.contexts("s")

    assert [c.previous for c in contexts] == [None, contexts[0].id, contexts[1].id]


def test_tool_calls_and_results_carry_their_ids(index: Index) -> None:
    """The ids that tie a tool call to its result are the keys of both messages."""
    blocks = index.contexts("s")[1].blocks

    assert [block.keys for block in blocks] == [(), (), ("call:c1",), ("result:c1",)]


def test_a_marked_summary_is_one(index: Index) -> None:
    """A message in summary marks is known as a summary by its layer."""
    block = index.contexts("s")[2].blocks[1]

    assert (block.layer, block.is_summary) == (Layer.SUMMARY, True)


def test_a_recorded_compaction_gives_its_messages(index: Index) -> None:
    """What the agent named before and after comes back as the very blocks of the prompts."""
    (compacted,) = index.compacted("s")
    _, second, third = index.contexts("s")

    assert (compacted.before, compacted.after) == (second.blocks[1:], third.blocks[1:])


@pytest.mark.parametrize("seed", range(6))
def test_random_sessions_come_back_as_they_were_recorded(seed: int, tmp_path: Path) -> None:
    """Every message of every call and of every compaction, those of later files and those no call ever had too."""
    source = random.Random(seed)
    said = [{"role": source.choice(["user", "assistant"]), "content": f"{n} 订单 {n % 5}"} for n in range(40)]
    prompts, named = [], []
    for part in range(2):
        messages = source.sample(said, 5)
        with Recorder(tmp_path, session="s") as recorder:
            for call in range(6):
                state = {"role": "system", "content": f"<state>{part} {call // 3}</state>"}
                prompts.append([SYSTEM, state, *messages])
                recorder.snapshot(request(*prompts[-1]), api="openai.chat")
                messages = [*messages, *source.choices(said, k=3)]
                if source.random() < 0.4:
                    shorter = [{"role": "user", "content": f"<summary>{part} {call}</summary>"}, *messages[-3:]]
                    recorder.compaction(before=messages, after=shorter, strategy="summary")
                    named.append((messages, shorter))
                    messages = shorter

    with open_index(tmp_path) as index:
        index.refresh()
        contexts, compacted = index.contexts("s"), index.compacted("s")

    assert [hashes(one.blocks) for one in contexts] == [[content_hash(m) for m in prompt] for prompt in prompts]
    assert [(hashes(one.before), hashes(one.after)) for one in compacted] == [
        ([content_hash(m) for m in before], [content_hash(m) for m in after]) for before, after in named
    ]


def hashes(blocks: Sequence[Block] | None) -> list[str]:
    """The content hashes of messages."""
    return [block.content for block in blocks or ()]


def test_answers_come_by_call(index: Index) -> None:
    """A call without an answer is absent."""
    assert index.answers("s") == {1: "find({})", 3: "It is on its way."}


def test_an_unknown_session_is_refused(index: Index) -> None:
    """Contexts of a session that is not there are an error, not empty."""
    with pytest.raises(SessionNotFoundError):
        index.contexts("nobody")
