"""JSON text as it is found in the wild, parsed: what other tools' logs are known to break is mended, and said."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from inspector.importers.reading.unreadable import UnreadableError
from snapshot_sdk.canonical import parse_int

REPLACED: Final = "read as U+FFFD"
"""How a repair ends that put the character for the unknown in the place of bytes that are no UTF-8."""

RAW_CONTROLS: Final = "raw control characters inside strings kept as they are"
"""The repair of strings that hold control characters unescaped."""

_ESCAPE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
"""A legal escape, or a backslash that begins none."""

_FAST: Final = {strict: json.JSONDecoder(strict=strict).raw_decode for strict in (True, False)}
_LONG: Final = {strict: json.JSONDecoder(strict=strict, parse_int=parse_int).raw_decode for strict in (True, False)}
"""Slower, and takes integers of any length; ``int`` refuses more than 4,300 digits."""


@dataclass(frozen=True)
class Parsed:
    """A JSON value and what had to be mended to read it."""

    value: Any
    """The value."""
    repairs: tuple[str, ...] = ()
    """In words; empty: the text was sound."""


def load(text: str | bytes, *, strict: bool = True) -> Any:
    """Parse JSON as ``json.loads`` does, with integers of any length.

    Args:
        text: The JSON text.
        strict: Refuse raw control characters in strings.

    Raises:
        ValueError: It is no JSON, or no UTF-8.
        RecursionError: It is nested too deep.
    """
    try:
        return json.loads(text, strict=strict)
    except ValueError as error:
        if type(error) is not ValueError:  # else it is about the text, and not about the length of an integer
            raise
        return json.loads(text, strict=strict, parse_int=parse_int)


def raw_decode(text: str, at: int = 0, *, strict: bool = True) -> tuple[Any, int]:
    """Parse the value that begins at ``at``; give it and the place behind it.

    Args:
        text: JSON text.
        at: Where the value begins.
        strict: Refuse raw control characters in strings.

    Raises:
        json.JSONDecodeError: There is no value.
        RecursionError: It is nested too deep.
    """
    try:
        return _FAST[strict](text, at)
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        return _LONG[strict](text, at)


def decoded(raw: bytes, start: int = 0) -> tuple[str, str | None]:
    """Give bytes as text, and what had to be mended.

    Args:
        raw: UTF-8, with or without a byte order mark, or UTF-16 with one.
        start: Where in the file they stand, for the repair.
    """
    try:
        return raw.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            return raw.decode("utf-16", "replace"), None
        repair = f"bytes that are no UTF-8, the first at byte {start + error.start}, {REPLACED}"
        return raw.decode("utf-8-sig", "replace"), repair


def parse(text: str) -> Parsed:
    r"""Parse JSON, mending what other tools' logs are known to break.

    Raw control characters inside strings are taken as they are. A backslash that begins no escape
    (``\d``: left behind when a log was scrubbed) is taken as a backslash. Both are said.

    Args:
        text: The JSON text, with or without a byte order mark.

    Returns:
        The value, and the repairs in words.

    Raises:
        UnreadableError: It is no JSON even so.
    """
    text = text.removeprefix("\ufeff")
    try:
        return Parsed(load(text))
    except RecursionError as error:
        raise UnreadableError("nested too deep to read") from error
    except ValueError as error:
        first = error
    repairs: list[str] = []
    mended, said = without_strays(text)
    if said is not None:
        repairs.append(said)
    try:
        value = load(mended, strict=False)
    except (ValueError, RecursionError):
        raise UnreadableError(f"not JSON: {first}") from first
    if said is None or _has_raw_controls(mended):
        repairs.append(RAW_CONTROLS)
    return Parsed(value, tuple(repairs))


def parse_bytes(raw: bytes, start: int = 0) -> Parsed:
    """Parse JSON like :func:`parse`; bytes that are no UTF-8 become U+FFFD, and that is said.

    Args:
        raw: The JSON text.
        start: Where in the file it stands, for the repair.

    Raises:
        UnreadableError: It is no JSON even so.
    """
    text, repair = decoded(raw, start)
    parsed = parse(text)
    return parsed if repair is None else replace(parsed, repairs=(repair, *parsed.repairs))


def without_strays(text: str) -> tuple[str, str | None]:
    """Double every backslash that begins no escape; also say so, if there are any."""
    strays: list[int] = []

    def mend(match: re.Match[str]) -> str:
        if len(match[0]) > 1:
            return match[0]
        strays.append(match.start())
        return "\\\\"

    mended = _ESCAPE.sub(mend, text)
    if not strays:
        return text, None
    return mended, f"{len(strays)} stray backslash(es) read as themselves, the first at character {strays[0]}"


def _has_raw_controls(text: str) -> bool:
    """Say whether strict JSON refuses ``text``, which the lenient reader took."""
    try:
        load(text)
    except ValueError:
        return True
    return False
