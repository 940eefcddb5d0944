"""The ASGI application: sends a request on, and its answer back, part by part as it comes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Final

import httpx2
import zstandard  # noqa: F401 - the record is decoded with it where an agent or a server compresses with zstd

from inspector.proxy.headers import refusal, sent_back, sent_on
from inspector.proxy.incoming import AgentGoneError, Incoming, Message, Receive, Send
from inspector.proxy.journal import Journal
from inspector.proxy.upstreams import Upstreams
from snapshot_sdk.gateway import Exchange

CONNECT_SECONDS: Final = 30.0
"""How long a server may take to accept a connection; for an answer the agent's own patience counts."""


def new_client() -> httpx2.AsyncClient:
    """Make the client that sends requests on: it follows nothing, gives up nothing, and obeys the usual variables."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
    )


class Relay:
    """Sends requests on."""

    def __init__(self, upstreams: Upstreams, journal: Journal, client: httpx2.AsyncClient) -> None:
        self._upstreams = upstreams
        self._journal = journal
        self._client = client

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Incoming(scope, receive)
        refused = refusal(request.headers, request.target)
        url = self._upstreams.find(request.target)
        if refused is not None:
            await _say(send, refused.status, refused.reason)
        elif url is None:
            names = ", ".join(f"/{one.name}/" for one in self._upstreams.all)
            await _say(send, 404, f"no upstream stands for this path; those named are {names}")
        else:
            await self._until_gone(request, url, send)

    async def _until_gone(self, request: Incoming, url: str, send: Send) -> None:
        """Stop as soon as the agent goes away: the server need not go on either."""
        passing = asyncio.ensure_future(self._pass(request, url, send))
        gone = asyncio.ensure_future(request.gone())
        try:
            await asyncio.wait({passing, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            passing.cancel()
            gone.cancel()
            results = await asyncio.gather(passing, gone, return_exceptions=True)
        if isinstance(results[0], Exception) and not isinstance(results[0], AgentGoneError):
            raise results[0]

    async def _pass(self, request: Incoming, url: str, send: Send) -> None:
        call = self._journal.find(request.method, url)
        if call is None:
            content = request.stream() if request.has_body else None
            if content is None:
                await request.body()
            await self._forward(request, url, content, None, send)
            return
        body = await request.body()
        await self._forward(request, url, body, await self._journal.begin(request, url, call, body), send)

    async def _forward(
        self,
        request: Incoming,
        url: str,
        content: bytes | AsyncIterator[bytes] | None,
        exchange: Exchange | None,
        send: Send,
    ) -> None:
        headers = sent_on(request.headers, recorded=exchange is not None)
        answering = False
        try:
            # Built by hand: a client adds headers of its own to what it builds. The target goes as it stands: an
            # address that is taken apart and put together again may come out differently escaped.
            outgoing = httpx2.Request(
                request.method, url, headers=headers, content=content, extensions={"target": _target(url)}
            )
            answer = await self._client.send(outgoing, stream=True)
            try:
                if exchange is not None:
                    kind, coding = answer.headers.get("content-type"), answer.headers.get("content-encoding")
                    self._journal.note(exchange.answering, answer.status_code, kind, coding)
                answering = True
                await send(_start(answer.status_code, sent_back(answer.headers.raw)))
                async for part in answer.aiter_raw():
                    if exchange is not None:
                        exchange.chunk(part)
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            finally:
                await answer.aclose()
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            if exchange is not None:
                self._journal.note(exchange.failed, error)
            if answering:
                return  # the answer was cut, so it is cut for the agent too: the server closes what is not complete
            status = 504 if isinstance(error, httpx2.TimeoutException) else 502
            await _say(send, status, f"no answer came from {_without_query(url)}: {type(error).__name__}: {error}")
            return
        except BaseException:
            if exchange is not None:
                self._journal.note(*((exchange.closed,) if answering else (exchange.failed, AgentGoneError())))
            raise
        if exchange is not None:
            # Before the agent sees the end: what it does next is recorded after this.
            self._journal.note(exchange.ended)
        await send({"type": "http.response.body", "body": b""})


def _start(status: int, headers: list[tuple[bytes, bytes]]) -> Message:
    return {"type": "http.response.start", "status": status, "headers": headers}


async def _say(send: Send, status: int, reason: str) -> None:
    """Answer in place of a server, in the shape in which model servers report errors."""
    body = json.dumps({"error": {"message": f"context-inspector: {reason}", "type": "proxy_error"}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send(_start(status, headers))
    await send({"type": "http.response.body", "body": body})


def _target(url: str) -> bytes:
    """Give what stands after the server's name."""
    origin = re.match(r"[a-z]+://[^/?]*", url, re.IGNORECASE)
    target = url[origin.end() :] if origin else url
    return (target if target.startswith("/") else f"/{target}").encode("ascii")


def _without_query(url: str) -> str:
    """A query may hold a key."""
    return url.partition("?")[0]
