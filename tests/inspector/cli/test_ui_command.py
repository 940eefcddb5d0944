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
