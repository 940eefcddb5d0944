"""Facts about LangSmith's runs, in each of the shapes they are exported in."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from importing import answer_body, body, calls_of, only_call, read_as

from inspector.importers.base import ImportedCall, ImportedSession, Problem
from inspector.importers.run import import_paths
from inspector.importers.traces.langsmith import LangSmith
from inspector.index import open_index

Write = Callable[..., Path]
HI = [{"role": "user", "content": "Hi"}]
BODY = {"model": "gpt-4o", "messages": HI}
REPLY = {
    "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4o-2024",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello"}}],
    "usage_metadata": {"input_tokens": 9, "output_tokens": 2, "input_token_details": {"cache_read": 4}},
}  # fmt: skip


def run(key: str, second: int = 0, **members: Any) -> dict[str, Any]:
    """A run of a model that an OpenAI client made, unless the members say otherwise."""
    return {
        "id": key, "trace_id": "T", "parent_run_id": None, "run_type": "llm", "name": "ChatOpenAI",
        "start_time": f"2026-01-01T00:00:{second:02}+00:00", "end_time": f"2026-01-01T00:00:{second + 1:02}+00:00",
        "inputs": {**BODY, "extra_headers": None, "extra_query": None}, "outputs": REPLY, "error": None,
        "extra": {"metadata": {}}, "session_id": "id of the project", **members,
    }  # fmt: skip


def lc(cls: str, /, **kwargs: Any) -> dict[str, Any]:
    """A message as LangChain serialises it."""
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", cls], "kwargs": kwargs}


def chain(*messages: Any, **members: Any) -> dict[str, Any]:
    """A run of a model that LangChain made."""
    tool = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
    sent = {"_type": "openai-chat", "model": "gpt-4o", "model_name": "gpt-4o", "temperature": 0, "stop": None}
    counts = {"input_tokens": 20, "output_tokens": 5, "output_token_details": {"reasoning": 3}}
    reply = lc(
        "AIMessage", content="", tool_calls=[{"name": "find", "args": {"q": 1}, "id": "c"}], usage_metadata=counts
    )
    generation = {"text": "", "message": reply, "generation_info": {"finish_reason": "tool_calls"}}
    return (
        run(
            "r",
            inputs={"messages": [list(messages) or [lc("HumanMessage", content="Hi")]]},
            outputs={"generations": [[generation]], "llm_output": {"token_usage": {"prompt_tokens": 1}}},
            extra={"invocation_params": {**sent, "tools": [tool]}, "metadata": {"ls_provider": "openai"}},
        )
        | members
    )


def read(*paths: Path) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as the format does."""
    return read_as(LangSmith(), *paths)


def call(write_json: Write, value: Any) -> ImportedCall:
    """Read a file with one call."""
    return only_call(LangSmith(), write_json("x.json", value))


ROOT = run("R", run_type="chain", name="agent", trace_id="T", inputs={}, outputs={})
SHAPES: dict[str, Any] = {
    "a run": run("r"),
    "an array": [run("r")],
    "a page of the API": {"runs": [run("r")], "cursors": {}},
    "an envelope": {"data": [run("r")]},
    "runs within a run": {**ROOT, "child_runs": [run("s", run_type="tool", child_runs=[run("r")])]},
    "what the SDK posts": {
        "post": [{**run("r"), "outputs": {}, "end_time": None, "error": None}],
        "patch": [{"id": "r", "trace_id": "T", "end_time": "2026-01-01T00:00:01+00:00", "outputs": REPLY}],
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(write_json: Write, shape: str) -> None:
    """The call is the same in each shape, and each is recognised."""
    value = SHAPES[shape]
    found = call(write_json, value)
    assert LangSmith().recognises(value)
    assert (found.exact, found.missing, found.request) == ("imported", (), BODY)
    assert answer_body(found)["choices"][0]["message"]["content"] == "Hello"
    assert answer_body(found)["usage"] == {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    assert found.answer is not None
    assert found.answer.duration_ms == 1000


@pytest.mark.parametrize("shape", SHAPES)
def test_lines(write_lines: Write, shape: str) -> None:
    """So it is where each value stands on a line."""
    value = SHAPES[shape]
    values = value if isinstance(value, list) else [value]
    [session], problems = read(write_lines("x.jsonl", *values, {"note": 1}, {"note": 2}))
    assert (problems, len(calls_of(session))) == ([], 1)


@pytest.mark.parametrize(
    "sample",
    [{"run_type": "llm"}, {"id": "x", "inputs": {}}, {"runs": [{"id": 1, "status": "ok"}]}, BODY, [HI], None],
)
def test_other_formats(sample: Any) -> None:
    """Other JSON is not taken for runs."""
    assert not LangSmith().recognises(sample)


def test_completed_without_id(write_lines: Write) -> None:
    """The SDK for JavaScript completes a run by its place in the order alone, and counts time in milliseconds."""
    order = "20260101T000000000000Zr"
    begun = run("r", dotted_order=order, outputs={}, start_time=1767225600000, end_time=None)
    ended = {"dotted_order": order, "trace_id": "T", "end_time": 1767225601500, "outputs": REPLY}
    [session], _ = read(write_lines("ops.jsonl", begun, ended))
    [found] = calls_of(session)
    assert found.time == datetime(2026, 1, 1, tzinfo=UTC)
    assert found.answer is not None
    assert found.answer.duration_ms == 1500


def test_langchain(write_json: Write) -> None:
    """A run of LangChain is the chat request that its messages and parameters make, with the tools."""
    found = call(write_json, chain(lc("SystemMessage", content="Be brief"), lc("HumanMessage", content="猫?")))
    assert (found.exact, found.missing) == ("rebuilt", ())
    assert body(found)["messages"] == [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "猫?"}]
    assert body(found)["tools"][0]["function"]["name"] == "find"
    assert (body(found)["model"], body(found)["temperature"]) == ("gpt-4o", 0)
    assert not {"_type", "model_name", "stop"} & body(found).keys()


def test_langchains_answer(write_json: Write) -> None:
    """The answer of LangChain is the message it parsed, with the usage that stands in it."""
    reply = answer_body(call(write_json, chain()))
    [choice] = reply["choices"]
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "find", "arguments": '{"q": 1}'}
    assert choice["finish_reason"] == "tool_calls"
    assert reply["usage"]["prompt_tokens"] == 20
    assert reply["usage"]["completion_tokens_details"] == {"reasoning_tokens": 3}


def test_answer_is_the_next_prompts_message(write_json: Write) -> None:
    """An answer and the message it becomes in the next prompt are one: nothing looks changed between them."""
    reply = lc("AIMessage", content="", tool_calls=[{"name": "find", "args": {"q": "猫"}, "id": "c"}], id="run-1")
    first = chain(outputs={"generations": [[{"message": reply}]]})
    second = chain(lc("HumanMessage", content="Hi"), reply, start_time="2026-01-01T00:00:09Z", id="q")
    [session], _ = read(write_json("x.json", [first, second]))
    one, two = calls_of(session)
    assert answer_body(one)["choices"][0]["message"] == body(two)["messages"][1]


def test_other_provider(write_json: Write) -> None:
    """What LangChain sends to a provider of another shape is known but for its form."""
    sent = {"_type": "anthropic-chat", "model": "claude-x", "max_tokens": 9}
    found = call(write_json, chain(extra={"invocation_params": sent, "metadata": {"ls_provider": "anthropic"}}))
    assert found.missing == ("wire form",)


def test_without_parameters(write_json: Write) -> None:
    """Where the parameters were not noted they are missing, and so are the tools."""
    found = call(write_json, chain(extra={"metadata": {"ls_provider": "openai", "ls_model_name": "gpt-4o"}}))
    assert found.missing == ("tools", "parameters")
    assert body(found)["model"] == "gpt-4o"


def test_anthropic_client(write_json: Write) -> None:
    """The body of another client is that client's body."""
    given = {"model": "claude-x", "max_tokens": 9, "system": "Be brief", "messages": HI}
    reply = {
        "id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hello"}],
        "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 100},
    }  # fmt: skip
    found = call(write_json, run("r", name="ChatAnthropic", inputs=given, outputs=reply))
    assert (found.exact, found.api, found.request) == ("imported", "anthropic.messages", given)
    assert answer_body(found)["usage"]["cache_read_input_tokens"] == 100


def test_responses_client(write_json: Write) -> None:
    """So is a body of OpenAI's Responses."""
    given = {"model": "gpt-4o", "instructions": "Be brief", "input": "Hi"}
    reply = {"object": "response", "output": [{"type": "message", "role": "assistant", "content": []}]}
    found = call(write_json, run("r", inputs=given, outputs=reply))
    assert (found.exact, found.api, found.request) == ("imported", "openai.responses", given)


def test_text_model(write_json: Write) -> None:
    """The prompt of a model that takes a text is shown as the user's, in a form that is not known."""
    found = call(write_json, run("r", inputs={"prompts": ["Human: Hi"]}, outputs={"generations": [[{"text": "Yo"}]]}))
    assert body(found)["messages"] == [{"role": "user", "content": "Human: Hi"}]
    assert answer_body(found)["choices"][0]["message"]["content"] == "Yo"
    assert "wire form" in found.missing


@pytest.mark.parametrize("key", ["session_id", "thread_id", "conversation_id"])
def test_threads(write_json: Write, key: str) -> None:
    """Traces of one thread are its turns; the thread may be named by the root alone."""
    extra = {"metadata": {key: "thread 1"}}
    runs = []
    for turn in (2, 1):
        place = {"trace_id": f"T{turn}", "extra": extra}
        runs += [run(f"R{turn}", turn * 10, run_type="chain", **place)]
        runs += [run(f"r{turn}", turn * 10 + 1, trace_id=f"T{turn}", parent_run_id=f"R{turn}")]
    [session], _ = read(write_json("x.json", runs))
    assert session.session == "thread 1"
    assert [(found.turn, found.time.minute if found.time else None) for found in calls_of(session)] == [(1, 0), (2, 0)]
    assert [found.time.second for found in calls_of(session) if found.time] == [11, 21]


def test_dotted_order(write_json: Write) -> None:
    """Runs are in the order that LangSmith gives them, whatever the order of the export."""

    def placed(key: str, model: str) -> dict[str, Any]:
        order = f"20260101T000000000000ZT.20260101T00000{key}000000Zr{key}"
        return run(f"r{key}", dotted_order=order, inputs={**BODY, "model": model})

    [session], _ = read(write_json("x.json", [placed("3", "c"), placed("1", "a"), placed("2", "b")]))
    assert [body(found)["model"] for found in calls_of(session)] == ["a", "b", "c"]


def test_parents_of_the_order(write_json: Write) -> None:
    """Where parents are not named the order tells them: a run within a tool has a lane of its own."""
    tool = run("t", run_type="tool", name="research", trace_id=None, dotted_order="1ZT.2Zt", inputs={}, outputs={})
    inner = run("i", 3, trace_id=None, dotted_order="1ZT.2Zt.3Zi")
    outer = run("o", 1, trace_id=None, dotted_order="1ZT.1Zo")
    [session], _ = read(write_json("x.json", [inner, tool, outer]))
    assert (session.session, [found.lane for found in calls_of(session)]) == ("T", [None, "research"])


def test_failed(write_json: Write) -> None:
    """A run that failed says why, with the status and without the traceback."""
    said = 'BadRequestError("Error code: 400 - too long")Traceback (most recent call last):\n  File "x.py", line 1'
    found = call(write_json, run("r", outputs=None, error=said))
    assert found.answer is not None
    assert (found.answer.body, found.answer.status) == (None, 400)
    assert found.answer.error == 'BadRequestError("Error code: 400 - too long")'


def test_broken_off(write_json: Write) -> None:
    """Of a stream that never ended there is what came, and it is said to be broken off."""
    tokens: list[Any] = ["Hel", {"choices": [{"delta": {"content": "lo"}}]}]
    events = [{"name": "new_token", "kwargs": {"token": token}} for token in tokens]
    found = call(write_json, run("r", outputs=None, end_time=None, events=events))
    assert answer_body(found)["choices"][0]["message"]["content"] == "Hello"
    assert found.answer is not None
    assert found.answer.error == "broken off: the run has no end"


def test_pending(write_json: Write) -> None:
    """A run of which nothing came has no answer."""
    assert call(write_json, run("r", outputs=None, end_time=None)).answer is None


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"prompt_tokens": 50, "completion_tokens": 7, "total_tokens": 57}, (50, 7)),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, None),
    ],
)
def test_counts_of_langsmith(write_json: Write, counts: dict[str, int], expected: tuple[int, int] | None) -> None:
    """Where the answer has no usage LangSmith's own counts are it; all zero means that none were taken."""
    reply = answer_body(call(write_json, run("r", outputs={"role": "assistant", "content": "Hello"}, **counts)))
    usage = reply.get("usage")
    assert (None if usage is None else (usage["prompt_tokens"], usage["completion_tokens"])) == expected


def test_no_prompt(write_json: Write) -> None:
    """Runs without a prompt are told of, and the others are read."""
    [session], problems = read(write_json("x.json", [run("a", inputs={}), run("b", 1)]))
    assert len(calls_of(session)) == 1
    assert "1 of the runs of a model of session 'T' hold no prompt, the first a" in problems[0].reason


def test_no_runs_of_a_model(write_json: Write) -> None:
    """A file without runs of a model is refused with the reason."""
    sessions, problems = read(write_json("x.json", [ROOT]))
    assert sessions == []
    assert "without any runs of a model" in problems[0].reason


def test_image(tmp_path: Path, write_json: Write) -> None:
    """An image is an image to the page, not a text of a million tokens."""
    block = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" + "A" * 9000},
    }
    path = write_json("x.json", chain(lc("HumanMessage", content=[block])))
    import_paths([path], tmp_path / "out")
    index = open_index(tmp_path / "out")
    try:
        index.refresh()
        view = index.call("T", 1)
    finally:
        index.close()
    [part] = next(row for row in view.messages if row.member == "messages").message.parts
    assert (part.kind, part.text) == ("image", "")


REAL = {
    "langsmith_js_wrap_openai_default": ("gpt-4o-mini", 9, 9, 0),
    "langsmith_py_wrap_openai_reasoning": ("o1-mini", 43, 2497, 1408),
    "langsmith_py_wrap_openai_stream": ("gpt-4o-mini", 9, 9, 0),
}
"""Model and tokens of the shared files: prompt, answer, and reasoning in it."""


@pytest.mark.parametrize("name", REAL)
def test_real(realdata: Path, tmp_path: Path, name: str) -> None:
    """The shared files are whole bodies, with their answers, times and usage, counted to the provider's token."""
    path = realdata / "langsmith" / f"{name}.json"
    import_paths([path], tmp_path / "out")
    given = json.loads(path.read_text(encoding="utf-8"))
    index = open_index(tmp_path / "out")
    try:
        index.refresh()
        [session] = index.sessions()
        view = index.call(session.session, 1)
    finally:
        index.close()
    model, prompt, reply, reasoning = REAL[name]
    usage = view.call.usage
    assert session.session == given["post"][0]["trace_id"]
    assert (view.call.exact, view.call.model, view.call.unattributed) == ("imported", model, 0)
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) == (prompt, reply, reasoning)
    assert view.messages[0].message.text == given["post"][0]["inputs"]["messages"][0]["content"]
    assert view.answer is not None
    assert view.answer.messages[0].text == given["patch"][0]["outputs"]["choices"][0]["message"]["content"]
    assert view.answer.stop_reason == "stop"
    assert view.call.duration_ms is not None
