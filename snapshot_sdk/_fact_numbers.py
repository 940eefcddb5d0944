"""Numbers as people write them: 8,500 and 8500, 0.85万, 八千五百, 8.5k."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_rates import SLASHED
from snapshot_sdk._fact_units import CODE_BEFORE
from snapshot_sdk._fact_words import ENGLISH_NUMERALS

_DIGITS: Final = {
    **{char: value for value, char in enumerate("零一二三四五六七八九")},
    **{char: value for value, char in enumerate("〇壹贰叁肆伍陆柒捌玖")},
    "两": 2,
    "兩": 2,
}
_SMALL: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1_000, "仟": 1_000}
_LARGE: Final = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_CHINESE: Final = "".join((*_DIGITS, *_SMALL, *_LARGE))

SCALES: Final = {
    "万亿": 10**12, "千万": 10**7, "百万": 10**6, "十万": 10**5, **_LARGE, "千": 1_000, "百": 100,
    "thousand": 1_000, "million": 10**6, "billion": 10**9, "hundred": 100, "bn": 10**9, "mn": 10**6,
    "k": 1_000, "w": 10_000,
}  # fmt: skip
"""Words behind digits that multiply them. ``w`` is how 万 is typed; ``m`` is left out: more often it is metres."""

_JOINT: Final = r"\-./:,'+#@%"
_TOKEN: Final = later(rf"(?<![0-9a-z_])(?=[0-9a-z_])[a-z_{_JOINT}]{{0,64}}[0-9](?:[0-9a-z_{_JOINT}]*[0-9a-z_%])?")
"""What stands together between spaces and Chinese and has a digit: a number, or a name."""
_NUMBER: Final = later(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_WHOLE: Final = later(rf"({_NUMBER.pattern})([a-z]{{0,8}}|%)")
_HYPHENED: Final = later(r"(\d+)-(?:second|minute|hour|day|night|week|month|year)s?")
"""A 30-day trial."""
_PER: Final = later(rf"({_NUMBER.pattern})/(?:{SLASHED})")
"""75/month."""
_RANGE: Final = later(rf"({_NUMBER.pattern})[-~]({_NUMBER.pattern})([a-z]{{0,8}}|%)")
_SCALE: Final = later(rf" ?(?:{'|'.join(sorted((s for s in SCALES if s > '~'), key=len, reverse=True))})")
_SCALE_WORD: Final = later(r"[ -](thousand|million|billion|hundred)\b")
_REST: Final = later(rf"\d+(?:\.\d+)?(?![0-9.])[千百十万]?|[{_CHINESE}]+")
_CHINESE_RUN: Final = later(rf"[{_CHINESE}]+(?:点[{''.join(_DIGITS)}]+)?")
ROUGH: Final = later(r" ?(?:多|余|来(?=[万千百个元块天])|几|\+|-?odd(?![a-z]))")
"""8500多元 is no longer 8500元."""
_NOT_BEFORE: Final = frozenset("第几数")
"""第三 is a place in a row, 数百 and 几千 are no numbers."""
_NOT_BEHIND: Final = frozenset("²³¹⁰⁴⁵⁶⁷⁸⁹½⅓⅔¼¾⅕⅛^")
"""3² and 3½ are other numbers than 3."""
_TWO_DIGITS: Final = later(r"(?:一二|二三|两三|三四|三五|四五|五六|六七|七八|八九)(?=[十百千万亿]|\Z)")
"""三四万 is three or four of them."""
_LONGEST: Final = 24
"""Characters of a numeral in Chinese; longer runs are something else."""

_ENGLISH_WORD: Final = "|".join(
    (*ENGLISH_NUMERALS, "hundred", "thousand", "million", "and", "a(?= (?:hundred|thousand|million))")
)
_ENGLISH_RUN: Final = later(rf"(?<![a-z0-9-])(?:{_ENGLISH_WORD})(?:[ -](?:{_ENGLISH_WORD}))*(?![a-z0-9])")


@dataclass(frozen=True)
class Number:
    """A number in a folded text."""

    value: Decimal
    start: int
    """First character, sign included."""
    end: int
    """Character after the last, scale included."""
    suffix: str = ""
    """Letters written right behind the digits that are no scale: ``gb``, ``px``, ``%``."""
    exact: bool = True
    """False: one end of a range, or "8500 odd": the number stands there, but is not what is said."""
    factor: Decimal = Decimal(1)
    """What a word or letter behind the digits multiplies them by: 万, k."""
    plain: bool = True
    """Written in digits; a short numeral in words stands in many other words: 一下, 万一, no one."""


def find_numbers(text: str) -> Iterator[Number]:
    """Gives the numbers of a folded text, in no order that matters.

    Digits within a name (``ord-2024-001``, ``v2``, ``10:30``, ``3.11.7``) are none.

    Args:
        text: Folded.
    """
    taken = 0
    for token in _TOKEN.finditer(text):
        if token.start() < taken:
            continue
        for number in _in_token(text, token):
            taken = max(taken, number.end)
            yield number
    for run in _CHINESE_RUN.finditer(text):
        if run.start() >= 1 and (text[run.start() - 1].isdigit() or text[run.start() - 1] in _NOT_BEFORE):
            continue
        value = _read_two(run[0]) if len(run[0]) <= _LONGEST else None
        if value is not None:
            two = _TWO_DIGITS.match(run[0])
            yield Number(value, run.start(), run.end(), exact=not two and not ROUGH.match(text, run.end()), plain=False)
    for run in _ENGLISH_RUN.finditer(text):
        spoken = read_english(run[0])
        if spoken is not None:
            yield Number(Decimal(spoken), run.start(), run.end(), plain=False)


def _read_two(numeral: str) -> Decimal | None:
    """Reads 三四万, which is three or four, as its first."""
    two = _TWO_DIGITS.match(numeral)
    return read_chinese(numeral[0] + numeral[2:] if two else numeral)


def read_chinese(numeral: str) -> Decimal | None:
    """Reads a Chinese numeral: 八千五百, 一万二, 二〇二五, 三点五, 两百.

    Args:
        numeral: Characters of numerals only.

    Returns:
        None: it is none (千万 and 万一 are words).
    """
    whole, _, part = numeral.partition("点")
    if not whole or (whole[0] in _LARGE or whole[0] in "百千佰仟"):
        return None
    value = _digits_one_by_one(whole) if not any(c in _SMALL or c in _LARGE for c in whole) else _read_scaled(whole)
    if value is None:
        return None
    return Decimal(f"{value}.{''.join(str(_DIGITS[c]) for c in part)}") if part else Decimal(value)


def _digits_one_by_one(numeral: str) -> int:
    return int("".join(str(_DIGITS[char]) for char in numeral))


def _read_scaled(numeral: str) -> int | None:
    total = section = 0
    digit: int | None = None
    last = 0
    for char in numeral:
        if char in _DIGITS:
            if digit is not None and digit != 0:
                return None  # two digits in a row, 一二百
            digit = _DIGITS[char]
        elif char in _SMALL:
            last = _SMALL[char]
            section += (1 if digit is None else digit) * last
            digit = None
        else:
            last = _LARGE[char]
            section += digit or 0
            if not section and not total:
                return None
            total = (total + section) * last if last >= 10**8 else total + section * last
            section, digit = 0, None
    if digit:
        # 八千五 is 8500 and 一万二 is 12000, but 八千零五 is 8005 and 十五 is 15.
        short = last > 10 and len(numeral) > 1 and numeral[-2] in (_SMALL | _LARGE)
        section += digit * last // 10 if short else digit
    return total + section


def read_english(words: str) -> int | None:
    """Reads an English numeral: eight thousand five hundred.

    Args:
        words: Lower case, of numerals and ``and`` only.

    Returns:
        None: it is none, or a bare ``one`` or ``hundred``, which are words.
    """
    parts = [part for part in re.split(r"[ -]", words) if part != "and"]
    if not parts or parts in (["one"], ["a"]) or parts[0] in ("hundred", "thousand", "million"):
        return None
    total = current = 0
    for part in parts:
        if part == "a":
            current += 1
        elif part == "hundred":
            current *= 100
        elif part in ("thousand", "million"):
            total += current * SCALES[part]
            current = 0
        else:
            if current % 100 and not (current % 10 == 0 and current % 100 >= 20 and ENGLISH_NUMERALS[part] < 10):
                return None  # "one two": a list
            current += ENGLISH_NUMERALS[part]
    return total + current


def _in_token(text: str, token: re.Match[str]) -> Iterator[Number]:
    start = token.start()
    if start and text[start - 1] in "-./:#@\\" and start >= 2 and text[start - 2].isalnum() and text[start - 2] < "~":
        return  # the end of a name
    code = CODE_BEFORE.match(token[0])
    if not token[0][0].isdigit() and not code:
        return
    written = token[0][code.end() :] if code else token[0]
    for at, piece in _split_list(written, token.end() - len(written)):
        whole = _WHOLE.fullmatch(piece)
        if whole:
            number = _scaled(text, at, at + len(whole[1]), whole[1], whole[2])
            if number is not None:
                yield number
            continue
        counted = _HYPHENED.fullmatch(piece) or _PER.fullmatch(piece)
        if counted:
            yield Number(_value(counted[1]), at, at + len(counted[1]))
            continue
        both = _RANGE.fullmatch(piece)
        if both and is_range(both[1], both[2]):
            for group in (1, 2):
                begin, end = at + both.start(group), at + both.end(group)
                number = _scaled(text, begin, end, both[group], both[3] if group == 2 else "")
                if number is not None:
                    yield replace(number, start=begin, exact=False)


def is_range(one: str, other: str) -> bool:
    """Tells whether two numbers joined by a dash are the ends of a range, and no name: 8000-8500, not 24-001.

    Args:
        one: The first.
        other: The second.
    """
    long = max(len(one), len(other)) > _RANGE_DIGITS
    return not long and not _PADDED.match(one) and not _PADDED.match(other) and _value(one) < _value(other)


_RANGE_DIGITS: Final = 9
_PADDED: Final = later(r"0(?!\.)")
"""Names are filled up with zeros; 0.1 is a number."""


def _split_list(token: str, start: int) -> Iterator[tuple[int, str]]:
    """Splits ``1,2,3``, which is a list, but not ``1,234``, which is a number."""
    if "," not in token or _WHOLE.fullmatch(token) or _RANGE.fullmatch(token):
        yield start, token
        return
    for piece in token.split(","):
        if piece:
            yield start, piece
        start += len(piece) + 1


def _value(digits: str) -> Decimal:
    return Decimal(digits.replace(",", ""))


def _scaled(text: str, start: int, end: int, digits: str, suffix: str) -> Number | None:
    value = _value(digits)
    if start and text[start - 1] in "第^":
        return None
    after = end + len(suffix)
    if suffix in ("k", "w", "bn", "mn") or suffix in ("thousand", "million", "billion", "hundred"):
        value, suffix, end = value * SCALES[suffix], "", after
    elif not suffix:
        value, end = _with_scale(text, value, end)
        after = end
    factor = value / _value(digits) if value and _value(digits) else Decimal(1)
    if start and text[start - 1] == "-" and (start == 1 or text[start - 2] in " (=:,¥$€"):
        value, start = -value, start - 1
    if text[after : after + 1] in _NOT_BEHIND:
        return None
    exact = not ROUGH.match(text, after)
    return Number(value, start, end, suffix, exact, abs(factor))


def _with_scale(text: str, value: Decimal, end: int) -> tuple[Decimal, int]:
    """Multiplies by what follows: 万, million; adds the rest of 1万2千."""
    word = _SCALE_WORD.match(text, end)
    if word:
        return value * SCALES[word[1]], word.end()
    scale = _SCALE.match(text, end)
    if not scale or text.startswith(("千克", "千米", "百分", "千字", "千瓦"), scale.start()):
        return value, end
    factor = SCALES[scale[0].strip()]
    value, end = value * factor, scale.end()
    rest = _REST.match(text, end)
    if rest:
        more = _rest_of(rest[0], factor)
        if more is not None and more < factor:
            return value + more, rest.end()
    return value, end


def _rest_of(written: str, factor: int) -> Decimal | None:
    if written[0].isdigit():
        digits = written.rstrip("千百十万")
        unit = written[len(digits) :]
        if unit:
            return _value(digits) * ({**_SMALL, **_LARGE}[unit])
        return _value(digits) * factor / 10 if len(digits) == 1 else _value(digits)
    if len(written) == 1 and written in _DIGITS:
        return Decimal(_DIGITS[written]) * factor / 10
    return read_chinese(written)
