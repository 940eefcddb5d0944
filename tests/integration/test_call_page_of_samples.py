"""What the Call page says of the samples: who is gone, where each stood, and what of it is still said."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges, number_rows
from inspector.analysis.ghosts import FRONT, find_ghosts
from inspector.index import Index, open_index
from inspector.ui.call_docs import Asked, document
from inspector.ui.call_effective import Reading
from inspector.ui.call_fates import read_fates
from inspector.ui.call_payload import LAYER_NAMES
from inspector.ui.call_text import CallTexts
from sample_data import TRACES

pytestmark = pytest.mark.xdist_group("samples")  # they are indexed once, not by every worker

Look = Callable[[str, int], Asked]


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    """Index the samples where they stand; the index goes to the cache of the test run."""
    with open_index(TRACES) as index:
        index.refresh()
        yield index


@pytest.fixture(scope="module")
def look(index: Index) -> Look:
    """Open a call as the page does."""
    traced: dict[str, SessionChanges] = {}

    def opened(session: str, number: int) -> Asked:
        changes = traced.setdefault(session, trace_changes(index, session))
        view = number_rows(index.call(session, number), changes)
        texts = CallTexts(view, lambda: index.request_bytes(session, number))
        return Asked(
            texts,
            changes,
            Reading(view, read_fates(changes, view)),
            lambda call: None,
            lambda ghost: index.call(session, ghost.last_call).messages[ghost.place],
        )

    return opened


def words(asked: Asked) -> dict[int, str]:
    """Number of each message that is gone, and what is said of it."""
    return {one.ghost.number: one.happened.words for one in asked.fates.ghosts}


def life(asked: Asked, number: int) -> list[str]:
    """The lines of a message that is gone."""
    doc = document(asked, f"g{number}", LAYER_NAMES)
    assert doc is not None
    return [f"{line['symbol']} {line['text']}" for line in doc["life"]]


def test_the_trim_of_the_order_took_rule_and_number(look: Look) -> None:
    """Both pinned messages stand at their old place and never fold; the others were taken out."""
    asked = look("order-4711", 13)
    gone = words(asked)
    texts = {one.ghost.number: one.ghost.block.text for one in asked.fates.ghosts if one.stays}

    assert {gone[number] for number in texts} == {"pinned, gone"}
    assert ["以后请只用中文回答我" in text for text in texts.values()] == [True, False]
    assert ["ORD-2024-001" in text for text in texts.values()] == [False, True]
    assert sum(what == "taken out" for what in gone.values()) == 12
    assert {one.ghost.after for one in asked.fates.ghosts if one.ghost.gone.call == 13} == {3}


def test_nothing_says_the_rule_any_more(look: Look) -> None:
    """Not one of its sentences stands in the call."""
    asked = look("order-4711", 13)
    [rule] = [one.ghost.number for one in asked.fates.ghosts if "以后请只用中文" in one.ghost.block.text]

    assert "✕ nothing in this call says it: no copy" in life(asked, rule)
    assert any(line.startswith("✕ taken out; recorded by the agent") for line in life(asked, rule))


def test_the_summary_still_quotes_the_cap(look: Look) -> None:
    """Its message is gone at call 20, the words that matter are not."""
    asked = look("returns-desk", 20)
    [cap] = [one for one in asked.fates.ghosts if one.stays]
    summary = next(
        number for number, row in zip(asked.changes.life.numbers[20], asked.blocks, strict=True) if row.is_summary
    )

    assert cap.happened.words == f"taken by m{summary}"
    lines = life(asked, cap.ghost.number)
    assert f"✕ none of its sentences stands in this call: no copy, not in summary m{summary}" in lines
    assert f"■ that text still stands in this call, only in a summary: m{summary}" in lines


def test_the_second_summary_loses_the_cap(look: Look) -> None:
    """The first summary was the last to hold it; now it is gone with it."""
    asked = look("returns-desk", 33)
    lost = [one for one in asked.fates.ghosts if one.happened.words == "pinned, gone"]

    assert [one.ghost.block.is_summary for one in lost] == [True]
    assert any("sentences still stand in this call" in line for line in life(asked, lost[0].ghost.number))


@pytest.mark.parametrize("session", ["order-4711", "returns-desk", "lisbon-offsite"])
def test_rows_and_ghosts_are_each_message_once(index: Index, session: str) -> None:
    """No number stands twice, and no ghost in a place that is not there."""
    changes = trace_changes(index, session)
    for call, own in changes.life.numbers.items():
        ghosts = find_ghosts(changes, call)
        shown = [*own, *(ghost.number for ghost in ghosts)]
        assert len(set(shown)) == len(shown)
        assert all(FRONT <= ghost.after < len(own) for ghost in ghosts)
