"""A report as Markdown, for a CI server's page or a comment."""

from __future__ import annotations

from collections import Counter
from typing import Final

from inspector.gate.case import KINDS, Case, GateReport
from inspector.model.markdown import code_span

MARKDOWN_START: Final = "## Context check of"
"""How every such report begins."""


def markdown_summary(report: GateReport) -> str:
    """Write a report as Markdown: the verdict, a table by kind, then what fails, what closes the gate first.

    Args:
        report: The report.
    """
    counts = Counter((case.kind, case.state) for case in report.cases)
    verdict = f"{_count(len(report.closing), 'failure')} close it" if report.closing else "it is open"
    lines = [
        f"{MARKDOWN_START} {code_span(report.directory)}: {verdict}",
        "",
        f"{_count(report.sessions, 'session')}, {_count(report.calls, 'call')}.",
        "",
        "| what | holds | fails | skipped | closes the gate |",
        "|---|---:|---:|---:|---|",
        *(
            f"| {kind} | {counts[kind, 'holds']} | {counts[kind, 'fails']} | {counts[kind, 'skipped']} "
            f"| {'yes' if kind in report.fail_on else 'no'} |"
            for kind in KINDS
            if kind in report.fail_on or any(counts[kind, state] for state in ("holds", "fails", "skipped"))
        ),
    ]
    others = [case for case in report.failures if case not in report.closing]
    lines += _section("What closes the gate", report.closing)
    lines += _section("What fails without closing it", others)
    return "\n".join(lines) + "\n"


def _section(title: str, cases: tuple[Case, ...] | list[Case]) -> list[str]:
    if not cases:
        return []
    return [
        "",
        f"### {title}",
        "",
        "| what | session | at | why |",
        "|---|---|---|---|",
        *(
            f"| {case.kind}: {code_span(case.name)} | {code_span(case.session)} | {_where(case)} "
            f"| {code_span(case.message)} |"
            for case in cases
        ),
    ]


def _where(case: Case) -> str:
    call = f"call {case.calls[0]}" if case.calls else ""
    place = code_span(case.place) if case.place else ""
    return " · ".join(part for part in (call, place) if part)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
