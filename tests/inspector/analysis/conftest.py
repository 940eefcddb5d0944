"""Contexts made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from inspector.analysis.changes import trace_session
from inspector.analysis.told import Told
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.request import Usage
from inspector.model.views import CallRow, SessionRow, TokenCount

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


@pytest.fixture(scope="session")
def call_row() -> Callable[..., CallRow]:
    """Give a maker of answered calls of one lane: number, and what differs from a small healthy one."""
    unknown = TokenCount(None, "unknown")

    def make(number: int, **more: object) -> CallRow:
        row = CallRow(
            id=f"id-{number}",
            number=number,
            turn=number,
            turn_label=f"t{number}",
            turn_inferred=False,
            lane="main",
            lane_origin="given",
            purpose=None,
            previous=None,
            api="openai.chat",
            model="m",
            time=f"2026-01-01T00:{number:02}:00Z",
            duration_ms=1_000.0,
            status="answered",
            http_status=200,
            error=None,
            attempts=1,
            stop_reason="stop",
            usage=Usage(None, None, None, None, None),
            usage_raw=None,
            composition={},
            origins={},
            counted=unknown,
            provider=unknown,
            calibrated=unknown,
            unattributed=None,
            tokens=unknown,
            window=None,
            budget=None,
            threshold=None,
            messages=1,
            exact="values",
            missing=(),
            caller=None,
            file="s/a.jsonl",
            line=number,
        )
        return replace(row, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def told() -> Callable[[Sequence[CallRow], Sequence[CallContext]], Told]:
    """Give a maker of all a teller may look at: the calls and their messages."""

    def make(rows: Sequence[CallRow], contexts: Sequence[CallContext]) -> Told:
        unknown = TokenCount(None, "unknown")
        session = SessionRow(
            session="s",
            agent=None,
            models=("m",),
            calls=len(rows),
            turns=len(rows),
            started="2026-01-01T00:00:00Z",
            ended="2026-01-01T01:00:00Z",
            peak=unknown,
            window=None,
            budget=None,
            threshold=None,
            compactions=0,
            pins=0,
            pins_gone=0,
            failed_calls=0,
            fill=(),
            lanes=(("main", len(rows)),),
            origin="recorded",
            exact=("values",),
        )
        return Told(session, rows, trace_session(contexts))

    return make
