"""What the Sessions page shows, as plain values for the browser."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

from inspector.model.views import CallRow, LineErrorRow, SearchResult, SessionHits, SessionRow, Severity
from inspector.ui.format import format_count, one_line

SPARK_COLUMNS: Final = 64
"""Columns of the fill picture in a row: it is at most 160 px wide, so more would not be seen."""
PROBLEMS_SHOWN: Final = 2_000
"""Damaged lines sent to the browser; the rest is counted."""
_SENTENCE_SENT: Final = 400
"""Characters of a sentence that are sent; a row shows less."""
_SEVERITY_RANK: Final[dict[Severity, int]] = {"info": 0, "warning": 1, "error": 2}


def table_rows(
    rows: Iterable[SessionRow],
    open_at: Callable[[SessionRow], int],
    untold: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Return one entry a session, in the order given.

    Args:
        rows: The sessions.
        open_at: Call to open a session at.
        untold: Sessions whose story is still being told.
    """
    return [
        {
            "session": row.session,
            "agent": row.agent,
            "models": list(row.models),
            "origin": row.origin,
            "open": open_at(row),
            "rank": max((_SEVERITY_RANK[sentence.severity] for sentence in row.story), default=-1),
            "severity": row.story[0].severity if row.story else None,
            "happened": one_line(row.story[0].text, _SENTENCE_SENT) if row.story else None,
            "told": row.session not in untold,
            "incident": one_line(row.incident, _SENTENCE_SENT) if row.incident is not None else None,
            "more": max(0, len(row.story) - 1),
            "turns": row.turns,
            "calls": row.calls,
            "peak": peak_share(row),
            "peak_tokens": row.peak.count,
            "limit": row.budget or row.window,
            "compactions": row.compactions if row.compactions_found is None else row.compactions_found,
            "recorded": row.compactions,
            "compared": row.compactions_found is not None,
            "pins": row.pins,
            "gone": row.pins_gone,
            "fill": spark(row.fill),
            "last": row.ended,
        }
        for row in rows
    ]


def peak_share(row: SessionRow) -> float | None:
    """Return the largest context as a share of budget or window; None where either is unknown."""
    limit = row.budget or row.window
    return row.peak.count / limit if row.peak.count is not None and limit else None


def spark(fill: Sequence[float | None]) -> list[float | None]:
    """Return the fill in at most `SPARK_COLUMNS` columns, each the largest of its calls."""
    if len(fill) <= SPARK_COLUMNS:
        return [None if value is None else round(value, 3) for value in fill]
    columns: list[float | None] = []
    for column in range(SPARK_COLUMNS):
        part = fill[column * len(fill) // SPARK_COLUMNS : (column + 1) * len(fill) // SPARK_COLUMNS]
        known = [value for value in part if value is not None]
        columns.append(round(max(known), 3) if known else None)
    return columns


def hits_data(
    result: SearchResult,
    rows: Sequence[SessionRow],
    lanes_of: Callable[[SessionRow], Sequence[str]],
) -> dict[str, Any]:
    """Return the answer to a search.

    Args:
        result: Of the index.
        rows: All sessions; those whose name holds the query are listed too, first.
        lanes_of: Lane of each call of a session, in order of the calls.
    """
    by_name = {row.session: row for row in rows}
    wanted = result.query.casefold()
    named = {row.session for row in rows if result.kind != "regex" and wanted in row.session.casefold()}
    found = {hits.session: hits for hits in result.sessions}
    order = sorted(found, key=lambda session: session not in named)
    entries = []
    for session in [*sorted(named - found.keys()), *order]:
        row, hits = by_name.get(session), found.get(session)
        if hits is None:
            entries.append(
                {"session": session, "named": True, "calls": by_name[session].calls, "where": [], "marks": ""}
            )
            continue
        marks = mark_calls(hits, lanes_of(row) if row is not None and len(row.lanes) > 1 else ())
        entries.append(
            {
                "session": session,
                "named": session in named,
                "calls": hits.calls,
                "where": where_it_lives(hits, marks),
                "marks": marks,
                "excerpt": one_line(hits.excerpt, _SENTENCE_SENT),
            }
        )
    return {
        "query": result.query,
        "kind": result.kind,
        "places": result.places,
        "answers": result.answers,
        "sessions": len(result.sessions),
        "error": result.error,
        "calls": sum(row.calls for row in rows),
        "rows": entries,
    }


def mark_calls(hits: SessionHits, lanes: Sequence[str]) -> str:
    """Return one letter a call: ``p`` in the prompt, ``a`` only in the answer, ``b`` both, ``x`` gone, ``.`` absent.

    Gone is the first call of a lane that lacks what the call before it in the same lane had.

    Args:
        hits: Of one session.
        lanes: Lane of each call; empty: all calls are of one lane.
    """
    at = {hit.call: hit for hit in hits.hits}
    had: defaultdict[str, bool] = defaultdict(bool)
    marks = []
    for number in range(1, hits.calls + 1):
        lane = lanes[number - 1] if number <= len(lanes) else ""
        hit = at.get(number)
        in_prompt = hit is not None and hit.places > 0
        in_answer = hit is not None and hit.in_answer
        gone = had[lane] and not in_prompt
        had[lane] = in_prompt
        marks.append(
            "b" if in_prompt and in_answer else "p" if in_prompt else "a" if in_answer else "x" if gone else "."
        )
    return "".join(marks)


def where_it_lives(hits: SessionHits, marks: str) -> list[list[str]]:
    """Say where the text is, as pieces of text with a kind each (``same`` or ``lost``)."""
    prompts = [number for number, mark in enumerate(marks, 1) if mark in "pb"]
    answers = [hit.call for hit in hits.hits if hit.in_answer]
    pieces: list[list[str]] = []
    if prompts:
        first = f"first call {prompts[0]}" + (f" ({hits.first_where})" if hits.first_where else "")
        pieces.append(["same", first])
        pieces.append(["same", f"{len(prompts):,} of {format_count(hits.calls, 'prompt')}"])
        last = prompts[-1]
        gaps = [at + 1 for at, mark in enumerate(marks[: last - 1]) if mark == "x"]
        if gaps:
            back = next(number for number in prompts if number > gaps[0])
            more = f" and {len(gaps) - 1} more gaps" if len(gaps) > 2 else " and another gap" if len(gaps) == 2 else ""
            pieces.append(["lost", f"gone at call {gaps[0]}, back at call {back}{more}"])
        if last == hits.calls:
            pieces.append(["same", f"last call {last}"])
        else:
            after = marks.find("x", last)
            pieces.append(["lost", f"gone since call {(after if after >= 0 else last) + 1}"])
    only = [number for number in answers if marks[number - 1] == "a"]
    if not prompts:
        pieces.append(["altered", "never in a prompt"])
    if only:
        pieces.append(["altered" if prompts else "same", f"in the answer of {listed(only)}"])
    elif answers:
        pieces.append(["same", f"also in {format_count(len(answers), 'answer')}"])
    return pieces


def listed(calls: Collection[int]) -> str:
    """Name calls, the first three of them: ``calls 2, 5, 9 and 4 more``."""
    first = [str(call) for call in sorted(calls)[:3]]
    rest = len(calls) - len(first)
    return f"call{'s' if len(calls) > 1 else ''} {', '.join(first)}" + (f" and {rest} more" if rest else "")


def problem_rows(errors: Sequence[LineErrorRow]) -> dict[str, Any]:
    """Return the damaged lines and how many files they are in."""
    return {
        "files": len({error.file for error in errors}),
        "lines": len(errors),
        "rows": [
            [error.file, error.line, error.byte, error.reason, recovered(error.recovered)]
            for error in errors[:PROBLEMS_SHOWN]
        ],
    }


def recovered(count: int) -> str:
    """Say what was saved of a damaged line."""
    return f"recovered {format_count(count, 'record')}" if count else "not read"


def lanes_of_calls(calls: Iterable[CallRow]) -> list[str]:
    """Return the lane of each call, in order."""
    return [call.lane for call in calls]
