"""Writes what passes into the traces, on a thread of its own, in the order in which it came."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import Any, Final

from inspector.model.dialects import find_dialect
from inspector.model.request import Usage
from inspector.model.usage import NOTHING
from inspector.proxy.headers import Conversation, as_text, conversation
from inspector.proxy.incoming import AgentGoneError, Incoming
from snapshot_sdk import Recorder
from snapshot_sdk.gateway import (
    RETRY_HEADER,
    Endpoints,
    Exchange,
    ModelCall,
    Outcome,
    Outgoing,
    begin,
    decode,
    read_answer,
)

MAX_WAITING: Final = 32
"""Calls without an answer that are remembered, so that a further try of one is known for that."""


@dataclass(frozen=True)
class Passed:
    """A model call that has passed, as the terminal shows it."""

    session: str
    lane: str | None
    """None: none was named."""
    model: str | None
    """As the request names it; None: it does not."""
    status: int | None
    """HTTP status; None: no answer came."""
    usage: Usage
    """As the provider counts, normalised."""
    duration_ms: float
    error: str | None
    """What went wrong; None: the whole answer came."""
    recorded: bool = True
    """The request is on disk."""


class Journal:
    """The record of what passes. The recorder is used on one thread, so that the order on disk is that of arrival."""

    def __init__(
        self,
        recorder: Recorder,
        endpoints: Endpoints,
        *,
        otherwise: str,
        run: str | None = None,
        tell: Callable[[Passed], None] | None = None,
    ) -> None:
        """Take what the traces are written with.

        Args:
            recorder: Where to; it is closed by :meth:`close`.
            endpoints: What is a model call.
            otherwise: Session of requests that name none.
            run: Session of all requests that do not tell the proxy another one; None: what they name counts.
            tell: Is told each call that has passed; on the journal's thread.
        """
        self._recorder = recorder
        self._endpoints = endpoints
        self._otherwise = otherwise
        self._run = run
        self._tell = tell
        self._thread = ThreadPoolExecutor(1, "recorder")
        self._waiting: OrderedDict[bytes, tuple[Context, str]] = OrderedDict()
        self.calls = 0
        """Calls that were written down; tries of one count once each."""
        self.unrecorded = 0
        """Calls that passed without a record."""

    def find(self, method: str, url: str) -> ModelCall | None:
        """Recognise a model call; None: the request passes and is not recorded.

        Args:
            method: HTTP method.
            url: Where it is sent on to.
        """
        return self._endpoints.find(method, url)

    async def begin(self, request: Incoming, url: str, call: ModelCall, body: bytes) -> Exchange | None:
        """Write a request down before it is sent on.

        Args:
            request: As it came.
            url: Where it is sent on to.
            call: What the address says of it.
            body: As it came, still compressed if it was.

        Returns:
            What is to be told of the answer; None: it could not be written down, and passes all the same.
        """
        written = self._thread.submit(self._begin, request, url, call, body)
        try:
            return await asyncio.shield(asyncio.wrap_future(written))
        except asyncio.CancelledError:
            self._thread.submit(_give_up, written)
            raise

    def note(self, function: Callable[..., None], *given: Any) -> None:
        """Write something down when all before it is written; does not wait.

        Args:
            function: A method of an :class:`Exchange`.
            given: Its arguments.
        """
        self._thread.submit(function, *given)

    def close(self) -> None:
        """Write what is left, and close the traces."""
        self._thread.shutdown(wait=True)
        self._recorder.close()

    @property
    def losses(self) -> int:
        """Records that could not be written."""
        return self._recorder.losses

    def _begin(self, request: Incoming, url: str, call: ModelCall, body: bytes) -> Exchange | None:
        headers = as_text(request.headers)
        plain = decode(body, headers.get("content-encoding", ""))
        said = _object(plain) if plain is not None else {}
        named = conversation(request.headers, said, self._run)
        outgoing = Outgoing(request.method, url, plain, headers.get(RETRY_HEADER))
        # The SDK knows a further try by what the same context sent before; here each request has a context of its own.
        key = hashlib.sha256(url.encode() + b"\0" + body).digest()
        waiting = self._waiting.pop(key, None)
        context, before = waiting if waiting is not None else (copy_context(), None)
        losses = self._recorder.losses
        exchange = context.run(self._begin_within, named, outgoing)
        if exchange is None:
            self.unrecorded += 1
            return None
        recorded = self._recorder.losses == losses
        self.unrecorded += not recorded
        self.calls += recorded and exchange.snapshot != before
        self._waiting[key] = context, exchange.snapshot
        while len(self._waiting) > MAX_WAITING:
            self._waiting.popitem(last=False)
        model = said.get("model")
        model = model if isinstance(model, str) else call.model
        exchange.on_end = lambda outcome: self._ended(key, outcome, named, call, model, recorded)
        return exchange

    def _begin_within(self, named: Conversation, outgoing: Outgoing) -> Exchange | None:
        with ExitStack() as scope:
            scope.enter_context(self._recorder.session(named.session or self._otherwise))
            if named.lane is not None or named.purpose is not None:
                scope.enter_context(self._recorder.lane(named.lane or named.purpose or "", named.purpose))
            if named.turn is not None:
                scope.enter_context(self._recorder.turn(named.turn))
            return begin(self._recorder, self._endpoints, lambda: outgoing)

    def _ended(
        self, key: bytes, outcome: Outcome, named: Conversation, call: ModelCall, model: str | None, recorded: bool
    ) -> None:
        if outcome.error is None:
            self._waiting.pop(key, None)
        if self._tell is None:
            return
        usage = read_answer(outcome.body).usage if outcome.body is not None else None
        counted = find_dialect(call.api, {}).usage(usage) if usage is not None else NOTHING
        self._tell(
            Passed(
                named.session or self._otherwise,
                named.lane or named.purpose,
                model,
                outcome.status,
                counted,
                outcome.duration_ms,
                outcome.error,
                recorded,
            )
        )


def _give_up(written: Future[Exchange | None]) -> None:
    exchange = written.result()
    if exchange is not None:
        exchange.failed(AgentGoneError())


def _object(body: bytes) -> Mapping[str, Any]:
    """Read a body for what it says of itself; the record does not depend on it."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
