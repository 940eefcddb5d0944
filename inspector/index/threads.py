"""Lines of thought: which earlier prompt each prompt continues, what it adds, and what its messages are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

HEADS: Final = 64
"""Threads that may be continued: more than any agent runs helpers at a time, and a bound on the time a call takes."""

PLAINLY: Final = 0.5
"""Share of the shorter prompt that must be common to decide for the latest thread without looking further."""


@dataclass(frozen=True)
class Change:
    """How one prompt differs from the one before: ``prefix`` rows stay, then some go and some come."""

    prefix: int
    """Rows at the beginning that are the same."""
    suffix: int
    """Rows at the end that are the same."""
    removed: Sequence[int]
    added: Sequence[int]


def find_change(before: list[int], after: list[int]) -> Change:
    """Compare two prompts from both ends; comparing slices costs next to nothing where they are equal."""
    shorter = min(len(before), len(after))
    prefix = _common(shorter, lambda low, high: before[low:high] == after[low:high])
    left, right = len(before), len(after)
    suffix = _common(
        shorter - prefix,
        lambda low, high: before[left - high : left - low] == after[right - high : right - low],
    )
    return Change(prefix, suffix, before[prefix : left - suffix], after[prefix : right - suffix])


def _common(most: int, same: Callable[[int, int], bool]) -> int:
    """Return how many rows are the same from one end on, by halving."""
    if same(0, most):
        return most
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if same(low, middle):
            low = middle
        else:
            high = middle
    return low


@dataclass
class Thread:
    """One line of thought, as its latest prompt left it."""

    number: int
    lane: str
    given: bool
    """The agent itself named the lane."""
    ordinal: int = 0
    """Its latest prompt."""
    contents: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)
    """Units of the contents, special places aside."""
    counts: Counter[int] = field(default_factory=Counter)
    """How often each identity stands in it."""
    costs: dict[tuple[str, str], int] = field(default_factory=dict)
    """Tokens of the units by layer and origin."""
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many of the units have an unknown figure."""


class Threads:
    """Finds the thread of each prompt, in display order."""

    def __init__(self) -> None:
        self._heads: list[Thread] = []
        self._given: dict[str, Thread] = {}
        self._count = 0

    def find(
        self,
        lane: str,
        *,
        given: bool,
        contents: list[int],
        identities: Sequence[int],
        sizes: Mapping[int, int],
        after: int | None = None,
    ) -> Thread:
        """Return the thread a prompt belongs to; one without a prompt (``ordinal`` 0) where it begins one.

        A lane the agent named is one thread. The calls nobody gave a lane are told apart by content: each continues
        the thread with which it has most in common, and begins a new one where it has nothing in common with any.

        Args:
            lane: Its lane.
            given: The agent itself named the lane.
            contents: Its rows.
            identities: Identity of each row.
            sizes: Tokens by identity.
            after: Number of the thread it says itself that it goes on with; None: it does not say.
        """
        if given:
            if lane not in self._given:
                self._given[lane] = self._new(lane, given=True)
            return self._given[lane]
        candidates = [head for head in self._heads if head.lane == lane]
        named = next((head for head in candidates if head.number == after), None)
        thread = named or _most_alike(contents, identities, sizes, candidates) or self._new(lane, given=False)
        if thread in self._heads:
            self._heads.remove(thread)
        self._heads.append(thread)
        del self._heads[:-HEADS]
        return thread

    def _new(self, lane: str, *, given: bool) -> Thread:
        self._count += 1
        return Thread(self._count - 1, lane, given)


def _most_alike(
    contents: list[int], identities: Sequence[int], sizes: Mapping[int, int], candidates: Sequence[Thread]
) -> Thread | None:
    """Return the thread with the longest common content, the latest of equals; None where nothing is common."""
    if not candidates:
        return None
    latest = candidates[-1]
    shorter = min(len(contents), len(latest.contents))
    if shorter > 1 and contents[:shorter] == latest.contents[:shorter]:
        return latest
    counts = Counter(identities)
    best, most = None, 0
    for thread in reversed(candidates):
        fewer, more = (counts, thread.counts) if len(counts) <= len(thread.counts) else (thread.counts, counts)
        common = sum(min(n, more[i]) * (1 + sizes.get(i, 0)) for i, n in fewer.items() if i in more)
        if common > most:
            best, most = thread, common
        if thread is latest and common > PLAINLY * min(_size(counts, sizes), _size(thread.counts, sizes)):
            break
    return best


def _size(counts: Mapping[int, int], sizes: Mapping[int, int]) -> int:
    return sum(n * (1 + sizes.get(identity, 0)) for identity, n in counts.items())
