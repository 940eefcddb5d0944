"""The event loop of the samples."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from sample_data.event_loop import Onlooker, run
from sample_data.world import World


def world() -> World:
    """Return a world at a fixed moment."""
    return World(datetime(2026, 1, 1, tzinfo=UTC), seed=1)


def test_tasks_wait_side_by_side() -> None:
    """Two waits of three seconds take three seconds, and what is due first comes first."""
    here, done = world(), list[str]()

    async def wait(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        done.append(name)

    async def main() -> None:
        await asyncio.gather(wait("late", 3), wait("early", 1), wait("later", 3))

    run(here, main)

    assert done == ["early", "late", "later"]
    assert here.mono_ns() / 1e9 == pytest.approx(3, abs=1e-4)


def test_no_real_time_passes() -> None:
    """A week is over at once: the test would not end otherwise."""
    here = world()
    run(here, lambda: asyncio.sleep(7 * 86_400))

    assert here.now() > datetime(2026, 1, 7, 23, 59, tzinfo=UTC)


def test_a_deadlock_is_an_error() -> None:
    """Nothing is due and nothing is ready: waiting would be for ever."""

    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="every task waits for another one"):
        run(world(), main)


def test_an_onlooker_sees_the_time_and_cannot_move_it() -> None:
    """What it sleeps does not pass; ids come from the same source."""
    here = world()
    onlooker = Onlooker(here)
    before = here.mono_ns()
    onlooker.sleep(60)

    assert here.mono_ns() == before
    assert onlooker.mono_ns() == before
    assert onlooker.random is here.random
    assert onlooker.now() < here.now()
