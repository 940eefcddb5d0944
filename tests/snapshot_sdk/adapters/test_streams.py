"""Streams: nothing is delayed, and one that does not end well leaves a record that says so."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from snapshot_sdk import Recorder

openai = pytest.importorskip("openai", reason="the client package openai is not installed")

Records = Callable[..., list[dict[str, Any]]]

ASK: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "q"}]}


def _client(recorder: Recorder, server: Any, kind: str = "OpenAI", **given: Any) -> Any:
    options = {"api_key": "k", "base_url": f"{server.url}/v1", "max_retries": 0} | given
    return recorder.attach(getattr(openai, kind)(**options))


class _Gate:
    """A stream whose second part is sent only when the reader has confirmed the first."""

    def __init__(self, loopback: Any) -> None:
        self.open = threading.Event()
        self._chunks = loopback.sse(*loopback.CHAT_EVENTS, done=True)
        self._timeout = loopback.TIMEOUT

    def __iter__(self) -> Iterator[bytes]:
        yield self._chunks[0]
        if self.open.wait(self._timeout):
            yield from self._chunks[1:]


def test_reading_is_not_delayed(recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """The first part reaches the reader before the second is sent."""
    gate = _Gate(loopback)
    server.replies = [loopback.stream(gate)]
    parts = []
    with _client(recorder, server, timeout=loopback.TIMEOUT) as client:
        for chunk in client.chat.completions.create(stream=True, **ASK):
            parts.append(chunk)
            gate.open.set()
    assert len(parts) == 4
    assert records("response")[0]["complete"]


def test_reading_is_not_delayed_async(recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """The same, in an event loop."""
    gate = _Gate(loopback)
    server.replies = [loopback.stream(gate)]

    async def run() -> int:
        async with _client(recorder, server, "AsyncOpenAI", timeout=loopback.TIMEOUT) as client:
            count = 0
            async for _ in await client.chat.completions.create(stream=True, **ASK):
                count += 1
                gate.open.set()
            return count

    assert asyncio.run(run()) == 4
    assert records("response")[0]["complete"]


def test_the_request_is_on_disk_before_the_answer(
    recorder: Recorder, server: Any, loopback: Any, records: Records
) -> None:
    """When the server gets the request, the snapshot is written."""
    seen: list[int] = []

    def choose(received: Any) -> Any:
        seen.append(len(records("snapshot")))
        return loopback.Reply(loopback.CHAT)

    server.choose = choose
    with _client(recorder, server) as client:
        client.chat.completions.create(**ASK)
    assert seen == [1]


@pytest.mark.parametrize("how", ["close", "drop"])
def test_abandoned(how: str, recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """A stream that is given up half-way leaves what came, marked incomplete."""
    gate = _Gate(loopback)
    server.replies = [loopback.stream(gate)]
    with _client(recorder, server) as client:
        stream = client.chat.completions.create(stream=True, **ASK)
        next(iter(stream))
        if how == "close":
            stream.close()
        del stream
        gc.collect()
        gate.open.set()
    (response,) = records("response")
    assert (response["complete"], response["status"]) == (False, 200)
    assert response["error"] == "the stream was closed before its end"
    assert response["blobs"][0]["value"]["content"] == "h"


def test_closing_reaches_the_stream_within(recorder: Recorder, server: Any) -> None:
    """A reader that is closed closes the one inside at once, as those of httpx2 do.

    Left to the end of the loop, which closes all at once, asyncio reports an error for each stream that was given up.
    """
    module = pytest.importorskip("httpx2", reason="httpx2 is not installed")
    closed: list[str] = []

    class Parts(module.AsyncByteStream):  # type: ignore[misc, name-defined]
        async def __aiter__(self) -> Any:
            try:
                yield b"{"
                yield b"}"
            finally:
                closed.append("within")

    async def answer(request: Any) -> Any:
        return module.Response(200, stream=Parts())

    async def run() -> None:
        async with recorder.attach(module.AsyncClient(transport=module.MockTransport(answer))) as client:
            request = client.build_request("POST", f"{server.url}/v1/chat/completions", json=ASK)
            response = await client.send(request, stream=True)
            reader = aiter(response.stream)
            assert await anext(reader) == b"{"
            await reader.aclose()
            closed.append("reader")
            await response.aclose()

    asyncio.run(run())
    assert closed == ["within", "reader"]


def test_dropped_in_the_middle_of_a_record(
    recorder: Recorder, server: Any, loopback: Any, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream that is collected while the recorder itself is at work is recorded after that, not inside it."""
    from snapshot_sdk._encoder import Encoder

    gate = _Gate(loopback)
    server.replies = [loopback.stream(gate)]
    with _client(recorder, server) as client:
        held = [client.chat.completions.create(stream=True, **ASK)]
        encode = Encoder.snapshot

        def collecting(*args: Any, **kwargs: Any) -> Any:
            encoded = encode(*args, **kwargs)
            with recorder._lock:
                held.clear()
                gc.collect()
            return encoded

        monkeypatch.setattr(Encoder, "snapshot", collecting)
        recorder.snapshot({"by": "hand"})
        gate.open.set()
    assert [record["seq"] for record in records()] == list(range(len(records())))
    assert [record["type"] for record in records()] == ["header", "snapshot", "attempt", "snapshot", "response"]
    assert records("response")[0]["error"] == "the stream was closed before its end"


def test_cancelled(recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """A task that is cancelled while it reads leaves a record that says so."""
    gate = _Gate(loopback)
    server.replies = [loopback.stream(gate)]

    async def run() -> None:
        async with _client(recorder, server, "AsyncOpenAI", timeout=loopback.TIMEOUT) as client:
            first = asyncio.Event()

            async def read() -> None:
                async for _ in await client.chat.completions.create(stream=True, **ASK):
                    first.set()

            task = asyncio.create_task(read())
            await asyncio.wait_for(first.wait(), loopback.TIMEOUT)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            gate.open.set()

    asyncio.run(run())
    (response,) = records("response")
    assert not response["complete"]
    assert response["error"].startswith("CancelledError")


def test_cancelled_before_the_answer(recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """A call that is cancelled before anything came has an attempt and a response that say so."""
    arrived, release = threading.Event(), threading.Event()

    def choose(received: Any) -> Any:
        arrived.set()
        release.wait(loopback.TIMEOUT)
        return loopback.Reply(loopback.CHAT)

    server.choose = choose

    async def run() -> None:
        async with _client(recorder, server, "AsyncOpenAI") as client:
            task = asyncio.create_task(client.chat.completions.create(**ASK))
            await asyncio.to_thread(arrived.wait, loopback.TIMEOUT)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            release.set()

    asyncio.run(run())
    assert records("attempt")[0]["error"].startswith("CancelledError")
    assert (records("response")[0]["complete"], records("response")[0]["status"]) == (False, None)


def test_timed_out(recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """A call that times out is there, with the reason."""
    release = threading.Event()

    def choose(received: Any) -> Any:
        release.wait(loopback.TIMEOUT)
        return loopback.Reply(loopback.CHAT)

    server.choose = choose
    with _client(recorder, server, timeout=0.05) as client, pytest.raises(openai.APITimeoutError):
        client.chat.completions.create(**ASK)
    release.set()
    assert "ReadTimeout" in records("response")[0]["error"]
    assert len(records("snapshot")) == 1


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("status", [400, 401, 404, 500, 529])
def test_refused(status: int, streamed: bool, recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """A refused call is there, with the status and what the server said."""
    server.replies = [loopback.Reply({"error": {"message": "no 茶"}}, status=status)]
    with _client(recorder, server) as client, pytest.raises(openai.APIStatusError):
        client.chat.completions.create(stream=streamed, **ASK)
    (response,) = records("response")
    assert (response["status"], response["complete"]) == (status, False)
    assert json.loads(response["error"]) == {"error": {"message": "no 茶"}}
    assert records("attempt")[0]["error"] == f"HTTP {status}"


@pytest.mark.parametrize("streamed", [False, True])
def test_cut(streamed: bool, recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """An answer whose connection breaks is incomplete; of a stream, what came is kept."""
    whole = loopback.Reply(loopback.CHAT, cut=True)
    server.replies = [loopback.stream(loopback.sse(*loopback.CHAT_EVENTS[:2]), cut=True) if streamed else whole]
    with _client(recorder, server) as client:
        with pytest.raises(Exception, match=r"(closed|Connection error)") as raised:
            list(client.chat.completions.create(stream=streamed, **ASK))
        assert isinstance(raised.value, openai.APIError) or type(raised.value).__name__ == "RemoteProtocolError"
    (response,) = records("response")
    assert not response["complete"]
    assert "RemoteProtocolError" in response["error"]
    assert [blob["value"]["content"] for blob in response["blobs"]] == (["hi"] if streamed else [])


def test_nobody_listens(recorder: Recorder, server: Any, records: Records) -> None:
    """A call to a server that is not there is on disk, and the client's own error gets through."""
    server.close()
    with _client(recorder, server) as client, pytest.raises(openai.APIConnectionError):
        client.chat.completions.create(**ASK)
    assert "ConnectError" in records("attempt")[0]["error"]
    assert len(records("snapshot")) == 1


def test_error_inside_a_stream(recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """An error that the provider reports in the stream is in the record."""
    events = [loopback.CHAT_EVENTS[0], {"error": {"message": "overloaded", "type": "server_error"}}]
    server.replies = [loopback.stream(loopback.sse(*events))]
    with _client(recorder, server) as client, pytest.raises(openai.APIError):
        list(client.chat.completions.create(stream=True, **ASK))
    (response,) = records("response")
    assert not response["complete"]
    assert "overloaded" in response["error"]


@pytest.mark.parametrize("streamed", [False, True])
def test_compressed(streamed: bool, recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """A compressed answer is read as the client reads it."""
    packed = {"content-encoding": "gzip"}
    data = b"".join(loopback.sse(*loopback.CHAT_EVENTS, done=True)) if streamed else json.dumps(loopback.CHAT).encode()
    kind = "text/event-stream" if streamed else "application/json"
    server.replies = [loopback.Reply(gzip.compress(data), headers=packed, content_type=kind)]
    with _client(recorder, server) as client:
        answer = client.chat.completions.create(stream=streamed, **ASK)
        if streamed:
            list(answer)
    (response,) = records("response")
    assert (response["complete"], response["usage"]["prompt_tokens"]) == (True, 11)
    assert response["blobs"][0]["value"]["content"] == "hi"


def test_raw_and_streaming_responses(recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """``with_raw_response`` and ``with_streaming_response`` are recorded like any call."""
    with _client(recorder, server) as client:
        client.chat.completions.with_raw_response.create(**ASK)
        with client.chat.completions.with_streaming_response.create(**ASK) as answer:
            assert b"hi" in answer.read()
    assert [record["complete"] for record in records("response")] == [True, True]
