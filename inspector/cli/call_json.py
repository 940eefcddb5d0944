"""One call as JSON: the fields that ``docs/cli.md`` documents."""

from __future__ import annotations

from typing import Any

from inspector.cli.terminal import plain
from inspector.model.layers import Layer
from inspector.model.request import Message, Part
from inspector.model.seen import SeenContext
from inspector.model.views import AnswerView, CallRow, CallView, MessageRow

_TOKEN_FIELDS = frozenset({"composition", "origins", "counted", "provider", "calibrated", "unattributed", "tokens"})
"""Fields of a call that are gathered under ``tokens``."""


def call_json(session: str, view: CallView) -> dict[str, Any]:
    """Describe a call: who and when, its tokens by layer with their origins, its messages, its answer."""
    call: dict[str, Any] = plain(view.call)
    return {
        "session": session,
        "call": {name: value for name, value in call.items() if name not in _TOKEN_FIELDS},
        "tokens": tokens_json(view.call),
        "messages": [message_json(row) for row in view.messages],
        "effective": None if view.seen is None else effective_json(view.seen),
        "parameters": plain(view.parameters),
        "answer": answer_json(view.answer) if view.answer is not None else None,
        "replaced": plain(view.replaced),
        "sha256": view.sha256,
        "body_size": view.body_size,
    }


def effective_json(seen: SeenContext) -> dict[str, Any]:
    """Describe what the model saw where that is not what was sent."""
    return {
        "certainty": seen.certainty,
        "messages": [
            {
                **message_json(row.row),
                "origin": row.origin,
                "sent_place": row.sent,
                "source_call": row.source_call,
                "certainty": row.certainty,
                "why": row.why,
            }
            for row in seen.rows
        ],
        "not_seen": [
            {
                **message_json(one.row),
                "parts_not_seen": list(one.parts),
                "reason": one.reason,
                "certainty": one.certainty,
            }
            for one in seen.removed
        ],
        "notes": list(seen.notes),
    }


def tokens_json(call: CallRow) -> dict[str, Any]:
    """Gather a call's figures, each with its origin."""
    return {
        "layers": {
            layer.value: {"count": call.composition[layer], "origin": call.origins.get(layer, "unknown")}
            for layer in Layer
            if layer in call.composition
        },
        "counted": plain(call.counted),
        "counted_as_sent": plain(call.server.sent if call.server is not None else call.counted),
        "provider": plain(call.provider),
        "calibrated": plain(call.calibrated),
        "unattributed": call.unattributed,
        "shown": plain(call.tokens),
    }


def message_json(row: MessageRow) -> dict[str, Any]:
    """Describe a message: where it stands, what it says, what it costs."""
    return {
        "place": row.place,
        "number": f"m{row.number}",
        "member": row.member,
        "index": row.index,
        "role": row.message.role,
        "name": row.message.name,
        "layer": row.layer.value,
        "tokens": plain(row.tokens),
        "pinned": plain(row.pinned),
        "born_call": row.born_call,
        "content": row.content,
        "hole": row.hole,
        "text": plain(row.message.text),
        "parts": [part_json(part) for part in row.message.parts],
        "segments": plain(row.segments),
    }


def part_json(part: Part) -> dict[str, Any]:
    """Describe a part of a message."""
    described: dict[str, Any] = plain(part)
    return described


def answer_json(answer: AnswerView) -> dict[str, Any]:
    """Describe an answer."""
    described: dict[str, Any] = plain(answer)
    described["messages"] = [_answer_message(message) for message in answer.messages]
    return described


def _answer_message(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "text": plain(message.text),
        "parts": [part_json(part) for part in message.parts],
    }
