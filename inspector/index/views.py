"""The views for the user's own SQL, derived from the list of columns."""

from __future__ import annotations

from typing import Final

from inspector.index.schema import (
    CALLS,
    COMPACTIONS,
    EVENTS,
    PINS,
    SESSIONS,
    TABLES,
)
from inspector.index.tables import Table, View, ViewColumn

_INTERNAL: Final = frozenset({"section", "place", "answer", "answer_key", "layers", "layer_tokens", "layer_origins"})
"""Columns that only mean something inside the index; layers have a view of their own."""


def _over(table: Table) -> View:
    columns = tuple(ViewColumn(c.name, c.type, c.doc) for c in table.columns if c.name not in _INTERNAL)
    return View(table.name, table.doc, columns, table.qualified)


def _column(name: str, kind: str, doc: str, expression: str = "") -> ViewColumn:
    return ViewColumn(name, kind, doc, expression)


_LAYERS = View(
    "composition",
    "Counted tokens by layer of every call.",
    (
        _column("session", "VARCHAR", "Session."),
        _column("call", "INTEGER", "Number of the call."),
        _column("layer", "VARCHAR", "Layer.", "unnest(layers)"),
        _column("tokens", "BIGINT", "Counted tokens.", "unnest(layer_tokens)"),
        _column("origin", "VARCHAR", "Who says so.", "unnest(layer_origins)"),
    ),
    CALLS.qualified,
)

_MESSAGES = View(
    "messages",
    "Every distinct content of prompts and answers, once; the key `message` joins `prompt_messages` and `answers`.",
    (
        _column("message", "INTEGER", "Key of the content.", "content"),
        _column("api", "VARCHAR", "Dialect that decoded it."),
        _column("member", "VARCHAR", "Member of the body it stands in."),
        _column("role", "VARCHAR", "Role."),
        _column("kind", "VARCHAR", "Kind of its first part."),
        _column("text", "VARCHAR", "Text of all its parts."),
        _column("content_hash", "VARCHAR", "Content hash.", "hash"),
        _column("hole", "VARCHAR", "Why its content is lost; NULL: it is not."),
    ),
    "store.contents",
)

_PROMPT_MESSAGES = View(
    "prompt_messages",
    "Which message stands where in which prompt. Large: calls × messages rows; filter by session.",
    (
        _column("session", "VARCHAR", "Session."),
        _column("call", "INTEGER", "Number of the call.", "ordinal"),
        _column("place", "INTEGER", "Place in the prompt, from 1.", "row_place::INTEGER"),
        _column("message", "INTEGER", "Key of the content.", "content"),
    ),
    "(SELECT p.session, p.ordinal, unnest(p.units) AS unit, generate_subscripts(p.units, 1) AS row_place "
    "FROM store.prompts p) JOIN store.units USING (unit)",
)

_EFFECTIVE = View(
    "effective_messages",
    "Which message stood where in what the model saw, for the calls whose prompt a server changed (`calls.server`); "
    "a message that was cleared in part has its key here still.",
    (
        _column("session", "VARCHAR", "Session."),
        _column("call", "INTEGER", "Number of the call."),
        _column("place", "INTEGER", "Place in what the model saw, from 1.", "row_place::INTEGER"),
        _column("message", "INTEGER", "Key of the content.", "content"),
    ),
    "(SELECT e.session, e.call, unnest(e.units) AS unit, generate_subscripts(e.units, 1) AS row_place "
    "FROM store.effective e) JOIN store.units USING (unit)",
)

_ANSWERS = View(
    "answers",
    "Which messages the model answered with.",
    (
        _column("session", "VARCHAR", "Session."),
        _column("call", "INTEGER", "Number of the call."),
        _column("message", "INTEGER", "Key of the content.", "unnest(answer)"),
    ),
    CALLS.qualified,
)

_FILES = View(
    "files",
    "Trace files and how far each was read.",
    (
        _column("file", "VARCHAR", "Path below the traces directory.", "path"),
        _column("size", "BIGINT", "Bytes when last looked at."),
        _column("read_to", "BIGINT", "Bytes read: the end of the last complete line."),
        _column("lines", "INTEGER", "Lines read."),
        _column("refused", "BOOLEAN", "Its format is newer than this version reads."),
    ),
    "store.files",
)

_LINE_ERRORS = View(
    "line_errors",
    "Lines that could not be read as they stand.",
    (
        _column("file", "VARCHAR", "Path below the traces directory.", "path"),
        _column("line", "INTEGER", "Line, from 1."),
        _column("byte", "BIGINT", "Where the trouble starts, from the start of the file."),
        _column("reason", "VARCHAR", "What is wrong."),
        _column("recovered", "INTEGER", "Records recovered from the line."),
    ),
    "store.line_errors JOIN store.files USING (file)",
)

VIEWS: Final = (
    _over(SESSIONS),
    _over(CALLS),
    _LAYERS,
    _MESSAGES,
    _PROMPT_MESSAGES,
    _EFFECTIVE,
    _ANSWERS,
    _over(PINS),
    _over(COMPACTIONS),
    _over(EVENTS),
    _FILES,
    _LINE_ERRORS,
)
"""All views, in the order in which they are documented."""


def schema_statements() -> tuple[str, ...]:
    """All statements that make an empty index."""
    tables = (table.ddl for table in TABLES)
    views = (view.ddl for view in VIEWS)
    return ("CREATE SCHEMA store", *tables, *views)


def document_views() -> str:
    """The text of ``docs/sql.md``."""
    lines = [
        "# Views for your own SQL",
        "",
        '`context-inspector sql DIR "select …"` runs one read-only statement of',
        "[DuckDB's SQL](https://duckdb.org/docs/stable/sql/introduction) on these views. It can neither write nor",
        "reach any file. The index is a cache made from the trace files; it may be deleted at any time.",
        "",
        "```sql",
        "-- the ten largest prompts",
        "select session, call, turn_label, tokens, tokens_origin from calls order by tokens desc limit 10;",
        "-- what fills them",
        "select layer, sum(tokens) from composition where session = 'order-4711' group by all order by 2 desc;",
        "-- every call whose prompt says it",
        "select distinct session, call from prompt_messages join messages using (message)",
        "where contains(text, 'ORD-2024-001') order by all;",
        "```",
        "",
        "This page is generated from the list of columns; a test compares the two, and says how to write it again.",
    ]
    for view in VIEWS:
        lines += ["", f"## {view.name}", "", view.doc, "", "| column | type | holds |", "|---|---|---|"]
        lines += [f"| `{c.name}` | {c.type} | {c.doc} |" for c in view.columns]
    return "\n".join(lines) + "\n"
