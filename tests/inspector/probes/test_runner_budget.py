"""Facts about the budget of a run: what the server does not say is reckoned, and what is in flight is waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.model.prices import Price
from inspector.model.request import Usage
from inspector.probes.estimate import ANSWER_TOKENS, Budget
from inspector.probes.probe import Expected, Probe
from inspector.probes.question import Question
from inspector.probes.replay_reply import Reply
from inspector.probes.replay_request import ReplayRequest, StoredCall
from inspector.probes.replay_target import Address
from inspector.probes.results import AnswerStore, answers_file
from inspector.probes.runner import RunSummary, run
from snapshot_sdk.facts import Fact

PROBE = Probe("order", "Which one?", Expected((Fact("id", "ORD-2024-001"),)), "artifact")
CONTEXT = 1_000
PROMPT = CONTEXT + len(PROBE.question) // 3 + 1
"""Tokens that a question is reckoned with before its answer."""
WHOLE = PROMPT + ANSWER_TOKENS
ANSWER = "ORD-2024-001"
USED = Usage(600, None, None, 40, None)


def a_cent_a_token(model: str | None) -> Price | None:
    """The price of every model here."""
    return Price(10_000, 10_000)


def no_price(model: str | None) -> Price | None:
    """No price is known."""
    return None


class Scripted:
    """Answers what it is told to, in the order of the questions."""

    def __init__(self, answer: Callable[[int], Reply]) -> None:
        self._answer = answer
        self.asked: list[int] = []
        self._lock = threading.Lock()

    def ask(self, request: ReplayRequest, cancelled: threading.Event) -> Reply:
        """Give the answer to the call of a question."""
        number = int(request.body["n"])
        with self._lock:
            self.asked.append(number)
        return self._answer(number)


def questions(count: int, tokens: Callable[[int], int] = lambda number: CONTEXT) -> list[Question]:
    """One question to each of some calls."""
    found = []
    for number in range(1, count + 1):
        request = ReplayRequest(Address("http://127.0.0.1:9/v1/chat/completions", "openai.chat", False), {"n": number})
        call = StoredCall("s", number, f"id{number}", "openai.chat", "m", None, b"{}", tokens=tokens(number))
        found.append(Question(PROBE, call, request))
    return found


@pytest.fixture
def store(tmp_path: Path) -> AnswerStore:
    """Answers of a session."""
    return AnswerStore(answers_file(tmp_path, "s"))


def ask(
    store: AnswerStore,
    answer: Callable[[int], Reply],
    asked: list[Question],
    budget: Budget,
    concurrency: int = 1,
    price: Callable[[str | None], Price | None] = a_cent_a_token,
) -> tuple[RunSummary, list[int]]:
    """Run the questions; which calls were asked, in that order."""
    sender = Scripted(answer)
    return run(asked, sender, store, price, budget=budget, concurrency=concurrency), sender.asked


def test_without_usage_the_estimate_is_charged(store: AnswerStore) -> None:
    """A budget of money stops a server that says nothing of what it took."""
    limit = 3 * WHOLE * 0.01
    summary, asked = ask(store, lambda number: Reply(ANSWER), questions(20), Budget(money=limit))

    assert asked == [1, 2, 3]
    assert summary.spent == pytest.approx(limit)
    assert (summary.estimated, summary.left, summary.stopped) == (3, 17, "the budget is used up")
    assert all(one.cost is None and one.input_tokens is None for one in summary.records)


def test_without_usage_tokens_are_charged_too(store: AnswerStore) -> None:
    """By the same estimate; no price is needed."""
    budget = Budget(tokens=2 * WHOLE)
    summary, asked = ask(store, lambda number: Reply(ANSWER), questions(9), budget, price=no_price)

    assert asked == [1, 2]
    assert summary.spent_tokens == 2 * WHOLE


def test_usage_in_part_is_no_usage(store: AnswerStore) -> None:
    """A server that counts only its answer would have its prompts for nothing."""
    half = Reply(ANSWER, counted=Usage(None, None, None, 3, None))
    summary, _ = ask(store, lambda number: half, questions(1), Budget())

    assert (summary.spent_tokens, summary.estimated) == (WHOLE, 1)


def test_usage_counts_where_there_is_some(store: AnswerStore) -> None:
    """Not the estimate."""
    summary, asked = ask(store, lambda number: Reply(ANSWER, counted=USED), questions(4), Budget(tokens=9_999))

    assert len(asked) == 4
    assert (summary.spent_tokens, summary.estimated) == (4 * 640, 0)


def test_a_try_that_may_have_cost_is_charged_by_its_prompt(store: AnswerStore) -> None:
    """It was sent whole and nothing came back: the provider may charge for what it read."""
    late = Reply(None, error="no answer in time", unmetered=2)
    summary, asked = ask(store, lambda number: late, questions(9), Budget(tokens=5 * PROMPT))

    assert asked == [1, 2]  # two tries each; a third question could pass the limit
    assert (summary.spent_tokens, summary.failed) == (4 * PROMPT, 2)


def test_a_refusal_costs_nothing(store: AnswerStore) -> None:
    """It came with a status, and nothing was read."""
    refused = Reply(None, error="HTTP 400: no")
    summary, asked = ask(store, lambda number: refused, questions(9), Budget(tokens=WHOLE))

    assert asked == list(range(1, 10))
    assert summary.spent_tokens == 0


def test_a_failure_with_usage_is_charged(store: AnswerStore) -> None:
    """Of an answer that was cut the server says what it took."""
    cut = Reply(None, counted=USED, error="the answer was cut at its limit of tokens (length)")
    summary, asked = ask(store, lambda number: cut, questions(9), Budget(tokens=640 + WHOLE))

    assert len(asked) == 2
    assert (summary.spent_tokens, summary.failed) == (2 * 640, 2)


def test_what_is_in_flight_is_waited_for(store: AnswerStore) -> None:
    """What it has reserved and does not take is left for the others."""
    cheap = Usage(10, None, None, 1, None)
    summary, asked = ask(
        store, lambda number: Reply(ANSWER, counted=cheap), questions(20), Budget(tokens=2 * WHOLE), concurrency=4
    )

    assert sorted(asked) == list(range(1, 21))
    assert (summary.left, summary.stopped) == (0, None)


def test_no_later_question_overtakes_one_that_does_not_fit(store: AnswerStore) -> None:
    """They are sent in order; the first that will not fit ends the run."""
    sizes = questions(6, lambda number: 10_000 if number == 3 else CONTEXT)
    summary, asked = ask(store, lambda number: Reply(None, error="HTTP 400"), sizes, Budget(tokens=5_000), 4)

    assert sorted(asked) == [1, 2]
    assert (summary.left, summary.stopped) == (4, "the budget is too small for the next question")


def test_a_limit_of_money_allows_no_unknown_size(store: AnswerStore) -> None:
    """What it would cost nobody knows."""
    unsized = [
        Question(PROBE, StoredCall("s", 1, "i", "openai.chat", "m", None, b"{}"), one.request) for one in questions(1)
    ]
    summary, asked = ask(store, lambda number: Reply(ANSWER), unsized, Budget(money=1e9))

    assert (asked, summary.left) == ([], 1)
