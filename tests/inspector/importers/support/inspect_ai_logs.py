"""Small logs of inspect_ai, in each of the forms it keeps them in."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import zstandard

LONG: Final = "long " * 30
"""Longer than 100 characters, so that inspect_ai keeps it as an attachment."""

DIGEST: Final = "0123456789abcdef0123456789abcdef"
"""Name of the attachment."""

USER: Final = {"id": "m1", "role": "user", "content": f"attachment://{DIGEST}", "source": "input"}
CALLING: Final = {
    "id": "m2", "role": "assistant", "content": "", "source": "generate",
    "tool_calls": [{"id": "t1", "function": "ls", "arguments": {"path": "."}, "type": "function"}],
}  # fmt: skip
RESULT: Final = {"id": "m3", "role": "tool", "content": "a.txt", "tool_call_id": "t1", "function": "ls"}
TOOL: Final = {"name": "ls", "description": "Lists.", "parameters": {"type": "object", "properties": {}}}
OUTPUT: Final = {
    "model": "m-1", "time": 0.5, "completion": "done",
    "choices": [{"message": {"role": "assistant", "content": "done"}, "stop_reason": "stop"}],
    "usage": {"input_tokens": 10, "output_tokens": 4, "total_tokens": 14},
}  # fmt: skip
EVAL: Final = {"eval_id": "E1", "task": "files", "model": "openai/m"}


def model_event(**members: Any) -> dict[str, Any]:
    """Make a call of a model."""
    return {
        "event": "model", "timestamp": "2026-01-02T03:04:05+00:00", "model": "openai/m", "input": [USER],
        "tools": [TOOL], "tool_choice": "auto", "config": {"temperature": 0.5, "max_retries": 3},
        "output": OUTPUT, "completed": "2026-01-02T03:04:06+00:00", **members,
    }  # fmt: skip


def span(kind: str, name: str, identity: str, parent: str | None = None) -> dict[str, Any]:
    """Make the begin of a span."""
    return {"event": "span_begin", "id": identity, "parent_id": parent, "type": kind, "name": name}


def sample(*events: Any, **members: Any) -> dict[str, Any]:
    """Make a sample; what events refer to stands behind them, as inspect_ai writes it."""
    return {"id": "s", "epoch": 1, "events": list(events), "attachments": {DIGEST: LONG}, **members}


def json_log(path: Path, *samples: Any, **members: Any) -> Path:
    """Write a log that is one JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    log = {"version": 2, "status": "success", "eval": EVAL, "samples": list(samples), **members}
    path.write_text(json.dumps(log, indent=2), encoding="utf-8")
    return path


def archive(path: Path, entries: Mapping[str, Any], *, zstd: bool = False) -> Path:
    """Write an archive with these entries, deflated or compressed with Zstandard in two frames."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED if zstd else zipfile.ZIP_DEFLATED) as file:
        for name, value in entries.items():
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            if zstd:
                half = len(data) // 2
                data = b"".join(zstandard.ZstdCompressor().compress(part) for part in (data[:half], data[half:]))
            file.writestr(name, data)
        infos = file.infolist()
        directory = file.start_dir
    if zstd:
        _say_zstandard(path, infos, directory)
    return path


def eval_log(path: Path, *samples: dict[str, Any], zstd: bool = False) -> Path:
    """Write an ``.eval`` archive with an entry a sample."""
    named = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    header = {"version": 2, "status": "success", "eval": EVAL}
    return archive(path, {"_journal/start.json": header, **named, "header.json": header}, zstd=zstd)


def _say_zstandard(path: Path, infos: list[zipfile.ZipInfo], directory: int) -> None:
    """Write method 93 into both headers of every entry: this Python's zipfile cannot."""
    data = bytearray(path.read_bytes())
    at = directory
    for info in infos:
        struct.pack_into("<H", data, info.header_offset + 8, 93)
        struct.pack_into("<H", data, at + 10, 93)
        name, extra, comment = struct.unpack_from("<3H", data, at + 28)
        at += 46 + name + extra + comment
    path.write_bytes(bytes(data))
