"""The story of a session: a few sentences on what went wrong, worst first, each with the call it points to.

A kind of sentence is one function in :data:`TELLERS`. A teller says one cause once: the first call it shows at,
and how many more there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from inspector.analysis.change_asking import AskedForChanges, trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.story_cache import tell_broken_cache
from inspector.analysis.story_calls import tell_damages, tell_failures, tell_size, tell_unfinished
from inspector.analysis.story_changes import (
    tell_asked_again,
    tell_broken_rules,
    tell_compactions,
    tell_contradictions,
    tell_failed_compactions,
    tell_lost_pins,
    tell_thin_pins,
)
from inspector.analysis.story_input import tell_lost_input
from inspector.analysis.story_overwritten import tell_overwritten
from inspector.analysis.story_reasoning import tell_reasoning_growth
from inspector.analysis.story_repeated import tell_repeated_calls
from inspector.analysis.story_state import tell_drifted_state
from inspector.analysis.story_summaries import tell_summaries_beside
from inspector.analysis.told import Teller, Told
from inspector.model.views import CallRow, LineErrorRow, Sentence, SessionRow, Severity

MOST_SENTENCES: Final = 6
"""More is a report, and nobody reads it before looking at the picture."""

_RANK: Final[dict[Severity, int]] = {"error": 0, "warning": 1, "info": 2}


class Asked(AskedForChanges, Protocol):
    """What of the index is needed to tell stories."""

    def calls(self, session: str) -> tuple[CallRow, ...]:
        """List the calls of a session."""

    def answers(self, session: str) -> Mapping[int, str]:
        """Give the text of the answer of each call that has one."""

    def line_errors(self) -> tuple[LineErrorRow, ...]:
        """List damaged lines of all files."""


def add_stories(
    index: Asked, rows: Iterable[SessionRow], known: Mapping[str, SessionChanges] | None = None
) -> tuple[SessionRow, ...]:
    """Fill in the stories of sessions, and order them: worst first, then newest.

    Args:
        index: Where everything about them comes from.
        rows: The sessions.
        known: What changed in sessions that have been traced already.
    """
    damages: dict[str, list[LineErrorRow]] = {}
    for damage in index.line_errors():
        damages.setdefault(damage.file, []).append(damage)
    told = []
    for row in rows:
        calls = index.calls(row.session)
        files = dict.fromkeys(call.file for call in calls)
        of_session = [damage for file in files for damage in damages.get(file, ())]
        changes = (known or {}).get(row.session) or trace_changes(index, row.session, row)
        story = tell_story(row, calls, changes, of_session, index.answers(row.session))
        first = min((s.call for s in story if s.severity == "error" and s.call is not None), default=None)
        # Watches count as pins do; the index knows only what the agent recorded.
        gone = sum(pin.first_broken_call is not None for pin in changes.pins)
        told.append(
            replace(
                row,
                story=story,
                first_error=first,
                pins=len(changes.pins),
                pins_gone=gone,
                compactions_found=len(changes.compactions),
            )
        )
    return worst_first(told)


def worst_first(rows: Iterable[SessionRow]) -> tuple[SessionRow, ...]:
    """Order sessions by their stories: the worst first, among equals the newest."""
    newest_first = sorted(rows, key=lambda row: row.ended, reverse=True)
    return tuple(sorted(newest_first, key=_badness))


def _badness(row: SessionRow) -> tuple[int, int]:
    worst = min((_RANK[sentence.severity] for sentence in row.story), default=len(_RANK))
    # Notes are no trouble: a session with only those stands among the healthy ones.
    worst = worst if worst < _RANK["info"] else len(_RANK)
    return worst, -sum(_RANK[sentence.severity] == worst for sentence in row.story)


def tell_story(
    session: SessionRow,
    calls: Sequence[CallRow],
    changes: SessionChanges,
    damages: Sequence[LineErrorRow] = (),
    answers: Mapping[int, str] | None = None,
) -> tuple[Sentence, ...]:
    """Tell what happened in a session, worst first, ties in order of time; nothing for a healthy one.

    Args:
        session: The session.
        calls: Its calls, in order.
        changes: What changed in it.
        damages: Damaged lines of its files.
        answers: Text of the answer of each call that has one.
    """
    told = Told(session, calls, changes, damages, answers or {})
    sentences = [sentence for tell in TELLERS for sentence in tell(told)]
    end = len(calls) + 1
    sentences.sort(key=lambda sentence: (_RANK[sentence.severity], sentence.call or end))
    return tuple(sentences[:MOST_SENTENCES])


TELLERS: Final[tuple[Teller, ...]] = (
    tell_lost_pins,
    tell_overwritten,
    tell_drifted_state,
    tell_summaries_beside,
    tell_lost_input,
    tell_asked_again,
    tell_broken_rules,
    tell_repeated_calls,
    tell_failures,
    tell_failed_compactions,
    tell_size,
    tell_unfinished,
    tell_thin_pins,
    tell_contradictions,
    tell_broken_cache,
    tell_reasoning_growth,
    tell_compactions,
    tell_damages,
)
"""Every kind of sentence. Of equally bad ones at one call, the earlier in this list is told first."""
