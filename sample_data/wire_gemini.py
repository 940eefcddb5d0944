"""Google's request dialect: contents of parts, the instructions beside them, the model in the address."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sample_data.wire import Block, Message, Tool, Wanted


class GeminiGenerateContent:
    """``POST /v1beta/models/{model}:generateContent``: the fixed layer as one part a block.

    Tool calls have no ids, as those of Gemini 2.5: a result is known by the name of its tool and by its place.
    """

    api = "gemini.generate_content"

    def __init__(self, model: str) -> None:
        self.endpoint = f"https://generativelanguage.googleapis.com/v1beta/models/{model}:generateContent"

    def user(self, text: str) -> Message:
        """Return what a person said as a message."""
        return {"role": "user", "parts": [{"text": text}]}

    def assistant(self, say: str | None, wanted: Sequence[Wanted]) -> Message:
        """Return an answer as a content of parts."""
        parts: list[dict[str, Any]] = [{"text": say}] if say else []
        parts += [{"functionCall": {"name": one.tool, "args": dict(one.arguments)}} for one in wanted]
        return {"role": "model", "parts": parts}

    def results(self, results: Sequence[tuple[Wanted, str]]) -> list[Message]:
        """Return all tool results as one content of the user; what is no JSON object becomes one."""
        parts = []
        for wanted, text in results:
            response = json.loads(text) if text.startswith("{") else {"result": text}
            parts.append({"functionResponse": {"name": wanted.tool, "response": response}})
        return [{"role": "user", "parts": parts}]

    def summary(self, text: str) -> Message:
        """Return a summary as a content of the user, the only place this dialect has for it."""
        return {"role": "user", "parts": [{"text": f"<summary>\n{text}\n</summary>"}]}

    def starts_turn(self, message: Message) -> bool:
        """Return whether this is a user's content of text that is no summary."""
        texts = [part["text"] for part in message["parts"] if "text" in part]
        return bool(message["role"] == "user" and texts and not texts[0].startswith("<summary>"))

    def holds_results(self, message: Message) -> bool:
        """Return whether this is a content of function responses."""
        return "functionResponse" in message["parts"][0]

    def request(
        self, model: str, fixed: Sequence[Block], history: Sequence[Message], tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of a request; ``model`` goes into the address, not here."""
        body: dict[str, Any] = {"systemInstruction": {"parts": [{"text": block.text} for block in fixed]}}
        body["contents"] = list(history)
        if tools:
            body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in tools]}]
        body["generationConfig"] = {"temperature": 0.2, "thinkingConfig": {"thinkingBudget": 0}}
        return body


def _declaration(tool: Tool) -> dict[str, Any]:
    # ``parameters`` takes a subset of JSON schema that knows no ``additionalProperties``.
    schema = {key: value for key, value in tool.schema().items() if key != "additionalProperties"}
    return {"name": tool.name, "description": tool.description, "parameters": schema}
