"""Ids and times as records have them."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime

import pytest

from snapshot_sdk._seam import Seam
from snapshot_sdk._session import stamp


def test_an_id_is_a_uuid_of_version_7() -> None:
    """RFC 9562: its milliseconds, version and variant stand where any reader of UUIDs finds them; none comes twice."""
    before = time.time_ns() // 1_000_000
    ids = [uuid.UUID(text) for text in (Seam().uuid7() for _ in range(1_000))]
    after = time.time_ns() // 1_000_000
    assert {(one.version, one.variant) for one in ids} == {(7, uuid.RFC_4122)}
    assert all(before <= one.int >> 80 <= after for one in ids)
    assert len(set(ids)) == len(ids)
    # Of the 74 random bits each is sometimes set and sometimes not.
    chance = [one.int & ~(0xF << 76) & ~(0x3 << 62) & (2**80 - 1) for one in ids]
    ever, never = 0, 2**80 - 1
    for one in chance:
        ever, never = ever | one, never & one
    assert (ever.bit_count(), never) == (74, 0)


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC), "2026-01-02T03:04:05.000006Z"),
        (datetime(2026, 11, 30, 23, 59, 59, 0, tzinfo=UTC), "2026-11-30T23:59:59.000000Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000000Z"),
    ],
)
def test_a_time_is_iso_8601_with_microseconds(moment: datetime, written: str) -> None:
    """Always as long, so that it sorts as text, and read back it is the same moment."""
    assert stamp(moment) == written
    assert datetime.fromisoformat(written) == moment
