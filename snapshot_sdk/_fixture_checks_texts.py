"""Checks of texts that must stand in a prompt word for word: pins, protected layers, the system prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from snapshot_sdk._fixture_checks_words import (
    LEAST_FOLDED,
    Verdict,
    excerpt,
    fold_writing,
    in_place,
    listing,
    nearest,
    overview,
)
from snapshot_sdk._fixture_prompt import INSTRUCTION_ROLES, Prompt, PromptMessage

_DATED: Final = re.compile(r"\d{4}[-/.年]\s?\d{1,2}|\d{1,2}:\d{2}|(?<!\d)1[5-9]\d{8}(?:\d{3})?(?!\d)")
"""A date, a time of day or a Unix time: what an agent writes into its system prompt anew at every call."""
_DIGITS: Final = re.compile(r"\d+")


def judge_pin(
    prompt: Prompt, text: str | None, regex: str | re.Pattern[str] | None = None, *, whole_words: bool = True
) -> Verdict:
    """Looks for a pinned text, or a pattern.

    Args:
        prompt: The prompt.
        text: What must stand there; None: a pattern.
        regex: The pattern.
        whole_words: ``22 items`` does not stand in ``122 items``.
    """
    if text is not None:
        wanted = fit(text)
        found = [one for one in prompt.elements if wanted in fit(one.text)]
        named = excerpt(text)
        holders = [one for one in found if stands_in(text, one.text)] if whole_words else found
        if found and not holders:
            what = f"{named} is gone: it stands there within another word or number only"
            return Verdict(False, what, _written(found[0], text))
    else:
        pattern = re.compile(regex or "")
        named, holders = f"/{pattern.pattern}/", [one for one in prompt.elements if pattern.search(one.text)]
    if holders:
        return Verdict(True, f"{named} stands in {holders[0].place}")
    if text is not None and len(folded := fold_writing(text)) >= LEAST_FOLDED:
        other = next((one for one in prompt.elements if folded in fold_writing(one.text)), None)
        if other is not None:
            return Verdict(False, f"{named} is altered: it stands there in other writing only", _written(other, text))
    lost = f"{named} is gone: no message of the prompt holds it"
    return Verdict(False, lost, in_place(text, prompt))


def stands_in(text: str, whole: str) -> bool:
    """Tells whether a text stands in another one, and not as a part of a longer word or number.

    Letters and digits of other writings than ASCII do not count: Chinese has no spaces between its words.

    Args:
        text: What is looked for.
        whole: Where.
    """
    wanted, within = fit(text), fit(whole)
    at = within.find(wanted)
    while wanted and at >= 0:
        end = at + len(wanted)
        if not _joined(within[at - 1 : at] + wanted[:1]) and not _joined(wanted[-1:] + within[end : end + 1]):
            return True
        at = within.find(wanted, at + 1)
    return False


def _joined(signs: str) -> bool:
    """Whether two characters are of one word or number."""
    return len(signs) == 2 and signs.isascii() and signs.isalnum()


def judge_input(prompt: Prompt, newest: tuple[str, str], told: Sequence[PromptMessage]) -> Verdict:
    """Looks whether nothing that the user said earlier stands behind the newest input, which is there.

    Args:
        prompt: The prompt.
        newest: Where it comes from, and the text.
        told: The messages of the history.
    """
    origin, text = newest
    wanted = fit(text)
    holder = next((n for n in range(len(prompt.messages) - 1, -1, -1) if wanted in fit(prompt.messages[n].text)), None)
    named = f"the newest input of the user, {excerpt(text, 100)} of {origin},"
    if holder is None:
        return Verdict(False, f"{named} is gone or retold", in_place(text, prompt))
    earlier = {one.hash for one in told if one.role == "user" and wanted not in fit(one.text) and not one.results}
    behind = next((one for one in prompt.messages[holder + 1 :] if one.hash in earlier), None)
    if behind is not None:
        what = f"{named} is not the last that the user says: {behind.place} was said before it"
        return Verdict(False, what, f"{behind.place}: {excerpt(behind.text)}")
    return Verdict(True, f"the newest input of the user stands last, whole, in {prompt.messages[holder].place}")


def fit(text: str) -> str:
    """Makes a text comparable with one that went through a database: lone surrogates become ``?``.

    Args:
        text: Any text.
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _written(message: PromptMessage, text: str) -> str:
    return nearest(text, [message]) or f"{message.place}: {excerpt(message.text)}"


def judge_texts(prompt: Prompt, texts: Sequence[tuple[str, str]], layer: str | None = None) -> Verdict:
    """Looks for texts that must not be retold.

    Args:
        prompt: The prompt.
        texts: Where each comes from, and the text.
        layer: The layer they are of, for the wording.
    """
    named = f"{layer} texts" if layer else "texts"
    held = dict.fromkeys(fit(one.text) for one in prompt.elements)  # most are there as they were: found at once
    lost = [
        (origin, text)
        for origin, text in texts
        if text.strip() and (wanted := fit(text)) not in held and not any(wanted in one for one in held)
    ]
    if not lost:
        return Verdict(True, f"all {len(texts)} {named} stand in the prompt word for word")
    faults = [f"{excerpt(text, 100)}{f' of {origin}' if origin else ''}" for origin, text in lost]
    what = f"{len(lost)} of {len(texts)} {named} are gone or retold: {listing(faults)}"
    return Verdict(False, what, in_place(lost[0][1], prompt))


def judge_system(prompt: Prompt, text: str | None = None) -> Verdict:
    """Looks whether the system prompt comes first and is whole.

    Args:
        prompt: The prompt.
        text: The system prompt; None: any will do.
    """
    system = prompt.system
    late = next((one for one in prompt.messages if one.role in INSTRUCTION_ROLES and one not in prompt.leading), None)
    if not system:
        if late is not None:
            first = prompt.messages[0]
            what = f"the system prompt does not come first: it is {late.place}"
            return Verdict(False, what, f"{first.place} first: {excerpt(first.text)}")
        return Verdict(False, "the system prompt is gone", overview(prompt))
    if text is None or fit(text) in fit(system):
        return Verdict(True, "the system prompt comes first and is whole")
    if late is not None and fit(text) in fit(late.text):
        return Verdict(False, f"the system prompt does not come first: it is {late.place}", f"first: {excerpt(system)}")
    return _compare_system(text, system)


def _compare_system(text: str, system: str) -> Verdict:
    """Compares line by line: lines that differ in nothing but a date or a time are the same."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    there = {line.strip() for line in system.splitlines()}
    dated = {_DIGITS.sub("0", line) for line in there if _DATED.search(line)}
    missing = [
        line for line in lines if line not in there and not (_DATED.search(line) and _DIGITS.sub("0", line) in dated)
    ]
    if not missing:
        return Verdict(True, "the system prompt comes first and is whole but for dates and times")
    head = _common_head(text, system)
    if head and head == len(system.rstrip()):
        what = (
            f"the system prompt is cut: {head:,} of {len(text):,} characters are left, {excerpt(text[head:])} is gone"
        )
    else:
        what = (
            f"the system prompt is not whole: {len(missing)} of {len(lines)} lines are gone or altered: "
            f"{listing([excerpt(line, 100) for line in missing])}"
        )
    return Verdict(False, what, f"{len(system):,} characters: {excerpt(system)}")


def _common_head(a: str, b: str) -> int:
    shorter = min(len(a), len(b))
    return next((place for place in range(shorter) if a[place] != b[place]), shorter)
