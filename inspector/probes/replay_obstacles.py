"""What of a stored request cannot be asked again, and why: an explicit list, so that nothing is replayed by guess."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Blocks = Literal["always", "elsewhere", "never"]
"""Where it makes a replay impossible. ``elsewhere``: at every server but the one that answered the call. ``never``: it
may make the answer another one, and is said."""


@dataclass(frozen=True)
class Obstacle:
    """Something in a request that a replay cannot carry, or may carry wrongly."""

    path: str
    """Where it stands in the body: ``input[3].encrypted_content``; empty: the request as a whole."""
    why: str
    """In words."""
    blocks: Blocks


_KEYS: Final[Mapping[str, tuple[Blocks, str]]] = {
    "conversation": ("always", "the server keeps this conversation, and would write the question into it"),
    "previous_response_id": ("elsewhere", "the conversation before it is kept by the server that answered"),
    "cachedContent": ("elsewhere", "the cached part of the prompt is kept by the server, while the cache lives"),
    "cached_content": ("elsewhere", "the cached part of the prompt is kept by the server, while the cache lives"),
    "container": ("elsewhere", "the container with its files is kept by the server"),
    "vector_store_ids": ("elsewhere", "the vector stores are kept by the server"),
    "file_id": ("elsewhere", "the file is kept by the server; only its id is in the request"),
    "fileUri": ("elsewhere", "the file is kept by the server, two days at Gemini; only its address is in the request"),
    "file_uri": ("elsewhere", "the file is kept by the server, two days at Gemini; only its address is in the request"),
    "mcp_servers": ("never", "the server asks these MCP servers for their tools again, which may be others now"),
    "signature": ("never", "signed thinking: only the server that signed it takes it back"),
    "thoughtSignature": ("never", "signed thinking: only the server that signed it takes it back"),
    "promptVariables": ("elsewhere", "a prompt template kept by the server: the request has only what fills it"),
    "s3Location": ("elsewhere", "the file stands in S3: only Bedrock reads it there, with the rights of the key"),
    "guardrailConfig": ("never", "a guardrail of the account, which may stop the question or mask parts of the answer"),
    "systemTool": ("never", "a tool of Bedrock's own, which may search the web again and read other pages"),
    "web_search_options": ("never", "the server may search the web again and read other pages"),
}  # fmt: skip
_PROMPT: Final = frozenset({"messages", "input", "contents", "system", "prompt", "systemInstruction", "documents"})
_ENCRYPTED: Final[Mapping[str, tuple[Blocks, str]]] = {
    "compaction": ("elsewhere", "an encrypted compaction: only the server that made it can read it"),
    "compaction_summary": ("elsewhere", "an encrypted compaction: only the server that made it can read it"),
    "reasoning": ("never", "encrypted thinking: only the server that made it can read it"),
    "redacted_thinking": ("never", "encrypted thinking: only the server that made it can read it"),
}  # fmt: skip
_INSIDE: Final = (
    "file_id", "fileUri", "file_uri", "vector_store_ids", "signature", "thoughtSignature", "s3Location", "systemTool",
)  # fmt: skip
"""Of :data:`_KEYS`, those that stand inside messages and tools."""
_MOST: Final = 200
"""Obstacles that are listed; a long session has thousands of signatures."""


def find_obstacles(body: Mapping[str, Any], *, exact: str, missing: Sequence[str]) -> tuple[Obstacle, ...]:
    """List what stands in the way of asking a request again.

    Args:
        body: The request.
        exact: How far its bytes are proved, as recorded.
        missing: Parts that the log lacks.
    """
    found = [*_whole(exact, missing)]
    found += [Obstacle(name, _KEYS[name][1], _KEYS[name][0]) for name in body if name in _KEYS and body[name]]
    if isinstance(body.get("prompt"), Mapping):
        found.append(
            Obstacle("prompt", "a prompt template kept by the server: the request has only its id", "elsewhere")
        )
    for name in body:
        if name in _PROMPT or name in ("tools", "toolConfig"):
            found += _walk(body[name], name)
    return tuple(_once(found))


def _whole(exact: str, missing: Sequence[str]) -> Iterator[Obstacle]:
    if {"messages", "input", "contents"} & set(missing):
        yield Obstacle("", "the log lacks messages of this prompt", "always")
    elif missing:
        yield Obstacle("", f"the log lacks {', '.join(missing)}: the model is asked without", "never")
    if exact == "redacted":
        yield Obstacle("", "parts were masked before they were recorded: the model reads the masks", "never")


def _walk(value: Any, path: str) -> Iterator[Obstacle]:
    """Look through nested values without recursion: a body may be nested hundreds of levels deep."""
    stack: list[tuple[Any, str]] = [(value, path)]
    while stack:
        here, at = stack.pop()
        if isinstance(here, list):
            stack.extend((one, f"{at}[{n}]") for n, one in reversed(list(enumerate(here))))
        elif isinstance(here, Mapping):
            yield from _item(here, at)
            stack.extend((one, f"{at}.{key}") for key, one in reversed(list(here.items())))


def _item(item: Mapping[str, Any], at: str) -> Iterator[Obstacle]:
    kind = item.get("type")
    if kind == "item_reference":
        yield Obstacle(at, "a reference to an item that the server keeps", "elsewhere")
    if kind == "redacted_thinking" or item.get("encrypted_content"):
        # An encrypted result of a search tool is read by the server that made it, too.
        blocks, why = _ENCRYPTED.get(str(kind), ("elsewhere", "encrypted: only the server that made it can read it"))
        yield Obstacle(f"{at}.{'data' if kind == 'redacted_thinking' else 'encrypted_content'}", why, blocks)
    if item.get("redactedContent"):
        blocks, why = _ENCRYPTED["redacted_thinking"]
        yield Obstacle(f"{at}.redactedContent", why, blocks)
    for key in _INSIDE:
        if item.get(key):
            yield Obstacle(f"{at}.{key}", _KEYS[key][1], _KEYS[key][0])
    audio = item.get("audio")
    if isinstance(audio, Mapping) and set(audio) == {"id"}:
        yield Obstacle(f"{at}.audio.id", "an answer in sound that the server keeps for a while", "elsewhere")
    for url in (_image_url(item),):
        if url.startswith(("http://", "https://")):
            yield Obstacle(
                at, "an image or file at an address: the server fetches it again, if it is still there", "never"
            )


def _image_url(item: Mapping[str, Any]) -> str:
    image = item.get("image_url", item.get("file_url"))
    image = image.get("url") if isinstance(image, Mapping) else image
    if image is None and item.get("type") == "url":
        image = item.get("url")
    return image if isinstance(image, str) else ""


def _once(found: Sequence[Obstacle]) -> Iterator[Obstacle]:
    """Of each kind that never blocks one is enough; of those that block, up to a screenful."""
    said: set[str] = set()
    listed = 0
    for one in found:
        if one.blocks == "never" and one.why in said:
            continue
        said.add(one.why)
        listed += 1
        if listed <= _MOST:
            yield one
