"""Where requests are sent on to: one server for everything, or several by the first part of the path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from inspector.errors import UpstreamError

_NAMED: Final = re.compile(r"([A-Za-z0-9_-]+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Upstream:
    """A server that requests are sent on to."""

    name: str | None
    """First part of the path that stands for it and is not sent on; None: whatever no name stands for."""
    url: str
    """Its address, without a slash at the end: the rest of the path is appended."""


def parse_upstream(text: str) -> Upstream:
    """Read ``URL`` or ``NAME=URL``.

    Args:
        text: As the user wrote it.

    Raises:
        UpstreamError: It is no address that requests can be sent on to.
    """
    named = _NAMED.fullmatch(text)
    name, url = (named[1], named[2]) if named else (None, text)
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UpstreamError(text, str(error)) from error
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isascii() or re.search(r"\s", url):
        raise UpstreamError(text, "it is no URL such as https://api.openai.com")
    if parts.username is not None or parts.password is not None:
        raise UpstreamError(text, "keys and passwords belong to the agent, which sends them itself")
    if parts.query or parts.fragment:
        raise UpstreamError(text, "paths are appended to it, so it ends before ? and #")
    return Upstream(name, url.rstrip("/"))


class Upstreams:
    """Tells where a request goes."""

    def __init__(self, upstreams: Sequence[Upstream]) -> None:
        """Take the servers.

        Args:
            upstreams: At least one; no two of the same name.

        Raises:
            UpstreamError: There is none, or two have the same name.
        """
        if not upstreams:
            raise UpstreamError("", "none is named")
        self.all: Final = tuple(upstreams)
        """In the order in which they were named."""
        self._by_name: dict[str | None, Upstream] = {}
        for one in upstreams:
            if one.name in self._by_name:
                said = f"{one.name} has two addresses" if one.name else "two have no name: write NAME=URL"
                raise UpstreamError(one.url, said)
            self._by_name[one.name] = one

    def find(self, target: str) -> str | None:
        """Give the URL that a request is sent on to; None: no upstream stands for its path.

        Args:
            target: Path and query as they stand in the request, percent-escapes untouched.
        """
        first = re.split(r"[/?]", target.removeprefix("/"), maxsplit=1)[0]
        named = self._by_name.get(first) if first else None
        if named is not None:
            return named.url + target[1 + len(first) :]
        rest = self._by_name.get(None)
        return None if rest is None else rest.url + target
