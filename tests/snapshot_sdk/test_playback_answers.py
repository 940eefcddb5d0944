"""A recorded answer becomes the bytes of its dialect, and reading those gives the recorded answer back."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from snapshot_sdk._fixture_values import PlayedCall
from snapshot_sdk._playback_answers import PLAYABLE, answer_of
from snapshot_sdk._playback_values import Asked
from snapshot_sdk._responses import read_answer
from snapshot_sdk.adapters import _endpoints
from snapshot_sdk.adapters._answer import read_body
from snapshot_sdk.adapters._endpoints import Endpoints

LONG: Final = 'The room faces the sea; breakfast costs €14 more. 海景房，早餐另付。 \U0001f60a \\ "quoted"\n\n' * 4
ARGUMENTS: Final = json.dumps({"q": LONG})

TOOL: Final = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": ARGUMENTS}}
CITATION: Final = {"type": "char_location", "cited_text": "sea", "document_index": 0}

# Dialect, address, address of the stream, messages, stop reason, usage.
Case = tuple[str, str, str, tuple[Any, ...], str, dict[str, Any]]
CASES: Final[dict[str, Case]] = {
    "openai.chat": (
        "openai.chat",
        "https://api.openai.com/v1/chat/completions",
        "https://api.openai.com/v1/chat/completions",
        (
            {"role": "assistant", "content": LONG, "reasoning_content": "Cheap first.", "tool_calls": [TOOL]},
            {"role": "assistant", "content": "second choice"},
        ),
        "tool_calls",
        {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    ),
    "openai.completions": (
        "openai.completions",
        "https://api.openai.com/v1/completions",
        "https://api.openai.com/v1/completions",
        ({"role": "assistant", "content": LONG},),
        "length",
        {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    ),
    "openai.responses": (
        "openai.responses",
        "https://api.openai.com/v1/responses",
        "https://api.openai.com/v1/responses",
        (
            {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Cheap first."}]},
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": LONG, "annotations": []}],
            },
            {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "find", "arguments": ARGUMENTS},
        ),
        "max_output_tokens",
        {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13},
    ),
    "anthropic.messages": (
        "anthropic.messages",
        "https://api.anthropic.com/v1/messages",
        "https://api.anthropic.com/v1/messages",
        (
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": LONG, "signature": "c2ln"},
                    {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                    {"type": "text", "text": LONG, "citations": [CITATION]},
                    {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"q": LONG}},
                    {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
                ],
            },
        ),
        "tool_use",
        {"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": 5},
    ),
    "anthropic.messages on Bedrock": (
        "anthropic.messages",
        "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-x/invoke",
        "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-x/invoke-with-response-stream",
        ({"role": "assistant", "content": [{"type": "text", "text": LONG}]},),
        "end_turn",
        {"input_tokens": 9, "output_tokens": 4},
    ),
    "gemini.generate_content": (
        "gemini.generate_content",
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent",
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse",
        (
            {
                "role": "model",
                "parts": [
                    {"text": LONG, "thought": True},
                    {"text": LONG},
                    {"functionCall": {"name": "find", "args": {"q": LONG}}, "thoughtSignature": "c2ln"},
                ],
            },
        ),
        "STOP",
        {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13},
    ),
    "gemini.generate_content as an array": (
        "gemini.generate_content",
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent",
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent",
        ({"role": "model", "parts": [{"text": LONG}]},),
        "MAX_TOKENS",
        {"promptTokenCount": 9},
    ),
    "bedrock.converse": (
        "bedrock.converse",
        "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse",
        "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse-stream",
        (
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "Cheap first.", "signature": "c2ln"}}},
                    {"text": LONG},
                ],
            },
        ),
        "end_turn",
        {"inputTokens": 9, "outputTokens": 4, "totalTokens": 13},
    ),
    "cohere.chat": (
        "cohere.chat",
        "https://api.cohere.com/v2/chat",
        "https://api.cohere.com/v2/chat",
        (
            {
                "role": "assistant",
                "tool_plan": "I look.",
                "content": [{"type": "text", "text": LONG}],
                "tool_calls": [TOOL],
                "citations": [{"start": 0, "end": 3, "text": "The"}],
            },
        ),
        "TOOL_CALL",
        {"tokens": {"input_tokens": 9, "output_tokens": 4}},
    ),
    "ollama.chat": (
        "ollama.chat",
        "http://127.0.0.1:11434/api/chat",
        "http://127.0.0.1:11434/api/chat",
        ({"role": "assistant", "content": LONG, "tool_calls": [{"function": {"name": "find", "arguments": {}}}]},),
        "stop",
        {"prompt_eval_count": 9, "eval_count": 4},
    ),
    "ollama.generate": (
        "ollama.generate",
        "http://127.0.0.1:11434/api/generate",
        "http://127.0.0.1:11434/api/generate",
        ({"role": "assistant", "content": LONG},),
        "length",
        {"prompt_eval_count": 9, "eval_count": 4},
    ),
}


def asked(url: str, *, streamed: bool, **body: Any) -> Asked:
    """A request, recognised as it would be."""
    found = Endpoints(any_host=True).find("POST", url)
    assert found is not None
    body |= {"stream": streamed, "model": "m", "stream_options": {"include_usage": True}}
    return Asked("POST", url, found.api, body, found.model or "m")


def played(api: str, answer: tuple[Any, ...] = (), **fields: Any) -> PlayedCall:
    """A recorded call."""
    given: dict[str, Any] = {"endpoint": None, "status": 200, "stop_reason": None, "usage": None, "model": None}
    return PlayedCall(call=7, lane="main", api=api, answer=answer, **(given | fields))


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", CASES)
def test_read_back(name: str, streamed: bool) -> None:
    """Messages, stop reason and usage of the answer are those that were recorded, and its end is seen."""
    api, url, stream_url, messages, stop, usage = CASES[name]
    call = played(api, messages, stop_reason=stop, usage=usage)

    answer = answer_of(call, asked(stream_url if streamed else url, streamed=streamed))

    body = read_body(answer.body, answer.content_type, "")
    read = read_answer(body.body)
    assert (body.ended, body.error) == (True, None)
    assert [_said(message) for message in read.messages] == [_said(message) for message in messages]
    assert (read.stop_reason, read.usage) == (stop, usage)
    assert (len(answer.chunks) > 2) is streamed or "array" in name


def _said(message: Any) -> Any:
    """Without members that a stream brings empty."""
    return {name: value for name, value in message.items() if value is not None}


def test_every_dialect_is_tried() -> None:
    """Each that can be played is among the cases; the oldest has a test of its own."""
    assert {case[0] for case in CASES.values()} | {"anthropic.complete"} == PLAYABLE


def test_every_dialect_that_is_recognised_can_be_played() -> None:
    """No address names one whose answers cannot be made."""
    assert {api for _, api in _endpoints._CALLS if api is not None} <= PLAYABLE


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_anthropics_older_completions(streamed: bool) -> None:
    """The text is that which was recorded."""
    call = played("anthropic.complete", ({"role": "assistant", "content": LONG},), stop_reason="stop_sequence")
    answer = answer_of(call, asked("https://api.anthropic.com/v1/complete", streamed=streamed))
    lines = [line.removeprefix("data: ") for line in answer.body.decode().splitlines() if line.startswith("data: ")]
    values = [json.loads(line) for line in lines] if streamed else [json.loads(answer.body)]
    assert "".join(value["completion"] for value in values) == LONG
    assert values[-1]["stop_reason"] == "stop_sequence"


def test_a_stop_reason_that_was_not_recorded() -> None:
    """It follows from the message: agents go by it."""
    bodies = [
        json.loads(answer_of(played(case[0], case[3]), asked(case[1], streamed=False)).body)
        for case in (CASES["openai.chat"], CASES["anthropic.messages"], CASES["openai.responses"])
    ]
    assert [choice["finish_reason"] for choice in bodies[0]["choices"]] == ["tool_calls", "stop"]
    assert bodies[1]["stop_reason"] == "tool_use"
    assert bodies[2]["status"] == "completed"


def test_usage_is_streamed_where_it_is_asked_for() -> None:
    """A stream of chat completions tells it only then, as the protocol has it."""
    api, url, _, messages, stop, usage = CASES["openai.chat"]
    call = played(api, messages, stop_reason=stop, usage=usage)
    quiet = Asked("POST", url, api, {"stream": True}, "m")
    assert b"usage" not in answer_of(call, quiet).body
    assert b'"total_tokens":13' in answer_of(call, asked(url, streamed=True)).body


def test_unknown_usage_is_not_made_up() -> None:
    """An answer whose usage is not known names none; Anthropic's clients cannot do without two figures."""
    for name, case in CASES.items():
        body = json.loads(answer_of(played(case[0], case[3]), asked(case[1], streamed=False)).body)
        if case[0] == "anthropic.messages":
            assert body["usage"] == {"input_tokens": 0, "output_tokens": 0}, name
        else:
            assert read_answer(body).usage is None, name


def test_ollama_streams_unless_told_otherwise() -> None:
    """Its protocol has that the other way round."""
    call = played("ollama.chat", ({"role": "assistant", "content": "hi"},))
    url = "http://127.0.0.1:11434/api/chat"
    assert answer_of(call, Asked("POST", url, "ollama.chat", {}, "m")).content_type == "application/x-ndjson"
    assert answer_of(call, asked(url, streamed=False)).content_type == "application/json"


@pytest.mark.parametrize("name", CASES)
def test_a_refusal(name: str) -> None:
    """It has the recorded status, is no stream, and says in the provider's shape that it is played."""
    api, _, url, *_ = CASES[name]
    answer = answer_of(played(api, status=529), asked(url, streamed=True))
    assert (answer.status, answer.content_type) == (529, "application/json")
    assert "HTTP 529, as recorded" in str(json.loads(answer.body))


def test_a_cache_of_gemini() -> None:
    """What is made is named, so that later requests can refer to it."""
    url = "https://generativelanguage.googleapis.com/v1beta/cachedContents"
    call = played("gemini.generate_content", usage={"totalTokenCount": 9})
    body = json.loads(answer_of(call, asked(url, streamed=False)).body)
    assert body["name"] == "cachedContents/played-7"


def test_a_compaction_of_openai() -> None:
    """Its items come back in the shape of that endpoint."""
    items = ({"type": "compaction", "id": "cmp_1", "encrypted_content": "bmV3"},)
    url = "https://api.openai.com/v1/responses/compact"
    body = json.loads(answer_of(played("openai.responses", items), asked(url, streamed=False)).body)
    assert (body["object"], body["output"]) == ("response.compaction", list(items))


def test_a_blocked_answer_of_gemini() -> None:
    """No candidate, and the reason where the protocol has it."""
    call = played("gemini.generate_content", stop_reason="SAFETY")
    for streamed, url in enumerate(CASES["gemini.generate_content"][1:3]):
        answer = answer_of(call, asked(url, streamed=bool(streamed)))
        assert read_answer(read_body(answer.body, answer.content_type, "").body).stop_reason == "SAFETY"
