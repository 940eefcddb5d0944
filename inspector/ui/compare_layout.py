"""The rows of a comparison: what folds, what stands side by side, what a summary took, what moved from where."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.analysis.alignment import AlignedBlock, Alignment
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from inspector.ui.compare_sides import Side, SideRow, sum_tokens


@dataclass(frozen=True)
class Same:
    """A run of unchanged messages, which folds."""

    pairs: tuple[tuple[int, int], ...]
    """Places in the first and the second context, from 0."""


@dataclass(frozen=True)
class Pair:
    """One message on both sides that is not the same, or stands elsewhere."""

    row: AlignedBlock
    is_elsewhere: bool = False
    """It stands on the other side of an unchanged message than before; else it changed where it stands."""


@dataclass(frozen=True)
class Left:
    """Where a moved message stood in the first context."""

    row: AlignedBlock


@dataclass(frozen=True)
class New:
    """A message of the second context only."""

    row: AlignedBlock


@dataclass(frozen=True)
class Group:
    """Messages that were taken out, beside what stands for them."""

    rows: tuple[AlignedBlock, ...]
    """The messages taken, in the order of the first context."""
    summary: int | None
    """Place of the summary in the second context; None: nothing stands for them."""
    own: AlignedBlock | None = None
    """The summary's own row, where it stood in the first context too."""


Item = Same | Pair | Left | New | Group


@dataclass
class _Build:
    items: list[Item] = field(default_factory=list)

    def add(self, item: Item) -> None:
        """Append an item; runs grow."""
        last = self.items[-1] if self.items else None
        if isinstance(item, Same) and isinstance(last, Same):
            self.items[-1] = Same(last.pairs + item.pairs)
        elif isinstance(item, Group) and isinstance(last, Group) and item.summary is None and last.summary is None:
            self.items[-1] = Group(last.rows + item.rows, None)
        else:
            self.items.append(item)


def lay_out(alignment: Alignment) -> tuple[Item, ...]:
    """Put the rows of an alignment in reading order.

    A summary stands once, with all it took, where the first of them or it itself stands. A moved message stands
    where it is now; where it was, a mark leads there.
    """
    taken: dict[int, list[AlignedBlock]] = {}
    for row in alignment.blocks:
        if row.fate is Fate.SUMMARISED and row.after is not None:
            taken.setdefault(row.after, []).append(row)
    own = {row.after: row for row in alignment.blocks if row.fate is not Fate.SUMMARISED and row.after in taken}
    is_elsewhere = _are_elsewhere(alignment)
    build = _Build()
    done: set[int] = set()
    for row in alignment.blocks:
        summary = row.after if row.after in taken else None
        if summary is not None:
            if summary not in done:
                done.add(summary)
                build.add(_group(summary, taken[summary], own.get(summary)))
        elif row.fate is Fate.EVICTED:
            build.add(Group((row,), None))
        elif row.before is None:
            build.add(New(row))
        elif row.fate is Fate.KEPT and row.after is not None:
            build.add(Same(((row.before, row.after),)))
        else:
            build.add(Pair(row, is_elsewhere(row)))
    return _mark_places(build.items)


def _group(summary: int, rows: Sequence[AlignedBlock], own: AlignedBlock | None) -> Group:
    ordered = tuple(sorted(rows, key=lambda row: row.before or 0))
    return Group(ordered, summary, own if own is not None and own.before is not None else None)


def _are_elsewhere(alignment: Alignment) -> Callable[[AlignedBlock], bool]:
    """Tell moved messages that passed an unchanged one from those that only changed their role or layer."""
    kept = [row for row in alignment.blocks if row.fate is Fate.KEPT]
    before = sorted(row.before for row in kept if row.before is not None)
    after = sorted(row.after for row in kept if row.after is not None)

    def is_elsewhere(row: AlignedBlock) -> bool:
        if row.fate is not Fate.MOVED or row.before is None or row.after is None:
            return False
        return bisect_left(before, row.before) != bisect_left(after, row.after)

    return is_elsewhere


def _mark_places(items: Sequence[Item]) -> tuple[Item, ...]:
    """Set a mark where each message that is elsewhere now stood in the first context."""
    moved = [item.row for item in items if isinstance(item, Pair) and item.is_elsewhere]
    if not moved:
        return tuple(items)
    moved.sort(key=lambda row: row.before or 0)
    gone_from = {row.before for row in moved}
    placed: list[Item] = []
    for item in items:
        for piece, first in _pieces(item, [row.before or 0 for row in moved], gone_from):
            while moved and first is not None and (moved[0].before or 0) < first:
                placed.append(Left(moved.pop(0)))
            placed.append(piece)
    placed += [Left(row) for row in moved]
    return tuple(placed)


def _pieces(item: Item, marks: Sequence[int], elsewhere: set[int | None]) -> list[tuple[Item, int | None]]:
    """Cut a run where a mark must stand in it; each piece with the place of its last message in the first context."""
    if isinstance(item, Same):
        pieces: list[tuple[Item, int | None]] = []
        run: list[tuple[int, int]] = []
        for pair in item.pairs:
            if run and any(run[-1][0] < mark < pair[0] for mark in marks):
                pieces.append((Same(tuple(run)), run[0][0]))
                run = []
            run.append(pair)
        return [*pieces, (Same(tuple(run)), run[0][0])]
    if isinstance(item, Group):
        return [(item, item.rows[0].before)]
    if isinstance(item, Pair) and item.row.before not in elsewhere:
        return [(item, item.row.before)]
    return [(item, None)]


def count_fates(alignment: Alignment) -> dict[str, Any]:
    """Return the figures over the rows: what a summary took is counted with the summaries it became."""
    summaries = {row.after for row in alignment.blocks if row.fate is Fate.SUMMARISED}
    counts = {fate.value: alignment.counts.get(fate, 0) for fate in Fate}
    counts["summaries"] = len(summaries)
    own_rows = sum(row.fate is Fate.ADDED and row.after in summaries for row in alignment.blocks)
    counts["added"] -= own_rows
    return counts


def item_payload(item: Item, before: Side, after: Side) -> dict[str, Any]:
    """Return an item as plain values."""
    if isinstance(item, Same):
        runs: list[list[int]] = []
        for i, j in item.pairs:
            if runs and (i, j) == (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]):
                runs[-1][2] += 1
            else:
                runs.append([i, j, 1])
        tokens = sum_tokens(after.rows[j] for _, j in item.pairs)
        return {"kind": "same", "runs": runs, "n": len(item.pairs), "tokens": tokens}
    if isinstance(item, Group):
        return _group_payload(item, before, after)
    row = item.row
    shown: dict[str, Any] = {
        "kind": {Pair: "pair", Left: "left", New: "new"}[type(item)],
        "fate": row.fate.value,
        "i": row.before,
        "j": row.after,
        "why": why(row),
    }
    if isinstance(item, Pair) and row.before is not None and row.after is not None:
        old, new = before.rows[row.before], after.rows[row.after]
        shown["from"] = item.is_elsewhere
        shown["was"] = _was(old, new)
        shown["differs"] = old.text != new.text
    return shown


def _was(old: SideRow, new: SideRow) -> str:
    """Say how role and layer changed; that the user's input becomes history is no change."""
    changes = []
    if old.layer is not new.layer and {old.layer, new.layer} != {Layer.INPUT, Layer.HISTORY}:
        changes.append(f"{old.layer} → {new.layer}".replace("_", " "))
    if old.role != new.role:
        changes.append(f"{old.role or 'no role'} → {new.role or 'no role'}")
    return ", ".join(changes)


def why(row: AlignedBlock) -> str:
    """Say what became of a message, how sure that is, and on what evidence."""
    sure = "" if row.certainty == "certain" else f" ({row.certainty})"
    return f"{row.fate.value}{sure}: {row.evidence}"


def _group_payload(group: Group, before: Side, after: Side) -> dict[str, Any]:
    places = [row.before for row in group.rows if row.before is not None]
    tokens = sum_tokens(before.rows[place] for place in places)
    shown: dict[str, Any] = {
        "kind": "group",
        "fate": (Fate.EVICTED if group.summary is None else Fate.SUMMARISED).value,
        "sources": places,
        "j": group.summary,
        "tokens": tokens,
        "why": why(group.rows[0]),
    }
    if group.own is not None:
        shown["own"] = [group.own.before, group.own.fate.value]
    if group.summary is not None:
        size = after.rows[group.summary].tokens
        shown["share"] = size / tokens if size is not None and tokens else None
    return shown
