"""Times as logs write them, and the time between two."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

_MILLISECONDS: Final = 1e11
"""As seconds this is the year 5138: a number as large counts milliseconds."""


def moment(value: Any) -> datetime | None:
    """Read a time, UTC where it names no zone; None where it is none."""
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except (ValueError, OverflowError):
        return None
    return None


def milliseconds(begun: datetime | None, ended: datetime | None) -> float | None:
    """Give the milliseconds from one to the other; None where one is not known, or the log's clock went back."""
    if begun is None or ended is None or ended < begun:
        return None
    return (ended - begun).total_seconds() * 1000
