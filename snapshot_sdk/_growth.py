"""Encodes a body that differs from the one before only by elements appended to its longest array.

That is nearly every call of an agent, so this is the place of the encoder that is written for time. It compares what
the body repeats once, as bytes, and looks at it no more; of the rest of the record it builds only what is new.
Whatever is unusual about the new elements is left to the encoder.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, get_args

from snapshot_sdk._blobs import Batch, Frame, Growth, Lane, Stored
from snapshot_sdk._body import ABSOLUTE_EVERY, member_json
from snapshot_sdk._json import STYLES
from snapshot_sdk._redact import Redaction
from snapshot_sdk._runs import absolute_runs, joined_runs, runs_json
from snapshot_sdk._split import split_added
from snapshot_sdk._store import Elements
from snapshot_sdk._wire import further_ends
from snapshot_sdk.schema import Exactness

MAX_FRAME_RUNS: Final = 16
"""Runs of another array that are written again at every call, rather than looked at."""

_EXACT: Final[tuple[Exactness, ...]] = get_args(Exactness)


class Encoded(NamedTuple):
    """The content fields of a snapshot record."""

    fields: dict[str, Any]
    """Plain fields: ``model``, ``exact``, ``style`` …"""
    body: str
    """JSON of ``body``."""
    batch: Batch


class Growing(Elements):
    """The part of the encoder that knows bodies which only grow."""

    def __init__(self, redact: Redaction | None) -> None:
        super().__init__(redact)
        self._lanes: dict[str, Lane] = {}

    def _grow(
        self, data: bytes, lane: str, before: Lane, batch: Batch, seq: int, exact: Exactness | None
    ) -> Encoded | None:
        """Encodes a body that begins with all known elements of the one before.

        Returns:
            None where there is more to it than new elements; nothing was stored then.
        """
        wire, redact = before.wire, self._redact
        if wire is None or not data.endswith(wire.tail, wire.ends[-1]):
            return None
        name, style, count = wire.grown, wire.style, len(wire.ends)
        text = data[wire.ends[-1] : len(data) - len(wire.tail)].decode("utf-8", "surrogateescape")
        if redact is not None and redact.touches(text, name):
            return None
        sources = split_added(text, style)
        frame = before.frame or self._frame(before, name)
        if sources is None or frame is None:
            return None
        keys = [(name, source) for source in sources] if redact is not None and redact.by_member else sources
        found = list(map(batch.known.get, keys))
        for one in found:
            if one is not None and (one.replaced or one.redactions):
                return None

        fresh, numbers, size = [], [], 0
        for one, key, source in zip(found, keys, sources, strict=True):
            one = one or batch.new.get(key)
            if one is None:
                one = self._add(key, f'"value":{source}', Stored(self._next, source, source), batch)
            fresh.append(one)
            numbers.append(one.n)
            size += len(one.source)
        added = absolute_runs(numbers)
        runs = joined_runs(before.runs[name], added)
        fields: dict[str, Any] = {"model": before.model}
        since, written = 0, runs
        if before.since_absolute + 1 < ABSOLUTE_EVERY and len(added) + 1 < len(runs):
            since, written = before.since_absolute + 1, [[-1, 0, count], *added]
            fields["base"] = before.seq
        fields["exact"] = exact_of(exact, "bytes", before.redactions)
        fields["style"] = style
        if before.redactions:
            fields["redactions"] = before.redactions
        ends = further_ends(wire.ends[-1] + len(STYLES[style].item), sources, style)
        batch.growth = Growth(lane, seq, since, data, fresh, size, runs, ends)
        return Encoded(fields, f"{frame.head}{runs_json(written)}{frame.tail}", batch)

    def _grown(self, growth: Growth) -> None:
        """Remembers a body that grew, now that its record is on disk.

        The lane is taken out meanwhile: should a signal handler raise in between, the next body is cut as a whole.
        """
        lane = self._lanes.pop(growth.lane)
        wire = lane.wire
        if wire is None:
            return
        lane.seq, lane.since_absolute = growth.seq, growth.since_absolute
        lane.members[wire.grown].extend(growth.fresh)
        lane.runs[wire.grown] = growth.runs
        lane.sizes[wire.grown] += growth.size
        if growth.ends:
            wire.data.extend(memoryview(growth.data)[wire.ends[-1] : growth.ends[-1]])
            wire.ends.extend(growth.ends)
        self._lanes[growth.lane] = lane

    def _frame(self, lane: Lane, grown: str) -> Frame | None:
        """Writes what the records have in common; None where that is not short."""
        parts: list[str] = []
        place = 0
        for name, spread, content in lane.order:
            runs = lane.runs.get(name, []) if spread else []
            if name == grown:
                place = len(parts)
                runs = []
            elif len(runs) > MAX_FRAME_RUNS:
                return None
            parts.append(member_json(name, spread, content, runs_json(runs)))
        head, tail = parts[place].rsplit("[]", 1)
        lane.frame = Frame("{" + ",".join([*parts[:place], head]), ",".join([tail, *parts[place + 1 :]]) + "}")
        return lane.frame


def exact_of(said: Any, proved: Exactness, redacted: Any) -> Exactness:
    """Tells how far a body is proved.

    Args:
        said: What the caller says about it; anything else: what its form proves.
        proved: That.
        redacted: Not empty: something was removed.
    """
    exact: Exactness = said if said in _EXACT else proved
    return "redacted" if redacted and exact in ("bytes", "values") else exact
