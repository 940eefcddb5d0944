"""Sentences of the story about two turns that were answered at the same time, of which one overwrote the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from inspector.analysis.overlaps import span_of
from inspector.analysis.told import Told, quote
from inspector.model.context import Block, CallContext
from inspector.model.views import CallRow, Sentence

COMMON: Final = 0.5
"""Share of the shorter prompt's messages with which two prompts must begin alike to come from one session's state."""


@dataclass(frozen=True)
class Overwritten:
    """A message of the user that was lost since another one was answered at the same time."""

    lost: int
    """The call that was asked with it."""
    lost_turn: str
    kept: int
    """The call that ran meanwhile, and knew nothing of it."""
    kept_turn: str
    since: int
    """First call after both, which lacks it."""
    block: Block
    """The message."""


def tell_overwritten(told: Told) -> Iterator[Sentence]:
    """Two turns at the same time, and the message of one is in no prompt after them."""
    seen: set[tuple[str, str]] = set()
    for item in find_overwritten(told.calls, told.changes.contexts):
        pair = (item.lost_turn, item.kept_turn)
        if pair in seen:
            continue
        seen.add(pair)
        later = [c for c in told.changes.contexts if c.call >= item.since and _has(c, item.block)]
        span = f"is in no prompt since call {item.since}" if not later else f"is missing at call {item.since}"
        turns = {item.lost: item.lost_turn, item.kept: item.kept_turn}
        first, second = sorted(turns)
        text = (
            f"Calls {first} ({turns[first]}) and {second} ({turns[second]}) ran at the same time and one overwrote the "
            f"other: “{quote(item.block.text)}” {span}."
        )
        yield Sentence("error", "overwritten", text, second, message=_number(told, item))


def find_overwritten(calls: Sequence[CallRow], contexts: Sequence[CallContext]) -> tuple[Overwritten, ...]:
    """Find messages of the user that were lost to a turn answered at the same time.

    Two calls overlap where one was sent before the other one's answer was there. They tell of a lost update only
    where their prompts begin alike, neither holds the other one's last message of the user, and the first call
    after both turns holds exactly one of the two.

    Args:
        calls: The calls in display order.
        contexts: Their messages.
    """
    by_call = {context.call: context for context in contexts}
    lanes: dict[str, list[CallRow]] = {}
    for call in calls:
        if call.purpose is None and call.number in by_call:
            lanes.setdefault(call.lane, []).append(call)
    found: list[Overwritten] = []
    for lane in lanes.values():
        spans = [(call, span) for call in lane if (span := span_of(call)) is not None]
        for place, (first, (_, end)) in enumerate(spans):
            for second, (sent, _) in spans[place + 1 :]:
                if sent >= end:
                    break  # a lane is in order of sending
                if first.turn_label == second.turn_label:
                    continue
                later = _after_both(lane, spans, first, second)
                if later is not None:
                    found += _lost_one(first, second, later, by_call)
    return tuple(found)


def _after_both(
    lane: Sequence[CallRow], spans: Sequence[tuple[CallRow, tuple[datetime, datetime]]], one: CallRow, other: CallRow
) -> CallRow | None:
    """The first call of another turn that was sent when all calls of both turns had their answers."""
    turns = (one.turn_label, other.turn_label)
    ends = [end for call, (_, end) in spans if call.turn_label in turns]
    last = max(call.number for call in lane if call.turn_label in turns)
    return next(
        (
            call
            for call, (sent, _) in spans
            if call.number > last and call.turn_label not in turns and sent >= max(ends)
        ),
        None,
    )


def _lost_one(
    first: CallRow, second: CallRow, later: CallRow, by_call: Mapping[int, CallContext]
) -> Iterator[Overwritten]:
    one, other, after = by_call[first.number], by_call[second.number], by_call[later.number]
    asked, meanwhile = _last_of_user(one), _last_of_user(other)
    if asked is None or meanwhile is None or not _begin_alike(one, other):
        return
    if _has(one, meanwhile) or _has(other, asked):
        return
    if _has(after, asked) == _has(after, meanwhile):
        return
    lost, kept, block = (second, first, meanwhile) if _has(after, asked) else (first, second, asked)
    yield Overwritten(lost.number, lost.turn_label, kept.number, kept.turn_label, later.number, block)


def _last_of_user(context: CallContext) -> Block | None:
    """The last message a person wrote; results of tools are none, whatever their role."""
    return next((b for b in reversed(context.blocks) if b.role == "user" and not b.keys and b.text.strip()), None)


def _begin_alike(one: CallContext, other: CallContext) -> bool:
    shorter = min(len(one.blocks), len(other.blocks))
    pairs = zip(one.blocks, other.blocks, strict=False)
    same = next((place for place, (a, b) in enumerate(pairs) if a.content != b.content), shorter)
    return same >= COMMON * shorter


def _has(context: CallContext, block: Block) -> bool:
    return any(other.content == block.content for other in context.blocks)


def _number(told: Told, item: Overwritten) -> int | None:
    numbers = told.changes.life.numbers[item.lost]
    context = next(c for c in told.changes.contexts if c.call == item.lost)
    return next(
        (n for n, block in zip(numbers, context.blocks, strict=True) if block.content == item.block.content), None
    )
