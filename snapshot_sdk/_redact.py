"""What is removed before it reaches the disk: built-in patterns, key paths, and the user's own function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from snapshot_sdk._paths import Steps, parse_path, remove_path
from snapshot_sdk._patterns import PATTERNS, Pattern, in_strings
from snapshot_sdk._values import write_value

Redactor = Callable[[Any], Any]
"""Gets a private copy of a JSON value and returns what may be stored."""

Rules = Redactor | str | Iterable[Redactor | str]
"""Names of built-in patterns (``keys``, ``email``, ``phone``, ``card``), key paths, functions."""

DEFAULT: Final = ("keys",)
"""What is removed where nothing is said: secrets that no debugger needs."""


class Applied(NamedTuple):
    """A value that may be stored."""

    value: Any
    removed: int
    """How many things were removed; a function counts as one."""


class Redaction:
    """The rules of one recorder."""

    def __init__(self, patterns: tuple[Pattern, ...], paths: tuple[Steps, ...], redactors: tuple[Redactor, ...]):
        self._patterns = patterns
        self._paths = paths
        self._redactors = redactors
        self.by_member: Final = bool(paths)
        """Equal elements of two members may be redacted differently."""

    def touches(self, source: str, member: str) -> bool:
        """Tells, quickly, whether there may be something to remove.

        Args:
            source: JSON source text.
            member: Of the body, in which it stands.
        """
        if self._redactors or (self._paths and any(path[0] == member for path in self._paths)):
            return True
        for pattern in self._patterns:
            if pattern.may_match(source):
                return True
        # A letter written as an escape hides a marker from the quick look.
        return bool(self._patterns) and "\\u00" in source

    def apply(self, value: Any, member: str = "", *, element: bool = False, read: bool = True) -> Applied:
        """Removes what the rules name. Where one fails the value is dropped, never the rule.

        Args:
            value: A copy that may be changed.
            member: Of the body, in which it stands; empty: none.
            element: It is an element of that member's array.
            read: False: it is JSON source text that was not parsed, so no path leads into it.
        """
        count = 0
        try:
            for path in self._paths:
                if path[0] != member:
                    continue
                if not read:
                    raise LookupError(path[0])
                steps = path[2:] if element and path[1:2] == ("*",) else path[1:]
                value, removed = remove_path(value, steps)
                count += removed
            if self._patterns:
                value, removed = in_strings(value, self._patterns)
                count += removed
            for redactor in self._redactors:
                before = write_value(value).source
                value = redactor(value)
                count += write_value(value).source != before
        except Exception as error:
            # The type only: the message of an exception may quote what had to go.
            return Applied(f"[dropped: the redactor failed with {type(error).__name__}]", count + 1)
        return Applied(value, count)


def compile_rules(rules: Rules | None, default: Rules = DEFAULT) -> Redaction | None:
    """Reads what the user wants removed.

    Args:
        rules: Names, paths, functions; one or several. None: the default.
        default: What holds where nothing is said.

    Returns:
        None: nothing.

    Raises:
        TypeError: A rule is neither a string nor callable.
        ValueError: A string is neither the name of a pattern nor a key path.
    """
    chosen = default if rules is None else rules
    if isinstance(chosen, str) or callable(chosen):
        chosen = (chosen,)
    elif not isinstance(chosen, Iterable):
        raise TypeError(f"redact takes names, key paths and functions, not {type(chosen).__name__}")
    names: set[str] = set()
    paths: list[Steps] = []
    redactors: list[Redactor] = []
    for rule in chosen:
        if callable(rule):
            redactors.append(rule)
        elif not isinstance(rule, str):
            raise TypeError(f"redact takes names, key paths and functions, not {type(rule).__name__}")
        elif rule in PATTERNS:
            names.add(rule)
        elif "." in rule or "[" in rule:
            paths.append(parse_path(rule))
        else:
            raise ValueError(f"redact knows no pattern {rule!r}; there are {', '.join(PATTERNS)}, and key paths")
    if not (names or paths or redactors):
        return None
    patterns = tuple(pattern for name, pattern in PATTERNS.items() if name in names)
    return Redaction(patterns, tuple(paths), tuple(redactors))
