"""Numbers and excerpts are written one way everywhere; the browser's half is compared in tests/browser."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.ui import format as written

CASES = json.loads((Path(__file__).parents[2] / "data" / "ui" / "format_cases.json").read_text("utf-8"))


@pytest.fixture
def shanghai() -> Iterator[None]:
    """Local time of the cases, whatever the machine's."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Shanghai"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.usefixtures("shanghai")
@pytest.mark.parametrize(("function", "value", "expected"), CASES)
def test_a_value_is_written_as_agreed(function: str, value: Any, expected: str) -> None:
    """Each case of the shared table holds in Python."""
    arguments = value if isinstance(value, list) else [value]

    assert getattr(written, function)(*arguments) == expected


@pytest.mark.usefixtures("shanghai")
def test_a_span_names_its_day_once() -> None:
    """Start and end of one day share the date; others do not."""
    start, end, later = "2026-11-28T06:02:00Z", "2026-11-28T06:31:00Z", "2026-11-29T06:31:00Z"

    assert written.format_span(start, end) == "2026-11-28 14:02–14:31"
    assert written.format_span(start, start) == "2026-11-28 14:02"
    assert written.format_span(start, later) == "2026-11-28 14:02 – 2026-11-29 14:31"
    assert written.format_span(start, None) == "2026-11-28 14:02"
    assert written.format_span(None, None) == "–"


def test_a_limit_bounds_what_is_sent() -> None:
    """A text of 2 MB is cut before it is put on one line."""
    assert written.one_line("x" * 2_000_000, 10) == "xxxxxxxxxx…"
