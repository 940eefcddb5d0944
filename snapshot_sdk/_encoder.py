"""Turns a request into the stored form of one file: blobs, runs, deltas, keyframes.

Nothing is remembered until :meth:`Encoder.commit`: what could not be written is stored again by the
next record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, get_args

from snapshot_sdk import _redact
from snapshot_sdk._delta import make_delta
from snapshot_sdk._elements import Prepared, Replaced, prepare_text, prepare_value, quick_key
from snapshot_sdk._json import dumps
from snapshot_sdk._runs import absolute_runs, relative_runs
from snapshot_sdk._split import UNREAD, Element, body_text, split
from snapshot_sdk._values import convert, copy_items, key_text, pointer
from snapshot_sdk.canonical import wire_hash
from snapshot_sdk.schema import Exactness, Run, Style

INLINE_LIMIT: Final = 256
"""Members shorter than this, as JSON, stand in the record itself."""

ABSOLUTE_EVERY: Final = 16
"""At least every 16th snapshot of a lane refers to no other, so that one damaged line harms few."""

MAX_DELTA_DEPTH: Final = 32
"""Deltas in a row before a text is stored whole again, for the same reason."""

_EXACT: Final[tuple[Exactness, ...]] = get_args(Exactness)

Place = tuple[str | int, ...]
"""Keys and indexes from the body in."""

MIN_KEYFRAME: Final = 64 * 1024
"""New characters before a keyframe is worth it: repeating less than this protects nothing."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An element that stands in the file."""

    n: int
    source: str
    depth: int
    """Deltas between it and a text stored whole."""
    root: Stored | None
    """The text stored whole that its chain of deltas begins with; None: itself."""
    replaced: Replaced
    redactions: int


@dataclass
class _Lane:
    """The last snapshot of a lane in this file."""

    seq: int
    since_absolute: int
    members: dict[str, list[Stored]]
    size: int


Members = list[tuple[str, bool, list[Stored] | str]]
"""Name, whether it is an array spread out, and its elements (or the JSON that stands inline)."""


@dataclass
class Batch:
    """What one record adds."""

    known: dict[Any, Stored]
    lanes: dict[str, _Lane]
    keyframe: bool = False
    new: dict[Any, Stored] = field(default_factory=dict)
    blobs: list[str] = field(default_factory=list)
    size: int = 0
    """Characters of ``blobs``."""
    replaced: list[tuple[str, str]] = field(default_factory=list)
    redactions: list[tuple[str, int]] = field(default_factory=list)
    lane: tuple[str, _Lane] | None = None

    def find(self, key: Any) -> Stored | None:
        """Returns the element with this key, if the file has it."""
        return self.known.get(key) or self.new.get(key)

    def noted(self, stored: Stored, place: Place) -> Stored:
        """Notes what was replaced or removed in an element that stands in this record."""
        if stored.replaced or stored.redactions:
            self.note(stored, place)
        return stored

    def note(self, element: Stored | Prepared, place: Place) -> None:
        """Likewise, for an element that is not stored as a blob."""
        prefix = pointer(*place)
        self.replaced += [(prefix + path, kind) for path, kind in element.replaced]
        if element.redactions:
            self.redactions.append((prefix, element.redactions))

    def blobs_json(self) -> str:
        """The record's ``blobs``."""
        return f"[{','.join(self.blobs)}]"


@dataclass(frozen=True)
class Encoded:
    """The content fields of a snapshot record."""

    fields: dict[str, Any]
    """Plain fields: ``model``, ``exact``, ``style`` …"""
    body: str
    """JSON of ``body``."""
    batch: Batch


class Encoder:
    """What one file holds so far, as far as later records may refer to it."""

    def __init__(self, redact: _redact.Redactor | None = None) -> None:
        self._redact = redact
        self._next = 0
        self._known: dict[Any, Stored] = {}
        self._lanes: dict[str, _Lane] = {}
        self._fresh = 0
        self._keyframe_size = 0

    def start_file(self) -> None:
        """Begins a new file: numbers start at 0."""
        self.forget()
        self._next = 0

    def forget(self) -> None:
        """Refers to nothing written so far; numbers go on."""
        self._known, self._lanes, self._fresh, self._keyframe_size = {}, {}, 0, 0

    def commit(self, batch: Batch) -> None:
        """Remembers what a record stored, now that it is on disk.

        Args:
            batch: Of that record.
        """
        if batch.keyframe:
            self._known, self._lanes = batch.known, batch.lanes
            self._fresh, self._keyframe_size = 0, batch.size
        else:
            self._fresh += batch.size
        self._known.update(batch.new)
        if batch.lane is not None:
            self._lanes[batch.lane[0]] = batch.lane[1]

    # -- requests

    def snapshot(self, request: Any, *, lane: str, seq: int, exact: Exactness | None) -> Encoded:
        """Encodes a request.

        Args:
            request: Mapping, or the body as text or bytes.
            lane: Its lane.
            seq: Number of the record that will hold it.
            exact: What the caller says about it; None: what its form proves.
        """
        keyframe = self._keyframe_due(lane)
        batch = Batch({}, {}, keyframe=True) if keyframe else Batch(self._known, self._lanes)
        before = batch.lanes.get(lane)
        if isinstance(request, str | bytes | bytearray | memoryview):
            text, proved = body_text(request)
            style, members, model = self._cut(text, batch, before)
        else:
            proved, style = "values", "compact"
            members, model = self._take(request, batch, before)
        fields: dict[str, Any] = {"model": model}
        if isinstance(members, Stored):
            fields["whole"], body = members.n, "null"
            kept = {"": [members]}
        else:
            body, base, kept = _body(members, before)
            if base is not None:
                fields["base"] = base
        absolute = "base" not in fields or before is None
        batch.lane = (
            lane,
            _Lane(
                seq,
                0 if absolute or before is None else before.since_absolute + 1,
                kept,
                sum(len(stored.source) for elements in kept.values() for stored in elements),
            ),
        )
        exact = exact if exact in _EXACT else proved
        if batch.redactions and exact in ("bytes", "values"):
            exact = "redacted"
        fields |= {"exact": exact, "style": style}
        if keyframe:
            fields["keyframe"] = True
        if batch.replaced:
            fields["replaced"] = batch.replaced
        if batch.redactions:
            fields["redactions"] = batch.redactions
        return Encoded(fields, body, batch)

    def messages(self, messages: Iterable[Any], batch: Batch, name: str) -> list[Run]:
        """Stores messages of an answer or of a compaction.

        Args:
            messages: In order.
            batch: The record's.
            name: Field of the record they stand in.
        """
        stored = [self._value(message, batch, (), (name, i)) for i, message in enumerate(messages)]
        return absolute_runs([one.n for one in stored])

    def batch(self) -> Batch:
        """Begins a record that is no snapshot."""
        return Batch(self._known, self._lanes)

    def _keyframe_due(self, lane: str) -> bool:
        if self._fresh <= max(MIN_KEYFRAME, self._keyframe_size):
            return False
        # The other lanes will have to store theirs again as well; counted twice, repetition stays below
        # two thirds of what is written, whatever lanes alternate.
        others = sum(state.size for name, state in self._lanes.items() if name != lane)
        return self._fresh > self._keyframe_size + 2 * others

    def _take(self, request: Any, batch: Batch, before: _Lane | None) -> tuple[Members | Stored, str | None]:
        """Encodes a request of Python values."""
        items = _mapping_items(request, batch)
        if items is None:
            return self._value(request, batch, _first(before, ""), ()), None
        members: Members = []
        for name, value in items:
            previous = before.members.get(name, ()) if before is not None else ()
            if isinstance(value, list | tuple) and value:
                elements = list(value)
                keys: list[Any] = [quick_key(element) for element in elements]
                make = partial(self._new_value, batch, elements)
                members.append((name, True, self._spread(name, keys, previous, batch, make)))
            else:
                members.append((name, False, self._member(name, value, batch, previous)))
        model = next((value for name, value in items if name == "model" and isinstance(value, str)), None)
        return members, self._model(model)

    def _member(self, name: str, value: Any, batch: Batch, previous: Sequence[Stored]) -> list[Stored] | str:
        key = quick_key(value)
        if key is None or len(key) < INLINE_LIMIT:
            prepared = prepare_value(value, key, self._redact)
            if len(prepared.source) < INLINE_LIMIT and prepared.is_strict():
                batch.note(prepared, (name,))
                return prepared.source
        return [self._value(value, batch, previous[:1], (name,))]

    def _cut(self, text: str, batch: Batch, before: _Lane | None) -> tuple[Style, Members | Stored, str | None]:
        """Encodes the text of a body."""
        known = {name: [one.source for one in kept] for name, kept in before.members.items()} if before else {}
        cut = split(text, {} if self._redact else known)
        if cut is None:
            return "compact", self._text(Element(text, UNREAD), batch, "compact", _first(before, ""), ()), None
        members: Members = []
        model: str | None = None
        for name, spread, elements in cut.members:
            previous = before.members.get(name, ()) if before is not None else ()
            if spread:
                make = partial(self._new_text, batch, cut.style, elements)
                stored = self._spread(name, [element.source for element in elements], previous, batch, make)
                members.append((name, True, stored))
                continue
            element = elements[0]
            if name == "model" and isinstance(element.value, str):
                model = element.value
            if len(element.source) < INLINE_LIMIT:
                prepared = prepare_text(element, cut.style, self._redact)
                if len(prepared.source) < INLINE_LIMIT and prepared.is_strict():
                    batch.note(prepared, (name,))
                    members.append((name, False, prepared.source))
                    continue
            members.append((name, False, [self._text(element, batch, cut.style, previous[:1], (name,))]))
        return cut.style, members, self._model(model)

    def _model(self, model: str | None) -> str | None:
        if model is None or self._redact is None:
            return model
        value = _redact.apply(self._redact, model)
        return value if isinstance(value, str) else None

    # -- elements

    def _spread(
        self,
        name: str,
        keys: Sequence[Any],
        previous: Sequence[Stored],
        batch: Batch,
        make: Callable[[int, Any, Sequence[Stored]], Stored],
    ) -> list[Stored]:
        """Finds the elements of an array; makes the new ones from those they may be an edit of."""
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
            stored.append(batch.noted(one, (name, place)))
        return stored

    def _value(self, value: Any, batch: Batch, bases: Sequence[Stored], place: Place) -> Stored:
        key = quick_key(value)
        return batch.noted(batch.find(key) or self._new_value(batch, [value], 0, key, bases), place)

    def _new_value(self, batch: Batch, values: Sequence[Any], place: int, key: Any, bases: Sequence[Stored]) -> Stored:
        prepared = prepare_value(values[place], key, self._redact)
        if key is None:  # an odd value is found by what it was made into
            key = (prepared.source, prepared.replaced)
        return batch.find(key) or self._store(key, prepared, batch, bases)

    def _text(self, element: Element, batch: Batch, style: Style, bases: Sequence[Stored], place: Place) -> Stored:
        found = batch.find(element.source)
        return batch.noted(found or self._new_text(batch, style, [element], 0, element.source, bases), place)

    def _new_text(
        self,
        batch: Batch,
        style: Style,
        elements: Sequence[Element],
        place: int,
        key: Any,
        bases: Sequence[Stored],
    ) -> Stored:
        return batch.find(key) or self._store(key, prepare_text(elements[place], style, self._redact), batch, bases)

    def _store(self, key: Any, prepared: Prepared, batch: Batch, bases: Sequence[Stored]) -> Stored:
        n, self._next = self._next, self._next + 1
        root, depth = None, 0
        content = ""
        for candidate in bases:
            # A long chain starts again at its root: it costs more than the last link, less than the whole.
            base = candidate if candidate.depth < MAX_DELTA_DEPTH else candidate.root or candidate
            delta = make_delta(base.source, prepared.source)
            if delta is not None:
                root, depth = base.root or base, base.depth + 1
                content = f'"base":{base.n},"delta":{dumps(delta)}'
                break
        else:
            content = f'"value":{prepared.source}' if prepared.is_strict() else f'"text":{dumps(prepared.source)}'
        blob = f'{{"n":{n},"wire":"{wire_hash(prepared.source)}",{content}}}'
        batch.blobs.append(blob)
        batch.size += len(blob)
        stored = Stored(n, prepared.source, depth, root, prepared.replaced, prepared.redactions)
        batch.new[key] = stored
        return stored


def _mapping_items(request: Any, batch: Batch) -> list[tuple[str, Any]] | None:
    """Members of a request; None where it has no faithful form as members."""
    if not isinstance(request, Mapping):
        converted = convert(request)
        if not isinstance(converted, dict) or isinstance(request, list | tuple):
            return None
        batch.replaced.append(("", type(request).__name__))
        request = converted
    items = copy_items(request if isinstance(request, dict) else dict(request))
    names = [key_text(key) for key, _ in items]
    if len(set(names)) < len(names):
        return None  # 1 and "1" became one key: only the text keeps both
    for (key, _), name in zip(items, names, strict=True):
        if not isinstance(key, str):
            batch.replaced.append((pointer(name), f"key {type(key).__name__}"))
    return [(name, value) for name, (_, value) in zip(names, items, strict=True)]


def _first(before: _Lane | None, name: str) -> Sequence[Stored]:
    return before.members.get(name, ())[:1] if before is not None else ()


def _body(members: Members, before: _Lane | None) -> tuple[str, int | None, dict[str, list[Stored]]]:
    """Writes ``body``; returns it, the ``seq`` of the snapshot its runs point into, and what was stored."""
    kept: dict[str, list[Stored]] = {}
    parts: list[str] = []
    based = False
    may_base = before is not None and before.since_absolute + 1 < ABSOLUTE_EVERY
    for name, spread, content in members:
        if isinstance(content, str):
            parts.append(f'{dumps(name)}:{{"value":{content}}}')
            continue
        kept[name] = content
        if not spread:
            parts.append(f'{dumps(name)}:{{"blob":{content[0].n}}}')
            continue
        numbers = [stored.n for stored in content]
        runs = absolute_runs(numbers)
        if may_base and before is not None and len(runs) > 1:
            relative = relative_runs(numbers, [stored.n for stored in before.members.get(name, ())])
            if len(relative) < len(runs):
                runs, based = relative, True
        parts.append(f'{dumps(name)}:{{"items":{dumps(runs)}}}')
    return "{" + ",".join(parts) + "}", before.seq if based and before is not None else None, kept
