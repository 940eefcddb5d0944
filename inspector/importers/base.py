"""What every importer reads into: calls, grouped into sessions, and the problems met on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from inspector.importers.reading.documents import Document
from inspector.importers.reading.mending import REPLACED
from inspector.importers.reading.unreadable import MALFORMED, reason_of

ImportExactness = Literal["imported", "rebuilt"]


@dataclass(frozen=True)
class ImportedAnswer:
    """What a log says came back for a call."""

    body: Mapping[str, Any] | None
    """The provider's answer (OpenAI chat completion or Anthropic message); None: only an error came."""
    messages: tuple[Mapping[str, Any], ...] = ()
    """The answer as messages, where the log has no provider's body."""
    time: datetime | None = None
    """When it came, UTC; None: the log does not say."""
    duration_ms: float | None = None
    """Milliseconds from request to answer."""
    status: int | None = None
    """HTTP status; None: the log does not say."""
    error: str | None = None
    """The error, as the log words it."""


@dataclass(frozen=True)
class ImportedAttempt:
    """A try of a call that brought no answer, so that it was made again."""

    status: int | None = None
    """HTTP status; None: the log does not say."""
    error: str | None = None
    """The error, as the log words it."""


@dataclass(frozen=True)
class ImportedCall:
    """One request to a model, as a log holds it."""

    request: Mapping[str, Any] | str
    """The body; as source text where the log holds the body's very text. Its messages are not changed any more once
    the call was given: one that goes on is the same object in the next request, and is written only once."""
    exact: ImportExactness = "imported"
    """Whether the log carries the whole body or lacks parts of it."""
    missing: tuple[str, ...] = ()
    """Parts the log lacks: ``tools``, ``parameters``, ``model`` …"""
    api: str | None = None
    """Dialect, where the format decides it; None: to be recognised from the body."""
    endpoint: str | None = None
    """URL or path the request went to."""
    model: str | None = None
    """The model, where neither body nor address name it."""
    turn: int | str | None = None
    """Turn number, where the log gives one."""
    lane: str | None = None
    """Lane, where the log gives one."""
    purpose: str | None = None
    """What a side call is for, where the log tells."""
    time: datetime | None = None
    """When it was sent, UTC; None: the log does not say."""
    attempts: tuple[ImportedAttempt, ...] = ()
    """Tries before the one that ``answer`` is of."""
    answer: ImportedAnswer | None = None
    """What came back; None: the log does not say."""


@dataclass(frozen=True)
class ImportedCompaction:
    """A shortening of the context that a log records, between the calls before and after it."""

    strategy: Literal["summary", "edit", "trim"] | None
    """What was done; None: the log does not say."""
    before: Sequence[Any] | None = None
    """Messages before, in the shape of the calls; None: the log does not hold them."""
    after: Sequence[Any] | None = None
    """Messages after."""
    policy: str | None = None
    """Name of the rule that did it."""
    reason: str | None = None
    """Why, in the log's words."""
    lane: str | None = None
    """Lane it happened in; None: the main one."""
    turn: int | str | None = None
    """Turn number, where the log gives one."""
    time: datetime | None = None
    """When, UTC; None: the log does not say."""
    tokens_before: int | None = None
    """Size of the context before, tokens, as the log says."""
    tokens_after: int | None = None
    """Size of the context after, tokens, as the log says."""
    duration_ms: float | None = None
    """Milliseconds it took."""


ImportedRecord = ImportedCall | ImportedCompaction
"""What the trace of a session is made of, in order."""


@dataclass(frozen=True)
class ImportedSession:
    """The calls of one conversation, in the order in which they were made."""

    session: str
    """Name of the session, from the log's own id or its file's name."""
    format: str
    """Name of the importer."""
    source: str
    """Name of the file or folder it comes from, without its path."""
    digest: str
    """``sha256:`` and 32 hex digits of the bytes it comes from: the same log has the same digest."""
    calls: Callable[[], Iterator[ImportedRecord]]
    """Opens the calls, and the compactions between them; read one at a time, so that a long session is
    never whole in memory."""
    logs: tuple[Document, ...] = ()
    """The files whose digest it is, where logs of this format are only ever appended to: what a grown log has
    more is added to the session that is there."""
    agent: str | None = None
    """Name of the agent, where the format or the log tells."""
    window: int | None = None
    """The model's window in tokens, where the log tells."""
    repairs: tuple[str, ...] = ()
    """What had to be mended to read the log."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """Further facts of the log worth keeping."""
    one_lane: bool = False
    """The log itself says that its calls without a lane are one line of thought, also where two of them have
    nothing in common, as before and after a summary of everything."""

    @property
    def replaced(self) -> bool:
        """True where bytes of the log are no UTF-8, so that its calls may hold U+FFFD in the place of something."""
        return any(REPLACED in repair for repair in self.repairs)


@dataclass(frozen=True)
class Problem:
    """Something of a source that could not be read, or was read with a repair."""

    source: str
    """Path of the file."""
    reason: str
    """What is wrong, in words."""
    line: int | None = None
    """Line, from 1, where the source is read by lines."""
    lost: bool = True
    """False: nothing was lost; the file was mended while reading, or holds what is no call."""


Report = Callable[[Problem], None]


@contextmanager
def reporting(path: Path, report: Report) -> Iterator[None]:
    """Report what is wrong with a log, and go on behind the block: one that cannot be read costs only itself."""
    try:
        yield
    except MALFORMED as error:
        report(Problem(str(path), reason_of(error)))


class Importer(Protocol):
    """A foreign format: how to know it by its content, and how to read it."""

    @property
    def name(self) -> str:
        """Name on the command line."""

    @property
    def title(self) -> str:
        """What it is, in a few words, and what it is recognised by."""

    def recognises(self, sample: Any) -> bool:
        """Say whether a file whose first JSON value is ``sample`` is of this format."""

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read files of one folder into sessions; what cannot be read goes to ``report``, never raises."""


@runtime_checkable
class HeadImporter(Importer, Protocol):
    """A format that is no JSON, or is known better by its first bytes than by its first value."""

    def recognises_head(self, head: bytes) -> bool:
        """Say whether a file that begins with these bytes (4 KiB, or all of it) is of this format."""
