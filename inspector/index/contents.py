"""Contents: every distinct source text and decoded message of the traces, kept and numbered once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from inspector.index.schema import CONTENTS, SOURCES
from inspector.index.store import Batch, clean
from inspector.model.dialects import Dialect, dialect_named
from inspector.model.effective_stored import refers_to_server
from inspector.model.layering import places_of
from inspector.model.request import Element, Message, Part
from snapshot_sdk.canonical import content_hash, text_hash
from snapshot_sdk.reading import parse_source

TOOL_MEMBERS: Final = frozenset({"tools", "functions"})
"""Members whose elements are shown as one row."""

KEPT: Final = 200_000
"""Numbers remembered between batches; beyond it they are asked of the database again."""

PASS, STOP, INPUT = 0, 1, 2
"""What a message means to the search, from the end of a prompt, for the user's current input."""

_USER: Final = Element("messages", 0, Message("user", (Part("text", "?"),)))
_TOOL: Final = Element("messages", 2, Message("tool", (Part("tool_result", "?"),)))


@dataclass(frozen=True)
class Content:
    """What is known of a content without its text."""

    content: int
    hash: str
    role: str | None
    member: str
    walk: int
    """One of PASS, STOP, INPUT."""
    api: str
    whole: bool
    """It is a whole member of the body (as all tool definitions are here), not one of an array."""

    refers: bool
    """It stands for messages that a server keeps or replaced."""

    @property
    def index(self) -> int | None:
        """Stands in for an element's index where only one thing matters: is it one of an array, or a whole member."""
        return None if self.whole else 0


def decode(dialect: Dialect, member: str, sources: Sequence[str]) -> tuple[Message, str]:
    """Decode an element, or all tool definitions as one message.

    Returns:
        The message and its content hash.
    """
    values = [parse_source(source) for source in sources]
    if member in TOOL_MEMBERS:
        messages = [dialect.decode(member, value) for value in values]
        message = Message(None, tuple(part for one in messages for part in one.parts))
        return message, text_hash("\n".join(map(_digest, values, sources)))
    (value,), (source,) = values, sources
    message = dialect.decode(member, value)
    said = value
    if member == "system":
        said = {"role": "system", "content": value if isinstance(value, str | list) else [value]}
    elif isinstance(value, str) and message.role is not None:
        # A text in the place of messages (``input``, ``instructions``) says what a message of its role would.
        said = {"role": message.role, "content": value}
    return message, _digest(said, source)


def _digest(value: Any, source: str) -> str:
    """Hash what a value says; one that JSON cannot write again (an endless integer) is identified by its source."""
    try:
        return content_hash(value)
    except (ValueError, TypeError, RecursionError):
        return text_hash(source)


def walk_of(element: Element) -> int:
    """Ask the model's own rule what a message means to the search for the current input."""
    before, this, _ = places_of((_USER, element, _TOOL))
    if this.is_input:
        return INPUT
    return PASS if before.is_input else STOP


_Key = tuple[str, str, bool, tuple[int, ...]]
"""Dialect, member, whether it is the whole member, and sources."""


class Catalog:
    """Numbers of sources and contents, old ones looked up, new ones given out.

    Holds numbers only, and the messages decoded since the last batch: never the texts of a whole trace.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, batch: Batch) -> None:
        self._cursor = cursor
        self._batch = batch
        self._sources: dict[str, int] = {}
        self._contents: dict[_Key, int] = {}
        self._asked: set[int] = set()
        self._roles: dict[int, str | None] = {}
        self.known: dict[int, Content] = {}
        """Contents met since the last batch."""
        self._older: dict[int, Content] = {}
        self.messages: dict[int, Message] = {}
        """Messages decoded since the last batch, by content."""

    def forget(self, *, everything: bool = False) -> None:
        """Drop what was decoded; numbers too, when they are many or no longer stand."""
        self.messages.clear()
        self.known.clear()
        self._older.clear()
        if everything or len(self._sources) > KEPT:
            self._sources.clear()
        if everything or len(self._contents) > KEPT:
            self._contents.clear()
            self._asked.clear()
            self._roles.clear()

    def find_sources(self, wires: Iterable[str]) -> None:
        """Look up the sources with these hashes, at once: what is not found now is new."""
        missing = list({wire for wire in wires if wire not in self._sources})
        if not missing:
            return
        rows = self._cursor.execute(
            "SELECT wire, source FROM store.sources WHERE wire IN (SELECT unnest(?))", [missing]
        ).fetchall()
        self._sources.update(rows)
        self._find_contents([source for _, source in rows])

    def _find_contents(self, sources: list[int]) -> None:
        wanted = [source for source in sources if source not in self._asked]
        if not wanted:
            return
        self._asked.update(wanted)
        rows = self._cursor.execute(
            "SELECT api, member, whole, sources, content, role FROM store.contents "
            "WHERE sources[1] IN (SELECT unnest(?))",
            [wanted],
        ).fetchall()
        for api, member, whole, numbers, content, role in rows:
            self._contents[api, member, whole, tuple(numbers)] = content
            self._roles[content] = role

    def recall(self, contents: Collection[int]) -> Mapping[int, Content]:
        """Say what is known of contents, those of earlier batches too; asked for at once they cost one query."""
        missing = [content for content in contents if content not in self.known and content not in self._older]
        if missing:
            rows = self._cursor.execute(
                "SELECT content, hash, role, member, walk, api, whole, refers FROM store.contents "
                "WHERE content IN (SELECT unnest(?))",
                [missing],
            ).fetchall()
            self._older.update((row[0], Content(*row)) for row in rows)
        return {c: self.known[c] if c in self.known else self._older[c] for c in contents}

    def role(self, content: int) -> str | None:
        """Return the role of a content."""
        if content not in self._roles:
            row = self._cursor.execute("SELECT role FROM store.contents WHERE content = ?", [content]).fetchone()
            self._roles[content] = row[0] if row else None
        return self._roles[content]

    def source(self, wire: str, text: str) -> int:
        """Return the number of a source text."""
        number = self._sources.get(wire)
        if number is None:
            number = self._batch.number(SOURCES)
            self._sources[wire] = number
            self._asked.add(number)
            self._batch.add(SOURCES, number, wire, text.encode("utf-8", "surrogatepass"))
        return number

    def content(
        self, dialect: Dialect, member: str, sources: Sequence[int], texts: Sequence[str], *, whole: bool
    ) -> int:
        """Return the number of a content, decoding it if it is new.

        Args:
            dialect: Dialect of the request.
            member: Member of the body.
            sources: Numbers of its sources.
            texts: Their texts.
            whole: It is the whole member, not one of an array.
        """
        key = (dialect.name, member, whole, tuple(sources))
        content = self._contents.get(key)
        if content is None:
            message, digest = decode(dialect, member, texts)
            content = self._add(key, digest, message, None)
        return content

    def lost(self, dialect: Dialect, member: str, digest: str, reason: str, *, whole: bool) -> int:
        """Return the number of a content that cannot be restored.

        Args:
            dialect: Dialect of the request.
            member: Member of the body.
            digest: What stands for its content hash.
            reason: Why it is lost.
            whole: It is the whole member, not one of an array.
        """
        return self._add((dialect.name, member, whole, ()), digest, Message(None, ()), reason)

    def _add(self, key: _Key, digest: str, message: Message, hole: str | None) -> int:
        api, member, whole, sources = key
        content = self._batch.number(CONTENTS)
        role = None if message.role is None else clean(message.role)
        kind = message.parts[0].kind if message.parts else None
        walk = walk_of(Element(member, None if whole else 0, message))
        text = clean(message.text)
        refers = refers_to_server(message)
        keys = list(keys_of(message))
        row = (content, api, member, whole, list(sources), digest, role, kind, walk, text, hole, refers, keys)
        self._batch.add(CONTENTS, *row)
        if hole is None:
            self._contents[key] = content
        self._roles[content] = role
        self.known[content] = Content(content, digest, role, member, walk, api, whole, refers)
        self.messages[content] = message
        return content


def keys_of(message: Message) -> tuple[str, ...]:
    """Return the ids that name this very message: ``call:<id>`` of its tool calls, ``result:<id>`` of its results.

    Args:
        message: The message.
    """
    return tuple(
        clean(f"{_KEYED[part.kind]}:{part.call_id}")
        for part in message.parts
        if part.kind in _KEYED and part.call_id is not None
    )


_KEYED: Final = {"tool_call": "call", "tool_result": "result"}


def load_messages(cursor: duckdb.DuckDBPyConnection, contents: Iterable[int]) -> dict[int, Message]:
    """Decode contents again from their stored sources.

    Args:
        cursor: A cursor of the index.
        contents: Numbers of the contents.
    """
    wanted = list(set(contents))
    rows: list[tuple[Any, ...]] = cursor.execute(
        "SELECT content, api, member, sources FROM store.contents WHERE content IN (SELECT unnest(?))", [wanted]
    ).fetchall()
    numbers = list({source for *_, sources in rows for source in sources})
    texts = load_sources(cursor, numbers)
    messages = {}
    for content, api, member, sources in rows:
        if sources:
            messages[content], _ = decode(dialect_named(api), member, [texts[source] for source in sources])
        else:
            messages[content] = Message(None, ())
    return messages


def load_sources(cursor: duckdb.DuckDBPyConnection, sources: Iterable[int]) -> dict[int, str]:
    """Fetch source texts by number."""
    wanted = list(set(sources))
    rows = cursor.execute(
        "SELECT source, text FROM store.sources WHERE source IN (SELECT unnest(?))", [wanted]
    ).fetchall()
    return {source: text.decode("utf-8", "surrogatepass") for source, text in rows}
