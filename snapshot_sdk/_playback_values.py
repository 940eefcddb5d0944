"""What passes between the parts of a playback: the request of the agent, the answer it gets, and what ends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A model call of the agent."""

    method: str
    url: str
    api: str | None
    """Dialect, by the address; None: it is not to be told by it."""
    body: Mapping[str, Any]
    """What it sends."""
    model: str | None
    """Named in the body or the address."""
    lane: str | None = None
    """Lane that the agent's own recorder says it is in; None: it says nothing."""
    purpose: str | None = None
    """Likewise."""

    @property
    def path(self) -> str:
        """Path of the address, without query and last slash."""
        return self.url.partition("?")[0].rstrip("/")


@dataclass(frozen=True)
class HttpAnswer:
    """An answer as a server would send it."""

    status: int
    content_type: str
    chunks: tuple[bytes, ...]
    """The body, as a stream would bring it; one chunk: it comes at once."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Further ones."""

    @property
    def body(self) -> bytes:
        """All chunks."""
        return b"".join(self.chunks)

    @property
    def all_headers(self) -> dict[str, str]:
        """The content type and the further ones."""
        return {"content-type": self.content_type, **self.headers}


class PlaybackStop(BaseException):
    """Ends the agent: the prompt that was wanted is there, or there is nothing to answer with.

    No ``Exception``: clients take those for a failed connection and try again.
    """


class RefusedError(Exception):
    """A request that would have left the machine. Each library is given its own error for it."""


class BrokenError(Exception):
    """A call that has no recorded answer: played as a connection that fails."""
