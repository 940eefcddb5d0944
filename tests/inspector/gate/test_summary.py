"""Facts about the Markdown summary of a gate."""

from __future__ import annotations

from inspector.gate.case import Case, GateReport
from inspector.gate.summary import markdown_summary


def test_the_first_line_is_the_verdict(report: GateReport) -> None:
    """Whether the gate is open stands in the headline."""
    assert markdown_summary(report).splitlines()[0] == "## Context check of `desk`: 6 failures close it"


def test_a_gate_that_nothing_closes_is_open() -> None:
    """Without failures the headline says so."""
    report = GateReport("desk", 1, 1, (Case("pins", "s", "rule", "holds"),), frozenset({"pins"}))
    assert markdown_summary(report).splitlines()[0] == "## Context check of `desk`: it is open"


def test_each_failure_is_a_row_with_session_call_and_reason(report: GateReport) -> None:
    """The row of the tool result names what, where and why."""
    (row,) = [line for line in markdown_summary(report).splitlines() if line.startswith("| pairing: `tool")]
    assert "| `broken` | call 2 · `broken-" in row
    assert row.endswith("`Call 2 has a result without its call (c1, message 2).` |")


def test_text_of_a_prompt_is_only_code() -> None:
    """Markup in a pinned text can neither render nor break the table."""
    hostile = "<img src=x> | `tick` [a](b)\nnext"
    report = GateReport("d", 1, 1, (Case("pins", "s", hostile, "fails", "gone"),), frozenset({"pins"}))
    assert "| pins: ``<img src=x> \\| `tick` [a](b) next`` |" in markdown_summary(report)


def test_failures_of_other_kinds_stand_apart(report: GateReport) -> None:
    """What fails without closing the gate has a heading of its own."""
    only_pins = GateReport(report.directory, report.sessions, report.calls, report.cases, frozenset({"pins"}))
    text = markdown_summary(only_pins)
    assert text.index("### What closes the gate") < text.index("### What fails without closing it")
