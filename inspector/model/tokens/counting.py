"""Tokens of a message by segment: each text counted once, images by rule, what cannot be read as unknown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby

from inspector.model.layering import Segment
from inspector.model.request import Message, Part
from inspector.model.tokens.images import UNKNOWN, count_image, image_rule
from inspector.model.tokens.overhead import tools_cost
from inspector.model.tokens.tokenizer import Tokenizer
from inspector.model.views import TokenCount


def counting_key(tokenizer: Tokenizer) -> str:
    """Name everything the counts of a message depend on besides its content: what stored counts belong to."""
    rule = image_rule(tokenizer.model)
    image = f"{rule.name}/{rule.base}/{rule.tile}/{rule.multiplier}/{rule.most}" if rule else "no image rule"
    return f"{tokenizer.key}|{image}"


def count_message(
    api: str, message: Message, segments: Sequence[Segment], tokenizer: Tokenizer
) -> tuple[TokenCount, ...]:
    """Count the segments of a message; its overhead is not among them.

    Depends on nothing but its arguments, and on the tokenizer only through :func:`counting_key`, so answers can
    be kept per content and segments.

    Args:
        api: Dialect of the request.
        message: The message.
        segments: All its segments, in order.
        tokenizer: The model's.

    Returns:
        A count for each segment, in the order of ``segments``.
    """
    if any(part.kind == "tool_definition" for part in message.parts):
        return _count_tools(api, message, segments, tokenizer)
    counts: list[TokenCount] = []
    for number, group in groupby(segments, key=lambda segment: segment.part):
        counts.extend(_count_part(message.parts[number], tuple(group), tokenizer))
    return tuple(counts)


def _count_part(part: Part, segments: Sequence[Segment], tokenizer: Tokenizer) -> tuple[TokenCount, ...]:
    if part.kind == "image":
        return _first(count_image(image_rule(tokenizer.model), part.media), len(segments))
    if part.opaque or (part.media is not None and not part.text):
        return (UNKNOWN,) * len(segments)
    counts = list(tokenizer.count_spans(part.text, [segment.end for segment in segments]))
    if part.kind == "tool_call" and part.name:
        counts[0] += tokenizer.count(part.name)
    return tuple(TokenCount(count, tokenizer.origin) for count in counts)


def _count_tools(
    api: str, message: Message, segments: Sequence[Segment], tokenizer: Tokenizer
) -> tuple[TokenCount, ...]:
    cost = tools_cost(api, [_definition(part) for part in message.parts], tokenizer)
    counts: list[TokenCount] = []
    for number, group in groupby(segments, key=lambda segment: segment.part):
        counts.extend(_first(cost.tools[number], len(tuple(group))))
    return tuple(counts)


def _definition(part: Part) -> object:
    try:
        return json.loads(part.text)
    except (ValueError, RecursionError):
        return part.text


def _first(count: TokenCount, segments: int) -> tuple[TokenCount, ...]:
    """Give all to the first segment: what a formula counts cannot be cut."""
    return (count, *(TokenCount(0, count.origin) for _ in range(segments - 1)))
