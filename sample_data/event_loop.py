"""An event loop in the world of the samples: tasks really run at the same time, and the same way at every run."""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

from sample_data.world import World


def run(world: World, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine to its end; where nothing can go on before some time has passed, that time passes at once."""
    with asyncio.Runner(loop_factory=lambda: WorldLoop(world)) as runner:
        runner.run(main())


class WorldLoop(asyncio.SelectorEventLoop):
    """asyncio's own loop; only its clock is the world's."""

    def __init__(self, world: World) -> None:
        super().__init__(_Impatient(world))
        self._world = world

    def time(self) -> float:
        """Return the seconds since the start of the world."""
        return self._world.mono_ns() / 1e9


class _Impatient(selectors.SelectSelector):
    """Lets the world's time pass instead of waiting."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return at once; ``timeout`` has then passed in the world."""
        if timeout is None:
            raise RuntimeError("every task waits for another one")
        if timeout > 0:
            # Up, not to the nearest: the world counts microseconds, and a timer must be due afterwards.
            self._world.sleep(math.ceil(timeout * 1e6) / 1e6)
        return super().select(0)


class Onlooker(World):
    """The same world, seen by somebody who cannot let time pass: who waits does so in the event loop."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.random = world.random

    def sleep(self, seconds: float) -> None:
        """Change nothing."""

    def now(self) -> datetime:
        """Return the wall time of the world."""
        return self._world.now()

    def mono_ns(self) -> int:
        """Return the nanoseconds since the start of the world."""
        return self._world.mono_ns()
