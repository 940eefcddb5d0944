"""``context-inspector ui``: starts the app as a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import FrameType

import click

from inspector.cli import INSTALL, missing
from inspector.cli.exits import Exit
from inspector.cli.terminal import complain
from inspector.errors import NoTracesError

APP_PACKAGES = ("streamlit", "plotly", "watchdog")
"""What the app needs beyond the command line."""

STOP_SECONDS = 5
"""How long the app is given to stop by itself before it is killed."""


@click.command()
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, help="Port on 127.0.0.1.")
@click.option("--open", "browser", is_flag=True, help="Open the browser.")
def ui(directory: Path | None, port: int, browser: bool) -> int:
    """Open the app on DIR; without DIR on the samples.

    It listens on 127.0.0.1 only, sends no statistics and fetches nothing. Ctrl-C stops it.
    """
    absent = missing(APP_PACKAGES)
    if absent:
        complain(f"{', '.join(absent)} not installed; {INSTALL}")
        return Exit.INCOMPLETE
    if directory is not None and not directory.is_dir():
        raise NoTracesError(directory)
    return _run(streamlit_command(directory, port, browser=browser))


def streamlit_command(directory: Path | None, port: int, *, browser: bool) -> list[str]:
    """Give the command that starts the app; its other settings stand in ``inspector/.streamlit``."""
    command = [
        sys.executable, "-m", "streamlit", "run", str(files("inspector") / "app.py"),
        "--server.address", "127.0.0.1",
        "--server.port", str(port),
        "--server.headless", "false" if browser else "true",
        "--browser.gatherUsageStats", "false",
    ]  # fmt: skip
    return command if directory is None else [*command, "--", str(directory.resolve())]


def _run(command: list[str]) -> int:
    """Run the app until it ends; when this process is told to stop, the app is too."""
    process = subprocess.Popen(command)

    def pass_on(_signal: int, _frame: FrameType | None) -> None:
        process.terminate()

    previous = signal.signal(signal.SIGTERM, pass_on)
    try:
        code = process.wait()
        return code if code >= 0 else 128 - code  # ended by a signal: what a shell would say
    finally:
        signal.signal(signal.SIGTERM, previous)
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
