"""Pins in force, and which contents hold them verbatim."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.index.store import clean


@dataclass
class Pin:
    """A pin and how it fared so far."""

    id: str
    target: Mapping[str, Any]
    excerpt: str
    reason: str | None
    caller: str | None
    scope: str | None
    released: bool = False
    since_call: int | None = None
    released_call: int | None = None
    gone: list[int] = field(default_factory=list)
    holders: set[int] = field(default_factory=set)
    """Contents that hold it."""
    checked: set[int] = field(default_factory=set)
    """Contents looked at."""

    def holds_for(self, lane: str, purpose: str | None) -> bool:
        """Say whether it holds for a call: without a scope for every one but side calls, which never have it all."""
        return purpose is None if self.scope is None else self.scope == lane

    @property
    def test(self) -> Callable[[str, str], bool]:
        """The test of a content: its text and its content hash."""
        target = self.target
        if isinstance(target.get("message"), str):
            return lambda _, digest: digest == target["message"]
        if isinstance(target.get("text"), str):
            wanted = clean(target["text"])
            return lambda text, _: wanted in text
        try:
            pattern = re.compile(str(target.get("regex")))
        except re.error:
            # The recorder only takes compiled patterns; one this Python does not know holds nowhere.
            return lambda *_: False
        return lambda text, _: pattern.search(text) is not None


class PinLog:
    """Pin and unpin records of one session, fed in display order."""

    def __init__(self) -> None:
        self.pins: dict[str, Pin] = {}
        """Every pin recorded so far, by id, in order of record."""
        self._expected: dict[str, Pin] = {}

    def expect(self, record: Mapping[str, Any]) -> None:
        """Announce a ``pin`` record, so that its text can be looked for before its place in the order comes."""
        self._expected.setdefault(
            record["pin"],
            Pin(
                clean(record["pin"]),
                record["target"],
                clean(str(record.get("excerpt") or "")),
                record.get("reason"),
                record.get("caller"),
                record.get("scope"),
            ),
        )

    def add(self, record: Mapping[str, Any]) -> None:
        """Take in a ``pin`` record that was announced."""
        pin = self.pins.setdefault(record["pin"], self._expected[record["pin"]])
        # Pinned again after a release: its life goes on, as one pin with one history.
        pin.released, pin.released_call = False, None

    def release(self, record: Mapping[str, Any]) -> None:
        """Take in an ``unpin`` record."""
        pin = self.pins.get(record["pin"])
        if pin is not None:
            pin.released = True

    def unchecked(self, contents: Collection[int]) -> set[int]:
        """Return the contents that some pin has not been looked for in."""
        return {content for pin in self._expected.values() for content in contents if content not in pin.checked}

    def look(self, texts: Mapping[int, tuple[str, str]]) -> None:
        """Look for every pin in contents.

        Args:
            texts: Text and content hash by content.
        """
        for pin in self._expected.values():
            test = pin.test
            new = texts.keys() - pin.checked
            pin.holders.update(content for content in new if test(*texts[content]))
            pin.checked.update(new)

    def missing(self, call: int, lane: str, purpose: str | None, contents: Sequence[int]) -> list[str]:
        """Say which pins a prompt lacks, and note it in their histories."""
        gone = []
        for pin in self.pins.values():
            if not pin.holds_for(lane, purpose):
                continue
            if pin.released:
                if pin.released_call is None:
                    pin.released_call = call
                continue
            if pin.since_call is None:
                pin.since_call = call
            if pin.holders.isdisjoint(contents):
                pin.gone.append(call)
                gone.append(pin.id)
        return gone

    def in_force(self, call: int, lane: str, purpose: str | None) -> Iterator[Pin]:
        """Yield the pins that a call must have, once it was taken in."""
        for pin in self.pins.values():
            if not pin.holds_for(lane, purpose) or pin.since_call is None or call < pin.since_call:
                continue
            if pin.released_call is None or call < pin.released_call:
                yield pin

    def gone(self, seen: Mapping[int, Collection[str]]) -> dict[str, list[int]]:
        """Return the calls that lack each pin.

        Args:
            seen: For calls whose prompt a server changed, the pins the model did not see.
        """
        return {
            pin.id: sorted({*(call for call in pin.gone if call not in seen), *(c for c in seen if pin.id in seen[c])})
            for pin in self.pins.values()
        }

    def rows(self, session: str, gone: Mapping[str, list[int]]) -> list[tuple[Any, ...]]:
        """Return the rows of the table of pins.

        Args:
            session: The session.
            gone: The calls that lack each.
        """
        return [
            (
                session,
                pin.id,
                pin.excerpt,
                json.dumps(pin.target),
                pin.reason and clean(pin.reason),
                pin.caller and clean(pin.caller),
                pin.scope and clean(pin.scope),
                pin.since_call,
                pin.released_call,
                gone[pin.id],
            )
            for pin in self.pins.values()
        ]
