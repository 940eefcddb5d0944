"""Overrides ``send`` of the HTTP session inside a client of ``boto3``: Bedrock's Converse and InvokeModel."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any

from snapshot_sdk.adapters._endpoints import Endpoints
from snapshot_sdk.adapters._exchange import Exchange, Outgoing, begin
from snapshot_sdk.adapters._httpx import RECORDERS

if TYPE_CHECKING:
    from snapshot_sdk._recorder import Recorder


def is_client(client: Any) -> bool:
    """Tells whether something is a client of ``boto3`` or ``botocore``.

    Args:
        client: Anything.
    """
    module = sys.modules.get("botocore.client")
    return module is not None and isinstance(client, module.BaseClient)


def attach_botocore(recorder: Recorder, client: Any, endpoints: Endpoints) -> None:
    """Records what a client sends; once per recorder. Each try is signed anew and sent through this session.

    Args:
        recorder: Where to.
        client: Of ``boto3`` or ``botocore``.
        endpoints: What is recorded.
    """
    session = client._endpoint.http_session
    original = session.send
    if recorder in getattr(original, RECORDERS, ()):
        return

    @wraps(original)
    def send(request: Any) -> Any:
        exchange = begin(recorder, endpoints, lambda: outgoing(request))
        if exchange is None:
            return original(request)
        try:
            response = original(request)
        except BaseException as error:
            exchange.failed(error)
            raise
        with recorder._guarded:
            _listen(request, response, exchange)
        return response

    setattr(send, RECORDERS, (recorder, *getattr(original, RECORDERS, ())))
    session.send = send


def outgoing(request: Any) -> Outgoing:
    """Returns what a request sends.

    Args:
        request: Prepared and signed by ``botocore``.
    """
    body = request.body
    if isinstance(body, str):
        body = body.encode()
    return Outgoing(request.method, request.url, bytes(body) if isinstance(body, bytes | bytearray) else None, None)


def _listen(request: Any, response: Any, exchange: Exchange) -> None:
    """Records an answer that botocore has read; listens to one that it will read part by part."""
    headers = response.headers
    exchange.answering(response.status_code, headers.get("content-type"), headers.get("content-encoding"))
    if not request.stream_output:
        exchange.chunk(response.content)
        exchange.ended()
        return
    response.raw = _Listening(response.raw, exchange)


class _Listening:
    """A raw answer of ``urllib3`` that passes on what is read and keeps a copy."""

    def __init__(self, raw: Any, exchange: Exchange) -> None:
        self._raw = raw
        self._exchange = exchange
        weakref.finalize(self, exchange.dropped)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[bytes]:
        """Reads the answer in parts, as an event stream is."""
        try:
            for chunk in self._raw.stream(*args, **kwargs):
                self._exchange.chunk(chunk)
                yield chunk
        except GeneratorExit:
            raise
        except BaseException as error:
            self._exchange.failed(error)
            raise
        self._exchange.ended()

    def read(self, amt: int | None = None, *args: Any, **kwargs: Any) -> bytes:
        """Reads some of the answer, as the body of InvokeModel is."""
        try:
            data: bytes = self._raw.read(amt, *args, **kwargs)
        except BaseException as error:
            self._exchange.failed(error)
            raise
        self._exchange.chunk(data)
        if amt is None or (amt and not data):
            self._exchange.ended()
        return data

    def close(self) -> None:
        """Closes the answer, read to its end or not."""
        try:
            self._raw.close()
        finally:
            self._exchange.closed()
