"""Sends one question over HTTP: the only file of the probes that touches the network.

Tries again where a server is busy, as long as it says, follows no redirect, and never shows or stores the key.
"""

from __future__ import annotations

import queue
import random
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Final, NamedTuple, Self

import httpx2

from inspector.probes.replay_answer import read_reply
from inspector.probes.replay_headers import headers_of, secrets_of
from inspector.probes.replay_keys import Key
from inspector.probes.replay_reply import TIMEOUT, Reply
from inspector.probes.replay_request import ReplayRequest

CONNECT: Final = 15.0
ATTEMPTS: Final = 5
"""Tries of one question in all."""
FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 60.0
"""Seconds; a server that asks for more is taken at its word up to :data:`LONGEST_ASKED`."""
LONGEST_ASKED: Final = 300.0
BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that another try may not have (529: Anthropic is overloaded)."""
_MOST_ERROR: Final = 500
"""Characters of what a server said when it refused."""
_MOST_BYTES: Final = 32 * 1024 * 1024
"""Of one answer: a sentence is asked for, and a server that never ends must not fill the memory."""
_SECRET: Final = 8
"""Characters from which a key is taken out of an answer: the words that local servers take for one (``none``,
``EMPTY``) stand in answers for themselves."""
_UNSENT: Final = (
    httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.WriteError, httpx2.WriteTimeout,
    httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.ProxyError, httpx2.InvalidURL, UnicodeError,
)  # fmt: skip
"""Failures before the whole question was sent: nobody charges for it."""


class _Came(NamedTuple):
    """What one try brought."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class ReplayClient:
    """Sends questions; thread-safe."""

    def __init__(
        self,
        key: Key | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        """Make a client.

        Args:
            key: Sent the way the dialect wants it, or signs what is sent; None: none is.
            headers: Further headers.
            timeout: Seconds for one answer, from the first byte sent to the last one that came.
            attempts: Tries of one question.
            first_wait: Seconds before the second try; they double after that.
        """
        self._key = key
        self._headers = dict(headers or {})
        self._attempts = attempts
        self._first_wait = first_wait
        self._timeout = timeout
        self._http = httpx2.Client(
            timeout=httpx2.Timeout(timeout, connect=min(timeout, CONNECT)), follow_redirects=False
        )
        self._random = random.Random()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, request: ReplayRequest, cancelled: threading.Event) -> Reply:
        """Send a question, again where the server is busy.

        Args:
            request: The question.
            cancelled: Set: no further try is made.
        """
        reply = Reply(None, error="it was not sent", cancelled=True, attempts=0)
        unmetered = 0
        for attempt in range(1, self._attempts + 1):
            if cancelled.is_set():
                return Reply(None, error="cancelled", cancelled=True, attempts=attempt - 1, unmetered=unmetered)
            started = time.monotonic()
            wait: float | None = None
            again = True
            try:
                came = self._try(request)
            except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, UnicodeError) as error:
                unmetered += not isinstance(error, _UNSENT)
                reply = Reply(None, error=self._clean(_words(error)), attempts=attempt, unmetered=unmetered)
            else:
                took = (time.monotonic() - started) * 1000
                found = read_reply(request.address.api, came.status, came.headers, came.content, self._clean)
                unmetered += found.unmetered
                text = None if found.text is None else self._mask(found.text)
                reply = replace(found, text=text, attempts=attempt, duration_ms=took, unmetered=unmetered)
                again = came.status in BUSY or found.broke_off
                wait = retry_after(came.headers.get("retry-after")) if came.status in BUSY else None
            if not again or reply.error is None or attempt == self._attempts:
                return reply
            if reply.counted is not None:
                unmetered += 1  # it broke off after its usage, of which only the last try's is handed on
            if cancelled.wait(self._pause(attempt, wait)):
                return Reply(None, error="cancelled", cancelled=True, attempts=attempt, unmetered=unmetered)
        return reply

    def _try(self, request: ReplayRequest) -> _Came:
        """Send a question once; the whole of its answer must come in time.

        A thread of its own sends it and this one waits: the library's timeouts count from byte to byte, so a server
        that drips would never be late.

        Raises:
            httpx2.HTTPError, httpx2.InvalidURL, UnicodeError: It could not be sent, or no answer came.
            TimeoutError: The answer did not come in time.
        """
        came: queue.SimpleQueue[_Came | Exception] = queue.SimpleQueue()
        late = threading.Event()
        thread = threading.Thread(target=self._send, args=(request, came, late), name="probe-try", daemon=True)
        thread.start()
        try:
            found = came.get(timeout=self._timeout)
        except queue.Empty as error:
            raise TimeoutError("no answer in time") from error
        finally:
            late.set()
        if isinstance(found, Exception):
            raise found
        return found

    def _send(self, request: ReplayRequest, came: queue.SimpleQueue[_Came | Exception], late: threading.Event) -> None:
        pieces: list[bytes] = []
        size = 0
        try:
            content = request.content
            with self._http.stream(
                "POST", request.address.url, content=content, headers=self._sent(request, content)
            ) as response:
                for piece in response.iter_bytes():
                    pieces.append(piece)
                    size += len(piece)
                    if late.is_set():
                        return
                    if size > _MOST_BYTES:
                        raise httpx2.RemoteProtocolError(f"the answer is larger than {_MOST_BYTES:,} bytes")
                came.put(_Came(response.status_code, response.headers, b"".join(pieces)))
        except Exception as error:
            # Nobody stands above a thread: whatever it is, the one that waits is to hear of it.
            came.put(error)

    def _pause(self, attempt: int, asked: float | None) -> float:
        if asked is not None:
            return min(asked, LONGEST_ASKED)
        longest = min(LONGEST_WAIT, self._first_wait * float(2 ** (attempt - 1)))
        return longest * (0.5 + self._random.random() / 2)  # so that many do not come back at once

    def _sent(self, request: ReplayRequest, content: bytes) -> dict[str, str]:
        url = httpx2.URL(request.address.url)  # a signature is of what goes over the wire, as this library writes it
        target, host = url.raw_path.decode("ascii"), url.netloc.decode("ascii")
        return headers_of(request.address, self._key, content, host, target, datetime.now(UTC)) | self._headers

    def _mask(self, text: str) -> str:
        """Take the key out of an answer: a server that echoes what it was sent would have it stored."""
        for secret in secrets_of(self._key, self._headers):
            if len(secret) >= _SECRET:
                text = text.replace(secret, "…")
        return text

    def _clean(self, text: str) -> str:
        """Take the key out of what a server or a library says: some repeat it."""
        for secret in (*secrets_of(self._key, {}), *self._headers.values()):
            if secret:
                text = text.replace(secret, "…")
        return " ".join(re.sub(r"(?:sk|key)-[A-Za-z0-9_*-]{8,}", "…", text).split())[:_MOST_ERROR]


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Read ``Retry-After``: seconds, or a date (RFC 9110, 10.2.3); None: nothing that can be read.

    Args:
        value: Of the header.
        now: To reckon a date from; None: the clock's.
    """
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())


def _words(error: Exception) -> str:
    if isinstance(error, httpx2.TimeoutException | TimeoutError):
        return "no answer in time"
    return f"the server cannot be reached: {error}" if isinstance(error, httpx2.ConnectError) else str(error)
