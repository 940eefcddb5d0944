"""Fine-tuning data: OpenAI's and TRL's rows as calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.base import ImportedCall, Problem
from inspector.importers.reading.documents import Document
from inspector.importers.recognising import recognise
from inspector.importers.run import IMPORTERS
from inspector.importers.training.fine_tuning import FineTuning

Write = Callable[..., Path]

TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
ASK = {"role": "user", "content": "q"}
GOOD = {"role": "assistant", "content": "good"}
BAD = {"role": "assistant", "content": "bad"}


def read(path: Path) -> tuple[dict[str, list[ImportedCall]], list[Problem]]:
    """The calls of each session, and the problems."""
    problems: list[Problem] = []
    sessions = FineTuning().read([Document(path)], problems.append)
    return {session.session: list(session.calls()) for session in sessions}, problems  # type: ignore[misc]


def outline(calls: list[ImportedCall]) -> list[tuple[str | None, Any, Any]]:
    """Lane, request and answer of each call."""
    return [(call.lane, call.request, [*call.answer.messages] if call.answer else None) for call in calls]


def test_supervised(write_lines: Write) -> None:
    """A row's answers are calls; weights are for training and are not sent."""
    row = {
        "messages": [ASK, {**BAD, "weight": 0}, ASK, {**GOOD, "weight": 1}],
        "tools": TOOLS,
        "parallel_tool_calls": False,
    }

    sessions, problems = read(write_lines("train.jsonl", row, row))

    more = {"tools": TOOLS, "parallel_tool_calls": False}
    assert outline(sessions["train 1"]) == [
        (None, {"messages": [ASK], **more}, [BAD]),
        (None, {"messages": [ASK, BAD, ASK], **more}, [GOOD]),
    ]
    assert (list(sessions), problems) == (["train 1", "train 2"], [])


@pytest.mark.parametrize(
    "row",
    [
        {"input": {"messages": [ASK]}, "preferred_output": [GOOD], "non_preferred_output": [BAD]},
        {"prompt": [ASK], "chosen": [GOOD], "rejected": [BAD]},
        {"prompt": "q", "chosen": "good", "rejected": "bad"},
        {"chosen": [ASK, GOOD], "rejected": [ASK, BAD]},
        {"prompt": [ASK], "chosen": GOOD, "rejected": BAD},
    ],
)
def test_preferences(write_lines: Write, row: dict[str, Any]) -> None:
    """Both answers have the same request; where they hold it themselves it is how they begin alike."""
    sessions, _ = read(write_lines("dpo.jsonl", row, row))

    assert outline(sessions["dpo 1"]) == [
        (None, {"messages": [ASK]}, [GOOD]),
        ("rejected", {"messages": [ASK]}, [BAD]),
    ]


def test_tools_of_a_preference(write_lines: Write) -> None:
    """OpenAI's preference rows keep the tools beside the messages of the input."""
    row = {"input": {"messages": [ASK], "tools": TOOLS}, "preferred_output": [GOOD], "non_preferred_output": [BAD]}

    sessions, _ = read(write_lines("dpo.jsonl", row, row))

    request: Any = sessions["dpo 1"][0].request
    assert request["tools"] == TOOLS


@pytest.mark.parametrize(("prompt", "missing"), [("q", "wire form"), ([ASK], None)])
def test_completions(write_lines: Write, prompt: Any, missing: str | None) -> None:
    """A prompt with its completion (also KTO's, with a label); a bare text is a template's, not a message."""
    sessions, _ = read(write_lines("t.jsonl", *[{"prompt": prompt, "completion": "good", "label": True}] * 2))

    [call] = sessions["t 1"]
    assert outline([call]) == [(None, {"messages": [ASK]}, [GOOD])]
    assert (missing is None) == ("wire form" not in call.missing)


def test_null_content(write_lines: Write) -> None:
    """An answer of calls only keeps them beside its null, and calls of null stay out of the way."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    row = {
        "messages": [ASK, said, {"role": "tool", "tool_call_id": "c1", "content": "1"}, {**GOOD, "tool_calls": None}]
    }

    sessions, _ = read(write_lines("t.jsonl", row, row))

    request: Any = sessions["t 1"][1].request
    assert request["messages"][1] == said


def test_blocks(write_lines: Write) -> None:
    """LLaMA-Factory's blocks have their text in ``value``."""
    block = [{"type": "text", "value": "q"}]
    row = {"messages": [{"role": "user", "content": block, "loss_weight": 0.0}, GOOD]}

    sessions, _ = read(write_lines("t.jsonl", row, row))

    request: Any = sessions["t 1"][0].request
    assert request["messages"] == [{"role": "user", "content": [{"type": "text", "text": "q"}]}]


def test_rows_without_an_answer(write_lines: Write) -> None:
    """Rows for reinforcement end with the question: a call without an answer."""
    sessions, _ = read(write_lines("t.jsonl", {"messages": [ASK, GOOD]}, {"messages": [ASK], "reference": "4"}))

    assert outline(sessions["t 2"]) == [(None, {"messages": [ASK]}, None)]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"messages": [ASK, GOOD]}, "fine-tuning"),
        ({"messages": [ASK, GOOD], "source": "x"}, "fine-tuning"),
        ({"messages": [ASK]}, "bodies"),
        ({"model": "m", "messages": [ASK, GOOD]}, "bodies"),
        ({"messages": [ASK, GOOD], "max_tokens": 5}, "bodies"),
        ({"request": {"model": "m", "messages": [ASK]}, "response": {}}, "bodies"),
    ],
)
def test_recognised(write_lines: Write, value: dict[str, Any], name: str) -> None:
    """A conversation that ends with an answer and names no model is a row; a body stays a body."""
    importer = recognise(Document(write_lines("t.jsonl", value, value)), IMPORTERS, named=True)

    assert importer is not None
    assert not isinstance(importer, str)
    assert importer.name == name


@pytest.mark.parametrize(
    "row",
    [
        {"messages": "q"},
        {"messages": []},
        {"prompt": [ASK], "chosen": 5},
        {"chosen": [GOOD], "rejected": [BAD]},
        {"prompt": 5, "completion": "x"},
    ],
)
def test_what_is_no_row(write_lines: Write, row: Any) -> None:
    """It is said with its line, and the row before it is read."""
    sessions, problems = read(write_lines("t.jsonl", {"messages": [ASK, GOOD]}, row))

    assert (list(sessions), [problem.line for problem in problems]) == (["t 1"], [2])
