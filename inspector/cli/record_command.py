"""``context-inspector record``: records agents in any language through a local reverse proxy."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from inspector.cli import INSTALL, missing
from inspector.cli.exits import Exit
from inspector.cli.terminal import complain, one_line
from inspector.errors import CannotWriteError
from snapshot_sdk import Recorder
from snapshot_sdk.gateway import Endpoints

if TYPE_CHECKING:
    from inspector.proxy import Passed, ProxyServer, Upstream

PROXY_PACKAGES: Final = ("uvicorn", "httpx2", "zstandard")
"""What the proxy needs beyond the command line."""

DEFAULT_PORT: Final = 8502
"""The one after the app's."""


@click.command()
@click.option(
    "--upstream",
    "upstreams",
    metavar="[NAME=]URL",
    multiple=True,
    required=True,
    help="Where requests go. With NAME: those whose path begins with /NAME, without it. Several may be given.",
)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the traces go; made where it is not there.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="On 127.0.0.1; 0: a free one.",
)
@click.option("--session", metavar="ID", help="Session of all requests that do not name one to the proxy.")
@click.option("--agent", metavar="NAME", help="Name of the agent, for the traces.")
@click.option("--window", metavar="TOKENS", type=click.IntRange(1), help="The model's hard limit, for the traces.")
@click.option(
    "--redact",
    metavar="RULE",
    multiple=True,
    help="What never reaches the disk: keys, email, phone, card, none, or a key path.  [default: keys]",
)
@click.option(
    "--endpoint", "endpoints", metavar="URL", multiple=True, help="A further address at which a POST is a model call."
)
def record(
    upstreams: tuple[str, ...],
    out: Path,
    port: int,
    session: str | None,
    agent: str | None,
    window: int | None,
    redact: tuple[str, ...],
    endpoints: tuple[str, ...],
) -> int:
    """Record agents in any language, through a proxy on 127.0.0.1.

    Let the agent's base URL be this proxy's address: its requests are sent on to URL as they came,
    byte for byte, and every model call is written to DIR before it leaves. Keys pass and are never
    stored. The session is what the agent names in x-context-inspector-session, else ID, else what
    coding agents name in their own headers, else one for the run. Ctrl-C stops it; docs/capture.md
    says more.
    """
    absent = missing(PROXY_PACKAGES)
    if absent:
        complain(f"{', '.join(absent)} not installed; {INSTALL}")
        return Exit.INCOMPLETE
    # Imported late: the other commands do not need the packages.
    from inspector.proxy import Journal, ProxyServer, Upstreams, parse_upstream

    servers = Upstreams([parse_upstream(one) for one in upstreams])
    otherwise = f"record-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    try:
        finder = Endpoints(endpoints, any_host=True)
    except ValueError as error:
        raise click.UsageError(f"--endpoint: {error}") from None
    recorder = _recorder(out, session or otherwise, agent, window, redact)
    teller = Teller()
    journal = Journal(recorder, finder, otherwise=otherwise, run=session, tell=teller.tell)
    server = ProxyServer(servers, journal, port)
    _greet(server, servers.all, out)
    _run(server)
    teller.summary(journal.calls, journal.unrecorded, journal.losses, out)
    return Exit.PARTLY if journal.unrecorded or journal.losses else Exit.DONE


def _recorder(out: Path, session: str, agent: str | None, window: int | None, redact: tuple[str, ...]) -> Recorder:
    rules = None if not redact else () if redact == ("none",) else redact
    try:
        # The caller would be a line of this program.
        return Recorder(out, session=session, agent=agent, window=window, redact=rules, caller=False)
    except OSError as error:
        raise CannotWriteError(out, error.strerror or str(error)) from error
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"--redact: {error}") from None


def _greet(server: ProxyServer, upstreams: tuple[Upstream, ...], out: Path) -> None:
    for one in upstreams:
        base = f"{server.url}/{one.name}" if one.name else server.url
        click.echo(f"{base}  →  {one.url}")
    click.echo(one_line(f"Set the agent's base URL to the left one. Look: context-inspector ui {out}. Stop: Ctrl-C."))


def _run(server: ProxyServer) -> None:
    """Run until Ctrl-C or SIGTERM: both are the way to end this command, not failures of it."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, stop)
    try:
        with suppress(KeyboardInterrupt):
            server.run()
    finally:
        signal.signal(signal.SIGTERM, previous)


class Teller:
    """Writes a line for each call, and the sum of them at the end."""

    def __init__(self, echo: Callable[[str], None] = click.echo) -> None:
        self._echo = echo
        self._sessions: set[str] = set()
        self._failed = 0
        self._quiet = False

    def tell(self, call: Passed) -> None:
        """Write the line of a call that has passed."""
        self._sessions.add(call.session)
        self._failed += call.error is not None
        self._say(call_line(call, datetime.now()))

    def summary(self, calls: int, unrecorded: int, losses: int, out: Path) -> None:
        """Write what came of the run.

        Args:
            calls: Written down.
            unrecorded: Passed without a record.
            losses: Records that could not be written.
            out: Where the traces are.
        """
        parts = [_count(calls, "call"), _count(len(self._sessions), "session")]
        if self._failed:
            parts.append(f"{self._failed} without a whole answer")
        self._say(one_line(f"{' · '.join(parts)} recorded in {out}"))
        if unrecorded or losses:
            complain(f"{_count(unrecorded, 'call')} passed unrecorded, {_count(losses, 'record')} could not be written")

    def _say(self, line: str) -> None:
        if self._quiet:
            return
        try:
            self._echo(line)
        except OSError:  # whoever read the lines is gone; the agent is not, and its calls go on
            self._quiet = True


def call_line(call: Passed, now: datetime) -> str:
    """Write a call as one line: time, status, model, tokens, duration, where it belongs, what went wrong.

    Args:
        call: The call.
        now: Local time.
    """
    place = call.session if call.lane is None else f"{call.session} / {call.lane}"
    parts = [
        f"{now:%H:%M:%S}",
        str(call.status) if call.status is not None else "---",
        call.model or "?",
        _tokens(call),
        f"{call.duration_ms / 1000:.1f} s",
        place,
    ]
    parts += [] if call.recorded else ["✗ not recorded"]
    parts += [f"✗ {call.error}"] if call.error else []
    return one_line("  ".join(parts), _LINE)


_LINE: Final = 400
"""Characters of a line: a server may say a lot when it refuses."""


def _tokens(call: Passed) -> str:
    usage = call.usage
    if usage.input_tokens is None and usage.output_tokens is None:
        return "tokens ?"
    cached = f" ({usage.cached_read:,} cached)" if usage.cached_read else ""
    said, answered = (f"{n:,}" if n is not None else "?" for n in (usage.input_tokens, usage.output_tokens))
    return f"{said} in{cached}, {answered} out"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
