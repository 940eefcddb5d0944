"""Sentences of the story about what changed: pins lost, compactions, answers that ask for what was known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, Literal

from inspector.analysis.answers import AskedAgain, find_asked_again
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.contradictions import name_messages
from inspector.analysis.counted import write_count, write_tokens
from inspector.analysis.limits import check_answer
from inspector.analysis.pins import PinLife
from inspector.analysis.told import Told, and_more, count_messages, quote
from inspector.analysis.wording import find_new_wording
from inspector.model.fates import Fate
from inspector.model.views import Sentence, Severity

RUN: Final = 3
"""Compactions of one kind in a row from which they are told as one: a sliding window makes one at every call."""
NAMED_PINS: Final = 2
"""Pins quoted in a sentence; more are counted."""
NAMED_LANES: Final = 2
"""Lanes named in a sentence; more are counted."""
_CERTAINTIES: Final = ("certain", "likely", "a guess")
_SUBJECTS: Final = {"summary": "summary", "edit": "edit", "trim": "trim"}


def tell_lost_pins(told: Told) -> Iterator[Sentence]:
    """Pinned texts are not in contexts they must be in; those lost at one call in one sentence."""
    broken = [pin for pin in told.changes.pins if pin.first_broken_call is not None]
    causes: dict[tuple[object, ...], list[PinLife]] = {}
    for pin in broken:
        cause = (pin.cause.fate, pin.cause.other) if pin.cause is not None else ()
        causes.setdefault((pin.first_broken_call, pin.verdicts[pin.first_broken_call or 0], *cause), []).append(pin)
    for pins in causes.values():
        call = pins[0].first_broken_call
        verdict = pins[0].verdicts[call or 0]
        what = _name_pins(pins)
        back = {pin.back_call for pin in pins}
        span = f"since call {call}"
        if len(back) == 1 and None not in back:
            span = f"from call {call} until call {pins[0].back_call}"
        text = f"{what} {'is' if len(pins) == 1 else 'are'} {verdict} {span}{_describe_cause(pins, told)}."
        if len(back) > 1:
            text += "".join(
                f" “{quote(pin.excerpt)}” is back at call {pin.back_call}." for pin in pins if pin.back_call is not None
            )
        text += _other_lanes(pins, told)
        compaction = next((pin.cause_compaction for pin in pins if pin.cause_compaction is not None), None)
        yield Sentence(
            "error",
            "pin_gone" if verdict == "gone" else "pin_altered",
            text,
            call,
            message=pins[0].cause_message,
            compaction=compaction,
            page="compare" if pins[0].cause is not None else "call",
            fact=pins[0].text,
        )


def _other_lanes(pins: Sequence[PinLife], told: Told) -> str:
    """Name the other lanes in which the pins count and that never had them: a sub-agent that was not told the rule."""
    lanes: dict[str, bool] = {}
    own = ""
    for context in told.changes.contexts:
        verdicts = [pin.verdicts[context.call] for pin in pins if context.call in pin.verdicts]
        if verdicts:
            lanes[context.lane] = lanes.get(context.lane, False) or any(verdict != "gone" for verdict in verdicts)
        if context.call == pins[0].first_broken_call:
            own = context.lane
    lacking = [lane for lane, has in lanes.items() if not has and lane != own]
    if not lacking:
        return ""
    named = "lane" if len(lacking) == 1 else "lanes"
    more = f" and {len(lacking) - NAMED_LANES:,} more" if len(lacking) > NAMED_LANES else ""
    return f" The {named} {', '.join(lacking[:NAMED_LANES])}{more} never had {'it' if len(pins) == 1 else 'them'}."


def _name_pins(pins: Sequence[PinLife]) -> str:
    word = "watched" if all(pin.watched for pin in pins) else "pinned"
    quoted = [f"“{quote(pin.excerpt)}”" for pin in pins]
    if len(pins) == 1:
        return f"The {word} text {quoted[0]}"
    if len(pins) <= NAMED_PINS:
        return f"The {word} texts {' and '.join(quoted)}"
    return f"The {word} texts {', '.join(quoted[:NAMED_PINS])} and {len(pins) - NAMED_PINS:,} more"


def _describe_cause(pins: Sequence[PinLife], told: Told) -> str:
    """Say what happened to the messages that carried pins last: ``: a summary took its message m71``."""
    known = [pin for pin in pins if pin.cause is not None and pin.cause_message is not None]
    if not known or known[0].cause is None:
        return ""
    fate = known[0].cause.fate
    messages = list(dict.fromkeys(pin.cause_message for pin in known if pin.cause_message is not None))
    carried = f"{'its' if len(pins) == 1 else 'their'} {'message' if len(messages) == 1 else 'messages'}"
    names = name_messages(messages)
    by = known[0].cause_compaction
    compaction = told.changes.compactions[by - 1] if by is not None else None
    place = f" ({compaction.caller})" if compaction is not None and compaction.caller is not None else ""
    if fate is Fate.SUMMARISED:
        return f": summary m{known[0].cause.other}{place} took {carried} {names} and does not quote it"
    if fate is Fate.EVICTED:
        strategy = compaction.strategy if compaction is not None else None
        taker = f"a {_SUBJECTS[strategy]}{place}" if strategy in ("trim", "summary") else None
        return f": {taker} took {carried} {names}" if taker else f": {carried} {names} was taken out"
    became = _describe_rewording(known, told) if fate is Fate.EDITED else ""
    return f": {carried} {names} was {fate.value}{became}"


def _describe_rewording(pins: Sequence[PinLife], told: Told) -> str:
    """Say what the edit made of a pinned text: ``, “budget: 8000元” became “budget: 8500元”``."""
    pin, life = pins[0], told.changes.life
    call, number = pin.first_broken_call, pin.cause_message
    previous = life.previous.get(call or 0)
    if len(pins) > 1 or pin.text is None or call is None or number is None or previous is None:
        return ""
    contexts = {context.call: context for context in told.changes.contexts}
    before, after = (
        next((b.text for b, n in zip(contexts[c].blocks, life.numbers[c], strict=True) if n == number), "")
        for c in (previous, call)
    )
    found = find_new_wording(before, after, pin.text)
    return f", “{quote(found.old)}” became “{quote(found.new)}”" if found is not None else ""


def tell_thin_pins(told: Told) -> Iterator[Sentence]:
    """A pinned text stands only in a summary: the next one may lose it."""
    for pin in told.changes.pins:
        thin = [call for call, verdict in pin.verdicts.items() if verdict == "only in a summary"]
        if thin and pin.first_broken_call is None and list(pin.verdicts.values())[-1] == "only in a summary":
            text = f"The pinned text “{quote(pin.excerpt)}” stands only in a summary since call {thin[0]}."
            yield Sentence("warning", "pin_thin", text, thin[0], fact=pin.text)


def tell_asked_again(told: Told) -> Iterator[Sentence]:
    """An answer asks for what the agent had been given."""
    contexts = told.changes.contexts
    found: dict[str, list[AskedAgain]] = {}
    for asked in find_asked_again(contexts, told.changes.life.numbers, told.answers):
        found.setdefault(asked.value, []).append(asked)
    for value, items in found.items():
        first = items[0]
        noun = first.noun if first.noun.isascii() else f"“{first.noun}”"
        if first.gone_call is not None:
            where = f"{value} was taken out at call {first.gone_call}"
        else:
            where = f"{value} stood in its prompt, in {name_messages(first.present_in)}"
        yield Sentence(
            "error" if first.gone_call is not None else "warning",
            "asked_again",
            f"The assistant asked for the {noun} it had been given: {where}{and_more(items)}.",
            first.call,
            message=first.given_message,
            compaction=next((c.number for c in told.changes.compactions if c.call == first.gone_call), None),
            fact=value,
        )


def tell_broken_rules(told: Told) -> Iterator[Sentence]:
    """Answers break a pinned rule that can be checked; the first of them, and whether its prompt had the rule."""
    for pin in told.changes.pins:
        rule = pin.text or pin.excerpt
        broken = [(c, b) for c in pin.verdicts if (b := check_answer(rule, told.answers.get(c, "")))]
        if broken:
            call, found = broken[0]
            verdict = pin.verdicts[call]
            shown = {"gone": "was not in its prompt", "altered": "was altered in its prompt"}.get(verdict)
            rest = f"the pinned text “{quote(pin.excerpt)}” {shown or 'stood in its prompt'}"
            text = f"The answer of call {call}{and_more(broken)} {found.measured}; {rest}."
            taken = pin.cause_compaction if shown else None
            yield Sentence("error", "rule_broken", text, call, compaction=taken, fact=pin.text)


def tell_failed_compactions(told: Told) -> Iterator[Sentence]:
    """A compaction was recorded as failed."""
    failed = [change for change in told.changes.compactions if change.state == "failed"]
    for one in failed[:1]:
        more = f" So did {len(failed) - 1:,} more." if len(failed) > 1 else ""
        reason = f": {quote(one.error)}" if one.error else ""
        text = f"A compaction failed{reason}.{more}"
        yield Sentence("error", "compaction_failed", text, one.call, compaction=one.number)


def tell_contradictions(told: Told) -> Iterator[Sentence]:
    """The record of a compaction and the prompts disagree."""
    for change in told.changes.compactions:
        if change.contradictions:
            more = f" {len(change.contradictions) - 1:,} more." if len(change.contradictions) > 1 else ""
            text = f"The record of a compaction disagrees with the prompts: {change.contradictions[0]}{more}"
            yield Sentence(
                "warning", "contradiction", text, change.call, compaction=change.number, page=_page_of(change)
            )


def tell_compactions(told: Told) -> Iterator[Sentence]:
    """What shortened the context; a run of one kind in one sentence. What nobody recorded is a warning."""
    done = sorted(
        (change for change in told.changes.compactions if change.state == "done"), key=lambda c: (c.lane, c.number)
    )
    for _, group in groupby(done, key=lambda c: (c.lane, c.said_by, c.strategy, c.policy, c.caller)):
        run = list(group)
        for part in [run] if len(run) >= RUN else [[change] for change in run]:
            text = describe_run(part) if len(part) > 1 else describe_compaction(part[0])
            severity: Severity = "warning" if part[0].said_by == "inferred" else "info"
            first = part[0]
            yield Sentence(
                severity,
                "compaction",
                text,
                first.call,
                message=first.summary,
                compaction=first.number,
                page=_page_of(first),
            )


def describe_compaction(change: CompactionChange) -> str:
    """Say what a compaction did: ``A summary took 23 messages: 3,791 tokens became 604. Recorded: …``."""
    strategy = change.strategy or ""
    article = "An" if strategy == "edit" else "A"
    subject = f"{article} {_SUBJECTS.get(strategy, 'compaction')}"
    verb = "shortened" if strategy == "edit" else "took"
    count, estimated = change.messages_taken, change.estimated
    text = f"{subject} {verb} {count_messages(count)}" if count else f"{subject} was made"
    if change.unseen:
        text += f" {'that was' if count == 1 else 'that were'} sent" if change.unseen == count else ""
        text += f", {change.unseen:,} of them new" if change.unseen < count else " and not seen"
    before, after = change.tokens_taken, change.tokens_left
    if not count:
        before, after, estimated = change.recorded_before, change.recorded_after, False
    if before is not None and after is not None:
        text += f": {write_tokens(before, estimated=estimated)} became {write_count(after, estimated=estimated)}"
    elif before is not None and count:
        text += f", {write_tokens(before, estimated=estimated)}"
    return f"{text}.{_said(change)}"


def describe_run(run: Sequence[CompactionChange]) -> str:
    """Say what a run of compactions of one kind did together."""
    first = run[0]
    subject = f"{_SUBJECTS.get(first.strategy or '', 'compaction')}s".replace("summarys", "summaries")
    verb = "shortened" if first.strategy == "edit" else "took"
    taken = sum(change.messages_taken for change in run)
    tokens = [change.tokens_taken for change in run]
    size = ""
    if None not in tokens:
        total, estimated = sum(count or 0 for count in tokens), any(change.estimated for change in run)
        size = f", {write_tokens(total, estimated=estimated)}"
    span = f"From call {first.call} to call {run[-1].call}"
    weakest = max(run, key=lambda change: _CERTAINTIES.index(change.certainty))
    return f"{span}, {len(run):,} {subject} {verb} {count_messages(taken)}{size}.{_said(weakest)}"


def _said(change: CompactionChange) -> str:
    if change.said_by == "server":
        return f" The provider's server did it ({change.certainty})."
    if change.said_by == "inferred":
        return f" Nothing recorded it; the prompts show it ({change.certainty})."
    recorded = [f"“{quote(change.reason)}”" if change.reason else "", change.caller or ""]
    said = ", ".join(part for part in recorded if part)
    return f" Recorded: {said}." if said else ""


def _page_of(change: CompactionChange) -> Literal["call", "compare", "session"]:
    if change.call is not None and change.unseen and not change.taken:
        return "call"  # what was taken stands in that call alone
    return "compare" if change.call is not None and change.before_call is not None else "session"
