"""Any Python value as JSON source text. Never raises, never recurses, never consumes an iterator.

The outcome of each kind of value that is no JSON is a table in ``docs/format.md``.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import decimal
import enum
import math
import os
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence, Set
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple

from snapshot_sdk._json import MAX_DEPTH, MAX_DIGITS, escape_surrogates

MAX_REPR: Final = 2_000
"""Characters kept of the repr of an object that has no JSON form."""

MAX_UNFOLDING: Final = 500
"""Levels down to which objects are converted; one that unfolds anew at every level would not end."""

MAX_REPLACED: Final = 1_000
"""Replaced values that are named; the rest is replaced all the same."""

_MAX_STEPS: Final = 8
"""Conversions in a row (an enum of a model of …) before the repr is taken."""

_COPY_TRIES: Final = 8
"""Times a container is copied anew when another thread changes it meanwhile."""

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_KEYS: Final = frozenset({str})
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_LOG10_2: Final = math.log10(2)


class Written(NamedTuple):
    """A value as source text."""

    source: str
    """Compact JSON; lone surrogates escaped."""
    replaced: tuple[tuple[str, str], ...]
    """JSON Pointer (RFC 6901) and type of each value that was no JSON."""
    strict: bool
    """True: standard JSON that any reader takes. False: NaN, an over-long integer, over-deep, a repeated key."""


class _Frame(NamedTuple):
    """A container that is being written."""

    entries: Iterator[tuple[Any, Any]]
    """Keys (None: an array) and values."""
    close: str
    container: Any
    """Held so that its id stays its own."""


def write_value(value: Any) -> Written:
    """Writes a value as compact JSON source text.

    Args:
        value: Anything.
    """
    try:
        return _Writer().write(value)
    except Exception as error:  # a class that lies about what it is
        return Written(encode_basestring(safe_repr(value)), (("", type(error).__name__),), strict=True)


def is_plain(value: Any) -> bool:
    """Tells whether a value is JSON as it stands: exact types only, no tuple, no key but strings, not too deep.

    Args:
        value: Anything that ``json`` could write.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is dict:
                try:
                    if not {*map(type, item)} <= _KEYS:
                        return False
                    below.extend(item.values())
                except RuntimeError:  # another thread changes it
                    return False
            elif kind is list:
                below.extend(item)
            elif kind not in _SCALARS:
                return False
        if not below:
            return True
        level = below
    return False


class _Writer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self.frames: list[_Frame] = []
        self.path: list[str] = []
        self.open: set[int] = set()
        self.replaced: list[tuple[str, str]] = []
        self.strict = True

    def write(self, value: Any) -> Written:
        self._put(value)
        while self.frames:
            frame = self.frames[-1]
            for key, item in frame.entries:
                if not self.out[-1].endswith(("[", "{")) or self.out[-1].startswith('"'):
                    self.out.append(",")
                self.path[-1] = self._key(key) if frame.close == "}" else str(key)
                depth = len(self.frames)
                self._put(item)
                if len(self.frames) > depth:  # the item is a container: its entries come first
                    break
            else:
                self.out.append(frame.close)
                self.frames.pop()
                self.path.pop()
                self.open.discard(id(frame.container))
        return Written(escape_surrogates("".join(self.out)), tuple(self.replaced), self.strict)

    def _put(self, value: Any) -> None:
        """Writes a scalar, or opens a container."""
        for _ in range(_MAX_STEPS):
            scalar = self._scalar(value)
            if scalar is not None:
                self.out.append(scalar)
                return
            if isinstance(value, dict | list | tuple):
                self._open(value)
                return
            if len(self.frames) >= MAX_UNFOLDING:
                break
            self._note(type(value).__name__)
            value = convert(value)
        self._note("endless conversion")
        self.out.append(encode_basestring(safe_repr(value)))

    def _scalar(self, value: Any) -> str | None:
        if value is None:
            return "null"
        if value is True:
            return "true"
        if value is False:
            return "false"
        if isinstance(value, str):
            return encode_basestring(str.__str__(value))
        if isinstance(value, int):
            return self._int(value)
        if isinstance(value, float):
            if math.isfinite(value):
                return float.__repr__(value)
            self.strict = False
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return None

    def _int(self, value: int) -> str:
        # bit_length is cheap; only near and over the limit the digits are counted.
        if value.bit_length() * _LOG10_2 < MAX_DIGITS - 1:
            return int.__repr__(value)
        digits = str(decimal.Decimal(value))
        self.strict = self.strict and len(digits.lstrip("-")) <= MAX_DIGITS
        return digits

    def _open(self, value: Any) -> None:
        if id(value) in self.open:
            self._note("cycle")
            self.out.append('"<cycle>"')
            return
        if isinstance(value, dict):
            entries = copy_items(value)
            self._check_keys(entries)
            self.out.append("{")
            self.frames.append(_Frame(iter(entries), "}", value))
        else:
            self.out.append("[")
            self.frames.append(_Frame(iter(list(enumerate(copy_list(value)))), "]", value))
        self.open.add(id(value))
        self.path.append("")
        if len(self.frames) > MAX_DEPTH:
            self.strict = False

    def _check_keys(self, entries: list[tuple[Any, Any]]) -> None:
        if all(type(key) is str for key, _ in entries):
            return
        if len({key_text(key) for key, _ in entries}) < len(entries):
            self.strict = False  # 1 and "1" become one key: only the text keeps both

    def _key(self, key: Any) -> str:
        text = key_text(key)
        self.out.append(f"{encode_basestring(text)}:")
        if not isinstance(key, str):
            self.path[-1] = text
            self._note(f"key {type(key).__name__}")
        return text

    def _note(self, kind: str) -> None:
        if len(self.replaced) < MAX_REPLACED:
            self.replaced.append((pointer(*self.path), kind))


def pointer(*tokens: str | int) -> str:
    """Writes a JSON Pointer (RFC 6901).

    Args:
        tokens: Keys and indexes from the outermost in.
    """
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def copy_items(value: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Copies the items of a mapping that another thread may be changing, or whose own ``items`` fails."""
    for _ in range(_COPY_TRIES):
        try:
            items = list(value.items())
        except RuntimeError:  # another thread changed its size
            continue
        except Exception:  # a foreign method
            break
        if all(type(item) is tuple and len(item) == 2 for item in items):
            return items
        break
    try:
        return list(dict.items(value)) if isinstance(value, dict) else []
    except RuntimeError:
        return []


def copy_list(value: Sequence[Any]) -> list[Any]:
    """Copies a list or a tuple, also one whose own ``__iter__`` fails."""
    try:
        return list(value)
    except Exception:  # a foreign method
        return list(list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value))  # type: ignore[arg-type]


def key_text(key: Any) -> str:
    """Writes a key as ``json`` does; of other keys the value of an enum, else the repr."""
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or isinstance(key, bool | int | float):
        return _Writer()._scalar(key) or ""
    if isinstance(key, enum.Enum) and isinstance(key.value, str | int):
        return str(key.value)
    return safe_repr(key)


def convert(value: Any) -> Any:
    """One step towards JSON; never raises. What it returns is looked at again."""
    try:
        return _convert_known(value)
    except Exception:  # a foreign method failed: its repr still says something
        return safe_repr(value)


def _convert_known(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    # Asked of the type: a mock object has every attribute one asks for.
    kind = type(value)
    if callable(getattr(kind, "model_dump", None)):
        return _dump_model(value)
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | uuid.UUID | dt.timedelta):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, Mapping):
        return dict(value.items())
    if isinstance(value, Set):
        return sorted(value, key=lambda item: write_value(item).source)
    for name in ("to_dict", "dict"):
        if callable(getattr(kind, name, None)):
            return getattr(value, name)()
    return safe_repr(value)


def _dump_model(value: Any) -> Any:
    """A pydantic model as the clients of openai and anthropic send it: only what was set, JSON types."""
    try:
        return value.model_dump(mode="json", exclude_unset=True)
    except Exception:  # an unserialisable field, or another library's model_dump
        return value.model_dump()


def safe_repr(value: Any) -> str:
    """Returns the repr of a foreign object, without its address, cut to ``MAX_REPR``; never raises."""
    try:
        text = str.__str__(repr(value))
    except Exception as error:  # a broken __repr__
        return f"<{type(value).__name__}: repr failed with {type(error).__name__}>"
    text = _ADDRESS.sub("", text)  # differs from run to run and means nothing
    return text if len(text) <= MAX_REPR else text[:MAX_REPR] + "…"
