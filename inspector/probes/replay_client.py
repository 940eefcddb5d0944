"""Sends one question over HTTP: the only file of the probes that touches the network.

Tries again where a server is busy, as long as it says, follows no redirect, and never shows or stores the key.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Final, Self

import httpx2

from inspector.model.dialects import dialect_named
from inspector.probes.replay_reply import TIMEOUT, Reply
from inspector.probes.replay_request import ReplayRequest
from snapshot_sdk.gateway import read_answer, read_body

CONNECT: Final = 15.0
ATTEMPTS: Final = 5
"""Tries of one question in all."""
FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 60.0
"""Seconds; a server that asks for more is taken at its word up to :data:`LONGEST_ASKED`."""
LONGEST_ASKED: Final = 300.0
BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that another try may not have (529: Anthropic is overloaded)."""
_ANTHROPIC_VERSION: Final = "2023-06-01"
_MOST_ERROR: Final = 500
"""Characters of what a server said when it refused."""
_ANSWER_MEMBERS: Final[Mapping[str, str]] = {"openai.responses": "input", "gemini.generate_content": "contents"}


class ReplayClient:
    """Sends questions; thread-safe."""

    def __init__(
        self,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        """Make a client.

        Args:
            key: Sent the way the dialect wants it; None: none is sent.
            headers: Further headers.
            timeout: Seconds for one answer.
            attempts: Tries of one question.
            first_wait: Seconds before the second try; they double after that.
        """
        self._key = key
        self._headers = dict(headers or {})
        self._attempts = attempts
        self._first_wait = first_wait
        self._http = httpx2.Client(timeout=httpx2.Timeout(timeout, connect=CONNECT), follow_redirects=False)
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
        for attempt in range(1, self._attempts + 1):
            if cancelled.is_set():
                return Reply(None, error="cancelled", cancelled=True, attempts=attempt - 1)
            started = time.monotonic()
            wait: float | None
            try:
                response = self._http.post(request.address.url, content=request.content, headers=self._sent(request))
            except httpx2.HTTPError as error:
                reply, wait = Reply(None, error=self._clean(_words(error)), attempts=attempt), None
            else:
                reply = self._read(request, response, attempt, (time.monotonic() - started) * 1000)
                if reply.error is None or response.status_code not in BUSY:
                    return reply
                wait = retry_after(response.headers.get("retry-after"))
            if attempt < self._attempts and cancelled.wait(self._pause(attempt, wait)):
                return Reply(None, error="cancelled", cancelled=True, attempts=attempt)
        return reply

    def _pause(self, attempt: int, asked: float | None) -> float:
        if asked is not None:
            return min(asked, LONGEST_ASKED)
        longest = min(LONGEST_WAIT, self._first_wait * float(2 ** (attempt - 1)))
        return longest * (0.5 + self._random.random() / 2)  # so that many do not come back at once

    def _sent(self, request: ReplayRequest) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "application/json"}
        api, host = request.address.api, request.address.host
        if api == "anthropic.messages":
            headers["anthropic-version"] = _ANTHROPIC_VERSION
        if self._key is not None:
            if api == "anthropic.messages":
                headers["x-api-key"] = self._key
            elif api == "gemini.generate_content":
                headers["x-goog-api-key"] = self._key
            elif host.endswith((".openai.azure.com", ".cognitiveservices.azure.com")):
                headers["api-key"] = self._key
            else:
                headers["authorization"] = f"Bearer {self._key}"
        return headers | self._headers

    def _read(self, request: ReplayRequest, response: httpx2.Response, attempt: int, took: float) -> Reply:
        # httpx2 has undone the coding; the type tells whether it was streamed after all.
        body = read_body(response.content, response.headers.get("content-type", ""), "")
        if response.status_code >= 300:
            said = self._clean(_refusal(body.body) or body.refusal or "")
            return Reply(None, error=f"HTTP {response.status_code}{f': {said}' if said else ''}", attempts=attempt)
        if body.error is not None or not isinstance(body.body, Mapping):
            why = body.error or "the answer is no JSON object"
            return Reply(None, error=self._clean(why), attempts=attempt, duration_ms=took)
        answer = read_answer(body.body)
        dialect = dialect_named(request.address.api)
        member = _ANSWER_MEMBERS.get(request.address.api, "messages")
        messages = [dialect.decode(member, message) for message in answer.messages]
        text = "\n".join(part.text for one in messages for part in one.parts if part.kind == "text" and part.text)
        usage = answer.usage
        counted = dialect.usage(usage) if usage is not None else None
        if not messages:
            stop = f" ({answer.stop_reason})" if answer.stop_reason else ""
            return Reply(None, usage, counted, f"it answered nothing{stop}", attempt, took)
        return Reply(text, usage, counted, None, attempt, took)

    def _clean(self, text: str) -> str:
        """Take the key out of what a server or a library says: some repeat it."""
        for secret in (self._key, *self._headers.values()):
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


def _words(error: httpx2.HTTPError) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return "no answer in time"
    return f"the server cannot be reached: {error}" if isinstance(error, httpx2.ConnectError) else str(error)


def _refusal(body: Any) -> str | None:
    error = body.get("error") if isinstance(body, Mapping) else None
    message = error.get("message") if isinstance(error, Mapping) else error
    return message if isinstance(message, str) else None
