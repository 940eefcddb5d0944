"""Why a draft is shown and not chosen: what the state alone says, what the user took back, what is no rule of its own.

A draft that is chosen unseen must not take a mistake of the agent for the truth, nor a half of a sentence for a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from inspector.analysis.distinct_blocks import distinct_blocks
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from snapshot_sdk.facts import VALUE_KINDS, Fact, Matcher

_READ: Final = 20_000
"""Characters of a message that are looked at."""
_AROUND: Final = 60
"""Characters left and right of a key in which its value stands."""
_PLACES: Final = 200
"""Places of a key that are looked at, each distinct one once: a key may be a word that stands everywhere."""
_RIVALS: Final = 20
"""Other values beside a key that are asked for in what the user said."""
_COMMAS: Final = re.compile(r"(?<=\d)[,，_ ](?=\d)")
_DIGITS: Final = re.compile(r"\d+")
_SPACES: Final = re.compile(r"\W+")
_WORDS: Final = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve|dozen",
)
_SMALL: Final = {
    str(number): re.compile(rf"(?<![a-z])(?:{english})(?![a-z])|[{chinese}]", re.IGNORECASE)
    for number, (english, chinese) in enumerate(zip(_WORDS, "一二三四五六七八九十十十", strict=True), start=1)
}
"""How a small figure may be written out."""
_LARGE: Final = re.compile(r"[十百千万]|\d(?:k|m)(?![a-z])|(?<![a-z])(?:hundred|thousand)", re.IGNORECASE)
"""How a larger one may."""
_MOMENT: Final = re.compile(
    r"(?<![a-z])(?:yet(?=\W*$)|for now|right now|for the moment|just now|not now|until i (?:say|tell|am back))(?![a-z])"
    r"|先别|先不|暂时|暂且|还不要|还别|现在(?:先|别|不)|等我(?:说|回)",
    re.IGNORECASE,
)
"""It holds for the moment: that it is gone later is no loss."""
_ANNOUNCES: Final = re.compile(
    r"^\W*(?:(?:there are |these |the following |here are )?(?:two|three|four|five|six|a few|several|some|\d+)"
    r" (?:more )?(?:things?|points?|rules?|conditions?|requirements?|requests?|wishes)(?![a-z])"
    r"|(?:还?有|就)?(?:[两二三四五六几]|\d+)(?:件事|[点条个项](?:要求|条件|原则|规矩|规定|注意)))",
    re.IGNORECASE,
)
"""It counts what is to follow."""
_SHORT: Final = 40
"""Characters of a sentence that counts things and has no room to say them."""
_QUOTES: Final = (("“", "”"), ("「", "」"), ("『", "』"), ("«", "»"))


def rule_doubt(rule: str, after: str) -> str | None:
    """Say why a sentence that looks like a rule is not chosen as one; None: nothing speaks against it.

    Args:
        rule: The sentence.
        after: What follows it in its message.
    """
    pairs = [pair for pair in _QUOTES if "„" not in rule or pair[0] != "“"]  # in German “ ends what „ begins
    if rule.count('"') % 2 or any(rule.count(left) != rule.count(right) for left, right in pairs):
        return "it is a part of a quotation"
    if _ANNOUNCES.search(rule) and (len(rule) <= _SHORT or after.lstrip()[:1] in (":", "：")):
        return "it only announces what follows"
    moment = _MOMENT.search(rule)
    return f"it holds for the moment (“{moment[0]}”)" if moment else None


class Sources:
    """Who said what in a session, apart from its state: the user, and the results of tools."""

    def __init__(self, contexts: Sequence[CallContext]) -> None:
        """Take the messages in.

        Args:
            contexts: The calls of the main lane, in order.
        """
        self._said: Final[list[tuple[int, _Text]]] = []
        self._results: Final[list[_Text]] = []
        self._around: Final[dict[str, list[str]]] = {}
        self._all: Final[list[str]] = []
        for call, block in distinct_blocks(contexts):
            text = block.text[:_READ]
            self._all.append(text)
            if is_result(block):
                self._results.append(_Text(text))
            elif block.role == "user" and block.layer in (Layer.INPUT, Layer.HISTORY) and not block.is_summary:
                self._said.append((call, _Text(text)))

    def doubt(self, fact: Fact, key: str, before: Sequence[str]) -> str | None:
        """Say why a value of the state is not chosen; None: nothing speaks against it.

        Args:
            fact: The value.
            key: Its key in the state.
            before: What the state said of it earlier.
        """
        said = self._last_said(fact)
        for rival in list(dict.fromkeys((*before, *self._rivals(fact, key))))[:_RIVALS]:
            other = self._last_said(Fact(fact.kind, rival))
            if other is not None and (said is None or other > said):
                return f"the user said {rival} (call {self._said[other][0]})"
        if said is None and not any(text.says(fact) for text in self._results):
            return "only the state says it: neither the user nor a tool does"
        return None

    def _last_said(self, fact: Fact) -> int | None:
        found = (at for at in range(len(self._said) - 1, -1, -1) if self._said[at][1].says(fact))
        return next(found, None)

    def _rivals(self, fact: Fact, key: str) -> Iterator[str]:
        """Values that stood beside the key anywhere, other than this one."""
        if fact.kind not in VALUE_KINDS:
            return
        word = key.rpartition(".")[2]
        matcher = Matcher(Fact(fact.kind, fact.text, (word,)))
        for place in self._places(word):
            yield from (rival.text for rival in matcher.match(place).rivals)

    def _places(self, word: str) -> list[str]:
        """What stands around a word, wherever it does; the newest messages first."""
        if word not in self._around:
            found: dict[str, None] = {}
            for text in reversed(self._all):
                for match in re.finditer(re.escape(word), text):
                    found[text[max(0, match.start() - _AROUND) : match.end() + _AROUND]] = None
                if len(found) >= _PLACES:
                    break
            self._around[word] = list(found)[:_PLACES]
        return self._around[word]


def is_result(block: Block) -> bool:
    """Tell whether a message is a result of a tool, whatever its role is called.

    Args:
        block: The message.
    """
    return block.layer is Layer.TOOL_RESULTS or any(key.startswith("result:") for key in block.keys)


class _Text:
    """A message, and what tells at once whether it may say a value; matching by type takes a thousand times as long."""

    def __init__(self, text: str) -> None:
        self.text: Final = text
        self._figures: Final = frozenset(_DIGITS.findall(_COMMAS.sub("", text)))
        self._letters: Final = _SPACES.sub("", text.casefold())

    def says(self, fact: Fact) -> bool:
        """Tell whether it says a fact, and says nothing else in its place."""
        if not self._may_say(fact):
            return False
        try:
            match = Matcher(fact).match(self.text)
        except ValueError:
            return False  # what stood beside a key is no value of the kind
        return bool(match.sightings) and match.state != "distorted"

    def _may_say(self, fact: Fact) -> bool:
        figures = _DIGITS.findall(_COMMAS.sub("", fact.text)) if fact.kind in VALUE_KINDS else []
        if not figures:
            return _SPACES.sub("", fact.text.casefold()) in self._letters
        return any(one in self._figures or bool((_SMALL.get(one) or _LARGE).search(self.text)) for one in figures)
