"""A report as JUnit XML, which every CI server reads: a suite a session, a case for each thing that had to hold."""

from __future__ import annotations

from itertools import groupby
from typing import Final
from xml.etree import ElementTree

from inspector.gate.case import Case, GateReport
from inspector.model.markdown import shown

JUNIT_START: Final = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites'
"""How every such report begins."""


def junit_xml(report: GateReport) -> str:
    """Write a report as JUnit XML (the dialect of Jenkins' xunit plug-in, which GitLab and GitHub's actions read, too).

    Args:
        report: The report. A failure of a kind that does not close the gate is a skipped case with its message.
    """
    ordered = sorted(report.cases, key=lambda case: case.session)
    root = ElementTree.Element("testsuites", _counts(report, ordered), name=shown(report.directory))
    for session, cases in groupby(ordered, key=lambda case: case.session):
        own = list(cases)
        suite = ElementTree.SubElement(root, "testsuite", _counts(report, own), name=shown(session))
        for case in own:
            _add(suite, case, report)
    ElementTree.indent(root)
    return f"{JUNIT_START}{ElementTree.tostring(root, encoding='unicode').removeprefix('<testsuites')}\n"


def _add(suite: ElementTree.Element, case: Case, report: GateReport) -> None:
    attributes = {"classname": f"{case.kind}.{shown(case.session)}", "name": _line(case.name)}
    if case.place is not None:
        attributes["file"], _, attributes["line"] = (shown(part) for part in case.place.rpartition(":"))
    element = ElementTree.SubElement(suite, "testcase", attributes)
    if case.state == "fails" and case.kind in report.fail_on:
        failure = ElementTree.SubElement(element, "failure", message=_line(case.message), type=case.kind)
        failure.text = shown(_details(case))
    elif case.state != "holds":
        told = f"fails, but {case.kind} do not close the gate: {case.message}"
        said = case.message if case.state == "skipped" else told
        ElementTree.SubElement(element, "skipped", message=_line(said))


def _details(case: Case) -> str:
    where = f"\ncalls: {', '.join(map(str, case.calls))}" if case.calls else ""
    return f"{case.message}{where}" + (f"\nat {case.place}" if case.place else "")


def _counts(report: GateReport, cases: list[Case]) -> dict[str, str]:
    failures = sum(case.state == "fails" and case.kind in report.fail_on for case in cases)
    held = sum(case.state == "holds" for case in cases)
    return {
        "tests": str(len(cases)),
        "failures": str(failures),
        "errors": "0",
        "skipped": str(len(cases) - failures - held),
    }


def _line(text: str) -> str:
    return " ".join(shown(text).split())
