"""Facts about the clock and ids of an imported log."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

from inspector.importers.seam import LogSeam

START = datetime(2025, 9, 4, 19, 43, 45, 972_000, tzinfo=UTC)


def test_same_log_gives_the_same_ids() -> None:
    """Ids depend on the digest and the order alone."""
    first, second, other = LogSeam("a", START), LogSeam("a", START), LogSeam("b", START)
    drawn = [first.uuid7(), first.uuid7(), first.token()]

    assert [second.uuid7(), second.uuid7(), second.token()] == drawn
    assert drawn[0] != drawn[1]
    assert other.uuid7() not in drawn


def test_ids_are_uuids_of_version_7_with_the_time() -> None:
    """An id is a UUIDv7 whose milliseconds are the log's."""
    number = uuid.UUID(LogSeam("a", START).uuid7())

    assert (number.version, number.variant) == (7, uuid.RFC_4122)
    assert number.int >> 80 == int(START.timestamp() * 1000)


def test_clock_moves_by_the_log_or_by_steps() -> None:
    """The clock follows the log's times; without one it moves on."""
    seam = LogSeam("a", None)
    seam.move(None, timedelta(seconds=1))
    stepped = (seam.now(), seam.mono_ns())
    seam.move(START, timedelta(seconds=1))

    assert stepped == (datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), 1_000_000_000)
    assert seam.now() == START


def test_no_process_recorded_a_log() -> None:
    """The process id of an import is 0."""
    assert LogSeam("a", None).pid() == 0
