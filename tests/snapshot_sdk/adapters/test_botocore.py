"""The real client of boto3, for Bedrock: what is stored is what a server received."""

from __future__ import annotations

import binascii
import json
import struct
from collections.abc import Callable
from typing import Any

import pytest

from snapshot_sdk import Recorder

boto3 = pytest.importorskip("boto3", reason="the client package boto3 is not installed")

Records = Callable[..., list[dict[str, Any]]]
Bodies = Callable[[], list[bytes]]

ASK: dict[str, Any] = {
    "modelId": "amazon.nova-pro-v1:0",
    "system": [{"text": "s"}],
    "messages": [{"role": "user", "content": [{"text": "你好 👩‍👩‍👧 </script>"}]}],
    "inferenceConfig": {"maxTokens": 9},
}
CONVERSED = {
    "output": {"message": {"role": "assistant", "content": [{"text": "hi"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 11, "outputTokens": 3, "totalTokens": 14},
    "metrics": {"latencyMs": 1},
}
EVENTS = [
    ("messageStart", {"role": "assistant"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "h"}}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "i"}}),
    ("contentBlockStop", {"contentBlockIndex": 0}),
    ("messageStop", {"stopReason": "end_turn"}),
    ("metadata", {"usage": CONVERSED["usage"], "metrics": {"latencyMs": 1}}),
]


def _framed(events: list[tuple[str, dict[str, Any]]]) -> list[bytes]:
    """Events in the framing of AWS, which botocore checks."""
    chunks = []
    for kind, event in events:
        payload = json.dumps(event).encode()
        names = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
        headers = b"".join(
            bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
            for name, value in names.items()
        )
        prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
        prelude += struct.pack(">I", binascii.crc32(prelude))
        message = prelude + headers + payload
        chunks.append(message + struct.pack(">I", binascii.crc32(message)))
    return chunks


@pytest.fixture
def bedrock(recorder: Recorder, server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client that is attached."""
    from botocore.config import Config

    for name in ("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)
    client = boto3.client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=server.url,
        aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
        aws_secret_access_key="0123456789abcdef",
        config=Config(retries={"mode": "standard", "max_attempts": 2}),
    )
    return recorder.attach(client)


def test_converse(bedrock: Any, server: Any, loopback: Any, records: Records, stored: Bodies) -> None:
    """The body is stored byte for byte; the model comes from the address; answer and usage are there."""
    server.replies = [loopback.Reply(CONVERSED)]
    answer = bedrock.converse(**ASK)

    assert answer["output"]["message"]["content"][0]["text"] == "hi"
    assert stored() == server.bodies()
    (snapshot,) = records("snapshot")
    assert (snapshot["exact"], snapshot["api"], snapshot["model"]) == ("bytes", "bedrock.converse", ASK["modelId"])
    assert snapshot["caller"].startswith("adapters/test_botocore.py:")
    (response,) = records("response")
    assert (response["complete"], response["stop_reason"], response["usage"]["inputTokens"]) == (True, "end_turn", 11)
    assert response["blobs"][0]["value"]["content"] == [{"text": "hi"}]


def test_converse_stream(bedrock: Any, server: Any, loopback: Any, records: Records, stored: Bodies) -> None:
    """A streamed answer is put together."""
    server.replies = [loopback.Reply(chunks=_framed(EVENTS), content_type="application/vnd.amazon.eventstream")]
    parts = list(bedrock.converse_stream(**ASK)["stream"])

    assert len(parts) == len(EVENTS)
    assert stored() == server.bodies()
    (response,) = records("response")
    assert (response["complete"], response["usage"]["outputTokens"]) == (True, 3)
    assert response["blobs"][0]["value"]["content"] == [{"text": "hi"}]


def test_a_stream_that_is_given_up(bedrock: Any, server: Any, loopback: Any, records: Records) -> None:
    """What came until then is kept, and marked."""
    server.replies = [loopback.Reply(chunks=_framed(EVENTS), content_type="application/vnd.amazon.eventstream")]
    stream = bedrock.converse_stream(**ASK)["stream"]
    next(iter(stream))
    stream.close()

    assert records("response")[0]["complete"] is False


@pytest.mark.parametrize("piece", [None, 7])
def test_invoke_model(
    piece: int | None, bedrock: Any, server: Any, loopback: Any, records: Records, stored: Bodies
) -> None:
    """The body of InvokeModel is the user's own; its answer is read whole or piece by piece."""
    server.replies = [loopback.Reply(loopback.MESSAGE)]
    body = json.dumps({"anthropic_version": "x", "max_tokens": 9, "messages": [{"role": "user", "content": "你"}]})
    stream = bedrock.invoke_model(modelId="anthropic.claude-x", body=body)["body"]
    if piece is None:
        stream.read()
    else:
        list(stream.iter_chunks(piece))

    assert stored() == server.bodies() == [body.encode()]
    (snapshot,) = records("snapshot")
    assert (snapshot["api"], snapshot["model"]) == ("anthropic.messages", "anthropic.claude-x")
    (response,) = records("response")
    assert (response["complete"], response["usage"]["input_tokens"]) == (True, 11)


def test_retries(bedrock: Any, server: Any, loopback: Any, records: Records) -> None:
    """Tries that botocore makes by itself are attempts of one call."""
    server.replies = [loopback.Reply({"message": "slow down"}, status=429), loopback.Reply(CONVERSED)]
    bedrock.converse(**ASK)

    assert len(records("snapshot")) == 1
    assert [(one["n"], one["status"]) for one in records("attempt")] == [(1, 429), (2, 200)]


@pytest.mark.parametrize("call", ["converse", "converse_stream"])
def test_refused(call: str, bedrock: Any, server: Any, loopback: Any, records: Records) -> None:
    """The client's own error gets through; the record has the status and the reason."""
    server.replies = [loopback.Reply({"message": "too long"}, status=400)]
    with pytest.raises(bedrock.exceptions.ClientError):
        getattr(bedrock, call)(**ASK)

    (response,) = records("response")
    assert (response["status"], response["complete"]) == (400, False)
    assert "too long" in response["error"]


def test_nobody_listens(bedrock: Any, server: Any, records: Records) -> None:
    """A server that is not there leaves a call without an answer."""
    from botocore.exceptions import EndpointConnectionError

    server.close()
    with pytest.raises(EndpointConnectionError):
        bedrock.converse(**ASK)

    assert records("response")[-1]["error"].startswith("EndpointConnectionError")
    assert len(records("snapshot")) == 1


def test_attached_twice(bedrock: Any, recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """A client is recorded once."""
    server.replies = [loopback.Reply(CONVERSED)]
    recorder.attach(bedrock).converse(**ASK)

    assert len(records("snapshot")) == 1


def test_no_secret_is_stored(bedrock: Any, server: Any, loopback: Any, tmp_path: Any) -> None:
    """Neither signature nor keys reach the disk."""
    server.replies = [loopback.Reply(CONVERSED)]
    bedrock.converse(**ASK)

    text = "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
    assert "AKIA" in server.received[0].headers["Authorization"]
    assert not any(word in text for word in ("AKIA", "Signature", "0123456789abcdef"))
