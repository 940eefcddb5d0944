"""Facts about the shared Claude Code transcripts."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from claude_code_logs import compactions_of, read, request, usage
from importing import calls_of

from inspector.importers.agents.claude_code_context import CLEARED
from inspector.importers.base import ImportedCall, ImportedCompaction
from inspector.importers.run import import_paths

USAGE_KEYS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
SUMMARY = "This session is being continued from a previous conversation"


def last_usages(path: Path) -> dict[str, dict[str, Any]]:
    """Count independently: the usage of the last record of each answer that a model gave."""
    found: dict[str, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            record, _ = json.JSONDecoder().raw_decode(line)
            if record["type"] == "assistant" and record["message"]["model"] != "<synthetic>":
                found[record["message"]["id"]] = record["message"]["usage"]
    return found


@pytest.mark.realdata
@pytest.mark.parametrize(("prefix", "count"), [("a6", 12), ("d5", 57), ("ee", 98)])
def test_real_usage_adds_up(realdata: Path, prefix: str, count: int) -> None:
    """One call an answer, and the four sums of usage are those of the last records."""
    [path] = (realdata / "claude-code").glob(f"{prefix}-*.jsonl")
    [session], problems = read([path])
    calls = calls_of(session)
    expected = last_usages(path)

    assert (len(calls), problems) == (count, [])
    for key in USAGE_KEYS:
        assert sum(usage(call)[key] for call in calls) == sum(one[key] for one in expected.values())


@pytest.mark.realdata
def test_real_microcompaction(realdata: Path) -> None:
    """``d5`` has one microcompaction: 11 results are gone from the next request, which costs 26,208 tokens less."""
    [path] = (realdata / "claude-code").glob("d5-*.jsonl")
    [session], _ = read([path])
    records = list(session.calls())
    [place] = [number for number, one in enumerate(records) if isinstance(one, ImportedCompaction)]
    before, after = records[place - 1], records[place + 1]

    assert isinstance(before, ImportedCall)
    assert isinstance(after, ImportedCall)
    assert [sum(usage(call).get(key, 0) for key in USAGE_KEYS[:3]) for call in (before, after)] == [135_335, 109_127]
    assert [json.dumps(request(call)).count(CLEARED) for call in (before, after)] == [0, 11]
    assert session.repairs == ()


@pytest.mark.realdata
def test_real_glued_line_and_compaction(realdata: Path) -> None:
    """``ee`` has a glued line, of which both records are read, and a compaction at 155,343 tokens."""
    [path] = (realdata / "claude-code").glob("ee-*.jsonl")
    [session], _ = read([path])
    [compaction] = compactions_of(session)

    assert "line 300: 2 records on one line" in session.repairs
    assert (compaction.strategy, compaction.tokens_before) == ("summary", 155_343)
    assert compaction.after is not None
    assert str(compaction.after[0]["content"]).startswith(SUMMARY)


@pytest.mark.realdata
@pytest.mark.parametrize("prefix", ["a6", "d5", "ee"])
def test_real_requests_pair_tools_with_results(realdata: Path, prefix: str) -> None:
    """In every rebuilt request each result answers a call of the message before, and each call is answered."""
    [path] = (realdata / "claude-code").glob(f"{prefix}-*.jsonl")
    [session], _ = read([path])
    for call in calls_of(session):
        open_calls: set[str] = set()
        for message in request(call):
            content = message["content"] if isinstance(message["content"], list) else []
            answered = {block["tool_use_id"] for block in content if block["type"] == "tool_result"}
            assert answered == (open_calls if message["role"] == "user" else set())
            open_calls = {block["id"] for block in content if block["type"] == "tool_use"}


@pytest.mark.realdata
def test_real_import_takes_little_memory(realdata: Path, tmp_path: Path) -> None:
    """The largest shared transcript is imported in less than four times its size, calls being told one by one."""
    [path] = (realdata / "claude-code").glob("ee-*.jsonl")
    told: list[int] = []
    import_paths([path], tmp_path / "first")  # what is loaded once for all imports is not counted
    tracemalloc.start()
    try:
        import_paths([path], tmp_path / "out", progress=lambda progress: told.append(progress.calls))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 4 * path.stat().st_size
    assert told[-1] == 98
