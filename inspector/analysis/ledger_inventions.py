"""Values that a compaction wrote and no message has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from inspector.analysis.ledger_entries import LedgerEntry, Passage
from inspector.analysis.ledger_judging import is_tail
from inspector.analysis.ledger_ranking import KINDS
from inspector.analysis.ledger_reading import Reader, Saying, is_slight, read_sayings
from inspector.model.context import Block
from inspector.model.layers import Layer
from inspector.model.views import CallView
from snapshot_sdk.facts import Matcher

MADE: Final = frozenset((Layer.SUMMARY, Layer.MEMORY, Layer.STATE))
"""Layers that the agent's own code or a summarising model writes."""
_ASKED: Final = frozenset(KINDS) - {"name"}
"""Kinds that may be called invented: a heading has capitals as a name has."""
_ORIGINAL: Final = frozenset((Layer.HISTORY, Layer.INPUT, Layer.TOOL_RESULTS, Layer.RETRIEVED, Layer.ATTACHMENTS))
"""Layers in which the user, a tool or a document speaks."""
_AROUND: Final = 120
_COUNTER: Final = re.compile(r"(?:turn|step|call|msg|message|round|item|note)[_-]?\d{1,5}", re.IGNORECASE)
"""Names that an agent gives to its own records: ``last_updated: turn_5`` is book-keeping, no claim."""


class Sources:
    """All messages that a value may come from; they are read only as far as is needed."""

    def __init__(
        self,
        before: Sequence[Block],
        earlier: Sequence[Block],
        after: Sequence[Block],
        answers: Sequence[str],
        reader: Reader,
    ) -> None:
        """Keeps the messages.

        Args:
            before: The context before.
            earlier: Messages of earlier calls.
            after: The context after; what the compaction made there is no source.
            answers: What the model answered.
            reader: Reads values.
        """
        old = {block.content for block in (*before, *earlier)}
        self._made = [block for block in after if block.content not in old and _is_made(block)]
        made = {block.content for block in self._made}
        self._blocks = [*before, *(block for block in after if block.content not in made)]
        self._earlier = earlier
        self._answers = answers
        self._reader = reader
        self._keys: set[tuple[str, str]] | None = None
        self._grounded: set[tuple[str, str]] | None = None

    def is_grounded(self, kind: str, key: str) -> bool:
        """Tell whether the user, a tool or a document said a value.

        Args:
            kind: Its kind.
            key: Its key.
        """
        if self._grounded is None:
            blocks = (*self._blocks, *self._earlier)
            self._grounded = {(v.kind, v.key) for b in blocks if _is_original(b) for v in self._reader.values(b)}
        return (kind, key) in self._grounded

    def have(self, saying: Saying) -> bool:
        """Tell whether any message says a value or a name.

        Args:
            saying: What is looked for.
        """
        if self._keys is None:
            self._keys = {(v.kind, v.key) for b in self._blocks for v in self._reader.values(b)}
        if (saying.kind, saying.key) in self._keys or self._has_number(saying):
            return True
        if saying.kind == "path" and any(kind == "path" and is_tail(saying.text, key) for kind, key in self._keys):
            return True
        wanted = saying.text.casefold()
        texts = [*(block.text for block in (*self._blocks, *self._earlier)), *self._answers]
        if any(_says(saying, wanted, text) for text in texts) or _is_put_together(saying, texts):
            return True
        if saying.kind == "name":
            return False
        others = (value for b in self._earlier for value in self._reader.values(b))
        if any((value.kind, value.key) == (saying.kind, saying.key) for value in others):
            return True
        answered = (v for text in self._answers for v in self._reader.values_of(f"answer:{text}", text))
        return any((value.kind, value.key) == (saying.kind, saying.key) for value in answered)

    def _has_number(self, saying: Saying) -> bool:
        """Tell whether the same figure stands somewhere with another unit or none: then it is no invention."""
        assert self._keys is not None
        if saying.kind not in ("money", "number", "percent", "duration"):
            return False
        number = saying.key.lstrip("~").split(" ", 1)[0]
        return any(key.lstrip("~").split(" ", 1)[0] == number for kind, key in self._keys if kind in _FIGURES)


_FIGURES: Final = frozenset(("money", "number", "percent", "duration"))


def _is_put_together(saying: Saying, texts: Sequence[str]) -> bool:
    """Tell whether one message has all parts of a name: ``billing.refunds`` from a table under its schema."""
    parts = [part for part in _JOINT.split(saying.text) if part]
    if saying.kind not in ("id", "path") or len(parts) < 2:
        return False
    if saying.kind == "path" and any(f"/{saying.text}" in text for text in texts):
        return True
    return any(all(part in text for part in parts) for text in texts)


_JOINT: Final = re.compile(r"[./:#\\]")


def _says(saying: Saying, wanted: str, text: str) -> bool:
    lowered = text.casefold()
    at = lowered.find(wanted)
    matcher = Matcher(saying.fact) if at >= 0 else None
    while matcher is not None and at >= 0:
        around = lowered[max(0, at - _AROUND) : at + len(wanted) + _AROUND]
        if matcher.match(around).sightings:
            return True
        at = lowered.find(wanted, at + 1)
    return False


def _is_original(block: Block) -> bool:
    return block.layer in _ORIGINAL and not block.is_summary and block.role not in ("assistant", "model")


def _is_made(block: Block) -> bool:
    return block.is_summary or block.layer in MADE


def find_inventions(
    before: Sequence[Block], after: Sequence[Block], summary: int | None, sources: Sources, reader: Reader
) -> Iterator[LedgerEntry]:
    """Give the values of what the compaction made that no message has.

    Args:
        before: The context before.
        after: The context after.
        summary: Place in it of what stands for the messages taken.
        sources: Where a value may come from.
        reader: Reads values.
    """
    old = {block.content for block in before}
    found: dict[tuple[str, str], list[tuple[int, Saying]]] = {}
    for place, block in enumerate(after):
        if block.content in old or not (place == summary or _is_made(block)):
            continue
        for saying in read_sayings(reader, block):
            if saying.kind in _ASKED and not is_slight(saying) and not _COUNTER.fullmatch(saying.text):
                found.setdefault((saying.kind, saying.key), []).append((place, saying))
    for places in found.values():
        place, saying = places[0]
        if sources.have(saying):
            continue
        yield LedgerEntry(
            "invented",
            saying.kind,
            saying.text,
            Passage(place, saying.start, saying.end, saying.text),
            len({at for at, _ in places}),
            after[place].role,
            KINDS[saying.kind],
            ("no message has it",),
            tuple(dict.fromkeys(at for at, _ in places)),
            summary in {at for at, _ in places},
        )


def unseen_of(view: CallView) -> tuple[Block, ...]:
    """Return what a call sent and its model did not see: a server's summary may have it from there.

    Args:
        view: The call after a compaction.
    """
    rows = (one.row for one in view.seen.removed) if view.seen is not None else ()
    return tuple(Block(row.content, row.message.role, row.layer, row.message.text) for row in rows)
