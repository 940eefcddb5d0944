"""Facts about ``ui``."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from inspector.cli import ui_command
from inspector.cli.exits import Exit
from inspector.cli.ui_command import streamlit_command

BODY = '{"model": "m", "messages": [{"role": "user", "content": "x"}]}'


def test_app_is_started_on_loopback_and_headless(tmp_path: Path) -> None:
    """The app listens on 127.0.0.1, opens no browser and sends no statistics."""
    command = streamlit_command(tmp_path, 9000, browser=False)

    assert command[:4] == [sys.executable, "-m", "streamlit", "run"]
    assert Path(command[4]).name == "app.py"
    assert Path(command[4]).is_file()
    flags = dict(zip(command[5:-2:2], command[6:-2:2], strict=True))
    assert flags == {
        "--server.address": "127.0.0.1",
        "--server.port": "9000",
        "--server.headless": "true",
        "--browser.gatherUsageStats": "false",
    }
    assert command[-2:] == ["--", str(tmp_path)]


def test_browser_is_opened_when_wanted() -> None:
    """``--open`` opens the browser; without DIR the app opens its samples."""
    command = streamlit_command(None, 8501, browser=True)

    assert command[command.index("--server.headless") + 1] == "false"
    assert "--" not in command


def test_directory_that_is_not_there(tmp_path: Path, run: Callable[..., Result]) -> None:
    """A mistyped directory is said before anything is started."""
    assert run("ui", tmp_path / "nowhere").exit_code == Exit.NOT_FOUND


def test_app_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, run: Callable[..., Result]) -> None:
    """Without the app's packages there is one clear line."""
    monkeypatch.setattr(ui_command, "APP_PACKAGES", ("no_such_package_here",))
    result = run("ui")

    assert result.exit_code == Exit.INCOMPLETE
    assert "pip install" in result.stderr


def test_code_of_the_app_is_the_code(monkeypatch: pytest.MonkeyPatch, run: Callable[..., Result]) -> None:
    """When the app ends by itself its code is passed on."""
    monkeypatch.setattr(ui_command, "streamlit_command", lambda *_, **__: [sys.executable, "-c", "raise SystemExit(9)"])

    assert run("ui").exit_code == 9


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Path | None]:
    """Directories that the app would have been started on."""
    found: list[Path | None] = []

    def command(directory: Path | None, *_: object, **__: object) -> list[str]:
        found.append(directory)
        return [sys.executable, "-c", ""]

    monkeypatch.setattr(ui_command, "streamlit_command", command)
    return found


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two logs and no traces, with another folder as the current one."""
    folder = tmp_path / "night run"
    folder.mkdir()
    (folder / "a.jsonl").write_text(f"{BODY}\n{BODY}\n")
    (folder / "s.jsonl").write_text('{"type": "session", "id": "pi-1", "cwd": "/"}\n')
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return folder


def answers(monkeypatch: pytest.MonkeyPatch, answer: bool) -> list[str]:
    """Sit at a terminal and give this answer; the questions are collected."""
    asked: list[str] = []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr(ui_command, "_can_ask", lambda: True)
    monkeypatch.setattr(ui_command.click, "confirm", confirm)
    return asked


def test_logs_are_offered_for_import(
    logs: Path, run: Callable[..., Result], started: list[Path | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a terminal it is said what they are and how many, and after a yes they are imported and opened."""
    asked = answers(monkeypatch, answer=True)
    result = run("ui", logs)

    assert result.exit_code == 0
    assert "2 files: 1 bodies, 1 pi" in result.stderr
    assert asked == ["Import into night run-traces and open?"]
    assert started == [Path("night run-traces")]
    assert "a: imported, 2 calls" in result.stdout


def test_a_no_imports_nothing(
    logs: Path, run: Callable[..., Result], started: list[Path | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written and nothing is started."""
    answers(monkeypatch, answer=False)

    assert run("ui", logs).exit_code == Exit.UNREADABLE
    assert started == []
    assert list(Path.cwd().iterdir()) == []


def test_without_a_terminal_the_command_is_said(
    logs: Path, run: Callable[..., Result], started: list[Path | None]
) -> None:
    """Nobody can answer: the very command is printed, and the code says that nothing was opened."""
    result = run("ui", logs)

    assert result.exit_code == Exit.UNREADABLE
    assert f"context-inspector import auto '{logs}' --out 'night run-traces'" in result.stderr
    assert "&& context-inspector ui 'night run-traces'" in result.stderr
    assert started == []


def test_yes_imports_without_asking(logs: Path, run: Callable[..., Result], started: list[Path | None]) -> None:
    """``--yes`` is the answer, ``--out`` the place; a second time the same traces are opened."""
    out = logs.parent / "out"

    assert run("ui", logs / "a.jsonl", "--yes", "--out", out).exit_code == 0
    assert run("ui", logs / "a.jsonl", "--yes", "--out", out).exit_code == 0
    assert started == [out, out]
    assert len(list(out.glob("*/*.jsonl"))) == 1


def test_traces_beside_logs_are_opened(logs: Path, run: Callable[..., Result], started: list[Path | None]) -> None:
    """A folder with both is opened as it is, and the logs are mentioned with the command that imports them."""
    run("import", "bodies", logs / "a.jsonl", "--out", logs)
    result = run("ui", logs)

    assert (result.exit_code, started) == (0, [logs])
    assert "also holds logs that are not imported (2 files: 1 bodies, 1 pi)" in result.stderr
    assert "context-inspector import auto" in result.stderr


def test_file_that_is_no_log_is_refused(tmp_path: Path, run: Callable[..., Result], started: list[Path | None]) -> None:
    """It says what the file looks like, and starts nothing."""
    path = tmp_path / "x.json"
    path.write_text('{"a": 1}')
    result = run("ui", path)

    assert result.exit_code == Exit.UNREADABLE
    assert "an object with `a`" in result.stderr
    assert started == []


def test_trace_file_names_its_directory(logs: Path, run: Callable[..., Result], started: list[Path | None]) -> None:
    """One trace file is opened with the others it lies with."""
    run("import", "auto", logs / "a.jsonl", "--out", logs / "out")
    [trace] = (logs / "out").glob("*/*.jsonl")
    result = run("ui", trace)

    assert result.exit_code == Exit.UNREADABLE
    assert "one trace file" in result.stderr
    assert "directory that it lies in" in result.stderr


def healthy(port: int) -> bool:
    """Ask the app whether it is up."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to processes on POSIX only")
def test_app_starts_and_stops_with_the_command(tmp_path: Path) -> None:
    """The command starts the app, and the app does not outlive it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "inspector", "ui", str(tmp_path), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path) as running:
        deadline = time.monotonic() + 120
        while running.poll() is None and not healthy(port) and time.monotonic() < deadline:
            time.sleep(0.2)
        was_up = healthy(port)
        running.terminate()
        running.wait(30)

    assert was_up
    assert not healthy(port)
