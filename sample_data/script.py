"""The conversation of a sample as its TOML file tells it: what the user says and what the model answers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "scenarios"


@dataclass(frozen=True)
class ToolUse:
    """One tool call of the model, and what the tool gives back."""

    tool: str
    arguments: dict[str, Any]
    result: str | None
    """None: a sub-agent finds it out by ``steps``."""
    seconds: float
    """How long the tool takes."""
    lane: str | None
    """Lane of the sub-agent that runs the tool."""
    steps: tuple[Step, ...]
    """What the sub-agent's model answers."""


@dataclass(frozen=True)
class Step:
    """One answer of the model."""

    say: str | None
    uses: tuple[ToolUse, ...]
    refused: int
    """How many tries the provider refuses (429) before it answers."""


@dataclass(frozen=True)
class Pin:
    """Text that must stay in every later prompt."""

    text: str
    reason: str


@dataclass(frozen=True)
class Document:
    """A candidate of a retrieval."""

    id: str
    score: float
    sent: bool
    why: str | None
    """Why it was not sent."""
    text: str


@dataclass(frozen=True)
class Retrieval:
    """What a search in the knowledge base found for a turn, best first."""

    query: str
    documents: tuple[Document, ...]


@dataclass(frozen=True)
class Turn:
    """From one user message to the next."""

    after_s: float
    """How long the user thought, seconds."""
    user: str
    pins: tuple[Pin, ...]
    retrieval: Retrieval | None
    steps: tuple[Step, ...]
    state: dict[str, Any] | None
    """The task state the agent's code derives from this turn; with a keeper of the state, what its model answers."""


@dataclass(frozen=True)
class Script:
    """A whole conversation."""

    system: str
    """Instructions of the agent."""
    profile: str
    """What the agent remembers of the user from earlier sessions."""
    researcher: str
    """Instructions of the sub-agent; empty: there is none."""
    title: str | None
    """What the title call answers; None: there is none."""
    turns: tuple[Turn, ...]
    summaries: tuple[str, ...]
    """What the summariser answers, in order."""


def load_script(name: str) -> Script:
    """Read the conversation ``scenarios/<name>.toml``."""
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    return Script(
        system=data["system"],
        profile=data["profile"],
        researcher=data.get("researcher", ""),
        title=data.get("title"),
        turns=tuple(_turn(turn) for turn in data["turn"]),
        summaries=tuple(summary["text"] for summary in data.get("summary", ())),
    )


def _turn(data: Mapping[str, Any]) -> Turn:
    return Turn(
        after_s=data["after_s"],
        user=data["user"],
        pins=tuple(Pin(pin["text"], pin["reason"]) for pin in data.get("pin", ())),
        retrieval=_retrieval(data["retrieval"]) if "retrieval" in data else None,
        steps=tuple(_step(step) for step in data["step"]),
        state=data.get("state"),
    )


def _retrieval(data: Mapping[str, Any]) -> Retrieval:
    documents = (Document(d["id"], d["score"], d["sent"], d.get("why"), d["text"]) for d in data["document"])
    return Retrieval(data["query"], tuple(documents))


def _step(data: Mapping[str, Any]) -> Step:
    say = (FOLDER / data["say_file"]).read_text("utf-8").rstrip("\n") if "say_file" in data else data.get("say")
    return Step(say, tuple(_use(use) for use in data.get("use", ())), data.get("refused", 0))


def _use(data: Mapping[str, Any]) -> ToolUse:
    return ToolUse(
        tool=data["tool"],
        arguments=data["args"],
        result=_as_sent(data["result"]) if "result" in data else None,
        seconds=data["seconds"],
        lane=data.get("lane"),
        steps=tuple(_step(step) for step in data.get("step", ())),
    )


def _as_sent(result: str) -> str:
    """Return a tool result as the tool writes it: JSON on one line, other text as it is."""
    text = result.strip()
    return json.dumps(json.loads(text), ensure_ascii=False) if text.startswith("{") else text
