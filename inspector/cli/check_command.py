"""``context-inspector check``: a gate over a whole directory, for a CI job."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from inspector.cli.counting_bar import counting_bar
from inspector.cli.exits import Exit
from inspector.cli.options import AS_JSON, DIRECTORY
from inspector.cli.terminal import Mark, complain, write_json, write_table
from inspector.cli.traces import opened, say_unreadable
from inspector.errors import CannotWriteError
from inspector.gate.case import KINDS, Case, GateKind, GateReport
from inspector.gate.junit import JUNIT_START, junit_xml
from inspector.gate.running import LAST_LINE, Directory, run_gate
from inspector.gate.summary import MARKDOWN_START, markdown_summary
from inspector.model.replacing import replace_file
from inspector.probes.probe import Suite
from inspector.probes.suite import load_suite

CLOSING: tuple[GateKind, ...] = ("pins", "probes", "pairing", "budgets")
"""Kinds that close the gate unless the user says otherwise: a damaged line is most often a killed process."""
COLUMNS = ("", "what", "session", "calls", "why")
REPORT = click.Path(path_type=Path, dir_okay=False)


def _kinds(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[GateKind, ...] | None:
    if not given:
        return None
    wanted = [[word.strip() for word in words.split(",") if word.strip()] for words in given]
    unknown = [word for words in wanted for word in words if word not in KINDS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(KINDS)}")
    if not all(wanted):
        raise click.BadParameter("names nothing")
    return tuple(kind for kind in KINDS if any(kind in words for words in wanted))


@click.command()
@DIRECTORY
@click.option(
    "--suite", "suites", type=REPORT, multiple=True, help="Probes to look for, TOML or JSONL; may be repeated."
)
@click.option(
    "--fail-on",
    metavar="KINDS",
    multiple=True,
    callback=_kinds,
    help=f"What closes the gate, of {','.join(KINDS)}; all but files. May be repeated.",
)
@click.option("--junit", type=REPORT, metavar="FILE", help="Write JUnit XML there, too.")
@click.option("--markdown", type=REPORT, metavar="FILE", help="Write a summary in Markdown there, too.")
@click.option("--force", is_flag=True, help="The reports may replace files that are none.")
@AS_JSON
def check(
    directory: Path,
    suites: tuple[Path, ...],
    fail_on: tuple[GateKind, ...] | None,
    junit: Path | None,
    markdown: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Check every session of DIR by looking, without a model: exit code 1 when something that must hold does not.

    Pinned and watched texts stand in every prompt, the contexts hold what the suites ask, every tool call
    has its result, no prompt is over its window or a budget.
    """
    probes = [load_suite(suite) for suite in suites]
    if fail_on is not None and "probes" in fail_on and not probes:
        raise click.UsageError("--fail-on probes needs probes: name a --suite FILE")
    for report, start in ((junit, JUNIT_START), (markdown, MARKDOWN_START)):
        if report is not None and not force:
            _refuse_another(report, start)
    with opened(directory) as traces:
        found = _run(traces, directory, probes, fail_on or CLOSING)
        say_unreadable(traces)
    if junit is not None:
        replace_file(junit, junit_xml(found))
    if markdown is not None:
        replace_file(markdown, markdown_summary(found))
    if as_json:
        write_json(found)
    else:
        _print(found)
    for case in found.cases:
        if case.name == LAST_LINE and case.kind == "files":
            complain(f"{case.place}: {case.message}")
    if not found.calls:
        complain("nothing was checked: there are no calls", "Record some, or name the directory that holds them.")
    return Exit.BROKEN if found.closing or not found.calls else Exit.DONE


def _run(traces: Directory, directory: Path, suites: list[Suite], fail_on: tuple[GateKind, ...]) -> GateReport:
    with counting_bar("Checking") as tell:
        return run_gate(traces, directory.name or str(directory), suites, fail_on, tell)


def _refuse_another(report: Path, start: str) -> None:
    """A report replaces an earlier one of its kind, and nothing else."""
    try:
        with report.open(encoding="utf-8", errors="replace") as stream:
            begins = stream.read(len(start))
    except FileNotFoundError:
        return
    except OSError as error:
        raise CannotWriteError(report, error.strerror or str(error)) from error
    if begins and begins != start:
        raise CannotWriteError(report, "it is there already and no earlier report; --force replaces it")


def _print(report: GateReport) -> None:
    failures = sorted(report.failures, key=lambda case: case.kind not in report.fail_on)
    if failures:
        write_table(COLUMNS, (_row(case, report) for case in failures))
    counts = Counter(case.state for case in report.cases)
    click.echo(
        f"{report.sessions:,} sessions · {report.calls:,} calls · {counts['holds']:,} hold · "
        f"{counts['fails']:,} fail · {counts['skipped']:,} could not be judged · "
        f"{len(report.closing):,} close the gate",
        err=True,
    )


def _row(case: Case, report: GateReport) -> tuple[object, ...]:
    closes = case.kind in report.fail_on
    mark = Mark("✕", "red", "fails") if closes else Mark("▲", "yellow", "fails, is only told")
    calls = f"{case.calls[0]}" + (f" (+{len(case.calls) - 1})" if len(case.calls) > 1 else "") if case.calls else None
    return mark, f"{case.kind}: {case.name}", case.session, calls, case.message
