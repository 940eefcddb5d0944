"""Reads trace files back: records, and from them the requests as they were.

Pure and strict: a damaged line raises, or is passed over on request. The inspector brings its own
tolerant line reader and uses :class:`TraceFile` to resolve what the lines refer to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from snapshot_sdk._json import LENIENT, STYLES
from snapshot_sdk.errors import HoleError, NewerVersionError, TraceFormatError
from snapshot_sdk.schema import FORMAT_VERSION, Style

Record = dict[str, Any]
"""One line of a trace file; its shape is one of the records of :mod:`snapshot_sdk.schema`."""

UPGRADES: Final[dict[int, Callable[[Record], Record]]] = {}
"""From version to the function that makes a record of the next one; version 1 is the first."""


class SourceText(str):
    """JSON source text in place of a value that Python's ``json`` cannot hold (nesting of thousands of levels)."""

    __slots__ = ()


@dataclass(frozen=True)
class Hole:
    """In place of a value that is lost."""

    reason: str
    """Which line is missing, in words."""


def upgrade(record: Record) -> Record:
    """Brings a record of an older version to this one.

    Args:
        record: A parsed line.

    Returns:
        The record in the form of ``FORMAT_VERSION``.

    Raises:
        NewerVersionError: It was written by a newer version.
        TraceFormatError: It carries no version, or one that never was.
    """
    version = record.get("v")
    if type(version) is not int or version < 1:
        raise TraceFormatError(f"no format version: v is {version!r}")
    if version > FORMAT_VERSION:
        raise NewerVersionError(version, FORMAT_VERSION)
    while version < FORMAT_VERSION:
        record = UPGRADES[version](record)
        version += 1
    return record


def parse_source(source: str) -> Any:
    """Reads the source text of an element.

    Args:
        source: JSON source text; NaN, Infinity and integers of any length are understood.

    Returns:
        The value; :class:`SourceText` where Python cannot hold it.
    """
    try:
        return json.loads(source)
    except RecursionError:
        return SourceText(source)
    except ValueError:
        pass
    try:
        return LENIENT.decode(source)
    except (ValueError, RecursionError):
        return SourceText(source)


@dataclass(frozen=True)
class StoredElement:
    """One element of a body: an item of a top-level array, or a whole top-level member."""

    member: str
    """Top-level member it stands in; empty where the whole body is one element."""
    index: int | None
    """Place in the member's array, from 0; None: the member is no array, or an empty one."""
    blob: int | None
    """Number of the blob in its file; None: it stood inline in the record, or its number is lost."""
    source: str | None
    """Its JSON source text, as in the body; None: it is lost."""
    hole: str | None = None
    """Why it is lost, in words; None: it is there."""

    @cached_property
    def value(self) -> Any:
        """The element as a Python value; :class:`Hole` where it is lost."""
        return Hole(self.hole or "lost") if self.source is None else parse_source(self.source)

    @property
    def place(self) -> str:
        """Where it stands: ``messages[3]``."""
        return (self.member or "body") if self.index is None else f"{self.member}[{self.index}]"


@dataclass(frozen=True)
class StoredRequest:
    """A request as it was recorded."""

    elements: tuple[StoredElement, ...]
    """Everything in it, in the order of the body; arrays are spread out."""
    style: Style
    """How the body was written."""
    whole: bool = False
    """The one element is the body itself (it is no object, or of a form only its text keeps)."""

    @property
    def holes(self) -> tuple[StoredElement, ...]:
        """Elements that are lost."""
        return tuple(element for element in self.elements if element.source is None)

    def body_text(self) -> str:
        """Puts the source text of the body together.

        Raises:
            HoleError: A part of it is lost.
        """
        if self.holes:
            raise HoleError(tuple(f"{element.place}: {element.hole}" for element in self.holes))
        if self.whole:
            return self.elements[0].source or ""
        writing = STYLES[self.style]
        members = []
        for name, elements in self._members():
            sources = [element.source or "" for element in elements]
            source = sources[0] if elements[0].index is None else f"[{writing.item.join(sources)}]"
            members.append(f"{writing.dumps(name)}{writing.key}{source}")
        return "{" + writing.item.join(members) + "}"

    def body_bytes(self) -> bytes:
        """Returns the body, byte for byte; what that proves is the snapshot's ``exact``.

        Raises:
            HoleError: A part of it is lost.
        """
        # Bytes that are no UTF-8 were stored as Python's surrogate escapes.
        return self.body_text().encode("utf-8", "surrogateescape")

    def body(self) -> Any:
        """Returns the body as a value, keys in order; a lost element is a :class:`Hole` in its place."""
        if self.whole:
            return self.elements[0].value
        return {
            name: elements[0].value if elements[0].index is None else [element.value for element in elements]
            for name, elements in self._members()
        }

    def _members(self) -> list[tuple[str, list[StoredElement]]]:
        members: dict[str, list[StoredElement]] = {}
        for element in self.elements:
            members.setdefault(element.member, []).append(element)
        return list(members.items())


LOST: Final = -1
"""In a list of blob numbers: the number itself is lost, with the snapshot a run pointed into."""


class _Lazy(NamedTuple):
    """A blob whose source text has not been asked for yet."""

    blob: Mapping[str, Any]
    style: Style


class TraceFile:
    """Resolves what the records of one file refer to. Feed it every record, in file order."""

    def __init__(
        self,
        load_blob: Callable[[int], str | None] | None = None,
        load_items: Callable[[int], Mapping[str, Sequence[int]] | None] | None = None,
        *,
        keep_all: bool = True,
    ) -> None:
        """Starts before the first record, or after some whose outcome was stored elsewhere.

        Args:
            load_blob: Asked for the source text of a blob that this object does not hold.
            load_items: Asked for :meth:`items` of the snapshot with this ``seq``, likewise.
            keep_all: False: forget, at each keyframe, what no later record can refer to. Then
                :meth:`request` is for the record fed last.
        """
        self._load_blob = load_blob
        self._load_items = load_items
        self._keep_all = keep_all
        self._blobs: dict[int, _Lazy | str] = {}
        self._items: dict[int, dict[str, list[int]]] = {}

    def feed(self, record: Mapping[str, Any]) -> None:
        """Learns the content that a record stores.

        Args:
            record: Any record of the file, already upgraded.
        """
        if record.get("keyframe") and not self._keep_all:
            self._blobs.clear()
            self._items.clear()
        style: Style = record.get("style", "compact")
        for blob in record.get("blobs") or ():
            self._blobs[blob["n"]] = _Lazy(blob, style)
        if record.get("type") == "snapshot" and record.get("body"):
            self._items[record["seq"]] = self._resolve(record)

    def source(self, number: int) -> str | None:
        """Returns the source text of a blob.

        Args:
            number: Its number in this file.

        Returns:
            The text; None where it, or one it was cut from, is lost.
        """
        chain: list[Mapping[str, Any]] = []
        text: str | None = None
        known = self._blobs.get(number)
        while isinstance(known, _Lazy):
            blob, style = known
            if "delta" in blob:
                chain.append(blob)
                base = blob["base"]
                if base >= blob["n"]:  # not ours: would go in circles
                    return None
                number, known = base, self._blobs.get(base)
                continue
            text = blob["text"] if "text" in blob else STYLES[style].dumps(blob["value"])
            self._blobs[number] = text
            break
        else:
            text = known
        if text is None and self._load_blob is not None:
            text = self._load_blob(number)
        for blob in reversed(chain):
            if text is None:
                return None
            text = apply_delta(text, blob["delta"])
            self._blobs[blob["n"]] = text
        return text

    def items(self, record: Mapping[str, Any]) -> dict[str, list[int]]:
        """Returns, for each array member of a snapshot, the blob numbers of its elements.

        Args:
            record: A snapshot that was fed.

        Returns:
            Numbers by member; ``LOST`` where a run points into a snapshot that is lost.
        """
        known = self._items.get(record["seq"])
        return known if known is not None else self._resolve(record)

    def request(self, record: Mapping[str, Any]) -> StoredRequest:
        """Returns the request of a snapshot.

        Args:
            record: A snapshot that was fed.
        """
        style: Style = record.get("style", "compact")
        body = record.get("body")
        if body is None:
            return StoredRequest((self._element("", None, record.get("whole", LOST)),), style, whole=True)
        items = self.items(record)
        elements: list[StoredElement] = []
        for name, member in body.items():
            if "items" in member:
                elements += [self._element(name, index, number) for index, number in enumerate(items[name])]
            elif "blob" in member:
                elements.append(self._element(name, None, member["blob"]))
            else:
                elements.append(StoredElement(name, None, None, STYLES[style].dumps(member["value"])))
        return StoredRequest(tuple(elements), style)

    def messages(self, record: Mapping[str, Any], field: str = "messages") -> list[StoredElement]:
        """Returns the messages of a response, or of one side of a compaction.

        Args:
            record: A response or compaction that was fed.
            field: ``messages`` of a response; ``before`` or ``after`` of a compaction.
        """
        numbers = [number for first, count in record.get(field) or () for number in range(first, first + count)]
        return [self._element(field, index, number) for index, number in enumerate(numbers)]

    def _resolve(self, record: Mapping[str, Any]) -> dict[str, list[int]]:
        base: Mapping[str, Sequence[int]] | None = None
        if "base" in record:
            base = self._items.get(record["base"])
            if base is None and self._load_items is not None:
                base = self._load_items(record["base"])
        items: dict[str, list[int]] = {}
        for name, member in record["body"].items():
            if "items" not in member:
                continue
            numbers: list[int] = []
            for run in member["items"]:
                if run[0] >= 0:
                    numbers.extend(range(run[0], run[0] + run[1]))
                    continue
                _, first, count = run
                found = list((base or {}).get(name, ()))[first : first + count]
                numbers += found + [LOST] * (count - len(found))
            items[name] = numbers
        return items

    def _element(self, member: str, index: int | None, number: int) -> StoredElement:
        if number == LOST:
            return StoredElement(member, index, None, None, "the line of the snapshot it refers to is lost")
        source = self.source(number)
        hole = None if source is not None else f"blob {number} was stored in a line that is lost"
        return StoredElement(member, index, number, source, hole)


def apply_delta(base: str, delta: Sequence[Sequence[int] | str]) -> str:
    """Puts a text together from pieces of another one.

    Args:
        base: The text that ``[start, length]`` pieces copy from.
        delta: The pieces, in order; a string stands for itself.
    """
    return "".join(piece if isinstance(piece, str) else base[piece[0] : piece[0] + piece[1]] for piece in delta)


def iter_records(path: str | Path, *, strict: bool = True) -> Iterator[Record]:
    """Reads the records of a trace file, in order.

    A last line without its newline is still being written, or was cut by a crash: it is left out.

    Args:
        path: The file.
        strict: False: pass over lines that are no records instead of raising.

    Raises:
        NewerVersionError: A record was written by a newer version.
        TraceFormatError: A line is no record.
    """
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n") or not line.strip():
                continue
            try:
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise TraceFormatError("not a JSON object")
                yield upgrade(cast("Record", record))
            except NewerVersionError as error:
                raise NewerVersionError(error.found, error.supported, file=str(path), line=number) from None
            except (ValueError, RecursionError) as error:
                if strict:
                    raise TraceFormatError(str(error), file=str(path), line=number) from error


class ReadRequest(NamedTuple):
    """A snapshot record and the request it stands for."""

    record: Record
    request: StoredRequest


def read_requests(path: str | Path, *, strict: bool = True) -> Iterator[ReadRequest]:
    """Reads every request of a trace file, in order.

    Args:
        path: The file.
        strict: False: pass over damaged lines; what they held shows as holes.

    Raises:
        NewerVersionError: A record was written by a newer version.
        TraceFormatError: A line is no record.
    """
    trace = TraceFile(keep_all=False)
    for record in iter_records(path, strict=strict):
        trace.feed(record)
        if record["type"] == "snapshot":
            yield ReadRequest(record, trace.request(record))
