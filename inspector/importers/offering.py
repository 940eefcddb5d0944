"""What lies in a folder that somebody wants to look at: traces, logs that can be imported, or neither."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspector.importers.finding import candidates
from inspector.importers.reading.documents import Document
from inspector.importers.reading.unpacking import Unpacked
from inspector.importers.reading.unreadable import UnreadableError, reason_of
from inspector.importers.recognising import recognise
from inspector.importers.run import IMPORTERS

MOST_FILES: Final = 2_000
"""Files that are looked at: a folder with more is a large one, and the answer is to come at once."""


@dataclass(frozen=True)
class Offer:
    """What was found; with logs and no traces an import is what is wanted."""

    path: Path
    """What was looked at."""
    traces: bool
    """Traces of the recorder, or of an earlier import, lie there."""
    logs: dict[str, int]
    """Files that can be imported, by format."""
    more: bool
    """Only the first files were looked at; there are others."""
    reason: str | None
    """Of a file that is neither: why it cannot be imported."""

    @property
    def out(self) -> Path:
        """Where an import of it goes unless told otherwise: beside the user, not beside the logs."""
        name = self.path.resolve().name if self.path.is_dir() else self.path.name.partition(".")[0]
        return Path(f"{name or 'imported'}-traces")

    @property
    def words(self) -> str:
        """Say what can be imported: ``3 files: 2 claude-code, 1 codex``."""
        count = sum(self.logs.values())
        files = f"{'at least ' if self.more else ''}{count:,} file{'' if count == 1 else 's'}"
        return f"{files}: {', '.join(f'{number:,} {name}' for name, number in self.logs.items())}"

    def command(self, out: Path | None = None) -> str:
        """Give the command that imports it, for a shell."""
        return shlex.join(["context-inspector", "import", "auto", str(self.path), "--out", str(out or self.out)])


def look_at(path: Path, *, most: int = MOST_FILES) -> Offer:
    """Find out what a file or folder holds; nothing is written.

    Args:
        path: The file or folder; it is there.
        most: How many files are looked at.
    """
    logs: Counter[str] = Counter()
    traces, reason, looked = False, None, 0
    for looked, found in enumerate(_recognised(path), start=1):
        if looked > most:
            break
        if found is _TRACES:
            traces = True
        elif found in _NAMES:
            logs[found] += 1
        elif found and not path.is_dir():
            reason = found
    return Offer(path, traces, dict(logs.most_common()), looked > most, reason)


_TRACES: Final = "traces"
"""Stands for a trace file."""

_NAMES: Final = frozenset(importer.name for importer in IMPORTERS)


def _recognised(path: Path) -> Iterator[str]:
    """Give, file by file, the format's name, or that it is a trace file, or why it cannot be imported."""
    with Unpacked() as unpacked:
        for file, named in candidates([path]):
            try:
                document = Document(unpacked.open(file).path)
                found = _TRACES if _is_trace(document.head()) else recognise(document, IMPORTERS, named=named)
            except (OSError, UnreadableError) as error:
                yield reason_of(error)
                continue
            if found is not None:
                yield found if isinstance(found, str) else found.name


def _is_trace(head: bytes) -> bool:
    """Say whether a file begins with a header of the recorder's."""
    return head.startswith(b'{"v":') and b'"type":"header"' in head
