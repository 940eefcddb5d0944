"""Exchanges of the shared cassettes: real bodies with their answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Recorded:
    """One request of a cassette with its answer."""

    cassette: str
    endpoint: str
    body: dict[str, Any]
    answer: dict[str, Any]
    """Empty where the answer is a stream."""


def read_cassette(file: Path) -> list[Recorded]:
    """Read the exchanges of a cassette whose bodies are JSON objects."""
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the shared cassettes")
    found = []
    for exchange in yaml.safe_load(file.read_text(encoding="utf-8")).get("interactions", ()):
        request, response = exchange.get("request", {}), exchange["response"]
        body = _json(request.get("parsed_body", request.get("body")))
        answer = response.get("parsed_body") or (response.get("body") or {}).get("string")
        if isinstance(body, dict):
            answer = _json(answer)
            found.append(Recorded(file.stem, request["uri"], body, answer if isinstance(answer, dict) else {}))
    return found


def _json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str | bytes) else value
    except ValueError:
        return None


@pytest.fixture(scope="session")
def exchanges(realdata: Path) -> list[Recorded]:
    """All exchanges of all cassettes."""
    files = sorted(realdata.glob("vcr/*/*.yaml"))
    if not files:
        pytest.skip("the shared cassettes are absent")
    return [one for file in files for one in read_cassette(file)]
