"""Facts about one entry of a cassette: the layouts of requests and answers."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import vcr_cassettes as tapes

from inspector.importers.run import import_paths
from inspector.index import open_index


def test_text_is_kept(tmp_path: Path) -> None:
    """A body that the cassette has as text is imported as that text, spaces and escapes included."""
    out = tmp_path / "out"
    import_paths([tapes.cassette(tmp_path, tapes.entry())], out)
    index = open_index(out)
    index.refresh()

    assert index.request_bytes("c", 1) == tapes.TEXT.encode()
    assert index.call("c", 1).call.usage.input_tokens == 5


@pytest.mark.parametrize(
    "request_",
    [
        {"body": tapes.TEXT.encode()},
        {"body": {"string": tapes.TEXT}},
        {"body": {"string": tapes.TEXT, "encoding": "UTF-8"}},
        {"body": {"base64_string": base64.b64encode(tapes.TEXT.encode()).decode(), "encoding": "utf-8"}},
        {"body": gzip.compress(tapes.TEXT.encode()), "headers": {"content-encoding": ["gzip"]}},
        {"body": tapes.TEXT, "headers": {"Content-Encoding": "gzip"}},
        {"body": {"state": [tapes.TEXT.encode(), 0, None]}},
        {"body": "\ufeff" + tapes.TEXT},
    ],
)
def test_layouts_of_text(tmp_path: Path, request_: dict[str, Any]) -> None:
    """Text, bytes, an object around them, base64, compressed, or said to be compressed: the text is the same."""
    [call] = tapes.calls(tapes.cassette(tmp_path, tapes.entry(request_)))

    assert (call.request, call.exact, call.missing) == (tapes.TEXT, "imported", ())


def test_parsed_body(tmp_path: Path) -> None:
    """pydantic-ai's layout has the values, on both sides."""
    [call] = tapes.calls(
        tapes.cassette(tmp_path, tapes.entry({"parsed_body": tapes.BODY}, {"parsed_body": tapes.ANSWER}))
    )

    assert (call.request, call.answer and call.answer.body) == (tapes.BODY, tapes.ANSWER)


def test_go_layout(tmp_path: Path) -> None:
    """go-vcr says ``url`` and ``code``, and bodies are texts."""
    request = {"method": "POST", "url": tapes.CHAT, "body": tapes.TEXT}
    response = {"code": 200, "body": json.dumps(tapes.ANSWER), "headers": {"Content-Type": ["application/json"]}}
    [call] = tapes.calls(tapes.cassette(tmp_path, {"request": request, "response": response}))

    assert call.answer is not None
    assert (call.endpoint, call.answer.status, call.answer.body) == (tapes.CHAT, 200, tapes.ANSWER)


def test_ruby_layout(tmp_path: Path) -> None:
    """Ruby's recorder, and Betamax, say when: that is the time where no header does."""
    one = {**tapes.entry(), "recorded_at": "2026-01-02T03:04:05Z"}
    path = tmp_path / "betamax.json"
    path.write_text(json.dumps({"http_interactions": [one], "recorded_with": "betamax/0.8"}), encoding="utf-8")
    [call] = tapes.calls(path)

    assert (call.request, call.time) == (tapes.TEXT, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))


def test_time_is_the_dates(tmp_path: Path) -> None:
    """The answer's ``date`` header is the time; a broken one is none."""
    dated = {"headers": {"DATE": [b"Fri, 07 Mar 2025 02:12:26 GMT"]}, "parsed_body": tapes.ANSWER}
    broken = {"headers": {"date": ["yesterday"]}, "parsed_body": tapes.ANSWER}
    first, second = tapes.calls(tapes.cassette(tmp_path, tapes.entry(response=dated), tapes.entry(response=broken)))

    assert (first.time, second.time) == (datetime(2025, 3, 7, 2, 12, 26, tzinfo=UTC), None)


def test_stream_is_put_together(tmp_path: Path) -> None:
    """Server-sent events become the body they stand for; one without its end says so."""
    events = [{"id": "c", "choices": [{"index": 0, "delta": {"content": text}}]} for text in ("he", "llo")]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
    sse = "".join(f"data: {json.dumps(event)}\n\n" for event in [*events, end])
    cut = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    headers = {"content-type": ["text/event-stream; charset=utf-8"]}
    whole, torn = tapes.calls(
        tapes.cassette(
            tmp_path,
            tapes.entry(response={"body": {"string": sse}, "headers": headers}),
            tapes.entry(response={"body": {"string": cut}, "headers": headers}),
        )
    )

    assert whole.answer is not None
    assert whole.answer.body is not None
    assert whole.answer.body["choices"][0]["message"]["content"] == "hello"
    assert whole.answer.error is None
    assert torn.answer is not None
    assert torn.answer.error == "the stream ended without the end its protocol has"


def test_compressed_answer(tmp_path: Path) -> None:
    """An answer kept as it came over the wire is unfolded."""
    headers = {"content-type": ["application/json"], "content-encoding": ["gzip"]}
    response = {"body": {"string": gzip.compress(json.dumps(tapes.ANSWER).encode())}, "headers": headers}
    [call] = tapes.calls(tapes.cassette(tmp_path, tapes.entry(response=response)))

    assert call.answer is not None
    assert call.answer.body == tapes.ANSWER


def test_failed_call(tmp_path: Path, records_in: Callable[..., list[dict[str, Any]]]) -> None:
    """A refusal is a call that failed, with what the provider said, and what the model had written if it tells."""
    said = {
        "error": {
            "message": "no such tool", "type": "invalid_request_error", "code": "tool_use_failed",
            "failed_generation": '{"name": "f"}',
        }
    }  # fmt: skip
    import_paths([tapes.cassette(tmp_path, tapes.entry(response={"parsed_body": said}, status=400))], tmp_path / "out")
    [response] = records_in(tmp_path / "out", "response")

    assert response["error"] == "invalid_request_error: no such tool (tool_use_failed)"
    assert (response["status"], response["complete"], len(response["messages"])) == (400, False, 1)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"message": "too many tokens"}, "too many tokens"),
        ({"detail": "not found"}, "not found"),
        ({"error": {"type": "overloaded_error", "message": "busy"}}, "overloaded_error: busy"),
        ({}, "HTTP 503"),
    ],
)
def test_words_of_refusals(tmp_path: Path, body: dict[str, Any], said: str) -> None:
    """What is wrong stands in a different place at each provider."""
    [call] = tapes.calls(tapes.cassette(tmp_path, tapes.entry(response={"parsed_body": body}, status=503)))

    assert call.answer is not None
    assert call.answer.error == said


def test_refusal_without_json(tmp_path: Path) -> None:
    """A gateway's page is quoted."""
    response = {"body": {"string": "<html>overloaded</html>"}, "headers": {"content-type": ["text/html"]}}
    [call] = tapes.calls(tapes.cassette(tmp_path, tapes.entry(response=response, status=529)))

    assert call.answer is not None
    assert (call.answer.body, call.answer.status, call.answer.error) == (None, 529, "<html>overloaded</html>")
