"""What the Compare page sends to the browser: rows as figures, texts, differences and cards only for what is in view.

Two payloads, as on the Call page. :func:`compare_payload` is the header and the rows; :func:`reply` answers what the
browser then asks for: excerpts, word differences, whole texts, what stands beside a summary's sources, and the lists
of the pickers.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.model.fates import FATE_KINDS, FATE_SYMBOLS, Fate
from inspector.model.layers import LAYER_STYLES
from inspector.model.views import CallRow, SessionRow
from inspector.ui import compare_words as words
from inspector.ui.call_payload import LAYER_NAMES
from inspector.ui.call_payload import excerpt as message_excerpt
from inspector.ui.call_words import outcome
from inspector.ui.compare_cards import QUOTE, TurnOf, card, pins_taken
from inspector.ui.compare_diff import ADDED, REMOVED, difference
from inspector.ui.compare_layout import Group, Item, Pair, Same, count_fates, item_payload
from inspector.ui.compare_ledger import ledger_of_comparison
from inspector.ui.compare_model import Comparison
from inspector.ui.compare_sides import Side, columns
from inspector.ui.format import format_change, format_count, format_time, format_tokens, one_line

FIRST_EXCERPTS: Final = 400
"""Excerpts that come with the rows, changed messages first; the others follow when they are scrolled to."""
TEXT_CHARS: Final = 8_000
"""Characters of a message sent at a time when its row is opened."""
MOST_ASKED: Final = 60
"""Pieces of one kind in one answer; the browser asks again for what did not fit."""
PAIR_CHARS: Final = 400_000
"""Characters compared word by word for one answer: half a second at worst."""
SMALL_CHARS: Final = 1_000_000
"""Characters of both prompts up to which passages are looked for at once (a third of a second)."""
LEAD_PAIRS: Final = 12
"""Differences and cards that come with the first answer."""
SHORT_VALUE: Final = 60
"""Characters of a parameter up to which the whole value is marked, not the differing digits."""
MOST_CHANGED: Final = 40
"""Changed parameters and tools that are shown with their difference."""


@dataclass(frozen=True)
class Lanes:
    """The calls of the two sides' lanes, which the arrows walk through."""

    before: tuple[CallRow, ...]
    after: tuple[CallRow, ...]


def compare_payload(comparison: Comparison, lanes: Lanes, turn_of: TurnOf = lambda _: None) -> dict[str, Any]:
    """Return the header, the ledger and the rows of a comparison.

    Args:
        comparison: The two sides.
        lanes: The calls of their lanes.
        turn_of: Turn of a call of the first side's session, in words.
    """
    before, after = comparison.before, comparison.after
    parameters = _parameters(comparison)
    counts = count_fates(comparison.alignment)
    payload: dict[str, Any] = {
        "a": _side(before, lanes.before, None),
        "b": _side(after, lanes.after, before),
        "layers": LAYER_NAMES,
        "fates": {fate.value: [FATE_SYMBOLS[fate], FATE_KINDS[fate]] for fate in Fate},
        "items": [_item(item, comparison) for item in comparison.items],
        "counts": counts,
        "facts": _facts(comparison),
        "notes": _notes(comparison),
        "identical": words.identical_line(len(after.rows), parameters["known"])
        if _is_identical(comparison, parameters)
        else None,
        "parameters": parameters,
        "answers": [_answer(before), _answer(after)],
        "compaction": _compaction(comparison),
        "ledger": ledger_of_comparison(comparison, turn_of),
        "at": _calls_of(comparison),
        "compactions": [[c.number, c.before_call, c.call] for c in comparison.compactions],
    }
    payload["key"] = hashlib.sha256(json.dumps(payload, default=str).encode()).hexdigest()[:16]
    payload["excerpts"] = _first_excerpts(comparison)
    return payload


def _item(item: Item, comparison: Comparison) -> dict[str, Any]:
    shown = item_payload(item, comparison.before, comparison.after)
    if isinstance(item, Pair) and item.row.before is not None and item.row.fate is not Fate.MOVED:
        gone = pins_taken(comparison.pins, [item.row.before], comparison.before, comparison.after)
        shown["gone"] = [one_line(pinned.pin.excerpt, QUOTE) for pinned in gone if not pinned.targets]
    return shown


def _side(side: Side, lane: Sequence[CallRow], other: Side | None) -> dict[str, Any]:
    shown: dict[str, Any] = {"session": side.session, "rows": columns(side, LAYER_NAMES)}
    size = [format_count(len(side.rows), "message")]
    tokens = side.tokens
    if tokens is not None:
        change = tokens - other.tokens if other is not None and other.tokens is not None else None
        size.append(f"{format_tokens(tokens)} tokens" + (f" ({format_change(change)})" if change is not None else ""))
    shown["size"] = " · ".join(size)
    if side.view is None:
        shown |= {"call": None, "title": f"{side.recorded} the compaction", "about": "as recorded", "lane": []}
        return shown
    call = side.view.call
    shown |= {
        "call": call.number,
        "title": call_title(call),
        "about": "" if call.lane == "main" else call.lane,
        "lane": [one.number for one in lane],
    }
    return shown


def call_title(call: CallRow) -> str:
    """Name a call: ``turn 14 · call 29``."""
    label = call.turn_label
    turn = f"turn {label[1:]}" if label.startswith("t") else label
    return f"{turn} · call {call.number}"


def _facts(comparison: Comparison) -> list[dict[str, str]]:
    """Return the phrases of the header's second line, each with its tooltip."""
    before, after = comparison.before, comparison.after
    facts = []
    if before.view is not None and after.view is not None:
        old, new = before.view, after.view
        changed = words.changed_parameters(old.parameters, new.parameters)
        listed = "\n".join(f"{one.name}: {one.old or '–'} → {one.new or '–'}"[:400] for one in changed)
        line = ", ".join(f"{one.name} {_brief(one.old)} → {_brief(one.new)}" for one in changed[:3])
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        facts.append((f"parameters: {line}{more}" if changed else "parameters: same", listed))
        own, others = words.tools_of(before), words.tools_of(after)
        facts.append((words.tools_line(words.changed_tools(own, others), own, others), ""))
    layers = words.layer_changes(before, after)
    listed = "\n".join(f"{layer.replace('_', ' ')} {format_change(change)}" for layer, change in layers)
    facts.append((words.layers_line(layers), listed))
    beginning = words.same_beginning(before, after)
    where = "What a prompt cache can reuse: the whole messages before the first difference."
    if beginning.place is not None:
        where += f"\nFirst difference: message {beginning.place + 1}, {LAYER_STYLES[str(beginning.layer)].code}."
    facts.append((words.beginning_line(beginning), where))
    return [{"text": text, "title": title} for text, title in facts]


def _brief(value: str | None) -> str:
    return "–" if value is None else one_line(value, 40)


def _notes(comparison: Comparison) -> list[str]:
    before, after = comparison.before, comparison.after
    if not comparison.is_one_session:
        return ["Two sessions: messages are paired by what they say alone; no compaction or pin is looked at."]
    if before.view is None or after.view is None:
        return []
    old, new = before.view.call, after.view.call
    if old.number == new.number:
        return [f"Both sides are call {new.number}."]
    if old.number > new.number:
        return [
            f"The first side is the later call: “added” is what call {new.number} had and call {old.number} has not."
        ]
    if old.lane != new.lane:
        return [f"Two lanes: {old.lane} and {new.lane}. A change of lane is no compaction."]
    return []


def _is_identical(comparison: Comparison, parameters: Mapping[str, Any]) -> bool:
    if any(row.fate is not Fate.KEPT for row in comparison.alignment.blocks):
        return False
    return not parameters["changed"] and not parameters["tools"]["changed"]


def _parameters(comparison: Comparison) -> dict[str, Any]:
    before, after = comparison.before.view, comparison.after.view
    old, new = (before.parameters if before else {}), (after.parameters if after else {})
    own, others = words.tools_of(comparison.before), words.tools_of(comparison.after)
    same = [[name, value[: words.VALUE_CHARS]] for name, value in words.same_parameters(old, new)]
    tools = words.changed_tools(own, others)
    names = [name for name, text in own.items() if others.get(name) == text]
    return {
        "known": before is not None and after is not None,
        "changed": [_changed(one) for one in words.changed_parameters(old, new)[:MOST_CHANGED]],
        "same": same,
        "tools": {"changed": [_changed(one) for one in tools[:MOST_CHANGED]], "same": names},
    }


def _changed(one: words.Changed) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": one.name}
    if one.old is not None and one.new is not None:
        if max(len(one.old), len(one.new)) <= SHORT_VALUE:
            runs = [[REMOVED, one.old], [ADDED, one.new]]
            return shown | {"fate": Fate.EDITED.value, "runs": runs, "more": [0, 0], "cut": False}
        return shown | {"fate": Fate.EDITED.value, **difference(one.old, one.new)}
    added = one.old is None
    text = (one.new if added else one.old) or ""
    more = max(0, len(text) - words.VALUE_CHARS)
    return shown | {
        "fate": (Fate.ADDED if added else Fate.EVICTED).value,
        "runs": [[ADDED if added else REMOVED, text[: words.VALUE_CHARS]]],
        "more": [0, more] if added else [more, 0],
        "cut": False,
    }


def _answer(side: Side) -> dict[str, Any] | None:
    if side.view is None:
        return None
    ended = outcome(side.view.call)
    messages = side.view.answer.messages if side.view.answer else ()
    text = " ⏎ ".join(piece for message in messages if (piece := message_excerpt(message)))
    said = " · ".join(piece for piece in (ended.text if ended else "", text) if piece)
    tokens = side.view.answer.usage.output_tokens if side.view.answer else None
    return {"text": said or "no answer recorded", "tone": ended.tone if ended else "plain", "tokens": tokens}


def _calls_of(comparison: Comparison) -> list[int | None]:
    """Return the calls that the address names: the two sides, or those around a recorded compaction."""
    before, after, change = comparison.before.view, comparison.after.view, comparison.compaction
    if before is not None and after is not None:
        return [before.call.number, after.call.number]
    return [change.before_call, change.call] if change is not None else [None, None]


def _compaction(comparison: Comparison) -> dict[str, Any] | None:
    change = comparison.compaction
    if change is None:
        return None
    return {
        "number": change.number,
        "call": change.call,
        "of": len(comparison.compactions),
        "facts": [{"text": one_line(text, 160), "title": title} for text, title in words.compaction_facts(change)],
        "contradictions": [one_line(text, 400) for text in change.contradictions],
        "form": comparison.form,
        "hasRecord": comparison.has_record,
    }


def _first_excerpts(comparison: Comparison) -> dict[str, dict[int, str]]:
    """Return the excerpts of what is not unchanged, from the top; then of the rest, while there is room."""
    found: dict[str, dict[int, str]] = {"a": {}, "b": {}}
    ordered = sorted(comparison.items, key=lambda item: isinstance(item, Same))
    for name, place in itertools.islice((at for item in ordered for at in _places(item)), FIRST_EXCERPTS):
        side = comparison.before if name == "a" else comparison.after
        found[name][place] = side.rows[place].excerpt
    return found


def _places(item: Item) -> Iterator[tuple[str, int]]:
    """The messages of an item on both sides; a summary is shown by its card."""
    if isinstance(item, Same):
        for i, j in item.pairs:
            yield "a", i
            yield "b", j
        return
    for row in item.rows if isinstance(item, Group) else (item.row,):
        if row.before is not None:
            yield "a", row.before
        if row.after is not None and not isinstance(item, Group):
            yield "b", row.after


Sessions = Callable[[], Sequence[SessionRow]]
Calls = Callable[[str], Sequence[CallRow]]


def reply(
    comparison: Comparison,
    key: str,
    want: Mapping[str, Any],
    turn_of: TurnOf = lambda _: None,
    sessions: Sessions = tuple,
    calls: Calls = lambda _: (),
) -> dict[str, Any]:
    """Answer what the browser asked for; what it asked wrongly is left out.

    Args:
        comparison: The two sides.
        key: Of the payload the browser has.
        want: ``rows`` (``[side, start, end]``), ``pairs`` (``[i, j, whole]``), ``texts`` (``[side, place, start]``),
            ``cards`` (numbers of items), ``sessions`` (true), ``calls`` (a session).
        turn_of: Turn of a call of the first side's session, in words.
        sessions: All sessions, for the picker.
        calls: Calls of a session, for the picker.
    """
    before, after = comparison.before, comparison.after
    answer: dict[str, Any] = {"key": key, "seq": want.get("seq", 0)}
    sides = {"a": before.rows, "b": after.rows}
    answer["rows"] = [
        [name, start, [row.excerpt for row in sides[name][max(0, start) : end]]]
        for name, start, end in want.get("rows", ())[:MOST_ASKED]
        if name in sides
    ]
    answer["pairs"] = _differences(comparison, want.get("pairs", ()))
    answer["texts"] = [
        [name, place, start, sides[name][place].text[start : start + TEXT_CHARS], len(sides[name][place].text)]
        for name, place, start in want.get("texts", ())[:MOST_ASKED]
        if name in sides and 0 <= place < len(sides[name]) and start >= 0
    ]
    answer["cards"] = [
        [at, card(item, before, after, comparison.pins, comparison.survivors, turn_of)]
        for at in want.get("cards", ())[:MOST_ASKED]
        if 0 <= at < len(comparison.items) and isinstance(item := comparison.items[at], Group)
    ]
    if want.get("sessions"):
        answer["sessions"] = [_session_line(row) for row in sessions()]
    if isinstance(want.get("calls"), str):
        answer["calls"] = {"session": want["calls"], "rows": [_call_line(row) for row in calls(want["calls"])]}
    return answer


def _differences(comparison: Comparison, asked: Sequence[Sequence[int]]) -> list[list[Any]]:
    """Compare pairs word by word, as many as may be compared for one answer; the browser asks again for the rest."""
    before, after = comparison.before.rows, comparison.after.rows
    answered: list[list[Any]] = []
    room = PAIR_CHARS
    for i, j, whole in asked[:MOST_ASKED]:
        if not (0 <= i < len(before) and 0 <= j < len(after)):
            continue
        old, new = before[i].text, after[j].text
        if answered and len(old) + len(new) > room:
            break
        room -= len(old) + len(new)
        answered.append([i, j, whole, difference(old, new, whole=bool(whole))])
    return answered


def first_want(comparison: Comparison) -> dict[str, Any]:
    """Say what the first picture needs: the first differences and, where they are soon made, cards."""
    sides = (comparison.before, comparison.after)
    small = sum(len(row.text) for side in sides for row in side.rows) <= SMALL_CHARS
    pairs: list[list[Any]] = []
    cards: list[int] = []
    for at, item in enumerate(comparison.items):
        if len(pairs) + len(cards) >= LEAD_PAIRS:
            break
        if isinstance(item, Group):
            if small:
                cards.append(at)
        elif isinstance(item, Pair) and item.row.fate is not Fate.MOVED:
            pairs.append([item.row.before, item.row.after, 0])
    return {"pairs": pairs, "cards": cards}


def _session_line(row: SessionRow) -> list[Any]:
    return [row.session, format_count(row.calls, "call"), format_time(row.ended)]


def _call_line(row: CallRow) -> list[Any]:
    facts = [format_count(row.messages, "message"), f"{format_tokens(row.tokens.count)} tokens"]
    facts += [row.lane] if row.lane != "main" else []
    facts += [row.status] if row.status != "answered" else []
    return [row.number, call_title(row), " · ".join(facts)]
