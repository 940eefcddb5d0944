"""Holds a file for one run at a time, also between processes; the system lets go of it when a process dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LOOK: Final = 0.1
"""Seconds between two looks at a file that somebody else holds."""

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def held_file(file: Path, give_up: Callable[[], bool], waiting: Callable[[], None]) -> Iterator[bool]:
    """Hold a file; it is made where it is not there, and stays: taking it away would let two hold it at once.

    Args:
        file: The file, empty.
        give_up: Asked while somebody else holds it; True: do not wait any longer.
        waiting: Told once that somebody else holds it.

    Yields:
        True: nobody else holds it, or it cannot be held on this file system; False: it was given up.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield True  # where no file can be made, no answer can be written either: that is said when one is
        return
    try:
        yield _wait(handle, give_up, waiting)
    finally:
        os.close(handle)


def _wait(handle: int, give_up: Callable[[], bool], waiting: Callable[[], None]) -> bool:
    told = False
    try:
        while not _try_lock(handle):
            if give_up():
                return False
            if not told:
                told = True
                waiting()
            time.sleep(_LOOK)
    except OSError:
        return True  # some file systems have no locks
    return True
