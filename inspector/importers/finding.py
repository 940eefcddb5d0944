"""Which files an import looks at."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple


class Candidate(NamedTuple):
    """A file to look at."""

    path: Path
    named: bool
    """It was asked for by name; False: it was found in a folder."""


def candidates(paths: Sequence[Path], out: Path | None = None) -> Iterator[Candidate]:
    """Give every file of ``paths`` once; names that begin with a dot are passed over.

    Args:
        paths: Files, and folders that are walked.
        out: A directory of traces, which is not walked; None: nothing is written.
    """
    seen: set[Path] = set()
    kept_out = None if out is None else out.resolve()
    for path in paths:
        for found in _files_below(path, kept_out) if path.is_dir() else [Candidate(path, named=True)]:
            resolved = found.path.resolve()
            if resolved not in seen:
                seen.add(resolved)
                yield found


def _files_below(folder: Path, kept_out: Path | None) -> Iterator[Candidate]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and (Path(root) / f).resolve() != kept_out)
        for file in sorted(files):
            path = Path(root) / file
            if not file.startswith(".") and (path.is_file() or not path.exists()):  # a pipe would be waited for
                yield Candidate(path, named=False)
