"""Units: a content as it is cut into layers and counted, under one tokenizer, one place and one set of labels."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from inspector.index.contents import KEPT, Catalog, Content, load_messages
from inspector.index.schema import UNITS
from inspector.index.store import Batch, clean
from inspector.index.sums import Costs
from inspector.index.tally import count_row
from inspector.model.labels import Label
from inspector.model.layering import Place, PlacedLabel, places_of, segment_message
from inspector.model.request import Element, Message
from inspector.model.settings import Settings
from inspector.model.tokens import Tokenizer, counting_key
from inspector.model.views import TokenCount
from snapshot_sdk.canonical import text_hash

NO_PLACE: Final = Place()


@dataclass(frozen=True, eq=False)
class Unit:
    """A counted content."""

    unit: int
    content: int
    costs: Costs
    """Tokens by layer and origin, overhead of the message included."""
    spoken: bool
    """It holds text of the dialogue: a user message that does so starts a turn."""


@dataclass(frozen=True)
class Setting:
    """What decides how a content is cut and counted, its own text aside."""

    place: Place = NO_PLACE
    labels: tuple[PlacedLabel, ...] = ()
    message_label: Label | None = None
    system: str | None = None
    """For tool definitions: the end of the system text they are written behind; None: there is none."""


DEFAULT: Final = Setting()


class UnitStore:
    """Gives out units, old ones from memory or the database, new ones by counting."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, batch: Batch, catalog: Catalog, settings: Settings) -> None:
        self._cursor = cursor
        self._batch = batch
        self._catalog = catalog
        self._rules = settings.layers
        self._lasting = tuple(number for number, rule in enumerate(settings.layers) if rule.position is None)
        self._by_key: dict[tuple[int, str], Unit] = {}
        self.by_number: dict[int, Unit] = {}
        """Every unit given out."""
        self._countings: dict[tuple[str, str | None], str] = {}
        self._loaded: set[int] = set()
        self._messages: dict[int, Message] = {}
        self._counts: dict[tuple[int, str, tuple[tuple[int, int, int], ...]], Sequence[TokenCount]] = {}
        """Counts by content, counting and cuts: a message that becomes history is not counted again."""

    def forget(self) -> None:
        """Drop everything held: the numbers stay in the database."""
        self._by_key.clear()
        self.by_number.clear()
        self._loaded.clear()
        self._messages.clear()

    def prepare(self, contents: Collection[int], *, fresh: Collection[int]) -> None:
        """Fetch the units of these contents that are in the database.

        Args:
            contents: What will be asked for.
            fresh: Contents of this batch, which cannot have any.
        """
        wanted = [content for content in contents if content not in self._loaded and content not in fresh]
        self._loaded.update(contents)
        if not wanted:
            return
        rows = self._cursor.execute(
            "SELECT unit, content, counting, segments FROM store.units WHERE content IN (SELECT unnest(?))", [wanted]
        ).fetchall()
        for number, content, counting, stored in rows:
            data = json.loads(stored)
            costs = tuple((layer, origin, count) for layer, origin, count in data["costs"])
            self._keep(counting, Unit(number, content, costs, data["spoken"]))

    def message(self, content: int) -> Message:
        """Return the decoded message of a content."""
        found = self._catalog.messages.get(content) or self._messages.get(content)
        if found is None:
            found = self.load([content])[content]
        return found

    def load(self, contents: Iterable[int]) -> Mapping[int, Message]:
        """Decode contents of earlier batches, at once, and keep them until :meth:`forget_messages`."""
        wanted = [c for c in contents if c not in self._catalog.messages and c not in self._messages]
        if wanted:
            self._messages.update(load_messages(self._cursor, wanted))
        return self._messages

    def forget_messages(self) -> None:
        """Drop decoded messages and counts of texts: a batch is done with them."""
        self._messages.clear()
        self._counts.clear()

    def write(self) -> None:
        """Write what the batch has collected so far: questions to the database see it then."""
        self._batch.write(self._cursor)

    def add(self, content: int, counting: str, stored: Mapping[str, Any]) -> Unit:
        """Add a unit that was counted elsewhere, or return the one there is.

        Args:
            content: Its content.
            counting: What it was counted under.
            stored: Its ``segments``, ``overhead``, ``costs`` and ``spoken``.
        """
        known = self._by_key.get((content, counting))
        if known is not None:
            return known
        number = self._batch.number(UNITS)
        self._batch.add(UNITS, number, content, clean(counting), json.dumps(stored, separators=(",", ":")))
        costs = tuple((layer, origin, count) for layer, origin, count in stored["costs"])
        return self._keep(counting, Unit(number, content, costs, stored["spoken"]))

    @property
    def full(self) -> bool:
        """More units are held than memory should give to them."""
        return len(self.by_number) > KEPT

    def unit(self, content: Content, tokenizer: Tokenizer, setting: Setting) -> Unit:
        """Return the unit of a content."""
        counting = self._counting(tokenizer, setting)
        unit = self._by_key.get((content.content, counting))
        if unit is not None:
            return unit
        message = self.message(content.content)
        element = Element(content.member, content.index, message)
        place = Place(setting.place.is_input, (*self.lasting_rules(element), *setting.place.rules))
        segments = segment_message(
            element, place, labels=setting.labels, message_label=setting.message_label, rules=self._rules
        )
        cuts = content.content, self.counting(tokenizer), tuple((s.part, s.start, s.end) for s in segments)
        row = count_row(content.api, element, segments, tokenizer, system=setting.system, known=self._counts.get(cuts))
        self._counts[cuts] = row.counts
        stored = {"segments": row.segments, "overhead": row.overhead, "costs": row.costs, "spoken": row.spoken}
        return self.add(content.content, counting, stored)

    def counting(self, tokenizer: Tokenizer) -> str:
        """Name what a content is counted under where neither place nor labels matter."""
        key = tokenizer.key, tokenizer.model
        if key not in self._countings:
            self._countings[key] = counting_key(tokenizer)
        return self._countings[key]

    def _counting(self, tokenizer: Tokenizer, setting: Setting) -> str:
        """Name what a content is counted under; equal names, equal counts."""
        if setting is DEFAULT:
            return self.counting(tokenizer)
        labels = [
            (placed.label.text, placed.label.layer, placed.label.source, placed.places) for placed in setting.labels
        ]
        whole = setting.message_label and (setting.message_label.layer, setting.message_label.source)
        facts = (setting.place.is_input, setting.place.rules, setting.system, labels, whole)
        return f"{self.counting(tokenizer)}|{text_hash(repr(facts))}"

    def _keep(self, counting: str, unit: Unit) -> Unit:
        self._by_key[unit.content, counting] = unit
        self.by_number[unit.unit] = unit
        return unit

    def lasting_rules(self, element: Element) -> tuple[int, ...]:
        """Return the user's rules that fit an element wherever it stands."""
        if not self._lasting:
            return ()
        (place,) = places_of([element], [self._rules[number] for number in self._lasting])
        return tuple(self._lasting[number] for number in place.rules)

    def positional_rules(self, contents: Sequence[int], known: Mapping[int, Content]) -> dict[int, tuple[int, ...]]:
        """Return the user's rules that fit by position, by place in the prompt."""
        found: dict[int, tuple[int, ...]] = {}
        if len(self._lasting) == len(self._rules):
            return found
        spoken = [at for at, content in enumerate(contents) if known[content].role is not None]
        for number, rule in enumerate(self._rules):
            if rule.position is None:
                continue
            wanted = {"first": 0, "last": -1}.get(str(rule.position), rule.position)
            if not isinstance(wanted, int) or not -len(spoken) <= wanted < len(spoken):
                continue
            at = spoken[wanted]
            if rule.role in (None, known[contents[at]].role):
                found[at] = (*found.get(at, ()), number)
        return found
