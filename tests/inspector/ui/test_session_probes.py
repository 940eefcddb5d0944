"""What the Session page gets of probes: marks with colour, sign and where they lead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.index import Index, open_index
from inspector.probes.look import read_facts
from inspector.ui.session_probes import probe_files, probes_payload
from snapshot_sdk import Recorder

SUITE = """session = "shop"

[[probes]]
id = "order"
question = "What is the order number?"
kind = "artifact"
expected = { id = "ORD-2024-001" }
"""
SAYS = {"role": "user", "content": "My order number is ORD-2024-001."}
LATER = {"role": "user", "content": "Which shelf is the kettle on?"}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """Two calls; the second has lost the order number."""
    with Recorder(tmp_path / "traces", session="shop") as recorder:
        for messages in ([SAYS], [LATER]):
            recorder.snapshot({"model": "m", "messages": messages}, api="openai.chat", lane="main")
    opened = open_index(tmp_path / "traces")
    opened.refresh()
    yield opened
    opened.close()


def write(index: Index, name: str, text: str) -> None:
    """Put a file into the folder of suites."""
    folder = Path(index.directory) / "probes"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, "utf-8")


def test_without_suite_or_answer_there_is_nothing_to_read(index: Index) -> None:
    """Then no prompt is compared for it."""
    assert probe_files(index, "shop") == ()


def test_a_loss_has_its_colour_and_leads_to_its_probe(index: Index) -> None:
    """In words, too, for who cannot use a picture."""
    write(index, "desk.toml", SUITE)
    [mark] = probes_payload(index, read_facts(index, "shop"))["marks"]

    assert len(probe_files(index, "shop")) == 1
    assert (mark["call"], mark["symbol"], mark["kind"], mark["failed"]) == (2, "✕", "lost", 1)
    assert (mark["suite"], mark["probe"]) == ("desk.toml", "order")
    assert mark["lines"] == ["✕ evicted from here on: What is the order number? (looked)"]


def test_a_suite_that_is_broken_or_of_another_session_marks_nothing(index: Index) -> None:
    """The page Probes says what is wrong with it."""
    write(index, "broken.toml", "[[probes]")
    write(index, "other.toml", SUITE.replace("shop", "elsewhere"))

    assert probes_payload(index, read_facts(index, "shop"))["marks"] == []
