"""Splits a file of many values into sessions, reading it twice and holding no more than it must."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from inspector.importers.base import Problem, Report
from inspector.importers.reading.describing import looks_like
from inspector.importers.reading.documents import Document
from inspector.importers.reading.line_values import Entry


@dataclass
class Grouping:
    """Which values of a file belong to which session."""

    document: Document
    """The file."""
    places: dict[str | None, list[int]] = field(default_factory=dict)
    """Places of the values of each session, by name; None: values that name none."""
    repairs: list[str] = field(default_factory=list)
    """What had to be mended, each with its line."""
    only: Entry | None = None
    """The file's value, where it is one and no line or item among others."""

    def groups(self) -> Iterator[tuple[str | None, Callable[[], Iterator[Entry]]]]:
        """Give each session with what opens its values.

        A file that is one session is read as it is written. Of a file with several, which may be
        interleaved, the values of a session are held until its last is read.
        """
        if len(self.places) == 1:
            [(name, wanted)] = self.places.items()
            yield name, lambda: self._entries(frozenset(wanted))
            return
        session_at = {place: name for name, places in self.places.items() for place in places}
        held: dict[str | None, list[Entry]] = {}
        for place, entry in enumerate(self.document.entries()):
            if place not in session_at:
                continue
            name = session_at[place]
            held.setdefault(name, []).append(entry)
            if place == self.places[name][-1]:
                entries = held.pop(name)
                yield name, lambda entries=entries: iter(entries)  # type: ignore[misc]

    def _entries(self, wanted: frozenset[int]) -> Iterator[Entry]:
        return (entry for place, entry in enumerate(self.document.entries()) if place in wanted)


def group(
    document: Document,
    report: Report,
    *,
    wanted: Callable[[Any], bool],
    expected: str,
    name_of: Callable[[Any], str | None],
) -> Grouping:
    """Read a file once, to know its sessions and to report what is none of theirs.

    Args:
        document: The file.
        report: Told of each value that cannot be used.
        wanted: Whether a value can be used.
        expected: What a value should be, for the report.
        name_of: The session a value names.

    Raises:
        UnreadableError: The file is no JSON.
        OSError: It cannot be read.
    """
    grouping = Grouping(document)
    for place, entry in enumerate(document.entries()):
        at = f"line {entry.line}" if entry.line is not None else f"item {place}"
        if entry.error is not None:
            report(Problem(str(document.path), entry.error, entry.line))
        elif not wanted(entry.value):
            reason = f"{at} is no {expected} but {looks_like(entry.value)}"
            report(Problem(str(document.path), reason, entry.line))
        else:
            grouping.places.setdefault(name_of(entry.value), []).append(place)
            grouping.only = entry if entry.whole else None
            if entry.line is not None:
                grouping.repairs += [f"{at}: {repair}" for repair in entry.repairs]
            elif not grouping.repairs:  # an array is mended as a whole
                grouping.repairs += entry.repairs
    return grouping
