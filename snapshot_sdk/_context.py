"""Which session, turn and lane the running code is in: context variables, one scope per recorder."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Turn = int | str | None


class Scope(NamedTuple):
    """What holds for the calls of one recorder in one context."""

    session: str | None = None
    """None: the recorder's own."""
    turn: Turn = None
    in_turn: bool = False
    """Inside ``turn()``: labels end with it."""
    lane: str | None = None
    """None: the default lane."""
    purpose: str | None = None
    last: tuple[str, str] | None = None
    """Session and id of the last snapshot taken in this context."""


_EMPTY: Final = Scope()
_numbers = itertools.count()

# One variable for all recorders: a ContextVar made per object is never freed.
_scopes: ContextVar[Mapping[int, Scope]] = ContextVar("snapshot_sdk_scopes")


class Scopes:
    """The scopes of one recorder."""

    def __init__(self) -> None:
        self._number = next(_numbers)

    def current(self) -> Scope:
        """The scope of the running context."""
        return _scopes.get({}).get(self._number, _EMPTY)

    def took(self, scope: Scope, session: str, snapshot: str) -> None:
        """Notes the snapshot taken last, for the rest of the running context.

        Args:
            scope: The scope of that context.
            session: Of the snapshot.
            snapshot: Its id.
        """
        _scopes.set({**_scopes.get({}), self._number: Scope(*scope[:-1], (session, snapshot))})

    def change(self, **fields: Any) -> None:
        """Changes fields of the scope for the rest of the running context."""
        _scopes.set({**_scopes.get({}), self._number: self.current()._replace(**fields)})

    @contextmanager
    def within(self, **fields: Any) -> Iterator[None]:
        """Changes fields for a block. Only they are restored: the last snapshot outlives the block."""
        before = self.current()
        self.change(**fields)
        try:
            yield
        finally:
            self.change(**{name: getattr(before, name) for name in fields})


def named_lane() -> tuple[str | None, str | None]:
    """Returns the lane and the purpose that the running code is in, whatever recorder it says so to; None: unsaid."""
    scopes = [scope for scope in _scopes.get({}).values() if scope.lane is not None or scope.purpose is not None]
    return (scopes[-1].lane, scopes[-1].purpose) if scopes else (None, None)


def carry(function: Callable[P, R]) -> Callable[P, R]:
    """Binds a function to the scopes of the caller, for executors and threads, which see none.

    Args:
        function: What will be run elsewhere, any number of times, also at once.
    """
    scopes = _scopes.get({})

    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        def call() -> R:
            _scopes.set(scopes)
            return function(*args, **kwargs)

        return copy_context().run(call)

    run.__name__ = getattr(function, "__name__", "run")
    run.__doc__ = function.__doc__
    run.__wrapped__ = function  # type: ignore[attr-defined]
    return run
