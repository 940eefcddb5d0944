"""In which calls messages stand."""

from __future__ import annotations

import numpy as np

from inspector.analysis.stays import Stays


def note(stays: Stays, lane: str, call: int, *tracks: int) -> None:
    """Note the messages of a call; each is a block of its own number and the call's."""
    numbers = np.array(tracks, np.int32)
    stays.note(lane, call, numbers, numbers + 100 * call)


def test_a_message_that_goes_and_returns_has_two_stretches() -> None:
    """Calls of its lane that follow one another make one."""
    stays = Stays()
    note(stays, "main", 1, 0, 1)
    note(stays, "main", 2, 0)
    note(stays, "main", 4, 0, 1)

    assert stays.runs(0) == ((1, 4),)
    assert stays.runs(1) == ((1, 1), (4, 4))


def test_calls_of_other_lanes_part_no_stretch() -> None:
    """A side call evicts nothing."""
    stays = Stays()
    note(stays, "main", 1, 0)
    note(stays, "side", 2, 1)
    note(stays, "main", 3, 0)

    assert stays.runs(0) == ((1, 3),)
    assert stays.runs(1) == ((2, 2),)


def test_a_message_is_what_it_was_last() -> None:
    """In the last call that had it, not the last of the lane."""
    stays = Stays()
    note(stays, "main", 1, 0, 1)
    note(stays, "main", 2, 1)

    assert [stays.last_block(track) for track in (0, 1)] == [100, 201]


def test_an_empty_call_parts_a_stretch() -> None:
    """Nothing stands in it."""
    stays = Stays()
    note(stays, "main", 1, 0)
    note(stays, "main", 2)
    note(stays, "main", 3, 0)

    assert stays.runs(0) == ((1, 1), (3, 3))


def test_room_is_made_for_many_messages() -> None:
    """More than at first."""
    stays = Stays()
    note(stays, "main", 1, *range(5_000))
    note(stays, "main", 2, 4_999)

    assert stays.runs(4_999) == ((1, 2),)
    assert stays.runs(4_998) == ((1, 1),)
