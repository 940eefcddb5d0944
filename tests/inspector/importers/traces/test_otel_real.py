"""Spans that real instrumentations of a real client wrote, against what the client really sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from inspector.importers import import_paths

trace = pytest.importorskip("opentelemetry.sdk.trace", reason="the package opentelemetry-sdk is not installed")
export = pytest.importorskip("opentelemetry.sdk.trace.export", reason="the package opentelemetry-sdk is not installed")
openai = pytest.importorskip("openai", reason="the package openai is not installed")

Requests = Callable[[Path], list[tuple[dict[str, Any], Any]]]

ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-4.1-2025-04-14",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "晴"}, "finish_reason": "stop"}],
    "usage": {
        "prompt_tokens": 120,
        "completion_tokens": 9,
        "total_tokens": 129,
        "prompt_tokens_details": {"cached_tokens": 64},
    },
}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]
# Compact, as models write arguments: a span keeps the object, and its text is put together again like that.
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"北京"}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "只用中文"},
    {"role": "user", "content": "北京天气?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "晴 25"},
    {"role": "user", "content": "谢谢"},
]


class Server:
    """Answers every request alike, and keeps the bodies."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                data = json.dumps(ANSWER).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                """Stay silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    """A model server."""
    server = Server()
    yield server
    server.close()


@contextmanager
def traced(module: str, path: Path) -> Iterator[None]:
    """Write the spans of an instrumentation of OpenAI's client to a file, as its console exporter does."""
    package = pytest.importorskip(module, reason=f"the package of {module} is not installed")
    provider = trace.TracerProvider(shutdown_on_exit=False)
    instrumentor = package.OpenAIInstrumentor()
    with path.open("w", encoding="utf-8") as file:
        provider.add_span_processor(export.SimpleSpanProcessor(export.ConsoleSpanExporter(out=file)))
        instrumentor.instrument(tracer_provider=provider)
        try:
            yield
        finally:
            instrumentor.uninstrument()
            provider.shutdown()


def ask(server: Server, messages: list[dict[str, Any]], **more: Any) -> None:
    """Send one request."""
    with openai.OpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
        client.chat.completions.create(model="gpt-4.1", messages=messages, **more)


def test_openinference(server: Server, tmp_path: Path, requests_in: Requests) -> None:
    """OpenInference keeps the body: the import is what went over the wire, and says that it is whole."""
    with traced("openinference.instrumentation.openai", tmp_path / "spans.json"):
        ask(server, MESSAGES, tools=TOOLS, temperature=0.2)

    summary = import_paths([tmp_path / "spans.json"], tmp_path / "traces")

    [(record, body)] = requests_in(tmp_path / "traces")
    assert body == server.bodies[0]
    assert (record["exact"], summary.problems) == ("imported", ())


def test_openinference_beyond_the_limit(server: Server, tmp_path: Path, requests_in: Requests) -> None:
    """With more than 128 attributes the body and the first messages are gone: what is left is the end, and says so."""
    messages = [*MESSAGES, *({"role": "user", "content": f"q{n}"} for n in range(100))]
    with traced("openinference.instrumentation.openai", tmp_path / "spans.json"):
        ask(server, messages)

    summary = import_paths([tmp_path / "spans.json"], tmp_path / "traces")

    [(record, body)] = requests_in(tmp_path / "traces")
    assert body["messages"] == messages[-len(body["messages"]) :]
    assert 0 < len(body["messages"]) < len(messages)
    assert (record["exact"], "earlier messages" in record["missing"]) == ("rebuilt", True)
    assert any(problem.lost for problem in summary.problems)


def test_semantic_conventions(
    server: Server, tmp_path: Path, requests_in: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenTelemetry's own instrumentation keeps the messages: put together again they are those that were sent."""
    name = "opentelemetry.instrumentation.openai_v2"
    pytest.importorskip(name, reason=f"the package of {name} is not installed")
    monkeypatch.setenv("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental")
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
    # The choice of conventions is made once a process, by whoever instruments first.
    stability = "opentelemetry.instrumentation._semconv._OpenTelemetrySemanticConventionStability._initialized"
    monkeypatch.setattr(stability, False)
    with traced(name, tmp_path / "spans.json"):
        ask(server, MESSAGES, temperature=0.2)

    import_paths([tmp_path / "spans.json"], tmp_path / "traces")

    [(record, body)] = requests_in(tmp_path / "traces")
    assert body == server.bodies[0]
    assert (record["exact"], record["missing"]) == ("rebuilt", ["tools", "parameters"])
