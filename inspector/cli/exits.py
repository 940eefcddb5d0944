"""The exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the exit code says; ``docs/cli.md`` documents the same list."""

    DONE = 0
    """Done."""
    PARTLY = 1
    """Done, but something could not be read: it is counted and said on stderr."""
    BROKEN = 1
    """``pins``: a pin or a watch is broken. ``probe``: a probe fails, was never due, or could not be asked.
    ``check``: something that closes the gate fails, or nothing was checked.
    ``trace``: the fact was lost, altered or broken, or is nowhere. ``export``: every chosen check holds today."""
    USAGE = 2
    """The command was used wrongly: an unknown option, a query that cannot be run."""
    NOT_FOUND = 3
    """There is no such directory, session or call."""
    UNREADABLE = 4
    """The data cannot be read: another version, broken settings, nothing in a format that can be imported."""
    LOCKED = 5
    """``index``: another process holds the index; the other commands read the traces into memory then.
    ``record``: another process listens on the port."""
    CANNOT_WRITE = 6
    """The output cannot be written, or is there already."""
    INCOMPLETE = 7
    """The extra ``[inspector]`` is not installed."""
    BUG = 70
    """A fault of the program itself, with a traceback (EX_SOFTWARE of sysexits.h)."""
    INTERRUPTED = 130
    """Stopped with Ctrl-C (128 + SIGINT)."""
    BROKEN_PIPE = 141
    """The reader of the output went away (128 + SIGPIPE)."""

    @property
    def meaning(self) -> str:
        """In words, for the help text."""
        return _MEANINGS[self]


_MEANINGS = {
    Exit.DONE: "done",
    Exit.PARTLY: "done, but something could not be read (said on stderr); pins, probe, check: one is broken or fails; "
    "trace: the fact is lost, altered, broken or nowhere; export: no chosen check fails, nothing was written",
    Exit.USAGE: "wrong usage, or a query that cannot be run",
    Exit.NOT_FOUND: "no such directory, session or call",
    Exit.UNREADABLE: "data that cannot be read, or nothing to import",
    Exit.LOCKED: "another process holds the index, or the port",
    Exit.CANNOT_WRITE: "the output cannot be written",
    Exit.INCOMPLETE: "the extra [inspector] is not installed",
    Exit.BUG: "a fault of the program itself",
    Exit.INTERRUPTED: "stopped with Ctrl-C",
    Exit.BROKEN_PIPE: "the reader of the output went away",
}
