"""What ``export`` prints: the checks as they stand, what is masked and left out, how large it is, where it goes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from inspector.cli.terminal import Mark, one_line, write_table
from inspector.fixtures.building import Draft
from snapshot_sdk.fixtures import Check

_STAYS_RED = "none: the test shows the bug as it was and stays red"
_STAYS_GREEN = "none: the test looks at the recorded prompt, in which every chosen check holds, and stays green"


def print_draft(draft: Draft, paths: Sequence[Path]) -> None:
    """Print what would be written, and why.

    Args:
        draft: The fixture.
        paths: Files that it would be.
    """
    fixture = draft.fixture
    turn = "" if fixture.origin.turn is None else f" · turn {fixture.origin.turn}"
    click.echo(one_line(f"{fixture.origin.session}{turn} · call {fixture.origin.call} · {fixture.title}"))
    click.echo()
    chosen = {check.id for check in fixture.checks}
    write_table(
        ("", "check", "chosen", "what must hold", "why it failed"),
        (
            (_mark(check), check.id, "yes" if check.id in chosen else "no", check.title, check.reason)
            for check in draft.checks
        ),
    )
    click.echo()
    alone = _STAYS_RED if draft.failing else _STAYS_GREEN
    code = draft.options.builder or draft.options.agent or alone
    masked = [f"{one.count} {one.kind} ({', '.join(one.samples)})" for one in draft.masked]
    unfound = [f"no place has “{word}”" for word in draft.unfound]
    for name, text in (
        ("your code", code),
        ("masked", "; ".join([*(masked or ["nothing"]), *unfound])),
        ("left out", "; ".join(draft.left_out) or "nothing"),
        ("size", f"{draft.messages} messages, {draft.size_bytes:,} bytes"),
        ("writes", " · ".join(map(str, paths))),
    ):
        click.echo(one_line(f"{name}: {text}"))


def _mark(check: Check) -> Mark:
    if check.failed is None:
        return Mark("?", "bright_black", "unknown")
    return Mark("✕", "red", "fails") if check.failed else Mark("■", "cyan", "holds")


def print_written(paths: Sequence[Path]) -> None:
    """Say which files were written.

    Args:
        paths: The files.
    """
    for path in paths:
        click.echo(one_line(f"Wrote {path}"))
