"""A request as it comes in over ASGI: its body, and the moment its sender goes away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class AgentGoneError(Exception):
    """The agent closed the connection."""

    def __init__(self) -> None:
        super().__init__("the agent closed the connection before it had the whole answer")


class Incoming:
    """Body and end of one request; only one reader may listen at a time, and this is it."""

    def __init__(self, scope: Message, receive: Receive) -> None:
        self.method: str = scope["method"]
        """In capitals."""
        query: bytes = scope["query_string"]
        raw: bytes = scope["raw_path"]
        self.target = (raw + (b"?" + query if query else b"")).decode("ascii")
        """Path and query, as they came."""
        self.headers: list[tuple[bytes, bytes]] = [(name, value) for name, value in scope["headers"]]
        """Names in lower case."""
        self._receive = receive
        self._read = asyncio.Event()

    @property
    def has_body(self) -> bool:
        """Whether one was announced."""
        return any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers)

    async def stream(self) -> AsyncIterator[bytes]:
        """Give the body in parts, as they come.

        Raises:
            AgentGoneError: It ended early.
        """
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise AgentGoneError
            more = bool(message.get("more_body"))
            if message.get("body"):
                yield message["body"]
        self._read.set()

    async def body(self) -> bytes:
        """Read the whole body.

        Raises:
            AgentGoneError: It ended early.
        """
        return b"".join([part async for part in self.stream()])

    async def gone(self) -> None:
        """Wait until the agent is gone, or has its answer."""
        await self._read.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass
