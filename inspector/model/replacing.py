"""Replaces a small file of the user's in one step."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from inspector.errors import CannotWriteError

_ORDINARY: Final = 0o644
"""Mode of a new file: ``mkstemp`` makes files that only their owner may read."""

_PERMISSIONS: Final = 0o777
"""The bits of a mode that say who may do what."""


def replace_file(file: Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the new one, never a half; its mode, and a link, are kept.

    Args:
        file: The file, made with its folders where there is none.
        text: All of its text; UTF-8, with the line ends it has.

    Raises:
        CannotWriteError: It cannot be written; then it is as it was.
    """
    kept = file.resolve()  # a link stays a link
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=kept.parent, prefix=f".{kept.name}.", suffix=".new")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(text.encode("utf-8"))
                stream.flush()
                os.fsync(stream.fileno())
            Path(made).chmod(kept.stat().st_mode & _PERMISSIONS if kept.exists() else _ORDINARY)
            Path(made).replace(kept)
        except BaseException:
            with suppress(OSError):
                Path(made).unlink()
            raise
    except (OSError, UnicodeEncodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CannotWriteError(kept, reason) from error
