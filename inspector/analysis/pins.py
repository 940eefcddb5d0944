"""How every pinned or watched text fared, call by call."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from inspector.analysis.compactions import CompactionChange
from inspector.analysis.lifelines import LifeEvent, SessionLife
from inspector.analysis.numbering import NumberedContexts, number_contexts
from inspector.analysis.words import words_of
from inspector.model.context import Block, CallContext
from inspector.model.fates import Fate
from inspector.model.views import PinRow
from inspector.model.watches import Watch

Verdict = Literal["verbatim", "altered", "duplicated", "only in a summary", "gone"]
"""``duplicated``: a message that carries it stands there more than once. ``altered``: the message that carried it, or
another one, says it in other writing. ``only in a summary``: a summary still quotes it, no other message does."""

BROKEN: Final = frozenset({"altered", "gone"})
"""Verdicts that break a pin: it must be in every context verbatim, and a summary that quotes it word for word does."""
ALTERED_SHARE: Final = 0.6
"""Share of the pinned words that the message which carried them must still hold to be called altered, not gone."""
LEAST_FOLDED: Final = 6
"""Shortest text, in characters, that is looked for in other writing: ``CN`` is in many a word."""
_UNASKED: Final = -1
"""Stands for a message of which nobody has asked whether it holds a text."""


@dataclass(frozen=True)
class PinLife:
    """A pin or a watch over the calls of its scope."""

    id: str
    excerpt: str
    reason: str | None
    caller: str | None
    watched: bool
    """Set afterwards by the reader; else pinned by the agent."""
    since_call: int | None
    """First call that counts; None: none does."""
    released_call: int | None
    """First call after its release; None: still pinned."""
    verdicts: dict[int, Verdict]
    """By call number; calls outside its scope are absent."""
    carriers: tuple[int, ...]
    """Numbers of the messages that ever held it verbatim."""
    first_broken_call: int | None
    """First call that lacks it or has it altered; None: it held."""
    back_call: int | None = None
    """First call after that which holds it again."""
    cause: LifeEvent | None = None
    """What happened, at the first broken call, to the message that carried it last."""
    cause_message: int | None = None
    """Number of that message."""
    cause_compaction: int | None = None
    """Number of the compaction that did it."""
    text: str | None = None
    """The pinned text in full; None: a pattern, or a message."""
    broken: tuple[int, ...] = ()
    """All calls that lack it or have it altered."""


@dataclass(frozen=True)
class _Target:
    """A pin, and where it stands among the contents of a session."""

    pin: PinRow | Watch
    verbatim: frozenset[str]
    """Contents that hold it verbatim."""
    folded: str | None
    """What stands in a text that holds it in other writing: case, width, white space or punctuation differ; None: such
    texts are not looked for."""
    words: frozenset[str]
    """Its words; empty for a pattern."""


def follow_pins(
    contexts: Sequence[CallContext],
    life: SessionLife,
    compactions: Sequence[CompactionChange],
    pins: Sequence[PinRow],
    watches: Sequence[Watch] = (),
) -> tuple[PinLife, ...]:
    """Judge every call by every pin and watch.

    Args:
        contexts: The calls in display order.
        life: Their lifelines.
        compactions: The compactions, which may be the cause of a loss.
        pins: What the agent pinned.
        watches: What the reader pinned afterwards.
    """
    if not pins and not watches:
        return ()
    numbered = life.numbered
    if numbered is None or not numbered.is_of(contexts):
        numbered = number_contexts(contexts)
    contents = {block.content: block for block in numbered.blocks}
    asked: list[PinRow | Watch] = [*pins, *watches]
    targets = [_find(pin, contents) for pin in asked]
    known = frozenset().union(*(target.verbatim for target in targets))
    has = np.fromiter((block.content in known for block in numbered.blocks), np.bool_, len(numbered.blocks))
    holding = {
        context.call: np.flatnonzero(has[row]).tolist() for context, row in zip(contexts, numbered.rows, strict=True)
    }
    writings = _Writings(numbered)
    return tuple(_follow(target, contexts, holding, writings, life, compactions) for target in targets)


class _Writings:
    """Which calls hold a text in other writing. Asked of those that have it nowhere verbatim: else it costs most."""

    def __init__(self, numbered: NumberedContexts) -> None:
        self._numbered = numbered
        self._rows = {context.call: row for context, row in zip(numbered.contexts, numbered.rows, strict=True)}
        self._folded: dict[int, str] = {}
        self._holds: dict[str, NDArray[np.int8]] = {}

    def hold(self, call: int, folded: str) -> bool:
        """Tell whether a message of a call has a text, both without what only writing decides."""
        holds = self._holds.setdefault(folded, np.full(len(self._numbered.blocks), _UNASKED, np.int8))
        row = self._rows[call]
        for number in set(row[holds[row] == _UNASKED].tolist()):
            if number not in self._folded:
                self._folded[number] = fold_writing(self._numbered.blocks[number].text)
            holds[number] = folded in self._folded[number]
        return bool((holds[row] > 0).any())


def _find(pin: PinRow | Watch, contents: Mapping[str, Block]) -> _Target:
    target: Mapping[str, Any] = pin.target or {"text": pin.excerpt}
    pinned = target.get("message")
    if isinstance(pinned, str):
        text = contents[pinned].text if pinned in contents else ""
        return _Target(pin, frozenset({pinned} & contents.keys()), None, frozenset(words_of(text)))
    wanted = target.get("text")
    if isinstance(wanted, str):
        folded = fold_writing(wanted)
        verbatim = frozenset(c for c, block in contents.items() if wanted in block.text)
        return _Target(pin, verbatim, folded if len(folded) >= LEAST_FOLDED else None, frozenset(words_of(wanted)))
    try:
        pattern = re.compile(str(target.get("regex")))
    except re.error:
        # A pattern of another Python's syntax holds nowhere; the recorder only takes compiled ones.
        return _Target(pin, frozenset(), None, frozenset())
    found = frozenset(c for c, block in contents.items() if pattern.search(block.text))
    return _Target(pin, found, None, frozenset())


def _follow(
    target: _Target,
    contexts: Sequence[CallContext],
    holding: Mapping[int, Sequence[int]],
    writings: _Writings,
    life: SessionLife,
    compactions: Sequence[CompactionChange],
) -> PinLife:
    pin = target.pin
    calls = _calls_of(target, contexts)
    verdicts: dict[int, Verdict] = {}
    carriers: set[int] = set()
    held: tuple[int, ...] = ()
    first_broken: int | None = None
    last: tuple[int, ...] = ()
    for context in calls:
        numbers = life.numbers[context.call]
        held = tuple(numbers[p] for p in holding[context.call] if context.blocks[p].content in target.verbatim)
        verdict = _judge(target, context, holding[context.call], writings, numbers, carriers)
        verdicts[context.call] = verdict
        carriers.update(held)
        if verdict in BROKEN:
            first_broken = first_broken or context.call
        elif first_broken is None:
            last = held
    broken = tuple(call for call, verdict in verdicts.items() if verdict in BROKEN)
    back = next((c for c, v in verdicts.items() if first_broken and c > first_broken and v not in BROKEN), None)
    event, message = _cause(first_broken, last, life)
    return PinLife(
        id=pin.id,
        excerpt=pin.excerpt,
        reason=pin.reason,
        caller=pin.caller if isinstance(pin, PinRow) else None,
        watched=isinstance(pin, Watch),
        since_call=calls[0].call if calls else None,
        released_call=pin.released_call if isinstance(pin, PinRow) else None,
        verdicts=verdicts,
        carriers=tuple(sorted(carriers)),
        first_broken_call=first_broken,
        back_call=back,
        cause=event,
        cause_message=message,
        cause_compaction=_compaction_of(first_broken, message, compactions),
        text=text if isinstance(text := pin.target.get("text"), str) else None,
        broken=broken,
    )


def _calls_of(target: _Target, contexts: Sequence[CallContext]) -> list[CallContext]:
    """The calls that must have it: of its lane, from its beginning until its release."""
    pin = target.pin
    if isinstance(pin, PinRow):
        if pin.since_call is None:
            return []
        end = pin.released_call if pin.released_call is not None else len(contexts) + 1
        within = [c for c in contexts if pin.since_call <= c.call < end]
        # Without a scope it holds for every lane, but not for side calls: a summariser or a title never has it all.
        return [c for c in within if (c.purpose is None if pin.scope is None else c.lane == pin.scope)]
    lane = pin.lane or main_lane(contexts)
    calls = [c for c in contexts if c.lane == lane and c.call >= (pin.since_call or 1)]
    if pin.since_call is not None:
        return calls
    first = next((n for n, c in enumerate(calls) if any(b.content in target.verbatim for b in c.blocks)), len(calls))
    return calls[first:]


def main_lane(contexts: Sequence[CallContext]) -> str | None:
    """The lane called ``main``, else the lane of the first call; None: there are no calls."""
    lanes = dict.fromkeys(context.lane for context in contexts)
    return "main" if "main" in lanes else next(iter(lanes), None)


def _judge(
    target: _Target,
    context: CallContext,
    places: Sequence[int],
    writings: _Writings,
    numbers: Sequence[int],
    carriers: set[int],
) -> Verdict:
    blocks = context.blocks
    verbatim = [blocks[place] for place in places if blocks[place].content in target.verbatim]
    outside = [block for block in verbatim if not block.is_summary]
    if outside:
        contents = [block.content for block in outside]
        return "duplicated" if len(set(contents)) < len(contents) else "verbatim"
    if verbatim:
        return "only in a summary"
    if target.folded is not None and writings.hold(context.call, target.folded):
        return "altered"
    if not carriers.isdisjoint(numbers) and any(
        number in carriers and _still_says(target, block) for number, block in zip(numbers, blocks, strict=True)
    ):
        return "altered"
    return "gone"


def _still_says(target: _Target, block: Block) -> bool:
    """Whether a message that carried it holds most of its words still."""
    return bool(target.words) and len(target.words.intersection(words_of(block.text))) >= ALTERED_SHARE * len(
        target.words
    )


def _cause(call: int | None, last: Sequence[int], life: SessionLife) -> tuple[LifeEvent | None, int | None]:
    """What happened at a call to the message that carried a pin last."""
    for number in last:
        for event in life.lifelines[number - 1].events:
            if event.call == call and event.fate not in (Fate.MOVED, Fate.ADDED, Fate.RETURNED):
                return event, number
    return None, None


def _compaction_of(call: int | None, message: int | None, compactions: Sequence[CompactionChange]) -> int | None:
    if call is None or message is None:
        return None
    return next((c.number for c in compactions if c.call == call and message in c.taken), None)


def fold_writing(text: str) -> str:
    """The text without what only writing decides: width, case, white space, punctuation at the end."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .,;:!?。，；：！？")
