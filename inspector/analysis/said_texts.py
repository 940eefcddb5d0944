"""What was said in a session, and whether it says a value: each text folded once, each value looked for in it once."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.analysis.answers import holds_value
from snapshot_sdk.facts import Fact, FactKind, FoundFact, Matcher, ReadyText


@dataclass
class _Sought:
    """A value that has been looked for in some of the texts."""

    matcher: Matcher
    digits: str
    done: int = 0
    """Texts, from the first on, of which none says it."""
    is_said: bool = False
    """Some text says it, whether the first one is known or not."""

    def is_in(self, text: ReadyText) -> bool:
        """Tell whether a text says it, in whatever writing; "about 8500" is a source of 8500, too."""
        match = self.matcher.match(text)
        return bool(match.sightings) or any(self.digits == digits_of(rival.text) for rival in match.rivals)


class SaidTexts:
    """Texts in the order in which they were said; more may come at any time."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._texts: list[ReadyText] = []
        self._sought: dict[tuple[FactKind, str], _Sought] = {}

    def add(self, number: int, text: str) -> None:
        """Take in what was said next.

        Args:
            number: Number of its message.
            text: Less what is no saying of that message.
        """
        self._numbers.append(number)
        self._texts.append(ReadyText(text))

    def say(self, value: FoundFact) -> bool:
        """Tell whether any text says a value.

        Those that have it letter for letter are looked at first, the latest of them before the others: a value that
        is new was mostly said just now.

        Args:
            value: The value.
        """
        sought = self._seek(value)
        if sought.is_said:
            return True
        new = self._texts[sought.done :]
        likely = (text for text in reversed(new) if holds_value(text.text, value.text))
        sought.is_said = any(map(sought.is_in, likely)) or any(map(sought.is_in, new))
        if not sought.is_said:
            sought.done = len(self._texts)
        return sought.is_said

    def first(self, value: FoundFact) -> int | None:
        """Give the number of the first message that says a value; None: none does.

        Args:
            value: The value.
        """
        sought = self._seek(value)
        while sought.done < len(self._texts):
            if sought.is_in(self._texts[sought.done]):
                sought.is_said = True
                return self._numbers[sought.done]
            sought.done += 1
        return None

    def _seek(self, value: FoundFact) -> _Sought:
        key = (value.kind, value.text)
        sought = self._sought.get(key)
        if sought is None:
            sought = self._sought[key] = _Sought(Matcher(Fact(value.kind, value.text)), digits_of(value.text))
        return sought


def digits_of(text: str) -> str:
    """Return the digits of a value, whatever stands between them.

    Args:
        text: As it is written.
    """
    return "".join(filter(str.isdigit, text))
