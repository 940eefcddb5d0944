"""Logs that grow by records."""

from __future__ import annotations

from pathlib import Path

from inspector.importers.reading.growing import GrowingLog


def test_growth() -> None:
    """A longer log knows the digest it had when it was shorter; one that begins otherwise has another."""
    path = Path("x.db")
    short, longer = GrowingLog(path, ("a", "b")), GrowingLog(path, ("a", "b", "c"))

    assert longer.digest_to(short.size) == short.digest != longer.digest
    assert GrowingLog(path, ("b", "a", "c")).digest_to(2) != short.digest
    assert (short.size, longer.size) == (2, 3)
