"""A Claude that thinks before it answers, and the agent's side of it: the thinking is sent back with the rest."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sample_data.provider import CLAUDE_TEXT, Answer, AnthropicModel, count
from sample_data.script import FOLDER
from sample_data.wire import AnthropicMessages, Block, Message, Tool
from sample_data.world import World

_SIGNATURE: Final = 184  # characters of the signature that proves a thinking block; real ones grow with the thought
_TOKENS_PER_SECOND: Final = 70


def load_thoughts(name: str) -> list[str]:
    """Read what the model thinks at each step of ``scenarios/<name>.toml``, in order; every step has a ``think``."""
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    return [step["think"].strip() for turn in data["turn"] for step in turn["step"]]


class ThinkingMessages(AnthropicMessages):
    """``POST /v1/messages`` with extended thinking between tool calls; whatever was thought stays in the history."""

    def __init__(self, budget: int) -> None:
        self._budget = budget

    def request(
        self, model: str, fixed: Sequence[Block], history: Sequence[Message], tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of a request."""
        body = super().request(model, fixed, history, tools)
        return {**body, "max_tokens": 2 * self._budget, "thinking": {"type": "enabled", "budget_tokens": self._budget}}


class ThinkingClaude(AnthropicModel):
    """Answers as ``POST /v1/messages`` does, a thinking block first; reads all the thinking it is sent."""

    def __init__(self, name: str, world: World, thoughts: Iterable[str]) -> None:
        super().__init__(name, world)
        self._thoughts = iter(thoughts)

    def answer(
        self, request: Mapping[str, Any], say: str | None, uses: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> Answer:
        """Answer a request with the next thought and what the script says; time passes meanwhile."""
        thought = next(self._thoughts)
        plain = super().answer({**request, "messages": [_as_text(m) for m in request["messages"]]}, say, uses)
        tokens = round(count(thought) * CLAUDE_TEXT)
        seconds = tokens / _TOKENS_PER_SECOND
        self._world.sleep(seconds)
        block = {"type": "thinking", "thinking": thought, "signature": self._world.provider_id("EqQB", _SIGNATURE)}
        message = {**plain.message, "content": [block, *plain.message["content"]]}
        usage = {**plain.body["usage"], "output_tokens": plain.body["usage"]["output_tokens"] + tokens}
        body = {**plain.body, "content": message["content"], "usage": usage}
        return replace(plain, message=message, body=body, duration_ms=round(plain.duration_ms + seconds * 1_000, 1))


def _as_text(message: Message) -> Message:
    """Return a message as it is read and billed: thinking is text like any other, its signature is not counted."""
    if isinstance(message["content"], str):
        return message
    blocks = [
        {"type": "text", "text": block["thinking"]} if block["type"] == "thinking" else block
        for block in message["content"]
    ]
    return {**message, "content": blocks}
