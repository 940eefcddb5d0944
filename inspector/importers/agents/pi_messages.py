"""pi's own messages in the shape of the API they were sent to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.importers.reading.values import compact

ANTHROPIC: Final = "anthropic-messages"
"""pi's name of the API whose shape is Anthropic's; every other is written as OpenAI chat."""

SUMMARY: Final = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
)
"""What pi puts around the summary of a compaction."""

BRANCH_SUMMARY: Final = (
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
)
"""What pi puts around the summary of a branch that was left."""

Message = dict[str, Any]


def as_sent(message: Mapping[str, Any], api: str) -> Message | None:
    """Write one of pi's messages as the API gets it; None: it is not sent.

    Args:
        message: ``user``, ``assistant``, ``toolResult`` or ``bashExecution``.
        api: pi's name of the API.
    """
    role, content = message.get("role"), message.get("content")
    if role in ("user", "custom"):
        return {"role": "user", "content": _user(content, api)}
    if role == "bashExecution" and message.get("excludeFromContext") is not True:
        return {"role": "user", "content": _bash(message)}
    if role == "assistant":
        if message.get("stopReason") in ("aborted", "error"):
            return None
        return _anthropic_answer(content) if api == ANTHROPIC else _chat_answer(content)
    if role == "toolResult":
        return _anthropic_result(message) if api == ANTHROPIC else _chat_result(message)
    return None


def summary_message(text: str, around: tuple[str, str]) -> Message:
    """Write a summary as the message of the user that pi makes of it."""
    return {"role": "user", "content": f"{around[0]}{text}{around[1]}"}


def joined_results(first: Message, second: Message) -> Message | None:
    """Make one message of two that hold tool results, as Anthropic's API wants them; None: they are no such."""
    if not all(_holds_results(message) for message in (first, second)):
        return None
    return {"role": "user", "content": [*first["content"], *second["content"]]}


def answer_body(message: Mapping[str, Any], api: str) -> dict[str, Any]:
    """Write an answer as the provider's body."""
    stop, usage = message.get("stopReason"), message.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    content = message.get("content")
    if api == ANTHROPIC:
        return {
            "role": "assistant",
            "model": message.get("model"),
            **(_anthropic_answer(content) or {"content": []}),
            "stop_reason": {"toolUse": "tool_use", "stop": "end_turn", "length": "max_tokens"}.get(str(stop), stop),
            "usage": _anthropic_usage(usage),
        }
    reason = {"toolUse": "tool_calls"}.get(str(stop), stop)
    answer = _chat_answer(content) or {"role": "assistant", "content": None}
    return {"choices": [{"message": answer, "finish_reason": reason}], "usage": _chat_usage(usage)}


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(content: Any) -> str:
    return "\n".join(str(block.get("text", "")) for block in _blocks(content) if block.get("type") == "text")


def _user(content: Any, api: str) -> Any:
    if isinstance(content, str):
        return content
    return [_user_block(block, api) for block in _blocks(content)]


def _user_block(block: Mapping[str, Any], api: str) -> dict[str, Any]:
    if block.get("type") != "image":
        return {"type": "text", "text": str(block.get("text", ""))}
    kind, data = block.get("mimeType"), block.get("data")
    if api == ANTHROPIC:
        return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}


def _bash(message: Mapping[str, Any]) -> str:
    """Write a command that the user ran as pi tells it to the model."""
    text, output = f"Ran `{message.get('command')}`\n", message.get("output")
    text += f"```\n{output}\n```" if output else "(no output)"
    if message.get("cancelled"):
        return f"{text}\n\n(command cancelled)"
    return f"{text}\n\nCommand exited with code {message['exitCode']}" if message.get("exitCode") else text


def _anthropic_answer(content: Any) -> Message | None:
    found: list[dict[str, Any]] = []
    for block in _blocks(content):
        kind = block.get("type")
        if kind == "text" and str(block.get("text", "")).strip():
            found.append({"type": "text", "text": block["text"]})
        elif kind == "thinking":
            signature = block.get("thinkingSignature")
            signed = {"type": "thinking", "thinking": block.get("thinking"), "signature": signature}
            found.append(signed if signature else {"type": "text", "text": str(block.get("thinking"))})
        elif kind == "toolCall":
            called = {"id": block.get("id"), "name": block.get("name"), "input": block.get("arguments")}
            found.append({"type": "tool_use", **called})
    return {"role": "assistant", "content": found} if found else None


def _chat_answer(content: Any) -> Message | None:
    text = _text(content)
    calls = [
        {
            "id": block.get("id"),
            "type": "function",
            "function": {
                "name": block.get("name"),
                "arguments": compact(block.get("arguments")),
            },
        }
        for block in _blocks(content)
        if block.get("type") == "toolCall"
    ]
    if not text and not calls:
        return None
    answer: Message = {"role": "assistant", "content": text or None}
    return {**answer, "tool_calls": calls} if calls else answer


def _anthropic_result(message: Mapping[str, Any]) -> Message:
    blocks = _blocks(message.get("content"))
    images = any(block.get("type") == "image" for block in blocks)
    content = [_user_block(block, ANTHROPIC) for block in blocks] if images else _text(blocks)
    result = {"type": "tool_result", "tool_use_id": message.get("toolCallId"), "content": content}
    return {"role": "user", "content": [{**result, "is_error": bool(message.get("isError"))}]}


def _chat_result(message: Mapping[str, Any]) -> Message:
    return {"role": "tool", "tool_call_id": message.get("toolCallId"), "content": _text(message.get("content"))}


def _holds_results(message: Message) -> bool:
    content = message["content"]
    return (
        message["role"] == "user" and isinstance(content, list) and all(b.get("type") == "tool_result" for b in content)
    )


def _anthropic_usage(usage: Mapping[str, Any]) -> dict[str, Any] | None:
    names = {
        "input_tokens": "input",
        "output_tokens": "output",
        "cache_read_input_tokens": "cacheRead",
        "cache_creation_input_tokens": "cacheWrite",
    }
    return {name: usage[own] for name, own in names.items() if own in usage} or None


def _chat_usage(usage: Mapping[str, Any]) -> dict[str, Any] | None:
    """Count as OpenAI does: what came from the cache is part of the prompt; with pi it stands beside it."""
    if "input" not in usage:
        return None
    cached = usage.get("cacheRead") or 0
    return {
        "prompt_tokens": usage["input"] + cached + (usage.get("cacheWrite") or 0),
        "completion_tokens": usage.get("output"),
        "prompt_tokens_details": {"cached_tokens": cached},
    }
