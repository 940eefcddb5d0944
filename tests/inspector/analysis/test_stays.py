"""In which calls messages stand."""

from __future__ import annotations

import random
from itertools import groupby

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

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

    assert stays.runs() == [((1, 4),), ((1, 1), (4, 4))]


def test_calls_of_other_lanes_part_no_stretch() -> None:
    """A side call evicts nothing."""
    stays = Stays()
    note(stays, "main", 1, 0)
    note(stays, "side", 2, 1)
    note(stays, "main", 3, 0)

    assert stays.runs() == [((1, 3),), ((2, 2),)]


def test_a_message_is_what_it_was_last() -> None:
    """In the last call that had it, not the last of the lane."""
    stays = Stays()
    note(stays, "main", 1, 0, 1)
    note(stays, "main", 2, 1)

    assert stays.last_blocks() == [100, 201]


def test_an_empty_call_parts_a_stretch() -> None:
    """Nothing stands in it."""
    stays = Stays()
    note(stays, "main", 1, 0)
    note(stays, "main", 2)
    note(stays, "main", 3, 0)

    assert stays.runs() == [((1, 1), (3, 3))]


def test_room_is_made_for_many_messages() -> None:
    """More than at first."""
    stays = Stays()
    note(stays, "main", 1, *range(5_000))
    note(stays, "main", 2, 4_999)

    assert stays.runs()[4_998:] == [((1, 1),), ((1, 2),)]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9))
def test_random_stays_are_those_of_a_look_at_every_call(seed: int) -> None:
    """Whatever comes, goes, returns or stands twice, in two lanes at once."""
    source = random.Random(seed)
    stays = Stays()
    calls: dict[str, list[tuple[int, list[int]]]] = {"main": [], "side": []}
    blocks: dict[int, int] = {}
    standing: dict[str, list[int]] = {"main": [], "side": []}
    for call in range(1, 12):
        lane = source.choice(["main", "main", "side"])
        own = [track for track in standing[lane] if source.random() < 0.9]
        own += [2 * n + (lane == "side") for n in source.choices(range(12), k=source.randrange(4))]
        standing[lane] = own
        note(stays, lane, call, *own)
        calls[lane].append((call, own))
        blocks |= {track: track + 100 * call for track in own}

    expected = {track: tuple(stretches(track, calls["side" if track % 2 else "main"])) for track in blocks}
    assert {track: runs for track, runs in enumerate(stays.runs()) if runs} == expected
    assert {track: block for track, block in enumerate(stays.last_blocks()) if track in blocks} == blocks


def stretches(track: int, calls: list[tuple[int, list[int]]]) -> list[tuple[int, int]]:
    """The first and last call of each stretch of a lane's calls that has a message."""
    found = []
    for has, run in groupby(calls, key=lambda one: track in one[1]):
        numbers = [call for call, _ in run]
        if has:
            found.append((numbers[0], numbers[-1]))
    return found
