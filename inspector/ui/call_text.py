"""The texts of one call in sections and blocks, so that only what is looked at goes to the browser.

A *section* is one part of one message (``p5.0``: place 5, part 0), one part of the answer (``a0.0``), of a
message that is gone from the call (``g67.0``: m67; no search looks there) or the stored body (``j`` indented,
``r`` as stored). ``p5.0~`` is the indented form of a part that is JSON. A section is cut into *blocks* of about
16,000 characters at line ends; blocks are what is sent. Offsets that go to the browser count UTF-16 units, as its
strings do.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from inspector.model.request import Message, Part
from inspector.model.views import CallView
from inspector.ui.call_body import body_text, indent_json
from snapshot_sdk.errors import HoleError

BLOCK_CHARS: Final = 16_384
"""Characters of a block: some ten screens, and 50 kB at most on the wire."""
HITS_LIMIT: Final = 2_000
"""Hits of a search that can be walked; the count goes on beyond it."""
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")

Scope = Literal["prompt", "j", "r"]


class Units:
    """Turns offsets in code points into offsets in UTF-16 units."""

    def __init__(self, text: str) -> None:
        self._astral = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]

    def at(self, offset: int) -> int:
        """Return the offset in UTF-16 units."""
        return offset + bisect.bisect_left(self._astral, offset) if self._astral else offset


@dataclass(frozen=True)
class Block:
    """A piece of a section, with what the browser needs to guess its height before it has it."""

    start: int
    """Characters into the section."""
    end: int
    units: int
    """UTF-16 units in it."""
    lines: int
    """Line ends in it."""
    wide: int
    """Characters beyond ASCII: about twice as wide."""


def cut_blocks(text: str, size: int = BLOCK_CHARS) -> tuple[Block, ...]:
    """Cut a text into blocks, after a line end where one stands in the second half of a block."""
    blocks = []
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        if end < len(text):
            line_end = text.rfind("\n", start + size // 2, end)
            end = line_end + 1 if line_end >= 0 else end
        piece = text[start:end]
        astral = 0 if piece.isascii() else len(_ASTRAL.findall(piece))
        wide = 0 if piece.isascii() else len(piece) - len(piece.encode("ascii", "ignore"))
        blocks.append(Block(start, end, len(piece) + astral, piece.count("\n"), wide))
        start = end
    return tuple(blocks)


def part_text(part: Part) -> str:
    """Return what is shown, searched and edged of a part: tool calls with their name."""
    return f"{part.name}({part.text})" if part.kind == "tool_call" else part.text


def pretty_part(part: Part) -> str | None:
    """Return the indented form of a part that is a JSON object or array; None where it would be no other."""
    body = part.text.strip()
    if part.kind not in ("tool_call", "tool_result", "tool_definition") or body[:1] + body[-1:] not in ("{}", "[]"):
        return None
    indented = indent_json(body)
    if indented == part.text:
        return None
    return f"{part.name}({indented})" if part.kind == "tool_call" else indented


@dataclass(frozen=True)
class Found:
    """Where a text stands in a call."""

    total: int
    """All hits."""
    in_answer: int
    """Of these, in the answer."""
    sections: tuple[str, ...]
    """Ids of the sections that hold hits, in order."""
    hits: tuple[tuple[int, int, int], ...]
    """Place in ``sections``, offset and length in UTF-16 units; at most ``HITS_LIMIT``."""


class CallTexts:
    """All texts of one call; indented forms and the body are made when first asked for."""

    def __init__(self, view: CallView, body: Callable[[], bytes]) -> None:
        self.view = view
        self._body = body
        self._parts: dict[str, Part] = {}
        self._gone: dict[str, Part] = {}
        for row in view.messages:
            self._add(f"p{row.place}", row.message)
        for at, message in enumerate(view.answer.messages if view.answer else ()):
            self._add(f"a{at}", message)
        self._blocks: dict[str, tuple[Block, ...]] = {}
        self._made: dict[str, str] = {}

    def _add(self, prefix: str, message: Message) -> None:
        for at, part in enumerate(message.parts):
            self._parts[f"{prefix}.{at}"] = part

    def add_gone(self, prefix: str, message: Message) -> None:
        """Take in a message that is gone from the call, so that its sections can be read."""
        for at, part in enumerate(message.parts):
            self._gone[f"{prefix}.{at}"] = part

    @functools.cached_property
    def _read(self) -> tuple[bytes, str | None]:
        try:
            return self._body(), None
        except HoleError as error:
            return b"", str(error)

    @property
    def body(self) -> bytes:
        """The request body, byte for byte; empty where a part of it is lost."""
        return self._read[0]

    @property
    def lost(self) -> str | None:
        """Why the body cannot be reproduced; None: it can."""
        return self._read[1]

    def _make(self, section: str) -> str:
        if section == "r":
            return body_text(self.body)
        if section == "j":
            return indent_json(self.text("r"))
        return pretty_part(self.part(section)) or ""

    def has(self, section: str) -> bool:
        """Say whether the call has such a section."""
        name = section.removesuffix("~")
        return section in ("j", "r") or name in self._parts or name in self._gone

    def part(self, section: str) -> Part:
        """Return the part behind a section."""
        name = section.removesuffix("~")
        return self._gone[name] if name in self._gone else self._parts[name]

    def text(self, section: str) -> str:
        """Return the whole text of a section."""
        if section in ("j", "r") or section.endswith("~"):
            if section not in self._made:
                self._made[section] = self._make(section)
            return self._made[section]
        return part_text(self.part(section))

    def blocks(self, section: str) -> tuple[Block, ...]:
        """Return how a section is cut."""
        if section not in self._blocks:
            self._blocks[section] = cut_blocks(self.text(section))
        return self._blocks[section]

    def block(self, section: str, at: int) -> str:
        """Return the text of one block; empty for a block that is not there."""
        blocks = self.blocks(section)
        return self.text(section)[blocks[at].start : blocks[at].end] if 0 <= at < len(blocks) else ""

    def sections(self, scope: Scope) -> Iterator[str]:
        """Yield the sections a search looks through, in reading order."""
        if scope == "prompt":
            yield from self._parts
        else:
            yield scope

    def whole(self, name: str) -> str:
        """Return the whole text of a message (``p5``, ``g67``) or of the answer (``a``)."""
        start = name if name == "a" else f"{name}."
        return "\n".join(self.text(section) for section in (*self._parts, *self._gone) if section.startswith(start))

    def find(self, query: str, scope: Scope) -> Found:
        """Find a text in the whole prompt and answer, or in the body; case does not matter."""
        if not query:
            return Found(0, 0, (), ())
        pattern = re.compile(re.escape(query), re.IGNORECASE)
        sections: list[str] = []
        hits: list[tuple[int, int, int]] = []
        total = in_answer = 0
        for section in self.sections(scope):
            text = self.text(section)
            units: Units | None = None
            before = total
            for match in pattern.finditer(text):
                total += 1
                if len(hits) < HITS_LIMIT:
                    if units is None:
                        units = Units(text)
                        sections.append(section)
                    start = units.at(match.start())
                    hits.append((len(sections) - 1, start, units.at(match.end()) - start))
            if section.startswith("a"):
                in_answer += total - before
        return Found(total, in_answer, tuple(sections), tuple(hits))
