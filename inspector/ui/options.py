"""What stands after ``--`` on the command line, and whether this server may show prompts at all."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from sample_data import TRACES

ALLOW_REMOTE: Final = "--allow-remote"
"""Spelled out by whoever wants prompts to leave the machine."""


@dataclass(frozen=True)
class Options:
    """The arguments of the app."""

    directory: Path
    """Where the trace files are."""
    samples: bool
    """No directory was named: these are the shipped samples."""
    allow_remote: bool
    """Other machines may read the prompts; asked for on purpose."""


def parse_options(arguments: Sequence[str]) -> Options:
    """Read the arguments after ``--``: at most one directory, and ``--allow-remote``."""
    named = [argument for argument in arguments if argument != ALLOW_REMOTE]
    directory = Path(named[0]).expanduser().resolve() if named else sample_directory()
    return Options(directory, samples=not named, allow_remote=ALLOW_REMOTE in arguments)


def options() -> Options:
    """Return the options of the running app."""
    return parse_options(sys.argv[1:])


def sample_directory() -> Path:
    """Find the shipped samples, in a checkout and in an installed wheel alike."""
    return TRACES.resolve()


def count_samples() -> int:
    """Count the shipped sample sessions: each has a directory of its own."""
    return sum(1 for file in sample_directory().glob("*/") if not file.name.startswith("."))


def is_loopback(host: str | None) -> bool:
    """Tell whether a host name or address can only mean this machine; no name is looked up."""
    name = (host or "").strip().strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def host_of(header: str | None) -> str | None:
    """Return the host of a ``Host`` header (``localhost:8501``) or of an origin (``http://[::1]:8501``)."""
    if not header:
        return None
    try:
        return urlsplit(header if "//" in header else f"//{header}").hostname
    except ValueError:
        return None


def refusal(address: str | None, host: str | None, origin: str | None) -> str | None:
    """Say why no prompt may be shown; None: all is well.

    Args:
        address: What the server is bound to; None: every interface.
        host: The request's ``Host`` header. A foreign name that leads here is how a web page in the
            reader's own browser would read a local server (DNS rebinding).
        origin: The request's ``Origin`` header, if it has one.
    """
    if not is_loopback(address):
        return f"The server listens on {address or 'every network interface'}, so other machines can reach it."
    for what, header in (("host", host), ("origin", origin)):
        if header and not is_loopback(host_of(header)):
            return f"The page was asked for under the {what} {header}, which is not this machine."
    return None
