"""What passes through the proxy, as it came and as it left."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import zstandard

CHAT = "/v1/chat/completions"
ODD = {
    "go": b'{"model":"m","messages":[{"role":"user","content":"\\u003cb\\u003e \xe4\xbd\xa0 \\ud800"}],"n":1.0}',
    "php": b'{"model":"m","messages":[{"role":"user","content":"a\\/b \\u4f60"}]}',
    "by hand": b'{ "model":  "m", "messages" : [{"role":"user","content":"\\u4f60\xe4\xbd\xa0"}]\n}\n',
}
ASK = b'{"model":"gpt-4.1","messages":[{"role":"user","content":"q"}]}'


class Gate:
    """A stream whose second part is sent only when the reader has confirmed the first."""

    def __init__(self, chunks: list[bytes], timeout: float) -> None:
        self.open = threading.Event()
        self._chunks = chunks
        self._timeout = timeout

    def __iter__(self) -> Iterator[bytes]:
        yield self._chunks[0]
        if self.open.wait(self._timeout):
            yield from self._chunks[1:]


@pytest.fixture
def client(loopback: Any) -> Iterator[httpx2.Client]:
    """An agent's HTTP client."""
    with httpx2.Client(timeout=loopback.TIMEOUT) as client:
        yield client


@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
def test_the_body_is_the_same_three_times(body: bytes, proxy: Any, server: Any, client: httpx2.Client) -> None:
    """What the agent sent, what the server got and what is stored are equal byte for byte, whoever wrote the JSON."""
    answer = client.post(proxy.url + CHAT, content=body)

    assert (answer.status_code, answer.json()["id"]) == (200, "chatcmpl-1")
    assert server.bodies() == [body]
    assert proxy.stored() == [body]
    (snapshot,) = proxy.records("snapshot")
    assert (snapshot["exact"], snapshot["api"]) == ("bytes", "openai.chat")
    assert snapshot["endpoint"] == server.url + CHAT


def test_a_body_of_megabytes(proxy: Any, server: Any, client: httpx2.Client) -> None:
    """A long prompt passes whole."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "你 x" * 1_500_000}]}).encode()
    client.post(proxy.url + CHAT, content=body)

    assert server.bodies() == [body]
    assert proxy.stored() == [body]


def test_a_body_sent_in_chunks(proxy: Any, server: Any, client: httpx2.Client) -> None:
    """A body whose length was not announced is recorded and sent on whole."""
    client.post(proxy.url + CHAT, content=iter([ASK[:9], ASK[9:]]))

    assert server.bodies() == [ASK]
    assert proxy.stored() == [ASK]


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_compressed_request(coding: str, proxy: Any, server: Any, client: httpx2.Client) -> None:
    """It is sent on as it came, and stored as what it says."""
    packed = gzip.compress(ASK) if coding == "gzip" else zstandard.compress(ASK)
    client.post(proxy.url + CHAT, content=packed, headers={"content-encoding": coding})

    assert server.bodies() == [packed]
    assert server.received[0].headers["content-encoding"] == coding
    assert proxy.stored() == [ASK]


def test_a_request_nobody_can_decode(
    proxy: Any, server: Any, client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It passes, and is counted as not recorded."""
    monkeypatch.delenv("SNAPSHOT_SDK_RAISE")
    answer = client.post(proxy.url + CHAT, content=b"??", headers={"content-encoding": "secret"})

    assert (answer.status_code, server.bodies()) == (200, [b"??"])
    assert proxy.records("snapshot") == []
    assert proxy.journal.unrecorded == 1


def test_the_path_is_not_written_anew(proxy: Any, server: Any) -> None:
    """Percent-escapes, double slashes and the query reach the server as the agent wrote them."""
    target = "/v1//a%2Fb:c%3ad/../models?key=%20x&y=[1]|"
    connection = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=20)
    connection.request("GET", target)
    connection.getresponse().read()
    connection.close()

    assert [one.path for one in server.received] == [target]


def test_headers_pass_and_are_not_stored(proxy: Any, server: Any, client: httpx2.Client) -> None:
    """Keys reach the server; neither headers nor the query reach the disk; what is about one connection stays there."""
    headers = {
        "authorization": "Bearer sk-0123456789abcdef0123456789",
        "x-api-key": "k-4711",
        "te": "trailers",
        "connection": "keep-alive, x-private",
        "x-private": "1",
        "x-context-inspector-session": "s",
        "user-agent": "agent/1",
        "accept-encoding": "br, gzip;q=0.5",
    }
    client.post(proxy.url + CHAT + "?key=AIza-secret", content=ASK, headers=headers)
    proxy.stop()
    got = {name.lower(): value for name, value in server.received[0].headers.items()}

    assert (got["authorization"], got["x-api-key"]) == (headers["authorization"], "k-4711")
    assert (got["host"], got["user-agent"]) == (urlsplit(server.url).netloc, "agent/1")
    assert got["accept-encoding"] == "gzip;q=0.5"  # an answer in br could not be read for the record
    assert not got.keys() & {"te", "x-private", "x-context-inspector-session"}
    assert server.received[0].path == CHAT + "?key=AIza-secret"
    text = "".join(path.read_text() for path in proxy.directory.rglob("*.jsonl"))
    assert "0123456789abcdef" not in text
    assert not any(word in text for word in ("k-4711", "uthorization", "AIza"))


def test_headers_of_the_answer(proxy: Any, server: Any, client: httpx2.Client, loopback: Any) -> None:
    """The server's own headers reach the agent, those of the connection do not."""
    server.replies = [loopback.Reply(loopback.CHAT, headers={"x-request-id": "r1", "keep-alive": "timeout=1"})]
    answer = client.post(proxy.url + CHAT, content=ASK)

    assert answer.headers["x-request-id"] == "r1"
    assert answer.headers["server"].startswith("BaseHTTP")
    assert "keep-alive" not in answer.headers


def test_connections_are_kept(proxy: Any, server: Any) -> None:
    """One connection of the agent serves many requests."""
    connection = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=20)
    connection.connect()
    held = connection.sock
    for _ in range(3):
        connection.request("POST", CHAT, ASK)
        connection.getresponse().read()

    assert connection.sock is held
    assert len(server.bodies()) == 3
    connection.close()


def test_a_stream_is_not_delayed(proxy: Any, server: Any, client: httpx2.Client, loopback: Any) -> None:
    """The first part reaches the agent before the server sends the second."""
    chunks = loopback.sse(*loopback.CHAT_EVENTS, done=True)
    gate = Gate(chunks, loopback.TIMEOUT)
    server.replies = [loopback.stream(gate)]
    parts = []
    with client.stream("POST", proxy.url + CHAT, content=ASK) as answer:
        for part in answer.iter_raw():
            parts.append(part)
            gate.open.set()

    assert parts[0] == chunks[0]
    assert b"".join(parts) == b"".join(chunks)
    (response,) = proxy.records("response")
    assert (response["complete"], response["usage"], response["stop_reason"]) == (True, loopback.USAGE, "stop")
    assert response["blobs"][0]["value"]["content"] == "hi"


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_compressed_answer(coding: str, proxy: Any, server: Any, client: httpx2.Client, loopback: Any) -> None:
    """It reaches the agent compressed, and is stored as what it says."""
    data = json.dumps(loopback.CHAT).encode()
    packed = gzip.compress(data) if coding == "gzip" else zstandard.compress(data)
    server.replies = [loopback.Reply(packed, headers={"content-encoding": coding})]
    with client.stream("POST", proxy.url + CHAT, content=ASK) as answer:
        raw = b"".join(answer.iter_raw())

    assert (raw, answer.headers["content-encoding"]) == (packed, coding)
    assert proxy.records("response")[0]["blobs"][0]["value"]["content"] == "hi"


@pytest.mark.parametrize(
    "path", ["/v1/messages/count_tokens", "/v1/embeddings", "/v1/messages/batches", "/v1/files", "/v1/moderations"]
)
def test_what_is_no_call_passes_unrecorded(path: str, proxy: Any, server: Any, client: httpx2.Client) -> None:
    """Counting tokens, embeddings, batches and files pass as they are, and leave nothing."""
    answer = client.post(proxy.url + path, content=ASK, headers={"accept-encoding": "br"})

    assert (answer.status_code, server.bodies()) == (200, [ASK])
    assert server.received[0].headers["accept-encoding"] == "br"
    assert proxy.records() == []


def test_a_get_passes_unrecorded(proxy: Any, server: Any, client: httpx2.Client) -> None:
    """So does a request without a body."""
    assert client.get(f"{proxy.url}/v1/models").status_code == 200
    assert server.received[0].path == "/v1/models"
    assert "transfer-encoding" not in {name.lower() for name in server.received[0].headers}
    assert proxy.records() == []


def test_an_endpoint_the_user_names(start: Callable[..., Any], server: Any, client: httpx2.Client) -> None:
    """Whatever is posted to an address that was named is a call."""
    proxy = start(server.url, endpoints=(f"{server.url}/ask",))
    client.post(f"{proxy.url}/ask", content=b'{"q":1}')

    assert proxy.stored() == [b'{"q":1}']


def test_upstreams_by_prefix(start: Callable[..., Any], server: Any, client: httpx2.Client, loopback: Any) -> None:
    """The first part of the path chooses the server, and is not sent on."""
    other = loopback.Server()
    other.replies = [loopback.Reply(loopback.MESSAGE)]
    proxy = start(f"openai={server.url}/base", f"claude={other.url}")
    client.post(f"{proxy.url}/openai/v1/chat/completions", content=ASK)
    client.post(f"{proxy.url}/claude/v1/messages", content=ASK)
    nowhere = client.post(f"{proxy.url}/v1/messages", content=ASK)
    other.close()

    assert [one.path for one in server.received] == ["/base/v1/chat/completions"]
    assert [one.path for one in other.received] == ["/v1/messages"]
    assert nowhere.status_code == 404
    assert "/openai/, /claude/" in nowhere.json()["error"]["message"]
    assert [record["api"] for record in proxy.records("snapshot")] == ["openai.chat", "anthropic.messages"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:80"}, 421),
        ({"host": "evil.example@127.0.0.1"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"connection": "Upgrade", "upgrade": "websocket"}, 426),
    ],
)
def test_what_is_refused(headers: dict[str, str], status: int, proxy: Any, server: Any, client: httpx2.Client) -> None:
    """Foreign names (DNS rebinding), web pages and WebSockets are answered here, with the reason."""
    answer = client.post(proxy.url + CHAT, content=ASK, headers=headers)

    assert answer.status_code == status
    assert answer.json()["error"]["message"].startswith("context-inspector: this proxy ")
    assert server.received == []
    assert proxy.records() == []


@pytest.mark.parametrize(
    "target", ["@evil.example/v1/messages", ".evil.example/v1/messages", "http://evil.example/v1/messages"]
)
def test_a_target_that_is_no_path(target: str, proxy: Any, server: Any) -> None:
    """Nothing is appended to the upstream's name that would make it another server's."""
    with socket.create_connection((urlsplit(proxy.url).hostname, urlsplit(proxy.url).port)) as connection:
        connection.sendall(f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        assert b" 400 " in connection.recv(64)
    assert server.received == []
    assert proxy.records() == []


def test_a_page_of_this_machine(proxy: Any, client: httpx2.Client) -> None:
    """An agent with a page of its own, or in an editor, may ask."""
    for headers in (
        {"origin": "http://localhost:3000", "sec-fetch-site": "same-site"},
        {"origin": "vscode-webview://x"},
    ):
        assert client.post(proxy.url + CHAT, content=ASK, headers=headers).status_code == 200


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST:1", "127.0.0.1"])
def test_names_of_this_machine(name: str, proxy: Any, client: httpx2.Client) -> None:
    """The loopback interface may be called by its names."""
    assert client.post(proxy.url + CHAT, content=ASK, headers={"host": name}).status_code == 200
