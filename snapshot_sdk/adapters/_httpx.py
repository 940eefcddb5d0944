"""Overrides the public ``send`` of clients of ``httpx`` and ``httpx2``, sync and async.

The two libraries are one code base under two names. Neither is imported here: the client brings its own.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from functools import partial, wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from snapshot_sdk.adapters._endpoints import Finder
from snapshot_sdk.adapters._exchange import RETRY_HEADER, Exchange, Outgoing, begin

if TYPE_CHECKING:
    from snapshot_sdk._recorder import Recorder

LIBRARIES: Final = ("httpx", "httpx2")

RECORDERS: Final = "_snapshot_sdk_recorders"
"""Attribute of an overridden ``send``: who records."""

_RETRY: Final = RETRY_HEADER.encode()
_ENCODING: Final = b"content-encoding"
_TYPE: Final = b"content-type"

_sending: ContextVar[tuple[tuple[int, Any], ...]] = ContextVar("snapshot_sdk_sending", default=())
"""Recorder and request that are on their way: a client that is attached and installed is recorded once."""

_classes: Final[dict[tuple[str, str], type]] = {}


def library_of(client: Any) -> ModuleType | None:
    """Returns the library that a client is of.

    Args:
        client: Anything.
    """
    for name in LIBRARIES:
        library = sys.modules.get(name)
        if library is not None and isinstance(client, library.Client | library.AsyncClient):
            return library
    return None


def is_async(client: Any) -> bool:
    """Tells whether a client's ``send`` is awaited.

    Args:
        client: One of either library.
    """
    return any(name in sys.modules and isinstance(client, sys.modules[name].AsyncClient) for name in LIBRARIES)


def attach_client(recorder: Recorder, client: Any, endpoints: Finder) -> None:
    """Overrides ``send`` of one client; once per recorder.

    Args:
        recorder: Where to.
        client: Of either library.
        endpoints: What is recorded.
    """
    own = client.__dict__.get("send")
    if recorder in getattr(own, RECORDERS, ()):
        return
    send = recording_send(own or _unbound(client), recorder, endpoints, awaited=is_async(client), at=0)
    setattr(send, RECORDERS, (recorder, *getattr(own, RECORDERS, ())))
    client.send = send


def _unbound(client: Any) -> Callable[..., Any]:
    """Calls ``send`` as the class has it. The client is not held: it is freed when its user drops it."""
    held = weakref.ref(client)

    def send(*args: Any, **kwargs: Any) -> Any:
        one = held()
        if one is None:
            raise ReferenceError("the client is gone")
        return type(one).send(one, *args, **kwargs)

    send.__doc__ = type(client).send.__doc__
    return send


def recording_send(
    send: Callable[..., Any], recorder: Recorder, endpoints: Finder, *, awaited: bool, at: int
) -> Callable[..., Any]:
    """Returns a ``send`` that records what passes.

    Args:
        send: The one it stands for.
        recorder: Where to.
        endpoints: What is recorded.
        awaited: It is a coroutine function.
        at: Place of the request among its arguments.
    """

    @wraps(send)
    def sync_send(*args: Any, **kwargs: Any) -> Any:
        request = args[at] if len(args) > at else kwargs.get("request")
        exchange = _begin(recorder, endpoints, request)
        if exchange is None:
            return send(*args, **kwargs)
        before = _enter(recorder, request)
        try:
            response = send(*args, **kwargs)
        except BaseException as error:
            exchange.failed(error)
            raise
        finally:
            _sending.set(before)
        _answer(recorder, exchange, response, awaited=awaited)
        return response

    @wraps(send)
    async def async_send(*args: Any, **kwargs: Any) -> Any:
        request = args[at] if len(args) > at else kwargs.get("request")
        exchange = _begin(recorder, endpoints, request)
        if exchange is None:
            return await send(*args, **kwargs)
        before = _enter(recorder, request)
        try:
            response = await send(*args, **kwargs)
        except BaseException as error:
            exchange.failed(error)
            raise
        finally:
            _sending.set(before)
        _answer(recorder, exchange, response, awaited=awaited)
        return response

    return async_send if awaited else sync_send


def _enter(recorder: Recorder, request: Any) -> tuple[tuple[int, Any], ...]:
    before = _sending.get()
    _sending.set((*before, (id(recorder), request)))
    return before


def _begin(recorder: Recorder, endpoints: Finder, request: Any) -> Exchange | None:
    for owner, one in _sending.get():
        if owner == id(recorder) and one is request:
            return None
    return begin(recorder, endpoints, partial(outgoing, request))


def outgoing(request: Any) -> Outgoing:
    """Returns what a request sends.

    Args:
        request: Of either library.
    """
    named = _headers(request)
    retry = named.get(_RETRY)
    coding = request.headers.get("content-encoding") if _ENCODING in named else None
    try:
        content = request.content
    except Exception:  # RequestNotRead of either library: the body is an iterator
        content = None
    body = content if isinstance(content, bytes) else None
    tries = retry.decode("latin-1") if retry is not None else None
    return Outgoing(request.method, str(request.url), body, tries, coding)


def _headers(message: Any) -> dict[bytes, bytes]:
    """The headers of a request or an answer by name. To ask the library for one takes it as long as to list all."""
    return {name.lower(): value for name, value in message.headers.raw}


def _answer(recorder: Recorder, exchange: Exchange, response: Any, *, awaited: bool) -> None:
    """Records an answer that was read, or listens to one that will be."""
    try:
        kind = _headers(response).get(_TYPE)
        content_type = kind.decode("latin-1") if kind is not None else None
        if response.is_stream_consumed:
            exchange.answered(response.status_code, content_type, response.content)
            return
        exchange.answering(response.status_code, content_type, response.headers.get("content-encoding"))
        base = "AsyncByteStream" if awaited else "SyncByteStream"
        stream = response.stream
        for name in LIBRARIES:
            library = sys.modules.get(name)
            if library is not None and isinstance(stream, getattr(library, base)):
                response.stream = _listener(library, base)(stream, exchange)
                return
        raise TypeError(f"an answer that is a {type(stream).__name__}")
    except Exception as error:
        if not recorder._swallow(error):
            raise


def _listener(library: ModuleType, base: str) -> Any:
    """Makes the class of streams that a library takes for its own."""
    key = library.__name__, base
    if key not in _classes:
        listening = _SyncListening if base == "SyncByteStream" else _AsyncListening
        _classes[key] = type(f"Recorded{base}", (listening, getattr(library, base)), {})
    return _classes[key]


class _Listening:
    """A stream that passes on what it gets and keeps a copy."""

    def __init__(self, stream: Any, exchange: Exchange) -> None:
        self._stream = stream
        self._exchange = exchange
        # One that is dropped without being closed, or open when the interpreter ends.
        weakref.finalize(self, exchange.dropped)


class _SyncListening(_Listening):
    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._stream:
                self._exchange.chunk(chunk)
                yield chunk
        except GeneratorExit:
            raise
        except BaseException as error:
            self._exchange.failed(error)
            raise
        self._exchange.ended()

    def close(self) -> None:
        try:
            self._stream.close()
        finally:
            self._exchange.closed()


class _AsyncListening(_Listening):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts = aiter(self._stream)
        try:
            async for chunk in parts:
                self._exchange.chunk(chunk)
                yield chunk
        except GeneratorExit:
            raise
        except BaseException as error:
            self._exchange.failed(error)
            raise
        finally:
            # As the library's own do. A loop that ends closes all generators at once, and one that was left open
            # between them makes the others trip: asyncio then reports an error for each stream that was given up.
            if isinstance(parts, AsyncGenerator):
                await parts.aclose()
        self._exchange.ended()

    async def aclose(self) -> None:
        try:
            await self._stream.aclose()
        finally:
            self._exchange.closed()
