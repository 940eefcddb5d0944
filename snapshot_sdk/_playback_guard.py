"""Keeps a process from reaching other machines while answers are played back, whatever client it uses.

Two nets. The methods of sockets are replaced, because a name that they are given is looked up before anybody is asked.
Below them stands an audit hook: it sees every look-up and address, also of code that took the functions before, and of
threads and tasks that go on when the playback is over.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from ipaddress import ip_address
from typing import Any, Final

_LATE: Final = "was begun while answers were played back: nothing of it leaves the machine"
_begun_inside: ContextVar[bool] = ContextVar("begun while answers are played back", default=False)
"""Tasks keep the context in which they were made, and so this, when the playback is over."""


class _Guard:
    """What one process has to know: the playback that runs, and the threads that are left of earlier ones."""

    def __init__(self) -> None:
        self.refuse: Callable[[str], str] | None = None
        """Is told where something would have gone; None: nothing is played back."""
        self.late: set[threading.Thread] = set()
        """Threads of playbacks that are over."""
        self.before: set[threading.Thread] = set()
        """Threads that lived when the playback began."""
        self.hooked = False
        """The audit hook stands. It cannot be taken out: without a playback and late threads it does nothing."""

    def reason(self, where: str) -> str | None:
        """Why something does not leave; None: it may."""
        return self.refuse(where) if self.refuse is not None else self.late_reason(where)

    def late_reason(self, where: str) -> str | None:
        """Why what a playback has left does not reach something; None: this thread and task are none of those."""
        thread = self._late_thread()
        if thread is not None:
            return f"{where} is not reached: the thread {thread.name} {_LATE}"
        return f"{where} is not reached: the task {_LATE}" if _begun_inside.get() else None

    def left(self) -> set[threading.Thread]:
        """Threads that were begun in this playback or an earlier one, and live."""
        began = set(threading.enumerate()) - self.before - {threading.current_thread()}
        return {thread for thread in self.late | began if thread.is_alive()}

    def _late_thread(self) -> threading.Thread | None:
        if not self.late:
            return None
        own = threading.get_ident()  # alone it would not do: the number of a thread that has ended is given again
        return next((thread for thread in tuple(self.late) if thread.ident == own and thread.is_alive()), None)


_guard: Final = _Guard()


@contextmanager
def nothing_leaves(refuse: Callable[[str], str]) -> Iterator[None]:
    """Refuses connections, datagrams and look-ups of names and addresses that are not of this machine.

    It stands below the clients that answer from a recording, for those that know nothing of it. Servers on this
    machine and Unix sockets stay open. Threads and tasks that were begun inside and go on are refused for ever.

    Args:
        refuse: Is told where to; returns the reason.
    """
    if not _guard.hooked:
        sys.addaudithook(_audit)
        _guard.hooked = True
    inherited = {name: vars(socket.socket).get(name) for name in _METHODS}
    for name, place in _METHODS.items():
        setattr(socket.socket, name, _checked(getattr(socket.socket, name), place, names_only=name == "bind"))
    token = _begun_inside.set(True)
    _watch_starts(False)
    _guard.before, _guard.refuse = set(threading.enumerate()), refuse
    try:
        yield
    finally:
        _guard.late, _guard.refuse = _guard.left(), None
        _watch_starts(bool(_guard.late))
        _begun_inside.reset(token)
        for name, method in inherited.items():
            if method is None:
                delattr(socket.socket, name)
            else:
                setattr(socket.socket, name, method)


_start: Final = threading.Thread.start


@wraps(_start)
def _start_late(thread: threading.Thread) -> None:
    """What a late thread starts is late, too."""
    if _guard.late_reason("") is not None:
        _guard.late.add(thread)
    _start(thread)


def _watch_starts(wanted: bool) -> None:
    """Has threads started by another method while there are late ones, and by the library's own otherwise."""
    ours, now = (_start_late, _start) if wanted else (_start, _start_late)
    if threading.Thread.start is now:
        setattr(threading.Thread, "start", ours)  # noqa: B010 - an assignment to a method is none to mypy


def _last(given: tuple[Any, ...]) -> Any:
    return given[-1] if given else None


_METHODS: Final[dict[str, Callable[[tuple[Any, ...]], Any]]] = {
    "bind": _last,
    "connect": _last,
    "connect_ex": _last,
    "sendto": lambda given: given[-1] if len(given) > 1 else None,
    "sendmsg": lambda given: given[3] if len(given) > 3 else None,
}
"""Methods that take an address, which may be a name, and where it stands among what they are given. An address that a
socket is bound to is the machine's own; a name is looked up."""


def _checked(
    original: Callable[..., Any], place: Callable[[tuple[Any, ...]], Any], *, names_only: bool
) -> Callable[..., Any]:
    def method(own: socket.socket, *given: Any) -> Any:
        address = place(given)
        if not (names_only and _is_address(address)):
            _check_address(own, address)
        return original(own, *given)

    return method


def _audit(event: str, given: tuple[Any, ...]) -> None:
    """Is told by the interpreter of everything that is of interest to a guard; what it raises ends that."""
    check = _CHECKS.get(event)
    if check is not None and (_guard.refuse is not None or _guard.late or _begun_inside.get()):
        check(*given)


def _check_address(own: socket.socket, address: Any) -> None:
    if own.family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple) or len(address) < 2:
        return
    if _is_elsewhere(address[0]):
        reason = _guard.reason(f"{_text(address[0])}:{address[1]}")
        if reason is not None:
            raise ConnectionRefusedError(reason)


def _check_look_up(host: Any, port: Any = None, *_: Any) -> None:
    if _is_elsewhere(host):
        reason = _guard.reason(_text(host) if port is None else f"{_text(host)}:{port}")
        if reason is not None:
            raise socket.gaierror(socket.EAI_NONAME, reason)


def _check_address_look_up(address: Any, *_: Any) -> None:
    if isinstance(address, tuple) and address:
        _check_look_up(address[0])


_CHECKS: Final[dict[str, Callable[..., None]]] = {
    "socket.connect": _check_address,
    "socket.sendto": _check_address,
    "socket.sendmsg": _check_address,
    "socket.getaddrinfo": _check_look_up,
    "socket.gethostbyname": _check_look_up,
    "socket.gethostbyaddr": _check_look_up,
    "socket.getnameinfo": _check_address_look_up,
}
"""Audit events of ``socket``, as Python's table of them has it."""


def _is_elsewhere(host: Any) -> bool:
    return bool(host) and not is_loopback(_text(host))


def _is_address(address: Any) -> bool:
    """Whether the host of an address is one in figures, or none: nothing is looked up."""
    host = _text(address[0]) if isinstance(address, tuple) and address else ""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.inet_pton(family, host.partition("%")[0])
    except OSError:
        return not host
    return True


def _text(host: Any) -> str:
    return bytes(host).decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else str(host)


def is_loopback(host: str | None) -> bool:
    """Tells whether a host is this machine.

    Args:
        host: Name or address; None: none is named.
    """
    if host is None or host.rstrip(".").lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
