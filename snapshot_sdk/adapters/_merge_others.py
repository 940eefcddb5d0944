"""The streams of Gemini, Bedrock's ``converse`` and Ollama."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snapshot_sdk.adapters._joined import joined


def merge_gemini(events: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], bool]:
    """Gemini: whole answers in a row, each with further parts. Usage: the last (it is cumulative).

    Args:
        events: In order.

    Returns:
        The body, and whether the protocol's own end was seen.
    """
    body: dict[str, Any] = {}
    candidates: dict[int, dict[str, Any]] = {}
    ended = False
    for event in events:
        body |= {name: value for name, value in event.items() if name != "candidates"}
        ended = ended or bool((event.get("promptFeedback") or {}).get("blockReason"))
        for piece in event.get("candidates") or ():
            candidate = candidates.setdefault(piece.get("index") or 0, {})
            content = candidate.setdefault("content", {"role": "model", "parts": []})
            content |= {name: value for name, value in (piece.get("content") or {}).items() if name != "parts"}
            for part in (piece.get("content") or {}).get("parts") or ():
                _add_part(content["parts"], part)
            candidate |= {name: value for name, value in piece.items() if name != "content"}
    body["candidates"] = [candidates[index] for index in sorted(candidates)]
    finished = [bool(candidate.get("finishReason")) for candidate in candidates.values()]
    return body, ended or (bool(finished) and all(finished))


def _add_part(parts: list[dict[str, Any]], part: dict[str, Any]) -> None:
    """Text goes on in the part before where that is nothing but text of the same kind."""
    last = parts[-1] if parts else {}
    plain = {"text", "thought"}
    same = "text" in part and "text" in last and part.get("thought") == last.get("thought")
    if same and set(last) <= plain and set(part) <= plain | {"thoughtSignature"}:
        parts[-1] = {**last, **part, "text": joined(last["text"], part["text"])}
    else:
        parts.append(dict(part))


def merge_converse(events: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], bool]:
    """Bedrock's converse: each event is ``{type: event}``; usage comes once, last.

    Args:
        events: In order.

    Returns:
        The body, and whether the protocol's own end was seen.
    """
    message: dict[str, Any] = {"role": "assistant"}
    body: dict[str, Any] = {"output": {"message": message}}
    blocks: dict[int, dict[str, Any]] = {}
    ended = False
    for event in events:
        for kind, data in event.items():
            if not isinstance(data, dict):
                continue
            place = data.get("contentBlockIndex")
            index = place if isinstance(place, int) else 0
            if kind == "messageStart":
                message |= {name: value for name, value in data.items() if name == "role"}
            elif kind == "contentBlockStart":
                blocks[index] = {name: dict(value) for name, value in (data.get("start") or {}).items()}
            elif kind == "contentBlockDelta":
                _add_pieces(blocks.setdefault(index, {}), data.get("delta") or {})
            elif kind == "messageStop":
                body["stopReason"], ended = data.get("stopReason"), True
            elif kind == "metadata":
                body["usage"] = data.get("usage")
    message["content"] = [_whole_block(blocks[index]) for index in sorted(blocks)]
    return body, ended


def _whole_block(block: dict[str, Any]) -> dict[str, Any]:
    """Reasoning comes in pieces of ``text`` and ``signature``; at once both stand in ``reasoningText``."""
    reasoning = block.get("reasoningContent")
    if not isinstance(reasoning, dict) or not reasoning.keys() & {"text", "signature"}:
        return block
    rest = {name: value for name, value in reasoning.items() if name not in ("text", "signature")}
    text = {name: reasoning[name] for name in ("text", "signature") if name in reasoning}
    return {**block, "reasoningContent": {"reasoningText": text, **rest}}


def _add_pieces(block: dict[str, Any], delta: dict[str, Any]) -> None:
    for name, value in delta.items():
        if isinstance(value, dict):
            _add_pieces(block.setdefault(name, {}), value)
        else:
            block[name] = joined(block.get(name), value)


def merge_ollama(events: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], bool]:
    """Ollama: one JSON value a line; the last has ``done`` and the counts.

    Args:
        events: In order.

    Returns:
        The body, and whether the protocol's own end was seen.
    """
    body: dict[str, Any] = {}
    message: dict[str, Any] = {}
    for event in events:
        body |= event
        piece = event.get("message")
        pieces = piece if isinstance(piece, dict) else {"role": "assistant", "content": event.get("response") or ""}
        for name, value in pieces.items():
            message[name] = value if name == "role" else joined(message.get(name), value)
    return {**body, "message": message}, bool(body.get("done"))
