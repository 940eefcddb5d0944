"""What the Session page says of probes: a mark at each call that was asked, or at which looking finds a loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.errors import InspectorError
from inspector.index import Index
from inspector.probes.judging import recorded_verdicts
from inspector.probes.look import ProbeLook, SessionFacts, look
from inspector.probes.probe import Probe
from inspector.probes.results import answers_file, latest, read_answers
from inspector.probes.suite import load_suite
from inspector.probes.suite_files import SuiteFile
from inspector.probes.timeline import Answers, CallMark, Probed, mark_calls
from inspector.probes.verdict import SYMBOLS, VERDICT_KINDS
from inspector.ui.probes_files import find_suites, suite_folder


def probe_files(index: Index, session: str) -> tuple[tuple[str, int, int], ...]:
    """Return a stamp of what :func:`probes_payload` reads: the suites and the answers of a session.

    Args:
        index: Of the directory.
        session: Its id.
    """
    answers = answers_file(suite_folder(index.watchlist).parent, session)
    stamps = []
    for path in (answers, *(file.path for file in find_suites(index.watchlist))):
        try:
            stat = path.stat()
        except OSError:
            continue  # nobody asked anything yet, or the file went
        stamps.append((str(path), stat.st_mtime_ns, stat.st_size))
    return tuple(stamps)


def probes_payload(index: Index, facts: SessionFacts) -> dict[str, Any]:
    """Return the marks of a session.

    Args:
        index: Beside which suites and answers stand.
        facts: The session.
    """
    records = tuple(read_answers(answers_file(suite_folder(index.watchlist).parent, facts.session)))
    answers = latest(iter(records))
    suites = [(file.name, _looks(file, facts, answers)) for file in find_suites(index.watchlist)]
    return {
        "session": facts.session,
        "marks": [_mark(mark) for mark in mark_calls(suites, answers, recorded_verdicts(records))],
    }


def _looks(file: SuiteFile, facts: SessionFacts, answers: Answers) -> tuple[ProbeLook, ...]:
    try:
        suite = load_suite(file.path)
    except InspectorError:
        return ()  # the page Probes says what is wrong with it
    probes: Sequence[Probe] = suite.probes
    if suite.session not in (None, facts.session):  # drafted from another one: told of only where it was asked here
        asked = {question for question, _, _ in answers}
        probes = [probe for probe in probes if probe.question in asked]
    return look(probes, facts) if probes else ()


def _mark(mark: CallMark) -> dict[str, Any]:
    worst = mark.probed[0]
    return {
        "call": mark.call,
        "lane": None,
        "symbol": SYMBOLS[worst.verdict],
        "kind": VERDICT_KINDS[worst.verdict],
        "verdict": worst.verdict,
        "failed": sum(one.failed for one in mark.probed),
        "lines": [one.line for one in mark.probed],
        **_target(worst),
    }


def _target(worst: Probed) -> dict[str, Any]:
    """Where a click leads: the suite and the probe; a question of no suite has neither."""
    return {"suite": worst.suite, "probe": None if worst.suite is None else worst.probe}
