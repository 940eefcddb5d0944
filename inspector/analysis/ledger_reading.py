"""Reads what messages say: values, rules and names; each content once, and no more than is bearable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from inspector.analysis.ledger_entries import EntryKind
from inspector.analysis.proper_names import find_proper_names
from inspector.model.context import Block
from inspector.model.layers import Layer
from snapshot_sdk.facts import Fact, FoundFact, find_facts, guess_kind

READ_OF_ONE: Final = 20_000
"""Characters of a message that are read for values: further down a message is a listing."""
READ_OF_ALL: Final = 600_000
"""Characters that are read of all messages of a ledger (two seconds at the 300,000 a second measured on two cores)."""
LONGEST_RULE: Final = 240
"""Characters of a sentence that may be a rule."""
_SHORTEST_RULE: Final = 4
_SENTENCE: Final = re.compile(r"[^。！？!?；;\n]*?(?:[。！？!?；;\n]+|\.(?=\s|\Z)|\Z)", re.DOTALL)

_FIRM_DIGITS: Final = 4
"""Digits from which a bare number is more than a count."""


@dataclass(frozen=True)
class Saying:
    """Something that a message says."""

    kind: EntryKind
    key: str
    """Equal for equal values of a kind."""
    text: str
    start: int
    end: int
    fact: Fact
    """To look for it elsewhere; a name is looked for as text."""


class Reader:
    """Reads contents for values, each once; over the limit it reads no more."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[FoundFact, ...]] = {}
        self._left = READ_OF_ALL
        self.unread: set[str] = set()
        """Contents that were read in part or not at all."""

    def values(self, content: str, text: str) -> tuple[FoundFact, ...]:
        """Give the values of a text.

        Args:
            content: Its hash: equal ones are read once.
            text: The text.
        """
        known = self._found.get(content)
        if known is not None:
            return known
        length = min(len(text), READ_OF_ONE)
        if length > self._left:
            length = 0
        if length < len(text):
            self.unread.add(content)
        self._left -= length
        piece = text[:length]
        if length < len(text):  # a value cut in two would be another value
            piece = piece[: max(piece.rfind(" "), piece.rfind("\n"), piece.rfind("，"), 0)]
        found = self._found[content] = find_facts(piece) if piece else ()
        return found


def is_said_by_user(block: Block) -> bool:
    """Tell whether a message is the user's own words: not a summary, a state or a document in his role.

    Args:
        block: The message.
    """
    return block.role == "user" and not block.is_summary and block.layer in (Layer.HISTORY, Layer.INPUT)


def read_sayings(reader: Reader, block: Block) -> Iterator[Saying]:
    """Give what a message says: values, names, and the user's and the system's rules.

    Args:
        reader: Reads values.
        block: The message.
    """
    for found in reader.values(block.content, block.text):
        yield Saying(found.kind, found.key, found.text, found.start, found.end, found.fact)
    dialogue = block.layer not in (Layer.TOOL_CALLS, Layer.TOOL_RESULTS, Layer.TOOLS, Layer.RETRIEVED)
    if not dialogue:
        return
    piece = block.text[:READ_OF_ONE]
    for name in find_proper_names(piece):
        yield Saying("name", name.text.casefold(), name.text, name.start, name.end, Fact("text", name.text))
    if block.role in ("user", "system", "developer") and not block.is_summary:
        for start, end in sentences_of(piece):
            text = piece[start:end]
            if _SHORTEST_RULE <= len(text) <= LONGEST_RULE and guess_kind(text) == "rule":
                yield Saying("rule", " ".join(text.split()).casefold(), text, start, end, Fact("rule", text))


def sentences_of(text: str) -> Iterator[tuple[int, int]]:
    """Give the sentences of a text, white space at their ends left out.

    Args:
        text: Any text.
    """
    for match in _SENTENCE.finditer(text):
        piece = match[0]
        if piece.strip():
            start = match.start() + len(piece) - len(piece.lstrip())
            yield start, match.end() - len(piece) + len(piece.rstrip())


def is_slight(saying: Saying) -> bool:
    """Tell whether a value is no more than a count: a bare number of few digits with nothing that names it.

    Args:
        saying: The value.
    """
    if saying.kind != "number":
        return False
    return sum(letter.isdigit() for letter in saying.text) < _FIRM_DIGITS and not saying.fact.anchors


def distinct(blocks: Iterable[Block]) -> list[Block]:
    """Give messages of equal content once, in order.

    Args:
        blocks: The messages.
    """
    return list({block.content: block for block in blocks}.values())
