"""What recording costs a call of the real OpenAI client: nothing, ours, and OpenInference as the peer, in turn.

    python benchmarks/overhead.py [--calls 200] [--bytes 1000000] [--repeats 3]

A session grows call by call, over a server on the loopback interface in a process of its own. Every call is
made once by each way, in an order that changes, so that what disturbs one disturbs all. The added time is
what passes around what would have run anyway: around ``send`` of the HTTP client for ours, around ``request``
of the OpenAI client for the peer, so that the network's noise is in neither. Needs ``pip install -e
.[capture-tests]``.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from snapshot_sdk import Recorder, read_requests

WAYS: Final = ("nothing", "ours", "OpenInference")
SYSTEM: Final = "You are the support agent of a shop. Answer in the language of the customer. " * 25

_SERVER: Final = """
import http.server, json
ANSWER = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0,
  "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}],
  "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
"""


class Run(NamedTuple):
    """One way's calls of one repeat."""

    added: list[float]
    """Seconds, by call."""
    cpu: list[float]
    """Processor seconds of the calling thread, by call."""


class Clock:
    """Time inside a function and inside the one it calls: the difference is what the outer one added."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def around(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """Counts the time in a function: for ``outer`` it is added, for ``inner`` taken off."""
        sign = 1 if name == "outer" else -1

        def timed(*args: Any, **kwargs: Any) -> Any:
            wall, cpu = time.perf_counter(), time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.cpu += sign * (time.thread_time() - cpu)
                self.wall += sign * (time.perf_counter() - wall)

        return timed

    def added(self) -> tuple[float, float]:
        """Seconds and processor seconds added since the last look."""
        added, self.wall, self.cpu = (self.wall, self.cpu), 0.0, 0.0
        return added


class Kept(NamedTuple):
    """What a way left on disk."""

    size: int
    """Bytes."""
    share: float
    """Characters of the last prompt's texts that can be had back exactly."""
    messages: tuple[int, int]
    """Messages of the last prompt kept whole, of how many."""


def prompts(calls: int, size: int) -> Iterator[list[dict[str, Any]]]:
    """A session in ASCII: with every call the last answer and the next question are appended."""
    rng = random.Random(7)
    words = ["order", "refund", "address", "invoice", "parcel", "customer", "late", '"quoted"', "line\nbreak", "42"]
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    for _ in range(calls):
        for role in ("user", "assistant"):
            text = ""
            while len(text) < size / calls / 2:
                text += " ".join(rng.choices(words, k=20)) + f" {rng.randrange(10**12)} "
            messages.append({"role": role, "content": text})
        yield list(messages)


@contextmanager
def server() -> Iterator[str]:
    """A model server in a process of its own, and its address."""
    process = subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.terminate()
        process.wait()


def client(url: str) -> Any:
    import openai

    return openai.OpenAI(api_key="k", base_url=url, max_retries=0)


class Ours:
    """The recorder, attached, with all its defaults."""

    def __init__(self, url: str, directory: Path) -> None:
        self._directory = directory
        self._recorder = Recorder(directory, session="benchmark")
        self._client = client(url)
        self.clock = Clock()
        http = self._client._client
        http.send = self.clock.around(http.send, "inner")
        self._recorder.attach(self._client)
        http.send = self.clock.around(http.send, "outer")

    def call(self, messages: list[dict[str, Any]]) -> None:
        """Makes one call."""
        self._client.chat.completions.create(model="gpt-4.1", messages=messages)

    def close(self) -> None:
        """Ends the recording."""
        self._recorder.close()
        if self._recorder.losses:
            raise RuntimeError(f"{self._recorder.losses} records were lost")

    def kept(self, prompt: list[dict[str, Any]]) -> Kept:
        """Looks at what is on disk."""
        files = list(self._directory.rglob("*.jsonl"))
        last: list[dict[str, Any]] = []
        for path in files:
            for found in read_requests(path):
                last = found.request.body()["messages"]
        return Kept(sum(path.stat().st_size for path in files), *_survived(prompt, last))


class Nothing:
    """The client alone."""

    def __init__(self, url: str, directory: Path) -> None:
        self._client = client(url)
        self.clock = Clock()

    def call(self, messages: list[dict[str, Any]]) -> None:
        """Makes one call."""
        self._client.chat.completions.create(model="gpt-4.1", messages=messages)

    def close(self) -> None:
        """Nothing is open."""

    def kept(self, prompt: list[dict[str, Any]]) -> Kept:
        """Looks at what is on disk."""
        return Kept(0, *_survived(prompt, []))


class Peer:
    """OpenInference's instrumentation at its defaults; spans are written as they end, one JSON text a line."""

    def __init__(self, url: str, directory: Path) -> None:
        from openinference.instrumentation.openai import OpenAIInstrumentor
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

        directory.mkdir(parents=True)
        self._path = directory / "spans.jsonl"
        self._file = self._path.open("w", encoding="utf-8")
        self._provider = TracerProvider()
        exporter = ConsoleSpanExporter(out=self._file, formatter=lambda span: span.to_json(indent=None) + "\n")
        self._provider.add_span_processor(SimpleSpanProcessor(exporter))
        self._instrumentor = OpenAIInstrumentor()
        self._client = client(url)
        self.clock = Clock()
        # Of dropped attributes OpenTelemetry warns once per attribute: printing that is not counted.
        logging.getLogger("opentelemetry").setLevel(logging.ERROR)

    @contextmanager
    def switched_on(self) -> Iterator[None]:
        """It changes the client's class: on only while this way is measured."""
        import openai

        base = openai.OpenAI.__mro__[1]
        original = base.request
        base.request = self.clock.around(original, "inner")
        self._instrumentor.instrument(tracer_provider=self._provider)
        wrapped = openai.OpenAI.request
        openai.OpenAI.request = lambda one, *args, **kwargs: self.clock.around(wrapped.__get__(one), "outer")(
            *args, **kwargs
        )
        try:
            yield
        finally:
            self._instrumentor.uninstrument()
            del openai.OpenAI.request  # it leaves the method of the base there
            base.request = original

    def call(self, messages: list[dict[str, Any]]) -> None:
        """Makes one call."""
        self._client.chat.completions.create(model="gpt-4.1", messages=messages)

    def close(self) -> None:
        """Ends the recording."""
        self._provider.shutdown()
        self._file.close()

    def kept(self, prompt: list[dict[str, Any]]) -> Kept:
        """Looks at what is on disk."""
        last = self._path.read_text(encoding="utf-8").splitlines()[-1]
        attributes = json.loads(last)["attributes"]
        found = []
        for number in range(len(prompt)):
            name = f"llm.input_messages.{number}.message"
            found.append({"role": attributes.get(f"{name}.role"), "content": attributes.get(f"{name}.content")})
        # The whole request also stands in one attribute, if that was not dropped.
        whole = attributes.get("input.value")
        if isinstance(whole, str):
            found = json.loads(whole).get("messages", found)
        return Kept(self._path.stat().st_size, *_survived(prompt, found))


def _survived(prompt: list[dict[str, Any]], found: list[dict[str, Any]]) -> tuple[float, tuple[int, int]]:
    """The share of the characters, and the messages, that are back in their place."""
    found = found + [{}] * (len(prompt) - len(found))
    same = [one for one, other in zip(prompt, found, strict=False) if one == other]
    share = sum(len(one["content"]) for one in same) / sum(len(one["content"]) for one in prompt)
    return share, (len(same), len(prompt))


def timed(way: Any, messages: list[dict[str, Any]], run: Run) -> None:
    """Makes one call and notes what it took."""
    way.call(messages)
    added, cpu = way.clock.added()
    run.added.append(added)
    run.cpu.append(cpu)


def measure(calls: int, size: int, folder: Path) -> tuple[dict[str, Run], dict[str, Kept], list[tuple[float, float]]]:
    """One repeat: all calls by all ways, and compact ``json.dumps`` of the same bodies."""
    runs = {name: Run([], []) for name in WAYS}
    dumps: list[tuple[float, float]] = []
    order = list(WAYS)
    rng = random.Random(calls)
    with server() as url:
        kinds: dict[str, Callable[[str, Path], Any]] = {"nothing": Nothing, "ours": Ours, "OpenInference": Peer}
        ways = {name: kinds[name](url, folder / name) for name in WAYS}
        for messages in prompts(calls, size):
            rng.shuffle(order)
            for name in order:
                if name == "OpenInference":
                    with ways[name].switched_on():
                        timed(ways[name], messages, runs[name])
                else:
                    timed(ways[name], messages, runs[name])
            clock = Clock()
            clock.around(json.dumps, "outer")(
                {"messages": messages, "model": "gpt-4.1"}, ensure_ascii=False, separators=(",", ":")
            )
            dumps.append(clock.added())
        for way in ways.values():
            way.close()
    return runs, {name: way.kept(messages) for name, way in ways.items()}, dumps


def memory(way: str, calls: int, size: int) -> float:
    """Peak resident memory of a process that makes the calls one way, MB."""
    done = subprocess.run(
        [sys.executable, __file__, "--calls", str(calls), "--bytes", str(size), "--alone", way],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return float(done.stdout)


def alone(way: str, calls: int, size: int) -> None:
    """What :func:`memory` runs."""
    kinds: dict[str, Callable[[str, Path], Any]] = {"nothing": Nothing, "ours": Ours, "OpenInference": Peer}
    with server() as url, tempfile.TemporaryDirectory() as folder:
        one = kinds[way](url, Path(folder) / "kept")
        if way == "OpenInference":
            one._instrumentor.instrument(tracer_provider=one._provider)
        for messages in prompts(calls, size):
            one.call(messages)
        one.close()
    # Not getrusage: on Linux a process inherits that peak from the one that started it.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    print(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024)


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--bytes", type=int, default=1_000_000, help="size of the last body")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--alone", choices=WAYS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone:
        alone(arguments.alone, arguments.calls, arguments.bytes)
        return
    added: dict[str, list[float]] = {name: [] for name in WAYS}
    cpu: dict[str, list[float]] = {name: [] for name in WAYS}
    early: dict[str, list[float]] = {name: [] for name in WAYS}
    dumps: list[tuple[float, float]] = []
    kept: dict[str, Kept] = {}
    tenth = max(1, arguments.calls // 10)
    for _ in range(arguments.repeats):
        gc.collect()
        with tempfile.TemporaryDirectory() as folder:
            runs, kept, written = measure(arguments.calls, arguments.bytes, Path(folder))
        dumps += written[-tenth:]
        for name, run in runs.items():
            added[name] += run.added[-tenth:]
            early[name] += run.added[:tenth]
            cpu[name] += run.cpu[-tenth:]
    per_dumps, cpu_dumps = (statistics.median(times) for times in zip(*dumps, strict=True))
    peak = {name: memory(name, arguments.calls, arguments.bytes) for name in WAYS}
    print(
        f"{arguments.calls} calls growing to {arguments.bytes:,} bytes, {arguments.repeats} runs, Python"
        f" {sys.version.split()[0]}. Times are of the last tenth of the calls, where compact `json.dumps` of the same"
        f" body takes {per_dumps * 1e3:.2f} ms, {cpu_dumps * 1e3:.2f} ms of them on the processor.\n"
    )
    heads = (
        "recording",
        "added p50, ms",
        "p99, ms",
        "p50 / `json.dumps`",
        "CPU p50, ms",
        "CPU / `json.dumps`",
        "first tenth p50, ms",
    )
    heads += ("peak memory, MB", "kept, MB", "prompt that survives exactly", "messages")
    print(f"| {' | '.join(heads)} |\n|---{'|---:' * (len(heads) - 1)}|")
    for name in WAYS[1:]:
        middle = statistics.median(added[name])
        cells = (
            name,
            f"{middle * 1e3:.2f}",
            f"{percentile(added[name], 0.99) * 1e3:.2f}",
            f"{middle / per_dumps:.2f}",
            f"{statistics.median(cpu[name]) * 1e3:.2f}",
            f"{statistics.median(cpu[name]) / cpu_dumps:.2f}",
            f"{statistics.median(early[name]) * 1e3:.2f}",
            f"{peak[name] - peak['nothing']:+.0f}",
            f"{kept[name].size / 1e6:.1f}",
            f"{kept[name].share:.1%}",
            f"{kept[name].messages[0]} of {kept[name].messages[1]}",
        )
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
