"""What the right pane of the Session page says about one call: asked, answered, how it ended, how it is proved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from inspector.model.layers import Layer
from inspector.model.request import Message
from inspector.model.views import CallRow, CallView, MessageRow
from inspector.ui.format import format_count, format_duration, one_line
from inspector.ui.session_words import (
    provenance_words,
    server_words,
    status_words,
    tokens_words,
    usage_words,
)

QUOTE: Final = 2_000
"""Characters of a question or an answer that are sent; the whole text stands on the Call page."""


def detail_payload(view: CallView, begun: CallView | None = None) -> dict[str, Any]:
    """Return the words of one call, ready to be put into text nodes.

    Args:
        view: The call with its messages and its answer.
        begun: The first call of its turn, where another one is and the agent numbered the turn: a prompt may have
            lost what the user asked in it.
    """
    asked, is_gone = _asked_in_turn(view, begun)
    call = view.call
    ending = [format_duration(call.duration_ms)] if call.duration_ms is not None else []
    ending += [f"stop reason: {call.stop_reason}"] if call.stop_reason else []
    ending += [format_count(call.attempts, "attempt")] if call.attempts > 1 else []
    return {
        "call": call.number,
        "asked": _quote(asked),
        "asked_gone": is_gone,
        "answered": _quote(_answered(view)),
        "status": status_words(call),
        "facts": [
            {"name": name, "value": value}
            for name, value in (
                ("caller", call.caller or ""),
                ("ended", " · ".join(ending)),
                ("model", " · ".join(part for part in (call.model, call.api) if part)),
                ("tokens", tokens_words(call)),
                ("effective", server_words(call)),
                ("usage", usage_words(call)),
                ("bytes", provenance_words(call.exact, call.missing)),
                ("turn", "inferred from the messages" if call.turn_inferred else ""),
                ("side call", f"for: {call.purpose}" if call.purpose else ""),
                ("file", f"{call.file}, line {call.line:,}"),
            )
            if value
        ],
    }


def turn_start(call: CallRow, calls: Sequence[CallRow]) -> int | None:
    """Return the number of the first call of a call's turn; None: it is the first, or its turn is only inferred.

    Args:
        call: The call.
        calls: All calls of its session, in display order.
    """
    if call.turn is None or call.turn_inferred or call.purpose is not None:
        return None
    of_turn = (c for c in calls if c.lane == call.lane and c.turn == call.turn and c.purpose is None)
    first = next((c.number for c in of_turn if not c.turn_inferred), call.number)
    return first if first < call.number else None


def _asked_in_turn(view: CallView, begun: CallView | None) -> tuple[str | None, bool]:
    """Return what the user asked, and whether the prompt lost it."""
    own = _asked(view.messages)
    first = _asked(begun.messages) if begun is not None else None
    if first is None or any(row.message.role == "user" and _spoken(row) == first for row in view.messages):
        return own, False
    return first, True


def _asked(messages: tuple[MessageRow, ...]) -> str | None:
    """Return the text of the last message by the user; a message of tool results only is none."""
    for row in reversed(messages):
        if row.message.role != "user":
            continue
        spoken = _spoken(row)
        if spoken.strip():
            return spoken
    return None


def _spoken(row: MessageRow) -> str:
    """Return what the user said in a message: its text less the segments that carry another layer."""
    pieces = []
    for number, part in enumerate(row.message.parts):
        if part.kind != "text":
            continue
        own = [s for s in row.segments if s.part == number and s.layer in (Layer.INPUT, Layer.HISTORY)]
        pieces += [part.text[s.start : s.end] for s in own]
        if not any(s.part == number for s in row.segments):
            pieces.append(part.text)
    return "\n".join(pieces)


def _answered(view: CallView) -> str | None:
    """Return the answer as text, tool calls as ``→ name(arguments)``; None where none came."""
    if view.answer is None:
        return None
    lines = [line for message in view.answer.messages for line in _answer_lines(message)]
    return "\n".join(lines) or None


def _answer_lines(message: Message) -> list[str]:
    lines = []
    for part in message.parts:
        if part.kind == "tool_call":
            lines.append(f"→ {part.name}({one_line(part.text, 400)})")
        elif part.kind == "text" and part.text:
            lines.append(part.text)
    return lines


def _quote(text: str | None) -> dict[str, Any] | None:
    """Return the head of a text and how many characters were left out."""
    return None if text is None else {"text": text[:QUOTE], "more": max(0, len(text) - QUOTE)}
