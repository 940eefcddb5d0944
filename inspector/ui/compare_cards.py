"""What stands beside messages that were taken out: the summary, the pins that are lost or kept, the surviving passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.model.watches import Watch
from inspector.model.views import PinRow
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
            found.append(PinnedText(pin, source, targets))
    return tuple(sorted(found, key=lambda item: (bool(item.targets), item.source)))


def where_now(targets: Sequence[int], summary: int | None, after: Side) -> str:
    """Say where a text of the messages taken out stands in the second context."""
    if not targets:
        return "nowhere in this call" if summary is None else "not in the summary, nowhere else"
    if summary in targets:
        return "verbatim in the summary"
    names = list(dict.fromkeys(_name(after.rows[place]) for place in targets))
    places = ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
    return f"verbatim in {places}" + ("" if summary is None else ", not in the summary")


def _name(row: SideRow) -> str:
    number = f"m{row.number}" if row.number is not None else ""
    layer = str(row.layer).replace("_", " ")
    return f"{number} ({layer})" if number else f"the {layer}"


def who_said(row: SideRow, turn_of: TurnOf) -> str:
    """Say whose words they were: ``user, turn 1``."""
    turn = turn_of(row.born) if row.born is not None else None
    return ", ".join(part for part in (row.role or str(row.layer).replace("_", " "), turn) if part)


def card(group: Group, before: Side, after: Side, pins: Iterable[PinRow | Watch], turn_of: TurnOf) -> dict[str, Any]:
    """Return what stands beside a group: ledger lines, passages and the summary's text.

    Offsets count UTF-16 units. A passage is ``[place of its source, start, end, place of its target, start, end]``.
    """
    sources = [row.before for row in group.rows if row.before is not None]
    pinned = pins_taken(pins, sources, before, after)
    passages = surviving(sources, group.summary, before, after)
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


def surviving(sources: Sequence[int], summary: int | None, before: Side, after: Side) -> tuple[Passage, ...]:
    """Find what stands word for word in the second context, by places in the two contexts."""
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
        "kept": bool(item.targets),
        "text": one_line(item.pin.excerpt, QUOTE),
        "who": f"{kind} · {who_said(row, turn_of)}",
        "where": where_now(item.targets, summary, after),
        "reason": item.pin.reason or "",
        "i": item.source,
        "j": item.targets[0] if item.targets else None,
    }


def _passage_line(
    passage: Passage, summary: int | None, before: Side, after: Side, turn_of: TurnOf
) -> tuple[str, str, str]:
    row = before.rows[passage.source]
    text = one_line(row.text[passage.start : passage.end], QUOTE)
    return text, who_said(row, turn_of), where_now([passage.target], summary, after)


def _in_units(passages: Sequence[Passage], before: Side, after: Side) -> list[list[int]]:
    units: dict[tuple[str, int], Units] = {}

    def of(side: str, rows: Sequence[SideRow], place: int) -> Units:
        return units.setdefault((side, place), Units(rows[place].text))

    listed = []
    for p in passages:
        a, b = of("a", before.rows, p.source), of("b", after.rows, p.target)
        listed.append([p.source, a.at(p.start), a.at(p.end), p.target, b.at(p.target_start), b.at(p.target_end)])
    return listed
