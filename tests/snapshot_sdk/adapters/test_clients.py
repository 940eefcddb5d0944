"""Every client, endpoint and kind of content: the stored body is what a server received, byte for byte."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snapshot_sdk import Recorder


def _amazon(events: list[dict[str, Any]]) -> list[bytes]:
    """Events in the framing of AWS; nobody checks the checksums but botocore."""
    import binascii

    chunks = []
    for event in events:
        payload = json.dumps({"bytes": base64.b64encode(json.dumps(event).encode()).decode()}).encode()
        names = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
        headers = b"".join(
            bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
            for name, value in names.items()
        )
        prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
        prelude += struct.pack(">I", binascii.crc32(prelude))
        message = prelude + headers + payload
        chunks.append(message + struct.pack(">I", binascii.crc32(message)))
    return chunks


def _answers(loopback: Any) -> Callable[[Any], Any]:
    """Answers as each endpoint does, streamed where the request says so."""

    def choose(received: Any) -> Any:
        path = received.path.partition("?")[0]
        streamed = b'"stream":true' in received.body.replace(b" ", b"") or "stream" in path.lower()
        if path.endswith("invoke-with-response-stream"):
            return loopback.Reply(
                chunks=_amazon(loopback.MESSAGE_EVENTS), content_type="application/vnd.amazon.eventstream"
            )
        if path.endswith(("/messages", "/invoke", "awPredict")):
            events = loopback.sse(*loopback.MESSAGE_EVENTS, named=True)
            return loopback.stream(events) if streamed else loopback.Reply(loopback.MESSAGE)
        if path.endswith("/compact"):
            return loopback.Reply(loopback.COMPACTED)
        if path.endswith("/api/chat"):
            lines = [json.dumps(event).encode() + b"\n" for event in loopback.OLLAMA_EVENTS]
            if streamed:
                return loopback.Reply(chunks=lines, content_type="application/x-ndjson")
            return loopback.Reply(loopback.OLLAMA)
        if path.endswith("/responses"):
            events = loopback.sse(
                {"type": "response.created", "response": {**loopback.RESPONSE, "status": "in_progress", "output": []}},
                {"type": "response.completed", "response": loopback.RESPONSE},
                named=True,
            )
            return loopback.stream(events) if streamed else loopback.Reply(loopback.RESPONSE)
        if "enerateContent" in path:
            events = loopback.sse(*loopback.GEMINI_EVENTS)
            return loopback.stream(events) if streamed else loopback.Reply(loopback.GEMINI)
        events = loopback.sse(*loopback.CHAT_EVENTS, done=True)
        return loopback.stream(events) if streamed else loopback.Reply(loopback.CHAT)

    return choose


def test_same_bytes(
    driver: Any,
    name: str,
    content: str,
    streamed: bool,
    recorder: Recorder,
    server: Any,
    stored: Any,
    records: Any,
    loopback: Any,
) -> None:
    """What is stored is what the server received, and the answer is whole, with the provider's usage."""
    server.choose = _answers(loopback)
    driver.send(recorder, server.url, driver.contents[content], streamed)
    assert len(server.bodies()) == 1
    assert stored() == server.bodies()
    (snapshot,) = records("snapshot")
    assert (snapshot["exact"], snapshot["api"], "whole" in snapshot) == ("bytes", driver.api, False)
    assert not any("text" in blob for blob in snapshot["blobs"])  # a style was found: values can be searched
    assert snapshot["caller"].startswith("adapters/drivers.py:")
    assert snapshot["model"]
    (attempt,) = records("attempt")
    assert (attempt["n"], attempt["status"]) == (1, 200)
    (response,) = records("response")
    assert (response["complete"], response["error"], response["status"]) == (True, None, 200)
    usage = response["usage"]
    sent = ("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_eval_count")
    counted = next(usage[name] for name in sent if name in usage)
    came = ("completion_tokens", "output_tokens", "candidatesTokenCount", "eval_count")
    produced = [usage.get(name) for name in came]
    assert (counted, max(filter(None, produced))) == (11, 3)
    message, *items = response["blobs"]
    assert [item["value"]["type"] for item in items] == (["compaction"] if name.endswith("compact") else [])
    said = message["value"].get("parts") or message["value"]["content"]
    assert (said if isinstance(said, str) else said[0]["text"]) == "hi"
    stopped = ("stop", "end_turn", "STOP", "completed")
    assert response["stop_reason"] in ((None,) if name.endswith("compact") else stopped)
    assert snapshot["purpose"] == ("compaction" if name.endswith("compact") else None)


def test_nothing_but_the_body_is_stored(
    driver: Any, name: str, recorder: Recorder, server: Any, tmp_path: Path, loopback: Any
) -> None:
    """No header and no query reaches the disk: the key is nowhere."""
    server.choose = _answers(loopback)
    driver.send(recorder, server.url, next(iter(driver.contents.values())), False)
    text = "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
    assert "0123456789abcdef" not in text
    assert "uthorization" not in text
    assert server.url in text
