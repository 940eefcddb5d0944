"""Where the record of a compaction and the snapshots disagree, in plain sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from inspector.analysis.alignment import AlignedBlock
from inspector.analysis.inferring import GONE
from inspector.analysis.lifelines import SessionLife
from inspector.model.context import Block, CallContext, CompactedContexts
from inspector.model.fates import Fate
from inspector.model.views import CompactionRow

TOLERANCE: Final = 0.10
"""Share by which recorded tokens may differ from the counted ones: agents estimate (measured on the samples: 6 %)."""
NAMED: Final = 3
"""Messages named in a sentence; more are counted."""


def contradict(
    row: CompactionRow,
    named: CompactedContexts | None,
    previous: CallContext | None,
    context: CallContext | None,
    life: SessionLife,
    replaced: Collection[str] = (),
) -> tuple[str, ...]:
    """Check the record of a compaction against the snapshots around it.

    Args:
        row: The record.
        named: The contexts it named, where it did.
        previous: The call before it; None: there is none.
        context: The call after it; None: there is none.
        life: The session's lifelines.
        replaced: Contents that another compaction took up before the same call: they need not be in its prompt.
    """
    return tuple(_sentences(row, named, previous, context, life, replaced))


def _sentences(
    row: CompactionRow,
    named: CompactedContexts | None,
    previous: CallContext | None,
    context: CallContext | None,
    life: SessionLife,
    replaced: Collection[str],
) -> Iterator[str]:
    whole = not any(call.missing for call in (previous, context) if call is not None)
    if named is not None and whole:
        # What an agent recorded of a context counts the system prompt and the tools, which such a log lacks.
        yield from _check_tokens("before", row.tokens_before, named.before)
        yield from _check_tokens("after", row.tokens_after, named.after)
    if previous is None or context is None:
        return
    fates = life.alignments[context.call].of_before()
    if row.state != "done":
        gone = [number for place, number in enumerate(life.numbers[previous.call]) if fates[place].fate in GONE]
        if gone:
            yield f"Recorded as {row.state}, but {name_messages(gone)} {_are(gone)} gone at call {context.call}."
    elif named is not None and named.before is not None and named.after is not None:
        yield from _check_messages(named.before, named.after, previous, context, life, fates, replaced)


def _check_messages(
    before: Sequence[Block],
    after: Sequence[Block],
    previous: CallContext,
    context: CallContext,
    life: SessionLife,
    fates: dict[int, AlignedBlock],
    replaced: Collection[str],
) -> Iterator[str]:
    had, has = Counter(b.content for b in before), Counter(b.content for b in after)
    numbers = life.numbers[previous.call]
    known = {block.content for block in previous.blocks}
    if had and not known.intersection(had):
        yield f"None of the messages that it names before stands in the prompt of call {previous.call}."
        return
    removed, kept, made = had - has, had & has, has - had
    stands = Counter(block.content for block in context.blocks)
    still, lost = [], []
    for place, block in enumerate(previous.blocks):
        fate = fates[place].fate
        if removed[block.content] > 0 and stands[block.content] > has[block.content] and fate is Fate.KEPT:
            removed[block.content] -= 1
            stands[block.content] -= 1
            still.append(numbers[place])
        elif (
            kept[block.content] > 0
            and fate in GONE
            and block.content not in replaced
            and stands[block.content] < has[block.content]
        ):
            kept[block.content] -= 1
            lost.append(numbers[place])
    if still:
        yield f"Recorded as removed, but still in the prompt of call {context.call}: {name_messages(still)}."
    if lost:
        yield f"Recorded as kept, but not in the prompt of call {context.call}: {name_messages(lost)}."
    absent = [content for content in made if content not in stands and content not in replaced]
    if absent:
        text = next(block.text for block in after if block.content == absent[0])
        excerpt = " ".join(text[:200].split())[:40]
        yield f"It recorded a new message (“{excerpt}…”) that is not in the prompt of call {context.call}."


def _check_tokens(when: str, recorded: int | None, blocks: Sequence[Block] | None) -> Iterator[str]:
    if recorded is None or blocks is None or any(block.tokens is None for block in blocks):
        return
    counted = sum(block.tokens or 0 for block in blocks)
    if abs(recorded - counted) > TOLERANCE * max(counted, 1):
        yield f"Recorded {recorded:,} tokens {when}, counted {counted:,} in the messages it named."


def name_messages(numbers: Sequence[int]) -> str:
    """Name messages by number, the first few of many: ``m3, m4, m5 and 12 more``."""
    names = [f"m{number}" for number in numbers[:NAMED]]
    if len(numbers) > NAMED:
        names.append(f"{len(numbers) - NAMED:,} more")
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _are(things: Sequence[object]) -> str:
    return "is" if len(things) == 1 else "are"
