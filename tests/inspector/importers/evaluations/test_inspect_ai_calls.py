"""Facts about the calls of inspect_ai's samples."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import inspect_ai_logs as logs
import pytest

from inspector.importers.base import ImportedCall, ImportedCompaction, ImportedRecord
from inspector.importers.evaluations.inspect_ai import InspectAI
from inspector.importers.reading.documents import Document
from inspector.importers.run import import_paths
from inspector.index import open_index

RAW: dict[str, Any] = {
    "request": {
        "model": "m", "messages": [{"role": "user", "content": f"attachment://{logs.DIGEST}"}],
        "extra_headers": {"x-irid": "secret"}, "extra_body": {"top_k": 5}, "timeout": 600,
    },
    "response": {
        "id": "r1", "choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 1},
    },
    "time": 0.25,
}  # fmt: skip


def records(tmp_path: Path, *events: Any, **members: Any) -> list[ImportedRecord]:
    """Read the records of a sample with these events."""
    path = logs.json_log(tmp_path / "l.json", logs.sample(*events, **members))
    problems: list[Any] = []
    [session] = InspectAI().read([Document(path)], problems.append)
    assert problems == []
    return list(session.calls())


def calls(tmp_path: Path, *events: Any, **members: Any) -> list[ImportedCall]:
    """Read the calls of a sample with these events."""
    return [one for one in records(tmp_path, *events, **members) if isinstance(one, ImportedCall)]


def test_raw_request_is_imported(tmp_path: Path) -> None:
    """The body is what was sent: headers and the client's options are gone, extra members merged in."""
    [call] = calls(tmp_path, logs.model_event(call=RAW))

    assert call.request == {"model": "m", "messages": [{"role": "user", "content": logs.LONG}], "top_k": 5}
    assert (call.exact, call.missing, call.api) == ("imported", (), "openai.chat")
    assert call.answer is not None
    assert (call.answer.body, call.answer.duration_ms) == (RAW["response"], 250.0)


def test_rebuilt_request(tmp_path: Path) -> None:
    """Without the raw body messages, tools and settings are put in OpenAI's words, and that is said."""
    [call] = calls(tmp_path, logs.model_event(input=[logs.USER, logs.CALLING, logs.RESULT]))

    assert call.request == {
        "model": "openai/m",
        "messages": [
            {"role": "user", "content": logs.LONG},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "t1", "type": "function", "function": {"name": "ls", "arguments": '{"path": "."}'}}
                ],
            },
            {"role": "tool", "content": "a.txt", "tool_call_id": "t1", "name": "ls"},
        ],
        "tools": [{"type": "function", "function": logs.TOOL}],
        "tool_choice": "auto",
        "temperature": 0.5,
    }
    assert (call.exact, call.missing) == ("rebuilt", ("wire form",))


def test_times(tmp_path: Path) -> None:
    """A call was sent at the event's time and answered when it was completed."""
    [call] = calls(tmp_path, logs.model_event())

    assert call.time == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert call.answer is not None
    assert (call.answer.time, call.answer.duration_ms) == (datetime(2026, 1, 2, 3, 4, 6, tzinfo=UTC), 500.0)


@pytest.mark.parametrize(
    ("usage", "prompt"),
    [
        ({"input_tokens": 50, "output_tokens": 5, "total_tokens": 100055, "input_tokens_cache_read": 100000}, 100050),
        ({"input_tokens": 1568, "output_tokens": 17, "total_tokens": 1585, "input_tokens_cache_read": 1024}, 1568),
        (
            {
                "input_tokens": 1, "output_tokens": 1, "total_tokens": 32, "input_tokens_cache_read": 10,
                "input_tokens_cache_write": 20,
            },
            31,
        ),
        ({"input_tokens": 10, "output_tokens": 4}, 10),
        (None, None),
    ],
)  # fmt: skip
def test_usage_means_one_thing(tmp_path: Path, usage: dict[str, int] | None, prompt: int | None) -> None:
    """Whether a version counts cached tokens beside or within the input is told by its total."""
    [call] = calls(tmp_path, logs.model_event(output={**logs.OUTPUT, "usage": usage}))

    assert call.answer is not None
    assert call.answer.body is not None
    assert call.answer.body.get("usage", {}).get("prompt_tokens") == prompt


def test_context_is_never_the_sum_of_the_sample(tmp_path: Path) -> None:
    """Usage that adds up the whole sample is no size of any prompt."""
    sample = logs.sample(logs.model_event(), model_usage={"openai/m": {"input_tokens": 950_000}})
    import_paths([logs.json_log(tmp_path / "l.json", sample)], tmp_path / "out")
    index = open_index(tmp_path / "out")
    index.refresh()

    assert index.call("E1/s_epoch_1", 1).call.usage.input_tokens == 10


def test_failed_call(tmp_path: Path) -> None:
    """An error is the answer; the body that came with it is none."""
    failed = {"request": RAW["request"], "response": {"error": {"message": "too long"}}, "error": True}
    [call] = calls(tmp_path, logs.model_event(call=failed, error="400: too long", output={"choices": []}))

    assert call.answer is not None
    assert (call.answer.body, call.answer.error) == (None, "400: too long")


def test_pending_call_has_no_answer(tmp_path: Path) -> None:
    """A call that was under way when the log was written has none."""
    [call] = calls(tmp_path, logs.model_event(pending=True, output={"choices": []}))

    assert call.answer is None


def test_retries_are_attempts(tmp_path: Path) -> None:
    """Two retries are two tries before the one that was answered."""
    path = logs.json_log(tmp_path / "l.json", logs.sample(logs.model_event(retries=2)))
    import_paths([path], tmp_path / "out")
    index = open_index(tmp_path / "out")
    index.refresh()
    call = index.call("E1/s_epoch_1", 1).call

    assert (call.attempts, call.status) == (3, "answered")


def test_empty_content_keeps_tool_calls(tmp_path: Path) -> None:
    """Content that is null or missing costs nothing of a message."""
    bare = {name: value for name, value in logs.CALLING.items() if name != "content"}
    [call] = calls(tmp_path, logs.model_event(input=[{**logs.CALLING, "content": None}, bare]))

    assert isinstance(call.request, dict)
    assert [len(message["tool_calls"]) for message in call.request["messages"]] == [1, 1]
    assert [message["content"] for message in call.request["messages"]] == [None, None]


def test_kinds_of_content(tmp_path: Path) -> None:
    """Reasoning, images, sound and documents have the places OpenAI's shape has for them."""
    content = [
        {"type": "reasoning", "reasoning": "so", "signature": "s"},
        {"type": "reasoning", "reasoning": "xxx", "summary": "in short", "redacted": True},
        {"type": "text", "text": "look", "internal": {"a": 1}},
        {"type": "image", "image": "data:image/png;base64,QQ==", "detail": "low"},
        {"type": "audio", "audio": "data:audio/wav;base64,QQ==", "format": "wav"},
        {"type": "document", "document": "data:application/pdf;base64,QQ==", "filename": "a.pdf"},
        {"type": "data", "data": {"a": 1}, "internal": None},
    ]
    [call] = calls(tmp_path, logs.model_event(input=[{"role": "assistant", "content": content}]))

    assert isinstance(call.request, dict)
    [message] = call.request["messages"]
    assert message["reasoning_content"] == "so\nin short"
    assert message["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ==", "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QQ=="}},
        {"type": "data", "data": {"a": 1}},
    ]


def test_error_of_a_tool_is_its_result(tmp_path: Path) -> None:
    """Providers are sent a tool's error in the place of what it gave."""
    result = {**logs.RESULT, "content": "", "error": {"type": "timeout", "message": "took too long"}}
    [call] = calls(tmp_path, logs.model_event(input=[result]))

    assert isinstance(call.request, dict)
    assert call.request["messages"][0]["content"] == "took too long"


def test_images_that_were_not_logged_are_missing(tmp_path: Path) -> None:
    """A placeholder in a raw body makes it a rebuilt one."""
    block = {"type": "image_url", "image_url": {"url": "<base64-data-removed>"}}
    raw = {"request": {"model": "m", "messages": [{"role": "user", "content": [block]}]}}
    [call] = calls(tmp_path, logs.model_event(call=raw))

    assert (call.exact, call.missing) == ("rebuilt", ("images",))


@pytest.mark.parametrize(
    ("model", "request_", "api"),
    [
        ("anthropic/claude", {"messages": []}, "anthropic.messages"),
        ("bedrock/nova", {"modelId": "n", "messages": []}, "bedrock.converse"),
        ("mistral/large", {"messages": []}, "mistral.chat"),
        ("openai/o3", {"input": []}, "openai.responses"),
        ("google/gemini", {"contents": []}, "gemini.generate_content"),
        ("together/x", {"messages": []}, "openai.chat"),
        ("hf/x", {"prompt": "a"}, None),
    ],
)
def test_dialect_of_raw_requests(tmp_path: Path, model: str, request_: dict[str, Any], api: str | None) -> None:
    """The provider in the model's name tells what the members alone do not."""
    [call] = calls(tmp_path, logs.model_event(model=model, call={"request": request_}))

    assert (call.api, call.model) == (api, model)


def test_google_is_worded_as_its_api(tmp_path: Path) -> None:
    """The log has the words of Google's client: that is said, and usage is read all the same."""
    answer = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}, "finish_reason": "STOP"}],
        "usage_metadata": {"prompt_token_count": 9, "candidates_token_count": 2, "cached_content_token_count": None},
    }
    contents = [{"role": "user", "parts": [{"text": "q"}]}]
    event = logs.model_event(
        model="google/gemini-x", call={"request": {"contents": contents, "tools": None}, "response": answer}
    )
    path = logs.json_log(tmp_path / "l.json", logs.sample(event))
    summary = import_paths([path], tmp_path / "out")
    index = open_index(tmp_path / "out")
    index.refresh()
    call = index.call("E1/s_epoch_1", 1).call

    assert summary.sessions[0].missing == ("wire form",)
    assert (call.model, call.usage.input_tokens, call.usage.output_tokens) == ("google/gemini-x", 9, 2)
    assert call.stop_reason == "STOP"


def test_lanes(tmp_path: Path) -> None:
    """A tool that calls models, an agent that another runs, and a scorer hold conversations of their own."""
    events = [
        logs.span("solver", "solve", "s"),
        logs.span("agent", "react", "a", "s"),
        logs.model_event(span_id="a"),
        logs.span("tool", "search", "t", "a"),
        logs.span("agent", "surfer", "b", "t"),
        logs.model_event(span_id="b"),
        logs.span("agent", "surfer", "b2", "a"),
        logs.model_event(span_id="b2"),
        logs.model_event(span_id="a"),
        logs.span("tool", "ask", "t2", "a"),
        logs.model_event(span_id="t2"),
        logs.span("scorer", "graded", "g"),
        logs.model_event(span_id="g", role="grader"),
    ]
    found = [(call.lane, call.purpose) for call in calls(tmp_path, *events)]

    assert found == [
        (None, None), ("surfer", None), ("surfer 2", None), (None, None), ("ask", None), ("graded", "judge"),
    ]  # fmt: skip


def test_roles_are_lanes(tmp_path: Path) -> None:
    """Models in different roles hold different conversations."""
    found = [call.lane for call in calls(tmp_path, logs.model_event(role="red"), logs.model_event())]

    assert found == ["red", None]


def test_old_logs_nest_events(tmp_path: Path) -> None:
    """Before there were spans, events of a tool stood within it, and scorers were steps."""
    tool = {"event": "tool", "function": "browse", "events": [logs.model_event()]}
    quiet = {"event": "tool", "function": "ls", "events": [{"event": "info"}]}
    begin = {"event": "step", "action": "begin", "type": "scorer", "name": "graded"}
    end = {**begin, "action": "end"}
    found = [call.lane for call in calls(tmp_path, tool, quiet, begin, logs.model_event(), end, logs.model_event())]

    assert found == ["browse", "graded", None]


def test_spans_that_go_round(tmp_path: Path) -> None:
    """Damaged parents do not hang the import."""
    events = [logs.span("tool", "x", "a", "b"), logs.span("tool", "y", "b", "a"), logs.model_event(span_id="a")]

    assert len(calls(tmp_path, *events)) == 1


def test_compaction(tmp_path: Path) -> None:
    """A recorded compaction keeps its kind, sizes, strategy and trigger."""
    event = {
        "event": "compaction", "type": "trim", "tokens_before": 900, "tokens_after": 300, "source": "inspect",
        "timestamp": "2026-01-02T03:04:07+00:00", "metadata": {"strategy": "CompactionTrim", "trigger": "threshold"},
    }  # fmt: skip
    _, found = records(tmp_path, logs.model_event(), event)

    assert found == ImportedCompaction(
        strategy="trim",
        policy="CompactionTrim",
        reason="threshold",
        time=datetime(2026, 1, 2, 3, 4, 7, tzinfo=UTC),
        tokens_before=900,
        tokens_after=300,
    )


def test_text_in_blocks_of_old_logs(tmp_path: Path) -> None:
    """``tc://`` is how references were written until 2024."""
    content = [{"type": "text", "text": f"tc://{logs.DIGEST}"}]
    [call] = calls(tmp_path, logs.model_event(input=[{"role": "user", "content": content}]))

    assert isinstance(call.request, dict)
    assert call.request["messages"][0]["content"] == [{"type": "text", "text": logs.LONG}]
