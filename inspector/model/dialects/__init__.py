"""Request dialects, a file each; :func:`find_dialect` chooses one for a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.model.dialects.anthropic_messages import AnthropicMessages
from inspector.model.dialects.base import UNKNOWN_USAGE, Dialect
from inspector.model.dialects.openai_chat import OpenAIChat
from inspector.model.dialects.unknown import Unknown

__all__ = ["ALL", "UNKNOWN", "UNKNOWN_USAGE", "Dialect", "find_dialect"]

UNKNOWN: Final[Dialect] = Unknown()
"""The dialect of every other body."""

ALL: Final[tuple[Dialect, ...]] = (AnthropicMessages(), OpenAIChat(), UNKNOWN)
"""Every dialect, the most particular first; the last one accepts anything."""


def find_dialect(api: str | None, members: Mapping[str, Any], endpoint: str | None = None) -> Dialect:
    """Choose the dialect of a body.

    Args:
        api: Dialect the recorder named; believed if known here. A name not known here is shown as unknown.
        members: Top-level members: every name, with its value where it is at hand (None where it is not).
        endpoint: URL or path the body went to, if known.
    """
    if api is not None:
        return next((dialect for dialect in ALL if dialect.name == api), UNKNOWN)
    names = members.keys()
    return next((dialect for dialect in ALL if dialect.recognises(names, members, endpoint)), UNKNOWN)
