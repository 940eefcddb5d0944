"""Who called: the first frame of the user's own code."""

from __future__ import annotations

import os
import sys
import sysconfig
from types import FrameType
from typing import Final

_MAX_FRAMES: Final = 100
"""Frames looked at; deeper stacks of libraries name nobody."""

_OWN: Final = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH100, PTH120 - code objects hold str paths
_LIBRARIES: Final = tuple(
    os.path.join(sysconfig.get_path(name), "")  # noqa: PTH118
    for name in ("stdlib", "platstdlib")
)
_SITE: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")

_short: dict[str, str | None] = {}


def find_caller() -> str | None:
    """Names the nearest frame outside this package, the standard library and installed packages.

    Returns:
        The last two components of its path and its line, ``agent/memory.py:118``; None: there is none.
    """
    frame: FrameType | None = sys._getframe(1)
    for _ in range(_MAX_FRAMES):
        if frame is None:
            return None
        path = frame.f_code.co_filename
        try:
            short = _short[path]
        except KeyError:
            short = _short[path] = _shorten(path)
        if short is not None:
            return f"{short}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def _shorten(path: str) -> str | None:
    """Two components: what tells files apart at a glance, the same on every machine."""
    if path.startswith(("<", _OWN)) or any(site in path for site in _SITE):
        return None
    if path.startswith(_LIBRARIES):
        return None
    return "/".join(path.replace("\\", "/").rsplit("/", 2)[-2:]).lstrip("/")
