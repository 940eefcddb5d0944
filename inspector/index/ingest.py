"""From records to rows: one section of a file at a time, contents numbered, runs resolved."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import duckdb

from inspector.index.contents import TOOL_MEMBERS, Catalog
from inspector.index.runs import absolute_body, numbers_of
from inspector.index.schema import BLOBS, RECORDS, SECTIONS
from inspector.index.spread import FIRST, Spread, spread
from inspector.index.store import Batch, clean
from inspector.index.threads import find_change
from inspector.model.dialects import UNKNOWN, Dialect, dialect_named, find_dialect
from snapshot_sdk.canonical import wire_hash
from snapshot_sdk.reading import LOST, TraceFile

SAMPLED: Final = 64
"""Elements shown to the dialects when a body does not say which it is: as many as they look at."""


class ShapeError(ValueError):
    """A record is JSON, but not what its type says."""


@dataclass
class Section:
    """A header and what follows it in a file."""

    number: int
    file: int
    path: str
    session: str
    writer: str
    trace: TraceFile
    time: str = ""
    """Latest time so far: in a file the order of lines beats clocks that run backwards."""
    sources: dict[int, int | None] = field(default_factory=dict)
    """Blob number → source; None: lost."""
    contents: dict[tuple[str, str, bool], dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    """Dialect, member, whether it is the whole member → blob number → content."""
    tools: dict[tuple[str, str, tuple[int, ...]], int] = field(default_factory=dict)
    """Dialect, member and blob numbers of tool definitions → content."""
    rows: dict[str, list[int]] = field(default_factory=dict)
    """Rows of the latest snapshot, by lane."""
    spread: dict[str, int] = field(default_factory=dict)
    """Wire hash → number of the elements cut from bodies that are stored as one text."""
    unused: dict[int, str] = field(default_factory=dict)
    """Blob number → text that a compaction or an answer stored and no prompt has shown yet: a keyframe of the same
    batch would have made the trace forget it before the prompt that shows it is taken in."""

    def share(self, lane: str, rows: list[int]) -> tuple[int, list[int]]:
        """Tell the rows of a snapshot from those of the lane's snapshot before: how many stay, and what follows."""
        before = self.rows.get(lane, [])
        self.rows[lane] = rows
        change = find_change(before, rows)
        return change.prefix, rows[change.prefix :]


@dataclass(frozen=True)
class Prepared:
    """A record with what its section knows when it is read."""

    section: Section
    record: dict[str, Any]
    line: int
    place: int
    time: str
    blobs: tuple[tuple[int, str | None, str], ...]
    """Number, source text and wire hash of each blob it stores."""
    items: Mapping[str, list[int]]
    """Of a snapshot, blob numbers of its arrays."""
    texts: Mapping[int, str] = field(default_factory=dict)
    """Of a snapshot whose body is one text, its elements: they are in no trace file."""


def prepare(section: Section, record: dict[str, Any], line: int, place: int) -> Prepared:
    """Resolve what a record refers to.

    Raises:
        ShapeError: It is not what its type says; nothing of it was taken in.
    """
    try:
        section.trace.feed(record)
        blobs = []
        for blob in record.get("blobs") or ():
            text = section.trace.source(blob["n"])
            blobs.append((blob["n"], text, "" if text is None else wire_hash(text)))
        items = section.trace.items(record) if record["type"] == "snapshot" and record.get("body") else {}
        cut: Spread | None = None
        if record["type"] == "snapshot" and record["body"] is None:
            cut = spread(section.trace.source(record.get("whole", LOST)) or "", section.spread)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise ShapeError(f"not a {record['type']} record: {type(error).__name__}: {error}") from error
    section.time = max(section.time, record["time"])
    if cut is None:
        return Prepared(section, record, line, place, section.time, tuple(blobs), items)
    model = record.get("model") or cut.body.get("model", {}).get("value")
    record = {**record, "body": cut.body, "model": model if isinstance(model, str) else None}
    return Prepared(section, record, line, place, section.time, (*blobs, *cut.fresh), cut.items, cut.texts)


class Ingester:
    """Turns prepared records into rows of a batch."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, batch: Batch, catalog: Catalog) -> None:
        self._cursor = cursor
        self._batch = batch
        self._catalog = catalog
        self._apis: dict[str, str] = {}

    def open_section(self, file: int, path: str, session: str, header: Mapping[str, Any]) -> Section:
        """Begin a section."""
        number = self._batch.number(SECTIONS)
        writer = str(header.get("writer") or path)
        self._batch.add(SECTIONS, number, file, session, clean(writer), _dump(header))
        return Section(number, file, path, session, clean(writer), TraceFile(keep_all=False))

    def reopen_section(self, file: int, path: str, number: int) -> Section:
        """Go on with a section whose beginning is in the database."""
        row = self._cursor.execute("SELECT session, writer FROM store.sections WHERE section = ?", [number]).fetchone()
        last = self._cursor.execute("SELECT max(time) FROM store.records WHERE section = ?", [number]).fetchone()
        session, writer = row or ("", path)
        trace = TraceFile(
            lambda n: self._load_blob(number, n), lambda seq: self._load_items(number, seq), keep_all=False
        )
        section = Section(number, file, path, session, writer, trace, (last and last[0]) or "")
        blobs = self._cursor.execute("SELECT n, source FROM store.blobs WHERE section = ?", [number]).fetchall()
        section.sources.update(blobs)
        section.spread.update(
            self._cursor.execute(
                "SELECT wire, n FROM store.blobs JOIN store.sources USING (source) WHERE section = ? AND n >= ?",
                [number, FIRST],
            ).fetchall()
        )
        contents = self._cursor.execute(
            "SELECT c.api, c.member, c.whole, b.n, c.content FROM store.blobs b JOIN store.contents c "
            "ON c.sources[1] = b.source WHERE b.section = ? AND len(c.sources) = 1",
            [number],
        ).fetchall()
        for api, member, whole, n, content in contents:
            if member not in TOOL_MEMBERS:
                section.contents[api, member, whole][n] = content
        return section

    def _load_blob(self, section: int, number: int) -> str | None:
        row = self._cursor.execute(
            "SELECT text FROM store.blobs JOIN store.sources USING (source) WHERE section = ? AND n = ?",
            [section, number],
        ).fetchone()
        return None if row is None else row[0].decode("utf-8", "surrogatepass")

    def _load_items(self, section: int, seq: int) -> Mapping[str, Sequence[int]] | None:
        row = self._cursor.execute(
            "SELECT record FROM store.records WHERE section = ? AND seq = ? AND type = 'snapshot'", [section, seq]
        ).fetchone()
        return None if row is None else TraceFile().items(json.loads(row[0]))

    def take(self, prepared: Sequence[Prepared]) -> set[str]:
        """Add the rows of some records.

        Returns:
            Sessions that have something new.
        """
        self._catalog.find_sources(wire for one in prepared for _, text, wire in one.blobs if text is not None)
        for one in prepared:
            self._take(one)
        return {one.section.session for one in prepared}

    def _take(self, one: Prepared) -> None:
        section, record = one.section, one.record
        texts: dict[int, str] = dict(one.texts)
        for number, text, wire in one.blobs:
            source = None if text is None else self._catalog.source(wire, text)
            hole = "it was cut from a blob whose line is lost" if text is None else None
            section.sources[number] = source
            if text is not None:
                texts[number] = text
            self._batch.add(BLOBS, section.number, number, source, hole)
        kind = record["type"]
        if kind == "compaction":
            section.unused.update(texts)
        api: str | None = None
        contents: list[int] | None = None
        kept: int | None = None
        key = None
        stored = {name: value for name, value in record.items() if name != "blobs"}
        if kind == "snapshot":
            rows = _Rows(self._catalog, section, one, texts)
            api = rows.dialect.name
            kept, contents = section.share(record["lane"], rows.contents)
            key = clean(record["id"])
            self._apis[key] = api
            stored.pop("base", None)
            stored["body"] = absolute_body(record["body"], one.items)
        elif kind in ("response", "attempt"):
            key = clean(record["snapshot"])
            if kind == "response":
                dialect = dialect_named(self._api_of(key, section.session))
                numbers = numbers_of(record.get("messages"))
                contents = [
                    _content(self._catalog, section, dialect, "messages", n, texts, whole=False) for n in numbers
                ]
                if "messages" not in dialect.prompt_order():  # prompts show the answer in another member
                    section.unused.update(texts)
        self._batch.add(
            RECORDS,
            section.session,
            section.number,
            one.line,
            one.place,
            section.writer,
            record["seq"],
            one.time,
            kind,
            key,
            api,
            _dump(stored),
            kept,
            contents,
        )

    def _api_of(self, snapshot: str, session: str) -> str:
        if snapshot not in self._apis:
            row = self._cursor.execute(
                "SELECT api FROM store.records WHERE session = ? AND key = ? AND type = 'snapshot'", [session, snapshot]
            ).fetchone()
            self._apis[snapshot] = row[0] if row else UNKNOWN.name
        return self._apis[snapshot]


class _Rows:
    """The rows of a prompt, in the order in which the model reads them."""

    def __init__(self, catalog: Catalog, section: Section, one: Prepared, texts: dict[int, str]) -> None:
        self._catalog = catalog
        self._section = section
        self._texts = texts
        body: Mapping[str, Any] | None = one.record["body"]
        if body is None:
            body = {"": {"blob": one.record.get("whole", LOST)}}
        self.dialect = self._find_dialect(one, body)
        members = [name for name in body if self.dialect.part_of_prompt(name)] or list(body)
        order = self.dialect.prompt_order()
        members.sort(key=lambda name: order.index(name) if name in order else len(order))
        blocks = [(name, self._member(name, body[name], one.items)) for name in members]
        self.contents = _with_tools_after_instructions(blocks, catalog)

    def _find_dialect(self, one: Prepared, body: Mapping[str, Any]) -> Dialect:
        record = one.record
        if record["body"] is None:
            return UNKNOWN
        if record.get("api") is not None:
            return find_dialect(record["api"], {}, record.get("endpoint"))
        sample: dict[str, Any] = {}
        for name, member in body.items():
            if "items" in member:
                from_start = [self._value(number) for number in one.items[name][:SAMPLED]]
                sample[name] = from_start
            else:
                sample[name] = member.get("value")
        return find_dialect(None, sample, record.get("endpoint"))

    def _value(self, number: int) -> Any:
        text = self._text(number)
        if text is None:
            return None
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None

    def _text(self, number: int) -> str | None:
        return _text(self._section, number, self._texts)

    def _member(self, name: str, member: Mapping[str, Any], items: Mapping[str, list[int]]) -> list[int]:
        if "items" in member:
            numbers = items[name]
            if name in TOOL_MEMBERS:
                return [self._tools(name, numbers)]
            known = self._section.contents[self.dialect.name, name, False]
            for number in sorted(set(numbers) - known.keys()):
                self._content(name, number, whole=False)
            return list(map(known.__getitem__, numbers))
        if "blob" in member:
            return [self._content(name, member["blob"], whole=True)]
        value = member.get("value")
        if value in (None, [], {}):
            return []
        text = json.dumps(value)
        wire = wire_hash(text)
        self._catalog.find_sources([wire])
        number = self._catalog.source(wire, text)
        return [self._catalog.content(self.dialect, name, [number], [text], whole=True)]

    def _content(self, member: str, number: int, *, whole: bool) -> int:
        return _content(self._catalog, self._section, self.dialect, member, number, self._texts, whole=whole)

    def _tools(self, name: str, numbers: list[int]) -> int:
        """All tool definitions are one row: they rarely change, and never by one."""
        key = (self.dialect.name, name, tuple(numbers))
        if key not in self._section.tools:
            pairs = [(self._section.sources.get(n), self._text(n)) for n in numbers]
            whole = [(source, text) for source, text in pairs if source is not None and text is not None]
            if whole:
                sources, texts = zip(*whole, strict=True)
                content = self._catalog.content(self.dialect, name, sources, texts, whole=True)
            else:
                digest = f"lost:{self._section.number}:tools:{numbers[0]}"
                reason = "the line that stored them is lost"
                content = self._catalog.lost(self.dialect, name, digest, reason, whole=True)
            self._section.tools[key] = content
        return self._section.tools[key]


def _with_tools_after_instructions(blocks: list[tuple[str, list[int]]], catalog: Catalog) -> list[int]:
    """Put tool definitions that follow the messages behind the leading instructions, where they are rendered."""
    names = [name for name, _ in blocks]
    after = names.index("messages") if "messages" in names else len(names)
    late = [row for name, rows in blocks[after:] if name in TOOL_MEMBERS for row in rows]
    answer: list[int] = []
    for at, (name, rows) in enumerate(blocks):
        if name == "messages":
            leading = 0
            while late and leading < len(rows) and catalog.role(rows[leading]) in ("system", "developer"):
                leading += 1
            answer += [*rows[:leading], *late, *rows[leading:]]
        elif not (name in TOOL_MEMBERS and at > after):
            answer += rows
    return answer


def _content(
    catalog: Catalog,
    section: Section,
    dialect: Dialect,
    member: str,
    number: int,
    texts: Mapping[int, str],
    *,
    whole: bool,
) -> int:
    known = section.contents[dialect.name, member, whole]
    content = known.get(number)
    if content is not None:
        return content
    source = section.sources.get(number)
    text = None if source is None else _text(section, number, texts)
    if source is None or text is None:
        reason = (
            "the snapshot it refers to is lost" if number == LOST else f"the line that stored blob {number} is lost"
        )
        content = catalog.lost(dialect, member, f"lost:{section.number}:{number}", reason, whole=whole)
    else:
        content = catalog.content(dialect, member, [source], [text], whole=whole)
    known[number] = content
    section.unused.pop(number, None)
    return content


def _text(section: Section, number: int, texts: Mapping[int, str]) -> str | None:
    text = texts.get(number)
    if text is None:
        text = section.unused.get(number)
    return text if text is not None else section.trace.source(number)


def _dump(value: Any) -> str:
    """Write JSON that any column takes: ASCII, so that lone surrogates are escaped."""
    return json.dumps(value, separators=(",", ":"))
