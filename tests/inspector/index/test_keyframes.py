"""Messages that one record stores and another shows, with a keyframe after both in the same batch."""

from __future__ import annotations

import json
from pathlib import Path

from inspector.index import open_index
from snapshot_sdk import Recorder

SUMMARY = "<summary> the orders were moved to Saturday </summary>"


def test_a_summary_that_a_compaction_stored_is_in_the_prompts_after_it(tmp_path: Path) -> None:
    """The text of a message stands in the compaction's record; a later keyframe does not lose it for the prompt."""
    messages = [{"role": "system", "content": "You are the order desk."}]
    with Recorder(tmp_path, session="s") as recorder:
        for n in range(1, 101):
            if n == 20:
                shorter = [messages[0], {"role": "user", "content": SUMMARY}]
                recorder.compaction(messages, shorter, strategy="summary")
                messages = shorter
            messages = [*messages, {"role": "user", "content": f"question {n}: " + f"is order {n * 7919} moved? " * 80}]
            recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
    records = [json.loads(line) for line in next(tmp_path.rglob("*.jsonl")).read_text("utf-8").splitlines()]
    compaction = next(record["seq"] for record in records if record["type"] == "compaction")
    assert any(record.get("keyframe") and record["seq"] > compaction + 1 for record in records)
    index = open_index(tmp_path)
    index.refresh()
    rows = index.call("s", 20).messages
    index.close()
    assert [row.hole for row in rows] == [None, None, None]
    assert rows[1].message.parts[0].text == SUMMARY
