"""The schema of the index: one list of described columns.

The tables' DDL, the Arrow types of bulk inserts, the views a user queries and ``docs/sql.md`` all derive
from here. What the user may rely on are the views; the tables under ``store`` may change with any version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyarrow as pa

INDEX_VERSION: Final = 3
"""Raise it with every change of a table, a view or of what is computed into them: an index of another
version is thrown away and built anew, without asking, as it is only a cache."""

SCHEMA: Final = "store"
"""Database schema of the tables; the views stand in ``main``."""

_ARROW: Final = {
    "BOOLEAN": pa.bool_(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    # Large: the texts of one batch may exceed the 2 GB that 32-bit offsets reach.
    "VARCHAR": pa.large_string(),
    "BLOB": pa.large_binary(),
}


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    type: str
    """DuckDB's name of the type."""
    doc: str
    """What it holds, one sentence."""

    @property
    def arrow(self) -> pa.DataType:
        """The type for bulk inserts."""
        if self.type.endswith("[]"):
            return pa.list_(_ARROW[self.type.removesuffix("[]")])
        return _ARROW[self.type]


@dataclass(frozen=True)
class Table:
    """A table of the index."""

    name: str
    doc: str
    columns: tuple[Column, ...]

    @property
    def qualified(self) -> str:
        """Name with its schema, for SQL."""
        return f"{SCHEMA}.{self.name}"

    @property
    def arrow(self) -> pa.Schema:
        """Schema for bulk inserts."""
        return pa.schema([(column.name, column.arrow) for column in self.columns])

    @property
    def ddl(self) -> str:
        """The statement that creates it."""
        columns = ", ".join(f'"{column.name}" {column.type}' for column in self.columns)
        return f"CREATE TABLE {self.qualified} ({columns})"


@dataclass(frozen=True)
class ViewColumn(Column):
    """A column of a view."""

    expression: str = ""
    """SQL that yields it; empty: the table's column of this name."""


@dataclass(frozen=True)
class View:
    """A view for the user's own SQL."""

    name: str
    doc: str
    columns: tuple[ViewColumn, ...]
    source: str
    """What stands after FROM."""

    @property
    def ddl(self) -> str:
        """The statement that creates it."""
        columns = ", ".join(f'{c.expression or c.name} AS "{c.name}"' for c in self.columns)
        return f'CREATE VIEW "{self.name}" AS SELECT {columns} FROM {self.source}'


def _table(name: str, doc: str, *columns: tuple[str, str, str]) -> Table:
    return Table(name, doc, tuple(Column(*column) for column in columns))


META = _table(
    "meta",
    "Facts about the index itself.",
    ("key", "VARCHAR", "Name of the fact."),
    ("value", "VARCHAR", "Its value."),
)

FILES = _table(
    "files",
    "Trace files and how far each was read.",
    ("file", "INTEGER", "Number of the file."),
    ("path", "VARCHAR", "Path below the traces directory."),
    ("size", "BIGINT", "Bytes when last looked at."),
    ("mtime_ns", "BIGINT", "Time of change when last looked at."),
    ("read_to", "BIGINT", "Bytes read: the end of the last complete line."),
    ("lines", "INTEGER", "Lines read."),
    ("head", "VARCHAR", "Hash of the first bytes read: another one means another file."),
    ("tail", "VARCHAR", "Hash of the last bytes read: another one means the file was rewritten."),
    ("refused", "BOOLEAN", "Its format is newer than this version reads."),
    ("section", "INTEGER", "The section its next record belongs to."),
    ("seen", "INTEGER[]", "Sequence numbers seen in that section, as pairs of first and last."),
)

SECTIONS = _table(
    "sections",
    "One header and what follows it in a file; sound files have one.",
    ("section", "INTEGER", "Number of the section."),
    ("file", "INTEGER", "File it stands in."),
    ("session", "VARCHAR", "Session its records belong to."),
    ("writer", "VARCHAR", "Process that wrote it."),
    ("header", "VARCHAR", "The header record, JSON; of a file without one, an empty object."),
)

LINE_ERRORS = _table(
    "line_errors",
    "Lines that could not be read as they stand.",
    ("file", "INTEGER", "File."),
    ("line", "INTEGER", "Line, from 1."),
    ("byte", "BIGINT", "Where the trouble starts, from the start of the file."),
    ("reason", "VARCHAR", "What is wrong."),
    ("recovered", "INTEGER", "Records recovered from the line."),
)

SOURCES = _table(
    "sources",
    "Source text of the elements of bodies, each once.",
    ("source", "INTEGER", "Number of the source."),
    ("wire", "VARCHAR", "Hash of the text."),
    ("text", "BLOB", "The text, UTF-8, lone surrogates passed through."),
)

BLOBS = _table(
    "blobs",
    "What the blob numbers of a section stand for.",
    ("section", "INTEGER", "Section."),
    ("n", "INTEGER", "Blob number."),
    ("source", "INTEGER", "Source; NULL where it cannot be restored."),
    ("hole", "VARCHAR", "Why it cannot be restored."),
)

CONTENTS = _table(
    "contents",
    "Decoded messages, each once, whatever number of prompts has them.",
    ("content", "INTEGER", "Number of the content."),
    ("api", "VARCHAR", "Dialect that decoded it."),
    ("member", "VARCHAR", "Member of the body it stands in."),
    ("whole", "BOOLEAN", "It is the whole member (all tool definitions are), not one of an array."),
    ("sources", "INTEGER[]", "Sources it is made of: one, or one a tool for tool definitions; none where it is lost."),
    ("hash", "VARCHAR", "Content hash: the message's identity."),
    ("role", "VARCHAR", "Role."),
    ("kind", "VARCHAR", "Kind of its first part."),
    ("walk", "INTEGER", "What it means to the search for the current input: 0 pass, 1 stop, 2 it is the input."),
    ("text", "VARCHAR", "Text of all parts: what is searched."),
    ("hole", "VARCHAR", "Why the content is lost."),
)

UNITS = _table(
    "units",
    "Contents as counted: one content under one tokenizer and one set of labels.",
    ("unit", "INTEGER", "Number of the unit."),
    ("content", "INTEGER", "Content."),
    ("counting", "VARCHAR", "What it was counted under: model family, labels, place."),
    ("segments", "VARCHAR", "Its segments with layers and tokens, JSON."),
)

RECORDS = _table(
    "records",
    "Every record of the trace files, without its blobs.",
    ("session", "VARCHAR", "Session."),
    ("section", "INTEGER", "Section it stands in."),
    ("line", "INTEGER", "Line."),
    ("place", "INTEGER", "Place on the line: 0 but for glued records."),
    ("writer", "VARCHAR", "Process that wrote it."),
    ("seq", "INTEGER", "Sequence number."),
    ("time", "VARCHAR", "Wall time, never running backwards inside a section."),
    ("type", "VARCHAR", "Type of the record."),
    ("key", "VARCHAR", "Snapshot's id, for snapshots, attempts and responses."),
    ("api", "VARCHAR", "Dialect of a snapshot's body."),
    ("record", "VARCHAR", "The record, JSON, runs of arrays made absolute."),
    ("kept", "INTEGER", "Of a snapshot: so many rows at its beginning are those of the lane's snapshot before it."),
    ("contents", "INTEGER[]", "Of a snapshot the rows that follow, of a response its messages."),
)

PROMPTS = _table(
    "prompts",
    "What was computed from the messages of each prompt, in display order.",
    ("session", "VARCHAR", "Session."),
    ("ordinal", "INTEGER", "Place in display order, from 1."),
    ("section", "INTEGER", "Section of its record."),
    ("line", "INTEGER", "Line of its record."),
    ("place", "INTEGER", "Place on that line."),
    ("units", "INTEGER[]", "Its rows."),
    ("thread", "INTEGER", "Line of thought, by shared content."),
    ("previous", "INTEGER", "Ordinal of the prompt it continues."),
    ("new_turns", "INTEGER", "User messages with text that the prompt before did not have."),
    ("layers", "VARCHAR[]", "Layers of the composition."),
    ("layer_tokens", "BIGINT[]", "Tokens of each."),
    ("layer_origins", "VARCHAR[]", "Origin of each figure."),
    ("pins_gone", "VARCHAR[]", "Pins in force whose text is not there."),
)

SESSIONS = _table(
    "sessions",
    "One row a session.",
    ("session", "VARCHAR", "Id of the session."),
    ("agent", "VARCHAR", "Name of the agent."),
    ("models", "VARCHAR[]", "Models, in order of first use."),
    ("calls", "INTEGER", "Number of calls."),
    ("turns", "INTEGER", "Number of turns."),
    ("started", "VARCHAR", "Time of the first record, ISO UTC."),
    ("ended", "VARCHAR", "Time of the last record, ISO UTC."),
    ("peak", "BIGINT", "Tokens of the largest context of the main lane."),
    ("peak_origin", "VARCHAR", "Origin of that figure."),
    ("window_size", "BIGINT", "The model's hard limit, tokens."),
    ("budget", "BIGINT", "Tokens the agent allows itself."),
    ("threshold", "BIGINT", "Tokens that trigger compaction."),
    ("compactions", "INTEGER", "Number of recorded compactions."),
    ("pins", "INTEGER", "Number of pins."),
    ("pins_gone", "INTEGER", "Number of pins that some call lacks."),
    ("failed_calls", "INTEGER", "Number of failed calls."),
    ("fill", "DOUBLE[]", "Per call of the main lane: tokens ÷ budget (else window, else peak)."),
    ("lanes", "VARCHAR[]", "Lanes, main first."),
    ("lane_calls", "INTEGER[]", "Number of calls of each lane."),
    ("origin", "VARCHAR", "Where it comes from: recorded, imported, sample."),
    ("exact", "VARCHAR[]", "How far its prompts are proved."),
)

CALLS = _table(
    "calls",
    "One row a call: what was sent, how large, what came back.",
    ("session", "VARCHAR", "Session."),
    ("call", "INTEGER", "Number of the call in its session, from 1."),
    ("id", "VARCHAR", "Id of the snapshot."),
    ("turn", "VARCHAR", "Turn, JSON: a number or a string; NULL: unknown."),
    ("turn_label", "VARCHAR", "Turn as shown, `t14`."),
    ("turn_inferred", "BOOLEAN", "Whether the turn was inferred."),
    ("lane", "VARCHAR", "Lane."),
    ("lane_origin", "VARCHAR", "Who says so: given, default or inferred."),
    ("purpose", "VARCHAR", "What a side call is for."),
    ("previous", "VARCHAR", "Id of the snapshot it continues."),
    ("api", "VARCHAR", "Dialect of the request."),
    ("model", "VARCHAR", "Model."),
    ("time", "VARCHAR", "When it was sent, ISO UTC."),
    ("duration_ms", "DOUBLE", "Milliseconds until the answer was complete."),
    ("status", "VARCHAR", "answered, incomplete, failed, no answer."),
    ("http_status", "INTEGER", "HTTP status."),
    ("error", "VARCHAR", "Error, in the provider's or client's words."),
    ("attempts", "INTEGER", "Tries on the wire."),
    ("stop_reason", "VARCHAR", "Why the model stopped."),
    ("input_tokens", "BIGINT", "Tokens of the prompt by the provider, cached ones included."),
    ("cached_read", "BIGINT", "Of these, read from the cache."),
    ("cached_write", "BIGINT", "Of these, written to the cache."),
    ("output_tokens", "BIGINT", "Tokens of the answer by the provider."),
    ("reasoning_tokens", "BIGINT", "Of these, reasoning."),
    ("input_is", "VARCHAR", "How input_tokens stands to the prompt: exact, at least, at most."),
    ("usage", "VARCHAR", "Usage as the provider gave it, JSON."),
    ("usage_problems", "VARCHAR[]", "Figures of the usage that cannot be true, and why; they are used nowhere."),
    ("usage_notes", "VARCHAR[]", "What to know about the figures of the usage."),
    ("layers", "VARCHAR[]", "Layers of the composition."),
    ("layer_tokens", "BIGINT[]", "Counted tokens of each layer."),
    ("layer_origins", "VARCHAR[]", "Origin of each of these figures."),
    ("counted", "BIGINT", "Counted tokens of the prompt, overhead included."),
    ("counted_origin", "VARCHAR", "Origin of that figure."),
    ("calibrated", "BIGINT", "Counted tokens × the steady ratio of past calls of the model."),
    ("calibrated_origin", "VARCHAR", "Origin of that figure."),
    (
        "unattributed",
        "BIGINT",
        "Tokens of the provider, where exact, less the counted ones.",
    ),
    ("tokens", "BIGINT", "The figure to show: provider where exact, else calibrated, else counted."),
    ("tokens_origin", "VARCHAR", "Origin of that figure."),
    ("window_size", "BIGINT", "The model's hard limit, tokens."),
    ("budget", "BIGINT", "Tokens the agent allows itself."),
    ("threshold", "BIGINT", "Tokens that trigger compaction."),
    ("messages", "INTEGER", "Messages of the prompt, all tool definitions counted as one."),
    ("exact", "VARCHAR", "How far the stored request is proved: bytes, values, redacted, imported, rebuilt."),
    ("missing", "VARCHAR[]", "Parts the source log lacked."),
    ("caller", "VARCHAR", "First frame of the user's code."),
    ("file", "VARCHAR", "Trace file, below the traces directory."),
    ("line", "INTEGER", "Line of the record, from 1."),
    ("pins_gone", "VARCHAR[]", "Ids of pins whose text is not in the prompt."),
    ("response_id", "VARCHAR", "The provider's id of the answer."),
    ("answer", "INTEGER[]", "Contents of the answer."),
    ("section", "INTEGER", "Section of the record."),
    ("place", "INTEGER", "Place of the record on its line."),
    ("answer_key", "VARCHAR", "Where the response record stands; NULL: none came."),
)

PINS = _table(
    "pins",
    "Pins and how they fared, verbatim.",
    ("session", "VARCHAR", "Session."),
    ("pin", "VARCHAR", "Id of the pin."),
    ("excerpt", "VARCHAR", "The pinned text, cut to 2,000 characters."),
    ("target", "VARCHAR", "What is pinned, JSON: text, message or regex."),
    ("reason", "VARCHAR", "Why."),
    ("caller", "VARCHAR", "First frame of the user's code."),
    ("scope", "VARCHAR", "Lane it holds for; NULL: every lane."),
    ("since_call", "INTEGER", "First call after the pin."),
    ("released_call", "INTEGER", "First call after its release; NULL: still pinned."),
    ("gone", "INTEGER[]", "Calls that lack it."),
)

COMPACTIONS = _table(
    "compactions",
    "Recorded compactions.",
    ("session", "VARCHAR", "Session."),
    ("compaction", "VARCHAR", "Id of the compaction."),
    ("state", "VARCHAR", "pending, running, done or failed: its last state."),
    ("strategy", "VARCHAR", "summary, edit or trim."),
    ("policy", "VARCHAR", "Policy, as the agent names it."),
    ("reason", "VARCHAR", "Why."),
    ("lane", "VARCHAR", "Lane."),
    ("time", "VARCHAR", "When its last state was recorded, ISO UTC."),
    ("tokens_before", "BIGINT", "Tokens before, as recorded."),
    ("tokens_after", "BIGINT", "Tokens after, as recorded."),
    ("duration_ms", "DOUBLE", "How long it took, milliseconds."),
    ("error", "VARCHAR", "Error."),
    ("caller", "VARCHAR", "First frame of the user's code."),
    ("before_messages", "INTEGER", "Messages before."),
    ("after_messages", "INTEGER", "Messages after."),
    ("call", "INTEGER", "First call of its lane after it."),
)

EVENTS = _table(
    "events",
    "Events the agent recorded.",
    ("session", "VARCHAR", "Session."),
    ("event", "INTEGER", "Number of the event in its session, from 1."),
    ("kind", "VARCHAR", "state, retrieval, tool, probe or the user's own word."),
    ("lane", "VARCHAR", "Lane."),
    ("time", "VARCHAR", "When, ISO UTC."),
    ("data", "VARCHAR", "What the agent said about it, JSON."),
    ("caller", "VARCHAR", "First frame of the user's code."),
    ("call", "INTEGER", "First call after it."),
)

TABLES: Final = (
    META,
    FILES,
    SECTIONS,
    LINE_ERRORS,
    SOURCES,
    BLOBS,
    CONTENTS,
    UNITS,
    RECORDS,
    PROMPTS,
    SESSIONS,
    CALLS,
    PINS,
    COMPACTIONS,
    EVENTS,
)
"""All tables."""

DERIVED: Final = (PROMPTS, SESSIONS, CALLS, PINS, COMPACTIONS, EVENTS)
"""Tables computed per session; a session's rows can be thrown away and computed again."""
