"""Answers that ask for something the agent had been given: an order number, an account id.

The rule is plain: a sentence of the answer asks for something, and names it with the very words that stood before
an identifier in an earlier message of the user or of a tool. Whether the model *should* have known is not judged;
where the identifier was then, in the prompt or taken out, is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from inspector.model.context import Block, CallContext, changed_places
from inspector.model.layers import Layer

SENTENCE: Final = re.compile(r"[^。！？!?\n.]+(?:\.(?=\S)[^。！？!?\n.]*)*[。！？!?\n.]?")
"""A sentence; a full stop inside a word or number ends none."""
REQUEST: Final = re.compile(
    r"(?:请|麻烦|烦请|能否|能不能|可否|可以)[^，。！？\n]{0,12}?(?:提供|告诉|告知|发给|发一下|发来|给我|给一下|补充|报一下|输入)"
    r"|(?:把|将)[^，。！？\n]{1,16}(?:发给|告诉|告知|提供给|发来|报给)"
    r"|(?:您|你)的?[^，。！？\n]{1,12}(?:是什么|是多少)"
    r"|\b(?:could|can|would|will)\s+you\s+(?:please\s+)?(?:provide|give|tell|share|send|resend|confirm|remind|let)\b"
    r"|\bplease\s+(?:provide|give|tell|share|send|resend|enter|let|confirm)\b"
    r"|\bwhat(?:\s+is|\s+was|'s|’s)\s+(?:your|the)\b"
    r"|\b(?:may|can|could)\s+i\s+(?:have|get|ask\s+for)\b"
    r"|\bi(?:\s+will|'ll|’ll)?\s+need\s+(?:your|the)\b"
    r"|\bdo\s+you\s+(?:still\s+)?(?:have|know)\s+(?:your|the)\b",
    re.IGNORECASE,
)
"""Words with which an assistant asks for something."""
MAY_REQUEST: Final = re.compile(
    "提供|告诉|告知|发给|发一下|发来|给我|给一下|补充|报一下|输入|报给|是什么|是多少|you|please|what|have|get|ask|need"
)
"""One of these is in every match of :data:`REQUEST`, which takes ten times as long to find nothing; case folded."""
ANOTHER: Final = re.compile(
    r"其他|其它|另外一|另一|别的|新的|下一个|\b(?:another|other|different|new|next|any\s+more)\b", re.IGNORECASE
)
"""Words that ask for a further one: that is no forgetting."""
IDENTIFIER: Final = re.compile(
    r"(?<![A-Za-z0-9_.\-/@])(?=[A-Za-z0-9_\-]{0,38}\d\d)[A-Za-z0-9][A-Za-z0-9_\-]{2,39}(?![A-Za-z0-9_\-@])"
)
"""A token that names something: two digits in a row at least, 3–40 characters."""
DATE: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2}.*)?$")
"""Looks like an identifier, is none."""
NOUN_CJK: Final = re.compile(r"([㐀-䶿一-鿿]{2,8})\s*(?:是|为|:|：|=|#|「|“|\")?\s*$")
NOUN_WORDS: Final = re.compile(r"((?:[a-z]+[ ]){1,2}[a-z]+)\s*(?:is|was|no\.?|:|=|#|-|\(|\")*\s*$", re.IGNORECASE)
NOUN_KEY: Final = re.compile(r"\"([a-z]+(?:_[a-z]+)+)\"\s*:\s*\"?$", re.IGNORECASE)
"""What stands before an identifier and names it: Chinese words, two or three English ones, a key of JSON."""
BEFORE: Final = 40
"""Characters before an identifier in which its noun is looked for."""
LEAST_CJK: Final = 3
"""Shortest Chinese noun, in characters: with two, such as 订单, any talk about an order would match."""
FILLERS: Final = frozenset(
    {
        *("a", "an", "the", "this", "that", "my", "your", "our", "his", "her", "its", "their", "it", "i", "you", "we"),
        *("is", "was", "are", "and", "or", "of", "for", "with", "to", "on", "in", "at", "by", "as"),
    }
)
"""English words that are no part of a noun."""
MOST_TEXT: Final = 200_000
"""Characters of a message that are searched for identifiers."""


class Named(NamedTuple):
    """An identifier, and the word that stood before it."""

    noun: str
    """In lower case."""
    value: str


@dataclass(frozen=True)
class AskedAgain:
    """An answer asks for what the agent had been given."""

    call: int
    """The call whose answer asks."""
    noun: str
    value: str
    """The identifier it was given."""
    question: str
    """The sentence that asks."""
    given_message: int
    """Number of the message that gave it last before the answer."""
    gone_call: int | None
    """Call since which no message of the prompt has it; None: it stands in the prompt."""
    present_in: tuple[int, ...] = ()
    """Numbers of the messages of the prompt that have it."""


def find_asked_again(
    contexts: Sequence[CallContext], numbers: Mapping[int, Sequence[int]], answers: Mapping[int, str]
) -> tuple[AskedAgain, ...]:
    """Find answers that ask for an identifier the agent had been given in the same lane.

    Args:
        contexts: The calls in display order.
        numbers: Call number → the message number at each place of its prompt.
        answers: Call number → text of its answer.
    """
    lanes: dict[str, _Lane] = {}
    found = []
    for context in contexts:
        lane = lanes.setdefault(context.lane, _Lane())
        if context.purpose is not None:
            continue
        lane.add(context, numbers[context.call])
        asked = (lane.look_back(question) for question in find_questions(answers.get(context.call, "")))
        first = next((item for item in asked if item is not None), None)
        if first is not None:
            found.append(first)
    return tuple(found)


def find_questions(answer: str) -> Iterator[str]:
    """Yield the sentences of an answer that ask the user for something, and not for a further one."""
    for match in SENTENCE.finditer(answer):
        sentence = match[0].strip()
        if MAY_REQUEST.search(sentence.casefold()) and REQUEST.search(sentence) and not ANOTHER.search(sentence):
            yield sentence


def find_named(text: str) -> Iterator[Named]:
    """Yield the identifiers of a text that have a noun before them."""
    text = text[:MOST_TEXT]
    for match in IDENTIFIER.finditer(text):
        value = match[0]
        noun = _noun_before(text[max(0, match.start() - BEFORE) : match.start()])
        if noun and not DATE.match(value):
            yield Named(noun, value)


def _noun_before(before: str) -> str | None:
    key = NOUN_KEY.search(before)
    if key:
        return key[1].lower().replace("_", " ")
    chinese = NOUN_CJK.search(before)
    if chinese:
        noun = chinese[1].rstrip("是为")
        return noun if len(noun) >= LEAST_CJK else None
    words = NOUN_WORDS.search(before)
    if not words:
        return None
    kept = [word for word in words[1].lower().split() if word not in FILLERS]
    return " ".join(kept[-2:]) if len(kept) >= 2 else None


def find_asked(question: str, noun: str) -> int:
    """Say where a question names a thing, -1 if it does not: an English noun whole, of a Chinese one its end."""
    if noun.isascii():
        if noun not in question.lower():
            return -1
        match = re.search(rf"(?<![a-z]){re.escape(noun)}(?![a-z])", question.lower())
        return match.start() if match else -1
    return question.find(noun[-LEAST_CJK:])


def holds_value(text: str, value: str) -> bool:
    """Say whether a text has an identifier as a whole token."""
    start = text.find(value)
    while start >= 0:
        around = text[start - 1 : start] + text[start + len(value) : start + len(value) + 1]
        if not any(c.isascii() and (c.isalnum() or c in "_-") for c in around):
            return True
        start = text.find(value, start + 1)
    return False


class _Lane:
    """What the prompts of a lane named so far. Each content is read once; of a noun the latest value counts."""

    def __init__(self) -> None:
        self._contexts: list[CallContext] = []
        self._numbers: list[Sequence[int]] = []
        self._given: dict[str, tuple[int, str, int]] = {}
        self._unread: list[tuple[Block, int, int]] = []
        """Messages whose names nobody has asked for yet, with their rank and number."""
        self._ranks: dict[str, int] = {}
        """Content → its rank among all, from 1."""
        self._named: dict[str, tuple[Named, ...]] = {}
        self._before: tuple[Block, ...] = ()
        self._holds: dict[tuple[str, str], bool] = {}

    def add(self, context: CallContext, numbers: Sequence[int]) -> None:
        """Take in the next call."""
        self._contexts.append(context)
        self._numbers.append(numbers)
        for place in changed_places(self._before, context.blocks):
            block = context.blocks[place]
            if block.content not in self._ranks:
                rank = self._ranks[block.content] = len(self._ranks) + 1
                self._unread.append((block, rank, numbers[place]))
        self._before = context.blocks

    def _read(self) -> None:
        """Read what came since the last question: most answers ask for nothing."""
        for block, rank, number in self._unread:
            self._named[block.content] = _named_in(block)
            for item in self._named[block.content]:
                self._given[item.noun] = rank, item.value, number
        self._unread.clear()

    def look_back(self, question: str) -> AskedAgain | None:
        """Find what a question of the last call's answer asks for first, as it was given last."""
        self._read()
        found = [(find_asked(question, noun), -given[0], noun) for noun, given in self._given.items()]
        place, _, noun = min((item for item in found if item[0] >= 0), default=(-1, 0, ""))
        if place < 0:
            return None
        _, value, message = self._given[noun]
        if holds_value(question, value):
            return None
        asking = self._contexts[-1]
        present = tuple(
            number for block, number in zip(asking.blocks, self._numbers[-1], strict=True) if self._has(block, value)
        )
        if present:
            rivals = {item.value for block in asking.blocks for item in self._named[block.content] if item.noun == noun}
            if len(rivals) > 1:
                return None  # which of several is meant is a fair question
            return AskedAgain(asking.call, noun, value, question, message, None, present)
        gone = asking.call
        for context in reversed(self._contexts[:-1]):
            if any(self._has(block, value) for block in context.blocks):
                break
            gone = context.call
        return AskedAgain(asking.call, noun, value, question, message, gone)

    def _has(self, block: Block, value: str) -> bool:
        key = (block.content, value)
        found = self._holds.get(key)
        if found is None:
            found = self._holds[key] = holds_value(block.text, value)
        return found


def _named_in(block: Block) -> tuple[Named, ...]:
    """What a message of the user or of a tool names; instructions only give examples."""
    if block.role not in ("user", "tool") and block.layer not in (Layer.MEMORY, Layer.STATE, Layer.SUMMARY):
        return ()
    return tuple(find_named(block.text))
