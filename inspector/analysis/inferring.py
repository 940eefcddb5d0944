"""Tell a compaction nobody recorded from the fates of the messages between two calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from inspector.analysis.alignment import AlignedBlock, Alignment
from inspector.analysis.summaries import DIALOGUE
from inspector.model.context import Block, CallContext
from inspector.model.fates import Certainty, Fate

SHORTENED: Final = 0.5
"""An edited message is part of a compaction only if less than this share of its text is left: a corrected word is
none."""
MOST_NEW: Final = 8
"""New messages that one step may bring beyond the number of those that stayed: an answer with its tool results, the
next question, a summary."""
GONE: Final = frozenset({Fate.EVICTED, Fate.SUMMARISED})
"""Fates of messages that a context no longer holds."""


class Guess(NamedTuple):
    """A compaction read from fates."""

    strategy: str
    certainty: Certainty
    evidence: str
    taken: tuple[int, ...]
    """Places in the call before of the messages taken out or shortened."""
    summary: int | None
    """Place of the summary in the call after."""


def infer_compaction(before: CallContext, after: CallContext, alignment: Alignment) -> Guess | None:
    """Say whether a context was compacted between two calls, and how.

    None is found in side calls, where only layers changed that are put together for each call,
    and where only the end of the dialogue is gone: that is a step taken back.

    Args:
        before: The call that is continued.
        after: The call that continues it.
        alignment: The one with the other.
    """
    if after.purpose is not None:
        return None
    if not any(_is_touched(row, before.blocks, after.blocks) for row in alignment.rows):
        return None  # nearly always: nothing else is worth a look at every message
    rows = sorted(
        (row for row in alignment.rows if row.before is not None and before.blocks[row.before].layer in DIALOGUE),
        key=lambda row: row.before or 0,
    )
    gone = [row for row in rows if row.fate in GONE]
    stays = [place for run in alignment.runs for place in run.places if before.blocks[place].layer in DIALOGUE]
    stays += [row.before for row in rows if row.before is not None and row.fate not in GONE]
    if _is_another_context(len(stays), after.blocks, alignment):
        return None
    if any(row.fate is Fate.SUMMARISED for row in gone):
        return _summary(after.blocks, gone)
    edited = [row for row in rows if _is_shortened(row, before.blocks, after.blocks)]
    # Where only the end of the dialogue is gone, a step was taken back.
    if gone and max(stays, default=-1) > (gone[0].before or 0):
        return _trim(stays, gone, edited)
    if edited:
        certain = all(row.certainty == "certain" or row.fate is Fate.TRUNCATED for row in edited)
        return Guess("edit", "certain" if certain else "likely", _shortened(len(edited)), _places(edited), None)
    return None


def _is_touched(row: AlignedBlock, before: Sequence[Block], after: Sequence[Block]) -> bool:
    if row.before is None or before[row.before].layer not in DIALOGUE:
        return False
    return row.fate in GONE or _is_shortened(row, before, after)


def _is_another_context(stays: int, later: Sequence[Block], alignment: Alignment) -> bool:
    """Far more is new than one step brings: a side call about other things, or a dialogue begun anew."""
    new = sum(
        row.fate is Fate.ADDED and row.after is not None and later[row.after].layer in DIALOGUE
        for row in alignment.rows
    )
    return new > stays + MOST_NEW


def _summary(later: Sequence[Block], gone: Sequence[AlignedBlock]) -> Guess:
    taken = [row for row in gone if row.fate is Fate.SUMMARISED]
    place = taken[0].after
    is_marked = place is not None and later[place].is_summary
    evidence = (
        "messages are gone and a message that is marked as a summary is new"
        if is_marked
        else f"messages are gone and a new message holds the words of {len(taken)} of them"
    )
    return Guess("summary", "certain" if is_marked else "a guess", evidence, _places(gone), place)


def _trim(stays: Sequence[int], gone: Sequence[AlignedBlock], edited: Sequence[AlignedBlock]) -> Guess:
    places = _places(gone)
    in_one_piece = not any(places[0] < place < places[-1] for place in stays)
    certainty: Certainty = "certain" if in_one_piece else "likely"
    where = "in one piece" if in_one_piece else "at several places"
    evidence = f"{_messages(len(gone))} {'is' if len(gone) == 1 else 'are'} gone {where} and nothing stands for them"
    return Guess("trim", certainty, evidence, _places([*gone, *edited]), None)


def _is_shortened(row: AlignedBlock, before: Sequence[Block], after: Sequence[Block]) -> bool:
    if row.before is None or row.after is None or row.fate not in (Fate.EDITED, Fate.TRUNCATED):
        return False
    old, new = len(before[row.before].text), len(after[row.after].text)
    return new < old if row.fate is Fate.TRUNCATED else new < SHORTENED * old


def _places(rows: Sequence[AlignedBlock]) -> tuple[int, ...]:
    return tuple(sorted(row.before for row in rows if row.before is not None))


def _messages(count: int) -> str:
    return f"{count} {'message' if count == 1 else 'messages'}"


def _shortened(count: int) -> str:
    return f"{_messages(count)} {'stands' if count == 1 else 'stand'} there with much less text"
