"""What the browser gets of a suite: a symbol a call, runs of what neighbouring calls say, where it flips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from inspector.analysis.changes import SessionChanges
from inspector.model.views import CallRow
from inspector.probes.asking import make_cells
from inspector.probes.look import ProbeLook, SessionFacts, look
from inspector.probes.probe import Expected, Probe
from inspector.probes.results import AnswerRecord
from inspector.probes.timeline import records_of
from inspector.probes.wording import expected_words
from inspector.ui.probes_payload import Shown, figures_payload, grid_payload
from inspector.ui.probes_words import verdict_words
from snapshot_sdk.facts import Fact

MakeLook = Callable[..., tuple[SessionFacts, tuple[ProbeLook, ...]]]
ORDER = Probe("order", "What is the order number?", Expected((Fact("id", "ORD-2024-001"),)), "artifact")
SAYS = "My order number is ORD-2024-001."
HOSTILE = "[x](http://y) <img src=x onerror=alert(1)>"


@pytest.fixture
def looked(make_changes: Callable[..., SessionChanges], make_call: Callable[..., CallRow]) -> MakeLook:
    """Look for probes in calls that are lists of texts."""

    def build(*contexts: list[str], probes: tuple[Probe, ...] = (ORDER,), **more: Any) -> Any:
        changes = make_changes(*contexts, **more)
        facts = SessionFacts("shop", tuple(make_call(one.call) for one in changes.contexts), changes)
        return facts, look(probes, facts)

    return build


def answer(call: int, text: str | None, replicate: int = 1, arm: Any = "as sent") -> AnswerRecord:
    """An answer to the probe."""
    return AnswerRecord(
        session="shop", call=call, snapshot=f"id-{call}", probe="other", arm=arm, replicate=replicate,
        request=f"sha256:{call}", question=ORDER.question, api="openai.chat", endpoint="http://127.0.0.1", model="m",
        time="2026-11-28T14:02:00Z", answer=text, error=None if text else "busy",
    )  # fmt: skip


def grid(shown: Shown) -> dict[str, Any]:
    """The first probe of a grid."""
    probe: dict[str, Any] = grid_payload(shown)["probes"][0]
    return probe


def test_a_loss_is_a_symbol_and_says_what_did_it(looked: MakeLook) -> None:
    """Not due, held, gone; the flip names the message and leads to both sides of it."""
    facts, looks = looked(["hi"], ["hi", SAYS], ["hi"], ["hi"])
    probe = grid(Shown(facts, looks))

    assert probe["marks"] == "·■✕✕"
    assert [run[:2] for run in probe["runs"]] == [[0, 0], [1, 1], [2, 3]]
    assert (probe["flip"]["call"], probe["flip"]["before"]) == (3, 2)
    assert "m2 taken out" in probe["flip"]["words"]
    assert probe["repair"].startswith("m2 back in the prompt of call 3, ")
    assert probe["trace"] == ["ORD-2024-001", "id"]


def test_the_cell_names_the_messages_that_hold_it(looked: MakeLook) -> None:
    """With the text around it and how far it is from the end."""
    facts, looks = looked(["hi", SAYS, "a last word"])
    payload = grid_payload(Shown(facts, looks))
    [probe] = payload["probes"]

    assert probe["runs"][0][2]["carriers"] == [2]
    assert "ORD-2024-001" in probe["evidence"]["2"]
    assert payload["messages"]["2"][0] == "HI"
    assert probe["depth"][0] is not None


def test_a_summary_is_told_apart(looked: MakeLook) -> None:
    """Known, but only from there."""
    facts, looks = looked([SAYS], [f"[summary] {SAYS}"])

    assert grid(Shown(facts, looks))["marks"] == "■Σ"


def test_calls_of_other_lanes_have_no_mark(looked: MakeLook) -> None:
    """They concern another probe."""
    both = (ORDER, Probe("all", "Which?", ORDER.expected, "artifact", lane="*"))
    facts, looks = looked([SAYS], ["side"], [SAYS], probes=both, lanes=["main", "side", "main"])
    payload = grid_payload(Shown(facts, looks))

    assert payload["calls"] == [1, 2, 3]
    assert payload["probes"][0]["marks"] == "■ ■"


def test_answers_lie_over_what_was_looked_for(looked: MakeLook) -> None:
    """A wrong answer to a prompt that has it: buried; the flip by looking stays what it is."""
    facts, looks = looked([SAYS], [SAYS])
    records = records_of(looks, {(ORDER.question, 2, "as sent"): (answer(2, "ORD-9999-777"), answer(2, "No idea", 2))})
    probe = grid(Shown(facts, looks, records=records))

    assert probe["marks"][0] == "■"
    assert probe["marks"][1] != "■"
    assert probe["asked"] == " ?"
    assert probe["flip"] is None
    assert probe["model"].endswith("at call 2, says the model")
    [arm] = probe["runs"][-1][2]["arms"]
    assert (arm["right"], arm["of"], arm["means"]) == (0, 2, "")


def test_controls_say_what_they_mean(looked: MakeLook) -> None:
    """Right with the fact last, wrong without it: the position, and no guess."""
    facts, looks = looked([SAYS])
    latest = {
        (ORDER.question, 1, "as sent"): (answer(1, "I do not know."),),
        (ORDER.question, 1, "fact last"): (answer(1, "ORD-2024-001", arm="fact last"),),
        (ORDER.question, 1, "without the fact"): (answer(1, "I do not know.", arm="without the fact"),),
    }
    probe = grid(Shown(facts, looks, records=records_of(looks, latest)))  # type: ignore[arg-type]

    means = {arm["arm"]: arm["means"] for arm in probe["runs"][0][2]["arms"]}
    assert means == {"as sent": "", "without the fact": "it does not guess", "fact put last": "it is the position"}


def test_a_failure_is_no_answer(looked: MakeLook) -> None:
    """Looking decides, and the reason is shown."""
    facts, looks = looked([SAYS])
    probe = grid(Shown(facts, looks, records=records_of(looks, {(ORDER.question, 1, "as sent"): (answer(1, None),)})))

    assert probe["marks"] == "■"
    assert probe["runs"][0][2]["arms"][0]["failures"] == ["busy"]
    assert probe["runs"][0][2]["words"] == "In the prompt."


def test_text_of_the_user_stays_text(looked: MakeLook) -> None:
    """It goes to the browser as it stands, where it is put into text nodes."""
    probe = Probe("x", HOSTILE, Expected((Fact("text", HOSTILE),)), "recall")
    facts, looks = looked([HOSTILE], probes=(probe,))

    assert grid(Shown(facts, looks))["question"] == HOSTILE


def test_every_verdict_has_words(looked: MakeLook) -> None:
    """Also of a probe that must abstain."""
    abstain = Probe("secret", "What is the code?", Expected((Fact("id", "ZX-77"),), must_abstain=True), "abstention")
    _, looks = looked(["hi"], ["hi", SAYS], ["hi"], probes=(ORDER, abstain))

    assert all(verdict_words(cell) for cell in make_cells(looks))
    assert expected_words(abstain.expected) == "ZX-77 (id); that it is not known"


def test_rows_that_ask_the_same_are_named_by_what_they_expect(looked: MakeLook) -> None:
    """The question then stands in the smaller line."""
    other = replace(ORDER, id="old", expected=Expected((Fact("id", "ORD-2023-900"),)))
    alone = replace(ORDER, id="total", question="What is the total?")
    facts, looks = looked(["hi", SAYS], probes=(ORDER, other, alone))
    rows = grid_payload(Shown(facts, looks))["probes"]

    assert [row["label"] for row in rows] == ["ORD-2024-001 (id)", "ORD-2023-900 (id)", "What is the total?"]
    assert [ORDER.question in row["under"] for row in rows] == [True, True, False]


def test_figures_are_of_the_probes_that_are_ticked(looked: MakeLook) -> None:
    """What a draft doubts does not count until the reader takes it up; the grid shows it all the same."""
    doubtful = Probe("shelf", "Which shelf?", Expected((Fact("id", "SHELF-77-B"),)), "artifact", due_from=1)
    facts, looks = looked([SAYS], [SAYS], probes=(ORDER, doubtful))
    shown = Shown(facts, looks)

    assert figures_payload(shown, ["order"])[0][1:3] == ["100 %", "2 of 2"]
    assert figures_payload(shown)[0][1:3] == ["50 %", "2 of 4"]
    assert figures_payload(shown, [])[0][1:3] == ["–", "of nothing: unknown"]
