"""Calls that do not end well: each leaves a record that says so, and the agent sees what it would have seen."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

CHAT = "/v1/chat/completions"
ASK = b'{"model":"gpt-4.1","messages":[{"role":"user","content":"q"}]}'


@pytest.fixture
def client(loopback: Any) -> Iterator[httpx2.Client]:
    """An agent's HTTP client."""
    with httpx2.Client(timeout=loopback.TIMEOUT) as client:
        yield client


def test_a_refused_call(proxy: Any, server: Any, client: httpx2.Client, loopback: Any) -> None:
    """Status and reason of the server reach the agent, and the record."""
    server.replies = [loopback.Reply({"error": {"message": "no 茶"}}, status=429, headers={"retry-after": "3"})]
    answer = client.post(proxy.url + CHAT, content=ASK)

    assert (answer.status_code, answer.json(), answer.headers["retry-after"]) == (
        429,
        {"error": {"message": "no 茶"}},
        "3",
    )
    (response,) = proxy.records("response")
    assert (response["status"], response["complete"]) == (429, False)
    assert json.loads(response["error"]) == {"error": {"message": "no 茶"}}


def test_nobody_listens(start: Callable[..., Any], client: httpx2.Client) -> None:
    """A server that is not there is a 502 that names it; the request is on disk."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        proxy = start(url)
        answer = client.post(f"{proxy.url}{CHAT}?key=secret", content=ASK)

    assert answer.status_code == 502
    assert f"no answer came from {url}{CHAT}: ConnectError" in answer.json()["error"]["message"]
    assert "secret" not in answer.text
    assert proxy.stored() == [ASK]
    (response,) = proxy.records("response")
    assert (response["status"], response["error"].split(":")[0]) == (None, "ConnectError")


@pytest.fixture
def self_signed(tmp_path: Path) -> Iterator[str]:
    """Address of a server whose certificate nobody vouches for."""
    if shutil.which("openssl") is None:
        pytest.skip("the program openssl is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            with suppress(OSError):  # the other side hangs up in the middle of the greeting
                context.wrap_socket(listening.accept()[0], server_side=True).close()

        thread = threading.Thread(target=refuse, daemon=True)
        thread.start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


def test_a_certificate_nobody_vouches_for(start: Callable[..., Any], client: httpx2.Client, self_signed: str) -> None:
    """A self-signed server is a 502 that says what is wrong with it; the request is on disk, the reason beside it."""
    proxy = start(self_signed)
    answer = client.post(proxy.url + CHAT, content=ASK)

    assert answer.status_code == 502
    said = answer.json()["error"]["message"]
    assert f"no answer came from {self_signed}{CHAT}: ConnectError" in said
    assert "certificate verify failed: self-signed certificate" in said.replace("self signed", "self-signed")
    assert proxy.stored() == [ASK]
    (response,) = proxy.records("response")
    assert (response["status"], response["complete"]) == (None, False)
    assert "certificate verify failed" in response["error"]


def test_the_server_hangs_up(proxy: Any, server: Any, client: httpx2.Client, loopback: Any) -> None:
    """A stream that is cut is cut for the agent too, and what came is kept."""
    server.replies = [loopback.stream(loopback.sse(*loopback.CHAT_EVENTS[:2]), cut=True)]
    with pytest.raises(httpx2.RemoteProtocolError):
        client.post(proxy.url + CHAT, content=ASK)

    (response,) = proxy.records("response")
    assert (response["status"], response["complete"]) == (200, False)
    assert response["error"].startswith("RemoteProtocolError")
    assert response["blobs"][0]["value"]["content"] == "hi"


def test_a_whole_answer_that_is_cut(proxy: Any, server: Any, client: httpx2.Client, loopback: Any) -> None:
    """So is one whose length was announced."""
    server.replies = [loopback.Reply(loopback.CHAT, cut=True)]
    with pytest.raises(httpx2.RemoteProtocolError):
        client.post(proxy.url + CHAT, content=ASK)

    assert proxy.records("response")[0]["complete"] is False


class Waiting:
    """A stream that ends its first part, and goes on when it is let."""

    def __init__(self, loopback: Any) -> None:
        self.go_on = threading.Event()
        self._chunks = loopback.sse(*loopback.CHAT_EVENTS, done=True)
        self._timeout = loopback.TIMEOUT

    def __iter__(self) -> Iterator[bytes]:
        yield self._chunks[0]
        self.go_on.wait(self._timeout)
        yield from self._chunks[1:]


def test_the_agent_gives_up_half_way(proxy: Any, server: Any, client: httpx2.Client, loopback: Any) -> None:
    """A stream the agent closes leaves what came until then."""
    waiting = Waiting(loopback)
    server.replies = [loopback.stream(waiting)]
    with client.stream("POST", proxy.url + CHAT, content=ASK) as answer:
        next(answer.iter_raw())
    wait_for(lambda: proxy.passed)
    waiting.go_on.set()

    (response,) = proxy.records("response")
    assert (response["complete"], response["error"]) == (False, "the stream was closed before its end")
    assert response["blobs"][0]["value"]["content"] == "h"


def test_the_agent_loses_patience(proxy: Any, server: Any, loopback: Any) -> None:
    """An agent that goes away before an answer begins leaves a call without one."""
    arrived, release = threading.Event(), threading.Event()

    def choose(_: Any) -> Any:
        arrived.set()
        release.wait(loopback.TIMEOUT)
        return loopback.Reply(loopback.CHAT)

    server.choose = choose
    with socket.create_connection(("127.0.0.1", proxy.server.port), loopback.TIMEOUT) as agent:
        head = f"POST {CHAT} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(ASK)}\r\n\r\n".encode()
        agent.sendall(head + ASK)
        assert arrived.wait(loopback.TIMEOUT)
    wait_for(lambda: proxy.passed)
    release.set()

    (response,) = proxy.records("response")
    assert (response["status"], response["error"].split(":")[0]) == (None, "AgentGoneError")
    assert proxy.stored() == [ASK]


def test_an_agent_that_ends_in_its_request(proxy: Any, server: Any, loopback: Any) -> None:
    """Half a request is no call: nothing is sent on, nothing is recorded, the next one is served."""
    with socket.create_connection(("127.0.0.1", proxy.server.port), loopback.TIMEOUT) as agent:
        agent.sendall(f"POST {CHAT} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 999\r\n\r\n{{".encode())
    answer = httpx2.post(proxy.url + CHAT, content=ASK, timeout=loopback.TIMEOUT)

    assert answer.status_code == 200
    assert server.bodies() == [ASK]
    assert len(proxy.records("snapshot")) == 1


def test_stopped_in_the_middle(
    proxy: Any, server: Any, client: httpx2.Client, loopback: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that is on its way when the proxy stops is recorded as given up."""
    monkeypatch.setattr("inspector.proxy.server.STOP_SECONDS", 0)
    waiting = Waiting(loopback)
    server.replies = [loopback.stream(waiting)]
    with client.stream("POST", proxy.url + CHAT, content=ASK) as answer:
        next(answer.iter_raw())
        (response,) = proxy.records("response")
    waiting.go_on.set()

    assert response["complete"] is False


@pytest.mark.parametrize("numbered", [True, False])
def test_retries_are_tries_of_one_call(
    numbered: bool, proxy: Any, server: Any, client: httpx2.Client, loopback: Any
) -> None:
    """Equal bytes after a failure are a further try, with or without the client's own count."""
    server.replies = [loopback.Reply({}, status=500), loopback.Reply({}, status=503), loopback.Reply(loopback.CHAT)]
    for n in range(3):
        client.post(proxy.url + CHAT, content=ASK, headers={"x-stainless-retry-count": str(n)} if numbered else {})

    assert len(proxy.records("snapshot")) == 1
    assert [(one["n"], one["status"]) for one in proxy.records("attempt")] == [(1, 500), (2, 503), (3, 200)]
    assert [one["complete"] for one in proxy.records("response")] == [False, False, True]
    assert [one.status for one in proxy.passed] == [500, 503, 200]
    assert proxy.journal.calls == 1


def test_the_same_question_twice(proxy: Any, client: httpx2.Client) -> None:
    """Equal bytes after an answer are a call of their own."""
    for _ in range(2):
        client.post(proxy.url + CHAT, content=ASK)

    assert len(proxy.records("snapshot")) == 2


def test_many_at_once(proxy: Any, server: Any, loopback: Any) -> None:
    """Calls that overlap are each recorded whole."""
    bodies = [json.dumps({"model": "m", "messages": [{"role": "user", "content": str(n)}]}).encode() for n in range(40)]

    def send(body: bytes) -> None:
        httpx2.post(proxy.url + CHAT, content=body, timeout=loopback.TIMEOUT)

    threads = [threading.Thread(target=send, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(server.bodies()) == sorted(bodies)
    assert sorted(proxy.stored()) == sorted(bodies)
    assert [one["complete"] for one in proxy.records("response")] == [True] * 40


def test_a_disk_that_fails(
    start: Callable[..., Any], server: Any, client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call goes through, and is counted as not recorded."""
    monkeypatch.delenv("SNAPSHOT_SDK_RAISE")
    proxy = start(server.url)
    proxy.directory.rmdir()
    proxy.directory.write_text("in the way")
    answer = client.post(proxy.url + CHAT, content=ASK)
    proxy.stop()

    assert (answer.status_code, server.bodies()) == (200, [ASK])
    assert (proxy.journal.calls, proxy.journal.unrecorded) == (0, 1)
    assert [(one.status, one.recorded) for one in proxy.passed] == [(200, False)]


def wait_for(condition: Callable[[], Any]) -> None:
    """Wait until something holds; what waits in vain fails."""
    pause = threading.Event()
    for _ in range(2_000):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("waited in vain")
