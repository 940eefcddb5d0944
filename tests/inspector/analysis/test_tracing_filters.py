"""What is passed over at once while a fact is followed is what could not have mattered."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from inspector.analysis import answers
from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_asking import SessionFact, make_fact, trace_in
from inspector.analysis.fact_trace import FactTrace
from inspector.index import Index, open_index
from sample_data import TRACES
from snapshot_sdk import _fact_line_finder as line_finder
from snapshot_sdk._fact_lines import lines_with
from snapshot_sdk.facts import Fact, FactKind, find_facts

pytestmark = pytest.mark.xdist_group("samples")

EVERY_LINE = re.compile("^", re.MULTILINE)


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    """Open the samples."""
    with open_index(TRACES) as index:
        index.refresh()
        yield index


def facts_of(changes: SessionChanges) -> list[tuple[str, FactKind]]:
    """One value of each kind that a user said, the first, and the longest sentence of one."""
    said = [block.text for context in changes.contexts for block in context.blocks if block.role == "user"]
    texts = list(dict.fromkeys(said))[:60]
    found: dict[FactKind, str] = {}
    for text in texts:
        for one in find_facts(text):
            found.setdefault(one.kind, one.text)
    rule = max((line for text in texts for line in text.splitlines()), key=len, default="")
    return [*((text, kind) for kind, text in found.items()), (rule[:120], "rule"), (rule[:12], "text")]


def followed(index: Index, session: str, text: str, kind: FactKind, changes: SessionChanges) -> tuple[Fact, FactTrace]:
    """The fact with the words learnt beside it, and its life."""
    fact = make_fact(text, kind, contexts=changes.contexts)
    found: SessionFact = trace_in(index, session, fact, changes)
    return fact, found.trace


def test_a_life_is_the_same_when_nothing_is_passed_over(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anchors, carriers, rivals, siblings, losses and answers, in every sample."""
    known = {row.session: trace_changes(index, row.session) for row in index.sessions()}
    wanted = [(session, *fact) for session, changes in known.items() for fact in facts_of(changes) if fact[0].strip()]
    quick = [followed(index, session, text, kind, known[session]) for session, text, kind in wanted]

    monkeypatch.setattr(line_finder, "lines_of", lambda text, _: lines_with(text, EVERY_LINE))
    monkeypatch.setattr(answers, "MAY_REQUEST", re.compile(""))
    patient = [followed(index, session, text, kind, known[session]) for session, text, kind in wanted]

    assert len(quick) > len(known)
    assert quick == patient


def test_a_session_that_no_server_changed_is_asked_for_no_calls(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its row says so; the life is the same as with them."""
    row = next(row for row in index.sessions() if not row.server_calls)
    changes = trace_changes(index, row.session)
    fact = Fact("text", "the")
    whole = trace_in(index, row.session, fact, changes)

    monkeypatch.setattr(index, "calls", lambda _: pytest.fail("the calls were asked for"))

    assert trace_in(index, row.session, fact, changes, row).trace == whole.trace
