"""Real contexts of many agents and formats, as messages of the API they were sent to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from snapshot_sdk import TraceFile, iter_records

Message = dict[str, Any]


def swe_agent(root: Path) -> Iterator[list[Message]]:
    """The last prompt of a SWE-agent trajectory."""
    for path in sorted((root / "swe-agent").rglob("*.traj")):
        yield json.loads(path.read_text())["trajectory"][-1]["messages"]


def openhands(root: Path) -> Iterator[list[Message]]:
    """The last prompt of an OpenHands log."""
    path = sorted((root / "openhands" / "llm-logs").glob("*.json"))[-1]
    yield json.loads(path.read_text())["messages"]


def mini_swe_agent(root: Path) -> Iterator[list[Message]]:
    """A mini-swe-agent trajectory."""
    for path in sorted((root / "mini-swe-agent").glob("*.json")):
        roles = ("system", "user", "assistant", "tool")
        yield [m for m in json.loads(path.read_text())["messages"] if m["role"] in roles]


def pi(root: Path) -> Iterator[list[Message]]:
    """A session of pi: tool results, thinking, code."""
    messages = []
    for record in _json_lines(root / "pi" / "compact.jsonl"):
        message = record.get("message") if record.get("type") == "message" else None
        if isinstance(message, dict):
            role = {"toolResult": "tool"}.get(message["role"], message["role"])
            messages.append({"role": role, "content": _plain(message.get("content"))})
    yield [m for m in messages if m["content"].strip()]


def glaive_zh(root: Path) -> Iterator[list[Message]]:
    """Chinese tool-call dialogues."""
    roles = {"human": "user", "gpt": "assistant", "function_call": "assistant", "observation": "tool"}
    dialogues = json.loads((root / "sharegpt" / "glaive_toolcall_zh_demo.json").read_text())[:60]
    yield [{"role": roles[m["from"]], "content": m["value"]} for d in dialogues for m in d["conversations"]]


def aider(root: Path) -> Iterator[list[Message]]:
    """The largest prompts of an aider log: whole files in messages."""
    text = (root / "aider" / "aider.llm.history").read_text()
    prompts = []
    for part in re.split(r"^TO LLM .*$", text, flags=re.MULTILINE)[1:]:
        messages: list[Message] = []
        for block in re.split(r"^LLM RESPONSE", part, flags=re.MULTILINE)[0].split("\n-------\n"):
            lines = block.strip("\n").split("\n")
            role = lines[0].split(" ", 1)[0]
            if role in ("SYSTEM", "USER", "ASSISTANT"):
                messages.append({"role": role.lower(), "content": "\n".join(x.partition(" ")[2] for x in lines)})
        prompts.append(messages)
    yield from sorted(prompts, key=len)[-3:]


def claude_code(root: Path) -> Iterator[list[Message]]:
    """Sessions of Claude Code: block lists, tool use, tool results."""
    for path in sorted((root / "claude-code").glob("*.jsonl")):
        messages = [r["message"] for r in _json_lines(path) if r.get("type") in ("user", "assistant")]
        yield [{"role": m["role"], "content": m["content"]} for m in messages if m.get("content")]


def bfcl(root: Path) -> Iterator[list[Message]]:
    """Long user monologues of a memory benchmark."""
    for name in ("student", "customer"):
        records = _json_lines(root / "bfcl-memory" / f"conversation-memory_{name}.json")
        yield [m for record in records for turn in record["question"] for m in turn]


def alpaca_zh(root: Path) -> Iterator[list[Message]]:
    """Chinese questions with answers, none about the same thing."""
    items = json.loads((root / "sharegpt" / "alpaca_zh_demo.json").read_text())[:120]
    messages = []
    for item in items:
        question = "\n".join(text for text in (item["instruction"], item["input"]) if text)
        messages += [{"role": "user", "content": question}, {"role": "assistant", "content": item["output"]}]
    yield messages


TUNING: Final[tuple[Callable[[Path], Iterator[list[Message]]], ...]] = (
    swe_agent, openhands, mini_swe_agent, pi, glaive_zh,
)  # fmt: skip
"""Contexts the thresholds were chosen on."""
HELD_OUT: Final[tuple[Callable[[Path], Iterator[list[Message]]], ...]] = (aider, claude_code, bfcl, alpaca_zh)
"""Contexts that nothing was chosen on."""


def samples(root: Path) -> Iterator[list[Message]]:
    """The largest prompts of the shipped samples; those in Gemini's parts are left out, which no mutation knows."""
    for path in sorted(root.rglob("*.jsonl")):
        trace = TraceFile()
        bodies = []
        for record in iter_records(path):
            trace.feed(record)
            if record["type"] == "snapshot":
                bodies.append(trace.request(record).body().get("messages", []))
        if any(bodies):
            yield max(bodies, key=len)


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text().splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    pieces = [b.get("text") or b.get("thinking") or json.dumps(b.get("arguments", "")) for b in content or []]
    return "\n".join(pieces)
