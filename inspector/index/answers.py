"""The answers of a session as recorded, as JSON values: what is exported and played back."""

from __future__ import annotations

from typing import Any

import duckdb

from inspector.index.contents import load_sources
from inspector.index.store import clean
from snapshot_sdk.reading import parse_source


def load_answer_values(cursor: duckdb.DuckDBPyConnection, session: str) -> dict[int, tuple[Any, ...]]:
    """Load the messages of every answer of a session by number of its call, as the recorder wrote them down.

    A message that is lost is left out; calls without an answer are absent.
    """
    rows = cursor.execute(
        "SELECT a.call, c.sources FROM (SELECT call, unnest(answer) AS content, "
        "generate_subscripts(answer, 1) AS place FROM store.calls WHERE session = ?) a "
        "JOIN store.contents c USING (content) ORDER BY a.call, a.place",
        [clean(session)],
    ).fetchall()
    texts = load_sources(cursor, (source for _, sources in rows for source in sources))
    found: dict[int, tuple[Any, ...]] = {}
    for call, sources in rows:
        found[call] = found.get(call, ()) + tuple(parse_source(texts[source]) for source in sources)
    return found
