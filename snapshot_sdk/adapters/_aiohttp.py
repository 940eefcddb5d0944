"""Overrides ``_request`` of a session of ``aiohttp``, which has no public method that every request passes."""

from __future__ import annotations

import weakref
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from snapshot_sdk.adapters._endpoints import Finder
from snapshot_sdk.adapters._exchange import RETRY_HEADER, Exchange, Outgoing, begin
from snapshot_sdk.adapters._httpx import RECORDERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snapshot_sdk._recorder import Recorder

_DEFAULT_CHUNK: Final = 2**16
"""Bytes ``iter_chunked`` takes where nothing is said."""


def attach_session(recorder: Recorder, session: Any, endpoints: Finder) -> None:
    """Records what a session sends; once per recorder.

    Args:
        recorder: Where to.
        session: An ``aiohttp.ClientSession``.
        endpoints: What is recorded.
    """
    own = session.__dict__.get("_request")
    if recorder in getattr(own, RECORDERS, ()):
        return
    kind = type(session)
    held = weakref.ref(session)

    async def unbound(*args: Any, **kwargs: Any) -> Any:
        return await kind._request(held(), *args, **kwargs)

    original: Callable[..., Awaitable[Any]] = own or unbound

    @wraps(kind._request)
    async def request(method: str, url: Any, **kwargs: Any) -> Any:
        exchange = begin(recorder, endpoints, lambda: outgoing(held(), method, url, kwargs))
        if exchange is None:
            return await original(method, url, **kwargs)
        try:
            response = await original(method, url, **kwargs)
        except BaseException as error:
            exchange.failed(error)
            raise
        with recorder._guarded:
            _listen(response, exchange)
        return response

    setattr(request, RECORDERS, (recorder, *getattr(own, RECORDERS, ())))
    object.__setattr__(session, "_request", request)  # aiohttp warns of attributes that are not its own


def attach_lazily(recorder: Recorder, api_client: Any, endpoints: Finder) -> None:
    """Records the sessions that google-genai makes, one per event loop, when it first needs them.

    Args:
        recorder: Where to.
        api_client: Its ``BaseApiClient``.
        endpoints: What is recorded.
    """
    own = api_client.__dict__.get("_get_aiohttp_session")
    if recorder in getattr(own, RECORDERS, ()):
        return
    kind = type(api_client)
    held = weakref.ref(api_client)

    async def unbound(*args: Any, **kwargs: Any) -> Any:
        return await kind._get_aiohttp_session(held(), *args, **kwargs)

    original: Callable[..., Awaitable[Any]] = own or unbound

    async def get(*args: Any, **kwargs: Any) -> Any:
        session = await original(*args, **kwargs)
        with recorder._guarded:
            attach_session(recorder, session, endpoints)
        return session

    setattr(get, RECORDERS, (recorder, *getattr(own, RECORDERS, ())))
    api_client._get_aiohttp_session = get


def outgoing(session: Any, method: str, url: Any, given: dict[str, Any]) -> Outgoing:
    """Returns what a request will send.

    Args:
        session: An ``aiohttp.ClientSession``.
        method: HTTP method.
        url: Absolute, or below the session's own.
        given: Further arguments of ``session.request``.
    """
    body = given.get("data")
    if given.get("json") is not None:
        body = session.json_serialize(given["json"])
    if isinstance(body, str):
        body = body.encode()
    headers = {str(name).lower(): value for name, value in dict(given.get("headers") or {}).items()}
    whole = bytes(body) if isinstance(body, bytes | bytearray) else None
    coding = headers.get("content-encoding")
    return Outgoing(method, str(session._build_url(url)), whole, headers.get(RETRY_HEADER), coding)


def _listen(response: Any, exchange: Exchange) -> None:
    exchange.answering(response.status, response.headers.get("content-type"))
    response.content = _Reader(response.content, exchange)
    kind = type(response)
    held = weakref.ref(response)

    def closing(name: str) -> Callable[[], Any]:
        def close() -> Any:
            try:
                return getattr(kind, name)(held())
            finally:
                exchange.closed()

        return close

    response.close, response.release = closing("close"), closing("release")
    weakref.finalize(response, exchange.dropped)


class _Reader:
    """Stands for the ``StreamReader`` of an answer and keeps a copy of what is read."""

    def __init__(self, reader: Any, exchange: Exchange) -> None:
        self._reader = reader
        self._exchange = exchange

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._exchange.failed(error)
            raise

    def _read(self, data: bytes) -> bytes:
        self._exchange.chunk(data)
        if self._reader.at_eof():
            self._exchange.ended()
        return data

    async def read(self, n: int = -1) -> bytes:
        with self._noting():
            return self._read(await self._reader.read(n))

    async def readany(self) -> bytes:
        with self._noting():
            return self._read(await self._reader.readany())

    async def readline(self, **kwargs: Any) -> bytes:
        with self._noting():
            return self._read(await self._reader.readline(**kwargs))

    async def readuntil(self, separator: bytes = b"\n", **kwargs: Any) -> bytes:
        with self._noting():
            return self._read(await self._reader.readuntil(separator, **kwargs))

    async def readexactly(self, n: int) -> bytes:
        with self._noting():
            return self._read(await self._reader.readexactly(n))

    async def readchunk(self) -> tuple[bytes, bool]:
        with self._noting():
            data, end = await self._reader.readchunk()
            return self._read(data), end

    def read_nowait(self, n: int = -1) -> bytes:
        with self._noting():
            return self._read(self._reader.read_nowait(n))

    def __aiter__(self) -> _Steps:
        return _Steps(self.readline, b"")

    def iter_any(self) -> _Steps:
        return _Steps(self.readany, b"")

    def iter_chunked(self, n: int = _DEFAULT_CHUNK) -> _Steps:
        return _Steps(lambda: self.read(n), b"")

    def iter_chunks(self) -> _Steps:
        return _Steps(self.readchunk, (b"", False))


class _Steps:
    """Iterates over what a coroutine function returns, until it returns the last value."""

    def __init__(self, step: Callable[[], Awaitable[Any]], last: Any) -> None:
        self._step = step
        self._last = last

    def __aiter__(self) -> _Steps:
        return self

    async def __anext__(self) -> Any:
        value = await self._step()
        if value == self._last:
            raise StopAsyncIteration
        return value
