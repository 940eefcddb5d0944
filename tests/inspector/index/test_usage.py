"""What providers report of tokens, as the calls of a session show it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.index import Index
from inspector.model.layers import Layer
from snapshot_sdk import Recorder

Open = Callable[..., Index]

GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
CONVERSE = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse"
ASK = {"role": "user", "content": "How many bicycles are there?"}


def test_impossible_figures_are_reported_and_used_nowhere(traces: Path, opened: Open) -> None:
    """More cached tokens than the prompt has, a negative number: said with path and reason, shown as unknown."""
    request = {"model": "gpt-4.1", "messages": [ASK]}
    usage = {"prompt_tokens": 10, "completion_tokens": -5, "prompt_tokens_details": {"cached_tokens": 300}}
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot(request, api="openai.chat")
        recorder.response(messages=[], usage=usage)
    index = opened()
    (call,) = index.calls("s")

    assert (call.usage.input_tokens, call.usage.cached_read, call.usage.output_tokens) == (None, None, None)
    assert call.provider.count is None
    assert call.tokens == call.counted
    assert [problem.partition(" = ")[0] for problem in call.usage_problems] == [
        "completion_tokens",
        "prompt_tokens_details.cached_tokens",
    ]
    assert call.usage_problems[0] == "completion_tokens = -5: is less than nothing"
    assert call.usage_raw == usage
    assert index.sql("select usage_problems[1] from calls").rows == ((call.usage_problems[0],),)


def test_the_sum_of_several_passes_is_no_size(traces: Path, opened: Open) -> None:
    """A server tool makes passes that Anthropic adds up: at most that, so the counted figure is shown."""
    request = {"model": "claude-opus-4-5", "max_tokens": 9, "messages": [ASK]}
    usage = {"input_tokens": 9000, "output_tokens": 5, "server_tool_use": {"web_search_requests": 2}}
    with Recorder(traces, session="s") as recorder:
        for _ in range(5):
            recorder.snapshot(request, api="anthropic.messages")
            recorder.response(messages=[], usage=usage)
    calls = opened().calls("s")

    assert {call.provider.count for call in calls} == {None}
    assert {call.unattributed for call in calls} == {None}
    assert {call.calibrated.count for call in calls} == {None}
    assert all(call.tokens == call.counted for call in calls)
    assert calls[0].usage.input_tokens == 9000
    assert "at most the 9,000 tokens" in calls[0].usage_notes[0]


def test_a_figure_without_the_cached_part_is_no_size(traces: Path, opened: Open) -> None:
    """Some versions of Ollama leave out what was cached: at least that."""
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot({"model": "llama3.2", "messages": [ASK]}, api="ollama.chat")
        answer = {"message": {"role": "assistant", "content": "9"}, "done": True, "prompt_eval_count": 2}
        recorder.response(body=answer)
    (call,) = opened().calls("s")

    assert (call.usage.input_tokens, call.provider.count, call.tokens) == (2, None, call.counted)
    assert "at least the 2 tokens" in call.usage_notes[0]


def test_the_pass_that_read_the_prompt_is_its_size(traces: Path, opened: Open) -> None:
    """With server-side compaction the top level speaks of the last pass only."""
    passes = [
        {"type": "compaction", "input_tokens": 55_000, "output_tokens": 300},
        {"type": "message", "input_tokens": 220, "output_tokens": 20},
    ]
    usage = {"input_tokens": 220, "output_tokens": 20, "iterations": passes}
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot({"model": "claude-opus-4-6", "max_tokens": 9, "messages": [ASK]}, api="anthropic.messages")
        recorder.response(messages=[], usage=usage)
    (call,) = opened().calls("s")

    assert call.tokens.count == call.provider.count == 55_000
    assert any("compacted the conversation" in note for note in call.usage_notes)


def test_the_address_names_the_model_where_the_body_does_not(traces: Path, opened: Open) -> None:
    """Gemini and Bedrock: the model decides window, tokenizer and calibration."""
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, endpoint=GEMINI)
        recorder.snapshot({"messages": [{"role": "user", "content": [{"text": "hi"}]}]}, endpoint=CONVERSE)
    index = opened()

    assert [(call.api, call.model) for call in index.calls("s")] == [
        ("gemini.generate_content", "gemini-2.5-flash"),
        ("bedrock.converse", "anthropic.claude-3-haiku-20240307-v1:0"),
    ]
    assert index.session("s").models == ("gemini-2.5-flash", "anthropic.claude-3-haiku-20240307-v1:0")


def composition(index: Index, call: int) -> list[Layer]:
    """The layers of the messages of a call."""
    return [row.layer for row in index.call("s", call).messages]


def test_only_a_whole_input_is_the_input_whatever_its_role(traces: Path, opened: Open) -> None:
    """A text in the place of messages is what the user asks; an item without a role in an array is not."""
    item: dict[str, Any] = {"type": "item_reference", "id": "rs_1"}
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot({"prompt": "Complete this", "best_of": 1}, api="other")
        recorder.snapshot({"input": ["Complete this", "and that"]}, api="other")
        recorder.snapshot({"model": "gpt-5", "input": [item]}, api="openai.responses")
        recorder.snapshot({"model": "gpt-5", "input": "Complete this"}, api="openai.responses")
    index = opened()

    assert composition(index, 1)[0] is Layer.INPUT
    assert Layer.INPUT not in composition(index, 2)
    assert composition(index, 3) == [Layer.HISTORY]
    assert composition(index, 4) == [Layer.INPUT]


def test_an_input_text_is_the_message_it_stands_for(traces: Path, opened: Open) -> None:
    """``input: "hi"`` and a user message that says so have one content hash, so that alignment sees one message."""
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot({"model": "gpt-5", "input": "hi"}, api="openai.responses")
        items = [{"type": "message", "role": "user", "content": "hi"}]
        recorder.snapshot({"model": "gpt-5", "input": items}, api="openai.responses")
    first, second = opened().contexts("s")

    assert first.blocks[0].content == second.blocks[0].content
