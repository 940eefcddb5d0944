"""``context-inspector ui``: starts the app as a process of its own, on traces or on logs that it imports first."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import FrameType

import click

from inspector.cli import INSTALL, missing
from inspector.cli.exits import Exit
from inspector.cli.import_command import import_with_progress
from inspector.cli.terminal import complain, one_line
from inspector.errors import InspectorError, NoTracesError
from inspector.importers.offering import Offer, look_at

APP_PACKAGES = ("streamlit", "plotly", "watchdog")
"""What the app needs beyond the command line."""

STOP_SECONDS = 5
"""How long the app is given to stop by itself before it is killed."""


@click.command()
@click.argument("path", metavar="[PATH]", required=False, type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, help="Port on 127.0.0.1.")
@click.option("--open", "browser", is_flag=True, help="Open the browser.")
@click.option("--yes", is_flag=True, help="Import logs without asking.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where imported logs go; NAME-traces in the current folder unless told otherwise.",
)
def ui(path: Path | None, port: int, browser: bool, yes: bool, out: Path | None) -> int:
    """Open the app on a directory of traces; without PATH on the samples.

    PATH may also be a log of another tool, or a folder of such logs: it is said what they are, and when
    you agree they are imported, and the app opens on the outcome.

    The app listens on 127.0.0.1 only, sends no statistics and fetches nothing. Ctrl-C stops it.
    """
    absent = missing(APP_PACKAGES)
    if absent:
        complain(f"{', '.join(absent)} not installed; {INSTALL}")
        return Exit.INCOMPLETE
    if path is None:
        return _run(streamlit_command(None, port, browser=browser))
    if not path.exists():
        raise NoTracesError(path)
    found = look_at(path)
    directory = path
    if found.logs and not found.traces:
        out = out or found.out
        if not _agreed(found, out, yes=yes):
            return Exit.UNREADABLE
        summary = import_with_progress(found.path, out)
        if not summary.sessions:
            complain(f"nothing could be imported from {path}")
            return Exit.UNREADABLE
        directory = out
    elif not path.is_dir():
        hint = _SEE_FOLDER if found.traces else None
        raise InspectorError(f"cannot open {path}: {_why_not(found)}", hint=hint)
    elif found.logs:
        complain(f"{path} also holds logs that are not imported ({found.words}); to import them: {found.command()}")
    return _run(streamlit_command(directory, port, browser=browser))


_SEE_FOLDER = "Open the directory that it lies in: context-inspector ui DIR."


def _why_not(found: Offer) -> str:
    return "it is one trace file, not a directory of traces" if found.traces else found.reason or "it is no log"


def _agreed(found: Offer, out: Path, *, yes: bool) -> bool:
    """Say what could be imported, and ask; where nobody can answer, say the command instead."""
    what = f"{found.path} holds no traces, but logs that can be imported ({found.words})"
    if yes:
        return True
    if not _can_ask():
        complain(f"{what}; to import and open them: {found.command(out)} && {_open_command(out)}")
        return False
    click.echo(one_line(f"{what}."), err=True)
    return click.confirm(one_line(f"Import into {out} and open?"), default=False, err=True)


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _open_command(out: Path) -> str:
    return shlex.join(["context-inspector", "ui", str(out)])


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
