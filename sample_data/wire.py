"""The request dialects of the samples: how messages, requests and answers look on the wire.

Gemini's is in :mod:`sample_data.wire_gemini`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Message = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A tool the model may use."""

    name: str
    description: str
    parameters: Mapping[str, str]
    """Name to ``type: description``; all are required."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        properties: dict[str, Any] = {}
        for name, text in self.parameters.items():
            kind, _, description = text.partition(": ")
            item = {"items": {"type": "string"}} if kind == "array" else {}
            properties[name] = {"type": kind, **item, "description": description}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


@dataclass(frozen=True)
class Block:
    """A piece of the fixed layer of a prompt."""

    layer: str
    text: str
    source: str | None = None


@dataclass(frozen=True)
class Wanted:
    """A tool call with the id the provider gave it."""

    id: str
    tool: str
    arguments: Mapping[str, Any]


class Wire(Protocol):
    """A dialect."""

    api: str
    endpoint: str

    def user(self, text: str) -> Message:
        """Return what a person said as a message."""

    def assistant(self, say: str | None, wanted: Sequence[Wanted]) -> Message:
        """Return an answer as a message."""

    def results(self, results: Sequence[tuple[Wanted, str]]) -> list[Message]:
        """Return tool results, each with the call that wanted it, as messages."""

    def summary(self, text: str) -> Message:
        """Return a summary as the message that stands for what it took."""

    def starts_turn(self, message: Message) -> bool:
        """Return whether a person's text stands in ``message``."""

    def holds_results(self, message: Message) -> bool:
        """Return whether ``message`` brings results of tools."""

    def request(
        self, model: str, fixed: Sequence[Block], history: Sequence[Message], tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of a request."""


class OpenAIChat:
    """``POST /v1/chat/completions``: the fixed layer as one system message a block."""

    api = "openai.chat"
    endpoint = "https://api.openai.com/v1/chat/completions"

    def user(self, text: str) -> Message:
        """Return what a person said as a message."""
        return {"role": "user", "content": text}

    def assistant(self, say: str | None, wanted: Sequence[Wanted]) -> Message:
        """Return an answer as a message."""
        message: Message = {"role": "assistant", "content": say}
        if wanted:
            message["tool_calls"] = [
                {
                    "id": one.id,
                    "type": "function",
                    "function": {"name": one.tool, "arguments": json.dumps(one.arguments, ensure_ascii=False)},
                }
                for one in wanted
            ]
        return message

    def results(self, results: Sequence[tuple[Wanted, str]]) -> list[Message]:
        """Return each tool result as a message of its own."""
        return [{"role": "tool", "tool_call_id": wanted.id, "content": text} for wanted, text in results]

    def summary(self, text: str) -> Message:
        """Return a summary as a system message."""
        return {"role": "system", "content": f"<summary>\n{text}\n</summary>"}

    def starts_turn(self, message: Message) -> bool:
        """Return whether this is a user message."""
        return bool(message["role"] == "user")

    def holds_results(self, message: Message) -> bool:
        """Return whether this is the message of a tool."""
        return bool(message["role"] == "tool")

    def request(
        self, model: str, fixed: Sequence[Block], history: Sequence[Message], tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of a request."""
        body: dict[str, Any] = {"model": model, "temperature": 0.2}
        body["messages"] = [*({"role": "system", "content": block.text} for block in fixed), *history]
        if tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.schema(),
                    },
                }
                for tool in tools
            ]
        return body


class AnthropicMessages:
    """``POST /v1/messages``: the fixed layer joined into one system string, a moving cache marker."""

    api = "anthropic.messages"
    endpoint = "https://api.anthropic.com/v1/messages"

    def user(self, text: str) -> Message:
        """Return what a person said as a message."""
        return {"role": "user", "content": text}

    def assistant(self, say: str | None, wanted: Sequence[Wanted]) -> Message:
        """Return an answer as a message of blocks."""
        blocks: list[dict[str, Any]] = [{"type": "text", "text": say}] if say else []
        blocks += [{"type": "tool_use", "id": w.id, "name": w.tool, "input": dict(w.arguments)} for w in wanted]
        return {"role": "assistant", "content": blocks}

    def results(self, results: Sequence[tuple[Wanted, str]]) -> list[Message]:
        """Return all tool results as one user message."""
        blocks = [{"type": "tool_result", "tool_use_id": wanted.id, "content": text} for wanted, text in results]
        return [{"role": "user", "content": blocks}]

    def summary(self, text: str) -> Message:
        """Return a summary as a user message, the only place this dialect has for it."""
        return {"role": "user", "content": f"<summary>\n{text}\n</summary>"}

    def starts_turn(self, message: Message) -> bool:
        """Return whether this is a user message of text that is no summary."""
        content = message["content"]
        return bool(message["role"] == "user" and isinstance(content, str) and not content.startswith("<summary>"))

    def holds_results(self, message: Message) -> bool:
        """Return whether this is a user message of tool results."""
        content = message["content"]
        return bool(message["role"] == "user" and isinstance(content, list) and content[0]["type"] == "tool_result")

    def request(
        self, model: str, fixed: Sequence[Block], history: Sequence[Message], tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of a request."""
        body: dict[str, Any] = {"model": model, "max_tokens": 8192}
        body["system"] = "\n\n".join(block.text for block in fixed)
        if tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.schema()} for tool in tools
            ]
            body["tools"][-1]["cache_control"] = {"type": "ephemeral"}
        body["messages"] = [*history[:-1], _with_cache_marker(history[-1])]
        return body


def _with_cache_marker(message: Message) -> Message:
    """Return ``message`` with a cache marker on its last block; the history keeps it without."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    blocks[-1] = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
    return {**message, "content": blocks}
