"""How checks put what they found: the verdict, excerpts, and what stands nearest to a lost text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from snapshot_sdk._fixture_prompt import INSTRUCTION_ROLES, Prompt, PromptMessage, history_messages
from snapshot_sdk._fixture_values import Fixture, HistoryMessage

LONGEST_EXCERPT: Final = 160
"""Characters of a text that a message quotes."""
LIKE: Final = 0.5
"""Share of a lost text's words that a passage must hold to be called what stands in its place."""
LEAST_FOLDED: Final = 6
"""Shortest text, in characters, that is looked for in other writing: ``CN`` is in many a word."""
LONGEST_LIST: Final = 5
"""Faults of one check that a message names; the others it counts."""

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of signs that are no letters to read: of control and format, surrogates, ends of lines."""

_WORD: Final = re.compile(r"[^\W_]+", re.ASCII)
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]+")
_PASSAGE: Final = re.compile(r"[^\n。！？!?]+[。！？!?]?")


class Verdict(NamedTuple):
    """What a check found."""

    ok: bool | None
    """None: it cannot be told."""
    what: str
    """What holds, or what is lost, as a clause."""
    instead: str | None = None
    """What the prompt holds in its place."""


def visible(text: str, *, line_ends: bool = True) -> str:
    """Writes out signs that a terminal would obey, turn around or hide, and those that cannot be encoded.

    pytest-xdist sends messages from one process to another, and a lone surrogate ends the whole run.

    Args:
        text: Any text.
        line_ends: Line ends and tabs stay; else they are written out, too.
    """
    if text.isprintable():
        return text
    return "".join(
        sign if unicodedata.category(sign) not in _UNSEEN or (line_ends and sign in "\n\t") else _escape(sign)
        for sign in text
    )


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii") if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"


def excerpt(text: str, length: int = LONGEST_EXCERPT) -> str:
    """Quotes a text on one line, shortened in the middle.

    Args:
        text: Any text.
        length: Characters at most.
    """
    line = " ".join(text.split())
    if len(line) > length:
        line = f"{line[: length * 2 // 3]} … {line[-(length // 3) :]}"
    return f"“{line}”"


def listing(faults: Sequence[str]) -> str:
    """Joins faults to one clause; of many, the first ones and their number.

    Args:
        faults: Clauses.
    """
    more = len(faults) - LONGEST_LIST
    return "; ".join(faults[:LONGEST_LIST]) + (f"; and {more} more" if more > 0 else "")


def fold_writing(text: str) -> str:
    """Gives a text without what only writing decides: width, case, white space, punctuation at the end.

    Args:
        text: Any text.
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .,;:!?。，；：！？")


def words_of(text: str) -> frozenset[str]:
    """Gives the words of a text, of Chinese and Japanese its pairs of characters.

    Args:
        text: Any text.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    pairs = [run[at : at + 2] for run in _CJK.findall(folded) for at in range(max(len(run) - 1, 1))]
    return frozenset([*_WORD.findall(folded), *pairs])


def in_place(text: str | None, prompt: Prompt) -> str:
    """Says what stands in the place of a lost text: the passage that says most of it, else what the prompt is made of.

    Args:
        text: What is lost; None: it cannot be compared.
        prompt: The prompt.
    """
    found = None if text is None else nearest(text, (*prompt.head, *prompt.messages))
    return found or f"nothing like it; {overview(prompt)}"


def nearest(text: str, messages: Iterable[PromptMessage]) -> str | None:
    """Names and quotes the passage that says most of a lost text; None: nothing says the like.

    Args:
        text: What is lost.
        messages: Where to look.
    """
    wanted = words_of(text)
    best, found = 0.0, None
    for message in messages:
        if not wanted or len(wanted & words_of(message.text)) < LIKE * len(wanted):
            continue
        for passage in _PASSAGE.findall(message.text):
            words = words_of(passage)
            shared = len(wanted & words)
            # Of two passages that hold as much of it, the one that says less else.
            score = shared / len(wanted) - 0.001 * min(len(words - wanted), 100)
            if shared >= LIKE * len(wanted) and score > best:
                best, found = score, f"{message.place}: {excerpt(passage)}"
    return found


def overview(prompt: Prompt) -> str:
    """Says in a clause what a prompt is made of: how many messages, its summary, else where its conversation begins.

    Args:
        prompt: The prompt.
    """
    count = len(prompt.messages)
    if not count:
        return "no message at all"
    named = f"{count} messages" if count > 1 else "1 message"
    summary = next((one for one in prompt.messages if one.layer == "summary"), None)
    if summary is not None:
        return f"{named}, with a summary in {summary.place}: {excerpt(summary.text)}"
    first = next((one for one in prompt.messages if one.role not in INSTRUCTION_ROLES), None)
    if first is None:
        return f"{named}, instructions only: {excerpt(prompt.messages[0].text, 80)}"
    return f"{named}, of which the conversation begins with {first.place}: {excerpt(first.text, 80)}"


def all_lost(prompt: Prompt, fixture: Fixture) -> bool:
    """Says whether nothing of the conversation is left: there are instructions at most, and there was more.

    Args:
        prompt: The prompt.
        fixture: The fixture.
    """
    if prompt.unseen is not None or not all(message.role in INSTRUCTION_ROLES for message in prompt.messages):
        return False
    return any(message.role not in INSTRUCTION_ROLES for message in history_messages(fixture))


def place_of(message: HistoryMessage) -> str:
    """Says where in the session a message was first seen: ``t2 · call 3 (user)``.

    Args:
        message: A message of the history.
    """
    turn = "" if message.turn is None else f"t{message.turn} · "
    role = message.message.get("role") if isinstance(message.message, dict) else None
    return f"{turn}call {message.call}" + (f" ({role})" if isinstance(role, str) else "")


def said_at(fixture: Fixture, text: str) -> str | None:
    """Says where the history first holds a text; None: nowhere.

    Args:
        fixture: The fixture.
        text: The text.
    """
    for message, read in zip(fixture.history, history_messages(fixture), strict=True):
        if not message.summary and text and text in read.text:
            return place_of(message)
    return None
