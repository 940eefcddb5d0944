"""One entry of a cassette: the request, and what came back, in whichever layout the recorder writes."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedAttempt, ImportedCall
from inspector.importers.exchanges.exchange import error_text
from inspector.importers.reading.mending import load
from inspector.importers.reading.moments import moment
from inspector.importers.reading.unreadable import UnreadableError
from snapshot_sdk.gateway import Body, Endpoints, ModelCall, decode, read_body

_ENDPOINTS: Final = Endpoints(any_host=True)
"""A cassette holds what a test sent, to whichever host: proxies and local servers are common."""

_CACHE_LANE: Final = "cache"
"""Making a cache of a prompt is no turn of the conversation that reads it."""

_REFUSED: Final = 400
"""HTTP statuses from here on are refusals."""

_SAID: Final = ("error", "message", "detail")
"""Where providers put what is wrong: most, then Bedrock and Cohere, then servers made with FastAPI."""

_LONGEST_NAME: Final = 16
"""Characters of a piece of a path that, with a digit in it, is still a name and no id."""

_NO_END: Final = "the stream ended without the end its protocol has"


@dataclass(frozen=True)
class Exchange:
    """A request and its response."""

    method: str
    """In capitals."""
    url: str
    """Where it went."""
    request: Mapping[str, Any]
    """As the recorder writes it."""
    response: Mapping[str, Any]
    """As the recorder writes it; empty: none came."""
    recorded: datetime | None
    """When, where the recorder says so itself."""

    @property
    def call(self) -> ModelCall | None:
        """What the address says; None: it is no call of a model."""
        return _ENDPOINTS.find(self.method, self.url)

    @property
    def name(self) -> str:
        """Method and path, with ``…`` for the ids in it, for reports."""
        path = self.url.split("?")[0].split("#")[0].rstrip("/").partition("://")[2].partition("/")[2]
        return f"{self.method} /{'/'.join(map(_without_id, path.split('/')))}"


def _without_id(piece: str) -> str:
    """Shorten a piece of a path that names one thing; what is done to it (``:embedContent``) stays."""
    thing, colon, verb = piece.partition(":")
    return f"…{colon}{verb}" if len(thing) > _LONGEST_NAME and any(map(str.isdigit, thing)) else piece


def exchange_of(entry: Any) -> Exchange | None:
    """Read an entry; None: it is no HTTP exchange (some recorders keep WebSocket messages too)."""
    if not isinstance(entry, dict) or not isinstance(entry.get("request"), dict):
        return None
    request, response = entry["request"], entry.get("response")
    url = request.get("uri") or request.get("url")
    if not isinstance(url, str):
        return None
    return Exchange(
        method=str(request.get("method") or "GET").upper(),
        url=url,
        request=request,
        response=response if isinstance(response, dict) else {},
        recorded=moment(entry.get("recorded_at")),
    )


def call_of(exchange: Exchange, call: ModelCall, attempts: tuple[ImportedAttempt, ...] = ()) -> ImportedCall:
    """Read a call and its answer.

    Args:
        exchange: The exchange.
        call: What its address says.
        attempts: Tries of the same request before.

    Raises:
        UnreadableError: The request has no body that can be read.
    """
    answer = answer_of(exchange)
    return ImportedCall(
        request=request_of(exchange),
        api=call.api,
        endpoint=exchange.url,
        lane=_CACHE_LANE if call.purpose == "cache" else None,
        purpose=call.purpose,
        time=answer.time if answer is not None else exchange.recorded,
        attempts=attempts,
        answer=answer,
    )


def request_of(exchange: Exchange) -> dict[str, Any] | str:
    """Give the body of a request: its very text where the cassette has that, else its values.

    Raises:
        UnreadableError: It is missing, or no JSON object.
    """
    parsed = exchange.request.get("parsed_body")
    if isinstance(parsed, dict):
        return parsed
    data = _bytes_of(exchange.request)
    if not data:
        raise UnreadableError("the cassette has no body of the request")
    data = _decoded(data, _header(exchange.request, "content-encoding"))
    try:
        text = data.decode("utf-8-sig")
        value = load(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"the body of the request is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise UnreadableError("the body of the request is no JSON object")
    return text


def answer_of(exchange: Exchange) -> ImportedAnswer | None:
    """Read what came back; a stream is put together."""
    response = exchange.response
    if not response:
        return None
    status = _status(response)
    time = _date(_header(response, "date")) or exchange.recorded
    parsed = response.get("parsed_body")
    read = Body(parsed, True, None, None) if parsed is not None else _read(response)
    body = read.body if isinstance(read.body, dict) else None
    if status is not None and status >= _REFUSED:
        said = _failure(body) or read.refusal or f"HTTP {status}"
        return ImportedAnswer(None, _written(body), time=time, status=status, error=said)
    error = read.error
    if error is None and body is None:
        error = "the cassette has no answer that can be read"
    elif error is None and not read.ended:
        error = _NO_END
    return ImportedAnswer(body, time=time, status=status, error=error)


def _read(response: Mapping[str, Any]) -> Body:
    data = _decoded(_bytes_of(response) or b"", _header(response, "content-encoding"))
    return read_body(data, _header(response, "content-type"), "")


def _failure(body: Mapping[str, Any] | None) -> str | None:
    """Word the error of a refusal, with its code where that says more than its type."""
    error = next((body[name] for name in _SAID if body.get(name)), None) if body is not None else None
    said = error_text(error)
    code = error.get("code") if isinstance(error, dict) else None
    return f"{said} ({code})" if said is not None and isinstance(code, str) and not said.startswith(code) else said


def _written(body: Mapping[str, Any] | None) -> tuple[Mapping[str, Any], ...]:
    """Give what the model had written when its answer was refused: Groq tells that for tool calls it cannot read."""
    error = body.get("error") if body is not None else None
    text = error.get("failed_generation") if isinstance(error, dict) else None
    return ({"role": "assistant", "content": text},) if isinstance(text, str) and text else ()


def _bytes_of(message: Mapping[str, Any]) -> bytes | None:
    """Give the bytes of a body: a text, bytes, or an object around one of them, of which one may be base64."""
    body = message.get("body")
    if isinstance(body, dict):
        coded = body.get("base64_string")
        if isinstance(coded, str | bytes):
            try:
                return base64.b64decode(coded)
            except (binascii.Error, ValueError):
                return None
        state = body.get("state")  # a Python file object, as older versions of VCR.py wrote one down
        body = state[0] if isinstance(state, list) and state else body.get("string")
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    return body if isinstance(body, bytes) else None


def _decoded(data: bytes, coding: str) -> bytes:
    """Undo a content coding; many recorders keep its header beside a body that is decoded already."""
    if data.lstrip()[:1] in (b"{", b"[") or data.startswith((b"data:", b"event:")):
        return data
    decoded = decode(data, coding) if coding else None
    return data if decoded is None else decoded


def _header(message: Mapping[str, Any], name: str) -> str:
    """Give the first value of a header; empty: there is none."""
    headers = message.get("headers")
    for key, value in headers.items() if isinstance(headers, dict) else ():
        if str(key).lower() == name:
            first = value[0] if isinstance(value, list) and value else value
            return first.decode("latin-1") if isinstance(first, bytes) else str(first)
    return ""


def _status(response: Mapping[str, Any]) -> int | None:
    status = response.get("status")
    code = status.get("code") if isinstance(status, dict) else response.get("code", response.get("status_code", status))
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def _date(value: str) -> datetime | None:
    """Read an HTTP date (RFC 9110, 5.6.7)."""
    try:
        time = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
