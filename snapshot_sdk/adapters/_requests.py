"""Overrides the public ``send`` of a session of ``requests``."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any

from snapshot_sdk.adapters._endpoints import Endpoints
from snapshot_sdk.adapters._exchange import RETRY_HEADER, Exchange, Outgoing, begin
from snapshot_sdk.adapters._httpx import RECORDERS

if TYPE_CHECKING:
    from snapshot_sdk._recorder import Recorder

_sending: ContextVar[tuple[Recorder, ...]] = ContextVar("snapshot_sdk_requests_sending", default=())
"""Who records the request that is on its way."""


def attach_session(recorder: Recorder, session: Any, endpoints: Endpoints) -> None:
    """Records what a session sends; once per recorder.

    Args:
        recorder: Where to.
        session: A ``requests.Session``.
        endpoints: What is recorded.
    """
    own = session.__dict__.get("send")
    if recorder in getattr(own, RECORDERS, ()):
        return
    kind = type(session)
    held = weakref.ref(session)
    original: Callable[..., Any] = own or (lambda *args, **kwargs: kind.send(held(), *args, **kwargs))

    @wraps(kind.send)
    def send(request: Any, **kwargs: Any) -> Any:
        before = _sending.get()
        # Session.send calls itself for redirects: that is the same try.
        exchange = None if recorder in before else begin(recorder, endpoints, lambda: outgoing(request))
        if exchange is None:
            return original(request, **kwargs)
        _sending.set((*before, recorder))
        try:
            response = original(request, **kwargs)
        except BaseException as error:
            exchange.failed(error)
            raise
        finally:
            _sending.set(before)
        with recorder._guarded:
            _listen(response, exchange, streamed=bool(kwargs.get("stream")))
        return response

    setattr(send, RECORDERS, (recorder, *getattr(own, RECORDERS, ())))
    session.send = send


def outgoing(request: Any) -> Outgoing:
    """Returns what a request sends.

    Args:
        request: A ``requests.PreparedRequest``.
    """
    body = request.body
    if isinstance(body, str):
        body = body.encode()
    whole = body if isinstance(body, bytes) else None
    headers = request.headers
    return Outgoing(
        request.method or "", request.url, whole, headers.get(RETRY_HEADER), headers.get("content-encoding")
    )


def _listen(response: Any, exchange: Exchange, *, streamed: bool) -> None:
    """Records an answer that was read; of one that will be, what ``iter_content`` gives, already decoded."""
    exchange.answering(response.status_code, response.headers.get("content-type"))
    if not streamed:
        exchange.chunk(response.content)
        exchange.ended()
        return
    iterate, close = type(response).iter_content, type(response).close
    held = weakref.ref(response)

    def iter_content(*args: Any, **kwargs: Any) -> Iterator[Any]:
        chunks = iterate(held(), *args, **kwargs)
        try:
            for chunk in chunks:
                exchange.chunk(chunk if isinstance(chunk, bytes) else chunk.encode())
                yield chunk
        except GeneratorExit:
            raise
        except BaseException as error:
            exchange.failed(error)
            raise
        exchange.ended()

    def closing() -> None:
        try:
            close(held())
        finally:
            exchange.closed()

    response.iter_content, response.close = iter_content, closing
    weakref.finalize(response, exchange.dropped)
