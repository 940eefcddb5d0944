"""The Sessions page: rows, marks of a search, damaged lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from inspector.model.views import (
    Hit,
    LineErrorRow,
    SearchResult,
    Sentence,
    SessionHits,
    SessionRow,
    TokenCount,
)
from inspector.ui.sessions_data import (
    SPARK_COLUMNS,
    hits_data,
    listed,
    mark_calls,
    peak_share,
    problem_rows,
    spark,
    table_rows,
    where_it_lives,
)

MakeSession = Callable[..., SessionRow]


def hits(calls: int, prompts: list[int], answers: Sequence[int] = (), session: str = "s") -> SessionHits:
    """Build where a text lives from the numbers of calls."""
    found = [Hit(n, 1 if n in prompts else 0, n in answers) for n in sorted({*prompts, *answers})]
    return SessionHits(session, calls, tuple(found), "user", "around\nit")


def test_a_row_says_first_what_happened(make_session: MakeSession) -> None:
    """The first sentence of the story stands in the row, on one line; the rest is counted."""
    story = (Sentence("error", "pin_gone", "rule\ngone", 2), Sentence("info", "compaction", "taken", 1))

    (row,) = table_rows([make_session(story=story)], lambda row: 2)

    assert (row["severity"], row["happened"], row["more"], row["rank"]) == ("error", "rule ⏎ gone", 1, 2)
    assert (row["open"], row["peak"], row["last"]) == (2, 0.7075, "2026-11-28T14:31:00+00:00")


def test_a_session_without_findings_ranks_below_all(make_session: MakeSession) -> None:
    """No story, no severity."""
    (row,) = table_rows([make_session()], lambda row: row.calls)

    assert (row["severity"], row["happened"], row["rank"]) == (None, None, -1)


def test_a_row_of_a_sample_has_its_incident(make_session: MakeSession) -> None:
    """What went wrong in a sample stands in its row, on one line; other sessions have none."""
    shown = table_rows([make_session(incident="a rule\nis lost"), make_session()], lambda row: 1)

    assert [row["incident"] for row in shown] == ["a rule ⏎ is lost", None]


def test_an_unknown_peak_is_not_zero(make_session: MakeSession) -> None:
    """Where size or limit is unknown there is no share."""
    assert peak_share(make_session(peak=TokenCount(None, "unknown"))) is None
    assert peak_share(make_session(budget=None, window=None)) is None
    assert peak_share(make_session(budget=None)) == pytest.approx(11_320 / 128_000)


def test_the_fill_of_a_long_session_keeps_its_peaks() -> None:
    """A thousand calls become few columns, and the one full call among them is seen."""
    fill = [0.1] * 1_000
    fill[577] = 1.03

    columns = spark(fill)

    assert len(columns) == SPARK_COLUMNS
    assert max(value or 0 for value in columns) == 1.03
    assert spark([None] * 100) == [None] * SPARK_COLUMNS
    assert spark([0.12345, None]) == [0.123, None]


@pytest.mark.parametrize(
    ("calls", "prompts", "answers", "marks"),
    [
        (6, [2, 3], [], ".ppx.."),
        (6, [2, 3], [5], ".ppxa."),
        (4, [1, 2, 3, 4], [2], "pbpp"),
        (6, [1, 3, 4], [], "pxppx."),
        (3, [], [2], ".a."),
        (5, [1, 2], [3], "ppa.."),
    ],
)
def test_each_call_has_a_mark(calls: int, prompts: list[int], answers: list[int], marks: str) -> None:
    """Present, only in the answer, both, gone since here, absent."""
    assert mark_calls(hits(calls, prompts, answers), ()) == marks


def test_a_call_of_another_lane_is_no_loss() -> None:
    """The summariser between two calls of the main agent never had the text, so nothing is gone there."""
    lanes = ["main", "main", "summariser", "main", "main"]

    assert mark_calls(hits(5, [1, 2, 4]), lanes) == "pp.px"


def test_where_a_text_lives_is_said_in_words() -> None:
    """First call and place, how many prompts, the end, and the answers that said it without having it."""
    found = hits(20, list(range(3, 16)), [18])

    words = where_it_lives(found, mark_calls(found, ()))

    assert words == [
        ["same", "first call 3 (user)"],
        ["same", "13 of 20 prompts"],
        ["lost", "gone since call 16"],
        ["altered", "in the answer of call 18"],
    ]


def test_a_text_that_stays_has_a_last_call() -> None:
    """Nothing is lost where the last prompt holds it."""
    found = hits(3, [2, 3], [3])

    assert where_it_lives(found, ".pb")[2:] == [["same", "last call 3"], ["same", "also in 1 answer"]]


def test_a_text_that_came_back_has_a_gap() -> None:
    """Gone and returned is said before the end; more than one gap is counted."""
    found = hits(9, [1, 2, 5, 9])

    assert where_it_lives(found, mark_calls(found, ()))[2:] == [
        ["lost", "gone at call 3, back at call 5 and another gap"],
        ["same", "last call 9"],
    ]


def test_a_text_only_the_model_said_was_never_in_a_prompt() -> None:
    """The model brought it itself."""
    found = hits(9, [], [1, 2, 3, 8, 9])

    assert where_it_lives(found, mark_calls(found, ())) == [
        ["altered", "never in a prompt"],
        ["same", "in the answer of calls 1, 2, 3 and 2 more"],
    ]
    assert listed([4]) == "call 4"


def test_a_session_is_found_by_its_name_too(make_session: MakeSession) -> None:
    """Names that hold the query come first, with or without hits in prompts."""
    rows = [make_session("other"), make_session("ORDER-1"), make_session("order-2", lanes=(("main", 2), ("sub", 1)))]
    result = SearchResult("order", "text", 4, 0, (hits(3, [1], session="other"), hits(3, [2], session="order-2")))
    asked: list[str] = []

    def lanes_of(row: SessionRow) -> list[str]:
        asked.append(row.session)
        return ["main", "main", "sub"]

    data = hits_data(result, rows, lanes_of)

    assert [(row["session"], row["named"], row["marks"]) for row in data["rows"]] == [
        ("ORDER-1", True, ""),
        ("order-2", True, ".p."),
        ("other", False, "px."),
    ]
    assert (data["sessions"], data["calls"], data["rows"][1]["excerpt"]) == (2, 9, "around ⏎ it")
    assert asked == ["order-2"]


def test_damaged_lines_are_counted_by_file() -> None:
    """What was saved of each line is said."""
    errors = [LineErrorRow("a.jsonl", 2, 10, "torn", 0), LineErrorRow("a.jsonl", 3, 20, "two on one line", 2)]

    data = problem_rows(errors)

    assert (data["files"], data["lines"]) == (1, 2)
    assert data["rows"] == [
        ["a.jsonl", 2, 10, "torn", "not read"],
        ["a.jsonl", 3, 20, "two on one line", "recovered 2 records"],
    ]


def test_compactions_are_those_recorded_until_the_prompts_are_compared(make_session: MakeSession) -> None:
    """Then the inferred ones and the server's count, too; unknown is not none."""
    early, told = make_session("a", compactions=1), make_session("b", compactions=1, compactions_found=7)

    rows = table_rows([early, told], lambda row: 1)

    assert [(row["compactions"], row["recorded"], row["compared"]) for row in rows] == [(1, 1, False), (7, 1, True)]
