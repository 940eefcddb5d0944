"""The shared traces of Langfuse, against Langfuse's own normalisation of each, over the whole way to the page."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.run import import_paths
from inspector.index import open_index
from inspector.model.request import Message
from inspector.model.views import CallView

TRACES = {
    "google-gemini-2025-08-01": 1,
    "koog-2025-08-26": 2,
    "langgraph-python-2025-08-22": 2,
    "openai-agents-2025-09-30": 2,
    "pydantic-ai-2025-06-06": 1,
}
"""Each trace and its generations."""

EACH = pytest.mark.parametrize("name", TRACES)


@dataclass(frozen=True)
class Said:
    """A message, as far as two normalisations of it must agree."""

    role: str
    text: str
    calls: tuple[tuple[str | None, str | None, str], ...] = ()
    answers: str | None = None
    """Id of the call it is the result of."""


@dataclass(frozen=True)
class Compared:
    """A generation: the page's view of it, and what is expected."""

    view: CallView
    observation: Mapping[str, Any]
    chatml: Mapping[str, Any]


def load(realdata: Path, name: str, kind: str) -> Any:
    """Read one of the two files of a trace."""
    return json.loads((realdata / "langfuse" / f"{name}.{kind}.json").read_text(encoding="utf-8"))


@cache
def compare(realdata: Path, name: str) -> list[Compared]:
    """Import a trace, and give every generation of it beside what is expected; once, the tests only look."""
    trace, expected = load(realdata, name, "trace"), load(realdata, name, "chatml")
    generations = [one for one in trace["observations"] if one["type"] == "GENERATION"]
    generations.sort(key=lambda one: one["startTime"])
    with tempfile.TemporaryDirectory() as out:
        import_paths([realdata / "langfuse" / f"{name}.trace.json"], Path(out))
        index = open_index(Path(out))
        try:
            index.refresh()
            [session] = index.sessions()
            views = [index.call(session.session, row.number) for row in index.calls(session.session)]
        finally:
            index.close()
    return [
        Compared(view, one, expected[one["id"]]) for view, one in zip(views, generations, strict=True)
    ]  # strict: a call of each generation


def expected_in(messages: Any) -> list[Said]:
    """Read messages of the expected normalisation."""
    said = []
    for one in messages:
        # pydantic-ai's answer is left in the event it came in.
        message = one if "role" in one else one["json"]["message"]
        calls = tuple((call["id"], call["name"], call["arguments"]) for call in message.get("tool_calls", ()))
        role = {"model": "assistant"}.get(message["role"], message["role"])
        said.append(Said(role, message.get("content") or "", calls, message.get("tool_call_id")))
    return said


def said_in(message: Message) -> Said:
    """Read a message as the page shows it."""
    text = "".join(part.text for part in message.parts if part.kind in ("text", "tool_result"))
    calls = tuple((part.call_id, part.name, part.text) for part in message.parts if part.kind == "tool_call")
    answers = next((part.call_id for part in message.parts if part.kind == "tool_result"), None)
    return Said(str(message.role), text, calls, answers)


def tools_of(view: CallView) -> list[Any]:
    """Give the tools of a prompt, flat, as they were defined."""
    parts = [part for row in view.messages if row.member == "tools" for part in row.message.parts]
    tools = [json.loads(part.text) for part in parts]
    return [tool.get("function", tool) for tool in tools]


@EACH
def test_every_prompt(realdata: Path, name: str) -> None:
    """Roles, texts, calls and results of every prompt are those of Langfuse's own normalisation."""
    compared = compare(realdata, name)
    for one in compared:
        shown = [said_in(row.message) for row in one.view.messages if row.member in ("messages", "input", "contents")]
        assert shown == expected_in(one.chatml["input"]["data"])
    assert len(compared) == TRACES[name]


@EACH
def test_every_answer(realdata: Path, name: str) -> None:
    """So are those of every answer."""
    for one in compare(realdata, name):
        assert one.view.answer is not None
        shown = [said_in(message) for message in one.view.answer.messages]
        assert shown == expected_in(one.chatml["output"]["data"])


@EACH
def test_every_tool(realdata: Path, name: str) -> None:
    """Tools that the normalisation found in a generation are the tools of its prompt."""
    for one in compare(realdata, name):
        sides = [message for side in ("input", "output") for message in one.chatml[side]["data"]]
        expected = next((message["tools"] for message in sides if "tools" in message), [])
        assert [tool["name"] for tool in tools_of(one.view)] == [tool["name"] for tool in expected]
        assert [tool["parameters"] for tool in tools_of(one.view)] == [tool["parameters"] for tool in expected]


@EACH
def test_every_usage(realdata: Path, name: str) -> None:
    """Usage is what Langfuse counts, and the answer includes reasoning."""
    for one in compare(realdata, name):
        counts = one.observation["usageDetails"]
        usage = one.view.call.usage
        assert (usage.input_tokens, usage.output_tokens) == (counts["input"], counts["output"])
        assert usage.reasoning_tokens == counts.get("completion_details.reasoning", counts.get("output_reasoning"))


@EACH
def test_times(realdata: Path, name: str) -> None:
    """A call was made when its generation began, and took as long."""
    for one in compare(realdata, name):
        assert one.view.call.time[:23] == one.observation["startTime"].removesuffix("Z")
        assert one.view.call.duration_ms == pytest.approx(one.observation["latency"] * 1000, abs=0.5)


@EACH
def test_honest(realdata: Path, name: str) -> None:
    """None of the traces holds a whole body, and each says what it lacks."""
    for one in compare(realdata, name):
        assert one.view.call.exact == "rebuilt"
        assert one.view.call.missing


def test_instructions(realdata: Path) -> None:
    """The instructions of OpenAI's agents, which stand in the answer only, are the prompt's system message."""
    for one in compare(realdata, "openai-agents-2025-09-30"):
        first = one.view.messages[0]
        assert (first.member, first.message.text) == ("instructions", "You are a helpful agent.")


def test_counted(realdata: Path) -> None:
    """The prompts of koog and pydantic-ai are counted to the very token the provider counted: nothing is lost."""
    for name in ("koog-2025-08-26", "pydantic-ai-2025-06-06"):
        for one in compare(realdata, name):
            assert one.view.call.unattributed == 0
