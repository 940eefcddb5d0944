"""Facts about judges: what they are asked, in which dialect, and which of their words is the grade."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.errors import ProbeError
from inspector.probes.judging import ModelJudge, judgement_key, read_grade, recorded_verdicts, wants_judge
from inspector.probes.probe import Expected, Probe
from inspector.probes.replay_target import Target
from inspector.probes.results import AnswerRecord
from snapshot_sdk.facts import Fact

PLACE = Probe(
    "place", "Where is the shop?", Expected((Fact("text", "the harbour"),), scorer="model_graded_fact"), "recall"
)


@pytest.mark.parametrize(
    ("said", "grade"),
    [
        ("It says so.\nGRADE: C", True),
        ("It does not.\nGRADE: I", False),
        ("**GRADE: C**", True),
        ("GRADE：I", False),
        ("At first GRADE: C, but then it contradicts itself.\nGRADE: I", False),
        ("GRADE: Correct", None),
        ("C", None),
        ("", None),
        (None, None),
    ],
)
def test_the_last_grade_counts(said: str | None, grade: bool | None) -> None:
    """What is no grade is no judgement."""
    assert read_grade(said) is grade


@pytest.mark.parametrize(
    ("url", "api", "path", "member"),
    [
        ("http://127.0.0.1:8080", None, "/v1/chat/completions", "messages"),
        ("https://api.anthropic.com", None, "/v1/messages", "messages"),
        ("https://generativelanguage.googleapis.com", None, "/v1beta/models/m:generateContent", "contents"),
        ("http://127.0.0.1:11434", "ollama.chat", "/api/chat", "messages"),
        ("https://api.openai.com/v1/responses", None, "/v1/responses", "input"),
        ("https://api.cohere.com", None, "/v2/chat", "messages"),
        ("https://bedrock-runtime.eu-west-1.amazonaws.com", None, "/model/m/converse", "messages"),
    ],
)
def test_a_judge_is_asked_in_its_own_dialect(url: str, api: str | None, path: str, member: str) -> None:
    """By what the user says, else by the address."""
    request = ModelJudge(Target(url, api, "m")).request(PLACE, "by the sea")

    assert request.address.url.endswith(path)
    assert len(request.body[member]) == 1
    for text in ("Where is the shop?", "the harbour", "by the sea"):
        assert text in str(request.body)


def test_a_judge_has_an_address_and_a_model() -> None:
    """There is no call whose own they could be."""
    for target in (Target(None, None, "m"), Target("http://127.0.0.1:1")):
        with pytest.raises(ProbeError, match="judge"):
            ModelJudge(target)


def test_only_model_graded_probes_want_one() -> None:
    """Others are scored by looking at the answer."""
    assert wants_judge([PLACE])
    assert not wants_judge([Probe("a", "?", Expected((Fact("text", "b"),)), "recall")])


def test_a_judgement_that_was_kept_counts_for_its_answer_only() -> None:
    """Of two of the same answer the later; another answer has none."""

    def record(said: str, **more: Any) -> AnswerRecord:
        return AnswerRecord(
            session="s", call=1, snapshot="a", probe="place", arm="judge", replicate=1, request=said,
            question=PLACE.question, api="openai.chat", endpoint="http://127.0.0.1", model="m",
            time="2026-11-28T00:00:00Z", answer=said, **more,
        )  # fmt: skip

    key = judgement_key(PLACE.question, PLACE.expected, "by the sea")
    judge = recorded_verdicts([record("GRADE: I", judged=key), record("GRADE: C", judged=key), record("by the sea")])
    assert judge is not None
    assert judge(PLACE, "by the sea") is True
    assert judge(PLACE, "inland") is None
    assert recorded_verdicts([record("by the sea")]) is None
