"""Facts about a draft in the making."""

from __future__ import annotations

import threading

from inspector.errors import ExportError
from inspector.fixtures.building import Draft, build_fixture
from inspector.index import Index
from inspector.ui.export_job import JOBS_KEPT, ExportJob, ExportJobs

END = 60
"""Seconds after which a thread hangs."""


def _made(index: Index) -> ExportJob:
    job = ExportJob(lambda: build_fixture(index, "order-4711", 13))
    job.wait(END)
    return job


def test_a_draft_is_made_in_the_background(samples: Index) -> None:
    """It is there when the thread has ended."""
    job = _made(samples)
    assert not job.running
    assert job.draft is not None


def test_an_error_reaches_the_dialog() -> None:
    """What cannot be exported is no draft, and says why."""

    def make() -> Draft:
        raise ExportError("s", 1, "its body is lost")

    job = ExportJob(make)
    job.wait(END)
    assert job.draft is None
    assert job.error is not None
    assert job.error.message == "s:1 cannot be exported: its body is lost"


def test_a_fault_is_an_error_too() -> None:
    """A thread has nobody above it: nothing is lost in it."""
    job = ExportJob(lambda: 1 // 0)  # type: ignore[arg-type, return-value]
    job.wait(END)
    assert job.error is not None
    assert job.error.message.startswith("the export ended: ZeroDivisionError")


def test_shrinking_makes_it_small_and_says_how_far_it_is(samples: Index) -> None:
    """The small fixture stands beside the draft."""
    job = _made(samples)
    job.shrink()
    job.wait(END)
    assert job.shrunk is not None
    assert job.shrunk.bytes_after < job.shrunk.bytes_before
    assert job.progress is not None


def test_the_whole_comes_back(samples: Index) -> None:
    """Shrinking is undone by one click."""
    job = _made(samples)
    job.shrink()
    job.wait(END)
    job.whole()
    assert job.shrunk is None


def test_equal_keys_are_one_job() -> None:
    """A rerun of the page makes nothing anew."""
    jobs, gate = ExportJobs(), threading.Event()

    def make() -> Draft:
        gate.wait(END)
        raise ExportError("s", 1, "no matter")

    first = jobs.of("key", make)
    assert jobs.of("key", make) is first
    gate.set()


def test_only_the_latest_jobs_are_kept() -> None:
    """Drafts of long sessions are large."""

    def make() -> Draft:
        raise ExportError("s", 1, "no matter")

    jobs = ExportJobs()
    first = jobs.of(0, make)
    for key in range(1, JOBS_KEPT + 1):
        jobs.of(key, make)
    assert jobs.of(0, make) is not first
