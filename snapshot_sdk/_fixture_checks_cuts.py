"""The check of cut messages: what stands in a prompt must not be a message of the history with a part cut off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from snapshot_sdk._delta import common_head, common_tail
from snapshot_sdk._fixture_checks_quoted import RUN, Quoted, quoted
from snapshot_sdk._fixture_checks_words import Verdict, excerpt, listing
from snapshot_sdk._fixture_prompt import INSTRUCTION_ROLES, Prompt, PromptMessage
from snapshot_sdk._fixture_prompt_blocks import Piece

LEAST_REMAINS: Final = 12
"""Shortest head or tail of a text, in characters, that names it."""
MARK_LENGTH: Final = 80
"""Longest mark of a cut, characters."""
LEAST_LOST: Final = 2
"""Characters that must be missing: a trailing line end is no loss."""
LEAST_SHARE_LOST: Final = 0.05
"""Share of a text that must be missing where more than a mark is added: less is an edit."""
MOSTLY_SAME_CALL: Final = 0.5
"""Share of a result that must be quoted from what its call first gave, to be a part of that and no retelling."""
MOSTLY: Final = 0.8
"""The same of a message that no id ties to the one it is like."""
_SAMPLES: Final = 16
_RETOLD: Final = frozenset({"summary", "memory", "state"})
"""Layers that retell: a quote in them is no message with a part missing."""

_UNIT: Final = r"(?:chars?|characters|words|lines?|tokens?|bytes|字|行)"
_CUT: Final = (
    r"(?:truncated|omitted|cut(?: off)?|trimmed|elided|clipped|shortened|snip(?:ped)?|left out|截断|省略|内容过长"
    rf"|\d[\d,.]*\s*more(?:\b|(?={_UNIT}))"
    # A bare count is a mark where it stands alone: "[1,204 chars]", but not "(1 lines total)".
    rf"|(?<=[\[(（<【+…])\d[\d,.]*\s*{_UNIT}(?=[\])）>】…]))"
)
_OPENS: Final = r"(?:\.\.\.|…|[\[({（【<*\-—|#])"
MARK: Final = re.compile(
    rf"\s*(?:{_OPENS}[\s.…]*(?:[^\n]{{0,40}}?{_CUT}[^\n]{{0,40}})?)?[\s.…\])}}）】>*\-—|]*", re.IGNORECASE
)
"""All of what agents put where they cut: ``…``, ``[1,204 characters omitted]``, ``（已截断）``."""
_MARK_AT_END: Final = re.compile(
    rf"\s*{_OPENS}[^\n]{{0,60}}?{_CUT}[^\n]{{0,40}}\s*$|\s*(?:\.\.\.|…)+\s*$", re.IGNORECASE
)
_MARK_AT_START: Final = re.compile(
    rf"^\s*{_OPENS}[^\n]{{0,60}}?{_CUT}[^\n]{{0,40}}?(?:\]|\)|）|>|】|\.\.\.|…)\s*|^\s*(?:\.\.\.|…)+\s*", re.IGNORECASE
)


class _Whole(NamedTuple):
    """A text of the history."""

    text: str
    origin: str
    id: str | None
    """Id of the tool call it is the result of."""
    order: int
    """Its place among all of them."""
    role: str | None


class _Remains(NamedTuple):
    """What is left of a text: how much of its head and tail, in characters."""

    head: int
    tail: int


def judge_cuts(prompt: Prompt, history: Sequence[PromptMessage], origins: Sequence[str]) -> Verdict:
    """Looks for messages that are one of the history with a part missing, with or without a mark of the cut.

    What is left is told by its head or its tail, where nothing else stands there but a mark; of what answers the same
    call, and of the only message of its role that is like it, by what it quotes, whatever was written around it.
    A place-holder that holds nothing of the message it stands for is none: it says openly that something was
    taken. A message that was cut when it first came, before any prompt held all of it, cannot be told.

    Args:
        prompt: The prompt.
        history: The messages of the history.
        origins: Where in the session each was said.
    """
    wholes = [
        _Whole(piece.text, origin, piece.id if piece.kind == "tool_result" else None, 0, message.role)
        for message, origin in zip(history, origins, strict=True)
        for piece in message.pieces
        if piece.kind in ("text", "tool_result") and len(piece.text) > LEAST_REMAINS
    ]
    wholes = [whole._replace(order=order) for order, whole in enumerate(wholes)]
    find = (_finder(wholes, str), _finder(wholes, _squeeze))
    sent = [piece for message in prompt.messages for piece in message.pieces]
    partly = _Partly(wholes, frozenset(_squeeze(piece.text) for piece in sent))
    faults, instead = [], None
    for message in prompt.messages:
        for piece in message.pieces:
            if piece.kind not in ("text", "tool_result"):
                continue
            found = find[0](piece) or find[1](piece)
            if found is not None:
                whole, remains = found
                faults.append(_fault(message, piece, whole, remains))
                instead = instead or f"{message.place} ends: {excerpt(piece.text[-120:])}"
            elif (part := partly.find(message, piece)) is not None:
                faults.append(_fault_of_part(message, piece, *part))
                instead = instead or f"{message.place}: {excerpt(piece.text)}"
    if faults:
        return Verdict(False, listing(faults), instead)
    return Verdict(True, "no message of the prompt is cut")


def _squeeze(text: str) -> str:
    """A text without white space: what cuts often writes JSON anew, or joins lines."""
    return "".join(text.split())


class _Partly:
    """Finds messages that quote a part of one in the history, and lack a considerable one."""

    def __init__(self, wholes: Sequence[_Whole], sent: frozenset[str]) -> None:
        self._wholes = wholes
        self._known: dict[str, int] = {}
        self._gone: list[tuple[_Whole, str]] = []
        for whole in wholes:
            bare = _squeeze(whole.text)
            self._known.setdefault(bare, whole.order)
            if bare not in sent:
                self._gone.append((whole, bare))

    def find(self, message: PromptMessage, piece: Piece) -> tuple[_Whole, Quoted] | None:
        """The message it is a part of, and what it quotes of it."""
        known = self._known.get(_squeeze(piece.text))
        if piece.id is not None:
            # What answers the call is tied to it. A version that came later may be the one that was cut.
            own = [whole for whole in self._wholes if whole.id == piece.id and (known is None or whole.order < known)]
            if own:
                return next(self._parts(own, piece, MOSTLY_SAME_CALL), None)
        if known is not None or message.role in INSTRUCTION_ROLES or message.layer in _RETOLD:
            return None
        samples = _samples(_squeeze(piece.text))
        like = [
            whole
            for whole, bare in self._gone
            if whole.role == message.role and 3 * sum(sample in bare for sample in samples) >= len(samples)
        ]
        found = list(self._parts(like, piece, MOSTLY))
        return found[0] if len(found) == 1 else None

    @staticmethod
    def _parts(wholes: Sequence[_Whole], piece: Piece, share: float) -> Iterator[tuple[_Whole, Quoted]]:
        for whole in wholes:
            if len(whole.text) <= len(piece.text) - MARK_LENGTH or len(piece.text) < LEAST_REMAINS:
                continue
            part = quoted(whole.text, piece.text)
            # What was edited has something else in the place of what is gone.
            shorter, least = part.lost - part.added, max(LEAST_REMAINS, LEAST_SHARE_LOST * part.whole)
            if part.kept >= share * (part.kept + part.added) > 0 and shorter > least:
                yield whole, part


def _samples(text: str) -> list[str]:
    """Runs from all over a text: of what is mostly a quote, a third of them at least stands in what is quoted."""
    return [text[at : at + RUN] for at in range(0, max(len(text) - RUN, 1), max(len(text) // _SAMPLES, 1))]


def _finder(wholes: Sequence[_Whole], form: Callable[[str], str]) -> Callable[[Piece], tuple[_Whole, _Remains] | None]:
    """Makes texts ready to be recognised by what is left of them, in a form in which they are compared."""
    formed = [whole._replace(text=form(whole.text)) for whole in wholes]
    equal: dict[str, _Whole] = {}
    heads: dict[str, list[_Whole]] = {}
    tails: dict[str, list[_Whole]] = {}
    by_id: dict[str, list[_Whole]] = {}
    for whole in formed:
        equal.setdefault(whole.text, whole)
        heads.setdefault(whole.text[:LEAST_REMAINS], []).append(whole)
        tails.setdefault(whole.text[-LEAST_REMAINS:], []).append(whole)
        if whole.id is not None:
            by_id.setdefault(whole.id, []).append(whole)

    def find(piece: Piece) -> tuple[_Whole, _Remains] | None:
        text = form(piece.text)
        known = equal.get(text)
        for whole in _candidates(text, piece.id, heads, tails, by_id):
            # A text that stands in the history as it is was cut only if it says so, or answers the same call.
            same_call = whole.id is not None and whole.id == piece.id
            if known is not None and not (whole.order < known.order and (same_call or _has_mark(text))):
                continue
            remains = _remains(whole.text, text)
            if remains is not None and (known is None or same_call or remains.head >= LEAST_REMAINS):
                return wholes[whole.order], remains
        return None

    return find


def _candidates(
    text: str,
    call_id: str | None,
    heads: dict[str, list[_Whole]],
    tails: dict[str, list[_Whole]],
    by_id: dict[str, list[_Whole]],
) -> Iterator[_Whole]:
    """Texts that a piece may be what is left of, those of its own call first."""
    if call_id is not None:
        yield from by_id.get(call_id, ())
    stripped = _MARK_AT_START.sub("", text, count=1)
    if len(text) < LEAST_REMAINS:
        return
    yield from heads.get(text[:LEAST_REMAINS], ())
    for end in {text[-LEAST_REMAINS:], stripped[-LEAST_REMAINS:]}:
        yield from tails.get(end, ())


def _remains(whole: str, text: str) -> _Remains | None:
    """How much of a text is left in another one, if that is nothing else but a mark of the cut."""
    if len(text) > len(whole) + MARK_LENGTH or text == whole:
        return None
    least = min(len(whole), len(text))
    head = common_head(whole, 0, text, 0, least)
    tail = common_tail(whole, text, least - head)
    if head + tail < LEAST_REMAINS or len(whole.strip()) - head - tail < LEAST_LOST:
        return None
    middle = text[head : len(text) - tail]
    return _Remains(head, tail) if _is_mark(middle, head, tail) else None


def _is_mark(middle: str, head: int, tail: int) -> bool:
    if not middle:
        return True
    if head < LEAST_REMAINS and tail < LEAST_REMAINS:
        return False
    return len(middle) <= MARK_LENGTH and MARK.fullmatch(middle) is not None


def _has_mark(text: str) -> bool:
    return bool(_MARK_AT_END.search(text[-MARK_LENGTH:]) or _MARK_AT_START.match(text[:MARK_LENGTH]))


def _fault(message: PromptMessage, piece: Piece, whole: _Whole, remains: _Remains) -> str:
    text = whole.text
    if _remains(text, piece.text) != remains:  # found without white space: the same places with it
        end = len(text) - _place(text[::-1], remains.tail)
        remains = _Remains(_place(text, remains.head), len(text) - max(end, _place(text, remains.head)))
    lost = text[remains.head : len(text) - remains.tail]
    broken = ", in the middle of its JSON" if _is_json(text) and not _is_json(piece.text) else ""
    size = f"from {len(text):,} to {remains.head + remains.tail:,} characters{broken}"
    return f"{message.place} is {_original(piece, whole)} cut {size}: {excerpt(lost, 100)} is gone"


def _fault_of_part(message: PromptMessage, piece: Piece, whole: _Whole, part: Quoted) -> str:
    left = f"{part.kept:,} of {part.whole:,} characters are left, white space not counted"
    return (
        f"{message.place} is {_original(piece, whole)} with parts missing ({left}): {excerpt(part.gone, 100)} is gone"
    )


def _original(piece: Piece, whole: _Whole) -> str:
    what = f"the result of {piece.id}" if piece.kind == "tool_result" and piece.id else "a message"
    return f"{what} of {whole.origin}" if whole.origin else what


def _place(text: str, count: int) -> int:
    """Where in a text its first so many characters that are no white space end."""
    seen = 0
    for place, character in enumerate(text):
        if seen == count:
            return place
        seen += not character.isspace()
    return len(text)


def _is_json(text: str) -> bool:
    """Whether a text looks like whole JSON; what is cut lacks its end."""
    stripped = text.strip()
    return stripped[:1] + stripped[-1:] in ("{}", "[]")
