"""Values as LangGraph's checkpointers write them: MessagePack with extension types, JSON before; never pickles.

An extension type stands for a Python object: its module, its class and what it is made of. Nothing is imported or
made here: of an object is kept what it is made of.
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgpack

from inspector.importers.reading.unreadable import UnreadableError

_OBJECTS: Final = frozenset(range(6))
"""Codes 0 to 5: constructor with one argument, with positional, with named ones; a method; Pydantic 1 and 2. Packed
are module, name, what the object is made of and, for the later ones, the method that makes it."""

DELTA: Final = 7
"""Code of a channel that is stored as changes (``DeltaChannel``)."""


class Opaque:
    """A value that stands for itself only: an array of numbers, a type not known here."""

    def __repr__(self) -> str:
        """Say that there is something."""
        return "<opaque>"


OPAQUE: Final = Opaque()


def read_value(kind: str | None, data: bytes | str | None) -> Any:
    """Read a value of a checkpoint or of a write.

    Args:
        kind: As the table names it; None: from before there were several.
        data: What is stored.

    Raises:
        UnreadableError: It is pickled, or of a kind not known here.
        ValueError: It is damaged.
    """
    if data is None or kind == "null":
        return None
    if kind == "pickle" or (kind is None and isinstance(data, bytes) and data[:1] == b"\x80"):
        raise UnreadableError("pickled: loading it would run code of its writer, so it is not read")
    if kind in ("json", None):
        return json.loads(data)
    if kind == "msgpack":
        return _unpack(data if isinstance(data, bytes) else data.encode())
    if kind in ("bytes", "bytearray"):
        return data
    raise UnreadableError(f"serialised as {kind!r}, which is not known here")


def _unpack(data: bytes) -> Any:
    try:
        return msgpack.unpackb(data, ext_hook=_object, strict_map_key=False, unicode_errors="replace")
    except (msgpack.UnpackException, ValueError) as error:
        raise ValueError(f"damaged MessagePack: {error}") from error


def _object(code: int, data: bytes) -> Any:
    if code not in _OBJECTS:
        return OPAQUE
    packed = _unpack(data)
    return packed[2] if isinstance(packed, list) and len(packed) > 2 else OPAQUE
