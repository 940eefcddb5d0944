"""Facts about signed questions, checked by AWS's own library from what a server received.

Not beside the other tests of probes, whose fixtures need the index: these run where the real clients are installed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from inspector.probes.replay_aws import AwsKeys
from inspector.probes.replay_client import ReplayClient
from inspector.probes.replay_request import ReplayRequest
from inspector.probes.replay_target import Address

pytest.importorskip("botocore", reason="the client package boto3 is not installed")

KEYS = AwsKeys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "eu-west-1", "AQoDYXdzEPT//wEXAMPLE==")
BODY = {"messages": [{"role": "user", "content": [{"text": "订单号是多少？ 👩‍👩‍👧"}]}]}
ARN = "arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2Feu.anthropic.claude-x"


class Received(NamedTuple):
    """What came over the wire."""

    path: str
    headers: dict[str, str]
    content: bytes


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[Received] = []


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.received.append(Received(self.path, headers, content))
        data = b'{"output": {"message": {"role": "assistant", "content": [{"text": "ok"}]}}, "stopReason": "end_turn"}'
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[_Server]:
    """A server that keeps what it is sent."""
    server = _Server()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def proof_of(received: Received) -> str:
    """The signature that AWS's library makes of a received request, for the headers that its sender signed."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    signed = received.headers["authorization"].split("SignedHeaders=")[1].split(",")[0].split(";")
    when = received.headers["x-amz-date"]
    auth = SigV4Auth(Credentials(KEYS.access, KEYS.secret, KEYS.token), "bedrock", KEYS.region)
    request = AWSRequest(
        method="POST",
        url=f"http://{received.headers['host']}{received.path}",
        data=received.content,
        headers={name: received.headers[name] for name in signed},
    )
    request.context["timestamp"] = when
    text = auth.string_to_sign(request, auth.canonical_request(request))
    return str(auth.signature(text, request))


@pytest.mark.parametrize(
    "path",
    [
        "/model/amazon.nova-pro-v1%3A0/converse",
        "/model/amazon.nova-pro-v1:0/converse",
        f"/model/{ARN}/converse",
        "/gateway/model/anthropic.claude-x/invoke?tenant=b&tenant=a&empty",
    ],
)
def test_the_signature_is_that_of_awss_own_library(path: str, server: _Server) -> None:
    """Of path, query, headers and body as they came over the wire: a colon, an ARN, Chinese."""
    address = Address(f"http://127.0.0.1:{server.server_address[1]}{path}", "bedrock.converse", own=True)
    with ReplayClient(KEYS, attempts=1) as client:
        reply = client.ask(ReplayRequest(address, BODY), threading.Event())
    (received,) = server.received

    assert reply.text == "ok"
    assert received.headers["authorization"].endswith(f"Signature={proof_of(received)}")


def test_a_signature_is_of_now(server: _Server) -> None:
    """A server refuses one of another day; a change of the body breaks it."""
    address = Address(f"http://127.0.0.1:{server.server_address[1]}/model/m/converse", "bedrock.converse", own=True)
    with ReplayClient(KEYS, attempts=1) as client:
        client.ask(ReplayRequest(address, BODY), threading.Event())
    (received,) = server.received
    when = datetime.strptime(received.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    altered = received._replace(content=received.content.replace(b"text", b"TEXT"))

    assert abs((datetime.now(UTC) - when).total_seconds()) < 300
    assert not received.headers["authorization"].endswith(proof_of(altered))
