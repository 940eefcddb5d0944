"""Facts about ``probe`` where something goes wrong: no answer, no agreement, no such lane, a key with a stray mark."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.cli.exits import Exit
from inspector.cli.root import cli
from snapshot_sdk import Recorder

ROOT = Path(__file__).parents[3]
Run = Callable[..., Result]


def everything_fails(server: Any, failure: Any) -> None:
    """The server refuses whatever it is asked."""
    server.model.failures = [failure(400, {}, '{"error": {"message": "too long"}}')] * 99


def test_a_search_that_nobody_answers_names_no_call(
    shop: Path, suite: Path, run: Run, server: Any, failure: Any
) -> None:
    """Neither a flip nor a compaction; why stands there, and the exit code is no success."""
    everything_fails(server, failure)
    words = ("probe", shop, "shop", "--suite", suite, "--ask", "--endpoint", server.url, "--yes", "--bisect", "order")
    result = run(*words)
    data = json.loads(run(*words, "--json").stdout)

    assert result.exit_code == Exit.BROKEN
    assert "flips" not in result.stdout
    assert "order: the search did not end (call 3: HTTP 400: too long)" in result.stdout
    assert (data["call"], data["compaction"]) == (None, None)
    assert data["trouble"] == "call 3: HTTP 400: too long"


def test_a_model_that_answers_nothing_does_not_pass(
    shop: Path, suite: Path, run: Run, server: Any, failure: Any
) -> None:
    """Looking finds it, and yet: asked, the model failed. The next run asks again."""
    body = '{"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": ""}}]}'
    server.model.failures = [failure(200, {}, body)] * 2
    words = ("probe", shop, "shop", "--suite", suite, "--at", "1", "--ask", "--endpoint", server.url, "--yes")
    result = run(*words, "--replicates", "2")
    again = run(*words, "--replicates", "2")

    assert result.exit_code == Exit.BROKEN
    assert "it answered nothing" in result.stderr
    assert "\tknown\t" not in result.stdout
    assert (again.exit_code, len(server.model.requests)) == (Exit.DONE, 4)


def test_declining_shows_what_looking_finds(shop: Path, suite: Path, server: Any) -> None:
    """It is free; its exit code counts."""
    words = ["probe", str(shop), "shop", "--suite", str(suite), "--ask", "--endpoint", server.url]
    result = CliRunner().invoke(cli, words, input="n\n", prog_name="context-inspector")

    assert "nothing was sent" in result.stderr
    assert result.exit_code == Exit.BROKEN
    assert "evicted" in result.stdout
    assert server.model.requests == []


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ('lane = "sid"', "no lane 'sid': it has main"),
        ("due_from = 3\ndue_until = 2", "due_from, turn 3, comes after due_until, turn 2"),
        ("due_from = 99", "the session ends with turn 3"),
        ('due_from = "checkout"', "no turn 'checkout'"),
        (f'due_from = "t{"9" * 5000}"', "no turn 't999"),
    ],
)
def test_why_a_probe_is_never_due_is_said(more: str, why: str, shop: Path, suite: Path, run: Run) -> None:
    """Its own mistake, not the session's."""
    suite.write_text(suite.read_text("utf-8") + more, "utf-8")
    result = run("probe", shop, "shop", "--suite", suite)

    assert result.exit_code == Exit.BROKEN
    assert why in result.stderr


def test_a_suite_of_another_session_is_said(shop: Path, suite: Path, run: Run) -> None:
    """It may be meant; it is not passed over in silence."""
    probes = suite.read_text("utf-8")
    suite.write_text('session = "returns-desk"\n' + probes, "utf-8")
    result = run("probe", shop, "shop", "--suite", suite)

    assert "made for session 'returns-desk'; it is put to 'shop'" in result.stderr
    suite.write_text('session = "shop"\n' + probes, "utf-8")
    assert "made for" not in run("probe", shop, "shop", "--suite", suite).stderr


@pytest.mark.parametrize("key", ["sk-abcdefgh”", "sk-abc\ndef", "ключ"])
def test_a_key_that_cannot_be_sent_is_said(
    key: str, shop: Path, suite: Path, run: Run, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quotation mark that came along when it was pasted; the key itself is not shown."""
    monkeypatch.setenv("MY_KEY", key)
    words = ("probe", shop, "shop", "--suite", suite, "--ask", "--endpoint", server.url, "--yes", "--key-env", "MY_KEY")
    result = run(*words)

    assert result.exit_code == Exit.USAGE
    assert "MY_KEY holds" in result.stderr
    assert "abc" not in result.stderr
    assert server.model.requests == []


def test_tokens_that_the_server_does_not_count_are_estimates(
    shop: Path, suite: Path, run: Run, server: Any, failure: Any
) -> None:
    """They stop a run all the same, and are said to be some."""
    body = '{"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "ORD-2024-001"}}]}'
    server.model.failures = [failure(200, {}, body)] * 99
    words = ("probe", shop, "shop", "--suite", suite, "--at", "all", "--ask", "--endpoint", server.url, "--yes")
    result = run(*words, "--token-budget", "500")

    assert 0 < len(server.model.requests) < 9
    assert "≈ " in result.stderr
    assert "the server said no usage" in result.stderr


def test_a_session_with_nothing_to_ask_for_is_no_wrong_usage(tmp_path: Path, run: Run) -> None:
    """No file is written; the exit code says that nothing was."""
    with Recorder(tmp_path / "traces", session="hello") as recorder:
        recorder.snapshot({"model": "m", "messages": [{"role": "user", "content": "Hello."}]}, api="openai.chat")
    file = tmp_path / "draft.toml"
    result = run("probe", tmp_path / "traces", "hello", "--draft", file)

    assert result.exit_code == Exit.BROKEN
    assert "nothing was written" in result.stderr
    assert not file.exists()


def test_signs_can_be_told_apart_by_call(shop: Path, suite: Path, run: Run) -> None:
    """Where not every call is shown it is said which are."""
    assert "a sign a call: 1, 3" in run("probe", shop, "shop", "--suite", suite, "--at", "1,3").stdout
    assert "a sign a call" not in run("probe", shop, "shop", "--suite", suite).stdout


def test_a_value_that_comes_back_is_not_lost_since(record_shop: Callable[..., Path], suite: Path, run: Run) -> None:
    """Known at the end, missing in between: both are said."""
    traces = record_shop("order", "talk later", "talk later order")
    header, row = run("probe", traces, "shop", "--suite", suite).stdout.splitlines()
    cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))

    assert (cells["verdict"], cells["fails from"]) == ("known", "call 2; known again at 3")


@pytest.mark.skipif(os.name != "posix", reason="interrupts a process by SIGINT")
def test_ctrl_c_a_second_time_waits_for_no_answer(shop: Path, suite: Path, server: Any) -> None:
    """The process ends while the server still holds what is in flight."""
    server.model.hold = threading.Event()
    words = ("probe", shop, "shop", "--suite", suite, "--ask", "--endpoint", server.url, "--yes")
    process = subprocess.Popen(
        [sys.executable, "-m", "inspector", *map(str, words)], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        while not server.model.flying:
            assert process.poll() is None
            server.model.hold.wait(0.05)
        process.send_signal(signal.SIGINT)
        said = ""
        while "Ctrl-C again" not in said:
            said = process.stderr.readline()
            assert said
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == Exit.INTERRUPTED
        assert server.model.flying
        assert "Traceback" not in process.stderr.read()
    finally:
        server.model.hold.set()
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()
