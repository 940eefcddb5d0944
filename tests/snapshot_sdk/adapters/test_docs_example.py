"""The line of README and docs/capture.md, as a new user would write it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import read_requests

PROGRAM = """
from openai import OpenAI
import snapshot_sdk

recorder = snapshot_sdk.Recorder("snapshots", session="order-4711", window=128_000)
client = recorder.attach(OpenAI())

answer = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": "hi"}])
print(answer.choices[0].message.content)
"""


def test_one_line(server: Any, tmp_path: Path) -> None:
    """A program with that one line more leaves its request in the directory, and prints what it printed before."""
    pytest.importorskip("openai", reason="the client package openai is not installed")
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": "k",
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("hi\n", "")
    (path,) = (tmp_path / "snapshots").rglob("*.jsonl")
    (found,) = read_requests(path)
    assert found.request.body_bytes() == server.bodies()[0]
    assert path.parent.name.startswith("order-4711-")
