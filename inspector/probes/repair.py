"""The smallest set of messages whose return would make a probe pass, and what it would cost in tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from inspector.analysis.fact_trace import HELD
from inspector.model.context import Block
from inspector.probes.draft_questions import is_chinese
from inspector.probes.look import ProbeLook, SessionFacts
from inspector.probes.replay_dialects import NoPlaceError
from inspector.probes.replay_request import Edit
from snapshot_sdk.facts import Matcher

MOST_MESSAGES: Final = 4
"""Messages of a set that is looked for; where more are needed they are chosen greedily."""


@dataclass(frozen=True)
class Repair:
    """Messages that were taken out and would help."""

    messages: tuple[int, ...]
    """Their numbers, in the order of the session; empty: none would."""
    tokens: int | None
    """What they would add to the prompt; None: unknown."""
    passes: bool
    """With them every fact stands in the context, and nothing else in its place."""
    why: str
    """Why not, in words; empty: it passes."""
    texts: tuple[str, ...] = ()
    """What they say."""


@dataclass(frozen=True)
class _Candidate:
    number: int
    block: Block
    covers: frozenset[int]
    """Which of the missing facts it says."""

    @property
    def price(self) -> int:
        return len(self.block.text) if self.block.tokens is None else self.block.tokens


def find_repair(found: ProbeLook, facts: SessionFacts, call: int) -> Repair | None:
    """Find the smallest set of earlier messages that would bring back what a probe asks for; of equals the cheapest.

    Args:
        found: The probe and the life of its facts.
        facts: The session.
        call: The call to repair.

    Returns:
        None: nothing is missing there.
    """
    states = {n: one.state for n, trace in enumerate(found.traces) for one in trace.calls if one.call == call}
    missing = frozenset(n for n, state in states.items() if state not in HELD)
    if not missing:
        return None
    candidates = list(_candidates(found, facts, call, missing))
    chosen = _cover(candidates, missing)
    if chosen is None:
        lost = [found.traces[n].fact.text for n in sorted(missing - {m for one in candidates for m in one.covers})]
        return Repair((), None, passes=False, why=f"no earlier message of this lane says “{lost[0]}”")
    rivals = found.presences[call].rivals if call in found.presences else ()
    why = f"m{rivals[-1]} would still say something else" if rivals else ""
    counts = [one.block.tokens for one in chosen]
    return Repair(
        messages=tuple(one.number for one in chosen),
        tokens=None if any(count is None for count in counts) else sum(count or 0 for count in counts),
        passes=not rivals,
        why=why,
        texts=tuple(one.block.text for one in chosen),
    )


def _candidates(found: ProbeLook, facts: SessionFacts, call: int, missing: frozenset[int]) -> Iterator[_Candidate]:
    """Messages of earlier calls of the lane that say something missing, and that the call does not have."""
    numbers = facts.changes.life.numbers
    here = set(numbers[call])
    lane = next(context.lane for context in facts.changes.contexts if context.call == call)
    matchers = {n: Matcher(found.traces[n].fact) for n in missing}
    seen: dict[int, str] = {}
    best: dict[int, _Candidate] = {}
    for context in facts.changes.contexts:
        if context.call >= call or context.lane != lane:
            continue
        for number, block in zip(numbers[context.call], context.blocks, strict=True):
            if number in here or block.is_summary or seen.get(number) == block.content:
                continue
            seen[number] = block.content
            kept = (n for n, one in matchers.items() if one.match(block.text).state in ("kept", "restated"))
            covers = frozenset(kept)
            if covers and (number not in best or len(covers) >= len(best[number].covers)):
                best[number] = _Candidate(number, block, covers)
    yield from best.values()


def _cover(candidates: Sequence[_Candidate], missing: frozenset[int]) -> list[_Candidate] | None:
    """The fewest candidates that say all that is missing."""
    cheapest: dict[frozenset[int], _Candidate] = {}
    for one in sorted(candidates, key=lambda one: (one.price, one.number)):
        cheapest.setdefault(one.covers, one)  # of messages that say the same the cheapest is enough
    useful = list(cheapest.values())
    if missing - {n for one in useful for n in one.covers}:
        return None
    for size in range(1, min(MOST_MESSAGES, len(useful)) + 1):
        sets = (chosen for chosen in combinations(useful, size) if missing <= {n for c in chosen for n in c.covers})
        best = min(sets, key=lambda chosen: sum(one.price for one in chosen), default=None)
        if best is not None:
            return sorted(best, key=lambda one: one.number)
    return _greedily(useful, missing)


def _greedily(useful: Sequence[_Candidate], missing: frozenset[int]) -> list[_Candidate]:
    chosen: list[_Candidate] = []
    left = set(missing)
    while left:
        best = max(useful, key=lambda one: (len(one.covers & left), -one.price))
        chosen.append(best)
        left -= best.covers
    return sorted(chosen, key=lambda one: one.number)


_LISTS: Final[Mapping[str, str]] = {
    "openai.chat": "messages",
    "mistral.chat": "messages",
    "anthropic.messages": "messages",
    "openai.responses": "input",
    "gemini.generate_content": "contents",
    "ollama.chat": "messages",
    "cohere.chat": "messages",
    "bedrock.converse": "messages",
}


def with_messages(texts: Sequence[str]) -> Edit:
    """Return the edit that puts messages back, quoted as one message of the user before the rest of the talk.

    Quoted, as a tool result cannot stand without its call; the model reads the same words.

    Args:
        texts: What they say.
    """

    def edit(api: str, body: dict[str, Any]) -> dict[str, Any]:
        name = _LISTS.get(api)
        items = body.get(name or "")
        if name is None or not isinstance(items, list):
            raise NoPlaceError("earlier messages cannot be put back into a request of this shape")
        chinese = any(is_chinese(text) for text in texts)
        text = f"{'此前的消息：' if chinese else 'Earlier in this conversation:'}\n\n" + "\n\n".join(texts)
        message: dict[str, Any] = {"role": "user", "content": text}
        if api == "gemini.generate_content":
            message = {"role": "user", "parts": [{"text": text}]}
        settled = (n for n, one in enumerate(items) if not _is_instruction(one))
        place = next(settled, len(items))
        if api == "bedrock.converse":
            message = {"role": "user", "content": [{"text": text}]}
            first = items[0] if items else None
            if isinstance(first, Mapping) and first.get("role") == "user" and isinstance(first.get("content"), list):
                # Bedrock wants user and assistant to alternate.
                joined = {**first, "content": [*message["content"], *first["content"]]}
                return {**body, name: [joined, *items[1:]]}
        return {**body, name: [*items[:place], message, *items[place:]]}

    return edit


def _is_instruction(item: Any) -> bool:
    return isinstance(item, Mapping) and item.get("role") in ("system", "developer")
