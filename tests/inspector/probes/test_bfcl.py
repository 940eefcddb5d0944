"""Facts about BFCL's memory probes, run as suites over contexts built from their own conversations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.changes import trace_session
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.probes.look import ProbeLook, SessionFacts, look
from inspector.probes.metrics import key_information_presence
from inspector.probes.probe import Expected, Probe, Suite
from inspector.probes.suite import load_suite, save_suite
from snapshot_sdk.facts import Fact

pytestmark = [pytest.mark.realdata, pytest.mark.xdist_group("realdata")]
SCENARIOS = ("customer", "finance", "healthcare", "notetaker", "student")
WINDOW = 6
"""Messages of the user that a window keeps."""


def lines(file: Path) -> Iterator[dict[str, Any]]:
    """Objects of a file with one a line."""
    for line in file.read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def suite_of(folder: Path, scenario: str) -> Suite:
    """The questions of a scenario; any of the accepted answers will do, as a whole word."""
    answers = {one["id"]: one["ground_truth"] for one in lines(folder / "answers-BFCL_v4_memory.json")}
    probes = []
    for one in lines(folder / "BFCL_v4_memory.json"):
        if one["scenario"] != scenario:
            continue
        words = "|".join(re.escape(str(answer)) for answer in answers[one["id"]])
        fact = Fact("regex", f"(?i)(?<![a-z0-9])(?:{words})(?![a-z0-9])")
        question = one["question"][0][0]["content"]
        probes.append(Probe(one["id"], question, Expected((fact,)), "recall", due_from=1))
    return Suite(scenario, tuple(probes))


def texts_of(folder: Path, scenario: str) -> list[str]:
    """What the user says in the conversations of a scenario, in order."""
    talks = lines(folder / f"conversation-memory_{scenario}.json")
    return [message["content"] for talk in talks for turn in talk["question"] for message in turn]


def looked(probes: tuple[Probe, ...], texts: list[str], window: int | None) -> tuple[ProbeLook, ...]:
    """Look at the last call of a session whose prompts hold all that was said, or a window of it."""
    blocks = [Block(f"m{n}", "user", Layer.HISTORY, text, tokens=len(text) // 4) for n, text in enumerate(texts)]
    contexts = []
    for call in range(1, len(blocks) + 1):
        begin = 0 if window is None else max(0, call - window)
        before = f"call{call - 1}" if call > 1 else None
        contexts.append(CallContext(call, f"call{call}", before, "main", tuple(blocks[begin:call])))
    facts = SessionFacts("bfcl", (), trace_session(contexts))
    return look([Probe(p.id, p.question, p.expected, p.kind) for p in probes], facts, [len(blocks)])


@pytest.fixture
def folder(realdata: Path) -> Path:
    """The files of BFCL."""
    found = realdata / "bfcl-memory"
    if not found.is_dir():
        pytest.skip("the memory part of BFCL is absent")
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_questions_are_a_suite(scenario: str, folder: Path, tmp_path: Path) -> None:
    """They can be saved and loaded in both formats."""
    suite = suite_of(folder, scenario)
    for name in ("s.toml", "s.jsonl"):
        save_suite(suite, tmp_path / name)
        assert load_suite(tmp_path / name).probes == suite.probes


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_everything_that_was_said_is_present_and_a_window_loses_it(scenario: str, folder: Path) -> None:
    """The full talk holds every answer that stands in it word for word; what a window drops is evicted."""
    suite, texts = suite_of(folder, scenario), texts_of(folder, scenario)
    patterns = {probe.id: re.compile(probe.expected.facts[0].text) for probe in suite.probes}
    said = {name for name, pattern in patterns.items() if any(pattern.search(text) for text in texts)}
    kept = {name for name in said if any(patterns[name].search(text) for text in texts[-WINDOW:])}
    full, cut = (
        {found.probe.id: [one.state for one in found.presences.values()] for found in looked(suite.probes, texts, size)}
        for size in (None, WINDOW)
    )

    assert {name for name, states in full.items() if states == ["present"]} == said
    assert {name for name, states in cut.items() if states == ["present"]} == kept
    assert {name for name, states in cut.items() if states == ["absent"]} == said - kept


def test_most_answers_stand_in_the_conversations(folder: Path) -> None:
    """So presence is a fair measure here; a window of six messages holds far fewer."""
    full, cut = [], []
    for scenario in SCENARIOS:
        suite, texts = suite_of(folder, scenario), texts_of(folder, scenario)
        full += looked(suite.probes, texts, None)
        cut += looked(suite.probes, texts, WINDOW)
    whole, left = key_information_presence(full), key_information_presence(cut)

    assert whole.whole == left.whole
    assert whole.whole > 0.6 * len(full)
    assert whole.value == 1.0
    assert left.value is not None
    assert left.value < 0.5
