"""Fixtures of the model's tests: pictures of a given size, and whole bodies counted."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import settings

from inspector.model.dialects import find_dialect
from inspector.model.layering import places_of, segment_message
from inspector.model.layers import Layer
from inspector.model.request import Element, Message, Part
from inspector.model.tokens import count_message, message_overhead, prompt_overhead, tokenizer_for, tools_cost
from inspector.model.views import TokenCount

# How long an example takes says nothing on a busy machine.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def make_png(width: int, height: int) -> bytes:
    """Return a real PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = (b"\0" + b"\0" * ((width + 7) // 8)) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.fixture
def png() -> Callable[[int, int], bytes]:
    """Maker of PNGs."""
    return make_png


@pytest.fixture
def png_uri() -> Callable[[int, int], str]:
    """Maker of ``data:`` URIs of PNGs."""
    return lambda width, height: "data:image/png;base64," + base64.b64encode(make_png(width, height)).decode()


@dataclass(frozen=True)
class Counted:
    """A body, counted row by row."""

    segments: list[tuple[Layer, TokenCount]]
    overhead: list[TokenCount]

    @property
    def total(self) -> int:
        """Tokens of all that could be counted."""
        return sum(count.count or 0 for count in (*(count for _, count in self.segments), *self.overhead))

    def layer(self, layer: Layer) -> int:
        """Tokens of one layer."""
        return sum(count.count or 0 for own, count in self.segments if own is layer)


@pytest.fixture
def count_body() -> Callable[..., Counted]:
    """Counter of bodies, as the index does it but from scratch."""
    return count


def count(body: Mapping[str, Any], model: str | None = None, api: str | None = None) -> Counted:
    """Count a body."""
    dialect = find_dialect(api, body)
    tokenizer = tokenizer_for(model or body.get("model"))
    elements, tools = [], []
    for member in filter(dialect.part_of_prompt, body):
        value = body[member]
        if member in ("tools", "functions"):
            tools += value
            continue
        for index, item in enumerate(value) if isinstance(value, list) else ((None, value),):
            elements.append(Element(member, index, dialect.decode(member, item)))
    segments: list[tuple[Layer, TokenCount]] = []
    overhead = [prompt_overhead(dialect.name, body, tokenizer)]
    for element, place in zip(elements, places_of(elements), strict=True):
        cut = segment_message(element, place)
        counts = count_message(dialect.name, element.message, cut, tokenizer)
        segments += zip((segment.layer for segment in cut), counts, strict=True)
        overhead.append(message_overhead(dialect.name, element.message, tokenizer))
    system = next((e.message.text for e in elements if e.message.role in ("system", "developer")), None)
    cost = tools_cost(dialect.name, tools, tokenizer, system)
    segments += [(Layer.TOOLS, tool) for tool in cost.tools]
    return Counted(segments, [*overhead, cost.frame])


@pytest.fixture
def user() -> Callable[[str], Element]:
    """Maker of user messages with one text."""
    return lambda text: Element("messages", 0, Message("user", (Part("text", text),)))
