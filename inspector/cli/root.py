"""The group of commands, and the one place where an error becomes a line on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from inspector.cli.commands import Commands
from inspector.cli.exits import Exit
from inspector.cli.terminal import complain
from inspector.errors import (
    CallNotFoundError,
    CannotListenError,
    CannotWriteError,
    ExportError,
    IndexLockedError,
    InspectorError,
    MaskError,
    NoTracesError,
    ProbeError,
    QueryError,
    SessionNotFoundError,
    TurnNotFoundError,
    UpstreamError,
)
from snapshot_sdk.schema import FORMAT_VERSION

EXIT_CODES: tuple[tuple[type[InspectorError], Exit], ...] = (
    (NoTracesError, Exit.NOT_FOUND),
    (SessionNotFoundError, Exit.NOT_FOUND),
    (CallNotFoundError, Exit.NOT_FOUND),
    (TurnNotFoundError, Exit.NOT_FOUND),
    (QueryError, Exit.USAGE),
    (IndexLockedError, Exit.LOCKED),
    (CannotWriteError, Exit.CANNOT_WRITE),
    (UpstreamError, Exit.USAGE),
    (ProbeError, Exit.USAGE),
    (ExportError, Exit.USAGE),
    (MaskError, Exit.USAGE),
    (CannotListenError, Exit.LOCKED),
)
"""Which exit code an error has; every other one of the inspector's is :attr:`Exit.UNREADABLE`."""

_WRITING_FAILS = frozenset(
    getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EBADF") if hasattr(errno, name)
)
"""Of an error without a file name, which only an open file gives: a full or broken disk behind stdout, most often."""

_EPILOG = "\b\nExit codes:\n" + "\n".join(f"  {code.value:3d}  {code.meaning}" for code in Exit)


class _Ended(Exception):  # noqa: N818 - not an error: the way out through click
    """The command has ended, with this code."""

    def __init__(self, code: Exit) -> None:
        super().__init__(code)
        self.code = code


class Boundary(click.Group):
    """The group whose ``main`` lets no exception out, but for the exit itself."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command and exit with its code; see :func:`click.Command.main` for the arguments."""
        sys.exit(self._guarded(args, prog_name, extra))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; take out of click's hands what it would end in its own way (a newline, exit code 1)."""
        try:
            code = super().invoke(ctx)
            # A closed pipe shows itself here, not at interpreter exit, where nobody could handle it.
            sys.stdout.flush()
        except KeyboardInterrupt:
            complain("stopped")
            raise _Ended(Exit.INTERRUPTED) from None
        except BrokenPipeError:
            _drop_stdout()
            raise _Ended(Exit.BROKEN_PIPE) from None
        return code

    def _guarded(self, args: Sequence[str] | None, prog_name: str | None, extra: dict[str, Any]) -> int:
        if sys.stdout is None:
            # Python found it closed. The next file opened, the index say, would be taken for stdout by what we start.
            complain("the output cannot be written: stdout is closed")
            return Exit.CANNOT_WRITE
        try:
            extra["standalone_mode"] = False
            code = super().main(args, prog_name, **extra)
        except InspectorError as error:
            complain(error.message, error.hint)
            return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), Exit.UNREADABLE)
        except click.ClickException as error:
            error.show()
            return Exit.USAGE
        except _Ended as ended:
            return ended.code
        except click.Abort:
            return Exit.INTERRUPTED
        except Exception as error:
            if isinstance(error, OSError) and error.filename is None and error.errno in _WRITING_FAILS:
                _drop_stdout()
                complain(f"the output cannot be written: {error.strerror}")
                return Exit.CANNOT_WRITE
            traceback.print_exc()
            complain("this is a fault of context-inspector itself; the lines above belong in a report of it")
            return Exit.BUG
        return code if isinstance(code, int) else Exit.DONE


def _drop_stdout() -> None:
    """Point stdout at nothing, so that the flush at interpreter exit is quiet too."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
    except (OSError, ValueError):
        return  # stdout is no file of the operating system (a test's buffer): nothing will be flushed


@click.group(
    cls=Boundary, commands=Commands(), epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="context-inspector", message=f"%(prog)s %(version)s (trace format {FORMAT_VERSION})")
def cli() -> None:
    """Look into the context of LLM agents: what the model saw, call by call.

    DIR is a directory of trace files, as snapshot_sdk writes them.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line and give its exit code."""
    try:
        cli.main(list(arguments), prog_name="context-inspector")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else Exit.DONE
    return Exit.DONE
