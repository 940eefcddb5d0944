"""Builders of rows: everything has a plain value, a test names what it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.index import Index, open_index
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.request import Message, Part, Usage
from inspector.model.views import AnswerView, CallRow, CallView, MessageRow, SegmentRow, SessionRow, TokenCount

UNKNOWN = TokenCount(None, "unknown")


@pytest.fixture
def make_call() -> Callable[..., CallRow]:
    """Build a call; ``tokens`` may be a plain number."""

    def build(number: int, tokens: int | None = 1_000, **changes: Any) -> CallRow:
        count = TokenCount(tokens, "tokenizer:o200k_base")
        values: dict[str, Any] = {
            "id": f"id-{number}",
            "number": number,
            "turn": number,
            "turn_label": f"t{number}",
            "turn_inferred": False,
            "lane": "main",
            "lane_origin": "recorded",
            "purpose": None,
            "previous": None,
            "api": "openai.chat",
            "model": "gpt-4.1",
            "time": "2026-11-28T14:02:00+00:00",
            "duration_ms": 820.0,
            "status": "answered",
            "http_status": 200,
            "error": None,
            "attempts": 1,
            "stop_reason": "stop",
            "usage": Usage(None, None, None, None, None),
            "usage_raw": None,
            "composition": {Layer.SYSTEM: tokens or 0},
            "origins": {Layer.SYSTEM: count.origin},
            "counted": count,
            "provider": UNKNOWN,
            "calibrated": UNKNOWN,
            "unattributed": None,
            "tokens": count,
            "window": 128_000,
            "budget": 16_000,
            "threshold": 11_200,
            "messages": 3,
            "exact": "bytes",
            "missing": (),
            "caller": None,
            "file": "a/b.jsonl",
            "line": number + 1,
        }
        return CallRow(**(values | changes))

    return build


@pytest.fixture
def make_session() -> Callable[..., SessionRow]:
    """Build a session of one recorded main lane."""

    def build(session: str = "order-4711", **changes: Any) -> SessionRow:
        values: dict[str, Any] = {
            "session": session,
            "agent": "order-desk",
            "models": ("gpt-4.1",),
            "calls": 3,
            "turns": 2,
            "started": "2026-11-28T14:02:00+00:00",
            "ended": "2026-11-28T14:31:00+00:00",
            "peak": TokenCount(11_320, "provider"),
            "window": 128_000,
            "budget": 16_000,
            "threshold": 11_200,
            "compactions": 0,
            "pins": 0,
            "pins_gone": 0,
            "failed_calls": 0,
            "fill": (0.1, 0.2, 0.3),
            "lanes": (("main", 3),),
            "origin": "recorded",
            "exact": ("bytes",),
        }
        return SessionRow(**(values | changes))

    return build


@pytest.fixture
def make_view(make_call: Callable[..., CallRow]) -> Callable[..., CallView]:
    """Build a call from its messages, a role and parts each; one segment a part unless told otherwise."""

    def build(
        *messages: tuple[str | None, tuple[Part, ...]],
        segments: dict[int, tuple[SegmentRow, ...]] | None = None,
        answer: AnswerView | None = None,
        parameters: dict[str, Any] | None = None,
        rows: dict[int, dict[str, Any]] | None = None,
        number: int = 3,
        **call: Any,
    ) -> CallView:
        made = []
        for at, (role, parts) in enumerate(messages):
            count = TokenCount(10, "tokenizer:o200k_base")
            own = (segments or {}).get(at) or tuple(
                SegmentRow(i, 0, len(part.text), Layer.HISTORY, count, None, "role") for i, part in enumerate(parts)
            )
            values: dict[str, Any] = {
                "place": at + 1,
                "number": at + 11,
                "member": "messages",
                "index": at,
                "message": Message(role, parts),
                "layer": own[0].layer if own else Layer.HISTORY,
                "segments": own,
                "tokens": TokenCount(10 * len(own), "tokenizer:o200k_base"),
                "content": f"sha256:{at:032x}",
                "pinned": (),
                "born_call": 1,
            }
            made.append(MessageRow(**(values | (rows or {}).get(at, {}))))
        return CallView(make_call(number, **call), tuple(made), parameters or {}, answer, (), "ab" * 32, 1_234)

    return build


@pytest.fixture
def make_changes() -> Callable[..., SessionChanges]:
    """Trace calls given as lists of messages; a text is a user's message, ``[summary] …`` a summary, a block itself."""

    def block(message: str | Block) -> Block:
        if isinstance(message, Block):
            return message
        layer = Layer.SUMMARY if message.startswith("[summary]") else Layer.HISTORY
        return Block(f"sha:{message}", "user", layer, message, (), len(message), layer is Layer.SUMMARY)

    def build(*calls: Sequence[str | Block], lanes: Sequence[str] | None = None, **more: Any) -> SessionChanges:
        named = lanes or ["main"] * len(calls)
        contexts, last = [], dict[str, str]()
        for number, (messages, lane) in enumerate(zip(calls, named, strict=True), 1):
            blocks = tuple(block(message) for message in messages)
            contexts.append(CallContext(number, f"id-{number}", last.get(lane), lane, blocks))
            last[lane] = f"id-{number}"
        return trace_session(contexts, **more)

    return build


@pytest.fixture(scope="session")
def samples() -> Iterator[Index]:
    """The index of the samples."""
    with open_index(Path(__file__).parents[3] / "sample_data" / "traces", own_copy=True) as index:
        index.refresh()
        yield index
