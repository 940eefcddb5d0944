"""The two readings of a call: what was sent, and what the model saw; what differs is marked in both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.counted import write_tokens
from inspector.analysis.ghosts import FRONT, Ghost
from inspector.analysis.lifelines import LifeEvent
from inspector.model.context import Block
from inspector.model.fates import FATE_KINDS, FATE_SYMBOLS, Fate
from inspector.model.request import Message
from inspector.model.seen import SeenContext, SeenRow, UnseenRow, as_seen
from inspector.model.views import CallView, MessageRow, ServerEffect, is_estimate
from inspector.ui.call_fates import CallFates, Happened, ShownGhost, pinned_rows, read_fates
from inspector.ui.format import format_count

EFFECTIVE: Final = "effective"
"""Value of the parameter ``prompt`` that shows what the model saw; without it, what was sent."""
OPAQUE: Final = Happened("▨", "same", "cannot be read")
GROUP: Final = "server"
"""Fold of neighbours that a server took out."""


@dataclass(frozen=True)
class Reading:
    """A call as it is shown: one of its two readings."""

    view: CallView
    """With the messages of this reading, all of them numbered."""
    fates: CallFates
    effective: bool = False
    """What the model saw; else what was sent."""
    unseen: Mapping[int, UnseenRow] = field(default_factory=dict)
    """By number: what the model did not see."""
    added: Mapping[int, SeenRow] = field(default_factory=dict)
    """By place in the view, from 1: what stands here otherwise than the body has it."""
    numbered: int | None = None
    """Numbers up to this one are the session's, larger ones are of messages that the model never saw; None: all are."""
    notes: tuple[str, ...] = ()
    """What the provider did and what cannot be known, in sentences."""


def read_call(view: CallView, changes: SessionChanges, notes: Sequence[str] = (), *, effective: bool) -> Reading:
    """Make a reading of a call.

    Args:
        view: The call, its rows numbered.
        changes: What changed in its session.
        notes: Of a call without changes by a server: what cannot be known.
        effective: What the model saw is wanted; else what was sent.
    """
    count = len(changes.life.lifelines)
    if view.seen is None:
        return Reading(view, read_fates(changes, view), effective, {}, {}, count, tuple(notes))
    view, seen = _number_rest(view, view.seen, count)
    fates = read_fates(changes, as_seen(view))
    unseen = {one.row.number: one for one in seen.removed}
    if effective:
        shown = as_seen(view)
        rows = fates.rows | {at: what for at, row in enumerate(seen.rows) if (what := _came(row)) is not None}
        ghosts = _with_unseen(fates.ghosts, seen.removed, view.call.number)
        added = {row.row.place: row for row in seen.rows if row.why}
        own = CallFates(rows, fates.pinned, ghosts)
        return Reading(shown, own, True, unseen, added, count, seen.notes)
    return Reading(view, _sent_fates(view, seen, fates, changes), False, unseen, {}, count, seen.notes)


def _number_rest(view: CallView, seen: SeenContext, count: int) -> tuple[CallView, SeenContext]:
    """Give what the model never saw a number of its own on this page, so that it can be chosen and linked."""
    fresh = iter(range(count + 1, count + 1 + len(seen.removed) + len(view.messages)))
    given: dict[int, int] = {}

    def numbered(row: MessageRow) -> MessageRow:
        if row.number:
            return row
        number = given.get(row.place) if row.place else None
        if number is None:
            number = next(fresh)
            given[row.place] = number
        return replace(row, number=number)

    messages = tuple(numbered(row) for row in view.messages)
    removed = tuple(replace(one, row=numbered(one.row)) for one in seen.removed)
    seen = replace(seen, removed=removed)
    return replace(view, messages=messages, seen=seen), seen


def _came(row: SeenRow) -> Happened | None:
    """Say in the column's few words where a message comes from that the body does not have so."""
    if any(part.opaque for part in row.row.message.parts):
        return OPAQUE
    if row.origin == "compaction":
        return Happened(FATE_SYMBOLS[Fate.SUMMARISED], FATE_KINDS[Fate.SUMMARISED], "compaction", row.why)
    if row.origin == "stored":
        where = f"kept, call {row.source_call}" if row.source_call else "kept by the server"
        return Happened(FATE_SYMBOLS[Fate.ADDED], FATE_KINDS[Fate.ADDED], where, row.why)
    if row.why:
        return Happened(FATE_SYMBOLS[Fate.TRUNCATED], FATE_KINDS[Fate.TRUNCATED], "in part", row.why)
    return None


def _lost(one: UnseenRow) -> Happened:
    title = f"{one.certainty}: {one.reason}"
    if one.whole:
        return Happened(FATE_SYMBOLS[Fate.EVICTED], "lost", "not seen", title)
    return Happened(FATE_SYMBOLS[Fate.TRUNCATED], "altered", "seen in part", title)


def _with_unseen(ghosts: Sequence[ShownGhost], removed: Sequence[UnseenRow], call: int) -> tuple[ShownGhost, ...]:
    """Say of ghosts that were sent and not seen just that, and add those that no call ever saw."""
    gone = {one.row.number: one for one in removed if one.whole}
    shown = []
    for ghost in ghosts:
        one = gone.pop(ghost.ghost.number, None)
        if one is None:
            shown.append(ghost)
        else:
            stays = replace(ghost, unseen=True, old=False)
            words = ghost.happened if ghost.stays else _lost(one)
            shown.append(replace(stays, happened=replace(words, title=_lost(one).title), group=GROUP))
    shown += [_ghost(one, call) for one in gone.values()]
    return tuple(sorted(shown, key=lambda ghost: ghost.ghost.after))


def _ghost(one: UnseenRow, call: int) -> ShownGhost:
    row = one.row
    block = Block(row.content, row.message.role, row.layer, row.message.text, (), row.tokens.count)
    event = LifeEvent(call, Fate.EVICTED, one.certainty, "server", one.reason)
    ghost = Ghost(row.number, block, call, max(0, row.place - 1), event, one.after)
    return ShownGhost(ghost, _lost(one), GROUP, pinned=bool(row.pinned), stays=bool(row.pinned), old=False, unseen=True)


def _sent_fates(view: CallView, seen: SeenContext, fates: CallFates, changes: SessionChanges) -> CallFates:
    """Turn what happened to what was seen into marks on what was sent."""
    places = [row.sent for row in seen.rows]
    rows = {sent - 1: fates.rows[at] for at, sent in reversed(list(enumerate(places))) if sent and at in fates.rows}
    for one in seen.removed:
        if one.row.place:
            rows[one.row.place - 1] = _lost(one)
    rows |= {at: OPAQUE for at, row in enumerate(view.messages) if any(part.opaque for part in row.message.parts)}
    here = {row.number for row in view.messages}
    ghosts = tuple(
        replace(ghost, ghost=replace(ghost.ghost, after=_sent_after(ghost.ghost.after, places)))
        for ghost in fates.ghosts
        if ghost.ghost.number not in here
    )
    return CallFates(rows, frozenset(pinned_rows(changes, view)), ghosts)


def _sent_after(after: int, places: Sequence[int | None]) -> int:
    known = [place - 1 for place in places[: after + 1] if place is not None]
    return known[-1] if known else FRONT


def server_lines(reading: Reading, row: MessageRow) -> list[dict[str, Any]]:
    """Say of a message what a server did to it at this call, as lines of its life."""
    lines: list[dict[str, Any]] = []
    one = reading.unseen.get(row.number)
    if one is not None:
        what = "the model did not see it" if one.whole else "the model saw only a part of it"
        lost = _lost(one)
        lines.append({"symbol": lost.symbol, "kind": lost.kind, "text": f"{what}: {one.reason} ({one.certainty})"})
    came = reading.added.get(row.place) if reading.effective else None
    if came is not None and one is None:
        sure = "" if came.certainty == "certain" else f" ({came.certainty})"
        line: dict[str, Any] = {"symbol": "+", "kind": "here", "text": f"not in the body: {came.why}{sure}"}
        if came.sent is not None:
            line["text"] = f"{came.why}{sure}"
        if came.source_call is not None:
            line |= {"call": came.source_call, "where": f"call {came.source_call}"}
        lines.append(line)
    return lines


def effect_words(effect: ServerEffect, sent: int, seen: int) -> str:
    """Say in one line what a server made of a prompt.

    Args:
        effect: What it did.
        sent: Messages of the body.
        seen: Messages the model saw.
    """
    parts = []
    if effect.removed_messages:
        removed = _tokens(effect.removed, effect)
        parts.append(f"{format_count(effect.removed_messages, 'message')} not seen{removed}")
    if effect.added_messages:
        added = _tokens(effect.added, effect)
        parts.append(f"{format_count(effect.added_messages, 'message')} added{added}")
    parts = parts or ["a compaction stands for what was before it"]
    return f"{sent:,} sent, {seen:,} seen by the model: {', '.join(parts)} · {effect.certainty} that it was so"


def _tokens(count: int | None, effect: ServerEffect) -> str:
    if count is None:
        return ", tokens unknown"
    return f", {write_tokens(count, estimated=is_estimate(effect.sent.origin))}"


def effective_json(view: CallView, notes: Sequence[str]) -> bytes:
    """Write what the model saw as JSON: put together, so that it is no body that was sent.

    Args:
        view: The call as it was recorded.
        notes: What happened and what cannot be known.
    """
    seen = view.seen
    if seen is None:
        written: dict[str, Any] = {"messages": [_message(row.message) for row in view.messages]}
    else:
        written = {
            "certainty": seen.certainty,
            "messages": [
                {"from": row.origin, **_reason(row.why, row.certainty), **_message(row.row.message)}
                for row in seen.rows
            ],
            "not seen": [
                {
                    "not seen": list(one.parts),
                    **_reason(one.reason, one.certainty),
                    "message": _message(one.row.message),
                }
                for one in seen.removed
            ],
        }
    head = {
        "what": "what the model saw, put together by Context Inspector; no body that was sent",
        "notes": list(notes),
    }
    return json.dumps({**head, **written}, ensure_ascii=True, separators=(",", ":")).encode()


def _reason(why: str, certainty: str) -> dict[str, str]:
    return {"why": why, "certainty": certainty} if why else {}


def _message(message: Message) -> dict[str, Any]:
    parts = []
    for part in message.parts:
        written: dict[str, Any] = {"kind": part.kind}
        written |= {name: value for name, value in (("name", part.name), ("call_id", part.call_id)) if value}
        written |= {"text": None, "cannot be read": True} if part.opaque else {"text": part.text}
        parts.append(written)
    return {"role": message.role, "parts": parts}
