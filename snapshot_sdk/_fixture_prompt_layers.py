"""Which layer each run of a prompt's text belongs to: by the fixture's spans, by marks in the text, by role and place.

The same order of say as in ``docs/layers.md``; what the rules of the user decided there comes with the fixture, as the
layers of its history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from snapshot_sdk._fixture_prompt_blocks import Piece
from snapshot_sdk._fixture_prompt_pieces import Entry
from snapshot_sdk.layer_marks import HEADINGS, TAGS, find_headings, find_tags, opens_as_summary

_BY_KIND: Final[Mapping[str, str]] = {
    "tool_definition": "tools",
    "reasoning": "reasoning",
    "tool_call": "tool_calls",
    "tool_result": "tool_results",
    "media": "attachments",
}
_BY_BLOCK: Final[Mapping[str, str]] = {"compaction": "summary", "search_result": "retrieved"}
_BY_PLACE: Final = frozenset({"history", "input"})
"""Layers that a message has because of where it stands."""
_TAG_NAMES: Final = frozenset(TAGS)
_SPAN, _TAG, _HEADING, _OPENING = 3, 2, 1, 0
_MARKED_ROLES: Final = ("system", "developer", "user", None)
_TOLD_ROLES: Final = (*_MARKED_ROLES, "assistant")
"""Who may open a summary: an assistant's text is one where the harness keeps its own answer as the summary."""


class Run(NamedTuple):
    """A run of a message's text with one layer."""

    layer: str
    text: str


class _Claim(NamedTuple):
    start: int
    end: int
    layer: str
    rank: tuple[int, int]


def split_layers(
    entry: Entry, *, is_input: bool, known: str | None, spans: Sequence[tuple[str, str]]
) -> tuple[Run, ...]:
    """Cuts a message into runs of one layer each.

    Args:
        entry: The message.
        is_input: It is the user's current input.
        known: Its layer in the history of the fixture; None: it is not there.
        spans: Texts and their layers.
    """
    claims = [tuple(_claims(piece, entry.role, spans)) for piece in entry.pieces]
    # A known layer is the largest of the message: where parts of it are claimed, it says nothing of the rest.
    whole = known if known is not None and known not in _BY_PLACE and not any(claims) else None
    runs: list[Run] = []
    for piece, claimed in zip(entry.pieces, claims, strict=True):
        base = _BY_KIND.get(piece.kind) or whole or _base(piece, entry.role, is_input=is_input)
        runs += _paint(piece.text, base, claimed)
    return tuple(runs)


def largest_layer(runs: Sequence[Run]) -> str:
    """Names the layer that has most of a message's text.

    Args:
        runs: Its runs.
    """
    sizes: dict[str, int] = {}
    for run in runs:
        sizes[run.layer] = sizes.get(run.layer, 0) + len(run.text)
    return max(sizes, key=lambda layer: sizes[layer], default="history")


def input_place(entries: Sequence[Entry]) -> int | None:
    """Finds the user's current input: the last user message with text, unless an assistant has answered it already.

    An assistant message that calls tools is a step on the way to an answer, and one that ends the prompt is the
    beginning of the answer to come.

    Args:
        entries: The conversation, in order.
    """
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        if entry.role == "user" and any(piece.kind == "text" and piece.text.strip() for piece in entry.pieces):
            return place
        answered = entry.role == "assistant" and not any(piece.kind == "tool_call" for piece in entry.pieces)
        if answered and place < len(entries) - 1:
            return None
    return None


def _base(piece: Piece, role: str | None, *, is_input: bool) -> str:
    if role == "tool" or piece.id is not None:
        return "tool_results"
    if (by_block := _BY_BLOCK.get(piece.name or "")) is not None:
        return by_block
    if role in ("system", "developer"):
        return "system"
    return "input" if is_input else "history"


def _claims(piece: Piece, role: str | None, spans: Sequence[tuple[str, str]]) -> Iterator[_Claim]:
    for text, layer in spans:
        start = piece.text.find(text) if text else -1
        while start >= 0:
            yield _Claim(start, start + len(text), layer, (_SPAN, len(text)))
            start = piece.text.find(text, start + len(text))
    if piece.kind != "text" or role not in _TOLD_ROLES:
        return
    if opens_as_summary(piece.text):
        yield _Claim(0, len(piece.text), "summary", (_OPENING, 0))
    if role not in _MARKED_ROLES:
        return
    for mark in find_headings(piece.text):
        yield _Claim(mark.start, mark.end, HEADINGS[mark.name], (_HEADING, mark.start))
    for mark in find_tags(piece.text, _TAG_NAMES):
        # The inner of two nested tags is the more particular one: it starts later.
        yield _Claim(mark.start, mark.end, TAGS[mark.name], (_TAG, mark.start))


def _paint(text: str, base: str, claims: Sequence[_Claim]) -> Iterator[Run]:
    edges = sorted({0, len(text), *(claim.start for claim in claims), *(claim.end for claim in claims)})
    if len(edges) == 1:
        yield Run(base, text)
    for start, end in pairwise(edges):
        here = [claim for claim in claims if claim.start <= start and end <= claim.end]
        yield Run(max(here, key=lambda claim: claim.rank).layer if here else base, text[start:end])
