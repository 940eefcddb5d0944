"""Has the clients of ``httpx``, ``httpx2``, ``requests``, ``aiohttp`` and ``botocore`` answer from a recording.

None of them is imported here: what the agent has imported is changed, and what it imports later.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import wraps
from types import ModuleType, TracebackType
from typing import Any, Final, NamedTuple

from snapshot_sdk._playback_calls import Calls
from snapshot_sdk._playback_server import AnswerServer
from snapshot_sdk._playback_values import BrokenError, HttpAnswer, RefusedError
from snapshot_sdk.adapters import _aiohttp, _botocore, _httpx, _requests
from snapshot_sdk.adapters._imported import WhenImported

_INSIDE: Final = ("MockTransport", "ASGITransport", "WSGITransport")
"""Transports of ``httpx`` that answer inside the process, so that tools a test has replaced go on working."""


class _Patch(NamedTuple):
    """A method that was replaced."""

    owner: Any
    name: str
    original: Any
    ours: Any


class PlayedClients(AbstractContextManager["PlayedClients"]):
    """While entered, every client of the process asks a recording in place of a server."""

    def __init__(self, calls: Calls) -> None:
        """Changes nothing yet.

        Args:
            calls: What answers.
        """
        self._calls = calls
        self._server = AnswerServer()
        self._patches: list[_Patch] = []
        self._libraries = WhenImported(
            {*_httpx.LIBRARIES, "requests", "aiohttp", "botocore.httpsession"}, self._patch_library
        )

    def __enter__(self) -> PlayedClients:
        self._libraries.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._libraries.end()
        self._server.close()
        self._calls.ended = True
        # What a thread that lives on asks is refused by its sockets.
        _restore(self._patches)

    def _patch_library(self, library: ModuleType) -> None:
        if library.__name__ in _httpx.LIBRARIES:
            self._patch(library.Client, "send", lambda send: _playing_httpx(send, library, self._calls))
            self._patch(library.AsyncClient, "send", lambda send: _playing_httpx_async(send, library, self._calls))
        elif library.__name__ == "requests":
            self._patch(library.Session, "send", lambda send: _playing_requests(send, library, self._calls))
        elif library.__name__ == "aiohttp":
            play = lambda request: _playing_aiohttp(request, library, self._calls, self._server)  # noqa: E731
            self._patch(library.ClientSession, "_request", play)
        else:
            self._patch(library.URLLib3Session, "send", lambda send: _playing_botocore(send, self._calls))

    def _patch(self, owner: Any, name: str, play: Callable[[Any], Any]) -> None:
        original = vars(owner)[name]
        ours = _while_on(original, play(original), self._calls)
        setattr(owner, name, ours)
        self._patches.append(_Patch(owner, name, original, ours))


def _while_on(original: Callable[..., Any], playing: Callable[..., Any], calls: Calls) -> Callable[..., Any]:
    """Asks the library's own method when the playback is over: who has replaced ours meanwhile may put it back then."""

    @wraps(original)
    def send(*given: Any, **named: Any) -> Any:
        return (original if calls.ended else playing)(*given, **named)

    return send


def _restore(patches: list[_Patch]) -> None:
    while patches:
        owner, name, original, ours = patches.pop()
        if vars(owner).get(name) is ours:
            setattr(owner, name, original)


def _playing_httpx(original: Callable[..., Any], library: ModuleType, calls: Calls) -> Callable[..., Any]:
    @wraps(original)
    def send(client: Any, request: Any, *, stream: bool = False, **given: Any) -> Any:
        answer = _ask_httpx(client, request, library, calls)
        if answer is not None:
            return _httpx_response(library, request, answer, iter(answer.chunks) if stream else answer.body)
        return original(client, request, stream=stream, **given)

    return send


def _playing_httpx_async(original: Callable[..., Any], library: ModuleType, calls: Calls) -> Callable[..., Any]:
    @wraps(original)
    async def send(client: Any, request: Any, *, stream: bool = False, **given: Any) -> Any:
        answer = _ask_httpx(client, request, library, calls)
        if answer is not None:
            return _httpx_response(library, request, answer, _Later(answer.chunks) if stream else answer.body)
        return await original(client, request, stream=stream, **given)

    return send


class _Later:
    """Chunks one by one. No generator: those the library lets be read once, as no connection does."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)

    def __aiter__(self) -> _Later:
        return self

    async def __anext__(self) -> bytes:
        try:
            return next(self._chunks)
        except StopIteration:
            raise StopAsyncIteration from None


def _ask_httpx(client: Any, request: Any, library: ModuleType, calls: Calls) -> HttpAnswer | None:
    try:
        return calls.answer(_httpx.outgoing(request), inside=_answered_inside(client, request, library))
    except (RefusedError, BrokenError) as error:
        raise library.ConnectError(str(error), request=request) from None


def _httpx_response(library: ModuleType, request: Any, answer: HttpAnswer, content: Any) -> Any:
    response = library.Response(answer.status, headers=answer.all_headers, content=content, request=request)
    response.elapsed = timedelta(0)  # set by the transport otherwise, and an error where it is asked for in vain
    return response


def _answered_inside(client: Any, request: Any, library: ModuleType) -> bool:
    """Whether a test has given the client a transport that answers in place of a server."""
    find = getattr(client, "_transport_for_url", None)
    inside = tuple(kind for name in _INSIDE if isinstance(kind := getattr(library, name, None), type))
    return find is not None and isinstance(find(request.url), inside)


def _playing_requests(original: Callable[..., Any], library: ModuleType, calls: Calls) -> Callable[..., Any]:
    @wraps(original)
    def send(session: Any, request: Any, **given: Any) -> Any:
        try:
            answer = calls.answer(_requests.outgoing(request))
        except (RefusedError, BrokenError) as error:
            raise library.ConnectionError(str(error), request=request) from None
        if answer is None:
            return original(session, request, **given)
        response = library.Response()
        response.status_code, response.url, response.request = answer.status, request.url, request
        response.headers.update(answer.all_headers)
        response.encoding = "utf-8"
        response.raw = _raw(answer)
        if not given.get("stream", session.stream):
            _ = response.content  # reads it, as the library does
        return response

    return send


def _playing_botocore(original: Callable[..., Any], calls: Calls) -> Callable[..., Any]:
    @wraps(original)
    def send(session: Any, request: Any) -> Any:
        try:
            answer = calls.answer(_botocore.outgoing(request))
        except (RefusedError, BrokenError) as error:
            failed = sys.modules["botocore.exceptions"].EndpointConnectionError
            raise failed(endpoint_url=request.url, error=error) from None
        if answer is None:
            return original(session, request)
        raw = _raw(answer)
        kind = sys.modules["botocore.awsrequest"].AWSResponse
        response = kind(request.url, answer.status, answer.all_headers, raw)
        if not request.stream_output:
            _ = response.content  # reads it, as the library does
        return response

    return send


def _raw(answer: HttpAnswer) -> Any:
    """An answer as ``urllib3`` has it, on which both libraries build."""
    kind = sys.modules["urllib3"].HTTPResponse
    body = io.BytesIO(answer.body)
    return kind(body, headers=answer.all_headers, status=answer.status, preload_content=False, decode_content=False)


def _playing_aiohttp(
    original: Callable[..., Any], library: ModuleType, calls: Calls, server: AnswerServer
) -> Callable[..., Any]:
    """An answer of ``aiohttp`` cannot be made without its connection: it comes from a server on this machine."""

    @wraps(original)
    async def request(session: Any, method: str, url: Any, **given: Any) -> Any:
        try:
            answer = calls.answer(_aiohttp.outgoing(session, method, url, given))
        except (RefusedError, BrokenError) as error:
            raise library.ClientConnectionError(str(error)) from None
        if answer is None:
            return await original(session, method, url, **given)
        kept = {name: given[name] for name in ("raise_for_status", "timeout", "read_bufsize") if name in given}
        return await original(session, "POST", server.put(answer), **kept)

    return request
