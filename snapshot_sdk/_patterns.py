"""The built-in patterns: keys, e-mail addresses, phone numbers, card numbers, in any string of a value."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

_PREFIXED_KEYS: Final = (
    r"sk-[\w-]{16,}",  # OpenAI, Anthropic, OpenRouter, DeepSeek, DashScope …
    r"gsk_\w{20,}",  # Groq
    r"xai-\w{20,}",
    r"pplx-\w{20,}",
    r"AIza[\w-]{35}",  # Google
    r"ya29\.[\w.-]{20,}",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}",  # AWS
    r"gh[opsur]_\w{36,}",  # GitHub
    r"github_pat_\w{22,}",
    r"glpat-[\w-]{20,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"xox[abeoprs]-[\w-]{10,}",  # Slack
    r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+",  # JSON Web Token (RFC 7519)
)
_PEM: Final = r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
_BEARER: Final = r"(?<=[Bb]earer )[\w.~+/-]{16,}=*"

_KEY: Final = re.compile(rf"(?<![\w-])(?:{'|'.join(_PREFIXED_KEYS)})|{_PEM}|{_BEARER}", re.ASCII)
_KEY_MARKERS: Final = (
    ("_", ("gsk_", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "hf_")),
    ("-", ("sk-", "xai-", "pplx-", "glpat-", "xox", "-----BEGIN")),
    ("A", ("AIza", "AKIA", "ASIA")),
    ("J", ("eyJ",)),
    ("9", ("ya29.",)),
    ("earer ", ()),
)
"""One of these stands in every text that the pattern matches, with one of what follows if there are any. Looking for
them is many times faster than the pattern, and for a single letter many times faster than for a word."""

_KEY_STARTS: Final = (
    *("sk-", "gsk_", "xai-", "pplx-", "AIza", "ya29.", "AKIA", "ASIA", "ghp_", "gho_", "ghs_", "ghu_", "ghr_"),
    *("github_pat_", "glpat-", "hf_", "xox", "eyJ"),
)
"""Every match begins with one of these, not inside a word, or with the next, or stands right behind the third."""
_PEM_START: Final = "-----BEGIN"
_BEFORE_BEARER: Final = "earer "
_IN_WORD: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

_SCARCE: Final = 16
"""Characters for each place where a match may begin, from which on going from place to place is faster."""

# ``\w`` and ``\b`` take Chinese letters for letters of a word, and would not see the number in 手机13800138000谢谢.
# A full stop behind a number ends a sentence, unless a digit follows.
_MAILBOX: Final = r"A-Za-z0-9_\u00c0-\u02af\u0370-\u052f.+-"  # letters of scripts that leave spaces between words
_EMAIL: Final = re.compile(
    rf"(?<![{_MAILBOX}])[{_MAILBOX}]{{1,64}}@(?:[A-Za-z0-9-]{{1,63}}\.){{1,8}}[A-Za-z]{{2,24}}(?![A-Za-z0-9_])"
)
_PHONE: Final = re.compile(
    r"(?<![A-Za-z0-9_+.-])\+\d{1,3}(?:[ ().-]{0,2}\d){7,12}(?!\d)"  # E.164, any country
    r"|(?<![A-Za-z0-9_.-])1[3-9]\d{9}(?![A-Za-z0-9_-]|\.\d)"  # China, mobile
    r"|(?<![A-Za-z0-9_.-])\(?[2-9]\d{2}\)?[-. ][2-9]\d{2}[-. ]\d{4}(?![A-Za-z0-9_-]|\.\d)",  # North America
    re.ASCII,
)
_CARD: Final = re.compile(r"(?<![A-Za-z0-9_.-])(?:\d[ -]?){12,18}\d(?![A-Za-z0-9_-]|\.\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Pattern:
    """What one name removes."""

    name: str
    """As the user gives it, and as the replacement says."""
    expression: re.Pattern[str]
    markers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """One of them is in every text that matches, with one of those behind it if there are any; empty: not known."""
    confirm: Callable[[str], bool] | None = None
    """What else a match has to fulfil."""
    starts: Callable[[str], list[int] | None] | None = None
    """Finds every place where a match may begin, in order; it may give up with None where there are many."""

    def may_match(self, source: str) -> bool:
        """Tells whether a JSON source text without escaped letters may hold a match.

        Args:
            source: The text.
        """
        for marker, further in self.markers:
            if marker in source:
                for word in further or (marker,):
                    if word in source:
                        return True
        return not self.markers

    def remove(self, text: str) -> tuple[str, int]:
        """Replaces the matches in a text.

        Args:
            text: The text.

        Returns:
            The new text, and how many there were.
        """
        count = 0

        def replace(match: re.Match[str]) -> str:
            nonlocal count
            if self.confirm is not None and not self.confirm(match[0]):
                return match[0]
            count += 1
            return f"[redacted:{self.name}]"

        starts = self.starts(text) if self.starts is not None else None
        if starts is None:
            return self.expression.sub(replace, text), count
        pieces, done = [], 0
        for start in starts:
            match = self.expression.match(text, start) if start >= done else None
            if match is not None:
                pieces += [text[done:start], replace(match)]
                done = match.end()
        return "".join([*pieces, text[done:]]) if pieces else text, count


def _key_starts(text: str) -> list[int] | None:
    """Finds where a key may begin; searching for fixed words is many times faster than the pattern."""
    looks = len(text) // _SCARCE
    found: list[int] = []
    for word in (*_KEY_STARTS, _PEM_START, _BEFORE_BEARER):
        anywhere = word in (_PEM_START, _BEFORE_BEARER)
        offset = len(word) if word == _BEFORE_BEARER else 0
        at = text.find(word)
        while at >= 0:
            if looks <= 0:
                return None
            looks -= 1
            if anywhere or at == 0 or text[at - 1] not in _IN_WORD:
                found.append(at + offset)
            at = text.find(word, at + 1)
    return sorted(found)


def _luhn(digits: str) -> bool:
    """The check digit of card numbers (ISO/IEC 7812-1)."""
    total = 0
    for place, digit in enumerate(reversed([int(one) for one in digits if one.isdigit()])):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


PATTERNS: Final = {
    pattern.name: pattern
    for pattern in (
        Pattern("keys", _KEY, _KEY_MARKERS, starts=_key_starts),
        Pattern("email", _EMAIL, (("@", ()),)),
        Pattern("card", _CARD, (), _luhn),
        Pattern("phone", _PHONE),
    )
}
"""In the order they run: a card number is not mistaken for a phone number."""


def in_strings(value: Any, patterns: tuple[Pattern, ...]) -> tuple[Any, int]:
    """Replaces the matches in every string of a JSON value, keys of objects included.

    Args:
        value: A private copy.
        patterns: What to remove.

    Returns:
        The new value, and how many matches there were.
    """
    if isinstance(value, str):
        total = 0
        for pattern in patterns:
            value, count = pattern.remove(value)
            total += count
        return value, total
    total = 0
    if isinstance(value, list):
        for place, item in enumerate(value):
            value[place], count = in_strings(item, patterns)
            total += count
    elif isinstance(value, dict):
        changed = {}
        for key, item in value.items():
            new_key, in_key = in_strings(key, patterns)
            changed[new_key], in_item = in_strings(item, patterns)
            total += in_key + in_item
        value = changed
    return value, total
