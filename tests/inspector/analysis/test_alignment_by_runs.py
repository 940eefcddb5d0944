"""Aligning only what differs gives what aligning everything gives."""

from __future__ import annotations

import random
from collections.abc import Container, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.analysis import lifelines
from inspector.analysis.alignment import Alignment, align
from inspector.analysis.alignment_by_runs import align_numbered
from inspector.analysis.change_asking import trace_changes
from inspector.analysis.inferring import infer_compaction
from inspector.analysis.kept_runs import SHORTEST
from inspector.analysis.lifelines import SessionLife, trace_lifelines
from inspector.analysis.numbering import NumberedContexts, number_contexts
from inspector.importers import import_paths
from inspector.index import open_index
from inspector.model.context import Block, CallContext, Identity
from inspector.model.layers import Layer
from sample_data import TRACES

WORDS = "order parcel refund window Saturday lift stairs floor depot 订单 预算 送货 客户 地址".split()  # noqa: SIM905


def pool(source: random.Random) -> list[Block]:
    """Messages, some of them equal, some of other layers, some with ids, one a summary."""
    blocks = []
    for n in range(40):
        text = " ".join(source.choices(WORDS, k=source.randrange(1, 9))) + f" {n}" * (n % 3 > 0)
        layer = source.choice([Layer.HISTORY, Layer.INPUT, Layer.STATE, Layer.TOOL_RESULTS, Layer.SYSTEM])
        keys = (f"call:{n}",) if n % 7 == 0 else ()
        role = source.choice(["user", "assistant", "tool"])
        blocks.append(Block(f"{role}:{text}", role, layer, text, keys, len(text), is_summary=n == 39))
    return blocks


def edited(source: random.Random, pooled: list[Block], blocks: list[Block]) -> list[Block]:
    """A context as the next call may have it: something taken, added, moved, said twice or rewritten."""
    after = list(blocks)
    for _ in range(source.randrange(1, 6)):
        place = source.randrange(len(after) + 1)
        match source.randrange(6):
            case 0:
                del after[place : place + source.randrange(1, 12)]
            case 1:
                after.insert(place, source.choice(pooled))
            case 2 if after:
                after.insert(place, after.pop(source.randrange(len(after))))
            case 3 if after:
                old = after[min(place, len(after) - 1)]
                text = f"{old.text} and more"
                after[min(place, len(after) - 1)] = replace(old, content=f"{old.role}:{text}", text=text)
            case 4:
                after += source.sample(pooled, 3)
            case _ if after:
                old = after[min(place, len(after) - 1)]
                after[min(place, len(after) - 1)] = replace(old, layer=source.choice([Layer.HISTORY, Layer.INPUT]))
    return after


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 10**9))
def test_random_contexts_align_as_in_full(seed: int) -> None:
    """Whatever was taken, added, moved, doubled or rewritten."""
    source = random.Random(seed)
    pooled = pool(source)
    before = source.choices(pooled, k=source.randrange(30)) if seed % 2 else source.sample(pooled, 30)
    after = edited(source, pooled, before)
    seen = {block.identity for block in source.sample(pooled, 5)}
    contexts = [CallContext(1, "a", None, "main", tuple(before)), CallContext(2, "b", "a", "main", tuple(after))]

    found, full = align_numbered(number_contexts(contexts), 0, 1, seen), align(before, after, seen=seen)

    assert found.blocks == full.blocks
    assert list(found.counts.items()) == list(full.counts.items())


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9))
def test_a_context_that_only_grew_aligns_as_in_full(seed: int) -> None:
    """Whatever was appended: what is new, what is said again, what stood there long ago and has come back."""
    source = random.Random(seed)
    pooled = pool(source)
    before = source.choices(pooled, k=source.randrange(3, 30))
    passed = [replace(block, layer=Layer.HISTORY) if block.layer is Layer.INPUT else block for block in before]
    after = [*(passed if seed % 2 else before), *source.choices(pooled, k=source.randrange(4))]
    seen = {block.identity for block in source.sample(pooled, 20)}
    contexts = [CallContext(1, "a", None, "main", tuple(before)), CallContext(2, "b", "a", "main", tuple(after))]

    found, full = align_numbered(number_contexts(contexts), 0, 1, seen), align(before, after, seen=seen)

    assert found.blocks == full.blocks
    assert list(found.counts.items()) == list(full.counts.items())
    assert bool(found.runs) == (len(before) >= SHORTEST)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_random_sessions_have_the_lifelines_of_a_full_look(seed: int) -> None:
    """Calls that mostly grow, some rewritten, some of another lane, some that go on with an earlier one."""
    source = random.Random(seed)
    pooled = pool(source)
    contexts: list[CallContext] = []
    for call in range(1, 12):
        lane = source.choice(["main", "main", "main", "side"])
        earlier = [one for one in contexts if one.lane == lane]
        before = source.choice([*earlier[-1:], *earlier[-1:], *earlier]) if earlier else None
        blocks = list(before.blocks) if before else source.sample(pooled, 12)
        blocks = edited(source, pooled, blocks) if source.random() < 0.3 else [*blocks, *source.choices(pooled, k=2)]
        contexts.append(CallContext(call, f"id-{call}", before.id if before else None, lane, tuple(blocks)))

    found = trace_lifelines(contexts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifelines, "align_numbered", in_full)
        full = trace_lifelines(contexts)

    assert plain(found) == plain(full)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 10**9))
def test_a_compaction_is_inferred_as_from_a_full_look(seed: int) -> None:
    """Trims in one piece or several, steps taken back, edits, summaries: of what is set apart only places count."""
    source = random.Random(seed)
    pooled = pool(source)
    before = source.sample(pooled, 30)
    after = list(before)
    for _ in range(source.randrange(3)):
        place = source.choice([0, source.randrange(30), 26])
        del after[place : place + source.randrange(1, 5)]
    if source.random() < 0.5:
        after = edited(source, pooled, after)
    contexts = [CallContext(1, "a", None, "main", tuple(before)), CallContext(2, "b", "a", "main", tuple(after))]
    numbered = number_contexts(contexts)

    found = infer_compaction(*contexts, align_numbered(numbered, 0, 1))

    assert found == infer_compaction(*contexts, in_full(numbered, 0, 1))


def in_full(numbered: NumberedContexts, one: int, other: int, seen: Container[Identity] = ()) -> Alignment:
    """Align two contexts with a look at every message."""
    return align(numbered.contexts[one].blocks, numbered.contexts[other].blocks, seen=seen)


def plain(life: SessionLife) -> object:
    """All that lifelines say."""
    rows = {call: (one.blocks, list(one.counts.items())) for call, one in life.alignments.items()}
    return life.lifelines, life.numbers, life.previous, rows


def sessions(directory: Path) -> Iterator[tuple[CallContext, ...]]:
    """The contexts of every session of a directory."""
    with open_index(directory) as index:
        index.refresh()
        for row in index.sessions():
            yield trace_changes(index, row.session).contexts


def check(directory: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Compare the lifelines of all sessions of a directory; return the calls of which something was set apart."""
    apart = 0
    for contexts in sessions(directory):
        found = trace_lifelines(contexts)
        with monkeypatch.context() as patch:
            patch.setattr(lifelines, "align_numbered", in_full)
            full = trace_lifelines(contexts)
        assert plain(found) == plain(full)
        apart += sum(bool(one.runs) for one in found.alignments.values())
    return apart


def test_samples_have_the_lifelines_of_a_full_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every message of every sample."""
    assert check(TRACES, monkeypatch) > 0


def test_a_real_session_has_the_lifelines_of_a_full_look(
    realdata: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long log of a coding agent, with compactions."""
    import_paths([realdata / "pi" / "compact.jsonl"], tmp_path)

    assert check(tmp_path, monkeypatch) > 0
