"""Key-path rules: ``messages[*].content.secret`` names a value that must not reach the disk."""

from __future__ import annotations

import json
import re
from typing import Any, Final

ANY: Final = "*"
"""Every element of an array, every value of an object."""

REMOVED: Final = "[redacted]"

_STEP: Final = re.compile(r"\.?([^.\[\]]+)|\[\*\]")

Steps = tuple[str, ...]


def parse_path(rule: str) -> Steps:
    """Reads a rule.

    Args:
        rule: Names joined by dots, ``[*]`` for the elements of an array, ``*`` for any name.

    Raises:
        ValueError: It is written otherwise.
    """
    steps: list[str] = []
    position = 0
    while position < len(rule):
        match = _STEP.match(rule, position)
        if match is None or (not position and rule[0] in ".["):
            raise ValueError(f"no key path: {rule!r}; write messages[*].content.secret, with [*] for array elements")
        steps.append(match[1] or ANY)
        position = match.end()
    if not steps or steps[0] == ANY:
        raise ValueError(f"a key path begins with a member of the body: {rule!r}")
    return tuple(steps)


def remove_path(value: Any, steps: Steps) -> tuple[Any, int]:
    """Replaces what a path leads to. Rather too much than too little is followed.

    A name leads through the elements of an array as if ``[*]`` stood before it, and into a string that
    is itself JSON, as the arguments of tool calls are.

    Args:
        value: A private copy.
        steps: The path from it on.

    Returns:
        The new value, and how many values were removed.

    Raises:
        RecursionError: It is too deep to look into.
    """
    if not steps:
        return REMOVED, 1
    step, rest = steps[0], steps[1:]
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return _in_text(value, steps)
    count = 0
    if isinstance(value, list):
        for place, item in enumerate(value):
            value[place], removed = remove_path(item, rest if step == ANY else steps)
            count += removed
    elif isinstance(value, dict):
        for key in list(value) if step == ANY else [step] if step in value else []:
            value[key], removed = remove_path(value[key], rest)
            count += removed
    return value, count


def _in_text(text: str, steps: Steps) -> tuple[str, int]:
    try:
        inner = json.loads(text)
    except ValueError:
        return text, 0
    inner, count = remove_path(inner, steps)
    return (json.dumps(inner, ensure_ascii=False), count) if count else (text, 0)
