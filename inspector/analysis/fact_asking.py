"""Makes a fact of what a reader typed or selected, and follows it through a session of an index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Protocol

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_trace import CallTrace, FactTrace
from inspector.analysis.tracing import SETTLED, trace_fact
from inspector.model.context import Block, CallContext, changed_places
from inspector.model.layers import Layer
from inspector.model.views import CallRow, SessionRow
from snapshot_sdk.facts import VALUE_KINDS, Fact, FactKind, Matcher, find_facts, guess_kind

MOST_ANCHORS: Final = 6
"""Words beside a value that are learnt: a user's word for it, the key of a state, and little more."""
LOOKED_INTO: Final = 12
"""Texts of one sort that have the value and are looked into: the words beside it repeat."""
HEDGED: Final[frozenset[FactKind]] = frozenset(("money", "percent", "number", "date", "time", "duration"))
"""Kinds whose value may have words in it that are no part of what was selected: about, a range. A part of an id is
another id."""
_TAIL: Final = 3
"""Last characters of a value that any usual writing of it has: 000 of 8,000 and of 8000."""
_BEFORE: Final = 80
"""Characters before a sighting in which the words beside it are looked for."""
_AFTER: Final = 20
"""Characters after it, so that the value is whole."""


class Asked(Protocol):
    """What of the index is needed to follow a fact."""

    def calls(self, session: str) -> tuple[CallRow, ...]:
        """List the calls of a session."""

    def answers(self, session: str) -> Mapping[int, str]:
        """Give the text of the answer of each call that has one."""


@dataclass(frozen=True)
class SessionFact:
    """A fact followed through a session."""

    matcher: Matcher
    trace: FactTrace
    answers: Mapping[int, str]
    """Call number → text of its answer, where there is one."""


def make_fact(
    text: str,
    kind: FactKind | None = None,
    *,
    anchors: Sequence[str] = (),
    path: str | None = None,
    contexts: Sequence[CallContext] = (),
) -> Fact:
    """Make a fact of a text.

    Args:
        text: What was typed or selected.
        kind: What it is; None: guessed.
        anchors: Words that stand beside it; none: learnt from where a user, a state or a summary says it.
        path: Key path, for ``json`` only.
        contexts: The calls of the session, from which such words are learnt, and of which values are selected.

    Raises:
        ValueError: The text is empty, no value of its kind, no valid pattern or no key path.
    """
    wanted = text.strip() if kind != "regex" else text
    fact = Fact(kind or guess_kind(wanted), wanted, tuple(anchors), path)
    matcher = Matcher(fact)
    if fact.kind not in VALUE_KINDS:
        return fact
    whole = _widen(matcher, contexts) if fact.kind in HEDGED else fact.text
    if whole != fact.text:
        matcher = Matcher(Fact(fact.kind, whole, fact.anchors, path))
    return Fact(fact.kind, whole, fact.anchors or learn_anchors(matcher, contexts), path)


def _widen(matcher: Matcher, contexts: Sequence[CallContext]) -> str:
    """Give the value that a selection is a part of, where no message says the selection by itself.

    Who selects ``8500元`` in ``约8500元`` means what stands there; the exact amount was never said.
    """
    fact = matcher.fact
    whole = fact.text
    for text in islice((text for text in _texts(contexts, _is_any) if fact.text in text), LOOKED_INTO):
        if matcher.match(text).sightings:
            return fact.text
        if whole == fact.text:
            whole = next((one.text for one in find_facts(text, (fact.kind,)) if _holds(one.text, whole)), whole)
    return whole


def _holds(value: str, part: str) -> bool:
    """Tell whether a value has a part that is a value by itself: ``约8500元``, but not ``18500元``."""
    before, found, after = value.partition(part)
    around = (before[-1:], after[:1])
    return bool(found) and not any(sign.isnumeric() or sign in tuple(".,") for sign in around)


def learn_anchors(matcher: Matcher, contexts: Sequence[CallContext]) -> tuple[str, ...]:
    """Find the words that stand beside a value where a user says it or a state, a memory or a summary keeps it.

    ``budget`` beside 8000 in a state tells that an 8500 beside the same word has taken its place.

    Args:
        matcher: The value.
        contexts: The calls in display order.
    """
    learnt: dict[str, None] = {}
    for texts in (_texts(contexts, is_settled), _texts(contexts, is_asked)):
        looked = 0
        for text in _likely(texts, matcher.fact.text):
            sightings = matcher.match(text).sightings
            for sighting in sightings:
                begin = max(0, sighting.start - _BEFORE)
                for found in find_facts(text[begin : sighting.end + _AFTER], (matcher.fact.kind,)):
                    if not sighting.weak and begin + found.start <= sighting.start < begin + found.end:
                        learnt |= dict.fromkeys(found.fact.anchors)
            looked += bool(sightings)
            if looked == LOOKED_INTO:
                break
    return tuple(learnt)[:MOST_ANCHORS]


def is_settled(block: Block) -> bool:
    """Tell whether a message keeps values under names of its own: a state, a memory, a summary."""
    return block.layer in SETTLED


def is_asked(block: Block) -> bool:
    """Tell whether a message is what a user says."""
    return block.layer is Layer.INPUT or block.role == "user"


def _is_any(_: Block) -> bool:
    return True


def _texts(contexts: Sequence[CallContext], wanted: Callable[[Block], bool]) -> Iterator[str]:
    """The texts of the distinct messages of some sort, in the order of first appearance."""
    seen: set[str] = set()
    before: tuple[Block, ...] = ()
    for context in contexts:
        for place in changed_places(before, context.blocks):
            block = context.blocks[place]
            if block.content not in seen:
                seen.add(block.content)
                if wanted(block):
                    yield block.text
        before = context.blocks


def _likely(texts: Iterable[str], value: str) -> Iterator[str]:
    """Pass over what cannot hold a value in its usual writing; a word missed here costs no sighting."""
    tail = "".join(sign for sign in value.casefold() if sign.isalnum())[-_TAIL:]
    return (text for text in texts if tail in text.casefold())


def opaque_calls(calls: Sequence[CallRow]) -> frozenset[int]:
    """Return the calls whose prompt has parts that a server added and nobody can read.

    Args:
        calls: The calls of a session.
    """
    return frozenset(call.number for call in calls if call.server is not None and call.server.added is None)


def trace_in(
    index: Asked, session: str, fact: Fact, changes: SessionChanges, row: SessionRow | None = None
) -> SessionFact:
    """Follow a fact through a session of an index.

    Args:
        index: Where calls and answers come from.
        session: The session.
        fact: What to follow.
        changes: The changes of the session, of the same state of the index.
        row: The session's row, where it is at hand: where it counts no call that a server changed, none is asked for.

    Raises:
        ValueError: As :class:`snapshot_sdk.facts.Matcher`.
    """
    changed = row is None or row.server_calls > 0
    return follow(fact, changes, index.answers(session), opaque_calls(index.calls(session)) if changed else ())


def follow(
    fact: Fact, changes: SessionChanges, answers: Mapping[int, str], opaque: Collection[int] = ()
) -> SessionFact:
    """Follow a fact through calls.

    Args:
        fact: What to follow.
        changes: The changes of the session.
        answers: Call number → text of its answer.
        opaque: Calls whose prompt has parts that cannot be read.

    Raises:
        ValueError: As :class:`snapshot_sdk.facts.Matcher`.
    """
    matcher = Matcher(fact)
    trace = trace_fact(
        matcher, changes.contexts, changes.life, answers=answers, changes=changes.compactions, opaque=opaque
    )
    return SessionFact(matcher, trace, {call: text for call, text in answers.items() if text.strip()})


def lane_calls(found: SessionFact, lane: str) -> list[CallTrace]:
    """Return a fact in the calls of a lane.

    Args:
        found: The fact, followed.
        lane: The lane.
    """
    return [trace for trace in found.trace.calls if trace.lane == lane]
