"""What reading trace files can raise. The recorder raises nothing of its own once it is built."""

from __future__ import annotations


class TraceError(Exception):
    """Root of the errors of this package."""


class TraceFormatError(TraceError, ValueError):
    """A line of a trace file is no record of this format."""

    def __init__(self, reason: str, *, file: str | None = None, line: int | None = None) -> None:
        self.reason = reason
        """Why, in words."""
        self.file = file
        """Path of the file, if known."""
        self.line = line
        """Line, from 1, if known."""
        place = f"{file or 'trace'}, line {line}: " if line is not None else ""
        super().__init__(place + reason)


class NewerVersionError(TraceFormatError):
    """The file was written by a newer version than this one can read."""

    def __init__(self, found: int, supported: int, *, file: str | None = None, line: int | None = None) -> None:
        self.found = found
        """Format version of the record."""
        self.supported = supported
        """Largest version this package reads."""
        super().__init__(
            f"format version {found} is newer than version {supported}, the newest this package reads;"
            " update context-inspector",
            file=file,
            line=line,
        )


class HoleError(TraceError, ValueError):
    """The bytes of a body were asked for, but a part of them is lost."""

    def __init__(self, places: tuple[str, ...]) -> None:
        self.places = places
        """What is missing: ``messages[3]: …`` each."""
        super().__init__("parts of the body are lost: " + "; ".join(places[:5]))


class FixtureError(TraceError, ValueError):
    """A file is no fixture, or a member of it is not what it must be."""

    def __init__(self, reason: str, *, file: str | None = None, member: str | None = None) -> None:
        self.reason = reason
        """Why, in words."""
        self.file = file
        """Path of the file, if known."""
        self.member = member
        """Key path of the member: ``checks[2].facts[0].kind``; None: the file as a whole."""
        super().__init__(f"{file or 'fixture'}{f', {member}' if member else ''}: {reason}")


class SettingsError(TraceError, ValueError):
    """A setting of a project cannot be used."""

    def __init__(self, reason: str, *, file: str, key: str | None = None) -> None:
        self.reason = reason
        """Why, in words."""
        self.file = file
        """Path of the file, or the option that says so."""
        self.key = key
        """Which setting: ``tool.context-inspector.builder``; None: the file as a whole."""
        super().__init__(f"{file}{f', {key}' if key else ''}: {reason}")
