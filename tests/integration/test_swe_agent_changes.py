"""SWE-agent replaces one old output a step: exactly that message is named, all else is kept or added."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.story import add_stories
from inspector.importers import import_paths
from inspector.index import Index, open_index
from inspector.model.fates import Fate

pytestmark = [pytest.mark.realdata, pytest.mark.xdist_group("realdata")]
SESSION = "marshmallow-code__marshmallow-1867"


@pytest.fixture(scope="module")
def index(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Import the trajectory and index it."""
    out = tmp_path_factory.mktemp("imported")
    import_paths([realdata / "swe-agent"], out)
    with open_index(out) as index:
        index.refresh()
        yield index


@pytest.fixture(scope="module")
def changes(index: Index) -> SessionChanges:
    """What changed from step to step."""
    return trace_changes(index, SESSION)


@pytest.fixture(scope="module")
def replaced(index: Index) -> dict[int, int]:
    """Call → place of the output that its prompt has replaced and the one before had not, read from the texts."""
    texts = {c.call: [block.text for block in c.blocks] for c in index.contexts(SESSION)}
    found = {}
    for call in range(2, len(texts) + 1):
        places = [n for n, (old, new) in enumerate(zip(texts[call - 1], texts[call], strict=False)) if old != new]
        assert len(places) <= 1
        if places:
            assert texts[call][places[0]].startswith("Old environment output: (")
            found[call] = places[0]
    return found


def test_from_the_first_replacement_on_one_output_is_replaced_a_step(replaced: dict[int, int]) -> None:
    """Seven steps or more, without a gap."""
    assert len(replaced) >= 7
    assert list(replaced) == list(range(min(replaced), 14))


def test_exactly_the_replaced_message_is_edited(changes: SessionChanges, replaced: dict[int, int]) -> None:
    """Everything else is kept or added."""
    for call, alignment in changes.life.alignments.items():
        edited = [row.before for row in alignment.blocks if row.fate not in (Fate.KEPT, Fate.ADDED)]
        assert edited == ([replaced[call]] if call in replaced else [])
        assert all(row.fate is Fate.EDITED for row in alignment.blocks if row.before in edited)


def test_every_edit_is_certain(changes: SessionChanges, replaced: dict[int, int]) -> None:
    """By the id of the tool call, whose result it is."""
    rows = [changes.life.alignments[call].of_before()[place] for call, place in replaced.items()]

    assert {row.certainty for row in rows} == {"certain"}
    assert all(row.evidence.startswith("the same tool call id ") for row in rows)


def test_each_replaced_output_keeps_its_number(changes: SessionChanges, replaced: dict[int, int]) -> None:
    """And is edited once in its life."""
    for call, place in replaced.items():
        number = changes.life.numbers[call][place]
        assert changes.life.numbers[call - 1][place] == number
        events = changes.life.lifelines[number - 1].events
        assert [(event.call, event.fate) for event in events[1:]] == [(call, Fate.EDITED)]


def test_each_step_is_an_inferred_edit(changes: SessionChanges, replaced: dict[int, int]) -> None:
    """Nobody recorded one. Outputs that were short anyway do not count as shortened."""
    assert {change.strategy for change in changes.compactions} == {"edit"}
    assert {change.said_by for change in changes.compactions} == {"inferred"}
    assert {change.call for change in changes.compactions} <= set(replaced)


def test_the_story_tells_the_run_once(index: Index) -> None:
    """One sentence on all the edits."""
    (row,) = add_stories(index, index.sessions())
    edits = [sentence for sentence in row.story if sentence.kind == "compaction"]

    assert len(edits) == 1
    assert edits[0].severity == "warning"
    assert " edits shortened " in edits[0].text
