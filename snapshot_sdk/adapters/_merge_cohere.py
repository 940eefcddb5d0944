"""The stream of Cohere's chat, version 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snapshot_sdk.adapters._joined import joined


def merge_cohere(events: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], bool]:
    """Cohere: each event carries what it adds to the message; reason and usage come with the last.

    Args:
        events: In order.

    Returns:
        The body, and whether the protocol's own end was seen.
    """
    body: dict[str, Any] = {}
    message: dict[str, Any] = {"role": "assistant"}
    content: dict[int, dict[str, Any]] = {}
    calls: dict[int, dict[str, Any]] = {}
    citations: dict[int, Any] = {}
    ended = False
    for event in events:
        kind = event.get("type")
        delta = event.get("delta") or {}
        piece = delta.get("message") or {}
        place = event.get("index")
        index = place if isinstance(place, int) else 0
        if kind == "message-start":
            body |= {name: event[name] for name in ("id",) if event.get(name)}
            message |= {name: value for name, value in piece.items() if value}
        elif kind == "message-end":
            body |= {name: delta[name] for name in ("finish_reason", "usage") if delta.get(name)}
            ended = True
        elif kind in ("content-start", "content-delta"):
            _add(content.setdefault(index, {}), piece.get("content") or {})
        elif kind == "tool-plan-delta":
            message["tool_plan"] = joined(message.get("tool_plan"), piece.get("tool_plan") or "")
        elif kind in ("tool-call-start", "tool-call-delta"):
            _add(calls.setdefault(index, {}), piece.get("tool_calls") or {})
        elif kind == "citation-start":
            citations[index] = piece.get("citations")
    for name, parts in (("content", content), ("tool_calls", calls), ("citations", citations)):
        if parts:
            message[name] = [parts[index] for index in sorted(parts)]
    return {**body, "message": message}, ended


def _add(whole: dict[str, Any], piece: dict[str, Any]) -> None:
    """Names stay as they were first given; texts go on."""
    for name, value in piece.items():
        if isinstance(value, dict):
            _add(whole.setdefault(name, {}), value)
        elif name in ("arguments", "text", "thinking"):
            whole[name] = joined(whole.get(name), value)
        else:
            whole[name] = value
