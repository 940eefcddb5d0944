"""Where requests are sent on to, and what cannot be an upstream."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest

from inspector.errors import CannotListenError, UpstreamError
from inspector.proxy import Journal, ProxyServer, Upstream, Upstreams, parse_upstream
from snapshot_sdk import Recorder
from snapshot_sdk.gateway import Endpoints


@pytest.mark.parametrize(
    ("text", "upstream"),
    [
        ("https://api.openai.com", Upstream(None, "https://api.openai.com")),
        ("https://api.openai.com/v1/", Upstream(None, "https://api.openai.com/v1")),
        ("my-llm=http://127.0.0.1:11434", Upstream("my-llm", "http://127.0.0.1:11434")),
        ("http://h/a=b", Upstream(None, "http://h/a=b")),
    ],
)
def test_what_is_one(text: str, upstream: Upstream) -> None:
    """A URL, with or without a name."""
    assert parse_upstream(text) == upstream


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no URL"),
        ("api.openai.com", "no URL"),
        ("ftp://h", "no URL"),
        ("https://", "no URL"),
        ("https://h:x", "Port"),
        ("http://[::1", "Invalid IPv6 URL"),
        ("http://h/a b", "no URL"),
        ("http://bücher.example", "no URL"),
        ("https://key:secret@h", "belong to the agent"),
        ("https://h/v1?key=1", "ends before"),
    ],
)
def test_what_is_none(text: str, reason: str) -> None:
    """Each is refused with the reason, before anything is started."""
    with pytest.raises(UpstreamError, match=reason) as raised:
        parse_upstream(text)

    assert raised.value.upstream == text


@pytest.mark.parametrize(
    ("target", "url"),
    [
        ("/v1/models", "https://main/base/v1/models"),
        ("/", "https://main/base/"),
        ("/claude/v1/messages?beta=true", "https://claude/v1/messages?beta=true"),
        ("/claude?x", "https://claude?x"),
        ("/claude2/v1", "https://main/base/claude2/v1"),
    ],
)
def test_where_a_request_goes(target: str, url: str) -> None:
    """The first part of the path is a name only as a whole; what no name stands for goes to the one without."""
    upstreams = Upstreams([parse_upstream("https://main/base"), parse_upstream("claude=https://claude")])

    assert upstreams.find(target) == url


def test_nowhere() -> None:
    """Without an upstream that has no name, other paths go nowhere."""
    assert Upstreams([parse_upstream("a=https://h")]).find("/v1/models") is None


@pytest.mark.parametrize("texts", [[], ["https://a", "https://b"], ["n=https://a", "n=https://b"]])
def test_sets_that_cannot_be(texts: list[str]) -> None:
    """None at all, or two that nothing tells apart."""
    with pytest.raises(UpstreamError):
        Upstreams([parse_upstream(one) for one in texts])


@pytest.fixture
def listen(tmp_path: Any) -> Callable[..., ProxyServer]:
    """Start to listen before an address."""

    def begin(url: str, port: int = 0) -> ProxyServer:
        journal = Journal(Recorder(tmp_path), Endpoints(any_host=True), otherwise="s")
        return ProxyServer(Upstreams([parse_upstream(url)]), journal, port)

    return begin


def test_a_port_that_is_taken(listen: Callable[..., ProxyServer], proxy: Any) -> None:
    """It is said, with the port."""
    with pytest.raises(CannotListenError, match=str(proxy.server.port)):
        listen("https://h", proxy.server.port)


def test_the_proxy_itself(listen: Callable[..., ProxyServer], proxy: Any) -> None:
    """A proxy before itself would never end."""
    port = proxy.server.port
    proxy.stop()
    with pytest.raises(UpstreamError, match="this proxy itself"):
        listen(f"http://localhost:{port}/v1", port)


def test_answers_do_not_wait_for_acknowledgements(proxy: Any) -> None:
    """Without the protocol's number asyncio leaves Nagle's algorithm on, which costs each answer 40 ms."""
    assert proxy.server._socket.proto == socket.IPPROTO_TCP


def test_only_the_loopback_interface(proxy: Any) -> None:
    """It listens on 127.0.0.1 and nowhere else."""
    assert proxy.server._socket.getsockname()[0] == "127.0.0.1"
