"""A model server on the loopback interface that keeps every body, and answers as told."""

from __future__ import annotations

import importlib.util
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, iter_records, read_requests, uninstall

TIMEOUT = 20.0
"""Seconds after which a test that hangs fails."""


@dataclass(frozen=True)
class Reply:
    """What the server answers."""

    body: Any = None
    """JSON value or bytes; None: see ``chunks``."""
    chunks: Iterable[bytes] = ()
    """Parts of a streamed answer; the iterator may wait."""
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """The connection ends in the middle."""


@dataclass(frozen=True)
class Received:
    """A request, as it came over the wire."""

    path: str
    headers: dict[str, str]
    body: bytes


class _ManyAtOnce(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True


class Server:
    """The server."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.replies: list[Reply] = []
        """Answers to come, in order; the last one stays."""
        self.choose: Callable[[Received], Reply] | None = None
        """Chooses an answer by request, in place of ``replies``."""
        self._server = _ManyAtOnce(("127.0.0.1", 0), self._handler())
        self._server.block_on_close = False
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def bodies(self) -> list[bytes]:
        """The bodies, in order of arrival."""
        return [one.body for one in self.received]

    def close(self) -> None:
        """Stops."""
        self._server.shutdown()
        self._server.server_close()

    def _reply(self, received: Received) -> Reply:
        if self.choose is not None:
            return self.choose(received)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = TIMEOUT

            def do_POST(self) -> None:
                received = Received(self.path, dict(self.headers), self._body())
                server.received.append(received)
                reply = server._reply(received)
                try:
                    self._send(reply)
                except OSError:  # the client went away: that is what some tests are about
                    self.close_connection = True

            do_GET = do_POST  # noqa: N815 - the base names it so

            def _body(self) -> bytes:
                if self.headers.get("transfer-encoding", "").lower() != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length") or 0))
                parts = []
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)

            def _send(self, reply: Reply) -> None:
                self.send_response(reply.status)
                self.send_header("content-type", reply.content_type)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if reply.body is not None:
                    data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                    self.send_header("content-length", str(len(data) + (9 if reply.cut else 0)))
                    self.end_headers()
                    self.wfile.write(data)
                else:
                    self.send_header("transfer-encoding", "chunked")
                    self.end_headers()
                    for chunk in reply.chunks:
                        self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                        self.wfile.flush()
                    if not reply.cut:
                        self.wfile.write(b"0\r\n\r\n")
                if reply.cut:
                    self.wfile.flush()
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base names it so
                """Says nothing."""

        return Handler


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that answers chat completions with ``hi``."""
    server = Server()
    server.replies = [Reply(CHAT)]
    yield server
    server.close()


@pytest.fixture(autouse=True)
def _faults_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder's own faults fail a test instead of being counted."""
    monkeypatch.setenv("SNAPSHOT_SDK_RAISE", "1")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it fetches its prices otherwise
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def swallowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in production: faults are counted."""
    monkeypatch.delenv("SNAPSHOT_SDK_RAISE")


def _load_drivers() -> Any:
    """Read ``drivers.py``: the tests are no package."""
    spec = importlib.util.spec_from_file_location("adapters_drivers", Path(__file__).with_name("drivers.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.DRIVERS


DRIVERS = _load_drivers()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test of ``driver`` every client by ``name``; if it asks, with each ``content``, ``streamed`` and not."""
    if "driver" not in metafunc.fixturenames:
        return
    asked = [one for one in ("name", "content", "streamed") if one in metafunc.fixturenames]
    cases: dict[tuple[Any, ...], str] = {}
    for name, driver in DRIVERS.items():
        for content in driver.contents:
            for streamed in (False, True) if driver.streams else (False,):
                words = {"name": name, "content": content, "streamed": "streamed" if streamed else "whole"}
                values = {"name": name, "content": content, "streamed": streamed}
                cases[tuple(values[one] for one in asked)] = "-".join(words[one] for one in asked)
    metafunc.parametrize(asked, list(cases), ids=list(cases.values()))


@pytest.fixture
def driver(name: str) -> Iterator[Any]:
    """One client; afterwards what LiteLLM's are recorded with is taken out: it stays in its classes otherwise."""
    driver = DRIVERS[name]
    pytest.importorskip(driver.package, reason=f"the client package {driver.package} is not installed")
    if "Bedrock" in name:
        pytest.importorskip("boto3", reason="AnthropicBedrock signs with boto3, which is not installed")
    if "Vertex" in name:
        pytest.importorskip("google.auth", reason="AnthropicVertex needs google-auth, which is not installed")
    yield driver
    uninstall()


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    """A recorder of the session ``s`` that removes nothing."""
    with Recorder(tmp_path / "traces", session="s", redact=()) as recorder:
        yield recorder


@pytest.fixture
def records(tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """The records of all files, of one type if given."""

    def read(kind: str | None = None) -> list[dict[str, Any]]:
        found = [record for path in sorted(tmp_path.rglob("*.jsonl")) for record in iter_records(path)]
        return [record for record in found if kind in (None, record["type"])]

    return read


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[], list[bytes]]:
    """The bodies of all snapshots, as stored."""

    def read() -> list[bytes]:
        return [one.request.body_bytes() for path in sorted(tmp_path.rglob("*.jsonl")) for one in read_requests(path)]

    return read


def sse(*events: Any, done: bool = False, named: bool = False) -> list[bytes]:
    """Events as server-sent events, one chunk each."""
    chunks = []
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        chunks.append(f"{name}data: {json.dumps(event)}\n\n".encode())
    return [*chunks, b"data: [DONE]\n\n"] if done else chunks


def stream(chunks: Iterable[bytes], **fields: Any) -> Reply:
    """A streamed answer."""
    return Reply(chunks=chunks, content_type="text/event-stream", **fields)


USAGE = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14, "prompt_tokens_details": {"cached_tokens": 4}}

CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-4.1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
    "usage": USAGE,
}


def chat_chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One event of a streamed chat completion."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": choices,
    } | fields


CHAT_EVENTS = [
    chat_chunk({"role": "assistant", "content": "h"}),
    chat_chunk({"content": "i"}),
    chat_chunk({}, "stop"),
    chat_chunk(usage=USAGE),
]

MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "hi"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 11, "output_tokens": 3, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 0},
}

MESSAGE_EVENTS: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {**MESSAGE, "content": [], "stop_reason": None, "usage": {**MESSAGE["usage"], "output_tokens": 1}},  # type: ignore[dict-item]
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "h"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "i"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
]

RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5",
    "status": "completed",
    "output": [
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "hi", "annotations": []}],
        }
    ],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "usage": {
        "input_tokens": 11,
        "output_tokens": 3,
        "total_tokens": 14,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 0},
    },
}

COMPACTED: dict[str, Any] = {
    "id": "resp_2",
    "object": "response.compaction",
    "created_at": 1,
    "output": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "compaction", "id": "cmp_2", "encrypted_content": "bmV3"},
    ],
    "usage": RESPONSE["usage"],
}

OLLAMA: dict[str, Any] = {
    "model": "qwen-x",
    "created_at": "2026-01-01T00:00:00Z",
    "message": {"role": "assistant", "content": "hi"},
    "done": True,
    "done_reason": "stop",
    "total_duration": 5,
    "prompt_eval_count": 11,
    "eval_count": 3,
}

OLLAMA_EVENTS: list[dict[str, Any]] = [
    {"model": "qwen-x", "created_at": "…", "message": {"role": "assistant", "content": "h"}, "done": False},
    {**OLLAMA, "message": {"role": "assistant", "content": "i"}},
]

GEMINI: dict[str, Any] = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 3, "totalTokenCount": 14},
    "modelVersion": "gemini-x",
    "responseId": "r1",
}

GEMINI_EVENTS: list[dict[str, Any]] = [
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "h"}]}, "index": 0}], "responseId": "r1"},
    {**GEMINI, "candidates": [{"content": {"role": "model", "parts": [{"text": "i"}]}, "finishReason": "STOP"}]},
]


@pytest.fixture
def loopback() -> Any:
    """The helpers and answers of this file: ``Reply``, ``stream``, ``sse``, ``CHAT`` …"""
    return sys.modules[__name__]
