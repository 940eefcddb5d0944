"""Mistral's chat completions: OpenAI's shapes with thinking chunks, prefixes and documents of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from inspector.model.dialects.endpoints import path_of
from inspector.model.dialects.openai_chat import OpenAIChat
from inspector.model.dialects.shapes import opt_str

_ENDPOINTS: Final = ("/chat/completions", "/agents/completions")
_OWN_MEMBERS: Final = frozenset({"safe_prompt", "prompt_mode"})
_MODELS: Final = ("mistral-", "magistral-", "ministral-", "codestral-", "devstral-", "pixtral-", "open-mi")


class MistralChat(OpenAIChat):
    """Reads Mistral's ``POST /chat/completions`` bodies; what differs from OpenAI's is the chat template."""

    @property
    def name(self) -> str:
        """Name in trace files."""
        return "mistral.chat"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept what went to Mistral, or shows its members or one of its models where the address is unknown."""
        if "messages" not in body_members:
            return False
        if endpoint is not None and "://" in endpoint:
            return self.is_host(endpoint) and path_of(endpoint).endswith(_ENDPOINTS)
        if _OWN_MEMBERS.intersection(body_members):
            return True
        return endpoint is None and (opt_str(sample.get("model")) or "").startswith(_MODELS)

    def is_host(self, endpoint: str | None) -> bool:
        """Say whether an address is Mistral's own."""
        host = (endpoint or "").partition("://")[2].split("/", 1)[0].rsplit(":", 1)[0]
        return host == "mistral.ai" or host.endswith(".mistral.ai")
