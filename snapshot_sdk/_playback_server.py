"""A server on the loopback interface that gives each answer once, for clients whose answers cannot be made by hand."""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Any, Final

from snapshot_sdk._playback_values import HttpAnswer

if TYPE_CHECKING:
    from http.server import ThreadingHTTPServer

_POLL: Final = 0.02
"""Seconds within which the server notices that it is to stop."""


class AnswerServer:
    """The server; it starts with the first answer."""

    def __init__(self) -> None:
        self._answers: dict[str, HttpAnswer] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    def put(self, answer: HttpAnswer) -> str:
        """Keeps an answer.

        Args:
            answer: The answer.

        Returns:
            Where it is to be fetched.
        """
        with self._lock:
            if self._server is None:
                self._server = _build(self._answers)
                serve, poll = self._server.serve_forever, {"poll_interval": _POLL}
                self._thread = threading.Thread(target=serve, kwargs=poll, daemon=True)
                self._thread.start()
            path = f"/{next(self._numbers)}"
            self._answers[path] = answer
            return f"http://127.0.0.1:{self._server.server_port}{path}"

    def close(self) -> None:
        """Stops the server, if it runs."""
        with self._lock:
            if self._server is not None:
                self._server.shutdown()
                self._server.server_close()
                self._server = None
            if self._thread is not None:
                self._thread.join()
                self._thread = None


def _build(answers: dict[str, HttpAnswer]) -> ThreadingHTTPServer:
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            answer = answers.pop(self.path)
            self.rfile.read(int(self.headers.get("content-length") or 0))
            self.send_response(answer.status)
            for name, value in answer.all_headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body)))
            self.send_header("connection", "close")
            self.end_headers()
            for chunk in answer.chunks:
                self.wfile.write(chunk)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base names it so
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    return server
