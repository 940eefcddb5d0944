"""Everything the inspector raises on purpose: one root, with the facts in fields.

The command line turns these into a line on stderr, the app into a message with what to do.
A bad line, message or file member is data and never raises.
"""

from __future__ import annotations

from pathlib import Path


class InspectorError(Exception):
    """Root of all errors of the inspector; its text is fit to be shown to the user."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        """What went wrong, one sentence."""
        self.hint = hint
        """What the user can do about it, one sentence; None: nothing useful is known."""


class NoTracesError(InspectorError, FileNotFoundError):
    """The directory of traces is not there or is no directory."""

    def __init__(self, directory: Path, reason: str = "there is no such directory") -> None:
        super().__init__(f"cannot read traces in {directory}: {reason}")
        self.directory = directory
        """Where traces were looked for."""
        self.reason = reason
        """Why they cannot be read."""

    def __str__(self) -> str:
        return self.message


class UnsupportedVersionError(InspectorError):
    """A trace file was written by a newer version of the format than this one reads."""

    def __init__(self, file: Path, found: int, supported: int) -> None:
        super().__init__(
            f"{file} has trace format version {found}; this version reads up to {supported}",
            hint="Upgrade context-inspector.",
        )
        self.file = file
        """The file."""
        self.found = found
        """Version the file names."""
        self.supported = supported
        """Newest version that can be read."""


class SettingsError(InspectorError, ValueError):
    """``inspector.toml`` holds something that cannot be used."""

    def __init__(self, file: Path, key: str | None, reason: str) -> None:
        place = f"{file}: {key}" if key else str(file)
        super().__init__(f"{place}: {reason}")
        self.file = file
        """The settings file."""
        self.key = key
        """Dotted path of the offending key, such as ``layers[2].regex``; None: the file as a whole."""
        self.reason = reason
        """What is wrong with it."""


class SuiteError(InspectorError, ValueError):
    """A suite of probes holds something that cannot be used."""

    def __init__(self, file: Path, reason: str, *, line: int | None = None, key: str | None = None) -> None:
        place = f"{file}:{line}" if line is not None else str(file)
        super().__init__(f"{place}: {key}: {reason}" if key else f"{place}: {reason}")
        self.file = file
        """The suite."""
        self.line = line
        """Line of the probe, from 1; None: unknown, or the file as a whole."""
        self.key = key
        """Dotted path of the offending key (``probes[2].expected.regex``); None: the probe or file as a whole."""
        self.reason = reason
        """What is wrong with it."""


class ProbeError(InspectorError):
    """A model cannot be asked: no address, no key, no price for a budget."""


class SessionNotFoundError(InspectorError, LookupError):
    """No session has this id."""

    def __init__(self, session: str, close: tuple[str, ...] = ()) -> None:
        hint = f"Did you mean {' or '.join(close)}?" if close else None
        super().__init__(f"there is no session {session!r}", hint=hint)
        self.session = session
        """The id that was asked for."""
        self.close = close
        """Ids that look like it, nearest first."""


class CallNotFoundError(InspectorError, LookupError):
    """A session has no call of this number."""

    def __init__(self, session: str, number: int, calls: int) -> None:
        super().__init__(f"session {session!r} has no call {number}; its calls are numbered 1 to {calls}")
        self.session = session
        """The session."""
        self.number = number
        """The number that was asked for."""
        self.calls = calls
        """How many calls the session has."""


class TurnNotFoundError(InspectorError, LookupError):
    """A session has no call of this turn."""

    def __init__(self, session: str, turn: str, turns: tuple[str, ...]) -> None:
        known = f"its turns are {turns[0]} to {turns[-1]}" if turns else "it has no calls"
        super().__init__(f"session {session!r} has no turn {turn}; {known}")
        self.session = session
        """The session."""
        self.turn = turn
        """The turn that was asked for, such as ``t14``."""
        self.turns = turns
        """The turns it has, in order."""


class IndexLockedError(InspectorError):
    """Another process is writing the index."""

    def __init__(self, database: Path, holder: str | None = None) -> None:
        super().__init__(
            f"the index {database} is in use by {holder or 'another process'}",
            hint="Close the other process, or look at the sessions you need with the command line.",
        )
        self.database = database
        """The index file."""
        self.holder = holder
        """Who holds it (``PID 4711 (streamlit)``), if that is known."""


class ImportFailedError(InspectorError):
    """A foreign log cannot be read at all."""

    def __init__(self, path: Path, reason: str, *, line: int | None = None) -> None:
        place = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"cannot import {place}: {reason}")
        self.path = path
        """The file."""
        self.line = line
        """Line of the trouble, from 1; None: the file as a whole."""
        self.reason = reason
        """Why it cannot be read."""


class QueryError(InspectorError, ValueError):
    """A query of the user cannot be run."""

    def __init__(self, query: str, reason: str) -> None:
        super().__init__(f"the query cannot be run: {reason}")
        self.query = query
        """The query as it was given."""
        self.reason = reason
        """Why it cannot be run."""


class ExportError(InspectorError):
    """A call cannot be made into a fixture, or not into the one that was asked for."""

    def __init__(self, session: str, call: int, reason: str, *, hint: str | None = None) -> None:
        super().__init__(f"{session}:{call} cannot be exported: {reason}", hint=hint)
        self.session = session
        """The session."""
        self.call = call
        """Number of the call."""
        self.reason = reason
        """Why it cannot be."""


class ShrinkError(InspectorError):
    """A fixture cannot be made smaller."""

    def __init__(self, fixture: str, reason: str) -> None:
        super().__init__(f"{fixture} cannot be shrunk: {reason}")
        self.fixture = fixture
        """Its name."""
        self.reason = reason
        """Why it cannot be."""


class HomeError(InspectorError):
    """A fixture lacks what another tool needs of it."""

    def __init__(self, home: str, reason: str, *, hint: str | None = None) -> None:
        super().__init__(f"nothing for {home}: {reason}", hint=hint)
        self.home = home
        """Name of the other tool."""
        self.reason = reason
        """What is missing."""


class MaskError(InspectorError, ValueError):
    """What the user wants masked in an export is nothing that can be looked for."""


class CannotWriteError(InspectorError):
    """A directory or file of the user's choice cannot be written, or holds what is not to be overwritten."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")
        self.path = path
        """Where it was to be written."""
        self.reason = reason
        """Why it cannot be."""


class UpstreamError(InspectorError, ValueError):
    """Requests cannot be sent on to an address."""

    def __init__(self, upstream: str, reason: str) -> None:
        super().__init__(f"cannot send requests on to {upstream!r}: {reason}")
        self.upstream = upstream
        """The address, as the user wrote it."""
        self.reason = reason
        """Why it cannot be used."""


class CannotListenError(InspectorError):
    """A server cannot be started at an address."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(f"cannot listen on {host}:{port}: {reason}", hint="Choose another one with --port.")
        self.host = host
        """The address."""
        self.port = port
        """The port that was asked for."""
        self.reason = reason
        """Why it is not to be had."""
