"""The checks of sizes: tokens as they were counted where a message is known, else by the fixture's own rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from snapshot_sdk._fixture_checks_words import Verdict
from snapshot_sdk._fixture_prompt import Prompt
from snapshot_sdk._fixture_values import Fixture, TokenRule
from snapshot_sdk.canonical import content_hash

Count = Callable[[str], int]
"""Counts the tokens of a text."""

_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")


class Size(NamedTuple):
    """Tokens of a prompt."""

    tokens: int
    """Of all that could be counted or estimated."""
    counted: int
    """Messages whose tokens were counted."""
    estimated: int
    """Messages whose tokens were estimated."""
    unknown: int
    """Messages whose tokens are not known: images, or there is no rule."""
    by: str
    """How it was estimated."""
    largest: str
    """The largest message."""

    @property
    def how(self) -> str:
        """Says in words how the figure came about."""
        ways = [f"messages: {self.counted} counted"] if self.counted else []
        ways += [f"{self.estimated} estimated ({self.by})"] if self.estimated else []
        ways += [f"{self.unknown} of unknown size"] if self.unknown else []
        ways += [f"the largest is {self.largest}"] if self.largest else []
        return ", ".join(ways) or "no message"


def known_tokens(fixture: Fixture) -> dict[str, int]:
    """Gives the tokens of the history's messages, by content hash.

    Args:
        fixture: The fixture.
    """
    known: dict[str, int] = {}
    for message in fixture.history:
        if message.tokens is not None:
            known[message.hash] = known[content_hash(message.message)] = message.tokens
    return known


def measure(
    prompt: Prompt,
    known: Mapping[str, int],
    rule: TokenRule | None,
    count: Count | None = None,
    layer: str | None = None,
) -> Size:
    """Measures a prompt, or one layer of it.

    Args:
        prompt: The prompt.
        known: Tokens by content hash.
        rule: How the rest is estimated; None: it is unknown.
        count: Counts in place of both.
        layer: Only this layer; None: all.
    """
    total = counted = estimated = unknown = 0
    largest, most = "", -1
    for message in prompt.elements:
        texts = [run.text for run in message.runs if layer is None or run.layer == layer]
        if not texts:
            continue
        part = len(texts) < len(message.runs)
        text = "".join(texts) if part else message.text
        tokens: int | None
        if count is not None:
            tokens, counted = count(text), counted + 1
        elif not part and message.hash in known:
            tokens, counted = known[message.hash], counted + 1
        elif rule is None or any(piece.kind == "media" for piece in message.pieces):
            tokens, unknown = None, unknown + 1
        else:
            tokens, estimated = estimate(text, rule), estimated + 1
        total += tokens or 0
        if tokens is not None and tokens > most:
            largest, most = f"{message.place} with {tokens:,}", tokens
    return Size(total, counted, estimated, unknown, rule.origin if rule else "", largest)


def estimate(text: str, rule: TokenRule) -> int:
    """Estimates the tokens of a text.

    Args:
        text: Any text.
        rule: The rule.
    """
    cjk = len(_CJK.findall(text))
    return round(cjk * rule.per_cjk_character + (len(text) - cjk) * rule.per_other_character)


def judge_budget(size: Size, limit: int, layer: str | None = None) -> Verdict:
    """Says whether a prompt keeps within a limit.

    Args:
        size: Its size.
        limit: The limit, in tokens.
        layer: Layer that was measured; None: the whole prompt.
    """
    named = f"the layer {layer}" if layer else "the prompt"
    if size.tokens > limit:
        over = size.tokens - limit
        return Verdict(False, f"{named} holds {size.tokens:,} tokens, {over:,} more than its {limit:,} ({size.how})")
    if size.unknown:
        what = f"{named} holds at least {size.tokens:,} of {limit:,} tokens ({size.how}): whether it fits is unknown"
        return Verdict(None, what)
    return Verdict(True, f"{named} holds {size.tokens:,} of {limit:,} tokens ({size.how})")


def judge_reserve(size: Size, window: int | None, reserve: int) -> Verdict:
    """Says whether a prompt leaves room for the answer.

    Args:
        size: Its size.
        window: Limit of the model, in tokens; None: unknown.
        reserve: What must be left, in tokens.
    """
    if window is None:
        return Verdict(None, f"the window of the model is unknown, so {reserve:,} tokens of it may be left or not")
    left = window - size.tokens
    if left < reserve:
        if left < 0:
            over = f"the prompt is {-left:,} tokens over the window of {window:,}, so none is left for the answer"
            return Verdict(False, f"{over} ({size.how})")
        what = f"{left:,} of {window:,} tokens are left for the answer, {reserve:,} are needed ({size.how})"
        return Verdict(False, what)
    if size.unknown:
        return Verdict(None, f"at most {left:,} tokens are left for the answer ({size.how}): the rest is unknown")
    return Verdict(True, f"{left:,} tokens are left for the answer ({size.how})")
