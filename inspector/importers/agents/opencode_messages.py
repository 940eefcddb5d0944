"""OpenCode's messages and parts in the shape of the API they were sent to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from inspector.importers.reading.values import spaced

CLEARED: Final = "[Old tool result content cleared]"
"""What OpenCode puts in the place of a tool's output that it has pruned."""

INTERRUPTED: Final = "[Tool execution was interrupted]"
"""What OpenCode sends for a tool that never came to an end."""

COMPACTION_PROMPT: Final = "What did we do so far?"
"""What OpenCode sends in the place of the message that asked for a compaction."""

Part = Mapping[str, Any]


@dataclass
class Message:
    """A message of a session and its parts, as the events left them."""

    info: dict[str, Any]
    parts: dict[str, Part] = field(default_factory=dict)
    """By id, in the order in which they came."""

    @property
    def role(self) -> str:
        """``user`` or ``assistant``."""
        return str(self.info.get("role"))

    @property
    def is_summary(self) -> bool:
        """It is the summary of a compaction."""
        return self.info.get("summary") is True

    @property
    def asks_compaction(self) -> bool:
        """It is the message that a compaction stands for."""
        return any(part.get("type") == "compaction" for part in self.parts.values())


def in_context(messages: Iterable[Message]) -> list[Message]:
    """Leave out what a finished compaction left behind: all before it, but for the tail it keeps."""
    everything = list(messages)
    for place in range(len(everything) - 1, -1, -1):
        summary = everything[place]
        if not summary.is_summary or summary.info.get("finish") is None:
            continue
        asked = str(summary.info.get("parentID"))
        begin = next((i for i in range(place) if everything[i].info.get("id") == asked), place)
        tail = _tail(everything[:begin], everything[begin]) if begin < place else []
        return [everything[begin], *([summary] if begin < place else []), *tail, *everything[place + 1 :]]
    return everything


def _tail(before: list[Message], asked: Message) -> list[Message]:
    """Give the messages that a compaction keeps verbatim."""
    starts = [part.get("tail_start_id") for part in asked.parts.values() if part.get("type") == "compaction"]
    start = next((i for i, message in enumerate(before) if message.info.get("id") in starts and starts[0]), len(before))
    return before[start:]


def as_anthropic(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Write messages as Anthropic's API gets them; turns alternate."""
    sent: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "user":
            _append(sent, "user", [_user_block(part) for part in _user_parts(message)])
            continue
        answer: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        for part in message.parts.values():
            answer += _answer_blocks(part)
            results += _result_blocks(part)
        _append(sent, "assistant", answer)
        _append(sent, "user", results)
    return sent


def answer_blocks(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Write the parts of an answer as Anthropic's blocks."""
    return [block for part in parts for block in _answer_blocks(part)]


def as_chat(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Write messages as OpenAI's chat API gets them."""
    sent: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "user":
            blocks = [_chat_block(_user_block(part)) for part in _user_parts(message)]
            if blocks:
                sent.append({"role": "user", "content": blocks[0]["text"] if _one_text(blocks) else blocks})
            continue
        answer = chat_answer(message.parts.values())
        if answer is not None:
            sent.append(answer)
        results = (result for part in message.parts.values() for result in _result_blocks(part))
        sent += ({"role": "tool", "tool_call_id": one["tool_use_id"], "content": one["content"]} for one in results)
    return sent


def chat_answer(parts: Iterable[Part]) -> dict[str, Any] | None:
    """Write the parts of an answer as a message of OpenAI's chat API; None: they say nothing."""
    blocks = answer_blocks(parts)
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": spaced(block["input"])},
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    if not text and not calls:
        return None
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    return {**message, "tool_calls": calls} if calls else message


def _append(sent: list[dict[str, Any]], role: str, blocks: list[dict[str, Any]]) -> None:
    if not blocks:
        return
    if sent and sent[-1]["role"] == role:
        sent[-1] = {"role": role, "content": [*sent[-1]["content"], *blocks]}
    else:
        sent.append({"role": role, "content": blocks})


def _user_parts(message: Message) -> list[Part]:
    return [
        part
        for part in message.parts.values()
        if part.get("type") in ("text", "file", "compaction") and part.get("ignored") is not True
    ]


def _user_block(part: Part) -> dict[str, Any]:
    if part["type"] == "compaction":
        return {"type": "text", "text": COMPACTION_PROMPT}
    if part["type"] == "text":
        return {"type": "text", "text": str(part.get("text", ""))}
    kind, url = str(part.get("mime")), str(part.get("url"))
    if url.startswith("data:") and "," in url:
        source = {"type": "base64", "media_type": kind, "data": url.split(",", 1)[1]}
        return {"type": "image" if kind.startswith("image/") else "document", "source": source}
    return {"type": "text", "text": f"[Attached {kind}: {part.get('filename') or url}]"}


def _chat_block(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "text":
        return block
    source = block["source"]
    url = f"data:{source['media_type']};base64,{source['data']}"
    return {"type": "image_url", "image_url": {"url": url}}


def _one_text(blocks: list[dict[str, Any]]) -> bool:
    return len(blocks) == 1 and blocks[0]["type"] == "text"


def _answer_blocks(part: Part) -> list[dict[str, Any]]:
    kind = part.get("type")
    if kind == "text" and part.get("text"):
        return [{"type": "text", "text": part["text"]}]
    if kind == "reasoning" and part.get("text"):
        known = part.get("metadata")
        provider = known.get("anthropic") if isinstance(known, dict) else None
        signature = provider.get("signature") if isinstance(provider, dict) else None
        return [{"type": "thinking", "thinking": part["text"], "signature": signature}] if signature else []
    if kind == "tool":
        state = _state(part)
        return [{"type": "tool_use", "id": part.get("callID"), "name": part.get("tool"), "input": state.get("input")}]
    return []


def _result_blocks(part: Part) -> list[dict[str, Any]]:
    if part.get("type") != "tool":
        return []
    state = _state(part)
    status, time = state.get("status"), state.get("time")
    content, failed = INTERRUPTED, True
    if status == "completed":
        pruned = isinstance(time, dict) and time.get("compacted")
        content, failed = CLEARED if pruned else str(state.get("output")), False
    elif status == "error":
        content = str(state.get("error"))
    result = {"type": "tool_result", "tool_use_id": part.get("callID"), "content": content}
    return [{**result, "is_error": True} if failed else result]


def _state(part: Part) -> Mapping[str, Any]:
    state = part.get("state")
    return state if isinstance(state, dict) else {}
