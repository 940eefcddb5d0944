"""``context-inspector diff``: what became of every message from one call to another, of any two sessions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from inspector.analysis.alignment import AlignedBlock, Alignment, align
from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.rewriting import diff_words
from inspector.cli.exits import Exit
from inspector.cli.options import AS_JSON, DIRECTORY
from inspector.cli.terminal import one_line, plain, visible, write_json, write_table
from inspector.cli.traces import opened, say_unreadable
from inspector.cli.words import call_of, mark, signed, split_place
from inspector.index import Index
from inspector.model.context import Block, CallContext
from inspector.model.fates import Fate
from inspector.model.views import CallRow

EXCERPT = 100
"""Characters of a message in the list."""
REWRITTEN = frozenset({Fate.EDITED, Fate.TRUNCATED})


@dataclass(frozen=True)
class _Side:
    session: str
    row: CallRow
    context: CallContext
    numbers: tuple[int, ...]
    """Number of each message in its session."""


@dataclass(frozen=True)
class _Pair:
    before: _Side
    after: _Side
    alignment: Alignment
    compaction: CompactionChange | None
    """What shortened the context between the two calls; None: nothing, or they do not follow each other."""


@click.command()
@DIRECTORY
@click.argument("first", metavar="SESSION:A")
@click.argument("second", metavar="SESSION:B")
@click.option("--all", "as_all", is_flag=True, help="List the messages that stayed the same, too.")
@click.option("--text", "as_text", is_flag=True, help="Show the words that differ in each rewritten message.")
@AS_JSON
def diff(directory: Path, first: str, second: str, as_all: bool, as_text: bool, as_json: bool) -> int:
    """Compare two calls: which messages were kept, moved, edited, taken out, summarised, added.

    A and B are numbers of calls (30) or turns (t14: its last call on the main lane). The sessions may
    differ; B alone means the session of A.
    """
    session_a, word_a = split_place(first)
    session_b, word_b = split_place(second, session_a)
    with opened(directory, session=session_a if session_a == session_b else None) as traces:
        pair = _compare(traces, (session_a, word_a), (session_b, word_b))
        say_unreadable(traces)
    if as_json:
        write_json(_pair_json(pair, as_text=as_text))
    else:
        _print(pair, as_all=as_all, as_text=as_text)
    return Exit.DONE


def _compare(traces: Index, first: tuple[str, str], second: tuple[str, str]) -> _Pair:
    calls = [
        (session, call_of(traces.calls(traces.session(session).session), session, word))
        for session, word in (first, second)
    ]
    changes = {session: trace_changes(traces, session) for session in dict.fromkeys(session for session, _ in calls)}
    before, after = (_side(session, row, changes[session]) for session, row in calls)
    known: Alignment | None = None
    compaction = None
    if before.session == after.session:
        life = changes[after.session].life
        if life.previous.get(after.row.number) == before.row.number:
            known = life.alignments[after.row.number]
            compactions = changes[after.session].compactions
            compaction = next((c for c in compactions if c.call == after.row.number and c.taken), None)
    if known is None:
        seen = _seen(changes[after.session], before) if before.session == after.session else set()
        known = align(before.context.blocks, after.context.blocks, seen=seen)
    return _Pair(before, after, known, compaction)


def _side(session: str, row: CallRow, changes: SessionChanges) -> _Side:
    context = next(context for context in changes.contexts if context.call == row.number)
    return _Side(session, row, context, changes.life.numbers[row.number])


def _seen(changes: SessionChanges, before: _Side) -> set[tuple[str, tuple[str, ...]]]:
    """Messages of the calls of the same lane that came before: what is there again has returned."""
    lane, number = before.context.lane, before.row.number
    contexts = (context for context in changes.contexts if context.lane == lane and context.call < number)
    return {block.identity for context in contexts for block in context.blocks}


def _pair_json(pair: _Pair, *, as_text: bool) -> dict[str, Any]:
    return {
        "before": _side_json(pair.before),
        "after": _side_json(pair.after),
        "counts": {fate.value: pair.alignment.counts.get(fate, 0) for fate in Fate},
        "compaction": plain(pair.compaction) if pair.compaction is not None else None,
        "blocks": [_block_json(pair, row, as_text=as_text) for row in pair.alignment.blocks],
    }


def _side_json(side: _Side) -> dict[str, Any]:
    return {
        "session": side.session,
        "call": side.row.number,
        "turn_label": side.row.turn_label,
        "lane": side.row.lane,
        "messages": len(side.context.blocks),
        "tokens": plain(side.row.tokens),
    }


def _block_json(pair: _Pair, row: AlignedBlock, *, as_text: bool) -> dict[str, Any]:
    before, after = _block(pair.before, row.before), _block(pair.after, row.after)
    described: dict[str, Any] = {
        "fate": row.fate.value,
        "before": _message_json(pair.before, row.before),
        "after": _message_json(pair.after, row.after),
        "tokens": {"before": before.tokens if before else None, "after": after.tokens if after else None},
        "certainty": row.certainty,
        "evidence": row.evidence,
        "similarity": row.similarity,
        "cause": _cause(pair, row),
    }
    if as_text:
        described["text"] = {"before": before.text if before else None, "after": after.text if after else None}
        if row.fate in REWRITTEN and before is not None and after is not None:
            described["words"] = plain(diff_words(before.text, after.text))
    return described


def _cause(pair: _Pair, row: AlignedBlock) -> int | None:
    """Number of the compaction that did it."""
    if pair.compaction is None or row.before is None:
        return None
    return pair.compaction.number if pair.before.numbers[row.before] in pair.compaction.taken else None


def _message_json(side: _Side, place: int | None) -> dict[str, Any] | None:
    if place is None:
        return None
    block = side.context.blocks[place]
    return {
        "place": place + 1,
        "number": f"m{side.numbers[place]}",
        "role": block.role,
        "layer": block.layer.value,
        "content": block.content,
    }


def _block(side: _Side, place: int | None) -> Block | None:
    return None if place is None else side.context.blocks[place]


def _print(pair: _Pair, *, as_all: bool, as_text: bool) -> None:
    for side in (pair.before, pair.after):
        tokens = f"{side.row.tokens.count:,} tokens" if side.row.tokens.count is not None else "tokens unknown"
        lane = f" · lane {side.row.lane}" if side.row.lane != "main" else ""
        about = f"{side.row.turn_label} · call {side.row.number}{lane}"
        click.echo(one_line(f"{side.session} · {about} · {len(side.context.blocks)} messages · {tokens}"))
    counts = pair.alignment.counts
    click.echo(" · ".join(f"{counts[fate]:,} {fate.value}" for fate in Fate if counts.get(fate)) or "no messages")
    if pair.compaction is not None:
        words = {"recorded": "recorded", "server": "by the server", "inferred": "inferred"}[pair.compaction.said_by]
        who = words if words == "recorded" else f"{words}, {pair.compaction.certainty}"
        strategy = f" ({pair.compaction.strategy})" if pair.compaction.strategy else ""
        click.echo(one_line(f"compaction {pair.compaction.number}{strategy}: {who}"))
    rows = [row for row in pair.alignment.blocks if as_all or row.fate is not Fate.KEPT]
    if rows:
        click.echo()
        columns = ("fate", "before", "after", "message", "layer", "tokens", "certainty", "text")
        write_table(columns, (_cells(pair, row) for row in rows), right=("before", "after", "tokens"), cut=("text",))
    if as_text:
        _print_words(pair)


def _cells(pair: _Pair, row: AlignedBlock) -> tuple[object, ...]:
    old, new = _block(pair.before, row.before), _block(pair.after, row.after)
    taken = row.fate is Fate.SUMMARISED
    shown = old if new is None or taken else new
    assert shown is not None  # a row has a place on one side at least
    number = pair.before.numbers[row.before] if row.before is not None else pair.after.numbers[row.after or 0]
    words = f"summarised into m{pair.after.numbers[row.after]}" if taken and row.after is not None else row.fate.value
    return (
        mark(row.fate, words),
        None if row.before is None else row.before + 1,
        None if row.after is None or taken else row.after + 1,
        f"m{number}",
        shown.layer.value,
        _change(old, None if taken else new),
        row.certainty,
        one_line(shown.text, EXCERPT),
    )


def _change(old: Block | None, new: Block | None) -> str | None:
    """Tokens that came or went with a message."""
    before, after = (0 if block is None else block.tokens for block in (old, new))
    return None if before is None or after is None else signed(after - before)


def _print_words(pair: _Pair) -> None:
    for row in pair.alignment.blocks:
        old, new = _block(pair.before, row.before), _block(pair.after, row.after)
        if row.fate not in REWRITTEN or old is None or new is None or row.before is None:
            continue
        click.echo()
        click.echo(one_line(f"── m{pair.before.numbers[row.before]} · {row.fate.value} · {row.evidence}"))
        click.echo("".join(_words(old.text, new.text)))


def _words(before: str, after: str) -> Iterator[str]:
    """The text with its changes: coloured on a terminal, in ``[-…-]`` and ``{+…+}`` as ``wdiff`` writes them."""
    for run in diff_words(before, after):
        text = visible(run.text)
        if run.change == "removed":
            yield click.style(f"[-{text}-]", fg="red")
        elif run.change == "added":
            yield click.style(f"{{+{text}+}}", fg="green")
        else:
            yield text
