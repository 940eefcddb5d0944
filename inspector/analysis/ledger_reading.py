"""Reads what messages say: values, rules and names; each content once, and no more than is bearable."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from inspector.analysis.ledger_entries import EntryKind
from inspector.analysis.proper_names import find_proper_names
from inspector.model.context import Block
from inspector.model.layers import Layer
from snapshot_sdk.facts import VALUE_KINDS, Fact, FactKind, FoundFact, find_facts

READ_OF_ONE: Final = 20_000
"""Characters of a message that are read for values."""
READ_OF_RESULT: Final = 8_000
"""The same of a tool result or a document: further down it is a listing."""
READ_OF_ALL: Final = 300_000
"""Characters that are read for one ledger: under a second of a core for prose and code, three for lists of figures."""
READ_OF_AFTER: Final = READ_OF_ALL // 2
"""Of them, for the context after; what is not read of it is searched word for word."""
_SENTENCE: Final = re.compile(r"[^。！？!?；;\n]*?(?:[。！？!?；;\n]+[”’」』\"]*|\.[\"”’')\]]*(?=\s|\Z)|\Z)", re.DOTALL)

FIRM_DIGITS: Final = 4
"""Digits from which a bare number is more than a count."""
FIRM_DIGITS_OF_USER: Final = 2
"""The same of a number that the user said."""


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
    """Reads contents for values, each once; over the limit of a ledger it reads no more."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[FoundFact, ...]] = {}
        self._facts: dict[str, tuple[FoundFact, ...]] = {}
        self._left = READ_OF_ALL
        self.unread: set[str] = set()
        """Contents that were read in part or not at all."""

    def begin(self) -> None:
        """Begin another ledger: what has been read stays known."""
        self._left = READ_OF_ALL
        self.unread -= {content for content in self.unread if content not in self._found}

    def values(self, block: Block, *, spare: int = 0) -> tuple[FoundFact, ...]:
        """Give the values of a message.

        Args:
            block: The message; equal contents are read once.
            spare: Characters that must be left for others.
        """
        return self.values_of(block.content, block.text, block.layer in _LISTINGS, spare)

    def values_of(self, content: str, text: str, listing: bool = False, spare: int = 0) -> tuple[FoundFact, ...]:
        """Give the values of a text.

        Args:
            content: Its name: equal ones are read once.
            text: The text.
            listing: It is a tool result or a document, which is read less far.
            spare: Characters that must be left for others.
        """
        known = self._found.get(content)
        if known is not None:
            return known
        length = min(len(text), READ_OF_RESULT if listing else READ_OF_ONE)
        if length > self._left - spare:
            self.unread.add(content)
            return ()
        self._left -= length
        piece = text[:length]
        if length < len(text):
            self.unread.add(content)
            piece = piece[: max(piece.rfind(mark) for mark in " \n，,")]  # a value cut in two would be another value
        found = self._found[content] = self.facts(piece)
        return found

    def facts(self, text: str, kinds: Collection[FactKind] = VALUE_KINDS) -> tuple[FoundFact, ...]:
        """Give the values of a text whatever its length, as :func:`snapshot_sdk.facts.find_facts` does.

        Where all of them have been found already, those of some kinds are among them.

        Args:
            text: The text.
            kinds: Of the values.
        """
        found = self._facts.get(text)
        if found is None:
            found = find_facts(text, kinds)
            if kinds is VALUE_KINDS:
                self._facts[text] = found
            return found
        return found if kinds is VALUE_KINDS else tuple(one for one in found if one.kind in kinds)


_LISTINGS: Final = frozenset((Layer.TOOL_RESULTS, Layer.RETRIEVED, Layer.ATTACHMENTS))


def is_said_by_user(block: Block) -> bool:
    """Tell whether a message is the user's own words: not a summary, a state or a document in his role.

    Args:
        block: The message.
    """
    return block.role == "user" and not block.is_summary and block.layer in (Layer.HISTORY, Layer.INPUT)


def read_sayings(reader: Reader, block: Block) -> Iterator[Saying]:
    """Give the values and names that a message says; rules are the business of the finder of commitments.

    Args:
        reader: Reads values.
        block: The message.
    """
    for found in reader.values(block):
        yield Saying(found.kind, found.key, found.text, found.start, found.end, found.fact)
    if block.layer not in (Layer.TOOL_CALLS, Layer.TOOL_RESULTS, Layer.TOOLS, Layer.RETRIEVED, Layer.REASONING):
        for name in find_proper_names(block.text[:READ_OF_ONE]):
            yield Saying("name", name.text.casefold(), name.text, name.start, name.end, Fact("text", name.text))


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


def is_slight(saying: Saying, *, by_user: bool = False) -> bool:
    """Tell whether a value is no more than a count: a bare number of few digits.

    Args:
        saying: The value.
        by_user: The user said it.
    """
    if saying.kind != "number":
        return False
    digits = sum(letter.isdigit() for letter in saying.key.split(" ", 1)[0])
    return digits < (FIRM_DIGITS_OF_USER if by_user else FIRM_DIGITS)


def said_in(block: Block) -> str:
    """Name the kind of a message: ``a tool result``, ``an answer``.

    Args:
        block: The message.
    """
    if block.is_summary:
        return "a summary"
    return _SAID_IN.get(block.layer, "an answer" if block.role in ("assistant", "model") else "a message")


_SAID_IN: Final[Mapping[Layer, str]] = {
    Layer.SYSTEM: "the instructions",
    Layer.MEMORY: "the memory",
    Layer.STATE: "the state",
    Layer.RETRIEVED: "a document",
    Layer.ATTACHMENTS: "an attachment",
    Layer.REASONING: "the reasoning",
    Layer.TOOL_RESULTS: "a tool result",
    Layer.TOOL_CALLS: "a tool call",
}
