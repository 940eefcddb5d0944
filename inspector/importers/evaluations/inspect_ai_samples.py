"""Where inspect_ai keeps samples: in one JSON file, in an archive with a file a sample, or with files of parts."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from inspector.importers.evaluations.inspect_ai_zip import entry_names, open_entry
from inspector.importers.reading.json_stream import JsonStream
from inspector.importers.reading.unreadable import UnreadableError

_WHOLE: Final = re.compile(r"samples/[^/]+\.json")
"""Entry that is a sample."""

_SHELL: Final = re.compile(r"(?P<folder>samples/[^/]+/)sample\.json")
"""Entry that begins a sample kept in parts; in its folder are ``events/0.json``, ``events/1000.json`` …"""

_FACTS: Final = frozenset({"epoch", "error", "id", "limit", "scores", "uuid"})
"""Members of a sample that are small, and worth knowing."""

_IN_MEMORY: Final = 8 << 20
"""Bytes of attachments that are held in memory; more lie in a temporary file."""


class Attachments:
    """Long texts by their names; where they are many, on disk."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  # closed by __exit__
        self._places: dict[str, tuple[int, int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, name: str, text: str) -> None:
        """Keep a text."""
        data = text.encode("utf-8", "surrogatepass")
        self._places[name] = (self._file.seek(0, 2), len(data))
        self._file.write(data)

    def get(self, name: str) -> str | None:
        """Give a text; None: it is not there."""
        place = self._places.get(name)
        if place is None:
            return None
        self._file.seek(place[0])
        return self._file.read(place[1]).decode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Pools:
    """What the events of a sample share: each message is kept once."""

    attachments: Attachments
    """Long texts."""
    messages: list[Any] = field(default_factory=list)
    """Messages of inputs."""
    calls: list[Any] = field(default_factory=list)
    """Messages of raw requests."""
    retries: list[Any] = field(default_factory=list)
    """Earlier tries of the sample that broke off, with the events they had, where the log kept them."""


@dataclass(frozen=True)
class Sample:
    """A sample, and where it lies."""

    path: Path
    """Of the log."""
    facts: Mapping[str, Any]
    """``id``, ``epoch``, ``error``, ``limit``, ``scores``, ``uuid``, as far as they are there."""
    entry: str | None = None
    """Entry of the archive; None: the log is one JSON file."""
    offset: int = 0
    """Where in that file, bytes."""
    parts: tuple[str, ...] = ()
    """Entries of its folder, where it is kept in parts."""
    has_calls: bool = False
    """A model was called in it."""
    repairs: tuple[str, ...] = ()
    """What had to be mended to read it."""

    @contextmanager
    def pools(self) -> Iterator[Pools]:
        """Read what the events share; it stands behind them in the file.

        Raises:
            UnreadableError: The sample is broken.
            OSError: The log cannot be read.
        """
        with Attachments() as attachments:
            pools = Pools(attachments)
            with self._open() as stream:
                for name in stream.members():
                    _take(name, stream, pools)
            for kind, held in (("messages", pools.messages), ("calls", pools.calls)):
                held += self._of_parts(kind)
            for place, text in enumerate(self._of_parts("attachments")):
                attachments.add(str(place), str(text))
            yield pools

    def events(self) -> Iterator[Any]:
        """Give the events, one at a time.

        Raises:
            UnreadableError: The sample is broken.
            OSError: The log cannot be read.
        """
        with self._open() as stream:
            for name in stream.members():
                yield from (stream.value() for _ in _event_places(name, stream))
        yield from self._of_parts("events")

    @contextmanager
    def _open(self) -> Iterator[JsonStream]:
        if self.entry is not None:
            with open_entry(self.path, self.entry) as opened:
                yield JsonStream(opened)
        else:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                yield JsonStream(file, self.offset)

    def _of_parts(self, kind: str) -> Iterator[Any]:
        """Give the values of a sequence that lies in several entries, each named by the place of its first."""
        for _, name in _chunks(self.parts, kind):
            with open_entry(self.path, name) as opened:
                stream = JsonStream(opened)
                yield from (stream.value() for _ in stream.items())


@dataclass(frozen=True)
class Log:
    """An evaluation."""

    header: Mapping[str, Any]
    """``eval`` (what was evaluated), ``status``, ``error`` …"""
    samples: tuple[Sample, ...]
    """Those that can be read."""
    problems: tuple[str, ...] = ()
    """Why others cannot."""


def read_log(path: Path, *, archive: bool) -> Log:
    """Look through a log: what it is of, and where its samples are.

    Args:
        path: The log.
        archive: It is a ZIP archive, not one JSON file.

    Raises:
        UnreadableError: It is broken from the beginning.
        OSError: It cannot be read.
    """
    return _read_archive(path) if archive else _read_json(path)


def _read_json(path: Path) -> Log:
    header: dict[str, Any] = {}
    samples: list[Sample] = []
    problems = []
    with path.open("rb") as file:
        stream = JsonStream(file)
        try:
            for name in stream.members():
                if name == "samples" and stream.kind() == "[":
                    for _ in stream.items():
                        offset = stream.offset
                        facts, has_calls = _look(stream)
                        repairs = _repairs(stream)
                        samples.append(Sample(path, facts, offset=offset, has_calls=has_calls, repairs=repairs))
                elif name in ("eval", "status", "error"):
                    header[name] = stream.value()
        except UnreadableError as error:
            if not header:
                raise
            problems.append(f"sample {len(samples) + 1} and what follows it cannot be read: {error}")
    return Log(header, tuple(samples), tuple(problems))


def _read_archive(path: Path) -> Log:
    names = entry_names(path)
    start = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
    if start is None:
        raise UnreadableError("an archive without `header.json` or `_journal/start.json`")
    with open_entry(path, start) as opened:
        header = JsonStream(opened).value()
    samples, problems = [], []
    for name in names:
        shell = _SHELL.fullmatch(name)
        if shell is None and not _WHOLE.fullmatch(name):
            continue
        parts = tuple(one for one in names if one.startswith(shell["folder"])) if shell else ()
        try:
            with open_entry(path, name) as opened:
                stream = JsonStream(opened)
                facts, has_calls = _look(stream)
            sample = Sample(path, facts, name, parts=parts, has_calls=has_calls, repairs=_repairs(stream))
            samples.append(replace(sample, has_calls=any(map(_may_call, sample.events()))) if parts else sample)
        except UnreadableError as error:
            problems.append(f"{name}: {error}")
    return Log(header if isinstance(header, dict) else {}, tuple(samples), tuple(problems))


def _look(stream: JsonStream) -> tuple[dict[str, Any], bool]:
    """Read the small members of the sample at hand, and whether it has calls; passing over the rest proves it whole."""
    if stream.kind() != "{":
        raise UnreadableError("a sample is no object")
    facts: dict[str, Any] = {}
    has_calls = False
    for name in stream.members():
        if name in _FACTS:
            facts[name] = stream.value()
        for _ in _event_places(name, stream):
            has_calls = has_calls or _may_call(stream.value())
    return facts, has_calls


def _repairs(stream: JsonStream) -> tuple[str, ...]:
    repair = stream.repair()
    return () if repair is None else (repair,)


def _event_places(name: str, stream: JsonStream) -> Iterator[int]:
    """Go through the events that a member of a sample holds; until 2024 they stood in its ``transcript``."""
    if name == "events" and stream.kind() == "[":
        yield from stream.items()
    elif name == "transcript" and stream.kind() == "{":
        for inner in stream.members():
            if inner == "events" and stream.kind() == "[":
                yield from stream.items()


def _may_call(event: Any) -> bool:
    """Say whether an event is a call, or holds others, as in logs from before there were spans."""
    return isinstance(event, dict) and (event.get("event") == "model" or bool(event.get("events")))


def _take(name: str, stream: JsonStream, pools: Pools) -> None:
    """Read a member that events refer to; pass over any other."""
    lists = {"message_pool": pools.messages, "call_pool": pools.calls, "error_retries": pools.retries}
    if name in lists and stream.kind() == "[":
        lists[name].extend(stream.value() for _ in stream.items())
    elif name == "events_data" and stream.kind() == "{":
        for inner in stream.members():
            held = {"messages": pools.messages, "calls": pools.calls}.get(inner)
            if held is not None and stream.kind() == "[":
                held.extend(stream.value() for _ in stream.items())
    elif name == "transcript" and stream.kind() == "{":
        for inner in stream.members():
            if inner == "content":
                _take("attachments", stream, pools)
    elif name == "attachments" and stream.kind() == "{":
        for key in stream.members():
            pools.attachments.add(key, str(stream.value()))


def _chunks(parts: Sequence[str], kind: str) -> list[tuple[int, str]]:
    """Give the entries of a sequence in its order; ``stats.json`` and ``uuids.json`` beside them are none."""
    found = []
    for name in parts:
        folder, _, file = name.rpartition("/")
        start = file.removesuffix(".json")
        if folder.endswith(f"/{kind}") and start.isdecimal():
            found.append((int(start), name))
    return sorted(found)
