"""One side of a comparison: the messages of a call, or of a context that a compaction recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.model.context import Block
from inspector.model.layers import Layer
from inspector.model.request import Message
from inspector.model.views import CallView, MessageRow
from inspector.ui.call_payload import EXCERPT_CHARS, excerpt
from inspector.ui.format import one_line


@dataclass(frozen=True)
class SideRow:
    """A message as a comparison shows it."""

    layer: Layer
    """Layer with the most tokens."""
    role: str | None
    text: str
    """Text of all parts."""
    tokens: int | None
    content: str
    """Content hash."""
    number: int | None = None
    """Number in its session (``m67`` → 67); None: a recorded context has no numbers."""
    message: Message | None = None
    """The decoded message; None: only its text is known."""
    pinned: tuple[str, ...] = ()
    """Ids of the pins it carries."""
    born: int | None = None
    """First call that had it."""
    hole: str | None = None
    """Why its content is lost, where it is."""

    @property
    def excerpt(self) -> str:
        """Its beginning on one line."""
        if self.message is None:
            return one_line(self.text, EXCERPT_CHARS)
        return excerpt(self.message, self.hole)


@dataclass(frozen=True)
class Side:
    """One of the two contexts."""

    session: str
    rows: tuple[SideRow, ...]
    """In the order of the prompt."""
    view: CallView | None = None
    """The call; None: a context that a compaction recorded."""
    recorded: str | None = None
    """What a recorded context is called: ``before`` or ``after`` the compaction."""

    @property
    def tokens(self) -> int | None:
        """Tokens of the whole prompt: as the call shows them, else the sum of its messages."""
        if self.view is not None:
            return self.view.call.tokens.count
        return sum_tokens(self.rows)


def sum_tokens(rows: Iterable[SideRow]) -> int | None:
    """Add up tokens; None where those of a message are unknown."""
    counts = [row.tokens for row in rows]
    return None if None in counts else sum(count or 0 for count in counts)


def side_of_call(session: str, view: CallView) -> Side:
    """Make a side of a call."""
    return Side(session, tuple(_row(row) for row in view.messages), view)


def _row(row: MessageRow) -> SideRow:
    return SideRow(
        layer=row.layer,
        role=row.message.role,
        text=row.message.text,
        tokens=row.tokens.count,
        content=row.content,
        number=row.number,
        message=row.message,
        pinned=row.pinned,
        born=row.born_call,
        hole=row.hole,
    )


def side_of_blocks(session: str, blocks: Sequence[Block], which: str, known: Callable[[str], SideRow | None]) -> Side:
    """Make a side of a context that a compaction recorded.

    Args:
        session: The session.
        blocks: Its messages.
        which: ``before`` or ``after``.
        known: The same message in a call around the compaction, by content hash: it has a number and pins.
    """
    rows = []
    for block in blocks:
        row = known(block.content)
        rows.append(
            row if row is not None else SideRow(block.layer, block.role, block.text, block.tokens, block.content)
        )
    return Side(session, tuple(rows), None, which)


def blocks_of(view: CallView) -> tuple[Block, ...]:
    """Return the messages of a call as alignment compares them.

    The same as the index's own contexts, for one call: a comparison of two calls need not read two sessions.
    """
    return tuple(_block(row) for row in view.messages)


def _block(row: MessageRow) -> Block:
    keys = [
        f"{'call' if part.kind == 'tool_call' else 'result'}:{part.call_id}"
        for part in row.message.parts
        if part.kind in ("tool_call", "tool_result") and part.call_id
    ]
    return Block(
        content=row.content,
        role=row.message.role,
        layer=row.layer,
        text=row.message.text,
        keys=tuple(keys),
        tokens=row.tokens.count,
        is_summary=row.layer is Layer.SUMMARY,
    )


def columns(side: Side, layers: Sequence[str]) -> dict[str, Any]:
    """Return the messages of a side as columns of figures; their texts follow on demand."""
    roles = sorted({row.role or "–" for row in side.rows})
    return {
        "number": [row.number for row in side.rows],
        "layer": [layers.index(row.layer) for row in side.rows],
        "roles": roles,
        "role": [roles.index(row.role or "–") for row in side.rows],
        "tokens": [row.tokens for row in side.rows],
        "pinned": [at for at, row in enumerate(side.rows) if row.pinned],
        "holes": [at for at, row in enumerate(side.rows) if row.hole is not None],
    }
