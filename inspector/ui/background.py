"""Work in a thread of its own, which a page can follow, wait for and cancel."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

from inspector.errors import InspectorError


class BackgroundWork(ABC):
    """A piece of work that is under way or has ended; it outlives a reload of the page."""

    def __init__(self, name: str, what: str) -> None:
        """Prepare it; :meth:`begin` starts it once it has all it needs.

        Args:
            name: Of the thread.
            what: Is said to have ended where a fault ends it: ``the run``.
        """
        self.error: str | None = None
        """Why it ended early; None: it did not."""
        self._what = what
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._guarded, name=name, daemon=True)

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return self._thread.is_alive()

    @property
    def cancelling(self) -> bool:
        """Whether it was cancelled; the step that is under way is waited for."""
        return self._cancelled.is_set()

    def begin(self) -> None:
        """Start it."""
        self._thread.start()

    def cancel(self) -> None:
        """Begin no further step; what is done stays."""
        self._cancelled.set()

    def wait(self, seconds: float) -> None:
        """Wait for its end.

        Args:
            seconds: At most.
        """
        self._thread.join(seconds)

    @abstractmethod
    def _work(self) -> None:
        """Do it; a step begins only while it is not cancelled."""

    def _guarded(self) -> None:
        try:
            self._work()
        except InspectorError as error:
            self.error = error.message
        except Exception as error:
            # A thread has nobody above it: what went wrong must reach the page.
            self.error = f"{self._what} ended: {type(error).__name__}: {error}"
