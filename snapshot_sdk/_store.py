"""Finds the elements of a request in the file, and stores those that are new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from snapshot_sdk._blobs import Batch, Place, Stored
from snapshot_sdk._delta import make_delta
from snapshot_sdk._elements import Prepared, prepare_text, prepare_value, quick_key
from snapshot_sdk._json import dumps
from snapshot_sdk._redact import Redaction
from snapshot_sdk._split import Element
from snapshot_sdk._values import convert, copy_items, key_text, pointer
from snapshot_sdk.canonical import wire_hash
from snapshot_sdk.schema import Style

MAX_DELTA_DEPTH: Final = 32
"""Deltas in a row before a text is stored whole again, for the same reason."""


class Elements:
    """The half of the encoder that knows single elements."""

    def __init__(self, redact: Redaction | None) -> None:
        self._redact = redact
        self._next = 0

    def _key(self, name: str, key: str | None) -> Any:
        """What an element is found by: its source text; with its member, where rules tell members apart."""
        return (name, key) if key is not None and self._redact is not None and self._redact.by_member else key

    def _spread(
        self,
        name: str,
        keys: Sequence[Any],
        previous: Sequence[Stored],
        batch: Batch,
        make: Callable[[int, Any, Sequence[Stored]], Stored],
        first: int = 0,
    ) -> list[Stored]:
        """Finds the elements of an array; makes the new ones from those they may be an edit of.

        Args:
            name: The member which it is.
            keys: What its elements are found by.
            previous: Its elements in the snapshot before.
            batch: The record's.
            make: Makes the element with this index and key.
            first: Index of the first of both in the array.
        """
        found = [batch.find(key) for key in keys]
        present = {one.n for one in found if one is not None}
        shift = len(keys) - len(previous)
        stored = []
        for place, one in enumerate(found):
            if one is None:
                # An edit takes the place of what it was made from, counted from the front or from the back.
                places = {place, place - shift} if shift else {place}
                gone = [previous[at] for at in sorted(places, reverse=True) if 0 <= at < len(previous)]
                one = make(place, keys[place], [base for base in gone if base.n not in present])
            stored.append(batch.noted(one, (name, first + place)))
        return stored

    def _value(self, value: Any, batch: Batch, bases: Sequence[Stored], place: Place) -> Stored:
        name = str(place[0]) if place else ""
        quick = quick_key(value)
        key = self._key(name, quick)
        found = batch.known.get(key) or batch.new.get(key)
        if found is None:
            found = self._new_value(batch, name, len(place) > 1, [value], [quick], 0, key, bases)
        return batch.noted(found, place)

    def _new_value(
        self,
        batch: Batch,
        name: str,
        in_array: bool,
        values: Sequence[Any],
        quick: Sequence[str | None],
        place: int,
        key: Any,
        bases: Sequence[Stored],
    ) -> Stored:
        prepared = prepare_value(values[place], quick[place], self._redact, name, element=in_array)
        if quick[place] is None:  # an odd value is found by what it was made into
            key = (name, prepared.source, prepared.replaced)
        return batch.find(key) or self._store(key, quick[place] or prepared.source, prepared, batch, bases)

    def _text(self, element: Element, batch: Batch, style: Style, bases: Sequence[Stored], place: Place) -> Stored:
        name = str(place[0]) if place else ""
        key = self._key(name, element.source)
        found = batch.find(key) or self._new_text(batch, style, name, False, [element], 0, key, bases)
        return batch.noted(found, place)

    def _new_text(
        self,
        batch: Batch,
        style: Style,
        name: str,
        in_array: bool,
        elements: Sequence[Element],
        place: int,
        key: Any,
        bases: Sequence[Stored],
    ) -> Stored:
        element = elements[place]
        found = batch.find(key)
        if found is not None:
            return found
        prepared = prepare_text(element, style, self._redact, name, in_array=in_array)
        return self._store(key, element.source, prepared, batch, bases)

    def _store(self, key: Any, raw: str, prepared: Prepared, batch: Batch, bases: Sequence[Stored]) -> Stored:
        source = prepared.source
        for candidate in bases:
            # A long chain starts again at its root: it costs more than the last link, less than the whole.
            base = candidate if candidate.depth < MAX_DELTA_DEPTH else candidate.root or candidate
            delta = make_delta(base.source, source)
            if delta is not None:
                content = f'"base":{base.n},"delta":{dumps(delta)}'
                link = base.depth + 1, base.root or base
                return self._add(key, content, Stored(self._next, source, raw, *link, *prepared[2:]), batch)
        content = f'"value":{source}' if prepared.is_strict() else f'"text":{dumps(source)}'
        return self._add(key, content, Stored(self._next, source, raw, 0, None, *prepared[2:]), batch)

    def _add(self, key: Any, content: str, stored: Stored, batch: Batch) -> Stored:
        """Adds a blob to a record.

        Args:
            key: What it will be found by.
            content: Its JSON, without number and hash.
            stored: What is remembered of it; its number is the next one.
            batch: The record's.
        """
        self._next += 1
        blob = f'{{"n":{stored.n},"wire":"{wire_hash(stored.source)}",{content}}}'
        # One character beyond U+FFFF makes Python hold the whole text in four bytes each: the bytes are kept instead.
        batch.blobs.append(blob.encode())
        batch.size += len(blob)
        batch.new[key] = stored
        return stored


def mapping_items(request: Any, batch: Batch) -> list[tuple[str, Any]] | None:
    """Returns the members of a request; None where it has no faithful form as members.

    Args:
        request: Anything.
        batch: Notes what was no JSON.
    """
    if not isinstance(request, dict):
        converted = convert(request)
        if not isinstance(converted, dict) or isinstance(request, list | tuple):
            return None
        if not isinstance(request, Mapping):
            batch.replaced.append(("", type(request).__name__))
        request = converted
    items = copy_items(request)
    names = [key_text(key) for key, _ in items]
    if len(set(names)) < len(names):
        return None  # 1 and "1" became one key: only the text keeps both
    for (key, _), name in zip(items, names, strict=True):
        if not isinstance(key, str):
            batch.replaced.append((pointer(name), f"key {type(key).__name__}"))
    return [(name, value) for name, (_, value) in zip(names, items, strict=True)]
