"""From a running agent to the bytes on the screen: record, index, show."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder

LONG = "第一行\u2028仍是第一行，“引号”与 <b>标签</b> 都按原样。" * 20
BODIES: dict[str, dict[str, Any] | bytes] = {
    "values": {
        "model": "gpt-4.1",
        "temperature": 1.0,
        "top_p": 1,
        "seed": 2**70,
        "messages": [{"role": "user", "content": LONG}, {"content": "\u0000 and ￿", "role": "assistant"}],
    },
    "bytes with spaces": b'{"model": "m", "messages": [{"role": "user", "content": "caf\\u00e9"}], "n": 1e2}',
    "bytes without": '{"messages":[{"role":"user","content":"☕"},{"role":"user","content":"☕"}]}'.encode(),
    "numbers as written": b'{"model":"m","messages":[],"a":1.0,"b":1,"c":1e400,"d":-0.0,"e":0.10}',
}


def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "inspector", *arguments], capture_output=True, timeout=120, check=False
    )


@pytest.mark.parametrize("name", BODIES)
def test_show_writes_the_request_that_was_recorded(name: str, tmp_path: Path) -> None:
    """What ``show --request`` writes is the request: bytes byte for byte, values in the same order and types."""
    body = BODIES[name]
    with Recorder(tmp_path, session="s") as recorder:
        recorder.snapshot(body, api="openai.chat")
    done = run("show", str(tmp_path), "s", "1", "--request")

    assert done.returncode == 0, done.stderr
    if isinstance(body, bytes):
        assert done.stdout == body
    else:
        assert repr(json.loads(done.stdout)) == repr(body)


def test_every_prompt_of_a_growing_session_comes_back(tmp_path: Path) -> None:
    """Forty calls that grow, shrink and change in the middle: each is the one that was recorded, byte for byte."""
    sent = []
    with Recorder(tmp_path, session="s") as recorder:
        messages = [{"role": "system", "content": "rules " * 100}]
        for n in range(40):
            messages.append({"role": "user", "content": f"question {n} " * 30})
            if n % 7 == 6:
                messages[1:4] = [{"role": "user", "content": f"<summary>{n}</summary>"}]
            if n % 5 == 4:
                messages[0] = {"role": "system", "content": "rules " * 100 + f"now it is {n}"}
            sent.append(json.dumps({"model": "m", "messages": messages}, ensure_ascii=False).encode())
            recorder.snapshot(sent[-1], api="openai.chat")
    shown = [run("show", str(tmp_path), "s", str(n), "--request").stdout for n in (1, 7, 8, 20, 21, 40)]

    assert shown == [sent[n - 1] for n in (1, 7, 8, 20, 21, 40)]


def test_json_tells_layers_and_where_the_figures_come_from(tmp_path: Path) -> None:
    """``show --json`` has the messages with role and layer, and the provider's figure beside the counted one."""
    profile = "Wang Min, gold member, prefers text messages"
    with Recorder(tmp_path, session="s", window=8_000) as recorder:
        recorder.label(profile, layer="memory", source="profile:u_1")
        recorder.pin("gold member")
        messages = [{"role": "system", "content": profile}, {"role": "user", "content": "Hello"}]
        recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
        answer = {"role": "assistant", "content": "Hello!"}
        usage = {"prompt_tokens": 30, "completion_tokens": 2}
        recorder.response(body={"choices": [{"message": answer, "finish_reason": "stop"}], "usage": usage})
    shown = json.loads(run("show", str(tmp_path), "s", "1", "--json").stdout)
    text = json.dumps(shown)

    assert [(message["role"], message["layer"]) for message in shown["messages"]] == [
        ("system", "memory"),
        ("user", "input"),
    ]
    assert "tokenizer:o200k_base" in text
    assert '"provider"' in text
