"""``context-inspector trace``: the life of a fact over the calls of a session, and what the answers made of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_asking import SessionFact, lane_calls, make_fact, trace_in
from inspector.analysis.fact_rows import FactRow, fact_rows, name_of
from inspector.analysis.fact_signs import ANSWER_SYMBOLS, STATE_SYMBOLS
from inspector.analysis.fact_story import FactStory, tell_fact
from inspector.analysis.fact_trace import HELD, CallTrace, Carrier
from inspector.cli.exits import Exit
from inspector.cli.options import AS_JSON, DIRECTORY
from inspector.cli.terminal import Mark, one_line, plain, write_json, write_table
from inspector.cli.traces import opened, say_unreadable
from inspector.cli.words import KIND_STYLES, call_of, runs_of, spans
from inspector.index import Index
from inspector.model.views import CallRow
from snapshot_sdk.facts import KINDS, Fact, FactKind

STRIP: Final = 200
"""Calls of a lane up to which each is drawn as one sign; of more only the stretches are written."""
COLUMNS: Final = ("call", "where", "how", "tokens from end", "text around it")
CARRIERS: Final = ("message", "kind", "layer", "says it in calls", "end")
_ONE_CALL: Final = re.compile(r"[0-9]+|t[0-9]+")
_FINE: Final = (HELD | {"superseded", "not yet"}) - {"conflicting"}
"""States of a call that ask for no attention."""


@dataclass(frozen=True)
class _Traced:
    session: str
    found: SessionFact
    changes: SessionChanges
    lanes: tuple[str, ...]
    """The one that is told first, then the others."""
    at: CallRow | None
    """The call that is asked about; None: all."""

    def story(self, lane: str) -> FactStory:
        return tell_fact(self.found, self.changes, lane)


@click.command()
@DIRECTORY
@click.argument("session")
@click.argument("number", metavar="[N]", required=False)
@click.option("--text", help="A text, word for word.")
@click.option("--regex", help="A pattern, as Python writes them.")
@click.option("--value", metavar="KIND:V", help="A value: id:ORD-1, money:8000元, json:order.id=ORD-1; or :V to guess.")
@click.option("--rule", help="A rule: its negation is another rule.")
@click.option("--anchor", "anchors", metavar="WORD", multiple=True, help="A word that stands beside the value.")
@click.option("--lane", help="The lane that is told; else main, or the first that has it.")
@AS_JSON
def trace(
    directory: Path,
    session: str,
    number: str | None,
    text: str | None,
    regex: str | None,
    value: str | None,
    rule: str | None,
    anchors: tuple[str, ...],
    lane: str | None,
    as_json: bool,
) -> int:
    """Follow a fact through SESSION: where it stood, what carried it, when it went, what is left.

    With N (a call, or a turn as t14; also written SESSION:N) it answers for that call. Exit code 1: the fact was
    lost, altered or broken somewhere in the lane, or is nowhere; with N: that call could not read it.
    """
    if number is None:
        named, colon, word = session.rpartition(":")
        if colon and named and _ONE_CALL.fullmatch(word):
            session, number = named, word
    wanted, kind, path = _read_fact(text, regex, value, rule)
    with opened(directory, session=session) as traces:
        traced = _trace(traces, session, number, lane, _Wish(wanted, kind, path, anchors))
        say_unreadable(traces)
    if as_json:
        write_json(_json(traced))
    else:
        _print(traced)
    return Exit.BROKEN if _is_broken(traced) else Exit.DONE


@dataclass(frozen=True)
class _Wish:
    text: str
    kind: FactKind | None
    path: str | None
    anchors: tuple[str, ...]

    def fact(self, changes: SessionChanges) -> Fact:
        """The fact.

        Raises:
            click.UsageError: It is no value of its kind, or no valid pattern.
        """
        try:
            return make_fact(self.text, self.kind, anchors=self.anchors, path=self.path, contexts=changes.contexts)
        except ValueError as error:
            raise click.UsageError(f"{one_line(self.text, 80)!r}: {error}") from error


def _read_fact(
    text: str | None, regex: str | None, value: str | None, rule: str | None
) -> tuple[str, FactKind | None, str | None]:
    given = [option for option in (text, regex, value, rule) if option is not None]
    if len(given) != 1:
        raise click.UsageError("what is looked for? Give one of --text, --regex, --value, --rule")
    if text is not None:
        return text, "text", None
    if regex is not None:
        return regex, "regex", None
    if rule is not None:
        return rule, "rule", None
    named, colon, wanted = (value or "").partition(":")
    kind = next((known for known in KINDS if known == named), None)
    if not colon or (named and kind is None):
        raise click.UsageError(f"--value {value!r}: write KIND:V; kinds are {', '.join(KINDS)}")
    if kind != "json":
        return wanted, kind, None
    path, equals, wanted = wanted.partition("=")
    if not equals:
        raise click.UsageError(f"--value {value!r}: write json:KEY.PATH=VALUE")
    return wanted, kind, path


def _trace(traces: Index, session: str, number: str | None, lane: str | None, wish: _Wish) -> _Traced:
    row = traces.session(session)
    at = call_of(traces.calls(row.session), session, number) if number is not None else None
    changes = trace_changes(traces, row.session, row)
    found = trace_in(traces, row.session, wish.fact(changes), changes, row)
    there = tuple(dict.fromkeys(context.lane for context in changes.contexts))
    if lane is not None and lane not in there:
        raise click.UsageError(f"session {session!r} has no lane {lane!r}: it has {', '.join(there)}")
    first = lane or (at.lane if at is not None else None) or _told_first(found, there)
    return _Traced(row.session, found, changes, (first, *(other for other in there if other != first)), at)


def _told_first(found: SessionFact, lanes: Sequence[str]) -> str:
    has = [trace.lane for trace in found.trace.calls if trace.state in HELD]
    if "main" in lanes and ("main" in has or not has):
        return "main"
    return has[0] if has else next(iter(lanes), "main")


def _is_broken(traced: _Traced) -> bool:
    calls = lane_calls(traced.found, traced.lanes[0])
    if traced.at is not None:
        return not any(trace.call == traced.at.number and trace.state in HELD for trace in calls)
    if not any(trace.state in HELD for trace in calls):
        return True
    return any(trace.state not in _FINE or trace.answer not in (None, "used") for trace in calls)


def _print(traced: _Traced) -> None:
    lane = traced.lanes[0]
    calls = lane_calls(traced.found, lane)
    if traced.at is not None:
        here = next(trace for trace in calls if trace.call == traced.at.number)
        depth = "" if here.depth is None else f", {here.depth:,} tokens from the end"
        click.echo(f"call {here.call}: {STATE_SYMBOLS[here.state]} {here.state}{depth}")
    for sentence in traced.story(lane).sentences:
        click.echo(one_line(sentence))
    for other in traced.lanes[1:]:
        headline = traced.story(other).headline
        if headline:
            click.echo(one_line(f"lane {other}: {headline}"))
    click.echo()
    _print_strip("verdict", [STATE_SYMBOLS[trace.state] for trace in calls], calls)
    signs = [ANSWER_SYMBOLS[trace.answer] if trace.answer else "·" for trace in calls]
    if any(trace.answer for trace in calls):
        _print_strip("answers", signs, calls)
    carriers = [carrier for carrier in traced.found.trace.carriers if carrier.lane == lane]
    if carriers:
        click.echo()
        write_table(CARRIERS, (_carrier_cells(carrier, traced) for carrier in carriers))
    rows = fact_rows(traced.found, traced.changes, lane)
    if rows:
        click.echo()
        right = ("call", "tokens from end")
        write_table(COLUMNS, map(_row_cells, rows), right=right, cut=("text around it",))


def _print_strip(name: str, signs: Sequence[str], calls: Sequence[CallTrace]) -> None:
    """Write one sign a call, or the stretches of a lane that is too long for that."""
    if len(calls) <= STRIP:
        click.echo(f"{name}  {''.join(signs)}  calls {spans(runs_of([call.call for call in calls]))}")
        return
    at = 0
    stretches = []
    for sign, group in groupby(signs):
        count = len(list(group))
        stretches.append(f"{sign} {spans([(calls[at].call, calls[at + count - 1].call)])}")
        at += count
    click.echo(f"{name}  {', '.join(stretches)}")


def _carrier_cells(carrier: Carrier, traced: _Traced) -> tuple[object, ...]:
    order = [trace.call for trace in lane_calls(traced.found, carrier.lane)]
    runs: list[tuple[int, int]] = []
    for before, call in zip([None, *order], order, strict=False):
        if call not in carrier.states:
            continue
        if runs and runs[-1][1] == before:
            runs[-1] = (runs[-1][0], call)
        else:
            runs.append((call, call))
    end = next(
        (e for e in traced.changes.life.lifelines[carrier.number - 1].events if e.call > max(carrier.states)), None
    )
    words = "" if end is None else f"{end.fate.value} at {end.call}" + (f" into m{end.other}" if end.other else "")
    return f"m{carrier.number}", name_of(carrier), carrier.layer.value, spans(runs), words


def _row_cells(row: FactRow) -> tuple[object, ...]:
    piece = row.passage
    text = f"{piece.before}⟦{piece.hit}⟧{piece.after}" if piece.hit else piece.before
    depth = None if row.depth is None else f"{row.depth:,}"
    return row.call, row.where, Mark(row.symbol, KIND_STYLES[row.kind], row.how), depth, one_line(text)


def _json(traced: _Traced) -> dict[str, Any]:
    found = traced.found.trace
    lane = traced.lanes[0]
    described: dict[str, Any] = {
        "session": traced.session,
        "fact": plain(found.fact),
        "lane": lane,
        "call": None if traced.at is None else traced.at.number,
        "sentences": {name: list(traced.story(name).sentences) for name in traced.lanes},
        "headlines": {name: traced.story(name).headline for name in traced.lanes},
        "in_its_place": plain(traced.story(lane).rival),
        "first_call": found.first_call,
        "brought_by": found.brought_by,
        "calls": [_call_json(trace) for name in traced.lanes for trace in lane_calls(traced.found, name)],
        "carriers": [plain(carrier) | {"number": f"m{carrier.number}"} for carrier in found.carriers],
        "losses": [plain(loss) for loss in found.losses],
        "rows": [plain(row) for row in fact_rows(traced.found, traced.changes, lane)],
    }
    described["calls"].sort(key=lambda call: call["call"])
    for loss in described["losses"]:
        loss["carriers"] = [f"m{number}" for number in loss["carriers"]]
        loss |= {key: f"m{loss[key]}" for key in ("message", "remains_in") if loss[key] is not None}
    return described


def _call_json(trace: CallTrace) -> dict[str, Any]:
    described: dict[str, Any] = plain(trace)
    described["carriers"] = [f"m{number}" for number in trace.carriers]
    described["rivals"] = [f"m{number}" for number in trace.rivals]
    return described
