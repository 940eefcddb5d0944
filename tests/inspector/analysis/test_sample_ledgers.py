"""The ledger of each sample's compactions: what the incident turns on is in it, and stands first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.ledger import ledger_of
from inspector.analysis.ledger_entries import Ledger, LedgerEntry
from inspector.analysis.ledger_inventions import unseen_of
from inspector.index import Index, open_index
from sample_data import TRACES

pytestmark = pytest.mark.xdist_group("samples")  # their stories are told once, not by every worker


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    """Open the samples."""
    with open_index(TRACES) as index:
        index.refresh()
        yield index


@pytest.fixture(scope="module")
def ledgers(index: Index) -> dict[tuple[str, int], Ledger]:
    """The ledger of every compaction, by session and number."""
    found = {}
    for row in index.sessions():
        changes = trace_changes(index, row.session)
        for change in changes.compactions:
            unseen = unseen_of(index.call(row.session, change.call or 1))
            ledger = ledger_of(changes, change, index.answers(row.session), unseen)
            assert ledger is not None
            found[row.session, change.number] = ledger
    return found


def first(ledger: Ledger, count: int = 2) -> list[tuple[str, str]]:
    """State and text of the first entries that are lost."""
    return [(entry.state, entry.text) for entry in ledger.under("lost")[:count]]


def one(ledger: Ledger, text: str) -> LedgerEntry:
    """The first entry that holds a text."""
    return next(entry for entry in ledger.entries if text in entry.text)


def test_the_order_number_and_the_rule_are_first(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """The trim at call 13 takes both; a tool call needs the number five calls later."""
    ledger = ledgers["order-4711", 1]
    number = one(ledger, "ORD-2024-001")

    assert first(ledger) == [
        ("dropped", "ORD-2024-001"),
        ("dropped", "以后请只用中文回答我，我妈妈也会看这些消息，她不懂英文。"),
    ]
    assert number.reasons[:2] == ("pinned", "a tool call passes it at call 18")


def test_a_name_in_the_profile_is_not_lost(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """The message that said it is gone; the memory still says it."""
    assert one(ledgers["order-4711", 1], "王敏").state == "kept"


def test_the_budget_stands_in_the_state_while_its_rule_is_gone(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """8,000 元 is still there; that all must fit into it and nothing may exceed it is said nowhere."""
    ledger = ledgers["sanya-trip", 1]

    assert one(ledger, "总预算8000元").state == "dropped"
    assert next(e for e in ledger.entries if e.text == "8000元").state == "kept"


def test_the_chain_of_summaries_loses_the_rule_at_its_second_link(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """The first summary quotes it, the second does not."""
    quoted = one(ledgers["tea-house-posts", 1], "一个感叹号都不要用")
    dropped = one(ledgers["tea-house-posts", 2], "一个感叹号都不要用")

    assert (quoted.column, quoted.in_summary) == ("kept", True)
    assert (dropped.state, dropped.reasons[0]) == ("dropped", "pinned")


def test_the_word_cap_is_lost_by_the_second_summary(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """The first keeps "never more than 800 words" in other words around it."""
    assert one(ledgers["returns-desk", 1], "never more than 800 words").column == "kept"
    assert one(ledgers["returns-desk", 2], "never more than 800 words").column == "lost"


def test_what_the_memory_holds_of_the_offsite_is_kept(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """The summary has none of the rules; the memory beside it has the pinned words of all three."""
    ledger = ledgers["lisbon-offsite", 1]
    rules = [one(ledger, text) for text in ("Never put anyone", "at most 1,800 euros", "real vegetarian main course")]

    assert [(rule.column, rule.in_summary) for rule in rules] == [("kept", False)] * 3


def test_a_range_of_days_is_kept_in_other_writing(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """The user said 18 to 21 March, the summary says 18-21 March."""
    days = next(entry for entry in ledgers["lisbon-offsite", 1].entries if entry.text == "18 to 21 March")

    assert (days.kind, days.state, days.in_summary) == ("date", "kept", True)


def test_the_legal_hold_is_lost_by_the_servers_summary(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """It is the first of all that the server's summary does not say; the schema's name stays."""
    ledger = ledgers["storage-review", 2]

    assert "legal hold" in ledger.under("lost")[0].text
    assert one(ledger, "billing_2023").column in ("lost", "kept")
    assert next(e for e in ledger.entries if e.text == "billing_2023").state == "kept"


def test_no_sample_has_an_invention(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """Their summaries only leave out: a summary that writes what nobody said would be another incident."""
    assert [(key, e.text) for key, ledger in ledgers.items() for e in ledger.under("invented")] == []


def test_a_lost_rule_stands_before_every_value_nobody_pinned(ledgers: dict[tuple[str, int], Ledger]) -> None:
    """Rules and pins first."""
    lost = ledgers["night-shift", 1].under("lost")

    assert (lost[0].kind, "pinned" in lost[0].reasons) == ("rule", True)
