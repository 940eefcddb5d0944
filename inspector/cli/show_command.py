"""``context-inspector show``: one call, as a table, as JSON, or as the exact bytes of its request."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import number_rows
from inspector.analysis.servers import describe_effect
from inspector.cli.call_json import call_json
from inspector.cli.exits import Exit
from inspector.cli.options import AS_JSON, DIRECTORY
from inspector.cli.terminal import Mark, one_line, write_json, write_table, write_text
from inspector.cli.traces import opened, say_unreadable
from inspector.cli.words import amount, call_of
from inspector.index import Index
from inspector.model.fates import FATE_SYMBOLS, Fate
from inspector.model.layers import LAYER_STYLES, UNATTRIBUTED, Layer
from inspector.model.seen import SeenContext
from inspector.model.views import CallView, MessageRow

EXCERPT = 100
"""Characters of a message in the list."""
NOTE = 400
"""Characters of a note on what the server did."""


@click.command()
@DIRECTORY
@click.argument("session")
@click.argument("number", metavar="N", required=False)
@click.option(
    "--request", "as_request", is_flag=True, help="Write the request body to stdout, byte for byte, and nothing else."
)
@click.option("--text", "as_text", is_flag=True, help="Print the whole text of every message.")
@AS_JSON
def show(directory: Path, session: str, number: str | None, as_request: bool, as_text: bool, as_json: bool) -> int:
    """Show call N of SESSION: tokens by layer, every message, the answer.

    N is a number (30) or a turn (t14: its last call on the main lane). SESSION N may be
    written SESSION:N.
    """
    if as_request + as_text + as_json > 1:
        raise click.UsageError("--request, --text and --json exclude one another")
    if number is None:
        session, colon, number = session.rpartition(":")
        if not colon:
            raise click.UsageError("which call? Give its number: show DIR SESSION N")
    with opened(directory, session=session) as traces:
        call = call_number(traces, session, number)
        if as_request:
            # Below the text layer: no newline is added, nothing is encoded again.
            sys.stdout.buffer.write(traces.request_bytes(session, call))
            sys.stdout.buffer.flush()
            return Exit.DONE
        view = number_rows(traces.call(session, call), trace_changes(traces, session))
        say_unreadable(traces)
    if as_json:
        write_json(call_json(session, view))
    elif as_text:
        _print_texts(view)
    else:
        _print_call(session, view)
    return Exit.DONE


def call_number(traces: Index, session: str, word: str) -> int:
    """Read which call is meant; a number that no call has is left to the index to say."""
    if word.isascii() and word.isdigit():
        return int(word)
    return call_of(traces.calls(traces.session(session).session), session, word).number


def _print_call(session: str, view: CallView) -> None:
    call = view.call
    lane = f" · lane {call.lane}" if call.lane != "main" else ""
    model = call.model or "no model named"
    click.echo(one_line(f"{session} · {call.turn_label} · call {call.number}{lane} · {model} · {call.time}"))
    lacks = f" (lacks {', '.join(call.missing)})" if call.missing else ""
    proof = f"exact: {call.exact}{lacks} · {view.body_size:,} bytes · sha256 {view.sha256}"
    click.echo(one_line(f"{call.status} · {proof}"))
    if call.server is not None:
        seen = f"{describe_effect(call.server)}; the figures below are of what the model saw"
        click.echo(one_line(f"sent ≠ effective: {seen}. What the server did is {call.server.certainty}"))
    for problem in call.usage_problems:
        click.echo(one_line(f"impossible usage: {problem}; used nowhere"))
    if call.error:
        click.echo(one_line(f"error: {call.error}"))
    click.echo()
    _print_tokens(view)
    click.echo()
    columns = ("#", "message", "role", "layer", "tokens", "pinned", "text")
    write_table(columns, map(_cells, view.messages), right=("#", "tokens"), cut=("text",))
    if view.seen is not None:
        _print_seen(view.seen)
    if view.answer is not None:
        click.echo()
        for message in view.answer.messages:
            click.echo(one_line(f"answer: {message.text}", EXCERPT * 4))
        click.echo(one_line(f"stop reason: {view.answer.stop_reason or 'not said'}"))


def _print_seen(seen: SeenContext) -> None:
    """Say what of the body the model did not see, and what it saw that is not in the body."""
    rows: list[tuple[object, ...]] = []
    for one in seen.removed:
        what = Mark(FATE_SYMBOLS[Fate.EVICTED], "red", "not seen" if one.whole else "seen in part")
        rows.append(
            (what, one.row.place or None, one.row.layer.value, amount(one.row.tokens), one.certainty, one.reason)
        )
    for seen_row in seen.rows:
        if seen_row.why:
            what = Mark(FATE_SYMBOLS[Fate.ADDED], "cyan", seen_row.origin)
            row = seen_row.row
            rows.append((what, seen_row.sent, row.layer.value, amount(row.tokens), seen_row.certainty, seen_row.why))
    click.echo()
    write_table(("server", "#", "layer", "tokens", "certainty", "why"), rows, right=("#", "tokens"), cut=("why",))
    for note in seen.notes:
        click.echo(one_line(f"note: {note}", NOTE))


def _print_tokens(view: CallView) -> None:
    call = view.call
    rows: list[tuple[object, ...]] = [
        (LAYER_STYLES[layer].code, layer.value, f"{call.composition[layer]:,}", call.origins.get(layer, "unknown"))
        for layer in Layer
        if layer in call.composition
    ]
    rows.append(("", "counted", amount(call.counted), call.counted.origin))
    if call.server is not None:
        rows.append(("", "as sent", amount(call.server.sent), call.server.sent.origin))
    if call.unattributed is not None:
        rows.append((LAYER_STYLES[UNATTRIBUTED].code, UNATTRIBUTED, f"{call.unattributed:,}", "provider − counted"))
    rows.append(("", "provider", amount(call.provider), call.provider.origin))
    if call.calibrated.count is not None:
        rows.append(("", "calibrated", amount(call.calibrated), call.calibrated.origin))
    write_table(("", "layer", "tokens", "origin"), rows, right=("tokens",))


def _cells(row: MessageRow) -> tuple[object, ...]:
    return (
        row.place,
        f"m{row.number}",
        row.message.role or row.member,
        row.layer.value,
        amount(row.tokens),
        "pinned" if row.pinned else None,
        f"lost: {row.hole}" if row.hole else one_line(row.message.text, EXCERPT),
    )


def _print_texts(view: CallView) -> None:
    for row in view.messages:
        kind = f"{row.message.role or row.member} · {row.layer.value}"
        click.echo(one_line(f"── {row.place} · m{row.number} · {kind} · {amount(row.tokens)} tokens"))
        write_text(f"lost: {row.hole}" if row.hole else row.message.text)
    if view.answer is not None:
        for message in view.answer.messages:
            click.echo("── answer")
            write_text(message.text)
