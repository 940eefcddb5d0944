"""``context-inspector index``, ``sessions`` and ``sql``: what the traces hold as a whole."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.analysis.story import add_stories
from inspector.cli.exits import Exit
from inspector.cli.options import AS_JSON, DIRECTORY
from inspector.cli.terminal import one_line, write_json, write_table
from inspector.cli.traces import opened, say_unreadable
from inspector.cli.words import amount
from inspector.model.views import SessionRow

COLUMNS = (
    "session", "calls", "turns", "peak", "window", "compactions", "failed", "pins gone", "model", "what happened",
)  # fmt: skip
"""Of the table of sessions; all but the first and the last two are figures."""

TIMEOUT = 60
"""Seconds a query may take unless told otherwise: one that joins the wrong way would run for days."""
LONGEST_TIMEOUT = 1_000_000
"""Seconds; no system's timers take arbitrary ones."""


@click.command()
@DIRECTORY
@click.option("--rebuild", is_flag=True, help="Read everything anew.")
@AS_JSON
def index(directory: Path, rebuild: bool, as_json: bool) -> int:
    """Bring the index of DIR up to date, and list the lines that could not be read.

    The other commands do the same before they answer. The index is a cache: it may be deleted.
    """
    with opened(directory, on_disk=True, rebuild=rebuild) as traces:
        state = traces.state()
        errors = traces.line_errors()
        sessions_found = len(traces.sessions())
        place = traces.database
    if as_json:
        write_json(
            {
                "directory": str(directory),
                "index": str(place) if place is not None else None,
                "files": state.files,
                "bytes": state.bytes,
                "sessions": sessions_found,
                "calls": state.calls,
                "line_errors": errors,
            }
        )
    else:
        click.echo(f"{state.files} files · {sessions_found} sessions · {state.calls} calls")
        for error in errors:
            recovered = f", {error.recovered} record(s) of it recovered" if error.recovered else ""
            click.echo(one_line(f"{error.file}:{error.line}: {error.reason} at byte {error.byte}{recovered}"))
    if place is None:
        return Exit.CANNOT_WRITE  # the note on stderr says why; what is printed was read into memory
    return Exit.PARTLY if errors else Exit.DONE


@click.command()
@DIRECTORY
@AS_JSON
def sessions(directory: Path, as_json: bool) -> int:
    """List the sessions in DIR, worst first, each with what happened in it."""
    with opened(directory) as traces:
        rows = add_stories(traces, traces.sessions())
        say_unreadable(traces)
    if as_json:
        write_json(rows)
    else:
        write_table(COLUMNS, map(_cells, rows), right=COLUMNS[1:8])
    return Exit.DONE


def _cells(row: SessionRow) -> tuple[object, ...]:
    story = f"call {row.story[0].call}: {row.story[0].text}" if row.story and row.story[0].call else None
    return (
        row.session,
        row.calls,
        row.turns,
        amount(row.peak),
        f"{row.window:,}" if row.window is not None else None,
        row.compactions if row.compactions_found is None else row.compactions_found,
        row.failed_calls,
        f"{row.pins_gone} of {row.pins}" if row.pins else None,
        ", ".join(row.models),
        story or (row.story[0].text if row.story else None),
    )


@click.command()
@DIRECTORY
@click.argument("query")
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.IntRange(1, LONGEST_TIMEOUT),
    default=TIMEOUT,
    show_default=True,
    help="Give the query up after so many seconds.",
)
@AS_JSON
def sql(directory: Path, query: str, timeout: int, as_json: bool) -> int:
    """Ask the index of DIR with SQL; docs/sql.md describes the views.

    The query reads the views only: it cannot touch files, the network or the index itself.
    """
    with opened(directory) as traces:
        table = traces.sql(query, timeout)
    if as_json:
        write_json({"columns": table.columns, "rows": table.rows})
    else:
        write_table(tuple(table.columns), table.rows)
    return Exit.DONE
