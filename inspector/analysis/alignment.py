"""Which message of one context is which message of another, and what became of it.

By content identity first, then keys (tool call ids), then shared words with an optimal
assignment; never by position, role or the head of a text alone. What is left over was evicted,
taken by a summary, returned or added.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from patiencediff import PatienceSequenceMatcher

from inspector.analysis.kept_runs import KeptRun
from inspector.analysis.numbering import PASSING
from inspector.analysis.pairing import (
    PairedBy,
    keys_differ,
    pair_by_cut,
    pair_by_keys,
    pair_by_place_holder,
    pair_by_words,
    share_keys,
)
from inspector.analysis.rewriting import name_rewriting
from inspector.analysis.slots import pair_by_slot
from inspector.analysis.summaries import DIALOGUE, Taken, find_taken
from inspector.model.context import Block, Identity
from inspector.model.fates import Certainty, Fate
from inspector.model.layers import Layer


class AlignedBlock(NamedTuple):
    """One row of an alignment: a message on both sides, on one, or a summary and all it took."""

    fate: Fate
    before: int | None
    """Place in the first context, from 0; None: it was not there."""
    after: int | None
    """Place in the second context, from 0; None: it is gone. For a summarised message: the summary."""
    certainty: Certainty
    evidence: str
    """Why these two are one message, or where it went, in words."""
    similarity: float | None = None
    """Share of the shorter text's words found in the other, 0–1, where words decided."""


@dataclass(frozen=True)
class Alignment:
    """Two contexts, aligned."""

    rows: tuple[AlignedBlock, ...]
    """As ``blocks``, but for the messages of ``runs``."""
    before: int
    """Messages of the first context."""
    after: int
    """Messages of the second context."""
    counts: dict[Fate, int] = field(default_factory=dict)
    """Messages by fate; fates that do not occur are absent."""
    runs: tuple[KeptRun, ...] = ()
    """Stretches of messages that are kept and have no row of their own in ``rows``."""

    @cached_property
    def blocks(self) -> tuple[AlignedBlock, ...]:
        """One row per message, of both contexts, in reading order.

        By the later context; what is gone stands where it stood in the earlier one.
        """
        if not self.runs:
            return self.rows
        rows = [name_kept(run.before + n, run.after + n) for run in self.runs for n in range(run.length)]
        rows += self.rows
        rows.sort(key=_display_order(self.before, rows))
        return tuple(rows)

    def of_before(self) -> dict[int, AlignedBlock]:
        """The row of each message of the first context."""
        return {b.before: b for b in self.blocks if b.before is not None}

    def of_after(self) -> dict[int, AlignedBlock]:
        """The row of each message of the second context; a summary's own row, not its sources'."""
        return {b.after: b for b in self.blocks if b.after is not None and b.fate is not Fate.SUMMARISED}

    def sources(self, summary: int) -> tuple[int, ...]:
        """Places in the first context of the messages that the summary at place ``summary`` took."""
        return tuple(
            b.before for b in self.rows if b.fate is Fate.SUMMARISED and b.after == summary and b.before is not None
        )


def name_kept(before: int, after: int) -> AlignedBlock:
    """Give the row of a message that nobody touched.

    Args:
        before: Its place in the first context.
        after: Its place in the second.
    """
    return AlignedBlock(Fate.KEPT, before, after, "certain", "the same content")


def align(
    before: Sequence[Block],
    after: Sequence[Block],
    *,
    seen: Container[Identity] = (),
    taken: Taken | None = None,
    known: Container[str] | None = None,
) -> Alignment:
    """Align two contexts.

    Args:
        before: The first context's messages, in order.
        after: The second context's messages, in order.
        seen: Messages that stood in still earlier contexts of the lane: an unpaired message of ``after``
            among them has returned, unless it is a new one at the end that says the same.
        taken: Which messages a recorded compaction says a summary took; believed before any
            inference, likeness to the summary included.
        known: Contents of the first context, where ``before`` is only a part of it.

    Returns:
        A row per message. Equal messages keep their number and order.
    """
    same = _pair_equal(before, after)
    used = set(same.values())
    named = taken or {}
    made = {item.after for item in named.values()}
    open_before = [i for i in range(len(before)) if i not in same and i not in named]
    open_after = [j for j in range(len(after)) if j not in used and j not in made]
    rewritten = _pair_rewritten(before, after, open_before, open_after, same)
    gone = [i for i in range(len(before)) if i not in same and i not in rewritten]
    used |= {pair.after for pair in rewritten.values()}
    new = [j for j in range(len(after)) if j not in used]
    last_kept = max((j for j in used if after[j].layer in DIALOGUE), default=None)
    summaries = find_taken(before, after, gone, new, last_kept, known) if taken is None else taken
    rows = _name_pairs(before, after, same, rewritten)
    rows += [_name_gone(i, summaries) for i in gone]
    last = max(used, default=-1)
    rows += [name_new(j, after[j], seen, j > last) for j in new]
    rows.sort(key=_display_order(len(before), tuple(rows)))
    counts: dict[Fate, int] = defaultdict(int)
    for row in rows:
        counts[row.fate] += 1
    return Alignment(tuple(rows), len(before), len(after), dict(counts))


def _pair_rewritten(
    before: Sequence[Block],
    after: Sequence[Block],
    open_before: Sequence[int],
    open_after: Sequence[int],
    same: dict[int, int],
) -> dict[int, PairedBy]:
    """Pair what is not equal. A summary is no rewriting of a message, however much of it it quotes.

    Nor is it one of the summary before it, if messages are gone that it had to take in.
    """
    rewritten: dict[int, PairedBy] = {}
    plain = [[i for i in open_before if not before[i].is_summary], [j for j in open_after if not after[j].is_summary]]
    _pair_in_turn(before, after, plain[0], plain[1], same, rewritten)
    if all(i in rewritten for i in plain[0] if before[i].layer in DIALOGUE):
        marked = [[i for i in open_before if before[i].is_summary], [j for j in open_after if after[j].is_summary]]
        _pair_in_turn(before, after, marked[0], marked[1], same, rewritten)
    return rewritten


def _pair_in_turn(
    before: Sequence[Block],
    after: Sequence[Block],
    open_before: Sequence[int],
    open_after: Sequence[int],
    same: dict[int, int],
    rewritten: dict[int, PairedBy],
) -> None:
    for pair in (pair_by_keys, _pair_wordings, pair_by_cut, pair_by_place_holder, pair_by_words, pair_by_slot):
        used = {found.after for found in rewritten.values()}
        lefts = [i for i in open_before if i not in rewritten]
        rights = [j for j in open_after if j not in used]
        if not lefts or not rights:
            return
        paired = same | {i: found.after for i, found in rewritten.items()}
        rewritten |= pair(before, after, lefts, rights, paired)


def _pair_equal(before: Sequence[Block], after: Sequence[Block]) -> dict[int, int]:
    """Pair messages of equal content, so that as many as can keep their order.

    Equal tool calls are told apart by their ids, unless all ids were made anew.
    """
    a, b = [x.identity for x in before], [x.identity for x in after]
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    pairs = {i: i for i in range(head)}
    _pair_in_order(a, b, head, pairs)
    if not share_keys(before, after):
        _pair_in_order([x.content for x in before], [x.content for x in after], head, pairs)
    return pairs


def _pair_in_order(a: Sequence[object], b: Sequence[object], head: int, pairs: dict[int, int]) -> None:
    used = set(pairs.values())
    lefts = [i for i in range(head, len(a)) if i not in pairs]
    rights = [j for j in range(head, len(b)) if j not in used]
    if not lefts or not rights:
        return
    matcher = PatienceSequenceMatcher(None, [a[i] for i in lefts], [b[j] for j in rights])
    for i, j, size in matcher.get_matching_blocks():
        pairs.update(zip(lefts[i : i + size], rights[j : j + size], strict=True))
    used = set(pairs.values())
    spare: dict[object, list[int]] = defaultdict(list)
    for j in reversed(rights):
        if j not in used:
            spare[b[j]].append(j)
    for i in lefts:
        if i not in pairs and spare.get(a[i]):
            pairs[i] = spare[a[i]].pop()


def _pair_wordings(
    before: Sequence[Block],
    after: Sequence[Block],
    open_before: list[int],
    open_after: list[int],
    paired: dict[int, int],
) -> dict[int, PairedBy]:
    """Pair messages whose text is equal though the role or the form of the parts is not."""
    spare: dict[str, list[int]] = defaultdict(list)
    for j in open_after:
        if after[j].text.strip():
            spare[after[j].text].append(j)
    stable = share_keys(before, after)
    pairs: dict[int, PairedBy] = {}
    for i in open_before:
        candidates = spare.get(before[i].text, [])
        match = next((j for j in candidates if not (stable and keys_differ(before[i], after[j]))), None)
        if match is not None:
            candidates.remove(match)
            pairs[i] = PairedBy(match, "certain", "the same text", 1.0)
    return pairs


def _name_pairs(
    before: Sequence[Block], after: Sequence[Block], same: dict[int, int], rewritten: dict[int, PairedBy]
) -> list[AlignedBlock]:
    pairs = sorted([*same.items(), *((i, p.after) for i, p in rewritten.items())])
    in_place = _longest_increasing(pairs)
    rows = []
    for i, j in pairs:
        old, new = before[i], after[j]
        stays = old is new or (old.role == new.role and _same_layer(old.layer, new.layer))
        if i in same:
            fate = Fate.KEPT if stays and (i, j) in in_place else Fate.MOVED
            rows.append(AlignedBlock(fate, i, j, "certain", "the same content"))
            continue
        how = rewritten[i]
        if old.text != new.text:
            fate, evidence = name_rewriting(old.text, new.text), how.evidence
        elif stays:
            fate, evidence = Fate.EDITED, "the same text, its other parts differ"
        else:
            fate, evidence = Fate.MOVED, "the same text in another role or layer"
        rows.append(AlignedBlock(fate, i, j, how.certainty, evidence, how.similarity))
    return rows


def _same_layer(old: Layer, new: Layer) -> bool:
    """Whether a message stayed in its layer; the user's input becomes history by itself."""
    return old is new or (old in PASSING and new in PASSING)


def _longest_increasing(pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """The largest set of pairs that stand in the same order on both sides (patience sorting, n log n)."""
    if all(first[1] < second[1] for first, second in pairwise(pairs)):
        return set(pairs)
    tails: list[int] = []
    at: list[int] = []
    previous: list[int | None] = []
    for n, (_, j) in enumerate(pairs):
        k = bisect_left(tails, j)
        previous.append(at[k - 1] if k else None)
        if k == len(tails):
            tails.append(j)
            at.append(n)
        else:
            tails[k], at[k] = j, n
    chosen: set[tuple[int, int]] = set()
    n_: int | None = at[-1] if at else None
    while n_ is not None:
        chosen.add(pairs[n_])
        n_ = previous[n_]
    return chosen


def _name_gone(i: int, summaries: Taken) -> AlignedBlock:
    if i in summaries:
        taken = summaries[i]
        return AlignedBlock(Fate.SUMMARISED, i, taken.after, taken.certainty, taken.evidence, taken.similarity)
    return AlignedBlock(Fate.EVICTED, i, None, "certain", "no message of the later context has its content")


def name_new(after: int, block: Block, seen: Container[Identity], at_end: bool) -> AlignedBlock:
    """Give the row of a message that is no message of the first context.

    Args:
        after: Its place in the second.
        block: The message.
        seen: Messages that stood in still earlier contexts.
        at_end: It stands behind everything that was in the first context.
    """
    # A "yes" or a repeated question at the end of the dialogue is a new message, not an old one come back.
    said_again = at_end and block.layer in DIALOGUE
    if not said_again and block.identity in seen:
        return AlignedBlock(Fate.RETURNED, None, after, "certain", "the same content stood in an earlier context")
    return AlignedBlock(Fate.ADDED, None, after, "certain", "no message of the earlier context has its content")


def _display_order(before: int, rows: Sequence[AlignedBlock]) -> Callable[[AlignedBlock], tuple[int, int, int]]:
    """Key that sorts rows into reading order: by the later context, what is gone where it stood in the earlier."""
    in_place = (Fate.KEPT, Fate.EDITED, Fate.TRUNCATED)
    place = {row.before: row.after for row in rows if row.before is not None and row.fate in in_place}
    anchor: dict[int, int] = {}
    last = -1
    for i in range(before):
        after = place.get(i)
        last = last if after is None else after
        anchor[i] = last

    def order(row: AlignedBlock) -> tuple[int, int, int]:
        if row.after is not None and row.fate is not Fate.SUMMARISED:
            return (row.after, 0, 0)
        assert row.before is not None  # a row has a place on one side at least
        return (anchor[row.before], 1, row.before)

    return order
