"""Facts about answers on the disk: two runs at once, short writes, empty answers of earlier versions."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from inspector.probes.probe import Expected, Probe
from inspector.probes.question import Question
from inspector.probes.replay_reply import Reply
from inspector.probes.replay_request import ReplayRequest, StoredCall
from inspector.probes.replay_target import Address
from inspector.probes.results import AnswerStore, answers_file, read_answers
from inspector.probes.runner import RunSummary, run
from snapshot_sdk.facts import Fact

PROBE = Probe("order", "Which one?", Expected((Fact("id", "ORD-2024-001"),)), "artifact")
QUESTIONS = [
    Question(
        PROBE,
        StoredCall("s", number, f"id{number}", "openai.chat", "m", None, b"{}", tokens=10),
        ReplayRequest(Address("http://127.0.0.1:9/v1", "openai.chat", own=False), {"n": number}),
    )
    for number in range(1, 6)
]


class Held:
    """Answers nothing before it may."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.begun = threading.Event()
        self.asked = 0

    def ask(self, request: ReplayRequest, cancelled: threading.Event) -> Reply:
        """Count, wait, answer."""
        self.asked += 1
        self.begun.set()
        self.go.wait(20)
        return Reply("ORD-2024-001")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the answers go."""
    return answers_file(tmp_path, "s")


def test_two_runs_at_once_ask_nothing_twice(file: Path) -> None:
    """The second waits for the first, says so, and finds its answers."""
    first, second, told = Held(), Held(), threading.Event()
    second.go.set()
    thread = threading.Thread(target=run, args=(QUESTIONS, first, AnswerStore(file), lambda model: None))
    thread.start()
    assert first.begun.wait(20)
    late: list[RunSummary] = []
    store = AnswerStore(file)  # read before the first has any answer
    other = threading.Thread(
        target=lambda: late.append(run(QUESTIONS, second, store, lambda model: None, waiting=told.set))
    )
    other.start()
    assert told.wait(20)
    first.go.set()
    thread.join(20)
    other.join(20)

    assert (first.asked, second.asked) == (5, 0)
    assert (late[0].at_hand, late[0].asked, late[0].left) == (5, 0, 0)
    assert len(late[0].records) == 5


def test_a_run_that_waits_can_be_cancelled(file: Path) -> None:
    """It has asked nothing then."""
    cancelled = threading.Event()
    sender = Held()
    with AnswerStore(file).held(lambda: False):
        summary = run(
            QUESTIONS, sender, AnswerStore(file), lambda model: None, cancelled=cancelled, waiting=cancelled.set
        )

    assert (summary.left, summary.stopped, sender.asked) == (5, "cancelled", 0)


def test_where_all_is_at_hand_nobody_is_waited_for(file: Path) -> None:
    """Reading answers needs no turn."""
    sender = Held()
    sender.go.set()
    run(QUESTIONS, sender, AnswerStore(file), lambda model: None)
    with AnswerStore(file).held(lambda: False):
        summary = run(QUESTIONS, sender, AnswerStore(file), lambda model: None)

    assert (summary.at_hand, sender.asked) == (5, 5)


def test_an_interrupt_does_not_wait_for_what_is_in_flight(file: Path) -> None:
    """Ctrl-C a second time: who asked is told at once, though a server still thinks."""
    sender = Held()

    def impatient(record: object) -> None:
        raise KeyboardInterrupt

    quick = Held()
    quick.go.set()
    calls = iter([quick, *[sender] * 9])

    class Mixed:
        def ask(self, request: ReplayRequest, cancelled: threading.Event) -> Reply:
            return next(calls).ask(request, cancelled)

    ended = threading.Event()

    def asks() -> None:
        with pytest.raises(KeyboardInterrupt):
            run(QUESTIONS, Mixed(), AnswerStore(file), lambda model: None, concurrency=2, progress=impatient)
        ended.set()

    thread = threading.Thread(target=asks)
    thread.start()
    try:
        assert ended.wait(10)  # while the server still holds its answer
        assert not sender.go.is_set()
    finally:
        sender.go.set()
        thread.join(20)


def test_a_short_write_is_gone_on_with(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system may take a part of a line only: the rest follows."""
    write = os.write
    sender = Held()
    sender.go.set()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, data: write(handle, bytes(data)[:7]))
        run(QUESTIONS[:2], sender, AnswerStore(file), lambda model: None)

    assert [record.call for record in read_answers(file)] == [1, 2]


def test_an_empty_answer_on_the_disk_is_asked_again(file: Path) -> None:
    """Earlier versions kept such as answers."""
    sender = Held()
    sender.go.set()
    run(QUESTIONS[:1], sender, AnswerStore(file), lambda model: None)
    line = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(line | {"answer": " "}) + "\n", "utf-8")
    summary = run(QUESTIONS[:1], sender, AnswerStore(file), lambda model: None)

    assert (summary.asked, summary.records[0].answer) == (1, "ORD-2024-001")
