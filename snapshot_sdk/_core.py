"""The inside of the recorder: sessions, losses, and the boundary that lets no fault out."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from threading import get_ident
from types import TracebackType
from typing import Any, Final

from snapshot_sdk._caller import find_caller
from snapshot_sdk._context import Scopes, Turn
from snapshot_sdk._elements import quick_key
from snapshot_sdk._header import HeaderFields
from snapshot_sdk._json import load
from snapshot_sdk._redact import Rules, compile_rules
from snapshot_sdk._seam import Seam
from snapshot_sdk._session import SessionTrace
from snapshot_sdk._values import copy_items, copy_list, is_plain, key_text, safe_repr, write_value
from snapshot_sdk._writer import make_private_directory

MAX_OPEN_SESSIONS: Final = 64
"""Files kept open at a time; a server's limit of descriptors is often 1,024."""

MAX_SESSIONS: Final = 4_096
"""Sessions whose labels and pins in force are remembered; one that comes back later begins a new file."""

MAX_OWNERS: Final = 4_096
"""Snapshots whose session is remembered, for answers that come later and elsewhere."""

DEFAULT_LANE: Final = "main"

MAX_TURN: Final = 2**53
"""Larger numbers of turns are kept as text: not every JSON reader takes them exactly (RFC 8259, 6)."""

RAISE_VARIABLE: Final = "SNAPSHOT_SDK_RAISE"
"""Environment variable that lets the recorder's own faults through: for the tests of this project."""

_logger: Final = logging.getLogger("snapshot_sdk")


@dataclass
class _Owner:
    """What is remembered of a snapshot."""

    session: str
    attempts: int = 0


class _Lock:
    """A lock that counts as depth. A signal handler that records may find it held by the thread it interrupted."""

    def __init__(self, recorder: Core) -> None:
        self._lock = threading.RLock()
        self._recorder = recorder

    def __enter__(self) -> None:
        self._recorder._enter()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        self._recorder._leave()


class Recording:
    """The boundary between recorder and host: takes the lock of a session and lets no fault out."""

    def __init__(self, recorder: Core, trace: SessionTrace) -> None:
        self._recorder = recorder
        self._locked = self._trace = trace

    def __enter__(self) -> SessionTrace:
        recorder = self._recorder
        thread = get_ident()
        recorder._depths[thread] = recorder._depths.get(thread, 0) + 1
        try:
            self._locked.lock.acquire()
        except BaseException:  # of a signal handler, while it waited
            self._recorder._leave()
            raise
        while self._trace.busy:  # the lock is this thread's: a signal handler or a rule of the user interrupted it
            self._trace = self._trace.aside()
        self._trace.busy = True
        return self._trace

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        try:
            if not isinstance(error, Exception):
                return False
            reason = self._recorder._error(error) or ""
            self._locked.lost(reason)
        finally:
            self._trace.busy = False
            self._locked.lock.release()
            self._recorder._leave()
        self._recorder.count_loss(reason)
        return RAISE_VARIABLE not in os.environ


class Guard:
    """Lets no fault of an adapter out: it is counted as a loss."""

    def __init__(self, recorder: Core) -> None:
        self._recorder = recorder

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        return isinstance(error, Exception) and self._recorder._swallow(error)


class Core:
    """What a recorder is made of."""

    def __init__(
        self,
        directory: str | os.PathLike[str],
        session: str | None,
        redact: Rules | None,
        caller: bool,
        rotate_bytes: int,
        seam: Seam | None,
    ) -> None:
        if session is not None and not isinstance(session, str):
            raise TypeError(f"session must be a string, not {type(session).__name__}")
        if type(rotate_bytes) is not int or rotate_bytes < 1:
            raise ValueError(f"rotate_bytes must be a positive number of bytes, not {rotate_bytes!r}")
        self._directory = Path(os.path.abspath(directory))  # noqa: PTH100 - resolve() would follow links
        make_private_directory(self._directory)
        self._seam = seam or Seam()
        self._session = session or self._seam.uuid7()
        self._redact = compile_rules(redact)
        self._with_caller = caller
        self._rotate = rotate_bytes
        self._header = HeaderFields()
        self._scopes = Scopes()
        self._depths: dict[int, int] = {}
        """By thread, how deep it is in the recorder's own code, under one of its locks; 0 is left out."""
        self._forks = 0
        """How often this process is a child of the one that made the recorder."""
        self._deferred: deque[Callable[[], None]] = deque()
        self._lock = _Lock(self)
        self._guarded = Guard(self)
        self._newest: SessionTrace | None = None
        """The last of ``_traces`` and of ``_open``."""
        self._traces: OrderedDict[str, SessionTrace] = OrderedDict()
        self._open: OrderedDict[str, SessionTrace] = OrderedDict()
        self._owners: OrderedDict[str, _Owner] = OrderedDict()
        self._losses = 0
        _cores.add(self)

    @property
    def losses(self) -> int:
        """Records that could not be written so far."""
        return self._losses

    def _recording(self, session: str | None = None) -> Recording:
        session = session or self._current_session()
        newest = self._newest
        known = newest is not None and newest.session == session
        return Recording(self, newest if known and newest is not None else self._trace(session))

    def _current_session(self) -> str:
        return self._scopes.current().session or self._session

    def _trace(self, session: str) -> SessionTrace:
        with self._lock:
            trace = self._traces.get(session)
            if trace is None:
                trace = self._traces[session] = SessionTrace(
                    self._directory, session, self._header, self._seam, self._redact, self._rotate
                )
                if len(self._traces) > MAX_SESSIONS:
                    self._traces.popitem(last=False)
            self._traces.move_to_end(session)
            self._open[session] = trace
            self._open.move_to_end(session)
            self._newest = trace
            other = self._open.popitem(last=False)[1] if len(self._open) > MAX_OPEN_SESSIONS else None
            if other is not None and not other.lock_idle():
                self._open[other.session] = other  # in use, so no longer the one least used
                other = None
        if other is not None:
            try:
                other.rest()
            finally:
                other.lock.release()
        return trace

    def _call(self, snapshot_id: Any) -> tuple[str | None, str]:
        """Which call is meant, and its session."""
        owner = self._owners.get(snapshot_id) if type(snapshot_id) is str else None
        if owner is not None:
            return snapshot_id, owner.session
        session = self._current_session()
        if snapshot_id is not None:
            owner = self._owners.get(as_text(snapshot_id))
            return as_text(snapshot_id), owner.session if owner else session
        last = self._scopes.current().last
        if last is not None:
            return last[1], last[0]
        return self._trace(session).last, session  # a thread without context: the session's last call

    def _remember(self, snapshot_id: str, session: str) -> None:
        self._owners[snapshot_id] = _Owner(session)  # one step: no other thread sees it half done
        if len(self._owners) > MAX_OWNERS:
            with self._lock:
                while len(self._owners) > MAX_OWNERS:
                    self._owners.popitem(last=False)

    def count_loss(self, reason: str) -> None:
        """Counts a record that could not be written; the first one is logged.

        Args:
            reason: Why, in words.
        """
        with self._lock:
            self._losses += 1
            first = self._losses == 1
        if first:
            try:
                _logger.warning("a record could not be written (%s); further losses are only counted", reason)
            except Exception:  # a handler of the host's logging: nothing of ours may reach the host
                return

    def _when_outside(self, function: Callable[[], None]) -> None:
        """Runs what a garbage collector calls: at once, or, where that interrupted the recorder itself, after it.

        Nothing may be recorded in the middle of a record, under a lock that this thread holds.
        """
        if get_ident() in self._depths:
            self._deferred.append(function)
        else:
            function()

    def _swallow(self, error: Exception) -> bool:
        """Counts a fault of an adapter as a loss; False: it has to be let through."""
        reason = self._error(error) or ""
        with self._recording() as trace:
            trace.lost(reason)
        self.count_loss(reason)
        return RAISE_VARIABLE not in os.environ

    def _enter(self) -> None:
        thread = get_ident()
        self._depths[thread] = self._depths.get(thread, 0) + 1

    def _leave(self) -> None:
        thread = get_ident()
        depth = self._depths.get(thread, 0) - 1
        if depth > 0:
            self._depths[thread] = depth
            return
        self._depths.pop(thread, None)
        while self._deferred:
            try:
                function = self._deferred.popleft()
            except IndexError:  # another thread was faster
                return
            function()

    def _caller(self) -> str | None:
        return find_caller() if self._with_caller else None

    def _clean(self, value: Any) -> Any:
        """A value of the user as JSON, redacted; one that JSON lacks becomes its source text."""
        if value is None:
            return None
        quick = value if type(value) is str else quick_key(value)
        touched = quick is None or (self._redact is not None and self._redact.touches(quick, ""))
        if quick is not None and not touched and (quick is value or is_plain(value)):
            return value if quick is value else load(quick)  # a copy: the user's may change
        plain = as_json(value)
        return plain if self._redact is None else as_json(self._redact.apply(plain).value)

    def _clean_read(self, value: Any) -> Any:
        """Likewise a value that was just read from JSON: it is nobody else's, so it need not be copied."""
        quick = quick_key(value)
        touched = quick is None or (self._redact is not None and self._redact.touches(quick, ""))
        return self._clean(value) if touched else value

    def _clean_text(self, value: Any) -> str | None:
        """A name or word of the user as text, redacted; None stays None."""
        return None if value is None else as_text(self._clean(as_text(value)))

    def _clean_turn(self, turn: Any) -> Turn:
        """A turn as the format holds it, redacted if it is a name."""
        turn = as_turn(turn)
        return self._clean_text(turn) if isinstance(turn, str) else turn

    def _clean_mapping(self, mapping: Mapping[str, Any]) -> dict[str, Any]:
        """An object of the user, redacted; value by value where a rule makes no object of the whole."""
        whole = self._clean(mapping)
        if isinstance(whole, dict):
            return whole
        items = copy_items(mapping if isinstance(mapping, dict) else dict(mapping))
        return {as_text(self._clean(key_text(name))): self._clean(value) for name, value in items}

    def _error(self, error: Any) -> str | None:
        if error is None:
            return None
        if isinstance(error, BaseException):
            error = f"{type(error).__name__}: {as_text(error)}"
        return as_text(self._clean(as_text(error)))


def as_text(value: Any) -> str:
    """Returns a value as text; never raises."""
    try:
        return str(value)
    except Exception:  # a broken __str__
        return safe_repr(value)


def as_json(value: Any) -> Any:
    """Returns a value as standard JSON; one that JSON lacks becomes its source text."""
    quick = quick_key(value)
    if quick is not None and is_plain(value):
        return load(quick)
    written = write_value(value)
    return load(written.source) if written.strict else written.source


def as_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Makes fields of a record what JSON can hold, whatever the user passed; returns them."""
    for name, value in fields.items():
        kind = type(value)
        if kind not in _SIMPLE and not (kind is int and -MAX_TURN <= value <= MAX_TURN):
            fields[name] = as_field(value)
    return fields


def as_field(value: Any) -> Any:
    """Returns a value as JSON can hold it: :func:`as_json`, faster for numbers."""
    kind = type(value)
    simple = kind in _SIMPLE or (kind is int and abs(value) <= MAX_TURN) or (kind is float and isfinite(value))
    return value if simple else as_json(value)


def as_list(value: Any) -> list[Any]:
    """Returns the items of a sequence or set; what is none of them, as text or an iterator, is the one item."""
    if isinstance(value, list | tuple):
        return copy_list(value)
    if isinstance(value, str | bytes | bytearray | memoryview) or not isinstance(value, Sequence | Set):
        return [value]
    try:
        return list(value)
    except Exception:  # a foreign method
        return [value]


def as_turn(turn: Any) -> Turn:
    """Returns a turn as the format holds it."""
    if type(turn) is int and abs(turn) <= MAX_TURN:
        return turn
    return turn if turn is None or type(turn) is str else as_text(turn)


_SIMPLE: Final = frozenset({str, bool, type(None)})
_cores: Final[weakref.WeakSet[Core]] = weakref.WeakSet()


def _after_fork() -> None:
    """In the child: a lock may be held by a thread that exists only in the parent."""
    for core in list(_cores):
        core._lock = _Lock(core)
        core._forks += 1
        core._depths = {thread: depth for thread, depth in core._depths.items() if thread == get_ident()}
        for trace in list(core._traces.values()):
            trace.renew_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
