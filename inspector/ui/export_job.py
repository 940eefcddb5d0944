"""Makes a draft, and shrinks it, in the background: the dialog stays alive, says how far it is and can stop it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from inspector.errors import InspectorError
from inspector.fixtures.building import Draft
from inspector.fixtures.shrinking.shrink import ShrinkProgress, Shrunk, shrink_fixture

JOBS_KEPT: Final = 6
"""Drafts that stay in memory: of a long session one is as large as its prompts."""


class ExportJob:
    """A draft in the making, and its shrinking."""

    def __init__(self, make: Callable[[], Draft]) -> None:
        """Start to make it.

        Args:
            make: Makes the draft.
        """
        self.draft: Draft | None = None
        """None: not made yet, or it failed."""
        self.error: InspectorError | None = None
        self.shrunk: Shrunk | None = None
        """None: not shrunk."""
        self.progress: ShrinkProgress | None = None
        self._make = make
        self._stop = threading.Event()
        self._thread = self._start(self._draft)

    @property
    def running(self) -> bool:
        """Whether something is in the making."""
        return self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Wait for its end.

        Args:
            seconds: At most.
        """
        self._thread.join(seconds)

    def shrink(self) -> None:
        """Shrink the draft, unless that is done or on its way."""
        if self.draft is not None and self.shrunk is None and not self.running:
            self._stop.clear()
            self.error = None
            self._thread = self._start(self._shrink)

    def stop(self) -> None:
        """Stop shrinking; the smallest so far stays."""
        self._stop.set()

    def whole(self) -> None:
        """Go back to the fixture as it was before it was shrunk."""
        if not self.running:
            self.shrunk = self.progress = None

    def _start(self, work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=self._guarded, args=(work,), name="export", daemon=True)
        thread.start()
        return thread

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except InspectorError as error:
            self.error = error
        except Exception as error:
            # A thread has nobody above it: what went wrong must reach the dialog.
            self.error = InspectorError(f"the export ended: {type(error).__name__}: {error}")

    def _draft(self) -> None:
        self.draft = self._make()

    def _shrink(self) -> None:
        assert self.draft is not None
        self.shrunk = shrink_fixture(self.draft.fixture, progress=self._tell, cancelled=self._stop.is_set)

    def _tell(self, progress: ShrinkProgress) -> None:
        self.progress = progress


class ExportJobs:
    """The latest jobs, by what they are made of."""

    def __init__(self) -> None:
        """Make an empty list."""
        self._jobs: OrderedDict[object, ExportJob] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, key: object, make: Callable[[], Draft]) -> ExportJob:
        """Return the job of a key, begun now if there is none.

        Args:
            key: What it is made of.
            make: Makes the draft.
        """
        with self._lock:
            job = self._jobs.pop(key, None) or ExportJob(make)
            self._jobs[key] = job
            while len(self._jobs) > JOBS_KEPT:
                self._jobs.popitem(last=False)[1].stop()
            return job
