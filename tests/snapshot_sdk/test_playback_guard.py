"""While answers are played back a process connects to nothing but itself."""

from __future__ import annotations

import asyncio
import socket
import urllib.error
import urllib.request
from typing import Any

import pytest

from snapshot_sdk._playback_calls import is_loopback
from snapshot_sdk._playback_guard import nothing_leaves


class Refusals(list[str]):
    """Keeps what was refused."""

    def __call__(self, address: str) -> str:
        self.append(address)
        return f"no {address}"


def test_names_are_not_looked_up() -> None:
    """A look-up would already tell a server which host is meant."""
    refused = Refusals()
    with nothing_leaves(refused), pytest.raises(urllib.error.URLError, match=r"no tools\.example\.com:80"):
        urllib.request.urlopen("http://tools.example.com/x", timeout=1)
    assert refused == ["tools.example.com:80"]


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_addresses_are_not_connected_to(method: str) -> None:
    """Both ways to connect are closed."""
    refused = Refusals()
    with (
        nothing_leaves(refused),
        socket.socket() as own,
        pytest.raises(ConnectionRefusedError, match=r"no 192\.0\.2\.1"),
    ):
        getattr(own, method)(("192.0.2.1", 443))
    assert refused == ["192.0.2.1:443"]


def test_an_event_loop_connects_to_nothing_either() -> None:
    """It uses the same sockets."""
    refused = Refusals()

    async def connect() -> None:
        await asyncio.open_connection("192.0.2.1", 443)

    with nothing_leaves(refused), pytest.raises(OSError, match=r"192\.0\.2\.1"):
        asyncio.run(connect())
    assert refused == ["192.0.2.1:443"]


def test_this_machine_stays_open() -> None:
    """A server here is reached by name and by address."""
    refused = Refusals()
    with socket.create_server(("127.0.0.1", 0)) as server, nothing_leaves(refused):
        for host in ("127.0.0.1", "localhost"):
            with socket.create_connection((host, server.getsockname()[1]), timeout=5):
                pass
    assert refused == []


def test_sockets_are_as_before() -> None:
    """Also after an error."""

    def state() -> list[Any]:
        return [dict(vars(socket.socket)), socket.getaddrinfo]

    before = state()

    def fail() -> None:
        with nothing_leaves(Refusals()):
            assert state() != before
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert state() == before


@pytest.mark.parametrize(
    ("host", "here"),
    [
        (None, True),
        ("localhost", True),
        ("LOCALHOST.", True),
        ("api.localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("fe80::1%lo", False),
        ("0.0.0.0", True),
        ("10.0.0.1", False),
        ("localhost.example.com", False),
        ("example.com", False),
    ],
)
def test_what_this_machine_is(host: str | None, here: bool) -> None:
    """Names and addresses that never leave it."""
    assert is_loopback(host) is here
