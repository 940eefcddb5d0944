"""A model server on the loopback interface, a proxy before it, and what the proxy recorded."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from inspector.proxy import Journal, Passed, ProxyServer, Upstreams, parse_upstream
from snapshot_sdk import Recorder, iter_records, read_requests
from snapshot_sdk.gateway import Endpoints


def _loopback() -> Any:
    """The model server that the clients' adapters are tested against; the tests are no package."""
    path = Path(__file__).parents[2] / "snapshot_sdk" / "adapters" / "conftest.py"
    spec = importlib.util.spec_from_file_location("proxy_loopback", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there for the module of their class
    spec.loader.exec_module(module)
    return module


LOOPBACK = _loopback()


@pytest.fixture(scope="session")
def loopback() -> Any:
    """Answers and helpers: ``Reply``, ``stream``, ``sse``, ``CHAT`` …"""
    return LOOPBACK


@pytest.fixture
def server() -> Iterator[Any]:
    """A server that answers chat completions with ``hi``."""
    server = LOOPBACK.Server()
    server.replies = [LOOPBACK.Reply(LOOPBACK.CHAT)]
    yield server
    server.close()


@pytest.fixture(autouse=True)
def _faults_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder's own faults fail a test; no proxy of the machine stands between."""
    monkeypatch.setenv("SNAPSHOT_SDK_RAISE", "1")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@dataclass
class Proxy:
    """A proxy that runs on a thread of its own."""

    server: ProxyServer
    journal: Journal
    directory: Path
    passed: list[Passed] = field(default_factory=list)
    thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return self.server.url

    def stop(self) -> None:
        """Stop it, and wait until all is written."""
        self.server.stop()
        if self.thread is not None:
            self.thread.join(LOOPBACK.TIMEOUT)
            assert not self.thread.is_alive()

    def records(self, kind: str | None = None) -> list[dict[str, Any]]:
        """Stop it, and read the records of all files, of one type if given."""
        self.stop()
        found = [record for path in sorted(self.directory.rglob("*.jsonl")) for record in iter_records(path)]
        return [record for record in found if kind in (None, record["type"])]

    def stored(self) -> list[bytes]:
        """Stop it, and read the bodies of all calls."""
        self.stop()
        return [
            one.request.body_bytes() for path in sorted(self.directory.rglob("*.jsonl")) for one in read_requests(path)
        ]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Proxy]]:
    """Start a proxy before servers; the arguments are those of ``--upstream``."""
    started: list[Proxy] = []

    def begin(*upstreams: str, run: str | None = None, endpoints: tuple[str, ...] = ()) -> Proxy:
        directory = tmp_path / "traces"
        recorder = Recorder(directory, redact=(), caller=False)
        passed: list[Passed] = []
        journal = Journal(recorder, Endpoints(endpoints, any_host=True), otherwise="run", run=run, tell=passed.append)
        server = ProxyServer(Upstreams([parse_upstream(one) for one in upstreams]), journal)
        thread = threading.Thread(target=server.run, daemon=True)
        proxy = Proxy(server, journal, directory, passed, thread)
        thread.start()
        started.append(proxy)
        return proxy

    yield begin
    for proxy in started:
        proxy.stop()


@pytest.fixture
def proxy(start: Callable[..., Proxy], server: Any) -> Proxy:
    """A proxy before the server."""
    return start(server.url)
