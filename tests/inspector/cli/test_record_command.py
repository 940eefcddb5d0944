"""Facts about ``record``."""

from __future__ import annotations

import ast
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx2
import pytest
from click.testing import Result

from inspector.cli import record_command
from inspector.cli.exits import Exit
from inspector.cli.record_command import Teller, call_line
from inspector.model.request import Usage
from inspector.model.usage import NOTHING
from inspector.proxy import Passed
from snapshot_sdk import read_requests

NOW = datetime(2026, 11, 28, 14, 2, 11)
ASK = b'{"model":"gpt-4.1","messages":[{"role":"user","content":"sk-0123456789abcdef0123456789"}]}'
ANSWER = b'{"choices":[{"message":{"role":"assistant","content":"hi"}}],"usage":{"prompt_tokens":1204}}'
ROOT = Path(__file__).parents[3]
SECONDS = 30
"""After which a process that hangs fails a test."""


@pytest.fixture
def upstream() -> Iterator[str]:
    """A server that answers whatever is posted."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(ANSWER)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    """Start the command as a process; give it and the address that it said to use."""
    started: list[subprocess.Popen[str]] = []
    free = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}

    def start(*arguments: str) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "inspector", "record", "--port", "0", "--out", str(tmp_path / "out")]
        process = subprocess.Popen(
            [*command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**free, "PYTHONUNBUFFERED": "1"},
            # A shell lets a background job ignore Ctrl-C, and that is inherited.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        started.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().split(" ")[0]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to processes on POSIX only")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_run(
    how: signal.Signals, upstream: str, begin: Callable[..., tuple[subprocess.Popen[str], str]], tmp_path: Path
) -> None:
    """It says what to do, a line for each call, and what came of it; Ctrl-C is its end, not a failure."""
    process, base = begin("--upstream", upstream, "--session", "order-4711", "--window", "8000")
    answer = httpx2.post(f"{base}/v1/chat/completions", content=ASK, timeout=SECONDS, trust_env=False)
    assert process.stdout is not None
    hint, line = process.stdout.readline(), process.stdout.readline()
    process.send_signal(how)
    out, err = process.communicate(timeout=SECONDS)

    assert answer.content == ANSWER
    assert (
        hint
        == f"Set the agent's base URL to the left one. Look: context-inspector ui {tmp_path / 'out'}. Stop: Ctrl-C.\n"
    )
    assert line.split()[1:9] == ["200", "gpt-4.1", "1,204", "in,", "?", "out", *line.split()[7:9]]
    assert line.endswith("order-4711\n")
    assert (out, err) == (f"1 call · 1 session recorded in {tmp_path / 'out'}\n", "")
    assert process.returncode == Exit.DONE
    (path,) = (tmp_path / "out").rglob("*.jsonl")
    assert [one.record["exact"] for one in read_requests(path)] == ["redacted"]  # a key in the prompt is masked
    assert '"window":8000' in path.read_text().splitlines()[0]
    assert "0123456789abcdef" not in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--upstream", "nonsense"], "cannot send requests on to 'nonsense'"),
        (["--upstream", "a=http://h", "--upstream", "a=http://g"], "a has two addresses"),
        (["--upstream", "http://h", "--endpoint", "x"], "--endpoint: an endpoint is a URL"),
        (["--upstream", "http://h", "--redact", "messages["], "--redact"),
        (["--upstream", "http://h", "--port", "65536"], "--port"),
        ([], "--upstream"),
    ],
)
def test_wrong_use(arguments: list[str], said: str, run: Callable[..., Result], tmp_path: Path) -> None:
    """It is said before anything is started."""
    result = run("record", "--out", tmp_path / "out", *arguments)

    assert (result.exit_code, said in result.stderr) == (Exit.USAGE, True), result.stderr


def test_a_port_that_is_taken(run: Callable[..., Result], tmp_path: Path) -> None:
    """Another process on the port has an exit code of its own."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("record", "--upstream", "http://h", "--out", tmp_path, "--port", str(port))

    assert result.exit_code == Exit.LOCKED
    assert f"cannot listen on 127.0.0.1:{port}" in result.stderr
    assert "--port" in result.stderr


def test_a_directory_that_cannot_be_made(run: Callable[..., Result], tmp_path: Path) -> None:
    """A file in the way is named."""
    (tmp_path / "file").write_text("")
    result = run("record", "--upstream", "http://h", "--out", tmp_path / "file" / "out")

    assert result.exit_code == Exit.CANNOT_WRITE
    assert str(tmp_path / "file" / "out") in result.stderr


def test_packages_that_are_not_installed(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Result], tmp_path: Path
) -> None:
    """Without them there is one clear line."""
    monkeypatch.setattr(record_command, "PROXY_PACKAGES", ("no_such_package_here",))
    result = run("record", "--upstream", "http://h", "--out", tmp_path)

    assert result.exit_code == Exit.INCOMPLETE
    assert "pip install" in result.stderr


def test_everything_the_proxy_imports_is_asked_for() -> None:
    """Whatever the proxy imports is looked for before it is."""
    used = set()
    for file in (ROOT / "inspector" / "proxy").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                used |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                used.add(node.module.split(".")[0])

    assert used - sys.stdlib_module_names - {"inspector", "snapshot_sdk"} == {*record_command.PROXY_PACKAGES}


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            Passed("s", None, "m", 200, Usage(1204, 1000, 0, 33, None), 1234.0, None),
            "14:02:11 200 m 1,204 in (1,000 cached), 33 out 1.2 s s",
        ),
        (
            Passed("s", "title", None, None, NOTHING, 30.0, "ConnectError: no\x1b[31m\nroute"),
            "14:02:11 --- ? tokens ? 0.0 s s / title ✗ ConnectError: no\\x1b[31m route",
        ),
        (
            Passed("s", None, "m", 200, NOTHING, 30.0, None, recorded=False),
            "14:02:11 200 m tokens ? 0.0 s s ✗ not recorded",
        ),
    ],
)
def test_a_line(call: Passed, line: str) -> None:
    """Unknown is a question mark, never 0; what a server says cannot drive the terminal."""
    assert call_line(call, NOW) == line


def test_nobody_reads_the_lines(tmp_path: Path) -> None:
    """When the reader of the output goes away, the proxy goes on without a word."""
    tried: list[str] = []

    def echo(line: str) -> None:
        tried.append(line)
        raise BrokenPipeError

    teller = Teller(echo)
    for _ in range(2):
        teller.tell(Passed("s", None, "m", 200, NOTHING, 1.0, None))
    teller.summary(2, 0, 0, tmp_path)

    assert len(tried) == 1


def test_losses_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What passed unrecorded is counted on stderr, failures in the sum."""
    said: list[str] = []
    teller = Teller(said.append)
    teller.tell(Passed("s", None, "m", 500, NOTHING, 1.0, "HTTP 500"))
    teller.summary(3, 1, 2, tmp_path)

    assert said[-1] == f"3 calls · 1 session · 1 without a whole answer recorded in {tmp_path}"
    assert "1 call passed unrecorded, 2 records could not be written" in capsys.readouterr().err
