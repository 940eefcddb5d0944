"""``context-inspector import``: brings other tools' logs into a directory of traces."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from inspector.cli.drawing import stderr_console
from inspector.cli.exits import Exit
from inspector.cli.terminal import complain, one_line, write_json
from inspector.importers import ImportProgress, ImportSummary, format_names, import_paths
from inspector.importers.base import Problem
from inspector.importers.follow import POLL_SECONDS, follow_paths

SAID_PROBLEMS = 20
"""How many problems are said one by one; all of them are counted, and all are in ``--json``."""
SAID_OF_A_FILE = 5
"""How many problems of one file are said one by one, so that those of the next are, too."""
SAID_SESSIONS = 50
"""How many sessions are said one by one: a data set has one a row."""


@click.command("import")
@click.argument("format_name", metavar="FORMAT", type=click.Choice(["auto", *format_names()]))
@click.argument("paths", metavar="PATH…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the traces go; made where it is not there.",
)
@click.option("--force", is_flag=True, help="Replace sessions that were imported from another state of the same log.")
@click.option("--follow", is_flag=True, help="Go on until stopped: import what is appended to the logs, and new ones.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("--verbose", is_flag=True, help="Name every session and every problem, however many there are.")
def import_command(
    format_name: str, paths: tuple[Path, ...], out: Path, force: bool, follow: bool, as_json: bool, verbose: bool
) -> int:
    """Import logs of other tools as traces.

    FORMAT is auto (each file is recognised by its content) or one format's name; docs/importing.md
    describes each. Each PATH is a file, or a folder that is walked. What a log lacks of the
    requests is marked. A log that is in DIR already is said and not written again; of one that has
    grown what is new is added. Nothing in DIR is overwritten. What could not be read is counted,
    said, and never stops the rest.
    """
    if follow:
        summaries = follow_paths(paths, out, format_name=format_name, force=force, wait=_wait)
        return _follow(summaries, out, as_json=as_json, verbose=verbose)
    with _progress() as tell:
        summary = import_paths(paths, out, format_name=format_name, force=force, progress=tell)
    _print(summary, out, as_json=as_json, verbose=verbose)
    if not summary.sessions:
        complain("nothing was imported")
        return Exit.UNREADABLE if any(path.exists() for path in paths) else Exit.NOT_FOUND
    return Exit.PARTLY if summary.lost else Exit.DONE


def import_with_progress(path: Path, out: Path) -> ImportSummary:
    """Import what lies at ``path`` as ``import auto`` does, and say what came of it."""
    with _progress() as tell:
        summary = import_paths([path], out, progress=tell)
    _print(summary, out, as_json=False)
    return summary


def _wait() -> bool:
    time.sleep(POLL_SECONDS)
    return True


def _follow(summaries: Iterator[ImportSummary], out: Path, *, as_json: bool, verbose: bool) -> Exit:
    """Print what is new until the user stops it; the logs beside one that grew are read again, and not said again."""
    said: set[Problem] = set()
    exits = Exit.DONE
    with suppress(KeyboardInterrupt):
        for summary in summaries:
            sessions = tuple(one for one in summary.sessions if one.outcome != "already imported")
            problems = tuple(one for one in summary.problems if one not in said)
            said.update(problems)
            if sessions or problems:
                _print(replace(summary, sessions=sessions, problems=problems), out, as_json=as_json, verbose=verbose)
            exits = Exit.PARTLY if summary.lost else exits
    return exits


def _print(summary: ImportSummary, out: Path, *, as_json: bool, verbose: bool = False) -> None:
    """Print what came of an import, and its problems to stderr."""
    if as_json:
        write_json(summary_json(summary))
    else:
        _say(summary, out, verbose=verbose)
    said, more = (summary.problems, {}) if verbose else _said_problems(summary.problems)
    for place, problem in enumerate(said, start=1):
        at = f"{problem.source}:{problem.line}" if problem.line is not None else problem.source
        complain(f"{at}: {problem.reason}" if problem.lost else f"{at}: note: {problem.reason}")
        last_of_source = all(later.source != problem.source for later in said[place:])
        if last_of_source and problem.source in more:
            complain(f"{problem.source}: and {more.pop(problem.source):,} more")
    if len(said) < len(summary.problems):
        complain(f"{len(summary.problems) - len(said):,} more; --verbose says all, --json lists all")


def _said_problems(problems: Sequence[Problem]) -> tuple[tuple[Problem, ...], dict[str, int]]:
    """Choose the problems that are said; also count those left out of each file that is said anything of."""
    said: list[Problem] = []
    of_source: Counter[str] = Counter()
    for problem in problems:
        of_source[problem.source] += 1
        if of_source[problem.source] <= SAID_OF_A_FILE and len(said) < SAID_PROBLEMS:
            said.append(problem)
    shown = Counter(problem.source for problem in said)
    more = {source: of_source[source] - count for source, count in shown.items()}
    return tuple(said), {source: count for source, count in more.items() if count}


def summary_json(summary: ImportSummary) -> dict[str, object]:
    """Give the summary as ``docs/cli.md`` documents it."""
    return {
        "files": summary.files,
        "recognised": summary.recognised,
        "passed_over": summary.passed_over,
        "calls": summary.calls,
        "sessions": [
            {
                "session": session.session,
                "format": session.format,
                "source": session.source,
                "outcome": session.outcome,
                "calls": session.calls,
                "answers": session.answers,
                "exact": session.exact,
                "missing": session.missing,
                "repairs": session.repairs,
                "files": [str(file) for file in session.files],
            }
            for session in summary.sessions
        ],
        "lost": summary.lost,
        "problems": summary.problems,
    }


def _say(summary: ImportSummary, out: Path, *, verbose: bool) -> None:
    named = summary.sessions if verbose else summary.sessions[:SAID_SESSIONS]
    for session in named:
        if session.outcome == "already imported":
            click.echo(one_line(f"{session.session}: already imported ({session.format}, {session.source})"))
            continue
        lacks = f", lacks {', '.join(session.missing)}" if session.missing else ""
        how = " and ".join(session.exact)
        click.echo(
            one_line(
                f"{session.session}: {session.outcome}, {_count(session.calls, 'call')},"
                f" {_count(session.answers, 'answer')} ({session.format}, {how}{lacks})"
            )
        )
    if len(named) < len(summary.sessions):
        click.echo(f"and {len(summary.sessions) - len(named):,} more sessions; --verbose names all, --json lists all")
    read = sum(summary.recognised.values())
    parts = [
        f"{read:,} of {_count(summary.files, 'file')} recognised",
        f"{_count(summary.calls, 'call')} written to {out}",
    ]
    if summary.passed_over:
        parts.append(f"{_count(summary.passed_over, 'file')} of no known kind")
    if summary.lost:
        parts.append(f"{summary.lost:,} line(s), item(s) or file(s) could not be read")
    click.echo(one_line(" · ".join(parts)))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


@contextmanager
def _progress() -> Iterator[Callable[[ImportProgress], None]]:
    """Draw a bar on stderr while it is a terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    console = stderr_console()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("")

        def tell(progress: ImportProgress) -> None:
            calls = f" · {progress.calls:,} calls" if progress.calls else ""
            description = f"{progress.stage} {one_line(progress.name, 40)}{calls}"
            bar.update(task, description=description, completed=progress.done, total=progress.total)

        yield tell
