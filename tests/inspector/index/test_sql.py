"""The user's own SQL: what it may read, and that it can do nothing else."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import QueryError
from inspector.index import Index
from inspector.index.schema import TABLES
from inspector.index.views import VIEWS, document_views
from snapshot_sdk import Recorder

Agent = Callable[..., Any]
Open = Callable[..., Index]
DOCS = Path(__file__).parents[3] / "docs" / "sql.md"


@pytest.fixture
def index(traces: Path, agent: Agent, opened: Open) -> Index:
    """One session of two calls."""
    with Recorder(traces, session="s", window=1000) as recorder:
        recorder.pin("bicycles")
        chat = agent(recorder)
        chat.ask("one")
        recorder.compaction(chat.messages, chat.messages[:1], strategy="trim")
        recorder.event("state", a=1)
        chat.ask("two")
    return opened()


def test_every_view_has_the_documented_columns(index: Index) -> None:
    """Names and types, as the list says."""
    for view in VIEWS:
        table = index.sql(f"SELECT column_name, column_type FROM (DESCRIBE {view.name})")
        assert list(table.rows) == [(column.name, column.type) for column in view.columns]


def test_the_views_hold_what_the_index_says(index: Index) -> None:
    """Counts and sums agree with the calls."""
    calls = index.calls("s")
    assert index.sql("SELECT call, tokens FROM calls ORDER BY call").rows == tuple(
        (call.number, call.tokens.count) for call in calls
    )
    sums = index.sql("SELECT call, sum(tokens)::BIGINT FROM composition GROUP BY call ORDER BY call").rows
    assert sums == tuple((call.number, call.counted.count) for call in calls)
    texts = index.sql(
        "SELECT text FROM prompt_messages JOIN messages USING (message) WHERE call = 2 ORDER BY place"
    ).rows
    assert [text for (text,) in texts] == [row.message.text for row in index.call("s", 2).messages]
    assert index.sql("SELECT count(*) FROM pins").rows == ((1,),)
    assert index.sql("SELECT strategy, call FROM compactions").rows == (("trim", 2),)


def test_every_column_is_described() -> None:
    """The documentation derives from the list, so the list must say something."""
    for described in (*TABLES, *VIEWS):
        assert described.doc.endswith(".")
        assert all(column.doc.endswith(".") for column in described.columns)


def test_the_documentation_is_the_list() -> None:
    """Written again by the command in the message."""
    again = "python -c 'from inspector.index.views import document_views as d; print(d(), end=\"\")' > docs/sql.md"
    assert DOCS.read_text("utf-8") == document_views(), again


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE store.calls",
        "DELETE FROM store.calls",
        "CREATE TEMP TABLE x AS SELECT 1",
        "INSERT INTO store.meta VALUES ('a', 'b')",
        "UPDATE store.calls SET call = 0",
        "SELECT 1; DROP VIEW calls",
        "COPY (SELECT 1) TO '{target}'",
        "EXPORT DATABASE '{target}'",
        "ATTACH '{target}'",
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM read_csv('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM glob('{folder}/*')",
        "SET enable_external_access = true",
        "SET GLOBAL memory_limit = '1TB'",
        "PRAGMA enable_external_access",
        "INSTALL fts",
        "LOAD fts",
        "CALL force_checkpoint()",
        "SELECT * FROM index",
        "SELECT nothing FROM calls",
        "SELEC 1",
        "",
        "-- only a comment",
    ],
)
def test_nothing_else_can_be_done(query: str, index: Index, tmp_path: Path) -> None:
    """No writing, no files, no settings; a broken query is an error of the user, in one line."""
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    target = tmp_path / "target"
    text = query.format(secret=secret, target=target, folder=tmp_path)
    with pytest.raises(QueryError) as caught:
        index.sql(text)

    assert "\n" not in caught.value.reason
    assert not target.exists()
    assert len(index.calls("s")) == 2


def test_explaining_is_allowed(index: Index) -> None:
    """It reads nothing that SELECT could not."""
    assert index.sql("EXPLAIN SELECT * FROM calls").rows


ENDLESS = "SELECT count(*) FROM range(1000000000000) a, range(1000000000000) b"


def test_a_query_that_takes_too_long_is_given_up(index: Index) -> None:
    """It is interrupted, the reason is said, and the index answers as before."""
    with pytest.raises(QueryError) as caught:
        index.sql(ENDLESS, timeout=0.05)

    assert caught.value.reason == "it took longer than 0.05 s"
    assert index.sql("SELECT 1").rows == ((1,),)


def test_a_query_that_is_done_in_time_is_not_disturbed(index: Index) -> None:
    """The clock ends with the query."""
    assert index.sql("SELECT 1", timeout=60).rows == ((1,),)
    assert [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)] == []


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to processes on POSIX only")
def test_ctrl_c_ends_a_query(index: Index) -> None:
    """DuckDB's own error for it is turned back into the interrupt it was."""
    # A shell starts background jobs with the interrupt ignored, and the tests may be one.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            index.sql(ENDLESS, timeout=60)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
