"""Sentences of the story about a prompt cache that cannot work: a clock or a random id near the top of the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from inspector.analysis.told import Told
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.views import CallRow, Sentence

FEWEST: Final = 4
"""Changes of the same kind from which they are a habit of the agent."""
SHARE: Final = 0.8
"""Share of the calls that must begin anew: two calls within a second may share their clock."""
READ: Final = 0.5
"""Share of tokens read from the cache above which nothing is said: the clock then stands behind most of the prompt."""
VOLATILE: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"
    r"|\d{4}年\d{1,2}月\d{1,2}日\s*\d{1,2}[:：时]\d{1,2}(?:[:：分]\d{1,2}秒?)?"
    r"|(?<!\d)\d{1,2}:\d{2}:\d{2}(?!\d)"
    r"|(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"
    r"|(?<!\d)1[4-9]\d{8}(?:\d{3})?(?!\d)"
)
"""What is another one at each call: a time with minutes at least, a UUID, seconds or milliseconds since 1970."""


@dataclass(frozen=True)
class Broken:
    """A prompt that begins otherwise than the one before, by a volatile value."""

    call: int
    message: int
    """Number of the message it stands in."""
    byte: int
    """UTF-8 bytes before it in that message."""
    value: str


def tell_broken_cache(told: Told) -> Iterator[Sentence]:
    """A volatile value in the instructions: nothing after it can be read from the provider's prompt cache."""
    rows = {call.number: call for call in told.calls}
    lanes: dict[str, list[CallContext]] = {}
    for context in told.changes.contexts:
        if context.purpose is None:
            lanes.setdefault(context.lane, []).append(context)
    for contexts in lanes.values():
        compared, broken = find_broken(contexts, told.changes.life.numbers, told.changes.life.previous)
        if len(broken) < max(FEWEST, SHARE * compared):
            continue
        said = _cached([rows[one.call] for one in broken if one.call in rows])
        if said is None:
            continue
        first, (hit, sizes) = broken[0], said
        place = f"“{first.value}” (m{first.message}, from byte {first.byte:,})"
        text = f"{hit}: {place} is another one at {len(broken):,} of {compared:,} calls{sizes}."
        yield Sentence("warning", "cache_broken", text, first.call, message=first.message, page="compare")


def find_broken(
    contexts: Sequence[CallContext], numbers: Mapping[int, Sequence[int]], previous: Mapping[int, int]
) -> tuple[int, list[Broken]]:
    """Find the calls of a lane whose prompt differs from the one before by a volatile value in its instructions.

    Args:
        contexts: The calls of one lane, in order.
        numbers: Call number → the message number at each place of its prompt.
        previous: Call number → number of the call it continues.

    Returns:
        How many calls continue another one, and the broken ones.
    """
    by_call = {context.call: context for context in contexts}
    compared, broken = 0, []
    for context in contexts:
        before = by_call.get(previous.get(context.call, 0))
        if before is None:
            continue
        compared += 1
        place = _first_difference(before.blocks, context.blocks)
        if place is None or not _instructs(before.blocks[place], context.blocks[place]):
            continue
        found = _volatile_at_difference(before.blocks[place].text, context.blocks[place].text)
        if found is not None:
            start, value = found
            byte = len(context.blocks[place].text[:start].encode("utf-8", "surrogatepass"))
            broken.append(Broken(context.call, numbers[context.call][place], byte, value))
    return compared, broken


def _first_difference(before: Sequence[Block], after: Sequence[Block]) -> int | None:
    """Place of the first message that is not the same; None: one prompt continues the other."""
    pairs = zip(before, after, strict=False)
    return next((place for place, (old, new) in enumerate(pairs) if old.content != new.content), None)


def _instructs(old: Block, new: Block) -> bool:
    return old.layer is new.layer is Layer.SYSTEM


def _volatile_at_difference(before: str, after: str) -> tuple[int, str] | None:
    """Return place and text of the volatile value in which two texts first differ; None: they differ otherwise."""
    shorter = min(len(before), len(after))
    at = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    return _volatile_at(after, at) if _volatile_at(before, at) is not None else None


def _volatile_at(text: str, at: int) -> tuple[int, str] | None:
    return next(
        ((match.start(), match[0]) for match in VOLATILE.finditer(text) if match.start() <= at < match.end()), None
    )


def _cached(calls: Sequence[CallRow]) -> tuple[str, str] | None:
    """Say whether the provider's cache was hit, and of how many tokens; None: it was hit for most of them."""
    sizes = [call.usage.input_tokens for call in calls]
    whole = sum(size for size in sizes if size is not None)
    read = [call.usage.cached_read for call in calls]
    if not whole:
        return "The prompt cache cannot work", ""
    if all(count is None for count in read):
        return "No cache hit is reported", f", {whole:,} tokens in all"
    cached = sum(count or 0 for count in read)
    if cached > READ * whole:
        return None
    if not cached:
        return "The prompt cache is never hit", f", {whole:,} tokens in all"
    return "The prompt cache is hardly hit", f"; {cached:,} of their {whole:,} tokens were read from it"
