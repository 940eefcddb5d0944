"""From the records of one session to what its prompts hold: units, composition, predecessors, pins."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import duckdb

from inspector.index.contents import INPUT, STOP, TOOL_MEMBERS, Catalog, Content
from inspector.index.pins import PinLog
from inspector.index.places import LabelPlaces
from inspector.index.store import Rows, clean
from inspector.index.sums import add_costs, by_layer
from inspector.index.threads import Change, Thread, Threads, find_change
from inspector.index.units import DEFAULT, Setting, Unit, UnitStore
from inspector.model.dialects import model_in_endpoint
from inspector.model.dialects.openai_responses import reference_of
from inspector.model.labels import LabelLog
from inspector.model.layering import Place
from inspector.model.layers import Layer
from inspector.model.settings import Settings
from inspector.model.tokens import Tokenizer, prompt_overhead, tokenizer_for
from inspector.model.views import TokenCount

if TYPE_CHECKING:
    from inspector.index.seen import Seen

SYSTEM_TAIL: Final = 64
"""Characters of a system text that decide how the tool definitions behind it melt into its last token."""

_INSTRUCTIONS: Final = frozenset({"system", "developer"})
_FORCED: Final = ("function_call", "tool_choice")
"""Parameters that add to a prompt."""

Key = tuple[str, str, int, int, int]
"""Order of display: time, writer, section, line, place on the line."""


@dataclass
class Prompt:
    """A prompt, as far as its own records say."""

    ordinal: int
    key: Key
    record: dict[str, Any]
    """The snapshot record; its body's arrays as runs."""
    api: str
    thread: int
    previous: int | None
    new_turns: int
    layers: dict[str, tuple[int, str]]
    """Tokens and weakest origin by layer."""
    rows: int
    pins_gone: list[str] = field(default_factory=list)
    refers: bool = False
    """Some of its messages stand for what a server keeps or replaced."""


def model_of(record: Mapping[str, Any]) -> str | None:
    """Return the model of a snapshot: as recorded, else as the body or the address names it (Bedrock, Gemini)."""
    model = record.get("model")
    if model is None:
        model = ((record.get("body") or {}).get("modelId") or {}).get("value")
    if model is None:
        return model_in_endpoint(record.get("endpoint"))
    return model if isinstance(model, str) else json.dumps(model)


class SessionState:
    """What is known of a session after the records taken so far; grows with them."""

    def __init__(self, session: str, settings: Settings) -> None:
        self.session = session
        self.settings = settings
        self.frontier: Key = ("", "", -1, -1, -1)
        """Key of the last record taken."""
        self.taken = 0
        """Number of records taken."""
        self.prompts: list[Prompt] = []
        self.ids: dict[str, int] = {}
        """Ordinal by snapshot id."""
        self.pins = PinLog()
        self.marks: list[tuple[int, Key, dict[str, Any]]] = []
        """Compaction and event records, with the number of prompts before them."""
        self.answered: dict[str, str] = {}
        """Snapshot id by the provider's id of its answer."""
        self.made: dict[str, str] = {}
        """Snapshot id by the content hash of a compaction that its answer was, or held."""
        self.seen: dict[int, Seen] = {}
        """What the model saw, by call; only where a server changed it."""
        self.looked: dict[int, int] = {}
        """By call, what was known when that was found out."""
        self.others = 0
        """How often answers came in other sessions that this one waited for."""
        self._conversations: dict[str, int] = {}
        self._before: dict[tuple[int, str], list[int]] = {}
        """Rows of the latest snapshot by section and lane: what the next record's are told from."""
        self._labels = LabelLog()
        self._places = LabelPlaces()
        self._threads = Threads()
        self._contents: dict[int, Content] = {}
        self._identities: dict[str, int] = {}
        self._identity_of: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._defaults: dict[str, dict[int, int]] = {}
        self._spoken: dict[int, bool] = {}
        self._tools: dict[int, None] = {}
        self._referring: set[int] = set()
        self._tails: dict[int, str] = {}
        self._tokenizers: dict[str | None, Tokenizer] = {}

    def take(
        self,
        rows: Sequence[tuple[Any, ...]],
        catalog: Catalog,
        units: UnitStore,
        cursor: duckdb.DuckDBPyConnection,
        out: Rows,
    ) -> None:
        """Take in the records that follow, in order of display.

        Args:
            rows: Time, writer, section, line, place, type, api, record, kept and contents of each.
            catalog: Contents of this batch.
            units: Where counted contents come from.
            cursor: For contents of earlier batches.
            out: Takes the rows for the table of prompts.
        """
        parsed = [(row, json.loads(row[7])) for row in rows]
        self._load(self.new_contents(rows), catalog, units)
        self._match(parsed, catalog, units, cursor)
        for row, record in parsed:
            self.frontier = (row[0], row[1], row[2], row[3], row[4])
            self.taken += 1
            kind = row[5]
            if kind == "snapshot":
                before = self._before.get((row[2], record["lane"]), [])
                contents = before[: row[8]] + row[9]
                self._before[row[2], record["lane"]] = contents
                if record["id"] not in self.ids:
                    self._prompt(record, row[6], contents, units, out)
            elif kind == "label":
                self._labels.add(record)
            elif kind == "pin":
                self.pins.add(record)
            elif kind == "unpin":
                self.pins.release(record)
            elif kind in ("compaction", "event"):
                self.marks.append((len(self.prompts), self.frontier, record))

    def new_contents(self, rows: Sequence[tuple[Any, ...]]) -> list[int]:
        """Return the contents of records that were not met in this session before."""
        met = {content for row in rows if row[5] == "snapshot" for content in row[9]}
        return sorted(met - self._contents.keys())

    def _load(self, new: Sequence[int], catalog: Catalog, units: UnitStore) -> None:
        """Learn what is known of contents not met in this session before."""
        found = catalog.recall(new)
        self._contents.update(found)
        for content, known in found.items():
            identity = self._identities.setdefault(known.hash, len(self._identities))
            self._identity_of[content] = identity
            if known.member in TOOL_MEMBERS:
                self._tools[content] = None
            if known.refers:
                self._referring.add(content)
        units.prepare(new, fresh=catalog.known.keys())

    def _match(
        self,
        parsed: Sequence[tuple[tuple[Any, ...], dict[str, Any]]],
        catalog: Catalog,
        units: UnitStore,
        cursor: duckdb.DuckDBPyConnection,
    ) -> None:
        """Look for labelled and pinned texts in the contents where they were not looked for yet."""
        for row, record in parsed:
            if row[5] == "pin":
                self.pins.expect(record)
        texts = {
            record["target"]["text"]
            for row, record in parsed
            if row[5] == "label" and isinstance(record["target"].get("text"), str)
        }
        self._places.expect(texts)
        unpinned = self.pins.unchecked(self._contents)
        if unpinned:
            self.pins.look(self._texts(unpinned, catalog, cursor))
        unplaced = self._places.unchecked(self._contents)
        if unplaced:
            units.load(unplaced)
            self._places.look({content: units.message(content) for content in unplaced})

    def _texts(
        self, contents: Iterable[int], catalog: Catalog, cursor: duckdb.DuckDBPyConnection
    ) -> dict[int, tuple[str, str]]:
        texts: dict[int, tuple[str, str]] = {}
        older = []
        for content in contents:
            message = catalog.messages.get(content)
            if message is None:
                older.append(content)
            else:
                texts[content] = clean(message.text), self._contents[content].hash
        if older:
            rows = cursor.execute(
                "SELECT content, text, hash FROM store.contents WHERE content IN (SELECT unnest(?))", [older]
            ).fetchall()
            texts.update({content: (text, digest) for content, text, digest in rows})
        return texts

    def _prompt(self, record: dict[str, Any], api: str, contents: list[int], store: UnitStore, out: Rows) -> None:
        ordinal = len(self.prompts) + 1
        tokenizer = self.tokenizer_of(record)
        continued = self._continued(record, contents)
        defaults = self._default_units(contents, tokenizer, store)
        given = record.get("lane_origin") == "given"
        identities = list(map(self._identity_of.__getitem__, contents))
        thread = self._threads.find(
            record["lane"],
            given=given,
            contents=contents,
            identities=identities,
            sizes=self._sizes,
            after=None if continued is None else self.prompts[continued - 1].thread,
        )
        recorded = self.ids.get(record.get("previous") or "") if given else None
        previous = continued or recorded or thread.ordinal or None
        new_turns = self._advance(thread, ordinal, contents, defaults, store)
        special = self._special_units(contents, record, tokenizer, store)
        units = list(thread.units)
        costs = Counter(thread.costs)
        unknown = Counter(thread.unknown)
        for at, unit in special.items():
            add_costs(costs, unknown, store.by_number[units[at]].costs, -1)
            add_costs(costs, unknown, unit.costs, 1)
            units[at] = unit.unit
        extra = prompt_overhead(api, _forced(record["body"]), tokenizer)
        refers = bool(self._referring) and not self._referring.isdisjoint(contents)
        add_costs(costs, unknown, ((Layer.OVERHEAD.value, extra.origin, extra.count),), 1)
        layers = by_layer(costs, unknown)
        gone = self.pins.missing(ordinal, record["lane"], record.get("purpose"), contents)
        self.prompts.append(
            Prompt(
                ordinal,
                self.frontier,
                record,
                api,
                thread.number,
                previous,
                new_turns,
                layers,
                len(contents),
                gone,
                refers,
            )
        )
        self.ids[record["id"]] = ordinal
        out.add(
            self.session,
            ordinal,
            *self.frontier[2:],
            units,
            thread.number,
            previous,
            new_turns,
            list(layers),
            [count for count, _ in layers.values()],
            [origin for _, origin in layers.values()],
            gone,
        )

    def _advance(self, thread: Thread, ordinal: int, contents: list[int], units: list[int], store: UnitStore) -> int:
        """Bring a thread to its next prompt; only what changed costs anything.

        Returns:
            The number of turns that begin with it.
        """
        if thread.units == units[: len(thread.units)]:
            change = Change(len(thread.units), 0, [], units[len(thread.units) :])
        else:
            change = find_change(thread.units, units)
        removed = [store.by_number[number] for number in change.removed]
        added = [store.by_number[number] for number in change.added]
        came = [self._identity_of[unit.content] for unit in added]
        went = [self._identity_of[unit.content] for unit in removed]
        for unit in removed:
            add_costs(thread.costs, thread.unknown, unit.costs, -1)
        for unit in added:
            add_costs(thread.costs, thread.unknown, unit.costs, 1)
        thread.counts.subtract(went)
        thread.counts.update(came)
        for identity in went:
            if not thread.counts[identity]:
                del thread.counts[identity]
        thread.ordinal, thread.contents, thread.units = ordinal, contents, units
        spoken = Counter(identity for identity in came if self._spoken[identity])
        return sum((spoken - Counter(went)).values())

    def _continued(self, record: Mapping[str, Any], contents: Sequence[int]) -> int | None:
        """Return the call whose stored conversation or compaction a call goes on with; None: it does not say."""
        body: Mapping[str, Any] = record["body"] or {}
        previous = _value(body, "previous_response_id")
        conversation = reference_of(_value(body, "conversation"))
        ordinal = self.ids.get(self.answered.get(previous, "")) if isinstance(previous, str) else None
        if conversation is not None:
            ordinal = ordinal or self._conversations.get(conversation)
            self._conversations[conversation] = len(self.prompts) + 1
        if ordinal is None and self.made and self._referring:
            made = (self.made.get(self._contents[c].hash) for c in reversed(contents) if c in self._referring)
            ordinal = next((self.ids[snapshot] for snapshot in made if snapshot in self.ids), None)
        return ordinal

    def opening_of(self, prompt: Prompt, tokenizer: Tokenizer) -> TokenCount:
        """Count what the template adds once to a prompt."""
        return prompt_overhead(prompt.api, _forced(prompt.record["body"]), tokenizer)

    def tokenizer_of(self, record: Mapping[str, Any]) -> Tokenizer:
        """Return the tokenizer of a snapshot's model."""
        model = model_of(record)
        if model not in self._tokenizers:
            self._tokenizers[model] = tokenizer_for(model, self.settings)
        return self._tokenizers[model]

    def _input(self, contents: Sequence[int]) -> int | None:
        """Find the user's current input: the model's rule, on what it said of each content beforehand."""
        known = self._contents
        last = len(contents) - 1
        for at in range(last, -1, -1):
            walk = known[contents[at]].walk
            if walk == INPUT:
                return at
            if walk == STOP and at < last:
                return None
        return None

    def _default_units(self, contents: Sequence[int], tokenizer: Tokenizer, store: UnitStore) -> list[int]:
        """Return the unit of each content as it is counted anywhere, without labels."""
        defaults = self._defaults.setdefault(store.counting(tokenizer), {})
        for content in sorted(set(contents) - defaults.keys()):
            unit = store.unit(self._contents[content], tokenizer, DEFAULT)
            defaults[content] = unit.unit
            identity = self._identity_of[content]
            self._sizes[identity] = sum(count or 0 for _, _, count in unit.costs)
            self._spoken[identity] = unit.spoken
        return list(map(defaults.__getitem__, contents))

    def _special_units(
        self, contents: list[int], record: Mapping[str, Any], tokenizer: Tokenizer, store: UnitStore
    ) -> dict[int, Unit]:
        """Return the units of rows whose place or labels say something about them, by row."""
        current = self._input(contents)
        labelled = self._places.settings(contents, self._contents, self._labels.active(record.get("turn")))
        rules = store.positional_rules(contents, self._contents)
        special: dict[int, Setting] = {}
        for at in {*labelled, *rules, *(() if current is None else (current,))}:
            label = labelled.get(at)
            place = Place(at == current, rules.get(at, ()))
            special[at] = Setting(place, label.labels, label.message_label) if label else Setting(place)
        for content in self._tools:
            if content in contents:
                at = contents.index(content)
                special[at] = self._tools_setting(contents, store, special.get(at, DEFAULT))
        return {at: store.unit(self._contents[contents[at]], tokenizer, setting) for at, setting in special.items()}

    def _tools_setting(self, contents: Sequence[int], store: UnitStore, setting: Setting) -> Setting:
        """Add the end of the system text that tool definitions are written behind."""
        first = next((content for content in contents if content not in self._tools), None)
        if first is None or self._contents[first].role not in _INSTRUCTIONS:
            return setting
        if first not in self._tails:
            self._tails[first] = store.message(first).text[-SYSTEM_TAIL:]
        return replace(setting, system=self._tails[first])


def _value(body: Mapping[str, Any], member: str) -> Any:
    return (body.get(member) or {}).get("value")


def _forced(body: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: body[name]["value"] for name in _FORCED if body and "value" in body.get(name, {})}
