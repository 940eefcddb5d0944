"""Names that look like another: a digit more, two letters swapped, another host."""

from __future__ import annotations

import re
from typing import Final

_SHAPE: Final = str.maketrans("123456789", "0" * 9)
NEAR: Final = 2
"""Changes of one character by which an id is taken for a slip of another."""
NEAR_FROM: Final = 6
"""Shorter ids are near too many others."""
_JOINTS: Final = re.compile(r"[-_./:#]")
_EVERYBODYS: Final = frozenset("info support admin contact hello sales service noreply no-reply".split())  # noqa: SIM905
"""Names before the @ that every company has."""
_URL: Final = re.compile(r"[a-z]+://([^/?#]*)([^?#]*)(.*)", re.DOTALL)


def is_near(kind: str, one: str, other: str) -> bool:
    """Tells whether one name may be a slip of the other.

    Args:
        kind: Of both.
        one: Plain.
        other: Plain.
    """
    if one == other:
        return False
    if kind == "email":
        return _near_emails(one, other)
    if kind == "url":
        return _near_urls(one, other)
    if kind == "id" and joints_out(one) == joints_out(other):
        return True
    return _near(one, other)


def _near(one: str, other: str) -> bool:
    """One holds the other at an end, or few characters are changed."""
    if min(len(one), len(other)) < NEAR_FROM:
        return False
    longer, shorter = sorted((one, other), key=len, reverse=True)
    return longer.startswith(shorter) or longer.endswith(shorter) or _distance(one, other) <= NEAR


def _near_emails(one: str, other: str) -> bool:
    name, _, host = one.partition("@")
    other_name, _, other_host = other.partition("@")
    if name == other_name:
        return name not in _EVERYBODYS
    longer, shorter = sorted((name, other_name), key=len, reverse=True)
    holds = longer.startswith(shorter) or longer.endswith(shorter)
    return host == other_host and (holds or _distance(name, other_name) == 1)


def _near_urls(one: str, other: str) -> bool:
    first, second = _URL.match(one), _URL.match(other)
    if first is None or second is None:
        return False
    if first[2].strip("/") and first[2] == second[2]:
        return True
    return first[1] == second[1] and _near(first[2], second[2])


def same_shape(one: str, other: str) -> bool:
    """Tells whether two ids are of one series: the same letters and joints, other digits.

    Args:
        one: Plain.
        other: Plain.
    """
    shape = one.translate(_SHAPE)
    return shape == other.translate(_SHAPE) and not shape.isdigit()


def joints_out(name: str) -> str:
    """Gives an id without what joins its parts.

    Args:
        name: Plain.
    """
    return _JOINTS.sub("", name)


def _distance(one: str, other: str) -> int:
    """Edits that make one of the other; more than ``NEAR`` counts as that and one."""
    if abs(len(one) - len(other)) > NEAR:
        return NEAR + 1
    head = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[head:], other[head:]
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, start=1):
        before, row[0] = row[0], i
        for j, against in enumerate(other, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (char != against))
        if min(row) > NEAR:
            return NEAR + 1
    return row[-1]
