"""Three sessions whose context grows call by call: what the recorder is measured on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

CALLS: Final = 200
FINAL_BYTES: Final = 1_000_000
"""Size of the last body: a long agent session near a 256,000-token window."""

SYSTEM: Final = "You are the support agent of a shop. Answer in the language of the customer. " * 25

Session = Callable[[int, int], Iterator[dict[str, Any]]]
"""Makes the bodies of a session: calls, bytes of the last."""


def _texts(calls: int, size: int) -> list[str]:
    """One text per call, of words and digits, so that nothing in it repeats by design."""
    rng = random.Random(7)
    words = ["order", "refund", "地址", "invoice", "parcel", "customer", "late", "“quoted”", "line\nbreak", "42"]
    texts = []
    for _ in range(calls):
        text = ""
        while len(text.encode()) < size:
            text += " ".join(rng.choices(words, k=40)) + f" {rng.randrange(10**12)} "
        texts.append(text)
    return texts


def separate_messages(calls: int = CALLS, final: int = FINAL_BYTES) -> Iterator[dict[str, Any]]:
    """OpenAI chat: a message is appended per call, as a tool-using agent does."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    for number, text in enumerate(_texts(calls, final // calls)):
        messages.append({"role": "assistant" if number % 2 else "user", "content": text})
        yield {"model": "gpt-4.1", "temperature": 0.2, "messages": list(messages)}


def joined_string(calls: int = CALLS, final: int = FINAL_BYTES) -> Iterator[dict[str, Any]]:
    """One user message of joined layers: a state line near its head changes, history grows at its end."""
    history = ""
    for number, text in enumerate(_texts(calls, final // calls)):
        history += f"\n[{number}] {text}"
        state = f"<state>step {number} of {calls}, {number * 7919} tokens used</state>"
        prompt = f"{SYSTEM}\n{state}\n<history>{history}</history>"
        yield {"model": "gpt-4.1", "messages": [{"role": "user", "content": prompt}]}


def moving_cache_marker(calls: int = CALLS, final: int = FINAL_BYTES) -> Iterator[dict[str, Any]]:
    """Anthropic messages: ``cache_control`` always stands on the last message."""
    texts = _texts(calls, final // calls)
    for number in range(calls):
        messages = [
            {"role": "assistant" if i % 2 else "user", "content": [{"type": "text", "text": text}]}
            for i, text in enumerate(texts[: number + 1])
        ]
        last: dict[str, Any] = messages[-1]["content"][0]  # type: ignore[index, assignment]
        last["cache_control"] = {"type": "ephemeral"}
        yield {
            "model": "claude-sonnet-4-5",
            "max_tokens": 4096,
            "system": [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}],
            "messages": messages,
        }


SESSIONS: Final[dict[str, Session]] = {
    "separate messages": separate_messages,
    "one joined string, a line of it changing": joined_string,
    "Anthropic, moving cache marker": moving_cache_marker,
}
"""By the name the table shows."""
