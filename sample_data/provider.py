"""A model that answers from a script, and bills like the real one: usage, cache, ids, time.

The figures are counted here, by rules of the providers and not by the inspector's code, so that the inspector has
something to be measured against. Gemini's are in :mod:`sample_data.provider_gemini`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from inspector.model.tokens.vocabulary import load_encoding
from sample_data.wire import AnthropicMessages, Message, OpenAIChat, Wanted
from sample_data.world import World

_MESSAGE_TOKENS: Final = 3  # OpenAI: each message is framed by three tokens
_PRIMING_TOKENS: Final = 3  # OpenAI: every prompt ends in the start of the answer
_TOOL_CALL_TOKENS: Final = 5  # around name and arguments of a call
_OPENAI_CACHE_FROM, _OPENAI_CACHE_STEP = 1024, 128  # shortest cached prefix, and its granularity
_OPENAI_CACHE_SECONDS: Final = 600
CLAUDE_TEXT, _CLAUDE_JSON = 1.08, 1.18  # tokens of Claude per token of o200k_base: prose, JSON
_CLAUDE_TOOL_TOKENS: Final = 346  # the instructions Anthropic adds when tools are given
_CLAUDE_CACHE_FROM: Final = 1024
_CLAUDE_CACHE_SECONDS: Final = 300


@dataclass(frozen=True)
class Answer:
    """What came back from the provider."""

    message: Message
    """The answer as it joins the history."""
    body: dict[str, Any]
    """The whole response body."""
    wanted: tuple[Wanted, ...]
    """The tool calls in it."""
    duration_ms: float


class Model(Protocol):
    """A scripted model behind a provider's interface."""

    name: str

    def answer(
        self, request: Mapping[str, Any], say: str | None, uses: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> Answer:
        """Answer a request with what the script says; time passes meanwhile."""


def count(text: str) -> int:
    """Count the tokens of a text in o200k_base."""
    return len(load_encoding("o200k_base").encode_ordinary(text))


class PromptCache:
    """What a provider's prompt cache remembers: the prompts of late, as lists of pieces."""

    def __init__(self, world: World, seconds: float) -> None:
        self._world = world
        self._lifetime_ns = int(seconds * 1e9)
        self._seen: list[tuple[int, list[str]]] = []

    def common(self, pieces: list[str]) -> tuple[int, int]:
        """Return how many leading pieces are known, and how many pieces that known prompt has; remember this one."""
        now = self._world.mono_ns()
        self._seen = [(at, known) for at, known in self._seen if now - at < self._lifetime_ns]
        best = max((_common(known, pieces), -len(known)) for _, known in self._seen) if self._seen else (0, 0)
        self._seen.append((now, pieces))
        return best[0], -best[1]


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


class OpenAIModel:
    """Answers as ``POST /v1/chat/completions`` does."""

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self._world = world
        self._prefixes = PromptCache(world, _OPENAI_CACHE_SECONDS)

    def answer(
        self, request: Mapping[str, Any], say: str | None, uses: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> Answer:
        """Answer a request with what the script says; time passes meanwhile."""
        wanted = tuple(Wanted(self._world.provider_id("call_", 24), tool, arguments) for tool, arguments in uses)
        message = OpenAIChat().assistant(say, wanted)
        pieces = [_tools_text(request.get("tools", ())), *(json.dumps(m) for m in request["messages"])]
        costs = [count(pieces[0]), *(_message_tokens(m) for m in request["messages"])]
        known, _ = self._prefixes.common(pieces)
        cached = sum(costs[:known])
        cached -= cached % _OPENAI_CACHE_STEP
        output = _message_tokens(message) - _MESSAGE_TOKENS
        prompt = sum(costs) + _PRIMING_TOKENS
        seconds = 0.35 + prompt / 25_000 + output / 85 + self._world.random.uniform(-0.05, 0.3)
        created = int(self._world.now().timestamp())
        self._world.sleep(seconds)
        return Answer(
            message,
            {
                "id": self._world.provider_id("chatcmpl-", 29),
                "object": "chat.completion",
                "created": created,
                "model": f"{self.name}-2025-04-14",
                "choices": [
                    {
                        "index": 0,
                        "message": {**message, "refusal": None},
                        "logprobs": None,
                        "finish_reason": "tool_calls" if wanted else "stop",
                    }
                ],
                "usage": {
                    "prompt_tokens": prompt,
                    "completion_tokens": output,
                    "total_tokens": prompt + output,
                    "prompt_tokens_details": {
                        "cached_tokens": cached if cached >= _OPENAI_CACHE_FROM else 0,
                        "audio_tokens": 0,
                    },
                    "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
                },
                "service_tier": "default",
                "system_fingerprint": "fp_51e1070cf2",
            },
            wanted,
            round(seconds * 1_000, 1),
        )


def _message_tokens(message: Message) -> int:
    tokens = _MESSAGE_TOKENS + count(message["role"]) + count(message["content"] or "")
    for call in message.get("tool_calls", ()):
        tokens += _TOOL_CALL_TOKENS + count(call["function"]["name"]) + count(call["function"]["arguments"])
    return tokens


def _tools_text(tools: Sequence[Mapping[str, Any]]) -> str:
    """Render tool definitions as the models read them: a TypeScript namespace."""
    if not tools:
        return ""
    lines = ["# Tools\n\n## functions\n\nnamespace functions {\n"]
    for tool in tools:
        function = tool["function"]
        lines.append(f"// {function['description']}\ntype {function['name']} = (_: {{")
        for name, schema in function["parameters"]["properties"].items():
            kind = "string[]" if schema["type"] == "array" else schema["type"]
            lines.append(f"// {schema['description']}\n{name}: {kind},")
        lines.append("}) => any;\n")
    return "\n".join([*lines, "} // namespace functions"])


class AnthropicModel:
    """Answers as ``POST /v1/messages`` does."""

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self._world = world
        self._prefixes = PromptCache(world, _CLAUDE_CACHE_SECONDS)

    def answer(
        self, request: Mapping[str, Any], say: str | None, uses: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> Answer:
        """Answer a request with what the script says; time passes meanwhile."""
        wanted = tuple(Wanted(self._world.provider_id("toolu_01", 22), tool, arguments) for tool, arguments in uses)
        message = AnthropicMessages().assistant(say, wanted)
        tools = request.get("tools", ())
        pieces = [json.dumps(tools), request["system"], *(_unmarked(m) for m in request["messages"])]
        costs = claude_costs(request)
        known, known_length = self._prefixes.common(pieces)
        # A cache entry ends at a marker: after the tools, or after the last message of an earlier prompt.
        read = sum(costs[:known]) if known and known == known_length else costs[0] if known else 0
        read = read if read >= _CLAUDE_CACHE_FROM else 0
        plain = _MESSAGE_TOKENS
        output = _claude_message(message)
        seconds = 0.8 + sum(costs) / 30_000 + output / 70 + self._world.random.uniform(-0.1, 0.5)
        self._world.sleep(seconds)
        body = {
            "id": self._world.provider_id("msg_01", 22),
            "type": "message",
            "role": "assistant",
            "model": self.name,
            "content": message["content"],
            "stop_reason": "tool_use" if wanted else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": plain,
                "cache_creation_input_tokens": sum(costs) - read,
                "cache_read_input_tokens": read,
                "output_tokens": output,
                "service_tier": "standard",
            },
        }
        return Answer(message, body, wanted, round(seconds * 1_000, 1))


def claude_costs(request: Mapping[str, Any]) -> list[int]:
    """Return the tokens of the tools, of the instructions and of each message."""
    tools = request.get("tools", ())
    return [
        _claude(json.dumps(tools, ensure_ascii=False), _CLAUDE_JSON) + _CLAUDE_TOOL_TOKENS if tools else 0,
        _claude(request["system"], CLAUDE_TEXT),
        *(_claude_message(m) for m in request["messages"]),
    ]


def _unmarked(message: Message) -> str:
    """Return a message as the cache compares it: without markers, a string as one text block."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return json.dumps([message["role"], [{k: v for k, v in b.items() if k != "cache_control"} for b in blocks]])


def _claude(text: str, ratio: float) -> int:
    return round(count(text) * ratio)


def _claude_message(message: Message) -> int:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    tokens = 4
    for block in blocks:
        if block["type"] == "text":
            tokens += _claude(block["text"], CLAUDE_TEXT)
        elif block["type"] == "tool_use":
            tokens += 12 + _claude(block["name"] + json.dumps(block["input"], ensure_ascii=False), _CLAUDE_JSON)
        else:
            text = block["content"]
            tokens += 8 + _claude(text, _CLAUDE_JSON if text.startswith("{") else CLAUDE_TEXT)
    return tokens
