"""A compaction in a real log of Claude Code: found by its opening words, it took everything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.analysis.changes import trace_session
from inspector.model.context import Block, CallContext
from inspector.model.dialects import find_dialect
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from inspector.model.markers import opens_as_summary
from snapshot_sdk.canonical import content_hash


def read_blocks(path: Path) -> tuple[list[Block], int]:
    """Messages of a log, and the place of the summary in it."""
    dialect = find_dialect("anthropic.messages", {}, None)
    blocks, summary = [], -1
    for line in path.read_text("utf-8").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if record.get("type") not in ("user", "assistant"):
            continue
        if record.get("isCompactSummary"):
            summary = len(blocks)
        message = dialect.decode("messages", record["message"])
        is_summary = opens_as_summary(message.text)
        layer = Layer.SUMMARY if is_summary else Layer.HISTORY
        keys = tuple(f"{'call' if p.kind == 'tool_call' else 'result'}:{p.call_id}" for p in message.parts if p.call_id)
        blocks.append(
            Block(content_hash(record["message"]), message.role, layer, message.text, keys, is_summary=is_summary)
        )
    return blocks, summary


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["a6-e4c2a0fbd1-0.jsonl", "ee-cf21d297fe-0.jsonl"])
def test_the_summary_took_every_message(realdata: Path, name: str) -> None:
    """All 25 before it; nothing is evicted, edited or moved."""
    blocks, place = read_blocks(realdata / "claude-code" / name)
    contexts = [
        CallContext(1, "a", None, "main", tuple(blocks[:place])),
        CallContext(2, "b", "a", "main", tuple(blocks[place : place + 3])),
    ]
    (change,) = trace_session(contexts).compactions

    assert place == 25
    assert (change.said_by, change.certainty, change.strategy) == ("inferred", "certain", "summary")
    assert change.fates == {Fate.SUMMARISED: 25, Fate.ADDED: 3}
    assert (len(change.taken), change.summary) == (25, 26)
