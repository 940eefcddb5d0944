"""A cap of 800 words, set at turn 2, is gone from the summaries; at turn 15 the agent writes 2,000 words."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.memory import RollingSummary
from sample_data.provider import AnthropicModel
from sample_data.script import load_script
from sample_data.wire import AnthropicMessages, Block, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "returns-desk"
INCIDENT: Final = "A cap of 800 words is lost when a summary is summarised again; the model then writes 2,000."
ABOUT: Final = (
    "The cap of 800 words is said once, at turn 2. The first summary quotes it; the second one summarises the first "
    "and keeps “concise copy” of it. At turn 15 the agent writes 2,000 words."
)

TOOLS: Final = (
    Tool(
        "search_notes",
        "Search the notes folder by keywords. Returns id, title, length and date of each hit, best first.",
        {"query": "string: keywords", "limit": "integer: how many hits at most"},
    ),
    Tool("read_note", "Read one note in full.", {"id": "string: id of the note, such as n-007"}),
    Tool(
        "save_draft",
        "Save a new draft, or a new version of one. Returns the version and the number of words.",
        {
            "slug": "string: short name of the draft, lower case with hyphens",
            "title": "string: headline",
            "text": "string: the whole text, paragraphs separated by an empty line",
        },
    ),
    Tool(
        "edit_draft",
        "Replace one passage of a saved draft. Fails when the passage is not found exactly once.",
        {
            "slug": "string: name of the draft",
            "find": "string: passage to replace, exactly as it stands",
            "replace": "string: what to put in its place",
        },
    ),
)


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("word_cap")
    world = World(datetime(2026, 11, 27, 15, 20, 44, tzinfo=UTC), seed=800)
    with Recorder(
        directory,
        session=SESSION,
        agent="writing-desk",
        window=200_000,
        budget=10_000,
        threshold=0.7,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        wire = AnthropicMessages()
        fixed = FixedLayer([Block("system", script.system), Block("memory", script.profile, "profile:dana")])
        agent = Agent(recorder, world, AnthropicModel("claude-sonnet-4-5", world), wire, TOOLS, fixed)
        agent.memory = RollingSummary(recorder, wire, agent.summarise, at_most=7, keep=2)
        agent.run(script)
    return recorder.losses
