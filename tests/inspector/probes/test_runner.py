"""Facts about runs: none asked twice, within the budget, resumed after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.model.prices import Price
from inspector.probes.estimate import Budget
from inspector.probes.probe import Expected, Probe
from inspector.probes.question import Question
from inspector.probes.replay_client import ReplayClient
from inspector.probes.replay_request import ReplayRequest, StoredCall, make_replay
from inspector.probes.replay_target import Target
from inspector.probes.results import AnswerStore, answers_file, latest, read_answers
from inspector.probes.runner import Progress, RunSummary, plan, run
from snapshot_sdk.facts import Fact

ROOT = Path(__file__).parents[3]
PROBE = Probe("order", "What is the order number?", Expected((Fact("id", "ORD-2024-001"),)), "artifact")
BODY = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "My order number is ORD-2024-001."}]}


def unpriced(model: str | None) -> Price | None:
    """No price is known."""
    return None


def priced(model: str | None) -> Price | None:
    """A dollar a token."""
    return Price(1_000_000, 1_000_000)


def questions_to(url: str, calls: int = 3, replicates: int = 2, tokens: int | None = 100) -> list[Question]:
    """Questions to some calls, each its own context."""
    found = []
    for number in range(1, calls + 1):
        body = {**BODY, "messages": [*BODY["messages"], {"role": "user", "content": f"This is message {number}."}]}
        stored = StoredCall(
            "s", number, f"id{number}", "openai.chat", "gpt-4.1", None, json.dumps(body).encode(), tokens=tokens
        )
        request = make_replay(stored, PROBE.question, Target(endpoint=url))
        assert isinstance(request, ReplayRequest)
        found += [Question(PROBE, stored, request, replicate=n) for n in range(1, replicates + 1)]
    return found


def ask(questions: list[Question], store: AnswerStore, price_of: Any = unpriced, **more: Any) -> RunSummary:
    """Run them."""
    with ReplayClient(first_wait=0.01, attempts=2) as client:
        return run(questions, client, store, price_of, **more)


@pytest.fixture
def store(tmp_path: Path) -> AnswerStore:
    """Answers of a session."""
    return AnswerStore(answers_file(tmp_path, "s"))


def test_every_question_is_asked_once(server: Any, store: AnswerStore) -> None:
    """Each replicate of each call; the answers come back in the order of the questions."""
    questions = questions_to(server.url)
    summary = ask(questions, store)

    assert (summary.asked, summary.at_hand, summary.left) == (6, 0, 0)
    assert [(one.call, one.replicate) for one in summary.records] == [(n, r) for n in (1, 2, 3) for r in (1, 2)]
    assert len(server.model.requests) == 6
    assert all(one.answer and "ORD-2024-001" in one.answer for one in summary.records)


def test_a_second_run_asks_nothing(server: Any, store: AnswerStore) -> None:
    """The answers are at hand, also for another process."""
    questions = questions_to(server.url)
    first = ask(questions, store)
    again = ask(questions, AnswerStore(store.file))

    assert (again.asked, again.at_hand) == (0, 6)
    assert again.records == first.records
    assert len(server.model.requests) == 6


def test_a_question_that_stands_there_twice_is_asked_once(server: Any, store: AnswerStore) -> None:
    """Two probes may ask the same."""
    questions = questions_to(server.url, calls=1, replicates=1)
    summary = ask(questions * 3, store)

    assert len(server.model.requests) == 1
    assert len(summary.records) == 3


def test_more_replicates_ask_only_for_the_new_ones(server: Any, store: AnswerStore) -> None:
    """What was paid for counts."""
    ask(questions_to(server.url, replicates=1), store)
    summary = ask(questions_to(server.url, replicates=3), store)

    assert (summary.at_hand, summary.asked) == (3, 6)


def test_a_failure_is_asked_again(server: Any, store: AnswerStore, failure: Callable[..., Any]) -> None:
    """And told as one, with the reason."""
    questions = questions_to(server.url, calls=1, replicates=1)
    server.model.failures = [failure(400, {}, '{"error": {"message": "too long"}}')]
    first = ask(questions, store)
    second = ask(questions, store)

    assert (first.failed, first.records[0].error) == (1, "HTTP 400: too long")
    assert (second.asked, second.failed) == (1, 0)


def test_no_more_are_in_flight_than_allowed(server: Any, store: AnswerStore) -> None:
    """Some servers count."""
    ask(questions_to(server.url, calls=6), store, concurrency=2)

    assert server.model.most_flying <= 2


def test_progress_is_told_after_each_answer(server: Any, store: AnswerStore) -> None:
    """From the number at hand to all."""
    told: list[Progress] = []
    ask(questions_to(server.url), store, progress=told.append)

    assert [one.done for one in told] == [1, 2, 3, 4, 5, 6]
    assert {one.total for one in told} == {6}


def test_a_cancelled_run_sends_nothing_more(server: Any, store: AnswerStore) -> None:
    """What is in flight is waited for; the next run goes on."""
    questions = questions_to(server.url, calls=5, replicates=1)
    cancelled = threading.Event()
    first = ask(questions, store, concurrency=1, cancelled=cancelled, progress=lambda _: cancelled.set())
    sent = len(server.model.requests)
    second = ask(questions, store)

    assert first.stopped == "cancelled"
    assert first.asked + first.left == 5
    assert sent == first.asked < 5
    assert (second.at_hand, second.asked) == (first.asked, first.left)


def test_a_budget_of_money_stops_before_it_is_passed(server: Any, store: AnswerStore) -> None:
    """A question is not sent when what it may cost is more than what is left."""
    questions = questions_to(server.url, calls=5, replicates=1)  # reckoned with 220 dollars each
    summary = ask(questions, store, priced, budget=Budget(money=230.0), concurrency=4)

    assert summary.stopped == "the budget is used up"
    assert summary.spent <= 230.0
    assert summary.asked >= 1
    assert summary.asked + summary.left == 5
    assert len(server.model.requests) == summary.asked


def test_a_budget_of_tokens_needs_no_price(server: Any, store: AnswerStore) -> None:
    """It counts what the server says it read and wrote."""
    summary = ask(questions_to(server.url, calls=5, replicates=1), store, budget=Budget(tokens=0))

    assert (summary.asked, summary.left) == (0, 5)
    assert server.model.requests == []


def test_an_unknown_price_is_no_price_of_nothing(server: Any, store: AnswerStore) -> None:
    """A budget of money sends nothing then; without a budget the cost stays unknown."""
    questions = questions_to(server.url, calls=1, replicates=1)

    assert ask(questions, store, budget=Budget(money=5.0)).asked == 0
    summary = ask(questions, store)
    assert (summary.unpriced, summary.records[0].cost) == (1, None)


def test_the_estimate_counts_only_what_would_be_sent(server: Any, store: AnswerStore) -> None:
    """And says what it does not know."""
    questions = questions_to(server.url, calls=2, replicates=1)
    before = plan(questions, store, priced)
    ask(questions[:1], store)
    after = plan(questions, store, priced)

    assert (before.questions, before.known, after.questions, after.known) == (2, 0, 1, 1)
    assert before.input_tokens == 2 * (100 + len(PROBE.question) // 3 + 1)
    assert before.cost is not None
    assert plan(questions, store, unpriced).cost is None
    assert plan(questions_to(server.url, tokens=None), store, priced).input_tokens is None


def test_an_answer_is_on_the_disk_before_the_next_question(server: Any, store: AnswerStore) -> None:
    """Each is one line that names everything about it."""
    seen: list[int] = []
    ask(
        questions_to(server.url),
        store,
        concurrency=1,
        progress=lambda _: seen.append(len(list(read_answers(store.file)))),
    )
    (line, *_) = store.file.read_text("utf-8").splitlines()
    record = json.loads(line)

    assert seen == [1, 2, 3, 4, 5, 6]
    assert (record["v"], record["type"], record["session"], record["probe"], record["arm"]) == (
        1,
        "answer",
        "s",
        "order",
        "as sent",
    )
    assert record["endpoint"] == f"{server.url}/v1/chat/completions"


@pytest.mark.skipif(os.name != "posix", reason="kills with SIGKILL")
def test_a_killed_run_asks_nothing_twice(server: Any, tmp_path: Path) -> None:
    """What was answered before the kill is not asked again; a torn line harms only itself."""
    program = textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from test_runner import ask, questions_to
        from inspector.probes.results import AnswerStore, answers_file
        store = AnswerStore(answers_file(Path({str(tmp_path)!r}), "s"))
        questions = questions_to({server.url!r}, calls=8, replicates=1)
        ask(questions, store, concurrency=1, progress=lambda p: print(p.done, flush=True))
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(3):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    file = answers_file(tmp_path, "s")
    answered = len(list(read_answers(file)))
    with file.open("ab") as stream:
        stream.write(b'{"v": 1, "type": "answ')
    sent = len(server.model.requests)
    summary = ask(questions_to(server.url, calls=8, replicates=1), AnswerStore(file))
    again = [json.dumps(one) for one in server.model.requests[sent:]]

    assert 3 <= answered < 8
    assert (summary.at_hand, summary.asked) == (answered, 8 - answered)
    assert len(set(again)) == len(again) == 8 - answered
    assert len(list(read_answers(file))) == 8


def test_lines_of_others_are_passed_over(store: AnswerStore, server: Any) -> None:
    """A newer version, another type, a missing field, garbage."""
    store.file.parent.mkdir(parents=True)
    store.file.write_text(
        '{"v": 2, "type": "answer"}\n{"v": 1, "type": "x"}\n{"v": 1, "type": "answer"}\n[]\n\x00\n', "utf-8"
    )
    ask(questions_to(server.url, calls=1, replicates=1), store)

    assert len(list(read_answers(store.file))) == 1


def test_answers_are_grouped_by_question_call_and_arm(store: AnswerStore, server: Any) -> None:
    """Of each replicate the latest."""
    ask(questions_to(server.url, calls=2, replicates=2), store)
    grouped = latest(read_answers(store.file))

    assert {key: len(records) for key, records in grouped.items()} == {
        (PROBE.question, 1, "as sent"): 2,
        (PROBE.question, 2, "as sent"): 2,
    }


def test_the_key_of_a_session_is_readable_and_its_own(tmp_path: Path) -> None:
    """Two sessions never share a file, however they are called."""
    names = ["a/b", "a b", "订单", "..", "x" * 300]
    files = {answers_file(tmp_path, name) for name in names}

    assert len(files) == 5
    assert all(file.parent == tmp_path / "probes" and len(file.name) < 100 for file in files)
