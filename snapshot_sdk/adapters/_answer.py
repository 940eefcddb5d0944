"""Reads the bytes of an answer: whole, streamed, cut or compressed."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from snapshot_sdk.adapters._codings import decode
from snapshot_sdk.adapters._frames import frames
from snapshot_sdk.adapters._merge import merge

MAX_REFUSAL: Final = 2_000
"""Characters kept of what a server said when it refused."""


_DECODER: Final = json.JSONDecoder()


class Body(NamedTuple):
    """An answer."""

    body: Any
    """As the provider would have sent it at once; None: nothing that can be read."""
    ended: bool
    """The protocol's own end was seen."""
    error: str | None
    """What the provider reported inside the answer."""
    refusal: str | None
    """The text, cut, for answers with an error status."""


def read_body(data: bytes, content_type: str, encoding: str) -> Body:
    """Reads an answer; never raises.

    Args:
        data: Its bytes, perhaps not all of them.
        content_type: As the server named it.
        encoding: How they are compressed; empty: not at all.
    """
    if encoding:
        data = decode(data, encoding) or b""  # nothing can be shown of what cannot be decoded
    text = data[: 4 * MAX_REFUSAL].decode("utf-8", "replace")[:MAX_REFUSAL].strip() or None
    try:
        events = frames(data, content_type)
        merged = merge(events) if events is not None else None
    except Exception as error:  # not the shape it has by its name: the call is still to be recorded
        return Body(None, False, f"the answer could not be read: {type(error).__name__}", text)
    if merged is not None:
        return Body(merged.body, merged.ended, merged.error, text)
    try:
        body = _read(data)
    except (ValueError, RecursionError):
        return Body(None, False, None, text)
    if isinstance(body, list) and body and all(isinstance(item, dict) and "candidates" in item for item in body):
        merged = merge(body)  # Gemini without alt=sse streams an array
        return Body(merged.body, True, merged.error, text)
    return Body(body, True, _error(body), text)


def _read(data: bytes) -> Any:
    try:
        return _DECODER.decode(data.decode())  # nearly every answer is UTF-8: `json.loads` looks for others first
    except ValueError:
        return json.loads(data)


def _error(body: Any) -> str | None:
    """Some servers report an error with status 200."""
    if isinstance(body, dict) and body.get("error") and not body.keys() & {"choices", "content", "candidates"}:
        return json.dumps(body["error"], ensure_ascii=False)[:MAX_REFUSAL]
    return None
