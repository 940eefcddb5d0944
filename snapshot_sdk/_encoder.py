"""Turns a request into the stored form of one file: blobs, runs, deltas, keyframes.

Nothing is remembered until :meth:`Encoder.commit`: what could not be written is stored again by the
next record.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, NamedTuple

from snapshot_sdk._blobs import Batch, Lane, Members, Stored, Wire
from snapshot_sdk._body import write_body
from snapshot_sdk._elements import prepare_text, prepare_value, quick_key
from snapshot_sdk._final import FinalArrays, Keys
from snapshot_sdk._growth import Encoded, Growing, exact_of
from snapshot_sdk._json import LENIENT
from snapshot_sdk._redact import Redaction
from snapshot_sdk._runs import absolute_runs
from snapshot_sdk._split import UNREAD, Element, Split, body_text, split, split_rest
from snapshot_sdk._store import mapping_items
from snapshot_sdk._values import copy_list, pointer
from snapshot_sdk._wire import elements_sources, further_ends, remember, same_elements, wire_of
from snapshot_sdk.schema import Exactness, Run, Style

INLINE_LIMIT: Final = 256
"""Members shorter than this, as JSON, stand in the record itself."""

_REPLACED: Final = attrgetter("replaced")

MIN_KEYFRAME: Final = 64 * 1024
"""New characters before a keyframe is worth it: repeating less than this protects nothing."""


class _Cut(NamedTuple):
    """A request as members, ready to be written."""

    style: Style
    members: Members
    model: str | None
    """As the body names it."""
    wire: Wire | None = None
    same: tuple[str, int] = ("", 0)
    """A member and how many of its first elements the snapshot before has too."""


class Encoder(Growing):
    """What one file holds so far, as far as later records may refer to it."""

    def __init__(self, redact: Redaction | None = None, *, final: bool = False) -> None:
        super().__init__(redact)
        self._final = FinalArrays() if final else None
        self._known: dict[Any, Stored] = {}
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
        elif batch.growth is not None:
            self._grown(batch.growth)

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
        going: _Cut | None = None
        if type(request) is bytes and before is not None and before.wire is not None:
            same = same_elements(request, before.wire)
            if same == len(before.wire.ends):
                grown = self._grow(request, lane, before, batch, seq, exact)
                if grown is not None:
                    return grown
            going = self._go_on(request, batch, before, before.wire, same) if same else None
        proved: Exactness = "values"
        cut = _Cut("compact", [], None)
        whole: Stored | None = None
        if isinstance(request, str | bytes | bytearray | memoryview):
            proved = "bytes"
            if going is not None:
                cut = going
            else:
                text, proved = body_text(request)
                parts = split(text, _known(before))
                if parts is None:
                    whole, cut = self._odd(text, batch, before)
                else:
                    cut = self._cut(parts, batch, before, request if type(request) is bytes else None)
        else:
            taken = self._take(request, batch, before, lane, seq)
            if isinstance(taken, Stored):
                whole = taken
            else:
                cut = taken
        fields: dict[str, Any] = {"model": self._model(cut.model)}
        body = write_body(cut.members, before, cut.same)
        source = body.source
        if whole is not None:
            fields["whole"], source = whole.n, "null"
            body.members, body.runs = {"": [whole]}, {"": absolute_runs([whole.n])}
            body.sizes = {"": len(whole.source)}
        if body.base is not None:
            fields["base"] = body.base
        since = before.since_absolute + 1 if body.base is not None and before is not None else 0
        removed = tuple(batch.redactions)
        model = fields["model"]
        batch.lane = lane, Lane(seq, since, cut.members, body.members, body.runs, body.sizes, removed, model, cut.wire)
        fields |= {"exact": exact_of(exact, proved, batch.redactions), "style": cut.style}
        if keyframe:
            fields["keyframe"] = True
        if batch.replaced:
            fields["replaced"] = batch.replaced
        if batch.redactions:
            fields["redactions"] = batch.redactions
        return Encoded(fields, source, batch)

    def messages(self, messages: Iterable[Any], batch: Batch, name: str) -> list[Run]:
        """Stores messages of an answer or of a compaction.

        Args:
            messages: In order.
            batch: The record's.
            name: Field of the record they stand in.
        """
        numbers = []
        for place, message in enumerate(messages):
            numbers.append(self._value(message, batch, (), (name, place)).n)
        return absolute_runs(numbers)

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

    def _take(
        self, request: Any, batch: Batch, before: Lane | None, lane: str = "", seq: int | None = None
    ) -> _Cut | Stored:
        """Encodes a request of Python values."""
        items = mapping_items(request, batch)
        if items is None:
            return self._value(request, batch, _first(before, ""), ())
        copies = {name: copy_list(value) for name, value in items if isinstance(value, list | tuple)}
        arrays = {name: elements for name, elements in copies.items() if elements}
        found = {name: self._keys(elements, before, lane, name, seq) for name, elements in arrays.items()}
        grown = max(found, key=lambda name: found[name].same, default="")
        members: Members = []
        for name, value in items:
            previous = before.members.get(name, []) if before is not None else []
            if name not in arrays:
                members.append((name, False, self._member(name, value, batch, previous)))
                continue
            same = found[name].same if name == grown else 0
            quick, elements = found[name].keys[same:], arrays[name][same:]
            keys: list[Any] = [self._key(name, key) for key in quick]
            make = partial(self._new_value, batch, name, True, elements, quick)
            fresh = self._spread(name, keys, previous[same:], batch, make, same)
            members.append((name, True, [*previous[:same], *fresh]))
        model = next((value for name, value in items if name == "model" and isinstance(value, str)), None)
        if not grown or not found[grown].same or before is None:
            return _Cut("compact", members, model)
        if before.redactions:
            self._note_again(batch, before, (), grown, found[grown].same)
        return _Cut("compact", members, model, None, (grown, found[grown].same))

    def _keys(self, elements: Sequence[Any], before: Lane | None, lane: str, name: str, seq: int | None) -> Keys:
        if self._final is None or seq is None:
            return Keys([quick_key(element) for element in elements], 0)
        found = self._final.keys((lane, name), elements, seq, None if before is None else before.seq)
        if found.same and before is not None and any(map(_REPLACED, before.members[name][: found.same])):
            return Keys(found.keys, 0)  # what stands for them has to be noted again
        return found

    def _member(self, name: str, value: Any, batch: Batch, previous: Sequence[Stored]) -> list[Stored] | str:
        key = quick_key(value)
        if key is None or len(key) < INLINE_LIMIT:
            prepared = prepare_value(value, key, self._redact, name)
            if len(prepared.source) < INLINE_LIMIT and prepared.is_strict():
                batch.note(prepared, (name,))
                return prepared.source
        return [self._value(value, batch, previous[:1], (name,))]

    def _go_on(self, data: bytes, batch: Batch, before: Lane, wire: Wire, same: int) -> _Cut | None:
        """Encodes a body that begins with some elements of the one before: work in proportion to what is new.

        Returns:
            None where it has to be cut as a whole.
        """
        text = data[wire.ends[same - 1] :].decode("utf-8", "surrogateescape")
        place = next(i for i, member in enumerate(before.order) if member[0] == wire.grown)
        old = before.members[wire.grown]
        known = {name: [one.raw for one in kept] for name, kept in before.members.items() if name != wire.grown}
        known[wire.grown] = [one.raw for one in old[same:]]
        taken = [name for name, _, _ in before.order[:place]]
        parts = split_rest(text, wire.style, wire.grown, taken, known)
        if parts is None or any(
            _length(elements) > len(data) // 2 for _, spread, elements in parts.members[1:] if spread
        ):
            return None  # another array has become the longest
        if before.redactions:
            self._note_again(batch, before, taken, wire.grown, same)
        rest = self._cut(parts, batch, before, None, same)
        name, spread, fresh = rest.members[0]
        members = [*before.order[:place], (name, spread, [*old[:same], *fresh]), *rest.members[1:]]
        gap = len(", ") if wire.style.startswith("default") else len(",")
        ends = further_ends(wire.ends[same - 1] + gap, elements_sources(parts, name), wire.style)
        model = rest.model if any(member == "model" for member, _, _ in rest.members) else wire.model
        before.wire = None  # it moves on: should the record not be written, the next body is cut as a whole
        del wire.data[wire.ends[same - 1] :]
        kept = wire_of(data, wire.data, wire.style, name, [*wire.ends[:same], *ends], model)
        return _Cut(wire.style, members, model, kept, (name, same))

    def _note_again(self, batch: Batch, before: Lane, heads: Collection[str], grown: str, same: int) -> None:
        """Notes what was replaced or removed in the part that a body repeats."""
        names = {pointer(name)[1:] for name in heads}

        def stands(path: str) -> bool:
            steps = path.split("/")
            return steps[1] in names or (steps[1] == pointer(grown)[1:] and int(steps[2]) < same)

        batch.redactions += [noted for noted in before.redactions if stands(noted[0])]

    def _cut(
        self, parts: Split, batch: Batch, before: Lane | None, data: bytes | None, same: int | None = None
    ) -> _Cut:
        """Encodes what the text of a body was cut into.

        Args:
            parts: The members; after :func:`split_rest`, the rest of them.
            batch: The record's.
            before: The lane's snapshot before.
            data: The body, if it is to be remembered as it stands.
            same: Elements of the first member that are not in ``parts``; None: it is whole.
        """
        members: Members = []
        model: str | None = None
        for name, spread, elements in parts.members:
            previous = before.members.get(name, []) if before is not None else []
            if spread:
                offset = same if same is not None and not members else 0
                make = partial(self._new_text, batch, parts.style, name, True, elements)
                keys = [self._key(name, element.source) for element in elements]
                members.append((name, True, self._spread(name, keys, previous[offset:], batch, make, offset)))
                continue
            element = elements[0]
            if name == "model" and isinstance(element.value, str):
                model = element.value
            if len(element.source) < INLINE_LIMIT:
                prepared = prepare_text(element, parts.style, self._redact, name)
                if len(prepared.source) < INLINE_LIMIT and prepared.is_strict():
                    batch.note(prepared, (name,))
                    members.append((name, False, prepared.source))
                    continue
            members.append((name, False, [self._text(element, batch, parts.style, previous[:1], (name,))]))
        wire = remember(data, parts, model) if data is not None else None
        return _Cut(parts.style, members, model, wire)

    def _odd(self, text: str, batch: Batch, before: Lane | None) -> tuple[Stored | None, _Cut]:
        """Encodes a body that is no object, or has a form that only its source text keeps.

        Where the rules find something in it, that form is given up: they look into members.
        """
        try:
            value = LENIENT.decode(text)
        except (ValueError, RecursionError):
            value = None
        if self._redact is not None:
            if isinstance(value, dict):
                trial, first = Batch(batch.known, batch.lanes, batch.keyframe), self._next
                taken = self._take(value, trial, before)
                if trial.redactions and isinstance(taken, _Cut):
                    batch.new, batch.blobs, batch.size = trial.new, trial.blobs, trial.size
                    batch.redactions = trial.redactions
                    return None, taken
                self._next = first
            elif self._redact.by_member:
                batch.redactions.append(("", 1))
                text = json.dumps("[dropped: no JSON that key paths could be followed in]")
        whole = self._text(Element(text, UNREAD), batch, "compact", _first(before, ""), ())
        model = value.get("model") if isinstance(value, dict) else None
        return whole, _Cut("compact", [], model if isinstance(model, str) else None)

    def _model(self, model: str | None) -> str | None:
        if model is None or self._redact is None or not self._redact.touches(model, "model"):
            return model
        value = self._redact.apply(model, "model").value
        return value if isinstance(value, str) else None


def _length(elements: Sequence[Element]) -> int:
    return sum(len(element.source) for element in elements)


def _first(before: Lane | None, name: str) -> Sequence[Stored]:
    return before.members.get(name, ())[:1] if before is not None else ()


def _known(before: Lane | None) -> dict[str, list[str]]:
    return {name: [one.raw for one in kept] for name, kept in before.members.items()} if before else {}
