"""How well rewritten messages are found: the benchmark's generator, on samples and on real contexts."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sample_data import TRACES

ROOT = Path(__file__).parents[3]
PRECISION, RECALL = 0.97, 0.95


@pytest.fixture(scope="module")
def mutations() -> ModuleType:
    """The benchmark as a module."""
    spec = importlib.util.spec_from_file_location("benchmarks_mutations", ROOT / "benchmarks" / "mutations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("with_ids", [True, False], ids=["with ids", "without ids"])
def test_samples_are_paired(mutations: ModuleType, with_ids: bool) -> None:
    """Precision and recall on the shipped samples."""
    found = mutations.score(list(mutations.samples(TRACES)), 6, with_ids)

    assert found.done.total() > 60
    assert found.precision >= PRECISION
    assert found.recall >= RECALL


@pytest.mark.realdata
@pytest.mark.parametrize("with_ids", [True, False], ids=["with ids", "without ids"])
@pytest.mark.parametrize("name", ["TUNING", "HELD_OUT"])
def test_real_contexts_are_paired(mutations: ModuleType, realdata: Path, name: str, with_ids: bool) -> None:
    """Precision and recall on contexts the thresholds were chosen on, and on others."""
    contexts = mutations.read(getattr(mutations, name), realdata)
    found = mutations.score(contexts, 4, with_ids)

    assert len(contexts) >= 5
    assert found.done.total() > 400
    assert found.precision >= PRECISION
    assert found.recall >= RECALL


def test_a_change_of_form_is_never_an_edit(mutations: ModuleType) -> None:
    """String to block list and back."""
    assert mutations.score(list(mutations.samples(TRACES)), 6).edits_of_form == 0


def test_every_kind_of_mutation_occurs(mutations: ModuleType) -> None:
    """Else a figure would say nothing about it."""
    done = mutations.score(list(mutations.samples(TRACES)), 6).done

    assert set(done) == set(mutations.KINDS) - {"duplicate"}


def test_a_seed_makes_the_same_mutations(mutations: ModuleType) -> None:
    """Figures can be repeated."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"message {n} of many"} for n in range(40)]
    twice = [mutations.mutate(messages, random.Random(5)) for _ in range(2)]

    assert twice[0] == twice[1]
