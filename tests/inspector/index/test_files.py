"""Which files below a directory are traces."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from inspector.index import Index, open_index
from inspector.index.files import find_files
from inspector.probes.probe import Expected, Probe, Suite
from inspector.probes.suite import save_suite
from snapshot_sdk import Recorder
from snapshot_sdk.facts import Fact

TRICK = 'Is it {"type": "header"} or not?'
SUITE = Suite("desk", (Probe("order", TRICK, Expected((Fact("id", "ORD-1"),)), "recall"),), "shop")


def record(directory: Path) -> None:
    """A session of one call."""
    with Recorder(directory, session="shop") as recorder:
        recorder.snapshot({"model": "m", "messages": [{"role": "user", "content": "hi"}]}, api="openai.chat")


def write_suite(directory: Path) -> None:
    """A suite with a probe a line, and one without a first line about it."""
    (directory / "probes").mkdir(parents=True)
    save_suite(SUITE, directory / "probes" / "desk.jsonl")
    bare = json.dumps({"id": "a", "question": TRICK, "expected": "x"}) + "\n"
    (directory / "probes" / "bare.jsonl").write_text(bare, "utf-8")


def test_a_suite_is_no_trace(tmp_path: Path) -> None:
    """Not even one whose question speaks of headers; the index reports no trouble with it."""
    record(tmp_path)
    write_suite(tmp_path)

    assert [found.path.startswith("shop-") for found in find_files(tmp_path)] == [True]
    index: Index = open_index(tmp_path)
    index.refresh()
    try:
        assert [row.session for row in index.sessions()] == ["shop"]
        assert index.line_errors() == ()
    finally:
        index.close()


def test_a_trace_in_the_folder_of_suites_is_read(tmp_path: Path) -> None:
    """By what it begins with, and below a folder of a session as everywhere."""
    record(tmp_path)
    [source] = tmp_path.glob("shop-*/*.jsonl")
    write_suite(tmp_path)
    shutil.copy(source, tmp_path / "probes" / "loose.jsonl")
    (tmp_path / "probes" / "inner").mkdir()
    shutil.copy(source, tmp_path / "probes" / "inner" / "one.jsonl")

    paths = {found.path for found in find_files(tmp_path) if found.path.startswith("probes/")}
    assert paths == {"probes/loose.jsonl", "probes/inner/one.jsonl"}


def test_a_directory_named_probes_holds_traces(tmp_path: Path) -> None:
    """Only the folder beside the sessions is that of suites."""
    record(tmp_path / "probes")

    assert len(find_files(tmp_path / "probes")) == 1
