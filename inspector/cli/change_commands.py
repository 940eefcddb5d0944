"""``context-inspector compactions``, ``lifelines`` and ``pins``: what changed over the calls of a session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.ledger_entries import Ledger
from inspector.analysis.lifelines import Lifeline
from inspector.analysis.pins import PinLife
from inspector.analysis.taken_words import taken_by
from inspector.cli.exits import Exit
from inspector.cli.ledger_output import ledger_json, ledger_lines, read_ledgers
from inspector.cli.options import AS_JSON, DIRECTORY
from inspector.cli.terminal import Mark, one_line, plain, visible, write_json, write_table
from inspector.cli.traces import opened, say_unreadable
from inspector.cli.words import mark, spans
from inspector.model.fates import FATE_SYMBOLS, Fate

EXCERPT: Final = 100
"""Characters of a text in a table."""
COMPACTION_COLUMNS: Final = (
    "no", "call", "before", "strategy", "state", "said by", "messages", "tokens", "left", "summary", "evidence",
)  # fmt: skip
LIFELINE_COLUMNS: Final = ("message", "lane", "layer", "tokens", "calls", "what happened", "text")
PIN_COLUMNS: Final = ("verdict", "session", "who", "since", "broken", "cause", "text")


@click.command()
@DIRECTORY
@click.argument("session")
@AS_JSON
def compactions(directory: Path, session: str, as_json: bool) -> int:
    """List what shortened the context of SESSION: by the agent, by a server, or inferred from its prompts.

    Below the table: of the rules, ids, amounts, dates and names that each took, those that the call after has no more,
    has otherwise, or has from nobody; the five that look most like a commitment.
    """
    with opened(directory, session=session) as traces:
        changes = trace_changes(traces, session)
        found = changes.compactions
        ledgers = read_ledgers(traces, session, changes)
        say_unreadable(traces)
    if as_json:
        write_json([_compaction_json(change, ledgers.get(change.number), changes) for change in found])
    else:
        right = ("no", "call", "before", "messages", "tokens", "left")
        write_table(COMPACTION_COLUMNS, map(_compaction_cells, found), right=right)
        for change in found:
            for contradiction in change.contradictions:
                click.echo(one_line(f"{change.number}: the record and the prompts disagree: {contradiction}"))
        for change in found:
            if change.number in ledgers:
                for line in ledger_lines(ledgers[change.number], change, changes):
                    click.echo(visible(line))
    return Exit.DONE


def _compaction_json(change: CompactionChange, ledger: Ledger | None, changes: SessionChanges) -> dict[str, Any]:
    described: dict[str, Any] = plain(change)
    described["ledger"] = None if ledger is None else ledger_json(ledger, change, changes)
    return described


def _compaction_cells(change: CompactionChange) -> tuple[object, ...]:
    who = {"recorded": "agent", "server": f"server, {change.certainty}"}
    said = who.get(change.said_by, f"inferred, {change.certainty}")
    recorded = ", ".join(part for part in (change.reason, change.policy, change.caller, change.error) if part)
    return (
        change.number,
        change.call,
        change.before_call,
        change.strategy,
        change.state,
        said,
        None if change.call is None else change.messages_taken,
        _tokens(change.tokens_taken, change, change.recorded_before),
        _tokens(change.tokens_left, change, change.recorded_after),
        None if change.summary is None else f"m{change.summary}",
        recorded or change.evidence,
    )


def _tokens(count: int | None, change: CompactionChange, recorded: int | None) -> str | None:
    """Write tokens counted; where no call follows to count them by, those of the context that the agent recorded."""
    if count is None and change.call is None and recorded is not None:
        return f"{recorded:,} recorded"
    if count is None:
        return None
    return f"≈{count:,}" if change.estimated else f"{count:,}"


@click.command()
@DIRECTORY
@click.argument("session")
@AS_JSON
def lifelines(directory: Path, session: str, as_json: bool) -> int:
    """List every message of SESSION: the calls it stood in, and what happened to it."""
    with opened(directory, session=session) as traces:
        changes = trace_changes(traces, session)
        say_unreadable(traces)
    if as_json:
        write_json([_lifeline_json(line) for line in changes.life.lifelines])
    else:
        rows = map(_lifeline_cells, changes.life.lifelines)
        write_table(LIFELINE_COLUMNS, rows, right=("tokens",), cut=("text",))
    return Exit.DONE


def _lifeline_json(line: Lifeline) -> dict[str, Any]:
    described: dict[str, Any] = plain(line)
    described["number"] = f"m{line.number}"
    described["gone_since"] = line.gone_since
    for event in described["events"]:
        event["other"] = None if event["other"] is None else f"m{event['other']}"
    return described


def _lifeline_cells(line: Lifeline) -> tuple[object, ...]:
    last = line.events[-1]
    changes = [event for event in line.events[1:] if event.fate not in (Fate.EVICTED, Fate.SUMMARISED)]
    words = {Fate.ADDED: "added", Fate.SUMMARISED: f"taken by m{last.other}"}.get(last.fate, last.fate.value)
    more = len(changes) - (last in changes)
    return (
        f"m{line.number}",
        line.lane,
        line.layer.value,
        None if line.tokens is None else f"{line.tokens:,}",
        spans(line.runs),
        mark(last.fate, f"{words} at {last.call}" + (f" (+{more})" if more else "")),
        one_line(line.text, EXCERPT),
    )


@click.command()
@DIRECTORY
@click.argument("session", required=False)
@AS_JSON
def pins(directory: Path, session: str | None, as_json: bool) -> int:
    """Check every pin and every watch in DIR, or in SESSION: exit code 1 when one is broken.

    A pin is what the agent recorded as such; a watch stands in [[watches]] of inspector.toml. One is
    broken where a prompt that must have it lacks it, or has it in other words.
    """
    with opened(directory, session=session) as traces:
        names = [session] if session is not None else [row.session for row in reversed(traces.sessions())]
        found = [
            (name, pin, changes) for name in names for changes in [trace_changes(traces, name)] for pin in changes.pins
        ]
        say_unreadable(traces)
    if as_json:
        write_json([_pin_json(name, pin) for name, pin, _ in found])
    elif found:
        write_table(PIN_COLUMNS, (_pin_cells(name, pin, changes) for name, pin, changes in found))
    else:
        click.echo("no pins, no watches")
    return Exit.BROKEN if any(pin.broken for _, pin, _ in found) else Exit.DONE


def _pin_json(session: str, pin: PinLife) -> dict[str, Any]:
    described: dict[str, Any] = plain(pin)
    described["session"] = session
    described["carriers"] = [f"m{number}" for number in pin.carriers]
    described["cause_message"] = None if pin.cause_message is None else f"m{pin.cause_message}"
    return described


def _pin_cells(session: str, pin: PinLife, changes: SessionChanges) -> tuple[object, ...]:
    return (
        _verdict(pin),
        session,
        "watched" if pin.watched else "pinned",
        pin.since_call,
        _numbers(pin.broken),
        _pin_cause(pin, changes),
        one_line(pin.excerpt, EXCERPT),
    )


def _verdict(pin: PinLife) -> Mark:
    if not pin.verdicts:
        return Mark("?", "bright_black", "never there")
    if pin.first_broken_call is None:
        return Mark("■", "cyan", list(pin.verdicts.values())[-1])
    verdict = pin.verdicts[pin.first_broken_call]
    fate, style = (Fate.EDITED, "yellow") if verdict == "altered" else (Fate.EVICTED, "red")
    return Mark(FATE_SYMBOLS[fate], style, f"{verdict} at {pin.first_broken_call}")


def _numbers(calls: Sequence[int]) -> str | None:
    """Write the calls that lack a pin: ``13–21``, ``4 calls, 13–21`` where there are others between."""
    if not calls:
        return None
    span = f"{calls[0]}–{calls[-1]}" if len(calls) > 1 else str(calls[0])
    return span if calls[-1] - calls[0] + 1 == len(calls) else f"{len(calls)} calls, {span}"


def _pin_cause(pin: PinLife, changes: SessionChanges) -> str | None:
    if pin.cause is None:
        return None
    into = f" into m{pin.cause.other}" if pin.cause.other is not None else ""
    taken = taken_by(pin.cause, pin.cause_compaction, changes)
    return f"m{pin.cause_message} {pin.cause.fate.value}{into} {taken}"
