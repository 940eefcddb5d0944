"""The committed samples are what the generator makes."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from sample_data import TRACES
from sample_data.generate import SCENARIOS, generate, main

CJK = re.compile(r"[\u4e00-\u9fff]")


def contents(directory: Path) -> dict[str, bytes]:
    """Return every trace file below a directory, by its path."""
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*.jsonl")}


def test_the_committed_traces_are_generated_byte_for_byte(tmp_path: Path) -> None:
    """Generating anew gives the committed files: same names, same bytes."""
    generate(tmp_path / "traces")
    made, committed = contents(tmp_path / "traces"), contents(TRACES)

    assert sorted(made) == sorted(committed)
    assert [name for name in made if made[name] != committed[name]] == []
    assert len(made) == len(SCENARIOS)


def test_it_does_not_add_to_traces_that_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second run into the same directory is refused and changes nothing."""
    assert main([str(tmp_path)]) == 0
    before = contents(tmp_path)

    assert main([str(tmp_path)]) == 1
    assert "nothing was written" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_every_dialect_is_spoken() -> None:
    """OpenAI, Anthropic and Gemini are each spoken by more than one sample."""
    spoken = Counter(
        next(record["api"] for record in map(json.loads, content.splitlines()) if record["type"] == "snapshot")
        for content in contents(TRACES).values()
    )

    assert set(spoken) == {"openai.chat", "anthropic.messages", "gemini.generate_content"}
    assert min(spoken.values()) > 1


def test_chinese_and_english_are_spoken() -> None:
    """At least four samples are in Chinese and four in English, told by the letters of their users' words."""
    chinese = [len(CJK.findall(content.decode())) > 1_000 for content in contents(TRACES).values()]

    assert chinese.count(True) >= 4
    assert chinese.count(False) >= 4


def test_the_samples_are_small() -> None:
    """All committed traces together are a fraction of what one agent writes in a day: below 4 MB."""
    assert sum(len(content) for content in contents(TRACES).values()) < 4_000_000
