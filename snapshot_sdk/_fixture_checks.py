"""Runs the checks of a fixture. What failed says what is lost, at which call, why, and what stands there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from snapshot_sdk._fixture_checks_cuts import judge_cuts
from snapshot_sdk._fixture_checks_facts import judge_facts
from snapshot_sdk._fixture_checks_pairing import judge_pairing
from snapshot_sdk._fixture_checks_shape import judge_head, judge_summaries
from snapshot_sdk._fixture_checks_texts import fit, judge_input, judge_pin, judge_system, judge_texts, stands_in
from snapshot_sdk._fixture_checks_tokens import Count, judge_budget, judge_reserve, known_tokens, measure
from snapshot_sdk._fixture_checks_words import Verdict, all_lost, overview, place_of, said_at, visible
from snapshot_sdk._fixture_prompt import Prompt, PromptMessage, history_messages, recorded_prompt
from snapshot_sdk._fixture_values import Check, CheckKind, Fixture, HistoryMessage
from snapshot_sdk.canonical import content_hash
from snapshot_sdk.facts import Fact

NEWEST_ONLY: Final = frozenset({"system", "memory", "state"})
"""Layers that agents write anew: of their texts in the history, the newest one counts."""

_BY_PLACE: Final = frozenset({"history", "input"})
"""Layers that a message has because of where it stood: what the history says of it holds."""

_SAYING: Final = frozenset({"user", "tool"})
"""Roles whose words are facts; what the agent said first may be its own mistake."""

_ABSENCE: Final = frozenset({"pin", "fact", "protected", "system", "pairing"})
"""Checks that fail because something is not there: it may stand where nobody can read."""


@dataclass(frozen=True)
class Outcome:
    """What a check found in a prompt."""

    check: Check
    ok: bool | None
    """None: it cannot be told; ``message`` says why."""
    message: str
    """What holds; of what failed: what is lost, at which call, why, and what the prompt holds instead."""


@dataclass(frozen=True)
class _Case:
    """What a check looks at."""

    check: Check
    prompt: Prompt
    fixture: Fixture
    previous: Prompt | None
    count: Count | None


def run_checks(
    fixture: Fixture, prompt: Prompt, previous: Prompt | None = None, *, count: Count | None = None
) -> tuple[Outcome, ...]:
    """Runs every check of a fixture.

    Args:
        fixture: The fixture.
        prompt: The prompt.
        previous: The prompt one call earlier, for ``head``; None: unknown.
        count: Counts the tokens of a text; None: as counted in the fixture, else by its rule.
    """
    return tuple(run_check(check, prompt, fixture, previous, count=count) for check in fixture.checks)


def run_check(
    check: Check, prompt: Prompt, fixture: Fixture, previous: Prompt | None = None, *, count: Count | None = None
) -> Outcome:
    """Runs one check.

    Args:
        check: The check.
        prompt: The prompt.
        fixture: The fixture it is of.
        previous: The prompt one call earlier, for ``head``; None: unknown.
        count: Counts the tokens of a text; None: as counted in the fixture, else by its rule.
    """
    if all_lost(prompt, fixture):
        verdict = Verdict(False, "the prompt holds no message of the conversation: all of it is lost", overview(prompt))
    else:
        verdict = _judge(_Case(check, prompt, fixture, previous, count))
    if verdict.ok is False and check.kind in _ABSENCE and prompt.unseen is not None:
        verdict = Verdict(None, f"{verdict.what}; but {prompt.unseen}, so it may stand there", verdict.instead)
    return Outcome(check, verdict.ok, _message(check, verdict, fixture))


def _judge(case: _Case) -> Verdict:
    """Judges by the kind of check; one that is wrong itself (no file has such) stops no other one."""
    judge = _JUDGES[case.check.kind]
    if case.check.kind not in ("pin", "fact"):
        return judge(case)
    try:
        return judge(case)
    except (re.error, ValueError) as error:
        return Verdict(None, f"the check itself is wrong: {error}")


def _message(check: Check, verdict: Verdict, fixture: Fixture) -> str:
    if verdict.ok:
        return _line(f"{check.id}: {verdict.what}")
    first = "cannot be told" if verdict.ok is None else "fails"
    lines = [f"{check.id} {first}: {verdict.what}", *told_then(check, fixture)]
    if verdict.instead is not None:
        lines.append(f"the prompt holds instead: {verdict.instead}")
    return "\n  ".join(map(_line, lines))


def _line(text: str) -> str:
    return visible(text, line_ends=False)


def told_then(check: Check, fixture: Fixture) -> list[str]:
    """Says where a check's text was said first, and how the check fared when it was recorded, a line each.

    Args:
        check: The check.
        fixture: Its fixture.
    """
    origin = fixture.origin
    turn = "" if origin.turn is None else f"t{origin.turn} · "
    lines = []
    if (said := _said(check, fixture)) is not None:
        lines.append(f"said first: {said}")
    happened = f"{turn}call {origin.call} of session {origin.session}"
    if check.failed:
        lines.append(f"at the time: failed in {happened}" + (f": {check.reason}" if check.reason else ""))
    elif check.failed is False:
        lines.append(f"at the time: held in {happened}" + (f": {check.reason}" if check.reason else ""))
    else:
        lines.append(f"recorded: {happened}" + (f": {check.reason}" if check.reason else ""))
    return [visible(line, line_ends=False) for line in lines]


def _said(check: Check, fixture: Fixture) -> str | None:
    text = check.text if check.kind == "pin" else check.facts[0].text if check.facts else None
    return None if text is None else said_at(fixture, text)


def protected_texts(fixture: Fixture, layer: str) -> tuple[tuple[str, str], ...]:
    """Gives the texts of a layer that a prompt must hold, each after where it was said.

    Args:
        fixture: The fixture.
        layer: The layer. Of those that agents write anew (system, memory, state) only the newest text counts.
    """
    texts = []
    for message, read in zip(fixture.history, history_messages(fixture), strict=True):
        runs = [run.text for run in read.runs if run.layer == layer]
        if message.layer == layer and len(runs) in (0, len(read.runs)):
            runs = [read.text]
        if not message.summary and (message.layer == layer or layer not in _BY_PLACE):
            texts += [(place_of(message), run) for run in runs]
    distinct = list({text: (origin, text) for origin, text in reversed(texts) if text.strip()}.values())[::-1]
    return tuple(distinct[-1:] if layer in NEWEST_ONLY else distinct)


def _pin(case: _Case) -> Verdict:
    text, pattern = case.check.text, case.check.regex
    if text is None or pattern is not None:
        return judge_pin(case.prompt, text, pattern)
    # Who pinned a part of a word means just that.
    told = [*(read.text for _, read in _told(case.fixture)), recorded_prompt(case.fixture).system or ""]
    whole = not any(fit(text) in fit(one) for one in told) or any(stands_in(text, one) for one in told)
    return judge_pin(case.prompt, text, whole_words=whole)


def _fact(case: _Case) -> Verdict:
    told = _told(case.fixture)
    said = [one.text for _, one in told]
    rules = [message.text for message in recorded_prompt(case.fixture).leading]
    sources = {fact: text for fact in case.check.facts if (text := _first_said(fact, told)) is not None}
    return judge_facts(case.prompt, case.check.facts, (*said, *rules), sources)


def _first_said(fact: Fact, told: Sequence[tuple[HistoryMessage, PromptMessage]]) -> str | None:
    """The text of the message in which a user or a tool said a fact first, in its own words."""
    texts = (read.text for _, read in told if read.role in _SAYING)
    return next((text for text in texts if fact.text in text), None)


def _told(fixture: Fixture) -> list[tuple[HistoryMessage, PromptMessage]]:
    """The history without what compactions wrote."""
    return [
        (message, read)
        for message, read in zip(fixture.history, history_messages(fixture), strict=True)
        if not message.summary
    ]


def _protected(case: _Case) -> Verdict:
    layer = case.check.layer or ""
    texts = protected_texts(case.fixture, layer)
    if not texts:
        return Verdict(None, f"the history holds no text of the layer {layer}")
    verdict = judge_texts(case.prompt, texts, layer)
    if verdict.ok and layer == "input":
        return judge_input(case.prompt, texts[-1], [read for _, read in _told(case.fixture)])
    return verdict


def _cut(case: _Case) -> Verdict:
    told = _told(case.fixture)
    return judge_cuts(case.prompt, [read for _, read in told], [place_of(message) for message, _ in told])


def _budget(case: _Case) -> Verdict:
    size = measure(case.prompt, known_tokens(case.fixture), case.fixture.tokens, case.count, case.check.layer)
    return judge_budget(size, case.check.limit or 0, case.check.layer)


def _reserve(case: _Case) -> Verdict:
    size = measure(case.prompt, known_tokens(case.fixture), case.fixture.tokens, case.count)
    return judge_reserve(size, case.fixture.window, case.check.limit or 0)


def _summaries(case: _Case) -> Verdict:
    keys: tuple[set[str], set[str]] = (set(), set())
    for message in case.fixture.history:
        keys[message.summary].update((message.hash, content_hash(message.message)))
    told, written = keys
    return judge_summaries(case.prompt, written - told, told)


_JUDGES: Final[Mapping[CheckKind, Callable[[_Case], Verdict]]] = {
    "pin": _pin,
    "fact": _fact,
    "protected": _protected,
    "pairing": lambda case: judge_pairing(case.prompt),
    "system": lambda case: judge_system(case.prompt, case.check.text),
    "cut": _cut,
    "budget": _budget,
    "reserve": _reserve,
    "summaries": _summaries,
    "head": lambda case: judge_head(case.prompt, case.previous),
}
