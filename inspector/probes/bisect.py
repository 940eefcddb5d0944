"""The first call at which a probe flips, with few questions: presence narrows, then a binary search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, log2

from inspector.analysis.changes import SessionChanges
from inspector.probes.look import ProbeLook


@dataclass(frozen=True)
class Flip:
    """Where a model begins to get a probe wrong."""

    call: int | None
    """First call it gets wrong; None: it flips nowhere, see ``why``."""
    before_call: int | None
    """The call before it that it gets right; None: none does."""
    compaction: int | None
    """Number of the compaction that did it; None: none is known to."""
    asked: tuple[int, ...]
    """Calls that were asked, in that order."""
    why: str
    """What was found, in words."""


def questions_at_most(calls: int) -> int:
    """Return how many calls a search asks at most.

    Args:
        calls: Calls at which the probe is due.
    """
    return min(calls, 4 + ceil(log2(max(2, calls))))


def bisect(found: ProbeLook, changes: SessionChanges, is_right: Callable[[int], bool | None]) -> Flip:
    """Find the first call that a model gets wrong, taking it that once lost stays lost.

    Where looking sees the loss it is two questions: the call before and the call itself. Where both disagree with
    looking, or looking sees none, it is a binary search.

    Args:
        found: The probe, looked for.
        changes: The changes of the session.
        is_right: Asks the model at a call; None: it cannot be asked there.
    """
    search = _Search(is_right)
    due = [call for call, presence in found.presences.items() if presence.state != "not due"]
    if not due:
        return Flip(None, None, None, (), "it is due at no call")
    lost = found.flips_at
    low, high = 0, len(due) - 1  # `low` is to be right, `high` wrong
    if lost is not None and lost in due:
        at = due.index(lost)
        if not search.right(lost):
            high = at
            if at == 0:
                return _flip(search, due, 0, changes, "wrong from the first call at which it is due")
            if search.right(due[at - 1]):
                return _flip(search, due, at, changes, "where looking sees it go")
            high = at - 1
        else:
            low = at
    if low == 0 and not search.right(due[0]):
        return _flip(search, due, 0, changes, "wrong from the first call at which it is due")
    if search.right(due[high]):
        return Flip(None, due[high], None, tuple(search.asked), "right at the last call asked: it flips nowhere")
    while high - low > 1:
        middle = (low + high) // 2
        if search.right(due[middle]):
            low = middle
        else:
            high = middle
    why = "before looking sees anything missing: it is there and not recalled" if lost != due[high] else ""
    return _flip(search, due, high, changes, why or "where looking sees it go")


class _Search:
    """Asks each call once."""

    def __init__(self, is_right: Callable[[int], bool | None]) -> None:
        self._is_right = is_right
        self._known: dict[int, bool] = {}

    @property
    def asked(self) -> Sequence[int]:
        return tuple(self._known)

    def right(self, call: int) -> bool:
        """A call that cannot be asked counts as wrong: it is where certainty ends."""
        if call not in self._known:
            self._known[call] = self._is_right(call) is True
        return self._known[call]


def _flip(search: _Search, due: Sequence[int], at: int, changes: SessionChanges, why: str) -> Flip:
    call = due[at]
    before = due[at - 1] if at else None
    between = (one for one in changes.compactions if one.call is not None and (before or 0) < one.call <= call)
    done = max(between, key=lambda one: one.call or 0, default=None)
    return Flip(call, before, None if done is None else done.number, tuple(search.asked), why)
