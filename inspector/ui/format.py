"""Numbers, times and excerpts as the interface writes them.

``components/common_format.js`` has the same functions for the browser; a test compares the two on one table.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import Final

MINUS: Final = "−"
"""U+2212: as wide as a plus sign, and never a line break."""
UNKNOWN: Final = "–"
"""What is not known is never written as 0."""


def format_tokens(count: int | None) -> str:
    """Write a count with thousands separated: ``12,408``."""
    return UNKNOWN if count is None else f"{count:,}".replace("-", MINUS)


def format_change(change: int | None) -> str:
    """Write a difference with its sign: ``+604``, ``−2,822``, ``0``."""
    if change is None:
        return UNKNOWN
    return f"+{change:,}" if change > 0 else format_tokens(change)


def format_estimate(count: int | None) -> str:
    """Write a count that is an estimate: ``≈ 9,310``."""
    return UNKNOWN if count is None else f"≈ {format_tokens(count)}"


def format_share(share: float | None) -> str:
    """Write a share of 1 in percent: ``71 %``; under ten percent with a decimal: ``4.2 %``."""
    if share is None or not math.isfinite(share):
        return UNKNOWN
    percent = share * 100
    tenths = math.floor(percent * 10 + 0.5)
    if tenths < 0:  # what is unattributed is negative where too much was counted
        return f"−{format_share(-share)}"
    if tenths >= 100:
        return f"{math.floor(percent + 0.5):,} %"
    if tenths == 0:
        return "0 %" if percent <= 0 else "< 0.1 %"
    return f"{tenths // 10}.{tenths % 10} %"


def format_duration(milliseconds: float | None) -> str:
    """Write a duration: ``820 ms``, ``1.8 s``, ``2 min 05 s``, ``1 h 02 min``."""
    if milliseconds is None:
        return UNKNOWN
    whole = math.floor(milliseconds + 0.5)
    if whole < 1_000:
        return f"{whole} ms"
    tenths = math.floor(milliseconds / 100 + 0.5)
    if tenths < 600:
        return f"{tenths // 10}.{tenths % 10} s"
    seconds = math.floor(milliseconds / 1_000 + 0.5)
    if seconds < 3_600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    minutes = math.floor(milliseconds / 60_000 + 0.5)
    return f"{minutes // 60} h {minutes % 60:02d} min"


def format_bytes(size: int) -> str:
    """Write a size in decimal units, as disks and networks do: ``1.2 GB``."""
    if size < 1_000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1_000
        if value < 999.95 or unit == "TB":
            break
    return f"{math.floor(value * 10 + 0.5) / 10:.1f} {unit}"


def format_time(iso: str | None) -> str:
    """Write an ISO time as local date and minute: ``2026-11-28 14:02``."""
    moment = _local(iso)
    return UNKNOWN if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def format_span(start: str | None, end: str | None) -> str:
    """Write a span of time, the day once: ``2026-11-28 14:02–14:31``."""
    first, last = _local(start), _local(end)
    if first is None or last is None:
        return format_time(start if last is None else end)
    if f"{first:%Y%m%d%H%M}" == f"{last:%Y%m%d%H%M}":
        return format_time(start)
    if first.date() == last.date():
        return f"{first:%Y-%m-%d %H:%M}–{last:%H:%M}"
    return f"{first:%Y-%m-%d %H:%M} – {last:%Y-%m-%d %H:%M}"


def format_count(count: int, noun: str, plural: str | None = None) -> str:
    """Write a number and its noun: ``1 call``, ``1,204 calls``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def one_line(text: str, limit: int | None = None) -> str:
    """Put a text on one line, its line breaks as ⏎; ``limit`` bounds what is looked at and sent."""
    cut = text if limit is None else text[:limit]
    lines = (line.strip() for line in cut.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    joined = " ⏎ ".join(line for line in lines if line)
    return joined if limit is None or len(text) <= limit else joined + "…"


def _local(iso: str | None) -> datetime | None:
    if not iso:
        return None
    try:
        return datetime.fromisoformat(iso).astimezone()
    except ValueError:
        return None
