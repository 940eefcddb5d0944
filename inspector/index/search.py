"""Finding a text in every prompt and answer: distinct contents first, then the calls that have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

import duckdb

from inspector.index.store import clean
from inspector.model.views import Hit, SearchResult, SessionHits

Kind = Literal["text", "regex", "id"]

EXCERPT_BEFORE: Final = 60
EXCERPT_AFTER: Final = 140
"""Characters shown around a hit: one line of the widest table."""

_REFUSED: Final = (
    duckdb.InvalidInputException,
    duckdb.OutOfRangeException,
    duckdb.BinderException,
    duckdb.ConversionException,
)
_WORD: Final = "[A-Za-z0-9_]"
"""What continues an id. ASCII only: an id beside Chinese text is whole, where \\b would see one long word."""


def search(cursor: duckdb.DuckDBPyConnection, query: str, kind: Kind, session: str | None) -> SearchResult:
    """Find a text; see :meth:`inspector.index.Index.search`."""
    wanted = clean(query)
    if not wanted.strip():
        return SearchResult(query, kind, 0, 0, ())
    condition, values, pattern = _condition(wanted, kind)
    try:
        cursor.execute(
            f"CREATE OR REPLACE TEMP TABLE hits AS SELECT content FROM store.contents WHERE {condition}", values
        )
    except _REFUSED as error:
        return SearchResult(query, kind, 0, 0, (), error=_explain(error))
    prompts = _prompt_hits(cursor, session)
    answers = _answer_hits(cursor, session)
    by_session: dict[str, dict[int, Hit]] = {}
    for name, call, places in prompts:
        by_session.setdefault(name, {})[call] = Hit(call, places, in_answer=False)
    for name, call in answers:
        calls = by_session.setdefault(name, {})
        calls[call] = Hit(call, calls[call].places if call in calls else 0, in_answer=True)
    found = [
        _session_hits(cursor, name, tuple(hits[call] for call in sorted(hits)), pattern)
        for name, hits in by_session.items()
    ]
    found.sort(key=lambda one: (-len(one.hits), one.session))
    return SearchResult(
        query=query,
        kind=kind,
        places=sum(places for *_, places in prompts),
        answers=len(answers),
        sessions=tuple(found),
    )


def _condition(wanted: str, kind: Kind) -> tuple[str, list[str], re.Pattern[str] | None]:
    """SQL that finds the contents, its values, and a pattern that finds the place for the excerpt."""
    if kind == "regex":
        return "regexp_matches(text, ?)", [wanted], _python_pattern(wanted)
    if kind == "id":
        # RE2 knows no look-around, so the neighbours are matched, and the ends of the text allowed for.
        pattern = f"(?:^|[^A-Za-z0-9_]){re.escape(wanted)}(?:$|[^A-Za-z0-9_])"
        place = re.compile(f"(?<!{_WORD}){re.escape(wanted)}(?!{_WORD})")
        return "contains(text, ?) AND regexp_matches(text, ?, 's')", [wanted, _re2(pattern)], place
    return "contains(lower(text), lower(?))", [wanted], re.compile(re.escape(wanted), re.IGNORECASE)


def _re2(pattern: str) -> str:
    """Python escapes spaces and some marks that RE2 takes as they are; RE2 refuses escaped non-ASCII."""
    return re.sub(r"\\([^\x00-\x7f])", r"\1", pattern)


def _python_pattern(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except re.error:
        return None  # valid for RE2 only: the excerpt begins at the text's beginning


def _explain(error: duckdb.Error) -> str:
    text = str(error).strip().partition("\n")[0]
    return f"not a pattern: {text.rpartition('Error: ')[2]}"


def _prompt_hits(cursor: duckdb.DuckDBPyConnection, session: str | None) -> Sequence[tuple[str, int, int]]:
    where = "" if session is None else "WHERE session = ?"
    return cursor.execute(
        "WITH wanted AS (SELECT unit FROM store.units JOIN hits USING (content)), "
        f"rows AS (SELECT session, ordinal, unnest(units) AS unit FROM store.prompts {where}) "
        "SELECT session, ordinal, count(*) FROM rows JOIN wanted USING (unit) GROUP BY ALL ORDER BY ALL",
        [] if session is None else [clean(session)],
    ).fetchall()


def _answer_hits(cursor: duckdb.DuckDBPyConnection, session: str | None) -> Sequence[tuple[str, int]]:
    where = "" if session is None else "AND session = ?"
    return cursor.execute(
        "SELECT DISTINCT session, call FROM (SELECT session, call, unnest(answer) AS content FROM store.calls "
        f"WHERE answer IS NOT NULL {where}) JOIN hits USING (content) ORDER BY ALL",
        [] if session is None else [clean(session)],
    ).fetchall()


def _session_hits(
    cursor: duckdb.DuckDBPyConnection, session: str, hits: tuple[Hit, ...], pattern: re.Pattern[str] | None
) -> SessionHits:
    total = cursor.execute("SELECT calls FROM store.sessions WHERE session = ?", [session]).fetchone()
    first = hits[0]
    row: tuple[Any, ...] | None
    if first.places:
        row = cursor.execute(
            "SELECT coalesce(c.role, c.member), c.text FROM "
            "(SELECT unnest(units) AS unit, generate_subscripts(units, 1) AS place FROM store.prompts "
            "WHERE session = ? AND ordinal = ?) JOIN store.units USING (unit) JOIN store.contents c USING (content) "
            "JOIN hits USING (content) ORDER BY place LIMIT 1",
            [session, first.call],
        ).fetchone()
    else:
        row = cursor.execute(
            "SELECT 'answer', c.text FROM (SELECT unnest(answer) AS content FROM store.calls "
            "WHERE session = ? AND call = ?) JOIN store.contents c USING (content) JOIN hits USING (content) LIMIT 1",
            [session, first.call],
        ).fetchone()
    where, text = row if row else (None, "")
    return SessionHits(session, int(total[0]) if total else 0, hits, where, excerpt(text, pattern))


def excerpt(text: str, pattern: re.Pattern[str] | None) -> str:
    """Cut out the text around its first place, on one line."""
    match = pattern.search(text) if pattern is not None else None
    at = match.start() if match else 0
    start, end = max(0, at - EXCERPT_BEFORE), at + EXCERPT_AFTER
    piece = text[start:end]
    line = re.sub(r"\s*(?:\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])\s*", " ⏎ ", piece.strip())
    return ("…" if start else "") + line.replace("\t", " ") + ("…" if end < len(text) else "")
