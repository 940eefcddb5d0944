"""The first call at which a probe flips, with few questions: presence narrows, then a binary search."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import ceil, log2

from inspector.analysis.changes import SessionChanges
from inspector.probes.look import ProbeLook


@dataclass(frozen=True)
class Flip:
    """Where a model begins to get a probe wrong."""

    call: int | None
    """First call it gets wrong; None: it flips nowhere, or nobody knows where, see ``why``."""
    before_call: int | None
    """The call before it that it gets right; None: none does."""
    compaction: int | None
    """Number of the compaction that did it; None: none is known to."""
    asked: tuple[int, ...]
    """Calls that were asked, in that order."""
    why: str
    """What was found, in words."""
    unanswered: int | None = None
    """Call that got no answer: the search ended there and names no call. None: it came to its end."""


def questions_at_most(calls: int) -> int:
    """Return how many calls a search asks at most.

    Args:
        calls: Calls at which the probe is due.
    """
    return min(calls, 4 + ceil(log2(max(2, calls))))


def bisect(
    found: ProbeLook,
    changes: SessionChanges,
    is_right: Callable[[int], bool | None],
    askable: Collection[int] | None = None,
) -> Flip:
    """Find the first call that a model gets wrong, taking it that once lost stays lost.

    Where looking sees the loss it is two questions: the call before and the call itself. Where both disagree with
    looking, or looking sees none, it is a binary search. A call that gives no answer ends it: what is not known to be
    wrong is not called wrong.

    Args:
        found: The probe, looked for.
        changes: The changes of the session.
        is_right: Asks the model at a call; None: no answer came.
        askable: Calls that can be asked; None: all.
    """
    search = _Search(is_right)
    due = [call for call, presence in found.presences.items() if presence.state != "not due"]
    if not due:
        return Flip(None, None, None, (), "it is due at no call")
    asked = due if askable is None else [call for call in due if call in askable]
    if not asked:
        return Flip(None, None, None, (), "none of the calls at which it is due can be asked")
    try:
        return _search(search, found, changes, asked, due)
    except _NoAnswerError as error:
        return Flip(None, None, None, search.asked, f"call {error.call} gave no answer", error.call)


def _search(
    search: _Search, found: ProbeLook, changes: SessionChanges, asked: Sequence[int], due: Sequence[int]
) -> Flip:
    lost = found.flips_at

    def flip(at: int) -> Flip:
        return _flip(search, asked, at, changes, _why(asked, at, lost, due))

    low, high = 0, len(asked) - 1  # `low` is to be right, `high` wrong
    if lost is not None and lost in asked:
        at = asked.index(lost)
        if not search.right(lost):
            high = at
            if at == 0 or search.right(asked[at - 1]):
                return flip(at)
            high = at - 1
        else:
            low = at
    if low == 0 and not search.right(asked[0]):
        return flip(0)
    if search.right(asked[high]):
        return Flip(None, asked[high], None, search.asked, "right at the last call asked: it flips nowhere")
    while high - low > 1:
        middle = (low + high) // 2
        if search.right(asked[middle]):
            low = middle
        else:
            high = middle
    return flip(high)


class _NoAnswerError(Exception):
    """A call that was asked gave no answer."""

    def __init__(self, call: int) -> None:
        super().__init__(call)
        self.call = call


class _Search:
    """Asks each call once."""

    def __init__(self, is_right: Callable[[int], bool | None]) -> None:
        self._is_right = is_right
        self._known: dict[int, bool] = {}

    @property
    def asked(self) -> tuple[int, ...]:
        return tuple(self._known)

    def right(self, call: int) -> bool:
        """Say whether the model gets a call right.

        Raises:
            _NoAnswerError: Nobody knows.
        """
        if call not in self._known:
            right = self._is_right(call)
            if right is None:
                raise _NoAnswerError(call)
            self._known[call] = right
        return self._known[call]


def _why(asked: Sequence[int], at: int, lost: int | None, due: Sequence[int]) -> str:
    call = asked[at]
    if at == 0:
        said = "wrong from the first call at which it is due and can be asked"
        said = "wrong from the first call at which it is due" if call == due[0] else said
    elif lost == call:
        said = "where looking sees it go"
    elif lost is not None and lost < call:
        said = f"after looking sees it go, at call {lost}: answered right until then without it"
    else:
        said = "before looking sees anything missing: it is there and not recalled"
    skipped = [] if at == 0 else [one for one in due if asked[at - 1] < one < call]
    if skipped:
        count = f"{len(skipped)} calls" if len(skipped) > 1 else f"call {skipped[0]}"
        said += f"; {count} between it and call {asked[at - 1]} cannot be asked"
    return said


def _flip(search: _Search, asked: Sequence[int], at: int, changes: SessionChanges, why: str) -> Flip:
    call = asked[at]
    before = asked[at - 1] if at else None
    between = (
        one for one in changes.compactions if before is not None and one.call is not None and before < one.call <= call
    )
    done = max(between, key=lambda one: one.call or 0, default=None)
    return Flip(call, before, None if done is None else done.number, search.asked, why)
