"""The recorder: what an agent calls."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Final, ParamSpec, Self, TypeVar

from snapshot_sdk._context import Turn, carry
from snapshot_sdk._core import DEFAULT_LANE, Recording, _Owner, as_field, as_fields, as_list, as_text
from snapshot_sdk._header import HeaderFields, check_header
from snapshot_sdk._marks import Marks
from snapshot_sdk._redact import Rules
from snapshot_sdk._responses import Answer, read_answer
from snapshot_sdk._seam import Seam
from snapshot_sdk._session import Tried
from snapshot_sdk.schema import Exactness

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

ROTATE_BYTES: Final = 256 * 1024 * 1024
"""Size at which a new file begins: still opened by every tool."""

_USER: Final = re.compile(r"//[^/@]*@")


class Recorder(Marks):
    """Records what a model is sent, as trace files in a directory.

    After construction no method raises: what cannot be recorded is counted in ``losses``, logged once
    (logger ``snapshot_sdk``), and noted in the trace when writing works again. Threads, asyncio tasks
    and forked processes may share one recorder.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        session: str | None = None,
        agent: str | None = None,
        window: int | None = None,
        budget: int | None = None,
        threshold: int | float | None = None,
        budgets: Mapping[str, int] | None = None,
        meta: Mapping[str, Any] | None = None,
        imported: Mapping[str, Any] | None = None,
        redact: Rules | None = None,
        caller: bool = True,
        rotate_bytes: int = ROTATE_BYTES,
        _seam: Seam | None = None,
    ) -> None:
        """Makes the directory, private to the user, if it is not there.

        Args:
            directory: Where the trace files go.
            session: Id of the conversation or run; None: a new one.
            agent: Name of the agent.
            window: The model's hard limit, tokens.
            budget: What the agent allows itself, tokens.
            threshold: What triggers compaction: tokens, or a fraction (0–1) of the budget (else of the window).
            budgets: Budget by layer, tokens.
            meta: Anything else about the session.
            imported: For importers: ``format``, ``source`` and ``digest`` of the log.
            redact: What never reaches the disk: ``keys``, ``email``, ``phone``, ``card``, key paths such as
                ``messages[*].content.secret``, functions that get a value and return what may be stored;
                one or several. Where a rule fails, the value is dropped. None: ``keys``; ``()``: nothing.
                Which values rules see, and which never: ``docs/format.md``, Redaction.
            caller: Record which line of the user's code called.
            rotate_bytes: Size of a file at which the next one begins.

        Raises:
            OSError: The directory cannot be made.
            TypeError: An argument is of the wrong type.
            ValueError: A number is out of range.
        """
        # An imported log is on a disk already: by default it is kept as it is.
        redact = () if redact is None and imported is not None else redact
        super().__init__(directory, session, redact, caller, rotate_bytes, _seam)
        self._last_address: tuple[str, str | None] = "", None
        self._header = self._checked(
            HeaderFields(),
            agent=agent,
            window=window,
            budget=budget,
            threshold=threshold,
            budgets=budgets,
            meta=meta,
            imported=imported,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the files. A later record opens its file again: a late answer is not lost."""
        with self._lock:
            traces = list(self._open.values())
        for trace in traces:
            with Recording(self, trace) as mine:
                mine.rest()

    def session(
        self,
        session_id: str,
        *,
        agent: str | None = None,
        window: int | None = None,
        budget: int | None = None,
        threshold: int | float | None = None,
        budgets: Mapping[str, int] | None = None,
        meta: Mapping[str, Any] | None = None,
        imported: Mapping[str, Any] | None = None,
    ) -> AbstractContextManager[None]:
        """Records a block under another session.

        Args:
            session_id: Its id.
            agent: In place of the recorder's, as the rest.
            window: Tokens.
            budget: Tokens.
            threshold: Tokens or fraction.
            budgets: Tokens by layer.
            meta: Anything else.
            imported: For importers.
        """
        session_id = as_text(session_id)
        overrides: dict[str, Any] = {
            "agent": agent,
            "window": window,
            "budget": budget,
            "threshold": threshold,
            "budgets": budgets,
            "meta": meta,
            "imported": imported,
        }
        with self._recording(session_id) as trace:
            if any(value is not None for value in overrides.values()):
                trace.change_header(self._checked(trace.header, **overrides))
        return self._scopes.within(session=session_id, turn=None, in_turn=False)

    def turn(self, number: Turn = None) -> AbstractContextManager[None]:
        """Records a block as one turn; labels set in it end with it.

        Args:
            number: The agent's own number or name of it; None: the next one of the session.
        """
        if number is None:
            with self._recording() as trace:
                trace.turns += 1
                number = trace.turns
        elif isinstance(number, int):
            with self._recording() as trace:
                trace.turns = int(number)
        return self._scopes.within(turn=self._clean_turn(number), in_turn=True)

    def lane(self, name: str, purpose: str | None = None) -> AbstractContextManager[None]:
        """Records a block as another line of thought: a sub-agent, a summariser.

        Args:
            name: Its name.
            purpose: What its calls are for (``summary``, ``title``, ``judge`` …).
        """
        return self._scopes.within(lane=self._clean_text(name), purpose=purpose)

    def attach(self, client: C, *, endpoints: Iterable[str] = ()) -> C:
        """Records every model call that a client makes, byte for byte, streams included.

        The client itself is changed, by one attribute of the HTTP client inside it; copies
        (``with_options()``) are recorded too.

        Args:
            client: Of ``openai``, ``anthropic``, ``google-genai``, ``mistralai``, ``groq``, ``ollama``, a
                LangChain chat model, a client of ``boto3``; one of ``httpx``, ``httpx2``, ``aiohttp`` or ``requests``.
            endpoints: URLs at which something is posted that is a model call, but not by its path.

        Returns:
            The same client.

        Raises:
            TypeError: No HTTP client was found in it.
            ValueError: An endpoint is no URL.
        """
        from snapshot_sdk.adapters._attach import attach  # only agents that attach pay for the import

        attach(self, client, endpoints)
        return client

    def wrap(self, function: Callable[P, R]) -> Callable[P, R]:
        """Carries session, turn and lane of the caller into a thread or an executor.

        Args:
            function: What will run there.
        """
        return carry(function)

    def snapshot(
        self,
        request: Any,
        *,
        api: str | None = None,
        endpoint: str | None = None,
        exact: Exactness | None = None,
        missing: list[str] | None = None,
        lane: str | None = None,
        turn: Turn = None,
        purpose: str | None = None,
        previous: str | None = None,
        model: str | None = None,
    ) -> str:
        """Records a request, before it is sent.

        Args:
            request: Its body: a mapping, or its JSON as text or bytes.
            api: Dialect: ``openai.chat``, ``anthropic.messages`` …; None: to be recognised.
            endpoint: URL or path; a query is dropped.
            exact: How far it is proved; None: ``values`` for a mapping, ``bytes`` for text and bytes.
            missing: Parts that a source log lacked.
            lane: In place of the context's.
            turn: In place of the context's.
            purpose: In place of the context's.
            previous: Id of the snapshot it continues; None: the lane's last.
            model: Where the body does not name it.

        Returns:
            Its id, for :meth:`response` and :meth:`attempt`.
        """
        snapshot_id = self._seam.uuid7()
        scope = self._scopes.current()
        session = scope.session or self._session
        with self._recording(session) as trace:
            purpose = scope.purpose if purpose is None else purpose
            lane_name = (self._clean_text(lane) if lane else None) or scope.lane or DEFAULT_LANE
            seq = trace.ready()
            encoded = trace.encoder.snapshot(request, lane=lane_name, seq=seq, exact=exact)
            fields: dict[str, Any] = {
                "id": snapshot_id,
                "turn": scope.turn if turn is None else self._clean_turn(turn),
                "lane": lane_name,
                "lane_origin": "given" if lane or scope.lane else "default",
                "purpose": None if purpose is None else self._clean(purpose),
                "previous": previous or trace.previous.get(lane_name),
                "api": api,
                "endpoint": self._address(endpoint) if endpoint else None,
                "caller": self._caller(),
            }
            lacking = [] if missing is None else as_list(missing)
            if lacking:
                fields["missing"] = lacking
            if encoded.fields["model"] is None:
                encoded.fields["model"] = self._clean(model)
            trace.write(
                "snapshot",
                {**as_fields(fields), **encoded.fields},
                raw={"body": encoded.body, "blobs": encoded.batch.blobs},
                batch=encoded.batch,
            )
            trace.previous[lane_name] = trace.last = snapshot_id
        self._scopes.took(scope, session, snapshot_id)
        self._remember(snapshot_id, session)
        return snapshot_id

    def response(
        self,
        snapshot_id: str | None = None,
        body: Any = None,
        *,
        messages: list[Any] | None = None,
        usage: Any = None,
        stop_reason: str | None = None,
        response_id: str | None = None,
        status: int | None = 200,
        duration_ms: float | None = None,
        complete: bool = True,
        error: BaseException | str | None = None,
    ) -> None:
        """Records the answer to a call.

        Args:
            snapshot_id: The call; None: the last one of this context.
            body: An OpenAI chat completion or an Anthropic message, as mapping or as the client's object;
                the rest of the arguments goes before what it says.
            messages: The answer's messages.
            usage: Token usage, as the provider gave it.
            stop_reason: Why it ended.
            response_id: The provider's id.
            status: HTTP status; None: none came.
            duration_ms: From request to end of answer.
            complete: The protocol's own end was seen. An ``error`` means it was not.
            error: What went wrong.
        """
        answer: Answer | None = None
        with self._guarded:
            answer = read_answer(body)
            answer = Answer(
                answer.messages if messages is None else as_list(messages),
                answer.usage if usage is None else usage,
                stop_reason or answer.stop_reason,
                response_id or answer.response_id,
                answer.context,
            )
        if answer is not None:
            self._answer(snapshot_id, answer, status=status, duration_ms=duration_ms, complete=complete, error=error)

    def _answer(
        self,
        snapshot_id: str | None,
        answer: Answer,
        *,
        attempt: Tried | None = None,
        status: int | None,
        duration_ms: float | None,
        complete: bool = True,
        error: BaseException | str | None,
    ) -> None:
        """Records an answer, and before it, in the same write, the try that brought it."""
        snapshot_id, session = self._call(snapshot_id)
        with self._recording(session) as trace:
            trace.ready()
            batch = trace.encoder.batch()
            runs = trace.encoder.messages(answer.messages, batch, "messages")
            if snapshot_id is None:
                raise LookupError("response() before any snapshot")
            fields = as_fields({"snapshot": snapshot_id, "response_id": answer.response_id, "status": status})
            fields["usage"] = self._clean_read(answer.usage) if answer.is_read else self._clean(answer.usage)
            fields["stop_reason"] = self._clean(answer.stop_reason)
            if answer.context is not None:
                fields["context"] = self._clean(answer.context)
            fields["messages"] = runs
            fields["duration_ms"] = as_field(duration_ms)
            fields["complete"] = bool(complete) and error is None
            fields["error"] = None if error is None else self._error(error)
            first = None
            if attempt is not None:
                first = attempt, self._tried(snapshot_id, session, attempt.n, status, attempt.error)
            trace.write("response", fields, raw={"blobs": batch.blobs}, batch=batch, first=first)

    def attempt(
        self,
        snapshot_id: str | None = None,
        *,
        n: int | None = None,
        status: int | None = None,
        error: BaseException | str | None = None,
    ) -> None:
        """Records one try of a call on the wire.

        Args:
            snapshot_id: The call; None: the last one of this context.
            n: Number of the try, from 1; None: the next.
            status: HTTP status, if one came.
            error: What went wrong.
        """
        snapshot_id, session = self._call(snapshot_id)
        with self._recording(session) as trace:
            if snapshot_id is None:
                raise LookupError("attempt() before any snapshot")
            trace.write("attempt", self._tried(snapshot_id, session, n, status, self._error(error)))

    def _address(self, endpoint: Any) -> str | None:
        """An address as it may be stored; one that was seen just before is known."""
        endpoint = endpoint if type(endpoint) is str else as_text(endpoint)
        known = self._last_address  # read once: other sessions' threads change it
        if known[0] != endpoint:
            known = self._last_address = endpoint, self._clean_text(_without_secrets(endpoint))
        return known[1]

    def _tried(
        self, snapshot_id: str, session: str, n: int | None, status: int | None, error: str | None
    ) -> dict[str, Any]:
        owner = self._owners.get(snapshot_id) or _Owner(session)
        owner.attempts = n if n is not None else owner.attempts + 1
        return as_fields({"snapshot": snapshot_id, "n": owner.attempts, "status": status, "error": error})

    def _checked(self, header: HeaderFields, **overrides: Any) -> HeaderFields:
        checked = check_header(overrides)  # the values as given: a rule sees no limits, and hides no mistake
        for name in ("meta", "imported"):
            if checked[name] is not None:
                checked[name] = self._clean_mapping(checked[name])
        return header.merged(**{**checked, "agent": self._clean_text(checked["agent"])})


def _without_secrets(endpoint: str) -> str:
    """An address without query and fragment, where keys stand, and without user and password."""
    return _USER.sub("//", re.split(r"[?#]", endpoint, maxsplit=1)[0], count=1)
