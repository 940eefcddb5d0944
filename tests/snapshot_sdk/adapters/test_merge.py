"""Streamed answers of each provider, put together as if they had been sent at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshot_sdk._responses import read_answer
from snapshot_sdk.adapters._answer import read_body
from snapshot_sdk.adapters._frames import DONE, frames
from snapshot_sdk.adapters._merge import merge


def _delta(**delta: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def test_openai_tool_calls() -> None:
    """Calls that come in pieces, side by side, are whole; usage is the last one's."""
    events = [
        _delta(role="assistant", content=None),
        _delta(tool_calls=[{"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}]),
        _delta(tool_calls=[{"index": 1, "id": "b", "type": "function", "function": {"name": "g", "arguments": "{"}}]),
        _delta(tool_calls=[{"index": 0, "function": {"arguments": '{"x":'}}]),
        _delta(
            tool_calls=[{"index": 1, "function": {"arguments": "}"}}, {"index": 0, "function": {"arguments": "1}"}}]
        ),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}], "usage": None},
        {"choices": [], "usage": {"prompt_tokens": 5}},
        DONE,
    ]
    merged = merge(events)
    answer = read_answer(merged.body)
    assert answer.messages == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}},
                {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
            ],
        }
    ]
    assert (merged.ended, merged.error) == (True, None)
    assert (answer.usage, answer.stop_reason, answer.response_id) == ({"prompt_tokens": 5}, "tool_calls", "c")


def test_openai_calls_without_index() -> None:
    """Servers that leave out the index send whole calls, or pieces that belong to the last one."""
    events = [
        _delta(tool_calls=[{"id": "a", "function": {"name": "f", "arguments": "{}"}}]),
        _delta(tool_calls=[{"id": "b", "function": {"name": "g", "arguments": '{"y"'}}]),
        _delta(tool_calls=[{"function": {"arguments": ":2}"}}]),
    ]
    (message,) = read_answer(merge(events).body).messages
    assert [(call["id"], call["function"]["arguments"]) for call in message["tool_calls"]] == [
        ("a", "{}"),
        ("b", '{"y":2}'),
    ]


def test_openai_reasoning_and_choices() -> None:
    """Reasoning is joined beside the text; several choices stay apart."""
    events = [
        _delta(reasoning_content="th"),
        _delta(reasoning_content="ink"),
        _delta(content="hi"),
        {"choices": [{"index": 1, "delta": {"content": "yo"}, "finish_reason": "stop"}]},
    ]
    first, second = read_answer(merge(events).body).messages
    assert (first["reasoning_content"], first["content"], second["content"]) == ("think", "hi", "yo")
    assert not merge(events).ended  # the first choice has no finish reason


def test_groq_usage() -> None:
    """Groq's usage stands in a field of its own."""
    events = [_delta(content="x"), {"choices": [], "x_groq": {"usage": {"prompt_tokens": 7}}}]
    assert read_answer(merge(events).body).usage == {"prompt_tokens": 7}


def test_anthropic_blocks_and_usage() -> None:
    """Thinking with its signature, tool input, citations, compaction; totals overwrite the first usage."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 9, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "a"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "b"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "t"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": {"url": "u"}}},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "i", "input": {}}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"q":'}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '"茶"}'}},
        {"type": "content_block_start", "index": 3, "content_block": {"type": "compaction", "content": None}},
        {"type": "content_block_delta", "index": 3, "delta": {"type": "compaction_delta", "content": "summary"}},
        {"type": "ping"},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"input_tokens": 12, "output_tokens": 30, "cache_read_input_tokens": None},
        },
        {"type": "message_stop"},
    ]
    merged = merge(events)
    answer = read_answer(merged.body)
    assert answer.messages[0]["content"] == [
        {"type": "thinking", "thinking": "ab", "signature": "sig"},
        {"type": "text", "text": "t", "citations": [{"url": "u"}]},
        {"type": "tool_use", "id": "i", "input": {"q": "茶"}},
        {"type": "compaction", "content": "summary"},
    ]
    assert (merged.ended, answer.stop_reason, answer.response_id) == (True, "tool_use", "m")
    assert answer.usage == {"input_tokens": 12, "output_tokens": 30}


def test_anthropic_cut_in_a_tool_call() -> None:
    """Of a tool call that was cut the input's text is kept."""
    events: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "i", "input": {}}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"q":'}},
    ]
    merged = merge(events)
    assert merged.body is not None
    assert (merged.ended, merged.body["content"][0]["input"]) == (False, '{"q":')


@pytest.mark.parametrize("kind", ["completed", "incomplete", "failed"])
def test_responses_end(kind: str) -> None:
    """The last event of the Responses API holds the whole answer, however it ended."""
    response = {"id": "r", "status": kind, "output": [{"type": "message"}], "usage": {"input_tokens": 1}}
    if kind == "incomplete":
        response["incomplete_details"] = {"reason": "max_output_tokens"}
    if kind == "failed":
        response["error"] = {"code": "server_error"}
    merged = merge(
        [{"type": "response.created", "response": {"id": "r"}}, {"type": f"response.{kind}", "response": response}]
    )
    answer = read_answer(merged.body)
    assert (merged.ended, answer.messages, answer.usage) == (True, [{"type": "message"}], {"input_tokens": 1})
    assert answer.stop_reason == ("max_output_tokens" if kind == "incomplete" else kind)
    assert (merged.error is not None) == (kind == "failed")


def test_responses_cut() -> None:
    """Of a Responses stream that was cut, whole items and the text so far are kept."""
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "r", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "summary": []}},
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "why"},
        {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "content": []}},
        {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "h"},
        {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "i"},
        {"type": "response.output_item.added", "output_index": 2, "item": {"type": "function_call", "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": '{"a"'},
    ]
    merged = merge(events)
    reasoning, message, call = read_answer(merged.body).messages
    assert not merged.ended
    assert reasoning["summary"] == [{"type": "summary_text", "text": "why"}]
    assert message["content"] == [{"type": "output_text", "text": "hi"}]
    assert call["arguments"] == '{"a"'


def test_gemini_parts() -> None:
    """Thoughts and text are joined each for itself; calls and signatures stay; usage is the last one's."""

    def event(*parts: Any, **fields: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **fields}]}

    merged = merge(
        [
            event({"text": "a", "thought": True}) | {"usageMetadata": {"promptTokenCount": 1}},
            event({"text": "b", "thought": True}),
            event({"text": "c"}, {"text": "d"}),
            event({"functionCall": {"name": "f"}, "thoughtSignature": "s"}),
            event({"text": "e"}, finishReason="STOP") | {"usageMetadata": {"promptTokenCount": 2}, "responseId": "r"},
        ]
    )
    answer = read_answer(merged.body)
    assert answer.messages[0]["parts"] == [
        {"text": "ab", "thought": True},
        {"text": "cd"},
        {"functionCall": {"name": "f"}, "thoughtSignature": "s"},
        {"text": "e"},
    ]
    assert (merged.ended, answer.usage, answer.stop_reason) == (True, {"promptTokenCount": 2}, "STOP")
    assert answer.response_id == "r"


def test_gemini_blocked() -> None:
    """A prompt that was refused has no candidate, but an end and a reason."""
    merged = merge([{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 1}}])
    assert (merged.ended, read_answer(merged.body).stop_reason) == (True, "SAFETY")


def test_gemini_array() -> None:
    """Without server-sent events Gemini streams one JSON array."""
    data = json.dumps([{"candidates": [{"content": {"parts": [{"text": text}]}}]} for text in "ab"]).encode()
    body = read_body(data, "application/json", "")
    assert body.body["candidates"][0]["content"]["parts"] == [{"text": "ab"}]


def test_converse() -> None:
    """Bedrock's converse: text and a tool call; usage comes last."""
    merged = merge(
        [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "h"}}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "i"}}},
            {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"name": "f", "toolUseId": "t"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"a":'}}}},
            {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": "1}"}}}},
            {"messageStop": {"stopReason": "tool_use"}},
            {"metadata": {"usage": {"inputTokens": 3}}},
        ]
    )
    answer = read_answer(merged.body)
    assert answer.messages[0]["content"] == [
        {"text": "hi"},
        {"toolUse": {"name": "f", "toolUseId": "t", "input": '{"a":1}'}},
    ]
    assert (merged.ended, answer.usage, answer.stop_reason) == (True, {"inputTokens": 3}, "tool_use")


def test_converse_reasoning() -> None:
    """Reasoning that came in pieces has the shape it has when it comes at once; data nobody can read stays."""
    merged = merge(
        [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "a"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "b"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "s"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"reasoningContent": {"redactedContent": "x"}}}},
            {"messageStop": {"stopReason": "end_turn"}},
        ]
    )
    assert read_answer(merged.body).messages[0]["content"] == [
        {"reasoningContent": {"reasoningText": {"text": "ab", "signature": "s"}}},
        {"reasoningContent": {"redactedContent": "x"}},
    ]


def test_anthropic_applied_edits() -> None:
    """What was cleared from the prompt is told with the last event, beside the usage of each pass."""
    edits = {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 3}]}
    passes = [{"type": "compaction", "input_tokens": 50}, {"type": "message", "input_tokens": 5}]
    merged = merge(
        [
            {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 5}, "context_management": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "compaction", "content": None}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": "what was"}},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn"},
                "usage": {"output_tokens": 1, "iterations": passes},
                "context_management": edits,
            },
            {"type": "message_stop"},
        ]
    )
    answer = read_answer(merged.body)
    assert answer.context == edits
    assert answer.usage == {"input_tokens": 5, "output_tokens": 1, "iterations": passes}
    assert answer.messages[0]["content"] == [{"type": "compaction", "content": "what was"}]


def test_anthropic_edits_of_the_start_stay() -> None:
    """A last event that says nothing of edits takes nothing back."""
    edits: dict[str, Any] = {"applied_edits": []}
    merged = merge(
        [
            {"type": "message_start", "message": {"context_management": edits}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "context_management": None},
        ]
    )
    assert read_answer(merged.body).context == edits


def test_cohere() -> None:
    """Cohere's plan, tool call and text come in pieces; usage and reason last."""

    def piece(kind: str, index: int | None = None, **message: Any) -> dict[str, Any]:
        return {"type": kind, "index": index, "delta": {"message": message}}

    usage = {"billed_units": {"input_tokens": 3}, "tokens": {"input_tokens": 9}}
    merged = merge(
        [
            {"type": "message-start", "id": "c", "delta": {"message": {"role": "assistant", "content": []}}},
            piece("tool-plan-delta", tool_plan="I "),
            piece("tool-plan-delta", tool_plan="look"),
            piece("tool-call-start", 0, tool_calls={"id": "t", "function": {"name": "f", "arguments": ""}}),
            piece("tool-call-delta", 0, tool_calls={"function": {"arguments": '{"a":'}}),
            piece("tool-call-delta", 0, tool_calls={"function": {"arguments": "1}"}}),
            {"type": "tool-call-end", "index": 0},
            piece("content-start", 0, content={"type": "text", "text": ""}),
            piece("content-delta", 0, content={"text": "hi"}),
            {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": usage}},
        ]
    )
    answer = read_answer(merged.body)
    assert answer.messages == [
        {
            "role": "assistant",
            "tool_plan": "I look",
            "content": [{"type": "text", "text": "hi"}],
            "tool_calls": [{"id": "t", "function": {"name": "f", "arguments": '{"a":1}'}}],
        }
    ]
    assert (merged.ended, answer.usage, answer.stop_reason) == (True, usage, "TOOL_CALL")


def test_ollama_lines() -> None:
    """Ollama's JSON lines; the counts of the last one are its usage."""
    lines = [
        {"message": {"role": "assistant", "content": "h"}, "done": False},
        {"message": {"role": "assistant", "content": "i"}, "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 4, "eval_count": 2},
    ]
    body = read_body("\n".join(map(json.dumps, lines)).encode(), "application/x-ndjson", "")
    answer = read_answer(body.body)
    assert (body.ended, answer.messages) == (True, [{"role": "assistant", "content": "hi"}])
    assert (answer.usage, answer.stop_reason) == ({"prompt_eval_count": 4, "eval_count": 2}, "stop")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_server_sent_events(end: str) -> None:
    """Lines end in any of three ways; comments, names and data of several lines are understood."""
    text = end.join(
        [": hello", "event: x", 'data: {"a":', "data: 1}", "", "data:[1]", "", "data: [DONE]", "", "data: {"]
    )
    assert frames(text.encode(), "text/event-stream; charset=utf-8") == [{"a": 1}, [1], DONE]


def test_the_last_event_without_an_empty_line() -> None:
    """A whole last event counts even where the server forgot to end it; a torn one does not."""
    assert frames(b'data: {"a":1}', "text/event-stream") == [{"a": 1}]
    assert frames(b'data: {"a":1', "text/event-stream") == []


@pytest.mark.parametrize("data", [b"\x00" * 11, b"\x00\x00\x00\x10", b"\xff" * 40, b"\x00\x00\x00\x00" * 4])
def test_damaged_amazon_frames(data: bytes) -> None:
    """A damaged frame ends the reading."""
    assert frames(data, "application/vnd.amazon.eventstream") == []


_NAMES = ("type", "choices", "delta", "index", "content", "tool_calls", "function", "usage", "message", "done")
_TYPES = ["message_start", "content_block_delta", "response.x"]
_EVENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(_TYPES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(events=st.lists(_EVENTS, max_size=4))
def test_events_of_any_shape(events: list[Any]) -> None:
    """Events that are not what their names promise are no fault."""
    data = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    body = read_body(data, "text/event-stream", "")
    read_answer(body.body)
