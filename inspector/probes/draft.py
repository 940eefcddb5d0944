"""Drafts a suite from a session: pins, watches, rules, identifiers, amounts, state values, each with a question.

Nothing is asked unseen: each draft says where it was found and why, and whether it is chosen without being asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from inspector.analysis.commitments import Commitment, find_commitments
from inspector.analysis.pins import main_lane
from inspector.model.layers import Layer
from inspector.model.views import PinRow
from inspector.model.watches import Watch
from inspector.probes.draft_doubts import Sources, rule_doubt
from inspector.probes.draft_language import Languages
from inspector.probes.draft_questions import ask_about_rule, ask_about_state, ask_about_value, ask_for_goal, is_fair
from inspector.probes.draft_state import StateValue, find_state_values
from inspector.probes.look import EVERY_LANE, SessionFacts
from inspector.probes.probe import Expected, Probe, ProbeKind, Suite
from snapshot_sdk.facts import VALUE_KINDS, Fact, Matcher, find_facts, guess_kind

CHOSEN: Final = 3.0
"""Score of a commitment from which it is chosen without being asked: a rule of the user, an id they named."""
MOST: Final = 40
"""Drafts of a session; what looks least like a commitment is left out."""
_LIMIT: Final = re.compile("limit")


@dataclass(frozen=True)
class Draft:
    """A proposed probe."""

    probe: Probe
    """Its ``note`` says where it was found and why."""
    chosen: bool
    """Proposed to be asked; else only shown."""
    why: str
    """``pin “…”``, ``user, call 3: passed to 4 tool calls``."""


def draft_probes(facts: SessionFacts, pins: Sequence[PinRow] = (), watches: Sequence[Watch] = ()) -> tuple[Draft, ...]:
    """Draft probes from a session, what matters most first.

    Args:
        facts: The session.
        pins: What its agent pinned.
        watches: What its reader pinned.
    """
    lane = main_lane(facts.changes.contexts)
    commitments = find_commitments([one for one in facts.changes.contexts if one.lane == lane])
    drafts = list(_named(_proposals(facts, commitments, pins, watches)))
    return tuple(drafts[:MOST])


def suite_of(drafts: Sequence[Draft], session: str) -> Suite:
    """Make a suite of the chosen drafts.

    Args:
        drafts: As :func:`draft_probes` gave them.
        session: What they were drafted from.
    """
    return Suite(session, tuple(draft.probe for draft in drafts if draft.chosen), session)


def _proposals(
    facts: SessionFacts, commitments: Sequence[Commitment], pins: Sequence[PinRow], watches: Sequence[Watch]
) -> Iterator[Draft]:
    turns = _first_calls(facts)
    lane = main_lane(facts.changes.contexts)
    texts = {block.content: block.text for context in facts.changes.contexts for block in context.blocks}
    languages = Languages(facts.changes.contexts)
    said: list[str] = []
    marked: list[PinRow | Watch] = [*pins, *watches]
    for pinned in marked:
        draft = _from_pin(pinned, commitments, turns, languages)
        if draft is not None:
            said.append(pinned.excerpt)
            yield draft
    for one in commitments:
        if any(_same(text, one) for text in said):
            continue
        if one.kind != "rule":
            said.append(one.text)
        yield _from_commitment(one, turns, languages, texts)
    known = {fact.text for one in commitments for fact in (one.fact,)} | set(said)
    values = [one for one in find_state_values(facts.changes.contexts) if one.text not in known]
    sources = Sources([one for one in facts.changes.contexts if one.lane == lane]) if values else None
    for value in values:
        if sources is not None:
            yield _from_state(value, turns, sources)


def _first_calls(facts: SessionFacts) -> dict[int, int | str | None]:
    """Return the turn of each call that is the first of its turn: what came in the middle of one is due from there."""
    first: dict[int | str | None, int] = {}
    for row in facts.calls:
        first.setdefault(row.turn, row.number)
    return {number: turn for turn, number in first.items()}


def _same(text: str, one: Commitment) -> bool:
    """A pinned text is the rule it stands in, and the value it is; a value in a pinned rule is asked by itself."""
    if one.kind in ("rule", "goal"):
        return text in one.text or one.text.rstrip("。.!！") in text
    return text.strip(" .。") == one.text.strip(" .。") or any(
        found.key == key and found.kind == kind
        for kind, key in _key(one.text)
        for found in find_facts(text, (one.fact.kind,))
        if len(found.text) >= len(text) - 1
    )


def _key(text: str) -> list[tuple[str, str]]:
    return [(found.kind, found.key) for found in find_facts(text)]


def _from_pin(
    pinned: PinRow | Watch,
    commitments: Sequence[Commitment],
    turns: Mapping[int, int | str | None],
    languages: Languages,
) -> Draft | None:
    target = pinned.target or {"text": pinned.excerpt}
    text = target.get("text")
    what = "pin" if isinstance(pinned, PinRow) else "watch"
    why = f"{what} “{pinned.excerpt}”" + (f": {pinned.reason}" if pinned.reason else "")
    lane = (EVERY_LANE if pinned.scope is None else pinned.scope) if isinstance(pinned, PinRow) else pinned.lane
    since = turns.get(pinned.since_call or 0)
    if not isinstance(text, str) or not text.strip():
        return None  # a pattern or a whole message asks no question
    chinese = languages.is_chinese(None, text)
    kind = guess_kind(text)
    if kind in VALUE_KINDS:
        found = next((one for one in commitments if one.kind not in ("rule", "goal") and _same(text, one)), None)
        value = find_facts(text, (kind,))
        fact = found.fact if found is not None else value[0].fact if value else Fact(kind, text)
        fact = replace(fact, text=text)
        question = ask_about_value(fact, found.sentence if found is not None else text, chinese)
        asked = ("constraint" if found.kind == "amount" else "artifact") if found is not None else "recall"
        return _draft(question, Expected((fact,)), _kind(asked), since, why, lane=lane, about=pinned.id)
    fact = Fact("rule", text)
    question, expected = ask_about_rule(text, chinese)
    return _draft(question, expected, "constraint", since, why, (fact,), lane=lane, about=pinned.id)


def _from_commitment(
    one: Commitment, turns: Mapping[int, int | str | None], languages: Languages, texts: Mapping[str, str]
) -> Draft:
    since = turns.get(one.call)
    why = f"{_where(one)}, call {one.call}: {one.why}"
    chosen = one.score >= CHOSEN
    chinese = languages.is_chinese(one.content, one.sentence)
    if one.kind == "rule":
        question, expected = ask_about_rule(one.fact.text, chinese)
        doubt = rule_doubt(one.text, texts.get(one.content, "")[one.end : one.end + 2])
        if doubt is not None:
            why, chosen = f"{why}; not chosen: {doubt}", False
        return _draft(question, expected, "constraint", since, why, (one.fact,), about=one.content, chosen=chosen)
    if one.kind == "goal":
        # Only a judge can score it, and judges are off: shown, not chosen.
        expected = Expected((one.fact,), scorer="model_graded_qa")
        return _draft(ask_for_goal(chinese), expected, "continuation", since, why, about=one.content, chosen=False)
    kind = {"id": "artifact", "amount": "constraint" if _LIMIT.search(one.why) else "recall", "date": "recall"}
    question = ask_about_value(one.fact, one.sentence, chinese)
    expected = Expected((one.fact,))
    return _draft(question, expected, _kind(kind[one.kind]), since, why, about=one.content, chosen=chosen)


def _from_state(value: StateValue, turns: Mapping[int, int | str | None], sources: Sources) -> Draft:
    fact = Fact(guess_kind(value.text), value.text, (value.key,))
    if fact.kind == "rule":
        fact = replace(fact, kind="text")
    why = f"state, call {value.call}: {value.key}"
    question = ask_about_state(value.key, value.chinese)
    doubt = sources.doubt(fact, value.key, value.before) if _can_be_matched(fact) else None
    if doubt is not None:
        why = f"{why}; not chosen: {doubt}"
    chosen = value.settled and doubt is None
    return _draft(question, Expected((fact,)), "continuation", turns.get(value.call), why, chosen=chosen)


def _where(one: Commitment) -> str:
    if one.layer in (Layer.HISTORY, Layer.INPUT):
        return one.role or "message"
    return one.layer.value


def _kind(name: str) -> ProbeKind:
    kinds: dict[str, ProbeKind] = {"constraint": "constraint", "artifact": "artifact", "recall": "recall"}
    return kinds[name]


def _draft(
    question: str,
    expected: Expected,
    kind: ProbeKind,
    since: int | str | None,
    why: str,
    evidence: tuple[Fact, ...] = (),
    *,
    lane: str | None = None,
    about: str | None = None,
    chosen: bool = True,
) -> Draft:
    chosen = chosen and is_fair(question)
    evidence = () if evidence == expected.facts else evidence
    probe = Probe("", question, expected, kind, evidence, since, lane=lane, about=about, note=why)
    return Draft(probe, chosen, why)


def _can_be_matched(fact: Fact) -> bool:
    """Tell whether a fact is one; what merely looked like a value of a kind is no question."""
    try:
        Matcher(fact)
    except ValueError:
        return False
    return True


def _named(drafts: Iterator[Draft]) -> Iterator[Draft]:
    """Give each draft an id that says what it asks for, and leave out what is asked twice."""
    taken: dict[str, int] = {}
    asked: set[tuple[str, Expected, tuple[Fact, ...]]] = set()
    for draft in drafts:
        probe = draft.probe
        key = (probe.question, probe.expected, probe.evidence)
        if key in asked or not all(map(_can_be_matched, (*probe.expected.facts, *probe.evidence))):
            continue
        asked.add(key)
        words = re.findall(r"[A-Za-z0-9]+", " ".join(fact.text for fact in probe.looked_for))
        stem = "-".join([probe.kind, *words])[:40].rstrip("-").lower()
        taken[stem] = taken.get(stem, 0) + 1
        name = stem if taken[stem] == 1 else f"{stem}-{taken[stem]}"
        yield replace(draft, probe=replace(probe, id=name))
