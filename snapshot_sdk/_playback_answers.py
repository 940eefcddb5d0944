"""A recorded answer as the bytes that a server would send: at once or streamed, as the request asks."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

from snapshot_sdk._fixture_values import PlayedCall
from snapshot_sdk._playback_anthropic import complete_events, message_events, whole_complete, whole_message
from snapshot_sdk._playback_openai import (
    chat_events,
    completion_events,
    response_events,
    whole_chat,
    whole_completion,
    whole_response,
)
from snapshot_sdk._playback_others import (
    cohere_events,
    converse_events,
    gemini_events,
    ollama_events,
    whole_cohere,
    whole_converse,
    whole_gemini,
    whole_ollama,
)
from snapshot_sdk._playback_values import Asked, HttpAnswer

_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"
_AMAZON: Final = "application/vnd.amazon.eventstream"

_AT_ONCE: Final = {"retry-after-ms": "1"}
"""Clients made by OpenAI's generator wait that long before they try again, in place of seconds."""

_ERRORS: Final = {
    400: "invalid_request_error",
    429: "rate_limit_error",
    503: "overloaded_error",
    529: "overloaded_error",
}
"""Status → what providers call it; others are ``api_error``."""


class _Dialect(NamedTuple):
    """How a dialect answers."""

    whole: Callable[[PlayedCall, Asked], dict[str, Any]]
    events: Callable[[PlayedCall, Asked], Iterator[Any]]
    named: bool = False
    """Its events bear their type as name."""


_DIALECTS: Final[dict[str, _Dialect]] = {
    "openai.chat": _Dialect(whole_chat, chat_events),
    "openai.completions": _Dialect(whole_completion, completion_events),
    "openai.responses": _Dialect(whole_response, response_events, named=True),
    "anthropic.messages": _Dialect(whole_message, message_events, named=True),
    "anthropic.complete": _Dialect(whole_complete, complete_events, named=True),
    "gemini.generate_content": _Dialect(whole_gemini, gemini_events),
    "bedrock.converse": _Dialect(whole_converse, converse_events),
    "cohere.chat": _Dialect(whole_cohere, cohere_events),
    "ollama.chat": _Dialect(whole_ollama, ollama_events),
    "ollama.generate": _Dialect(whole_ollama, ollama_events),
}

PLAYABLE: Final = frozenset(_DIALECTS)
"""Dialects whose answers can be made."""


def answer_of(call: PlayedCall, asked: Asked) -> HttpAnswer:
    """Makes the answer to a request.

    Args:
        call: What was recorded.
        asked: What the agent sent; it decides whether the answer is streamed.

    Raises:
        KeyError: Neither the address nor the recording names a dialect of ``PLAYABLE``.
    """
    api = asked.api or call.api
    if call.status is not None and call.status >= 400:
        return _refusal(call.status, api)
    dialect = _DIALECTS[api]
    status = call.status or 200
    if not _streamed(api, asked):
        return HttpAnswer(status, _JSON, (_dumps(dialect.whole(call, asked)),))
    events = list(dialect.events(call, asked))
    if api == "bedrock.converse":
        return HttpAnswer(status, _AMAZON, tuple(_amazon(*one) for event in events for one in event.items()))
    if asked.path.endswith("/invoke-with-response-stream"):
        coded = ({"bytes": base64.b64encode(_dumps(event)).decode()} for event in events)
        return HttpAnswer(status, _AMAZON, tuple(_amazon("chunk", event) for event in coded))
    if api.startswith("ollama."):
        return HttpAnswer(status, "application/x-ndjson", tuple(_dumps(event) + b"\n" for event in events))
    if api == "gemini.generate_content" and parse_qs(urlsplit(asked.url).query).get("alt") != ["sse"]:
        return HttpAnswer(status, _JSON, (b"[" + b",\n".join(_dumps(event) for event in events) + b"]",))
    return HttpAnswer(status, _EVENTS, tuple(_server_sent(event, dialect.named) for event in events))


def _streamed(api: str, asked: Asked) -> bool:
    if "stream" in asked.path.rsplit("/", 1)[-1].lower():  # :streamGenerateContent, converse-stream …
        return True
    return asked.body.get("stream", api.startswith("ollama.")) is True


def _dumps(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _server_sent(event: Any, named: bool) -> bytes:
    if isinstance(event, str):
        return b"data: " + event.encode() + b"\n\n"
    name = f"event: {event['type']}\n".encode() if named else b""
    return name + b"data: " + _dumps(event) + b"\n\n"


def _refusal(status: int, api: str) -> HttpAnswer:
    """Why a server refused is not part of a fixture; the status is what agents go by."""
    error = {"type": _ERRORS.get(status, "api_error"), "message": f"HTTP {status}, as recorded", "code": status}
    body: Mapping[str, Any] = {"type": "error", "error": error}
    if api.startswith("gemini."):
        body = {"error": {"code": status, "message": error["message"], "status": "UNAVAILABLE"}}
    elif api.startswith("ollama."):
        body = {"error": error["message"]}
    elif api.startswith(("bedrock.", "cohere.")):
        body = {"message": error["message"]}
    return HttpAnswer(status, _JSON, (_dumps(body),), _AT_ONCE)


def _amazon(kind: str, event: Any) -> bytes:
    """A message of AWS's event stream: lengths and checksum, headers, JSON, checksum."""
    payload = _dumps(event)
    names = {":event-type": kind, ":content-type": _JSON, ":message-type": "event"}
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in names.items()
    )
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    prelude += struct.pack(">I", binascii.crc32(prelude))
    message = prelude + headers + payload
    return message + struct.pack(">I", binascii.crc32(message))
