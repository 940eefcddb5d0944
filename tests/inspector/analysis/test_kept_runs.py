"""What two contexts share untouched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from inspector.analysis.kept_runs import KeptRun, find_runs, squeeze
from inspector.analysis.numbering import number_contexts
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]


def runs(calls: MakeCalls, before: Sequence[Block], after: Sequence[Block]) -> list[KeptRun]:
    """The runs of two contexts."""
    return find_runs(number_contexts(calls(before, after)), 0, 1)


def test_a_context_that_grew_is_one_run(block: MakeBlock, calls: MakeCalls) -> None:
    """All of the first."""
    old = [block(str(n)) for n in range(10)]

    assert runs(calls, old, [*old, block("new")]) == [KeptRun(0, 0, 10)]


def test_a_window_that_slid_is_a_run_that_moved(block: MakeBlock, calls: MakeCalls) -> None:
    """After the instructions, which are too few to be set apart."""
    system, *old = [block(str(n)) for n in range(20)]

    assert runs(calls, [system, *old], [system, *old[4:], block("new")]) == [KeptRun(5, 1, 15)]


def test_a_state_that_changed_parts_two_runs(block: MakeBlock, calls: MakeCalls) -> None:
    """What stands before it and what stands after it."""
    old = [block(str(n)) for n in range(20)]

    assert runs(calls, old, [*old[:8], block("state"), *old[9:]]) == [KeptRun(0, 0, 8), KeptRun(9, 9, 11)]


def test_what_is_said_twice_is_no_part_of_a_later_run(block: MakeBlock, calls: MakeCalls) -> None:
    """Which is which is the alignment's to say."""
    first, *old = [block(str(n)) for n in range(20)]
    old[10] = old[2]

    assert runs(calls, [first, *old], [*old]) == [KeptRun(4, 3, 7), KeptRun(12, 11, 8)]


def test_a_run_keeps_its_ends_and_what_is_asked_of_it(block: MakeBlock, calls: MakeCalls) -> None:
    """A message of the dialogue, one with ids."""
    old = [block(str(n), layer=Layer.SYSTEM) for n in range(12)]
    old[4], old[7] = replace(old[4], layer=Layer.HISTORY), replace(old[7], keys=("call:1",))
    numbered = number_contexts(calls(old, old))

    squeezed = squeeze(numbered, 0, 1, [KeptRun(0, 0, 12)])

    assert squeezed.before == squeezed.after == [0, 4, 7, 11]
    assert squeezed.left == {0: 0, 4: 4, 7: 7, 11: 11}
