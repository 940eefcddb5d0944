"""Cuts the bytes of a streamed answer into its events: server-sent events, JSON lines, AWS event stream."""

from __future__ import annotations

import base64
import json
import re
import struct
from typing import Any, Final

DONE: Final = "[DONE]"
"""What OpenAI's protocol sends last."""

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_PRELUDE: Final = struct.Struct(">III")
"""AWS event stream: length of the message, length of its headers, checksum of both."""

_CHECKSUM: Final = 4
_STRING_HEADER: Final = 7
"""Type of an AWS event stream header whose value is a string."""


def frames(body: bytes, content_type: str) -> list[Any] | None:
    """Returns the events of a streamed answer; a torn last one is left out.

    Args:
        body: Decoded bytes, perhaps not all of them.
        content_type: As the server named it.

    Returns:
        JSON values, and ``DONE``. None: it is no stream.
    """
    kind = content_type.split(";")[0].strip().lower()
    if kind == "text/event-stream":
        return _server_sent(body)
    if kind == "application/vnd.amazon.eventstream":
        return _amazon(body)
    if kind in ("application/x-ndjson", "application/jsonl", "application/x-jsonlines"):
        return [value for line in body.splitlines() if (value := _json(line)) is not None]
    return None


def _server_sent(body: bytes) -> list[Any]:
    """WHATWG HTML, 9.2.6, without ``id`` and ``retry``; an event counts once its empty line is there."""
    events: list[Any] = []
    data: list[bytes] = []
    for line in _LINE_END.split(body):
        if line.startswith(b"data:"):
            data.append(line[6:] if line.startswith(b"data: ") else line[5:])
        elif not line and data:
            events += _event(b"\n".join(data))
            data = []
    if data and _whole(data):
        events += _event(b"\n".join(data))  # some servers leave out the last empty line
    return events


def _whole(data: list[bytes]) -> bool:
    text = b"\n".join(data)
    return text.strip() == DONE.encode() or _json(text) is not None


def _event(data: bytes) -> list[Any]:
    if data.strip() == DONE.encode():
        return [DONE]
    value = _json(data)
    return [] if value is None else [value]


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _amazon(body: bytes) -> list[Any]:
    """One JSON value per message: of an invocation the event inside, of a conversation ``{event type: event}``."""
    events: list[Any] = []
    position = 0
    while position + _PRELUDE.size <= len(body):
        length, headers_length, _ = _PRELUDE.unpack_from(body, position)
        end = position + length
        if length < _PRELUDE.size + headers_length + _CHECKSUM or end > len(body):
            break
        start = position + _PRELUDE.size
        headers = _amazon_headers(body[start : start + headers_length])
        value = _json(body[start + headers_length : end - _CHECKSUM])
        if isinstance(value, dict) and isinstance(value.get("bytes"), str):
            value = _json(base64.b64decode(value["bytes"]))
        elif value is not None:
            value = {headers.get(":event-type") or headers.get(":exception-type") or "event": value}
        if value is not None:
            events.append(value)
        position = end
    return events


def _amazon_headers(data: bytes) -> dict[str, str]:
    headers = {}
    position = 0
    while position < len(data):
        name_end = position + 1 + data[position]
        name = data[position + 1 : name_end].decode("utf-8", "replace")
        if data[name_end] != _STRING_HEADER:
            break
        (length,) = struct.unpack_from(">H", data, name_end + 1)
        position = name_end + 3 + length
        headers[name] = data[name_end + 3 : position].decode("utf-8", "replace")
    return headers
