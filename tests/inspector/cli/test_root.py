"""Facts about the command as a whole: help, codes, the error boundary, an install without the extra."""

from __future__ import annotations

import ast
import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from click.testing import Result

import inspector.cli
from inspector.cli.exits import Exit
from inspector.model.request import Part
from inspector.model.views import AnswerView, CallRow, LineErrorRow, MessageRow, SegmentRow, SessionRow

ROOT = Path(__file__).parents[3]


def process(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process."""
    command = [sys.executable, "-m", "inspector", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, timeout=120, cwd=ROOT, **options)


def test_version_names_the_trace_format(run: Callable[..., Result]) -> None:
    """The version says which trace format is read."""
    result = run("--version")

    assert result.exit_code == 0
    assert re.fullmatch(r"context-inspector \d+\.\d+\.\d+ \(trace format 1\)\n", result.stdout)


def test_help_lists_commands_and_exit_codes(run: Callable[..., Result]) -> None:
    """The help names each command and each exit code."""
    help_text = run("--help").stdout

    for command in ("index", "sessions", "show", "sql", "import", "ui"):
        assert re.search(rf"^  {command} ", help_text, re.M), command
    for code in Exit:
        assert f"{code.value}  {code.meaning}" in help_text


@pytest.mark.parametrize("command", ["index", "sessions", "show", "sql", "import", "ui"])
def test_every_command_has_help(run: Callable[..., Result], command: str) -> None:
    """Each command explains itself and all its options."""
    result = run(command, "--help")

    assert result.exit_code == 0
    options = [line for line in result.stdout.splitlines() if re.match(r"  (-\w, )?--", line)]
    assert all(re.search(r"--\S+.*  \S|--\S+( [A-Z]+)?$", option) for option in options)


def test_documentation_names_everything(run: Callable[..., Result]) -> None:
    """``docs/cli.md`` has each command, each option and each exit code."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")

    for code in Exit:
        assert f"| {code.value} | {code.meaning}" in text
    importing = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    for command in ("index", "sessions", "show", "sql", "import", "ui"):
        assert f"context-inspector {command}" in text
        for option in set(re.findall(r"--[a-z]+", run(command, "--help").stdout)) - {"--help"}:
            assert option in text + importing, f"{command} {option}"


def test_unknown_command_is_wrong_usage(run: Callable[..., Result]) -> None:
    """An unknown command is wrong usage."""
    assert run("frobnicate").exit_code == Exit.USAGE


def test_fault_of_the_program_has_a_code_and_a_traceback(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Result], tmp_path: Path
) -> None:
    """What nobody foresaw is shown whole and told from an error of the user."""

    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("inspector.cli.traces.open_index", fail)
    result = run("sessions", tmp_path)

    assert result.exit_code == Exit.BUG
    assert "RuntimeError: unforeseen" in result.stderr


def test_interrupt_is_one_line(monkeypatch: pytest.MonkeyPatch, run: Callable[..., Result], tmp_path: Path) -> None:
    """Ctrl-C stops with its code and without a traceback."""

    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("inspector.cli.traces.open_index", interrupt)
    result = run("sessions", tmp_path)

    assert (result.exit_code, result.stderr) == (Exit.INTERRUPTED, "context-inspector: stopped\n")


def test_module_is_the_command(traces: Path) -> None:
    """``python -m inspector`` is the command, its output the same bytes."""
    done = process("show", traces, "wire", "1", "--request")

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b'{"model": "gpt-4.1", "messages":[')


@pytest.mark.skipif(os.name != "posix", reason="pipes close with SIGPIPE on POSIX only")
def test_closed_pipe_is_quiet(traces: Path) -> None:
    """When the reader goes away nothing is printed about it."""
    query = "select repeat('x', 1000) from range(20000)"
    with subprocess.Popen(
        [sys.executable, "-m", "inspector", "sql", str(traces), query],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
    ) as running:  # fmt: skip
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        complaint = running.stderr.read()
        code = running.wait(60)

    assert (code, complaint) == (Exit.BROKEN_PIPE, b"")


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [["sessions", "{}"], ["show", "{}", "wire", "1", "--request"], ["--help"]])
def test_a_full_disk_behind_stdout_is_said(traces: Path, arguments: list[str]) -> None:
    """Output that cannot be written has its code and one line, without a traceback."""
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "inspector", *(argument.format(traces) for argument in arguments)],
            stdout=full, stderr=subprocess.PIPE, check=False, timeout=120, cwd=ROOT,
        )  # fmt: skip

    assert done.returncode == Exit.CANNOT_WRITE
    assert done.stderr == b"context-inspector: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="a shell closes stdout on POSIX only")
def test_a_closed_stdout_is_said_before_anything_is_done(traces: Path) -> None:
    """The command ends with the code of output that cannot be written; no index is made."""
    script = f"{shlex.join([sys.executable, '-m', 'inspector', 'sessions', str(traces)])} >&-"
    done = subprocess.run(["sh", "-c", script], stderr=subprocess.PIPE, check=False, timeout=120, cwd=ROOT)

    assert done.returncode == Exit.CANNOT_WRITE
    assert done.stderr == b"context-inspector: the output cannot be written: stdout is closed\n"
    assert not (traces / ".inspector").exists()


def test_an_error_with_a_file_is_no_matter_of_the_output(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Result], tmp_path: Path
) -> None:
    """Only what an open file gives is taken for stdout; the rest stays a fault of the program."""

    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EIO, "Input/output error", "traces")

    monkeypatch.setattr("inspector.cli.traces.open_index", fail)

    assert run("sessions", tmp_path).exit_code == Exit.BUG


def test_output_is_utf8_in_a_plain_locale(traces: Path) -> None:
    """Chinese text does not fail where the locale is C."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = process("show", traces, "order", "1", env=environment)

    assert done.returncode == 0, done.stderr


def test_base_install_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the extra there is one clear line and a code."""
    monkeypatch.setattr(inspector.cli, "EXTRA", ("click", "no_such_package_here"))

    assert inspector.cli.main(["--help"]) == Exit.INCOMPLETE
    assert capsys.readouterr().err == (
        "context-inspector: no_such_package_here not installed; pip install 'context-inspector[inspector]'\n"
    )


def test_everything_the_commands_import_is_asked_for() -> None:
    """Whatever stands outside the app's own parts imports only packages that are looked for first."""
    used = set()
    parts = ("model", "index", "importers", "analysis", "cli")
    for file in (file for part in parts for file in (ROOT / "inspector" / part).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                used |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                used.add(node.module.split(".")[0])

    assert {"duckdb", "tomlkit"} <= used
    assert used - sys.stdlib_module_names - {"inspector", "snapshot_sdk", "sample_data"} <= {*inspector.cli.EXTRA}


def test_base_install_imports_nothing_else() -> None:
    """In an interpreter without any third-party package the command still says what to install."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "inspector", "--version"],
        capture_output=True, check=False, timeout=60, cwd=ROOT, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip

    assert done.returncode == Exit.INCOMPLETE
    assert b"pip install 'context-inspector[inspector]'" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_locked_index_is_told_and_read_beside(traces: Path, recorded: SimpleNamespace) -> None:
    """While another process holds the index, ``index`` fails and says who; the rest answers from memory."""
    holder = subprocess.Popen(
        [
            sys.executable, "-c",
            "import sys, pathlib; from inspector.index import open_index\n"
            "index = open_index(pathlib.Path(sys.argv[1])); index.refresh()\n"
            "print('ready', flush=True); sys.stdin.read()",
            str(traces),
        ],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    with holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"ready\n"
        indexed = process("index", traces)
        listed = process("sessions", traces)
        shown = process("show", traces, "wire", "1", "--request")
        holder.stdin.close()

    assert indexed.returncode == Exit.LOCKED
    assert str(holder.pid).encode() in indexed.stderr
    assert (listed.returncode, len(listed.stdout.splitlines())) == (Exit.DONE, 3)
    assert (shown.returncode, shown.stdout) == (Exit.DONE, recorded.wire)
    assert str(holder.pid).encode() in shown.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to processes on POSIX only")
def test_ctrl_c_during_an_import_leaves_nothing(tmp_path: Path) -> None:
    """An import that is stopped leaves no half session and the code of an interrupt."""
    log = tmp_path / "run.jsonl"
    with log.open("w") as stream:
        for number in range(60_000):
            body = {"model": "m", "messages": [{"role": "user", "content": f"{number} " + "x" * 500}]}
            stream.write(json.dumps(body) + "\n")
    out = tmp_path / "out"
    with subprocess.Popen(
        [sys.executable, "-m", "inspector", "import", "auto", str(log), "--out", str(out)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, start_new_session=True,
        # A shell starts background jobs with the interrupt ignored, and so would ours inherit it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:  # fmt: skip
        while running.poll() is None and not any(out.glob(".importing-*/*")):
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        _, complaint = running.communicate(timeout=60)

    assert running.returncode == Exit.INTERRUPTED, complaint
    assert complaint == b"context-inspector: stopped\n"
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("row", [SessionRow, CallRow, MessageRow, AnswerView, LineErrorRow, Part, SegmentRow])
def test_documentation_names_every_field(row: type) -> None:
    """Each field that ``--json`` prints stands in ``docs/cli.md``."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    gathered = {"composition", "origins", "message"}  # printed as `tokens.layers`, and as role, name, text and parts
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", text))))

    assert {field.name for field in fields(row)} - named <= gathered


def test_an_interrupt_while_it_loads_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C before anything is there that handles it."""

    class Loading(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "inspector.cli.root", Loading("inspector.cli.root"))

    assert inspector.cli.main(["sessions"]) == Exit.INTERRUPTED
