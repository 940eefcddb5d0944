"""Facts about ``show``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import number_rows
from inspector.cli.call_json import call_json
from snapshot_sdk import Recorder


def test_request_is_exact(traces: Path, recorded: SimpleNamespace, run: Callable[..., Result]) -> None:
    """``--request`` writes the very bytes that were sent, and nothing else."""
    result = run("show", traces, "wire", "1", "--request")

    assert (result.exit_code, result.stdout_bytes, result.stderr) == (0, recorded.wire, "")


def test_request_of_values_is_their_json(traces: Path, recorded: SimpleNamespace, run: Callable[..., Result]) -> None:
    """A request handed over as values comes back as the same values in the same order."""
    body = json.loads(run("show", traces, "order", "1", "--request").stdout_bytes)

    assert list(body.items()) == list(recorded.first.items())


def test_messages_of_a_call(traces: Path, recorded: SimpleNamespace, run_json: Callable[..., Any]) -> None:
    """Each message has place, number, role, layer, tokens with their origin, pins and its very text."""
    messages = run_json("show", traces, "order", "2")["messages"]

    assert [message["place"] for message in messages] == [1, 2, 3, 4]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert [message["text"] for message in messages] == [m["content"] for m in recorded.second["messages"]]
    assert [bool(message["pinned"]) for message in messages] == [True, False, False, False]
    assert messages[0]["layer"] == "system"
    assert all(m["tokens"]["count"] > 0 and m["tokens"]["origin"].startswith("tokenizer:") for m in messages)
    assert all(message["number"].startswith("m") for message in messages)


def test_segments_of_a_message(traces: Path, run_json: Callable[..., Any]) -> None:
    """A message of several layers shows its segments."""
    last = run_json("show", traces, "order", "2")["messages"][-1]

    assert {"memory", "input"} <= {segment["layer"] for segment in last["segments"]}


def test_tokens_by_layer(traces: Path, recorded: SimpleNamespace, run_json: Callable[..., Any]) -> None:
    """The layers add up to what was counted, and with what is unattributed to the provider's figure."""
    tokens = run_json("show", traces, "order", "1")["tokens"]

    assert sum(layer["count"] for layer in tokens["layers"].values()) == tokens["counted"]["count"]
    assert all(layer["origin"] for layer in tokens["layers"].values())
    assert tokens["provider"] == {"count": recorded.usage["prompt_tokens"], "origin": "provider"}
    assert tokens["counted"]["count"] + tokens["unattributed"] == recorded.usage["prompt_tokens"]


def test_answer_and_parameters(traces: Path, recorded: SimpleNamespace, run_json: Callable[..., Any]) -> None:
    """The answer has text, usage as it came and normalised, and stop reason; other members are parameters."""
    call = run_json("show", traces, "order", "1")

    assert call["parameters"] == {"model": "gpt-4.1", "temperature": 1.0}
    assert call["answer"]["messages"][0]["text"] == recorded.answer["choices"][0]["message"]["content"]
    assert call["answer"]["usage_raw"] == recorded.usage
    assert call["answer"]["usage"]["input_tokens"] == 60
    assert (call["answer"]["stop_reason"], call["answer"]["response_id"]) == ("stop", "chatcmpl-1")


def test_failed_call(traces: Path, recorded: SimpleNamespace, run_json: Callable[..., Any]) -> None:
    """A failed call says how it failed, and unknown figures are null."""
    call = run_json("show", traces, "wire", "1")

    assert (call["call"]["status"], call["call"]["http_status"]) == ("failed", 429)
    assert call["call"]["error"] == "rate_limit: slow down"
    assert call["tokens"]["provider"]["count"] is None
    assert call["tokens"]["unattributed"] is None
    assert (call["sha256"], call["body_size"]) == (hashlib.sha256(recorded.wire).hexdigest(), len(recorded.wire))


@pytest.mark.parametrize(
    ("words", "number"),
    [(("order", "1"), 1), (("order:2",), 2), (("order", "t1"), 1), (("order", "t2"), 2), (("order:t2",), 2)],
)
def test_call_may_be_named_by_turn(
    traces: Path, run_json: Callable[..., Any], words: tuple[str, ...], number: int
) -> None:
    """A call is meant by number, by turn, or by SESSION:N."""
    assert run_json("show", traces, *words)["call"]["number"] == number


@pytest.mark.parametrize("words", [("order", "99"), ("nobody", "1"), ("order", "0")])
def test_absent_call_is_not_found(traces: Path, run: Callable[..., Result], words: tuple[str, ...]) -> None:
    """A session or call that is not there has a code of its own and one line on stderr."""
    result = run("show", traces, *words)

    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.count("\n") == 1


def test_close_name_is_suggested(traces: Path, run: Callable[..., Result]) -> None:
    """A mistyped session suggests the one that was meant."""
    assert "order" in run("show", traces, "ordr", "1").stderr


@pytest.mark.parametrize("words", [("order",), ("order", "x"), ("order", "1", "--json", "--request")])
def test_wrong_usage(traces: Path, run: Callable[..., Result], words: tuple[str, ...]) -> None:
    """No call, no such turn, and options that exclude one another are wrong usage."""
    assert run("show", traces, *words).exit_code == 2


@pytest.mark.parametrize("options", [(), ("--text",), ("--json",)])
def test_hostile_text_cannot_drive_the_terminal(
    traces: Path, run: Callable[..., Result], options: tuple[str, ...]
) -> None:
    """Nothing a prompt or an answer holds reaches the terminal as a command."""
    output = run("show", traces, "order", "1", *options).output

    assert "4711" in output
    assert all(character in "\t\n" or character.isprintable() for character in output)


def test_text_is_whole(traces: Path, run: Callable[..., Result]) -> None:
    """``--text`` prints every message whole, and the answer."""
    output = run("show", traces, "order", "2", "--text").stdout

    assert "You are a clerk. Answer in Chinese only." in output
    assert "<memory>likes tea</memory> And now?" in output
    assert "── answer" in output


def test_json_keeps_hostile_text_whole(traces: Path, recorded: SimpleNamespace, run_json: Callable[..., Any]) -> None:
    """JSON gives back the very text."""
    assert run_json("show", traces, "order", "1")["messages"][1]["text"] == recorded.hostile


def test_call_json_is_what_the_command_prints(traces: Path, run_json: Callable[..., Any]) -> None:
    """The printed JSON is the described value of the call."""
    from inspector.index import open_index

    index = open_index(traces)
    try:
        index.refresh()
        described = call_json("order", number_rows(index.call("order", 1), trace_changes(index, "order")))
    finally:
        index.close()

    assert json.loads(json.dumps(described)) == run_json("show", traces, "order", "1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("order", "t99"), "session 'order' has no turn t99; its turns are t1 to t2"),
        (("order", "99"), "session 'order' has no call 99; its calls are numbered 1 to 3"),
        (("oder", "t1"), "there is no session 'oder'. Did you mean order?"),
    ],
)
def test_a_place_that_is_not_there_is_not_found(
    run: Callable[..., Result], traces: Path, words: tuple[str, ...], said: str
) -> None:
    """A turn, a call and a session that are well written but not there have one code."""
    result = run("show", traces, *words)

    assert result.exit_code == 3
    assert said in result.stderr


def record_cleared(directory: Path) -> None:
    """A call of Anthropic's API in which the server clears one of four tool results."""
    messages: list[Any] = [{"role": "user", "content": "Read all."}]
    for n in range(4):
        use = {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"n": n}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"Result {n}."}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    kind = {"type": "clear_tool_uses_20250919"}
    body = {"model": "claude-sonnet-4-5", "messages": messages, "context_management": {"edits": [kind]}}
    with Recorder(directory, session="cleared") as recorder:
        snapshot = recorder.snapshot(body, api="anthropic.messages")
        reply = {"id": "a", "role": "assistant", "content": [{"type": "text", "text": "ok"}]}
        applied = {"applied_edits": [{**kind, "cleared_tool_uses": 1, "cleared_input_tokens": 9}]}
        recorder.response(snapshot, {**reply, "context_management": applied})


def test_what_a_server_changed_is_said(tmp_path: Path, run: Callable[..., Result]) -> None:
    """Above the figures, beside them the count of what was sent, and a row for each message with the reason."""
    record_cleared(tmp_path)
    shown = run("show", tmp_path, "cleared", "1").stdout

    assert "sent ≠ effective: the server removed" in shown
    assert "as sent" in shown
    assert "not seen" in shown
    assert "cleared by the server: one of the oldest 1 of 4 tool results that may be" in shown
    assert "note: The server cleared 1 tool result before" in shown


def test_both_readings_are_in_the_json(tmp_path: Path, run_json: Callable[..., Any]) -> None:
    """``effective`` has what the model saw and what it did not; a call without a difference has none."""
    record_cleared(tmp_path)
    shown = run_json("show", tmp_path, "cleared", "1")
    (gone,) = shown["effective"]["not_seen"]

    assert (len(shown["messages"]), len(shown["effective"]["messages"])) == (9, 8)
    assert (gone["text"], gone["parts_not_seen"], gone["certainty"]) == ("Result 0.", [0], "certain")
    assert shown["call"]["server"]["kinds"] == ["edit"]
    assert shown["tokens"]["counted_as_sent"]["count"] > shown["tokens"]["counted"]["count"]
    assert run_json("sessions", tmp_path)[0]["server_calls"] == 1


def test_nothing_differs_where_no_server_stepped_in(traces: Path, run_json: Callable[..., Any]) -> None:
    """Sent = effective: null."""
    shown = run_json("show", traces, "order", "1")

    assert (shown["effective"], shown["call"]["server"]) == (None, None)
    assert shown["tokens"]["counted_as_sent"] == shown["tokens"]["counted"]


def test_impossible_usage_is_said(tmp_path: Path, run: Callable[..., Result], run_json: Callable[..., Any]) -> None:
    """Figures that cannot be true are named, on the screen, in JSON and to SQL; they are used nowhere."""
    with Recorder(tmp_path, session="odd") as recorder:
        body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hello"}]}
        snapshot = recorder.snapshot(body, api="openai.chat")
        reply = {"message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}
        recorder.response(snapshot, {"id": "a", "choices": [reply], "usage": {"prompt_tokens": -5}})

    problem = "prompt_tokens = -5: is less than nothing"
    assert f"impossible usage: {problem}; used nowhere" in run("show", tmp_path, "odd", "1").stdout
    assert run_json("show", tmp_path, "odd", "1")["call"]["usage_problems"] == [problem]
    assert problem in run("sql", tmp_path, "select unnest(usage_problems) from calls").stdout


def test_what_a_server_took_in_the_first_call_is_a_compaction(tmp_path: Path, run_json: Callable[..., Any]) -> None:
    """No call came before, so that nothing changed between calls; the prompt as sent is what it is held against."""
    record_cleared(tmp_path)
    (change,) = run_json("compactions", tmp_path, "cleared")
    (row,) = run_json("sessions", tmp_path)

    assert (change["said_by"], change["call"], change["before_call"]) == ("server", 1, None)
    assert (change["taken"], change["unseen"]) == ([], 1)
    assert change["tokens_before"]["count"] - change["tokens_after"]["count"] == change["tokens_taken"]
    assert row["compactions_found"] == 1
