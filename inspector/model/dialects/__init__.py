"""Request dialects, a file each; :func:`find_dialect` chooses one for a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.model.dialects.anthropic_messages import AnthropicMessages
from inspector.model.dialects.base import UNKNOWN_USAGE, Dialect
from inspector.model.dialects.bedrock import BedrockConverse
from inspector.model.dialects.cohere import CohereChat
from inspector.model.dialects.endpoints import model_in_endpoint
from inspector.model.dialects.gemini import GeminiGenerateContent
from inspector.model.dialects.mistral import MistralChat
from inspector.model.dialects.ollama import OllamaChat
from inspector.model.dialects.openai_chat import OpenAIChat
from inspector.model.dialects.openai_responses import OpenAIResponses
from inspector.model.dialects.unknown import Unknown
from inspector.model.dialects.whole import read_whole
from inspector.model.request import Request

__all__ = [
    "ALIASES",
    "ALL",
    "UNKNOWN",
    "UNKNOWN_USAGE",
    "Dialect",
    "dialect_named",
    "find_dialect",
    "model_in_endpoint",
    "read_request",
]

UNKNOWN: Final[Dialect] = Unknown()
"""The dialect of every other body."""

MISTRAL: Final = MistralChat()
"""Speaks OpenAI's shapes, with a chat template of its own."""

ALL: Final[tuple[Dialect, ...]] = (
    OpenAIResponses(),
    GeminiGenerateContent(),
    BedrockConverse(),
    OllamaChat(),
    CohereChat(),
    MISTRAL,
    AnthropicMessages(),
    OpenAIChat(),
    UNKNOWN,
)
"""Every dialect, the most particular first; the last one accepts anything."""

ALIASES: Final[Mapping[str, str]] = {
    "openai.chat.completions": "openai.chat",
    "openai.chat_completions": "openai.chat",
    "responses": "openai.responses",
    "anthropic": "anthropic.messages",
    "gemini": "gemini.generate_content",
    "gemini.generateContent": "gemini.generate_content",
    "vertex.generate_content": "gemini.generate_content",
    "bedrock": "bedrock.converse",
    "ollama": "ollama.chat",
    "ollama.generate": "ollama.chat",
    "cohere": "cohere.chat",
    "mistral": "mistral.chat",
}
"""Other names a recorder may give."""


def dialect_named(name: str) -> Dialect:
    """Return a dialect by its name or an alias; a name not known here is shown as unknown."""
    name = ALIASES.get(name, name)
    return next((dialect for dialect in ALL if dialect.name == name), UNKNOWN)


def find_dialect(api: str | None, members: Mapping[str, Any], endpoint: str | None = None) -> Dialect:
    """Choose the dialect of a body.

    Args:
        api: Dialect the recorder named; believed if known here. A name not known here is shown as unknown.
        members: Top-level members: every name, with its value where it is at hand (None where it is not).
        endpoint: URL or path the body went to, if known.
    """
    if api is not None:
        named = dialect_named(api)
        # Recorders know Mistral's API by the path it shares with OpenAI's; its host tells the template.
        return MISTRAL if named.name == "openai.chat" and MISTRAL.is_host(endpoint) else named
    names = members.keys()
    return next((dialect for dialect in ALL if dialect.recognises(names, members, endpoint)), UNKNOWN)


def read_request(body: Mapping[str, Any], api: str | None = None, endpoint: str | None = None) -> Request:
    """Decode a whole body.

    Args:
        body: The body.
        api: Dialect the recorder named, if it did.
        endpoint: URL or path the body went to, if known.
    """
    return read_whole(find_dialect(api, body, endpoint), body, endpoint)
