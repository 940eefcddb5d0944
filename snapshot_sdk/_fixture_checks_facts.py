"""The check of facts: each must be kept or restated, and nothing else may stand in its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from snapshot_sdk._fixture_checks_words import Verdict, excerpt, in_place, listing
from snapshot_sdk._fixture_prompt import Prompt, PromptMessage
from snapshot_sdk.facts import Fact, Match, Matcher, Sighting

TOLD: Final = frozenset({"memory", "state", "summary"})
"""Layers in which an agent says what holds now: another value there contradicts the fact, whoever said it before."""
_AROUND: Final = 60
"""Characters quoted on either side of a value."""


class _Rival(NamedTuple):
    message: PromptMessage
    sighting: Sighting
    counts: bool
    """It contradicts the fact, and does not only look like it."""


def judge_facts(
    prompt: Prompt, facts: Sequence[Fact], said: Collection[str] = (), sources: Mapping[Fact, str] | None = None
) -> Verdict:
    """Looks for facts.

    Another value beside the words that go with a fact contradicts it where the agent says what holds now: in memory,
    state and summaries. In other messages it does only if the history never said it: an earlier value that the
    user replaced is no contradiction. Where the message that said it first stands word for word, the fact is there.

    Args:
        prompt: The prompt.
        facts: What to look for.
        said: Texts of the history that no compaction wrote, and of the recorded system prompt.
        sources: The whole text of the message that said a fact first.
    """
    faults, instead, kept = [], None, []
    for fact in facts:
        holder, rivals = _look(prompt, fact, said, (sources or {}).get(fact))
        counting = [rival for rival in rivals if rival.counts]
        named = f"{fact.path + ' = ' if fact.path else ''}{excerpt(fact.text, 100)} ({fact.kind})"
        if holder is not None and not counting:
            kept.append(f"{named} stands in {holder.place}")
            continue
        if holder is not None:
            faults.append(f"{named} stands in {holder.place}, and something else in its place too")
        else:
            # What is said beside the fact's own words comes before what only looks like it.
            counting = counting or [one for one in rivals if one.sighting.anchored] or rivals
            faults.append(f"{named} is {'distorted' if counting else 'absent'}")
        if instead is None:
            instead = _quote(counting[0]) if counting else in_place(fact.text, prompt)
    if faults:
        return Verdict(False, listing(faults), instead)
    return Verdict(True, listing(kept))


def _look(
    prompt: Prompt, fact: Fact, said: Collection[str], source: str | None
) -> tuple[PromptMessage | None, list[_Rival]]:
    """The first message that holds a fact, and all that stands in its place."""
    holder, rivals = None, []
    for message in prompt.elements:
        match = _match(fact, message.text)
        start = message.text.find(source) if source else -1
        end = start + len(source or "") if start >= 0 else start
        if (match.sightings or start >= 0) and holder is None:
            holder = message
        if message in prompt.tools:
            continue
        rivals += [
            _Rival(message, one, one.anchored and _contradicts(message, one, said))
            for one in match.rivals
            if not start <= one.start < end
        ]
    return holder, rivals


@lru_cache(maxsize=64)
def _matcher(fact: Fact) -> Matcher:
    return Matcher(fact)


@lru_cache(maxsize=4096)
def _match(fact: Fact, text: str) -> Match:
    """Shrinking asks for the same fact in the same messages over and over."""
    return _matcher(fact).match(text)


def _contradicts(message: PromptMessage, sighting: Sighting, said: Collection[str]) -> bool:
    if _layer_at(message, sighting.start) in TOLD:
        return True
    return not any(sighting.text in text for text in said)


def _layer_at(message: PromptMessage, at: int) -> str:
    """The layer of a place in a message's text; runs hold no names of tools and no line ends between pieces."""
    place = 0
    for run in message.runs:
        found = message.text.find(run.text, place) if run.text else -1
        if found >= 0:
            place = found + len(run.text)
            if at < place:
                return run.layer
    return message.layer


def _quote(rival: _Rival) -> str:
    message, sighting = rival.message, rival.sighting
    around = message.text[max(0, sighting.start - _AROUND) : sighting.end + _AROUND]
    why = f" ({sighting.why})" if sighting.why else ""
    return f"{message.place} says {excerpt(sighting.text, 60)}{why}: {excerpt(around)}"
