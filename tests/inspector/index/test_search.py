"""Finding a text in every prompt and answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index
from inspector.index.search import excerpt
from inspector.model.views import SearchResult
from snapshot_sdk import Recorder

Agent = Callable[..., Any]
Open = Callable[..., Index]


@pytest.fixture
def index(traces: Path, agent: Agent, opened: Open) -> Index:
    """Two sessions that talk about the same order."""
    with Recorder(traces, session="a") as recorder:
        chat = agent(recorder)
        chat.ask("我的订单ORD-2024-001在哪里？", "正在路上。")
        chat.ask("thanks", "Your order ORD-2024-001 is\non its way.")
        del chat.messages[1:]
        chat.ask("bye", "Bye.")
    with Recorder(traces, session="b") as recorder:
        chat = agent(recorder)
        chat.ask("XORD-2024-0012 is another one, 50% off_ 'quoted'")
    return opened()


def found(result: SearchResult) -> dict[str, list[tuple[int, int, bool]]]:
    """Hits by session."""
    return {s.session: [(h.call, h.places, h.in_answer) for h in s.hits] for s in result.sessions}


def test_a_text_is_found_in_prompts_and_answers(index: Index) -> None:
    """Per session, the calls that hold it and in how many places; answers apart."""
    result = index.search("ORD-2024-001")

    assert found(result) == {"a": [(1, 1, False), (2, 1, True)], "b": [(1, 1, False)]}
    assert (result.places, result.answers) == (3, 1)
    assert [hits.calls for hits in result.sessions] == [3, 1]


def test_chinese_is_found(index: Index) -> None:
    """There is no word to cut at; the text is looked for as it is."""
    result = index.search("订单")

    assert found(result) == {"a": [(1, 1, False), (2, 1, False)]}
    assert result.sessions[0].first_where == "user"
    assert "我的订单ORD-2024-001" in result.sessions[0].excerpt


def test_upper_and_lower_case_are_alike_as_text(index: Index) -> None:
    """In both directions."""
    assert found(index.search("THANKS")) == found(index.search("thanks")) == {"a": [(2, 1, False)]}


def test_an_id_is_found_as_a_whole_token(index: Index) -> None:
    """Beside Chinese it is whole; inside a longer id it is not."""
    assert found(index.search("ORD-2024-001", "id")) == {"a": [(1, 1, False), (2, 1, True)]}
    assert found(index.search("ord-2024-001", "id")) == {}


def test_a_pattern_is_found(index: Index) -> None:
    """And a broken one is explained, not raised."""
    assert found(index.search(r"ORD-\d{4}-0012", "regex")) == {"b": [(1, 1, False)]}
    broken = index.search("a(b", "regex")
    assert broken.sessions == ()
    assert broken.error is not None
    assert broken.error.startswith("not a pattern")
    assert index.search("(?<!x)y", "regex").error is not None


@pytest.mark.parametrize("query", ["50%", "off_", "'quoted'", "50% off_ '"])
def test_marks_of_sql_patterns_are_plain_characters(query: str, index: Index) -> None:
    """Nothing of a query is SQL or LIKE."""
    assert found(index.search(query)) == {"b": [(1, 1, False)]}
    assert found(index.search(query.replace("5", "6") + "zz")) == {}


@pytest.mark.parametrize("query", ["", "  ", "'; drop table store.calls; --", "\x00", "\ud800"])
def test_odd_queries_find_nothing_and_break_nothing(query: str, index: Index) -> None:
    """Bound as values."""
    assert found(index.search(query)) == {}
    assert len(index.calls("a")) == 3


def test_a_search_may_be_for_one_session(index: Index) -> None:
    """The others are left out."""
    assert list(found(index.search("ORD-2024-001", session="b"))) == ["b"]


def test_an_answer_that_is_the_first_place_is_named(index: Index) -> None:
    """Its excerpt is one line."""
    (hits,) = index.search("on its way").sessions

    assert hits.first_where == "answer"
    assert hits.excerpt == "Your order ORD-2024-001 is ⏎ on its way."


def test_excerpts_are_one_line_around_the_place() -> None:
    """Line breaks of every kind become a sign."""
    import re

    text = "a" * 500 + "\n\n needle\u2028 \tend\r\n" + "b" * 500
    line = excerpt(text, re.compile("needle"))

    assert "⏎ needle ⏎ end ⏎ b" in line
    assert line.startswith("…a")
    assert line.endswith("b…")
    assert len(line.splitlines()) == 1
