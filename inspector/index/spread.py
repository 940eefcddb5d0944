"""Bodies that only their own text keeps, mostly pretty-printed ones, taken apart as if they were stored by elements.

The text stays what was sent: ``request_bytes`` returns it. What is made of it here is for reading, so that such a
prompt has messages like any other, and an element that comes again is the same one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from snapshot_sdk.canonical import read_object, source_of, wire_hash

FIRST: Final = 2**30
"""Elements cut from such a body are numbered from here on; the blobs of a file from 0."""

_INLINE: Final = 256
"""Members shorter than this, as JSON, stand in the record itself, as the recorder has it."""


@dataclass(frozen=True)
class Spread:
    """A body, taken apart."""

    body: dict[str, dict[str, Any]]
    """As in a snapshot record."""
    items: dict[str, list[int]]
    """Numbers of the elements of its arrays."""
    texts: dict[int, str]
    """The JSON of every numbered element."""
    fresh: tuple[tuple[int, str | None, str], ...]
    """Number, JSON and wire hash of the elements that were not known."""


def spread(text: str, known: dict[str, int]) -> Spread | None:
    """Take the text of a body apart.

    Args:
        text: The whole body.
        known: Numbers of the elements of earlier bodies of the section, by wire hash; new ones are added.

    Returns:
        None where it is no JSON object that Python can hold and write again, or one that names a member twice: nobody
        knows which of the two a server takes.
    """
    value = read_object(text) or {}
    try:
        sources = {name: _sources(member) for name, member in value.items()}
    except (ValueError, RecursionError):
        return None
    if not sources:
        return None
    found = Spread({}, {}, {}, ())
    fresh: list[tuple[int, str | None, str]] = []

    def number(source: str) -> int:
        wire = wire_hash(source)
        if wire not in known:
            known[wire] = FIRST + len(known)
            fresh.append((known[wire], source, wire))
        found.texts[known[wire]] = source
        return known[wire]

    for name, parts in sources.items():
        if isinstance(parts, list):
            found.items[name] = [number(source) for source in parts]
            found.body[name] = {"items": []}
        elif len(parts) < _INLINE:
            found.body[name] = {"value": value[name]}
        else:
            found.body[name] = {"blob": number(parts)}
    return Spread(found.body, found.items, found.texts, tuple(fresh))


def _sources(member: Any) -> list[str] | str:
    return [source_of(element) for element in member] if isinstance(member, list) and member else source_of(member)
