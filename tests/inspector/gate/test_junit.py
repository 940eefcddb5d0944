"""Facts about the JUnit XML of a gate."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from inspector.gate.case import Case, GateReport
from inspector.gate.junit import junit_xml

HOSTILE = "]]>&<b>\x1b[2J \u202e\udc80"


def _parsed(report: GateReport) -> ElementTree.Element:
    return ElementTree.fromstring(junit_xml(report))


def test_a_suite_is_a_session(report: GateReport) -> None:
    """Each session is a test suite of its own."""
    names = [suite.get("name") for suite in _parsed(report)]
    assert names == ["(every session)", "broken", "healthy"]


def test_the_counts_are_those_of_the_cases(report: GateReport) -> None:
    """Tests, failures and skipped of the root are what the elements below it count to."""
    root = _parsed(report)
    found = [len(root.findall(path)) for path in ("*/testcase", "*/testcase/failure", "*/testcase/skipped")]
    assert found == [int(root.get(name, "")) for name in ("tests", "failures", "skipped")]


def test_a_failure_says_why_at_which_calls_and_where(report: GateReport) -> None:
    """The text of a failure has the message, the calls, the trace file and the line."""
    (failure,) = _parsed(report).findall("testsuite[@name='broken']/testcase[@name='tool calls paired']/failure")
    assert failure.text is not None
    message, calls, place = failure.text.splitlines()
    assert message == "Call 2 has a result without its call (c1, message 2)."
    assert calls == "calls: 2"
    assert place.startswith("at broken-")


def test_a_failure_that_does_not_close_the_gate_is_skipped_with_its_message(report: GateReport) -> None:
    """A CI server shows it, and does not turn red for it."""
    root = _parsed(replace(report, fail_on=frozenset({"pins"})))
    (skipped,) = root.findall("testsuite[@name='broken']/testcase[@name='tool calls paired']/skipped")
    assert root.get("failures") == "1"
    assert "fails, but pairing do not close the gate" in (skipped.get("message") or "")


def test_hostile_text_leaves_well_formed_xml() -> None:
    """Controls, direction marks and lone surrogates, which XML cannot hold, are written out."""
    report = GateReport("d", 1, 1, (Case("pins", HOSTILE, HOSTILE, "fails", HOSTILE),), frozenset({"pins"}))
    (failure,) = _parsed(report).iter("failure")
    assert failure.get("message") == "]]>&<b>\\u001b[2J \\u202e\\udc80"
