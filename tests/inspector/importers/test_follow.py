"""Facts about following logs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inspector.importers.follow import follow_paths

FIRST = "TO LLM 2025-01-01T00:00:01\n-------\nUSER a\nLLM RESPONSE 2025-01-01T00:00:02\nASSISTANT b\n"
SECOND = FIRST.replace("2025", "2026")


def actions(*steps: Callable[[], object]) -> Callable[[], bool]:
    """Do one thing between two looks, then stop."""
    left = list(steps)

    def wait() -> bool:
        if not left:
            return False
        left.pop(0)()
        return True

    return wait


def test_growth_is_picked_up(tmp_path: Path) -> None:
    """Each look at a log that grew adds what is new; a look at one that did not does nothing."""
    logs = tmp_path / "logs"
    logs.mkdir()
    log = logs / "a.llm.history"
    log.write_text(FIRST)
    wait = actions(lambda: None, lambda: log.write_text(FIRST + SECOND), lambda: None)
    summaries = list(follow_paths([logs], tmp_path / "out", wait=wait))

    assert [[session.outcome for session in summary.sessions] for summary in summaries] == [["imported"], ["extended"]]


def test_new_files_are_picked_up(tmp_path: Path) -> None:
    """A log that appears in a followed folder is imported; the others are there already."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.llm.history").write_text(FIRST)
    wait = actions(lambda: (logs / "b.llm.history").write_text(SECOND))
    summaries = list(follow_paths([logs], tmp_path / "out", wait=wait))

    assert [[(session.session, session.outcome) for session in summary.sessions] for summary in summaries] == [
        [("a", "imported")],
        [("a", "already imported"), ("b", "imported")],
    ]
