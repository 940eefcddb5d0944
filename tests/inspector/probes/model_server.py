"""A small "model" behind a real HTTP server: it answers only from the request it gets, in seven dialects.

It reads: the sentence of the context that shares most words with the question is its answer; asked for rules it lists
the sentences that look like some. Nothing of a test's expectation reaches it. It can forget by position, seeded, and
it can be busy, broken or slow. Given tools that it may call, it calls one instead of answering.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_SPEC = importlib.util.spec_from_file_location("probe_model_dialects", Path(__file__).with_name("model_dialects.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
DIALECTS = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(DIALECTS)

SENTENCE = re.compile(r"[^。！？!?\n]+?(?:[。！？!?\n]+|\.(?=\s|$)|$)")
WORD = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*|[㐀-鿿]")
FILLERS = frozenset(
    ["the", "a", "an", "is", "was", "of", "to", "in", "it", "what", "which", "and", "for", "are", "be", "on", "at"]
) | frozenset("是的什么多少了在吗呢哪前面说过这句话里")
RULES = re.compile(
    r"必须|不要|只用|只能|不得|一律|不超过|(?<![a-z])(?:must|never|do not|don't|only|at most|more than)", re.I
)
ASKS_GRADE = re.compile(r"\[expected\]\n(.*?)\n\[/expected\].*?\[answer\]\n(.*?)\n\[/answer\].*GRADE: C", re.S)
ASKS_RULES = re.compile(r"要求和限制|rules and limits", re.I)


@dataclass(frozen=True)
class Failure:
    """What the server does instead of answering."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: str = '{"error": {"message": "busy"}}'


@dataclass
class Model:
    """How the model reads, and what goes wrong; tests change it."""

    forgets: float = 0.0
    """Share of the sentences in the middle of the context that it does not recall."""
    seed: int = 0
    guess: str | None = None
    """Said where it finds nothing; None: it says that it does not know."""
    failures: list[Failure] = field(default_factory=list)
    """For the next requests, in order."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies, in order of arrival."""
    contents: list[bytes] = field(default_factory=list)
    """The same, as they came over the wire."""
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    hold: threading.Event | None = None
    """While it is not set, no request is answered."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    flying: int = 0
    most_flying: int = 0

    def answer(self, texts: list[str]) -> str:
        """Answer the last text from the others.

        Args:
            texts: Of the prompt, in order; the last is the question.
        """
        *context, question = texts
        lines = question.split("\n")
        question = "\n".join(one for one in lines if not any(words in one for words in DIALECTS.IN_WORDS))
        if graded := ASKS_GRADE.search(question):
            expected, said = (words(one) - FILLERS for one in graded.groups())
            return f"It says {'all' if expected <= said else 'not all'}.\nGRADE: {'C' if expected <= said else 'I'}"
        before, _, asked = question.rpartition("\n\n")
        sentences = [one for text in [*context, before] for one in split(text)]
        known = [one for at, one in enumerate(sentences) if not self._forgotten(at, sentences)]
        if ASKS_RULES.search(asked):
            return " ".join(one for one in known if RULES.search(one)) or self._unknown(asked)
        wanted = words(asked) - FILLERS
        best, score = "", 0.0
        for one in known:
            shared = len(wanted & words(one)) / max(1, len(wanted))
            if shared and shared >= score:  # of two alike the later one
                best, score = one, shared
        return best if score >= 0.5 else self._unknown(asked)

    def _forgotten(self, at: int, sentences: list[str]) -> bool:
        if not self.forgets or not 0.1 < at / max(1, len(sentences)) < 0.9:
            return False
        digest = hashlib.sha256(f"{self.seed}:{sentences[at]}:{len(sentences)}".encode()).digest()
        return digest[0] / 256 < self.forgets

    def _unknown(self, question: str) -> str:
        if self.guess is not None:
            return self.guess
        return "我不知道。" if re.search("[㐀-鿿]", question) else "I do not know."


def words(text: str) -> set[str]:
    """Words of a text; each Chinese character is one."""
    return set(WORD.findall(text.lower()))


def split(text: str) -> list[str]:
    """Sentences of a text."""
    return [one[0].strip() for one in SENTENCE.finditer(text) if one[0].strip()]


class Server(ThreadingHTTPServer):
    """The server; ``model`` is what it answers with."""

    daemon_threads = True
    model: Model

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        model = self.server.model
        content = self.rfile.read(int(self.headers["content-length"]))
        body = json.loads(content)
        path = self.path.split("?")[0]
        with model.lock:
            model.requests.append(body)
            model.contents.append(content)
            model.headers.append({name.lower(): value for name, value in self.headers.items()})
            model.paths.append(self.path)
            model.flying += 1
            model.most_flying = max(model.most_flying, model.flying)
            failure = model.failures.pop(0) if model.failures else None
        try:
            if model.hold is not None:
                model.hold.wait(20)
            if failure is not None:
                self._send(failure.status, failure.body.encode(), "application/json", failure.headers)
                return
            refused = DIALECTS.refusal(path, body)
            if refused is not None:
                self._send(400, json.dumps({"message": refused}).encode(), "application/json", {})
                return
            texts = DIALECTS.prompt_of(path, body)
            text, size = model.answer(texts), sum(map(len, texts)) // 4
            if body.get("stream") or "stream" in path:
                kind = DIALECTS.AWS_EVENTS if path.startswith("/model/") else "text/event-stream"
                self._send(200, DIALECTS.stream_of(path, text, size), kind, {})
            else:
                calls = DIALECTS.may_call(path, body)
                data = json.dumps(DIALECTS.answer_body(path, text, size, calls=calls)).encode()
                self._send(200, data, "application/json", {})
        finally:
            with model.lock:
                model.flying -= 1

    def _send(self, status: int, data: bytes, kind: str, headers: dict[str, str]) -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", headers.get("content-type", kind))
            self.send_header("content-length", str(len(data)))
            for name, value in headers.items():
                if name != "content-type":
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # who asked is gone

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Says nothing."""


def serve() -> Server:
    """Start a server on a free port of the loopback interface."""
    server = Server(("127.0.0.1", 0), _Handler)
    server.model = Model()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return server
