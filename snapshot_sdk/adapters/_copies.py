"""Records the copies of a client too that are given an HTTP client of their own.

``with_options()`` and ``copy()`` of openai, anthropic and groq share the HTTP client, so that nothing is to be done,
unless they are told ``http_client=``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from snapshot_sdk.adapters._httpx import RECORDERS

if TYPE_CHECKING:
    from snapshot_sdk._recorder import Recorder

_PACKAGES: Final = frozenset({"openai", "anthropic", "groq"})
"""Packages whose clients can be copied: they are made by the same generator."""

_COPYING: Final = ("copy", "with_options")


def follow_copies(recorder: Recorder, client: Any, attach: Callable[[Any], None]) -> None:
    """Attaches what a client makes of itself; once per recorder.

    Args:
        recorder: Where to.
        client: Of any package.
        attach: Attaches a copy.
    """
    if _PACKAGES.isdisjoint(base.__module__.partition(".")[0] for base in type(client).__mro__):
        return
    for name in _COPYING:
        own = vars(client).get(name)
        recorders = getattr(own, RECORDERS, ())
        if recorder in recorders or not callable(getattr(type(client), name, None)):
            continue
        copying = _copying(own or getattr(client, name), recorder, attach)
        setattr(copying, RECORDERS, (recorder, *recorders))
        setattr(client, name, copying)


def _copying(copy: Callable[..., Any], recorder: Recorder, attach: Callable[[Any], None]) -> Callable[..., Any]:
    @wraps(copy)
    def copying(*args: Any, **kwargs: Any) -> Any:
        made = copy(*args, **kwargs)
        with recorder._guarded:
            attach(made)
        return made

    return copying
