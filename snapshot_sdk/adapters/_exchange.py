"""One try of a model call: what is written when it leaves, when an answer begins, and when that ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from snapshot_sdk._json import MAX_DEPTH
from snapshot_sdk._responses import read_answer
from snapshot_sdk._session import Tried
from snapshot_sdk.adapters._answer import read_body
from snapshot_sdk.adapters._codings import decode
from snapshot_sdk.adapters._endpoints import Finder

if TYPE_CHECKING:
    from snapshot_sdk._recorder import Recorder

RETRY_HEADER: Final = "x-stainless-retry-count"
"""Set by the clients of OpenAI, Anthropic, Groq and others made by the same generator: 0 for the first try."""

MAX_ANSWER: Final = 64 * 1024 * 1024
"""Bytes of one answer that are held until it ends."""

CLOSED: Final = "the stream was closed before its end"
_CUT: Final = "the stream ended without the end its protocol has"
_TOO_LARGE: Final = f"the answer is larger than {MAX_ANSWER} bytes"
_NO_BODY: Final = "the body of a call is a stream that can be read only once"
_CODED: Final = "the body of a call cannot be decoded; its content-encoding is"


class Outgoing(NamedTuple):
    """A request, as an adapter sees it."""

    method: str
    url: str
    body: bytes | None
    """None: it cannot be read without taking it from the client."""
    retry: str | None
    """Value of ``RETRY_HEADER``."""
    encoding: str | None = None
    """Value of ``Content-Encoding``: what is recorded is what the body says, where rules can look into it."""


class Outcome(NamedTuple):
    """What became of one try."""

    status: int | None
    """HTTP status; None: no answer came."""
    body: Any
    """The answer, as the provider would have sent it at once; None: none that can be read."""
    error: str | None
    """What went wrong; None: the protocol's own end was seen."""
    duration_ms: float
    """From request to end of answer."""


@dataclass
class _Call:
    """A call in this context, for the tries that may follow."""

    recorder: int
    snapshot: str
    body: bytes
    """Empty: it was answered, so that nothing may follow."""
    tries: int
    failed: bool = False
    """The last try got no whole answer."""


_last: ContextVar[_Call | None] = ContextVar("snapshot_sdk_last_call", default=None)


def begin(recorder: Recorder, endpoints: Finder, outgoing: Callable[[], Outgoing]) -> Exchange | None:
    """Records a request, if it is a model call, before it is sent. Never raises.

    Args:
        recorder: Where.
        endpoints: What is one.
        outgoing: Looks at the request.

    Returns:
        None: it is not to be recorded.
    """
    try:
        method, url, sent, retry, encoding = outgoing()
        call = endpoints.find(method, url)
        if call is None:
            return None
        if sent is None:
            raise TypeError(_NO_BODY)
        body = decode(sent, encoding) if encoding else sent
        if body is None:
            raise TypeError(f"{_CODED} {encoding!r}")
        started = recorder._seam.mono_ns()
        tries = int(retry) if retry is not None and retry.isdigit() else None
        last = _last.get()
        # The client's own count decides; without one, equal bytes right after a try that failed.
        again = last is not None and (tries > 0 if tries is not None else last.failed)
        if last is not None and again and last.recorder == id(recorder) and last.body == body:
            last.tries = tries + 1 if tries is not None else last.tries + 1
            last.failed = False
            return Exchange(recorder, last, body, started)
        snapshot = recorder.snapshot(body, api=call.api, endpoint=url, model=call.model, purpose=call.purpose)
        last = _Call(id(recorder), snapshot, body, (tries or 0) + 1)
        _last.set(last)
        return Exchange(recorder, last, body, started)
    except Exception as error:
        if not recorder._swallow(error):
            raise
        return None


class Exchange:
    """A request that left, and what comes back. No method raises."""

    def __init__(self, recorder: Recorder, call: _Call, body: bytes, started: int) -> None:
        self._recorder = recorder
        self._call = call
        self._body = body
        self._try = call.tries
        self._started = started
        self._forks = recorder._forks
        self._lock = threading.Lock()
        self._finished = False
        self._told = True
        """The try is on disk, or is not to be written with the answer."""
        self._status: int | None = None
        self._content_type = ""
        self._encoding = ""
        self._chunks: list[bytes] = []
        self._size = 0
        self.on_end: Callable[[Outcome], None] | None = None
        """Is told what became of it, once, after that is recorded."""

    @property
    def snapshot(self) -> str:
        """Id of the snapshot; further tries of one call share it."""
        return self._call.snapshot

    def answering(self, status: int, content_type: str | None, encoding: str | None = None) -> None:
        """Notes that an answer begins.

        Args:
            status: HTTP status.
            content_type: Of the answer.
            encoding: How its bytes are compressed, if the chunks are.
        """
        self._status, self._content_type, self._encoding = status, content_type or "", encoding or ""
        self._recorder.attempt(self._call.snapshot, n=self._try, status=status, error=_refused(status))

    def answered(self, status: int, content_type: str | None, body: bytes) -> None:
        """Notes an answer that was read already; the try and the answer are written at once.

        Args:
            status: HTTP status.
            content_type: Of the answer.
            body: The whole of it.
        """
        self._status, self._content_type = status, content_type or ""
        self._told = False
        self.chunk(body)
        self._finish(_CUT)

    def chunk(self, data: bytes) -> None:
        """Keeps a part of the answer; nothing is read or written here, so that the reader does not wait.

        Args:
            data: The part.
        """
        self._size += len(data)
        if self._size <= MAX_ANSWER:
            self._chunks.append(data)

    def failed(self, error: BaseException) -> None:
        """Notes that no answer came, or no whole one.

        Args:
            error: Why.
        """
        if self._status is None:
            self._recorder.attempt(self._call.snapshot, n=self._try, error=error)
        self._finish(error)

    def ended(self) -> None:
        """Notes that the answer was read to its end."""
        self._finish(_CUT)

    def closed(self) -> None:
        """Notes that the answer was closed; if it had not ended, that it was given up."""
        self._finish(CLOSED)

    def dropped(self) -> None:
        """Does as :meth:`closed` for an answer that nobody holds any more; called while garbage is collected."""
        if not self._finished:
            self._recorder._when_outside(self.closed)

    def _finish(self, otherwise: BaseException | str) -> None:
        """Records the answer; once.

        Args:
            otherwise: What is wrong with it unless it says itself that it ended.
        """
        if self._recorder._forks != self._forks:
            return  # a forked child holds a copy of the stream: the answer is its parent's
        with self._lock:
            if self._finished:
                return
            self._finished = True
            chunks, self._chunks = self._chunks, []
        tried = None if self._told else Tried(self._try, _refused(self._status))
        try:
            self._record(chunks, otherwise, tried)
        except Exception as error:
            if not self._recorder._swallow(error):
                raise
        finally:  # a signal handler may raise in the middle
            if tried is not None and not tried.written:
                self._recorder.attempt(self._call.snapshot, n=self._try, status=self._status, error=tried.error)

    def _record(self, chunks: list[bytes], otherwise: BaseException | str, tried: Tried | None) -> None:
        """Writes the answer, with the try where that is not on disk, and tells who wants to know."""
        status = self._status
        data = b"".join(chunks)
        answer = read_body(data, self._content_type, self._encoding)
        error: BaseException | str | None = otherwise
        if isinstance(otherwise, str) and answer.ended:
            error = None
        if self._size > MAX_ANSWER:
            error = _TOO_LARGE
        if status is None or status >= 400:
            error = otherwise if isinstance(otherwise, BaseException) else answer.refusal or _refused(status)
        elif answer.error is not None:
            error = answer.error
        self._call.failed = error is not None
        self._call.body = self._body if self._call.failed else b""
        took = (self._recorder._seam.mono_ns() - self._started) / 1e6
        body = answer.body if status is not None and status < 400 else None
        is_flat = not self._encoding and data.count(b"[") + data.count(b"{") <= MAX_DEPTH
        read = read_answer(body, is_read=is_flat)
        self._recorder._answer(self._call.snapshot, read, attempt=tried, status=status, duration_ms=took, error=error)
        if self.on_end is not None:
            self.on_end(Outcome(status, body, self._recorder._error(error), took))


def _refused(status: int | None) -> str | None:
    return f"HTTP {status}" if status is None or status >= 400 else None
