"""A policy that saves tokens on tool results, as many agents have it: it cuts those that are not the newest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sample_data.wire import Message

MARK: Final = "[… truncated]"
"""What stands where the rest of a result stood."""


@dataclass
class NewestResultWhole:
    """Cuts every tool result of a chat completion but the newest to its beginning, and records nothing of it.

    The newest are those the model has not answered to yet.
    """

    at_most: int
    """Characters that are left of a result."""

    def fit(self, history: list[Message]) -> list[Message]:
        """Return the history with the older results cut."""
        answered = max((place for place, message in enumerate(history) if message["role"] == "assistant"), default=0)
        return [self._cut(message) if place < answered else message for place, message in enumerate(history)]

    def _cut(self, message: Message) -> Message:
        content = message["content"]
        if message["role"] != "tool" or len(content) <= self.at_most:
            return message
        return {**message, "content": content[: self.at_most - len(MARK)] + MARK}
