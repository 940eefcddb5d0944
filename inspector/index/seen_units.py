"""Units of what a model saw: whole contents, contents of which parts were taken out, and what nobody can read."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import duckdb

from inspector.index.contents import Catalog
from inspector.index.seen_parts import SEEN
from inspector.index.sums import UNKNOWN_ORIGIN, merge
from inspector.index.units import DEFAULT, Unit, UnitStore
from inspector.model.dialects import dialect_named
from inspector.model.effective import EffectiveElement
from inspector.model.layers import Layer
from inspector.model.request import Message
from inspector.model.tokens import Tokenizer
from snapshot_sdk.canonical import text_hash


class SeenUnits:
    """Gives out units of what the model saw."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, catalog: Catalog, units: UnitStore) -> None:
        self._cursor = cursor
        self._catalog = catalog
        self._units = units
        self._stored: dict[int, dict[str, Any]] = {}
        self._opaque: dict[str, int] = {}
        self._whole: dict[tuple[int, str], int] = {}
        self._cut: dict[tuple[int, tuple[Any, ...]], int] = {}
        self._sizes: dict[tuple[int, tuple[int, ...]], int | None] = {}

    def unit(self, number: int) -> Unit:
        """Return a unit by its number, one of another session too."""
        unit = self._units.by_number.get(number)
        if unit is not None:
            return unit
        stored = self.stored(number)
        return Unit(number, stored["content"], tuple(map(tuple, stored["costs"])), stored["spoken"])

    def stored(self, number: int) -> dict[str, Any]:
        """Return what is stored of a unit."""
        if number not in self._stored:
            self._units.write()
            ((content, counting, segments),) = self._cursor.execute(
                "SELECT content, counting, segments FROM store.units WHERE unit = ?", [number]
            ).fetchall()
            self._stored[number] = {"content": content, "counting": counting, **json.loads(segments)}
        return self._stored[number]

    def whole(self, content: int, tokenizer: Tokenizer) -> int:
        """Return the unit of a content as it is counted anywhere, without labels."""
        key = content, self._units.counting(tokenizer)
        if key not in self._whole:
            known = self._catalog.recall([content])[content]
            self._units.prepare([content], fresh=self._catalog.known.keys())
            self._whole[key] = self._units.unit(known, tokenizer, DEFAULT).unit
        return self._whole[key]

    def cut(self, base: int, whole: Message, seen: Message) -> int:
        """Return the unit of a message of which the model saw only some parts."""
        numbers = {id(part): number for number, part in enumerate(whole.parts)}
        parts = tuple(numbers.get(id(part), (part.kind, part.name, part.call_id)) for part in seen.parts)
        key = base, parts
        if key not in self._cut:
            self._cut[key] = self._add_cut(base, [part if isinstance(part, int) else list(part) for part in parts])
        return self._cut[key]

    def _add_cut(self, base: int, parts: Sequence[Any]) -> int:
        stored = self.stored(base)
        segments: list[list[Any]] = []
        layers = [segment[3] for segment in stored["segments"]]
        for number, part in enumerate(parts):
            if isinstance(part, int):
                segments += [[number, *segment[1:]] for segment in stored["segments"] if segment[0] == part]
            else:
                layer = Layer.TOOL_RESULTS.value if part[0] == "tool_result" else (layers or [Layer.HISTORY.value])[0]
                segments.append([number, 0, 0, layer, None, UNKNOWN_ORIGIN, None, "put in by the server"])
        count, origin = stored["overhead"]
        figures = [(layer, from_, tokens) for _, _, _, layer, tokens, from_, *_ in segments]
        if count != 0:
            figures.append((Layer.OVERHEAD.value, origin, count))
        row = {
            "segments": segments,
            "overhead": stored["overhead"],
            "costs": merge(figures),
            "spoken": stored["spoken"],
            SEEN: list(parts),
        }
        counting = f"{stored['counting']}|seen:{text_hash(json.dumps([base, *parts]))}"
        return self._units.add(stored["content"], counting, row).unit

    def opaque(self, api: str, row: EffectiveElement) -> int:
        """Return the unit of an entry that nobody but the server can read."""
        name = "\n".join((row.why, *(f"{part.name} {part.text}" for part in row.message.parts)))
        if name not in self._opaque:
            dialect = dialect_named(api)
            content = self._catalog.lost(dialect, row.element.member, f"server:{text_hash(name)}", row.why, whole=False)
            segments = [[0, 0, 0, Layer.HISTORY.value, None, UNKNOWN_ORIGIN, None, "kept by the server"]]
            stored = {
                "segments": segments,
                "overhead": [0, UNKNOWN_ORIGIN],
                "costs": [[Layer.HISTORY.value, UNKNOWN_ORIGIN, None]],
                "spoken": False,
            }
            self._opaque[name] = self._units.add(content, "kept by the server", stored).unit
        return self._opaque[name]

    def count_whole(self, numbers: Iterable[int]) -> int | None:
        """Add up the tokens of units; None where some are unknown."""
        counts = [count for number in numbers for _, _, count in self.unit(number).costs]
        return None if None in counts else sum(count or 0 for count in counts)

    def count_parts(self, taken: Iterable[tuple[int, Sequence[int]]]) -> int | None:
        """Add up the tokens of parts of units; None where some are unknown."""
        sizes = []
        for number, parts in taken:
            key = number, tuple(parts)
            if key not in self._sizes:
                self._sizes[key] = self._size(*key)
            sizes.append(self._sizes[key])
        return None if None in sizes else sum(size or 0 for size in sizes)

    def _size(self, number: int, parts: Collection[int]) -> int | None:
        stored = self.stored(number)
        counts: list[int | None] = [count for part, _, _, _, count, *_ in stored["segments"] if part in parts]
        if None in counts:
            return None
        is_whole = all(segment[0] in parts for segment in stored["segments"])
        return sum(count or 0 for count in counts) + ((stored["overhead"][0] or 0) if is_whole else 0)
