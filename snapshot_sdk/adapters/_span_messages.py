"""Messages as spans tell them, in every convention's words, as messages of OpenAI's chat completions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from snapshot_sdk.adapters._span_values import get, items, load, text

Message = dict[str, Any]

_ROLES: Final = {"ai": "assistant", "model": "assistant", "human": "user", "function": "tool"}
"""Other words for a role, of LangChain, Gemini and older APIs."""


def chat_messages(message: Any, role: str = "user") -> list[Message]:
    """Returns what a message is in OpenAI's shape: several, where it holds results of tools beside other parts.

    Args:
        message: With ``parts`` (semantic conventions, Gemini), ``contents`` (OpenInference) or ``content`` (OpenAI,
            Anthropic, Bedrock, Vercel, OpenLLMetry), or a text.
        role: Its role, where it names none.
    """
    if isinstance(message, str):
        return [{"role": role, "content": message}]
    if not isinstance(message, Mapping):
        return []
    role = _role(get(message, "role") or role)
    read = _Read()
    lists = (message[name] for name in ("parts", "contents") if isinstance(message.get(name), list | tuple))
    content = next(lists, message.get("content"))
    read.take(_blocks_in_text(content) if isinstance(content, str) else content)
    read.take_calls(items(message, "tool_calls"))
    read.reasoning += [found] if (found := text(message, "reasoning_content", "reasoning")) else []
    return read.messages(role, message)


def openinference_messages(messages: Iterable[tuple[int, Any]]) -> list[Message]:
    """Returns messages that are told in OpenInference's words (``message.role``, ``message_content.type`` …).

    Args:
        messages: Their indexes and attributes.
    """
    found: list[Message] = []
    for _, message in messages:
        if not isinstance(message, Mapping):
            continue
        read = _Read()
        for _, content in items(message, "message.contents"):
            read.take_one(_openinference_block(content))
        whole = get(message, "message.content")
        if whole is not None and not read.content:
            read.take(whole)
        read.take_calls(
            (index, {"id": get(call, "tool_call.id"), **_openinference_function(call)})
            for index, call in items(message, "message.tool_calls")
        )
        if name := text(message, "message.function_call_name"):
            arguments = get(message, "message.function_call_arguments_json")
            read.calls.append(_call(None, name, arguments))
        role = _role(get(message, "message.role") or "user")
        said = {
            "name": get(message, "message.name"),
            "tool_call_id": get(message, "message.tool_call_id"),
        }
        found += read.messages(role, said)
    return found


@dataclass
class _Read:
    """The parts of one message, sorted by where OpenAI's shape puts them."""

    content: list[Any] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    hidden: list[dict[str, Any]] = field(default_factory=list)
    """Thinking that only the provider can read."""
    refusal: str | None = None

    def take(self, content: Any) -> None:
        """Takes content: a text, a block or a list of both."""
        for block in content if isinstance(content, list | tuple) else (() if content is None else (content,)):
            self.take_one(block)

    def take_one(self, block: Any) -> None:
        """Takes one block by its type; blocks without one name themselves by a member (Bedrock, Gemini)."""
        if isinstance(block, Mapping) and "message_content" in block:
            block = _openinference_block(block)
        if not isinstance(block, Mapping):
            self.content.append(block if isinstance(block, str) else _json(block))
            return
        kind = block.get("type")
        if not isinstance(kind, str):
            kind = next((name for name in _MEMBERS if name in block), None)
        reader = _READERS.get(kind or "")
        if reader is None or not reader(self, block):
            self.content.append(dict(block))

    def take_calls(self, calls: Iterable[tuple[int, Any]]) -> None:
        """Takes tool calls that stand beside the content: OpenAI's, or flat ones with ``name``."""
        for _, call in calls:
            if isinstance(call, Mapping):
                call = call["tool_call"] if isinstance(call.get("tool_call"), Mapping) else call  # OpenInference
                name, arguments = get(call, "function.name", "name"), get(call, "function.arguments", "arguments")
                self.calls.append(_call(call.get("id"), name, arguments))

    def messages(self, role: str, said: Mapping[str, Any]) -> list[Message]:
        """Puts the message together; results of tools are messages of their own, before the rest of an answer to them.

        Where the message makes calls itself, the results it holds are theirs and follow.

        Args:
            role: Its role.
            said: What else it says: ``name``, ``tool_call_id`` or ``id``.
        """
        if role == "tool" and self.calls and not self.results:
            role = "assistant"  # Koog files the calls of tools under the role of their results
        if role == "tool" and not self.results:
            named = {"tool_call_id": said.get("tool_call_id") or said.get("id"), "name": said.get("name")}
            return [{"role": "tool", **_known(named), "content": _content(self.content)}]
        rest: Message = {"role": role, "content": _content(self.content) if self.content else None}
        if role != "tool" and isinstance(said.get("name"), str):
            rest["name"] = said["name"]
        if self.reasoning:
            rest["reasoning_content"] = "\n\n".join(self.reasoning)
        if self.refusal is not None:
            rest["refusal"] = self.refusal
        if self.hidden:
            rest["thinking_blocks"] = self.hidden
        if self.calls:
            rest["tool_calls"] = self.calls
            return [rest, *self.results]
        alone = self.results and not (self.content or self.reasoning or self.hidden or self.refusal)
        return self.results if alone else [*self.results, rest]


Reader = Callable[[_Read, Mapping[str, Any]], bool]
"""Takes a block; False: it is not what its type says, and is kept as it is."""


def _take_text(read: _Read, block: Mapping[str, Any]) -> bool:
    found = next((block[name] for name in ("text", "content") if isinstance(block.get(name), str)), None)
    if found is not None and block.get("thought") is True:  # Gemini
        read.reasoning.append(found)
    elif found is not None:
        read.content.append(found)
    return found is not None


def _take_reasoning(read: _Read, block: Mapping[str, Any]) -> bool:
    names = ("content", "thinking", "text", "reasoning")
    found = next((block[name] for name in names if isinstance(block.get(name), str)), None)
    found = found if found is not None else text(block, "reasoningContent.reasoningText.text")
    hidden = text(block, "data", "signature", "encrypted_content")
    if found:
        read.reasoning.append(found)
    elif hidden is not None:
        read.hidden.append({"type": "redacted_thinking", "data": hidden})
    return found is not None or hidden is not None


def _take_refusal(read: _Read, block: Mapping[str, Any]) -> bool:
    read.refusal = text(block, "refusal", "content")
    return read.refusal is not None


def _take_call(read: _Read, block: Mapping[str, Any]) -> bool:
    inner = get(block, "toolUse", "functionCall", "function_call", "function")
    call = inner if isinstance(inner, Mapping) else block
    name = get(call, "name", "toolName")
    if not isinstance(name, str):
        return False
    identity = get(call, "id", "toolUseId", "toolCallId", "call_id") or block.get("id")
    read.calls.append(_call(identity, name, get(call, "arguments", "input", "args")))
    return True


def _take_result(read: _Read, block: Mapping[str, Any]) -> bool:
    inner = get(block, "toolResult", "functionResponse", "function_response")
    result = inner if isinstance(inner, Mapping) else block
    identity = get(result, "id", "tool_use_id", "toolUseId", "toolCallId", "tool_call_id", "call_id")
    output = next((result[name] for name in _OUTPUTS if name in result), None)
    if isinstance(output, Mapping) and output.keys() == {"type", "value"}:  # Vercel's say of what type they are
        output = output["value"]
    named = {"tool_call_id": identity, "name": get(result, "name", "toolName")}
    read.results.append({"role": "tool", **_known(named), "content": _result_text(output)})
    return True


def _take_media(read: _Read, block: Mapping[str, Any]) -> bool:
    """Semantic conventions' ``blob``, ``uri`` and ``file``, and the images and files of Anthropic and Vercel."""
    source = block.get("source") if isinstance(block.get("source"), Mapping) else block
    data = text(source, "content", "data", "image")
    mime = text(source, "mime_type", "media_type", "mimeType", "mediaType")
    address = text(source, "uri", "url")
    if data is not None and data.startswith(_ADDRESSES):
        address, data = data, None
    elif data is not None:
        address = f"data:{mime or 'application/octet-stream'};base64,{data}"
    identity = text(block, "file_id")
    told = block.get("modality") or block.get("type")
    if address is not None and (told == "image" or (mime or "image/").startswith("image/")):
        read.content.append({"type": "image_url", "image_url": {"url": address}})
    elif address is not None:
        read.content.append({"type": "file", "file": {"file_data" if data is not None else "file_url": address}})
    elif identity is not None:
        read.content.append({"type": "file", "file": {"file_id": identity}})
    return address is not None or identity is not None


_THINKING: Final = ("reasoning", "thinking", "thinking_content", "redacted_thinking", "reasoningContent")

_ADDRESSES: Final = ("data:", "http:", "https:", "gs:", "s3:")
"""How a value begins that is an address and no data."""

_OUTPUTS: Final = ("response", "result", "content", "output")
"""Members in which the conventions keep what a tool gave back."""

_READERS: Final[Mapping[str, Reader]] = {
    **dict.fromkeys(("text", "input_text", "output_text"), _take_text),
    **dict.fromkeys(_THINKING, _take_reasoning),
    "refusal": _take_refusal,
    **dict.fromkeys(
        ("tool_call", "tool_use", "tool-call", "function", "toolUse", "functionCall", "function_call"), _take_call
    ),
    **dict.fromkeys(
        ("tool_call_response", "tool_result", "tool-result", "toolResult", "functionResponse", "function_response"),
        _take_result,
    ),
    **dict.fromkeys(("blob", "uri", "file", "image"), _take_media),
}
_MEMBERS: Final = ("toolUse", "toolResult", "functionCall", "function_call", "functionResponse", "function_response",
                   "reasoningContent", "text")  # fmt: skip


def arguments_text(arguments: Any) -> str:
    """Returns arguments of a tool call as the text OpenAI's shape has them in."""
    if arguments is None:
        return "{}"
    return arguments if isinstance(arguments, str) else _json(arguments)


def _call(identity: Any, name: Any, arguments: Any) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": name, "arguments": arguments_text(arguments)}}
    return {"id": identity, **call} if isinstance(identity, str) else call


def _openinference_function(call: Any) -> dict[str, Any]:
    return {
        "name": get(call, "tool_call.function.name"),
        "arguments": get(call, "tool_call.function.arguments"),
    }


def _openinference_block(content: Any) -> Any:
    """Rewrites one ``message_content`` as a block of OpenAI's."""
    kind = text(content, "message_content.type")
    address = text(content, "message_content.image.image.url", "message_content.image.url")
    if kind in ("reasoning", "thinking"):
        return {"type": "reasoning", "content": text(content, "message_content.text") or ""}
    if address is not None:
        return {"type": "image_url", "image_url": {"url": address}}
    if (found := get(content, "message_content.text")) is not None:
        return found if isinstance(found, str) else _json(found)
    return content if isinstance(content, Mapping) else _json(content)


def _blocks_in_text(content: str) -> Any:
    """OpenLLMetry and Koog write content that is a list of blocks as its JSON text."""
    if content.lstrip().startswith("[{"):
        blocks = load(content).value
        if isinstance(blocks, list) and all(isinstance(block, Mapping) and _is_block(block) for block in blocks):
            return blocks
    return content


def _is_block(block: Mapping[str, Any]) -> bool:
    """A block, and no data of the user's that happens to be a list of objects."""
    typed = block.get("type") in (*_READERS, "image_url", "input_audio")
    return typed or any(block.keys() == {name} for name in _MEMBERS)


def _content(content: list[Any]) -> Any:
    """A text where it is one, else blocks."""
    if not content:
        return ""
    if len(content) == 1 and isinstance(content[0], str):
        return content[0]
    return [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]


def _result_text(output: Any) -> Any:
    """What a tool gave back: its text, or its blocks of text joined, or its JSON."""
    if output is None or isinstance(output, str):
        return output or ""
    blocks = output if isinstance(output, list | tuple) else ()
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping)]
    if texts and len(texts) == len(blocks) and all(isinstance(one, str) for one in texts):
        return "\n".join(str(one) for one in texts)
    return _json(output)


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _role(role: Any) -> str:
    return _ROLES.get(str(role), str(role))


def _json(value: Any) -> str:
    """Writes a value as models write it: without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
