"""Puts the events of a streamed answer together into the body the provider would have sent at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from snapshot_sdk.adapters._frames import DONE
from snapshot_sdk.adapters._merge_anthropic import merge_messages
from snapshot_sdk.adapters._merge_cohere import merge_cohere
from snapshot_sdk.adapters._merge_openai import merge_chat, merge_responses
from snapshot_sdk.adapters._merge_others import merge_converse, merge_gemini, merge_ollama

Merger = Callable[[Sequence[dict[str, Any]]], tuple[dict[str, Any], bool]]


class Merged(NamedTuple):
    """A streamed answer."""

    body: dict[str, Any] | None
    """None: no event said anything."""
    ended: bool
    """The protocol's own end was seen."""
    error: str | None
    """What the provider reported inside the stream."""


def merge(events: Sequence[Any]) -> Merged:
    """Puts events together.

    Args:
        events: Of one stream, of any provider.
    """
    ended = DONE in [event for event in events if isinstance(event, str)]
    values = [event for event in events if isinstance(event, dict)]
    for recognises, merger in _MERGERS:
        if any(recognises(value) for value in values):
            body, done = merger(values)
            return Merged(body, ended or done, _error(values))
    return Merged(None, ended, _error(values))


def _error(events: Sequence[dict[str, Any]]) -> str | None:
    for event in events:
        error = event.get("error") or (event if event.get("type") == "error" else None)
        response = event.get("response")
        if not error and isinstance(response, dict):
            error = response.get("error")
        if error:
            return json.dumps(error, ensure_ascii=False)
    return None


def _typed(*prefixes: str) -> Callable[[dict[str, Any]], bool]:
    return lambda event: str(event.get("type")).startswith(prefixes)


def _has(*names: str) -> Callable[[dict[str, Any]], bool]:
    return lambda event: not event.keys().isdisjoint(names)


_MERGERS: Final[tuple[tuple[Callable[[dict[str, Any]], bool], Merger], ...]] = (
    (_typed("response."), merge_responses),
    (_typed("message_", "content_block_"), merge_messages),
    (_typed("message-", "content-", "tool-"), merge_cohere),
    (_has("choices"), merge_chat),
    (_has("candidates", "usageMetadata", "promptFeedback"), merge_gemini),
    (_has("messageStart", "contentBlockDelta", "messageStop"), merge_converse),
    (_has("done"), merge_ollama),
)
"""How the events of each protocol are known."""
