"""Ollama's own API: ``/api/chat``, and ``/api/generate`` as a prompt of text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from inspector.model.dialects.endpoints import path_of
from inspector.model.dialects.openai_shapes import (
    block_parts,
    blocks_of,
    call_parts,
    content_parts,
    result_parts,
    tool_definition,
)
from inspector.model.dialects.shapes import mapping, media_part, opt_str, other_parts
from inspector.model.request import Message, Part, Usage
from inspector.model.usage import EMPTY, Figures, UsageReport, settle

_ENDPOINTS: Final = ("/api/chat", "/api/generate")
_OWN_MEMBERS: Final = frozenset({"keep_alive", "options"})
_SAMPLED: Final = 64
_PARTLY: Final = (
    "some versions of Ollama count only the part of the prompt that was not cached, "
    "and leave the figure out where all of it was"
)


class OllamaChat:
    """Reads ``/api/chat`` and ``/api/generate`` bodies."""

    @property
    def name(self) -> str:
        """Name in trace files."""
        return "ollama.chat"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept what went to Ollama's endpoints, or has ``messages`` or ``prompt`` with a mark of this API."""
        if "messages" not in body_members and "prompt" not in body_members:
            return False
        if endpoint is not None:
            return path_of(endpoint).endswith(_ENDPOINTS)
        if _OWN_MEMBERS.intersection(body_members):
            return True
        messages = (mapping(message) for message in blocks_of(sample.get("messages"))[:_SAMPLED])
        return any(isinstance(message.get("images"), list | tuple) or "tool_name" in message for message in messages)

    def part_of_prompt(self, member: str) -> bool:
        """Messages and tools are read by the model; of ``generate`` the system text, the prompt and its images."""
        return member in self.prompt_order()

    def prompt_order(self) -> tuple[str, ...]:
        """Return chat's members as OpenAI orders them, and those of ``generate``."""
        return ("system", "messages", "tools", "images", "prompt", "suffix")

    def decode(self, member: str, value: Any) -> Message:
        """Decode one message, one tool definition, or a member of ``generate``."""
        if member == "tools":
            return tool_definition(value)
        if member == "system":
            return Message("system", tuple(content_parts(value)))
        if member == "images":
            return Message("user", tuple(_images(value)))
        if not isinstance(value, Mapping):
            role = "user" if member in ("prompt", "suffix") else None
            return Message(role, tuple(block_parts(value)))
        role, tool = opt_str(value.get("role")), opt_str(value.get("tool_name")) or opt_str(value.get("name"))
        content = (*content_parts(value.get("content")), *_images(value.get("images")))
        if role == "tool":
            return Message(role, tuple(result_parts(iter(content), tool, opt_str(value.get("tool_call_id")))))
        thinking = opt_str(value.get("thinking"))
        reasoning = (Part("reasoning", thinking),) if thinking else ()
        return Message(role, (*reasoning, *content, *call_parts(value)))

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Read ``prompt_eval_count`` and ``eval_count``."""
        return self.usage_report(usage).context

    def usage_report(self, usage: Any) -> UsageReport:
        """Read the counts of an answer; the prompt's may leave out what was cached, and says so."""
        if usage is None:
            return EMPTY
        figures = Figures(usage)
        reported = Usage(
            figures.count("prompt_eval_count"),
            figures.count("prompt_eval_cached_count"),
            None,
            figures.count("eval_count"),
            None,
        )
        settled = settle(figures, reported, cached="prompt_eval_cached_count", reasoning="")
        # A version that says how much was cached counts it in.
        whole = settled.input_tokens is None or settled.cached_read is not None
        notes = () if whole else (_PARTLY,)
        return UsageReport(settled, settled, (), tuple(figures.problems), notes, "exact" if whole else "at least")


def _images(images: Any) -> Iterator[Part]:
    for image in blocks_of(images):
        if isinstance(image, str):
            uri = image.startswith("data:")
            yield media_part("image", None, **{"url" if uri else "data": str(image)})
        else:
            yield from other_parts(image)
