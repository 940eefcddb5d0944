"""Keeps a process from connecting to other machines while answers are played back, whatever client it uses."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from snapshot_sdk._playback_calls import is_loopback


@contextmanager
def nothing_leaves(refuse: Callable[[str], str]) -> Iterator[None]:
    """Refuses connections and look-ups of names that are not of this machine.

    It stands below the clients that answer from a recording, for those that know nothing of it. Servers on this
    machine and Unix sockets stay open.

    Args:
        refuse: Is told where to; returns the reason.
    """
    connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def check(own: socket.socket, address: Any) -> None:
        if own.family in (socket.AF_INET, socket.AF_INET6) and not is_loopback(str(address[0])):
            raise ConnectionRefusedError(refuse(f"{address[0]}:{address[1]}"))

    def checked_connect(own: socket.socket, address: Any) -> None:
        check(own, address)
        return connect(own, address)

    def checked_connect_ex(own: socket.socket, address: Any) -> int:
        check(own, address)
        return connect_ex(own, address)

    def checked_getaddrinfo(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        if name is not None and not is_loopback(str(name)):
            raise socket.gaierror(socket.EAI_NONAME, refuse(f"{name}:{port}"))
        return getaddrinfo(host, port, *args, **kwargs)

    patched = {"connect": checked_connect, "connect_ex": checked_connect_ex}
    inherited = {name: vars(socket.socket).get(name) for name in patched}
    for name, ours in patched.items():
        setattr(socket.socket, name, ours)
    socket.getaddrinfo = checked_getaddrinfo
    try:
        yield
    finally:
        for name, before in inherited.items():
            if before is None:
                delattr(socket.socket, name)
            else:
                setattr(socket.socket, name, before)
        socket.getaddrinfo = getaddrinfo
