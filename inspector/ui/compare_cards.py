"""What stands beside messages that were taken out: the summary, pins lost or kept, passages that survive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.analysis.pins import fold_writing
from inspector.model.views import PinRow
from inspector.model.watches import Watch
from inspector.ui.call_text import Units
from inspector.ui.compare_layout import Group
from inspector.ui.compare_passages import Passage, find_passages
from inspector.ui.compare_sides import Side, SideRow
from inspector.ui.format import one_line

SUMMARY_CHARS: Final = 12_000
"""Characters of a summary that come with its card; the whole stands on the Call page."""
PASSAGES_LISTED: Final = 40
"""Passages that are listed in a card; all are marked in its text."""
QUOTE: Final = 90
"""Characters of a pin or a passage in a list."""

TurnOf = Callable[[int], str | None]


@dataclass(frozen=True)
class PinnedText:
    """A pin whose message was taken out, and where its text stands now."""

    pin: PinRow | Watch
    source: int
    """Place in the first context of the message that carried it."""
    targets: tuple[int, ...]
    """Places in the second context that hold it word for word."""
    altered: int | None = None
    """Place in the second context that holds it in other writing, where none holds it word for word."""


def holds(pin: PinRow | Watch, row: SideRow) -> bool:
    """Say whether a message holds a pinned text word for word."""
    target: Mapping[str, Any] = pin.target or {"text": pin.excerpt}
    if isinstance(target.get("message"), str):
        return bool(row.content == target["message"])
    text = target.get("text")
    if isinstance(text, str):
        return bool(text) and text in row.text
    try:
        return re.search(str(target.get("regex")), row.text) is not None
    except re.error:  # a pattern of another Python's syntax holds nowhere
        return False


def pins_taken(
    pins: Iterable[PinRow | Watch], sources: Sequence[int], before: Side, after: Side
) -> tuple[PinnedText, ...]:
    """Find the pins whose messages were taken out; those that stand nowhere now come first."""
    found = []
    for pin in pins:
        source = next((place for place in sources if holds(pin, before.rows[place])), None)
        if source is not None:
            targets = tuple(at for at, row in enumerate(after.rows) if holds(pin, row))
            altered = None if targets else _in_other_writing(pin, after)
            found.append(PinnedText(pin, source, targets, altered))
    return tuple(sorted(found, key=lambda item: (bool(item.targets), item.altered is not None, item.source)))


def _in_other_writing(pin: PinRow | Watch, after: Side) -> int | None:
    """Find a message that says it with other case, width, white space or punctuation."""
    text = pin.target.get("text") if pin.target else pin.excerpt
    folded = fold_writing(text) if isinstance(text, str) else ""
    return next((at for at, row in enumerate(after.rows) if folded and folded in fold_writing(row.text)), None)


def where_now(targets: Sequence[int], summary: int | None, after: Side) -> str:
    """Say where a text of the messages taken out stands in the second context."""
    if not targets:
        return "nowhere in this call" if summary is None else "not in the summary, nowhere else"
    if summary in targets:
        return "verbatim in the summary"
    names = list(dict.fromkeys(name_row(after.rows[place]) for place in targets))
    places = ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
    return f"verbatim in {places}" if summary is None else f"in {places}, not in the summary"


def name_row(row: SideRow) -> str:
    """Name a message by its layer and its number: ``state m9``."""
    layer = str(row.layer).replace("_", " ")
    return layer if row.number is None else f"{layer} m{row.number}"


def who_said(row: SideRow, turn_of: TurnOf) -> str:
    """Say whose words they were: ``user, turn 1``."""
    turn = turn_of(row.born) if row.born is not None else None
    return ", ".join(part for part in (row.role or str(row.layer).replace("_", " "), turn) if part)


def card(
    group: Group,
    before: Side,
    after: Side,
    pins: Iterable[PinRow | Watch],
    survivors: Sequence[Passage],
    turn_of: TurnOf,
) -> dict[str, Any]:
    """Return what stands beside a group: ledger lines, passages and the summary's text.

    Offsets count UTF-16 units. A passage is ``[place of its source, start, end, place of its target, start, end]``.

    Args:
        group: The messages taken out.
        before: The first context.
        after: The second context.
        pins: Pins and watches of the first context's session.
        survivors: Passages of all messages taken out, see :func:`surviving`.
        turn_of: Turn of a call, in words.
    """
    sources = [row.before for row in group.rows if row.before is not None]
    pinned = pins_taken(pins, sources, before, after)
    own = set(sources)
    passages = [passage for passage in survivors if passage.source in own]
    shown: dict[str, Any] = {
        "ledger": [_pin_line(item, group.summary, before, after, turn_of) for item in pinned],
        "passages": _in_units(passages, before, after),
        "listed": [
            [at, *_passage_line(passage, group.summary, before, after, turn_of)]
            for at, passage in _worth_listing(passages, group.summary)
        ],
    }
    if group.summary is not None:
        text = after.rows[group.summary].text
        shown["text"] = text[:SUMMARY_CHARS]
        shown["more"] = max(0, len(text) - SUMMARY_CHARS)
    return shown


def surviving(groups: Iterable[Group], before: Side, after: Side) -> tuple[Passage, ...]:
    """Find what of the messages taken out stands word for word in the second context, by places in the two."""
    taken = [(group.summary, row.before) for group in groups for row in group.rows if row.before is not None]
    summaries = Counter(summary for summary, _ in taken if summary is not None)
    summary = summaries.most_common(1)[0][0] if summaries else None
    sources = [place for _, place in taken]
    texts = [before.rows[place].text for place in sources]
    found = find_passages(texts, [row.text for row in after.rows], summary)
    return tuple(Passage(sources[p.source], p.start, p.end, p.target, p.target_start, p.target_end) for p in found)


def _worth_listing(passages: Sequence[Passage], summary: int | None) -> list[tuple[int, Passage]]:
    """Choose the passages that are listed: those in the summary first, then the longest."""
    order = sorted(enumerate(passages), key=lambda item: (item[1].target != summary, -item[1].length))
    return order[:PASSAGES_LISTED]


def _pin_line(item: PinnedText, summary: int | None, before: Side, after: Side, turn_of: TurnOf) -> dict[str, Any]:
    row = before.rows[item.source]
    kind = "watched" if isinstance(item.pin, Watch) else "pinned"
    return {
        "became": "here" if item.targets else "lost" if item.altered is None else "altered",
        "text": one_line(item.pin.excerpt, QUOTE),
        "who": f"{kind} · {who_said(row, turn_of)}",
        "where": where_now(item.targets, summary, after)
        if item.altered is None
        else f"in other writing in {name_row(after.rows[item.altered])}",
        "reason": item.pin.reason or "",
        "i": item.source,
        "j": item.targets[0] if item.targets else item.altered,
    }


def _passage_line(
    passage: Passage, summary: int | None, before: Side, after: Side, turn_of: TurnOf
) -> tuple[str, str, str]:
    row, target = before.rows[passage.source], after.rows[passage.target]
    text = one_line(row.text[passage.start : passage.end], QUOTE)
    return text, who_said(row, turn_of), "in the summary" if passage.target == summary else f"in {name_row(target)}"


def _in_units(passages: Sequence[Passage], before: Side, after: Side) -> list[list[int]]:
    units: dict[tuple[str, int], Units] = {}

    def of(side: str, rows: Sequence[SideRow], place: int) -> Units:
        return units.setdefault((side, place), Units(rows[place].text))

    listed = []
    for p in passages:
        a, b = of("a", before.rows, p.source), of("b", after.rows, p.target)
        listed.append([p.source, a.at(p.start), a.at(p.end), p.target, b.at(p.target_start), b.at(p.target_end)])
    return listed
