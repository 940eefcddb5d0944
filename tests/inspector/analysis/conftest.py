"""Contexts made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]


@pytest.fixture(scope="session")
def block() -> MakeBlock:
    """Give a maker of messages: text, and what differs from a user's message of history."""

    def make(text: str, role: str | None = "user", **more: object) -> Block:
        made = Block(f"{role}:{text}", role, Layer.HISTORY, text, tokens=len(text))
        return replace(made, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def calls() -> MakeCalls:
    """Give a maker of calls of one lane, each continuing the one before."""

    def make(*contexts: Sequence[Block], lane: str = "main", first: int = 1) -> list[CallContext]:
        return [
            CallContext(n, f"id-{n}", f"id-{n - 1}" if n > first else None, lane, tuple(blocks))
            for n, blocks in enumerate(contexts, start=first)
        ]

    return make
