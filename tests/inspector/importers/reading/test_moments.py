"""Facts about times and what lies between them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inspector.importers.reading.moments import milliseconds, moment

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2025-01-02T03:04:05Z", datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2025-01-02T03:04:05", datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (1_700_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        (1_700_000_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        ("yesterday", None),
        (True, None),
        (None, None),
        (1e300, None),
        (float("nan"), None),
    ],
)
def test_times_are_read(value: Any, expected: datetime | None) -> None:
    """ISO 8601, seconds and milliseconds are times; nothing else is."""
    assert moment(value) == expected


@pytest.mark.parametrize(
    ("begun", "ended", "expected"),
    [
        (NOON, NOON + timedelta(seconds=1.5), 1500.0),
        (NOON, NOON, 0.0),
        (NOON, NOON - timedelta(seconds=1), None),
        (None, NOON, None),
        (NOON, None, None),
    ],
)
def test_duration_is_not_known_where_the_clock_went_back(
    begun: datetime | None, ended: datetime | None, expected: float | None
) -> None:
    """A duration needs both times in order; what is unknown is None, never 0."""
    assert milliseconds(begun, ended) == expected
