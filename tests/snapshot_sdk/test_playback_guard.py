"""While answers are played back a process connects to nothing but itself."""

from __future__ import annotations

import _socket
import asyncio
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, Final

import pytest

from snapshot_sdk._playback_guard import is_loopback, nothing_leaves


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


def _datagram(send: Callable[[Any], Any]) -> Callable[[], Any]:
    def run() -> Any:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            return send(own)

    return run


def _beneath() -> None:
    own = _socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        own.sendto(b"x", ("192.0.2.1", 53))
    finally:
        own.close()


WAYS: Final[dict[str, tuple[Callable[[], Any], str]]] = {
    "getaddrinfo": (lambda: _socket.getaddrinfo("tools.example.com", 80), "tools.example.com:80"),
    "gethostbyname": (lambda: socket.gethostbyname("tools.example.com"), "tools.example.com"),
    "gethostbyname_ex": (lambda: socket.gethostbyname_ex("tools.example.com"), "tools.example.com"),
    "gethostbyaddr": (lambda: socket.gethostbyaddr("192.0.2.1"), "192.0.2.1"),
    "getnameinfo": (lambda: socket.getnameinfo(("192.0.2.1", 53), 0), "192.0.2.1"),
    "sendto": (_datagram(lambda own: own.sendto(b"x", ("192.0.2.1", 53))), "192.0.2.1:53"),
    "sendto with flags": (_datagram(lambda own: own.sendto(b"x", 0, ("192.0.2.1", 53))), "192.0.2.1:53"),
    "sendto a name": (_datagram(lambda own: own.sendto(b"x", ("tools.example.com", 53))), "tools.example.com:53"),
    "sendmsg": (_datagram(lambda own: own.sendmsg([b"x"], [], 0, ("192.0.2.1", 53))), "192.0.2.1:53"),
    "bind to a name": (_datagram(lambda own: own.bind(("tools.example.com", 0))), "tools.example.com:0"),
    "the module beneath": (_beneath, "192.0.2.1:53"),
}
"""What can leave without a connection, and what is told of it."""


@pytest.mark.parametrize("way", WAYS)
def test_nothing_leaves_without_a_connection_either(way: str) -> None:
    """Every look-up, forwards and backwards, and every datagram."""
    refused = Refusals()
    act, told = WAYS[way]
    with nothing_leaves(refused), pytest.raises(OSError, match="no "):
        act()
    assert refused == [told]


def test_datagrams_stay_on_this_machine() -> None:
    """A socket of this machine is bound, and sent to."""
    refused = Refusals()
    with (
        nothing_leaves(refused),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other,
    ):
        own.bind(("localhost", 0))
        other.sendto(b"x", own.getsockname())
        other.sendmsg([b"y"], [], 0, own.getsockname())
        assert {own.recv(9), own.recv(9)} == {b"x", b"y"}
    assert refused == []


def _error_of(act: Callable[[], Any]) -> str:
    try:
        act()
    except OSError as error:
        return str(error)
    return "nothing"


def test_a_thread_that_outlives_it_stays_refused() -> None:
    """So does a thread that such a thread starts; others are free."""
    over, said = threading.Event(), list[str]()

    def ask() -> None:
        said.append(_error_of(lambda: socket.gethostbyname("tools.example.com")))

    def outlive() -> None:
        over.wait(10)
        ask()
        inner = threading.Thread(target=ask, name="inner")
        inner.start()
        inner.join()

    with nothing_leaves(Refusals()):
        thread = threading.Thread(target=outlive, name="outer")
        thread.start()
    over.set()
    thread.join()
    reason = "was begun while answers were played back: nothing of it leaves the machine"
    assert [text.partition("the thread ")[2] for text in said] == [f"{name} {reason}" for name in ("outer", "inner")]
    assert "played back" not in _error_of(lambda: socket.gethostbyname("127.0.0.1"))


def test_a_task_that_outlives_it_stays_refused() -> None:
    """In an event loop that goes on no thread tells the two apart."""

    async def run() -> str:
        async def later() -> str:
            await asyncio.sleep(0)
            return _error_of(lambda: socket.gethostbyname("tools.example.com"))

        with nothing_leaves(Refusals()):
            task = asyncio.create_task(later())
        return await task

    assert "the task was begun while answers were played back" in asyncio.run(run())


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
        return [dict(vars(socket.socket)), socket.getaddrinfo, socket.gethostbyname]

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
