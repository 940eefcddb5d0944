"""Patterns that are compiled when they are first looked for: what is followed needs few of the hundreds there are."""

from __future__ import annotations

import re
from typing import Any, cast


class _Later:
    """Stands for a pattern until one of its methods is asked for, and passes them on from then on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile it; each method is asked for here once."""
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found


def later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Name a pattern that is compiled when it is first used.

    To compile those of all kinds of facts takes longer than to follow a fact through a thousand calls.

    Args:
        pattern: As :func:`re.compile` takes it; what is wrong with it shows when it is used.
        flags: Its flags.
    """
    return cast("re.Pattern[str]", _Later(pattern, flags))
