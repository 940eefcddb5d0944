"""Sentences of the story about reasoning that is sent back: the prompt swells, and one thought repeats the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from inspector.analysis.told import Told, quote
from inspector.analysis.words import words_of
from inspector.model.context import CallContext
from inspector.model.layers import Layer
from inspector.model.views import CallRow, Sentence

GROWN: Final = 3.0
"""Times the size of a turn's first prompt from which its growth is told."""
STEPS: Final = 4
"""Calls of a turn from which they are steps of one task."""
SHARE: Final = 0.5
"""Share of the growth that must be reasoning."""
BETWEEN: Final = re.compile(r"[，。；：、！？,;:!?\n（）()“”\"]|\.(?=\s|$)")
"""What stands between clauses; a point inside a number ends none."""
FEWEST_WORDS: Final = 6
"""Words of a clause that says something, each Chinese character being one; shorter ones are habits of speech."""
REPEATED_IN: Final = 4
"""Thoughts that must repeat a clause before it is quoted."""
REPEATED_SHARE: Final = 0.6
"""Share of the thoughts that must repeat it."""
MOST_THOUGHTS: Final = 50
"""Thoughts that are compared, the first ones: each clause is looked for in all of them."""


def tell_reasoning_growth(told: Told) -> Iterator[Sentence]:
    """Turns whose prompt swelled by the reasoning of their own steps; the worst of each lane."""
    contexts = {context.call: context for context in told.changes.contexts}
    own = [call for call in told.calls if call.purpose is None and call.number in contexts]
    for _, lane in groupby(sorted(own, key=lambda call: call.lane), key=lambda call: call.lane):
        turns = [list(calls) for _, calls in groupby(lane, key=lambda call: call.turn_label)]
        grown = [(growth, calls) for calls in turns if (growth := _growth(calls)) is not None]
        if grown:
            growth, calls = max(grown, key=lambda item: item[0])
            yield _sentence(growth, calls, [contexts[call.number] for call in calls], told.changes.life.numbers)


def _growth(calls: Sequence[CallRow]) -> float | None:
    """How many times its first prompt a turn's last one has, where reasoning is what it grew by."""
    first, last = calls[0], calls[-1]
    if len(calls) < STEPS or first.tokens.count is None or last.tokens.count is None or not first.tokens.count:
        return None
    if first.tokens.origin != last.tokens.origin or first.counted.count is None or last.counted.count is None:
        return None
    growth = last.tokens.count / first.tokens.count
    added = last.counted.count - first.counted.count
    return growth if growth >= GROWN and _reasoning(last) - _reasoning(first) >= SHARE * added else None


def _reasoning(call: CallRow) -> int:
    return call.composition.get(Layer.REASONING, 0)


def _sentence(
    growth: float, calls: Sequence[CallRow], contexts: Sequence[CallContext], numbers: Mapping[int, Sequence[int]]
) -> Sentence:
    first, last = calls[0], calls[-1]
    reasoning = _reasoning(last) - _reasoning(first)
    share = reasoning / ((last.counted.count or 0) - (first.counted.count or 0))
    grew = f"In {len(calls) - 1:,} steps of {first.turn_label} the prompt grew {growth:.1f}-fold"
    text = f"{grew}, {share:.0%} of it by earlier reasoning".replace("%", " %")
    rows = list(zip(contexts[-1].blocks, numbers[last.number], strict=True))
    thoughts = [(block.text, number) for block, number in rows if block.layer is Layer.REASONING][:MOST_THOUGHTS]
    others = [block.text for block, _ in rows if block.layer is not Layer.REASONING]
    repeated = find_repeated_clause([thought for thought, _ in thoughts], others)
    message = None
    if repeated is not None:
        clause, times, place = repeated
        message = thoughts[place][1]
        among = f"all {times:,}" if times == len(thoughts) else f"{times:,} of the {len(thoughts):,}"
        text += f"; “{quote(clause)}” of m{message} is in {among} thoughts and in no other message"
    return Sentence("warning", "reasoning_growth", f"{text}.", last.number, message=message)


def find_repeated_clause(thoughts: Sequence[str], others: Sequence[str]) -> tuple[str, int, int] | None:
    """Find the clause that most thoughts repeat word for word and that no other message says.

    Args:
        thoughts: Texts of the reasoning, in order.
        others: Texts of all other messages.

    Returns:
        The clause, how many thoughts have it, and the place of the first; of equals the one that came first, then
        the longest. None: none is in enough of them.
    """
    best: tuple[str, int, int] | None = None
    for place, thought in enumerate(thoughts):
        clauses = dict.fromkeys(clause.strip() for clause in BETWEEN.split(thought))
        for clause in sorted(clauses, key=len, reverse=True):
            if len(words_of(clause)) < FEWEST_WORDS:
                continue
            times = sum(clause in other for other in thoughts)
            if times < max(REPEATED_IN, REPEATED_SHARE * len(thoughts)) or (best is not None and times <= best[1]):
                continue
            if not any(clause in other for other in others):
                best = (clause, times, place)
    return best
