"""A Claude whose server edits the context it is sent: clears old tool results, and compacts what grows too long.

The client sends everything again each time and is told only in the answer; what the model reads is less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sample_data.provider import Answer, AnthropicModel, claude_costs
from sample_data.wire import AnthropicMessages, Block, Message, Tool
from sample_data.world import World

CLEAR_TOOL_USES: Final = "clear_tool_uses_20250919"
COMPACT: Final = "compact_20260112"
LEAST_TRIGGER: Final = 50_000
"""Input tokens below which the API takes no trigger of a compaction."""


class EditingMessages(AnthropicMessages):
    """``POST /v1/messages`` with ``context_management``: the server is asked to keep the context short."""

    def __init__(self, *edits: Mapping[str, Any]) -> None:
        self._edits = [dict(edit) for edit in edits]

    def request(
        self, model: str, fixed: Sequence[Block], history: Sequence[Message], tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of a request."""
        return {**super().request(model, fixed, history, tools), "context_management": {"edits": self._edits}}


def clear_tool_uses(trigger: int, keep: int) -> dict[str, Any]:
    """Return the edit that clears the oldest tool results once the prompt has more than ``trigger`` tokens."""
    return {
        "type": CLEAR_TOOL_USES,
        "trigger": {"type": "input_tokens", "value": trigger},
        "keep": {"type": "tool_uses", "value": keep},
    }


def compact(trigger: int = LEAST_TRIGGER) -> dict[str, Any]:
    """Return the edit that compacts the conversation once the prompt has more than ``trigger`` tokens."""
    return {"type": COMPACT, "trigger": {"type": "input_tokens", "value": trigger}}


class EditingClaude(AnthropicModel):
    """Answers as ``POST /v1/messages`` does with the context-management betas."""

    def __init__(self, name: str, world: World, summaries: Iterable[str]) -> None:
        super().__init__(name, world)
        self._summaries = iter(summaries)

    def answer(
        self, request: Mapping[str, Any], say: str | None, uses: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> Answer:
        """Answer a request from what is left of it after its edits; time passes meanwhile."""
        edits = {edit["type"]: edit for edit in request["context_management"]["edits"]}
        seen = {**request, "messages": _since_compaction(request["messages"])}
        applied = []
        if CLEAR_TOOL_USES in edits and _exceeds(seen, edits[CLEAR_TOOL_USES]):
            messages, cleared = _without_old_results(seen["messages"], edits[CLEAR_TOOL_USES]["keep"]["value"])
            if cleared:
                tokens = sum(claude_costs(seen)) - sum(claude_costs({**seen, "messages": messages}))
                applied = [{"type": CLEAR_TOOL_USES, "cleared_tool_uses": cleared, "cleared_input_tokens": tokens}]
                seen["messages"] = messages
        if COMPACT in edits and _exceeds(seen, edits[COMPACT]):
            return self._compact(seen, say, uses)
        answer = super().answer(seen, say, uses)
        usage = answer.body["usage"]
        context = {"context_management": {"applied_edits": applied}}
        return replace(
            answer, body={**answer.body, **context, "usage": {**usage, "iterations": [_pass("message", usage)]}}
        )

    def _compact(
        self, seen: Mapping[str, Any], say: str | None, uses: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> Answer:
        """Summarise all that was said, then answer from the summary: two passes, one response."""
        first = super().answer(seen, next(self._summaries), ())
        block = {"type": "compaction", "content": first.message["content"][0]["text"]}
        second = super().answer({**seen, "messages": [{"role": "assistant", "content": [block]}]}, say, uses)
        message = {**second.message, "content": [block, *second.message["content"]]}
        passes = [_pass("compaction", first.body["usage"]), _pass("message", second.body["usage"])]
        body = {
            **second.body,
            "content": message["content"],
            "context_management": {"applied_edits": []},
            "usage": {**second.body["usage"], "iterations": passes},
        }
        duration_ms = round(first.duration_ms + second.duration_ms, 1)
        return replace(second, message=message, body=body, duration_ms=duration_ms)


def _exceeds(request: Mapping[str, Any], edit: Mapping[str, Any]) -> bool:
    return sum(claude_costs(request)) > int(edit["trigger"]["value"])


def _pass(kind: str, usage: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": kind, **{name: count for name, count in usage.items() if name.endswith("_tokens")}}


def _since_compaction(messages: Sequence[Message]) -> list[Message]:
    """Return the messages from the last compaction block on: the API does not read what stands before it."""
    for place in range(len(messages) - 1, -1, -1):
        content = messages[place]["content"]
        kinds = [block["type"] for block in content] if isinstance(content, list) else []
        if "compaction" in kinds:
            last = len(kinds) - 1 - kinds[::-1].index("compaction")
            return [{**messages[place], "content": content[last:]}, *messages[place + 1 :]]
    return list(messages)


def _without_old_results(messages: Sequence[Message], keep: int) -> tuple[list[Message], int]:
    """Return the messages with all tool results emptied but the newest, and how many were."""
    results = [
        block["tool_use_id"]
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    old = set(results[:-keep])
    return [_emptied(message, old) for message in messages], len(old)


def _emptied(message: Message, old: set[str]) -> Message:
    content = message["content"]
    if isinstance(content, str):
        return message
    blocks = [{**block, "content": ""} if block.get("tool_use_id") in old else block for block in content]
    return {**message, "content": blocks}
