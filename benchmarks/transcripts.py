"""Transcripts of our own making, as long as one likes: Claude Code sessions and Codex rollouts of a made-up day's work.

Used by ``imports.py``. Every session is another, with prose, code, Chinese and a few emoji, tools whose results
are long, and a compaction now and then: what importing costs depends on all of these.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

WORDS = (Path(__file__).parent.parent / "inspector" / "model" / "views.py").read_text("utf-8").split()
RARE = (
    "会话已压缩，请核对订单金额。",
    "the café’s “naïve” total — €4,711.50",
    "✅ passed",
    "🚀 deployed",
    "配送时段和加急费",
)
CALLS_TO_COMPACTION = 120
"""Calls until the context is compacted: it has some 500 KB then, as sessions of agents have."""

RESULT_CHARACTERS = 6_000
"""Longest result of a tool; most are shorter."""

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Writer:
    """Makes up the texts and times of one session."""

    def __init__(self, number: int) -> None:
        self._random = random.Random(number)
        self._clock = START + timedelta(hours=number)
        self._ids = 0
        self._pool = [self._make(RESULT_CHARACTERS) for _ in range(4)]

    def text(self, longest: int) -> str:
        """Make up a text: a piece of what this session talks about, under a line of its own."""
        length = int(longest * self._random.random() ** 2) + 20
        pool = self._random.choice(self._pool)
        begin = self._random.randrange(max(1, len(pool) - length))
        return f"{self.id('line')} {self._random.choice(RARE)}\n{pool[begin : begin + length]}"

    def id(self, prefix: str) -> str:
        """Draw an id."""
        self._ids += 1
        return f"{prefix}_{self._random.getrandbits(96):024x}{self._ids:04x}"

    def time(self) -> str:
        """Let some seconds pass, and give the time."""
        self._clock += timedelta(seconds=self._random.randrange(1, 40), milliseconds=self._random.randrange(1000))
        return self._clock.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

    def happens(self, chance: float) -> bool:
        """Say whether something happens that does so with this chance."""
        return self._random.random() < chance

    def _make(self, length: int) -> str:
        text = ""
        while len(text) < length:
            text += f"{self._random.choice(WORDS)} "
            if self._random.random() < 0.03:
                text += f'{self._random.choice(RARE[:1] + RARE[4:])}\n\t"{self._random.getrandbits(40)}"\\n '
        return text


def write_folder(folder: Path, number: int, size: int) -> list[Path]:
    """Write sessions of both agents into a folder until it has ``size`` bytes.

    Args:
        folder: Made where it is not there.
        number: Of the folder: each has other sessions.
        size: Bytes, at least; the last session is written to its end.

    Returns:
        The files.
    """
    files: list[Path] = []
    written = 0
    while written < size:
        session = number * 1_000 + len(files)
        kind, lines = ("claude", claude_code(session)) if len(files) % 2 == 0 else ("codex", codex(session))
        path = folder / kind / f"{'rollout-' if kind == 'codex' else ''}{session:08d}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for line in lines:
                written += file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        files.append(path)
    return files


def claude_code(number: int) -> Iterator[dict[str, Any]]:
    """Give the records of a Claude Code session: prompts, answers block by block, tools, two compactions."""
    writer = Writer(number)
    session, parent = f"{number:08d}", None
    common = {"sessionId": session, "version": "2.0.14", "cwd": "/home/dev/shop", "gitBranch": "main"}

    def record(kind: str, **fields: Any) -> dict[str, Any]:
        nonlocal parent
        uuid = writer.id("u")
        made = {"parentUuid": parent, "isSidechain": False, **common, "type": kind, "uuid": uuid}
        parent = uuid
        return {**made, "timestamp": writer.time(), **fields}

    for compaction in range(3):
        for call in range(CALLS_TO_COMPACTION):
            if call % 12 == 0:
                yield record("user", message={"role": "user", "content": writer.text(800)})
            answer, tool = writer.id("msg"), writer.id("toolu")
            usage = {"input_tokens": 12, "cache_read_input_tokens": 900 * call, "output_tokens": 210}
            shared = {"id": answer, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5"}
            blocks = [
                {"type": "text", "text": writer.text(1_000)},
                {"type": "tool_use", "id": tool, "name": "Read", "input": {"file_path": writer.text(40)}},
            ]
            for block in blocks:
                message = {**shared, "content": [block], "stop_reason": None, "usage": usage}
                yield record("assistant", message=message, requestId=writer.id("req"))
            output = writer.text(RESULT_CHARACTERS)
            result = {"type": "tool_result", "tool_use_id": tool, "content": output}
            yield record("user", message={"role": "user", "content": [result]}, toolUseResult={"stdout": output})
            if writer.happens(0.05):
                snapshot = {"messageId": parent, "trackedFileBackups": {}}
                yield {"type": "file-history-snapshot", "messageId": parent, "snapshot": snapshot}
        if compaction < 2:
            before, parent = parent, None
            metadata = {"trigger": "auto", "preTokens": 155_000}
            yield record("system", subtype="compact_boundary", logicalParentUuid=before, compactMetadata=metadata)
            summary = {"role": "user", "content": writer.text(4_000)}
            yield record("user", message=summary, isCompactSummary=True)


def codex(number: int) -> Iterator[dict[str, Any]]:
    """Give the lines of a Codex rollout: turns, reasoning, tools, token counts, two compactions."""
    writer = Writer(number)

    def line(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": writer.time(), "type": kind, "payload": payload}

    def message(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        return line("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    meta = {"id": f"{number:08d}", "cli_version": "0.91.0", "base_instructions": {"text": writer.text(9_000)}}
    yield line("session_meta", **meta)
    total = 0
    for compaction in range(3):
        for call in range(CALLS_TO_COMPACTION):
            if call % 12 == 0:
                yield line("turn_context", model="gpt-5.1-codex", effort="high", summary="auto")
                prompt = writer.text(800)
                yield line("event_msg", type="user_message", message=prompt)
                yield message("user", prompt)
            yield line(
                "response_item", type="reasoning", summary=[], encrypted_content=writer.id("sealed") * 20, content=None
            )
            called = writer.id("call")
            arguments = json.dumps({"command": ["bash", "-lc", writer.text(80)]})
            yield line("response_item", type="function_call", name="shell", arguments=arguments, call_id=called)
            output = writer.text(RESULT_CHARACTERS)
            yield line("event_msg", type="exec_command_end", call_id=called, stdout=output[:500], exit_code=0)
            total += 900 * call
            usage = {"input_tokens": 900 * call + 1, "cached_input_tokens": 800 * call, "output_tokens": 200}
            info = {
                "total_token_usage": {"total_tokens": total},
                "last_token_usage": {**usage, "total_tokens": 900 * call + 201},
                "model_context_window": 258_400,
            }
            yield line("event_msg", type="token_count", info=info)
            yield line("response_item", type="function_call_output", call_id=called, output=output)
        yield message("assistant", writer.text(1_500))
        if compaction < 2:
            text = [{"type": "input_text", "text": writer.text(4_000)}]
            history = [{"type": "message", "role": "user", "content": text}]
            yield line("compacted", message="", replacement_history=history, window_number=compaction + 2)
