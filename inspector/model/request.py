"""A request to a model, decoded from its dialect: ordered messages made of parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

PartKind = Literal["text", "reasoning", "tool_call", "tool_result", "image", "file", "tool_definition", "other"]


@dataclass(frozen=True)
class Media:
    """An image or file inside a part."""

    mime: str | None
    """Media type as the body says."""
    size: int | None
    """Decoded size in bytes; None for a URL or an id."""
    width: int | None = None
    """Pixels, read from the header of the image; None where unknown."""
    height: int | None = None
    """Pixels."""
    detail: str | None = None
    """OpenAI's ``detail`` (low, high, auto)."""
    url: str | None = None
    """Where it is, if it is not inline (never fetched)."""


@dataclass(frozen=True)
class Part:
    """One piece of a message."""

    kind: PartKind
    """What it is."""
    text: str
    """What is shown, searched and counted; for tool calls ``name(arguments)``'s arguments text, for media empty."""
    name: str | None = None
    """Name of the tool, for calls, results and definitions."""
    call_id: str | None = None
    """Id that ties a tool call to its result."""
    media: Media | None = None
    """For images and files."""
    opaque: bool = False
    """True where the content cannot be read (encrypted reasoning)."""


@dataclass(frozen=True)
class Message:
    """One entry of the request, decoded."""

    role: str | None
    """Role as the dialect says it; None for tool definitions and unknown members."""
    parts: tuple[Part, ...]
    """In order."""
    name: str | None = None
    """Name of the speaker, where given."""
    item_id: str | None = None
    """The provider's own id of this entry, where later requests may refer to it (OpenAI Responses items)."""

    @property
    def text(self) -> str:
        """Text of all parts, parts joined by a newline: what search and pins look at."""
        return "\n".join(f"{p.name}({p.text})" if p.kind == "tool_call" else p.text for p in self.parts)


@dataclass(frozen=True)
class Element:
    """Where a message stands in the body, and what it is."""

    member: str
    """Top-level member of the body: ``messages``, ``system``, ``tools`` …"""
    index: int | None
    """Place in the member's array; None when the whole member is one element."""
    message: Message
    """The decoded content."""


@dataclass(frozen=True)
class Request:
    """A body, decoded."""

    api: str
    """Dialect that read it: ``openai.chat``, ``gemini.generate_content`` …, ``unknown``."""
    model: str | None
    """Model as the body names it."""
    elements: tuple[Element, ...]
    """Everything the model reads, in the order in which it is rendered into the prompt."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """The other top-level members (temperature, max_tokens …)."""


@dataclass(frozen=True)
class Usage:
    """Token usage of one call, normalised. None: the provider did not say."""

    input_tokens: int | None
    """All tokens of the prompt, cached ones included, whatever the provider's convention."""
    cached_read: int | None
    """Of these, read from the prompt cache."""
    cached_write: int | None
    """Of these, written to the prompt cache."""
    output_tokens: int | None
    """Tokens of the answer, reasoning included."""
    reasoning_tokens: int | None
    """Of these, reasoning."""
