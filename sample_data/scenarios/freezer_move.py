"""A slow summary is delivered again, both get done, and two “latest” summaries contradict each other."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.background import BackgroundSummary
from sample_data.provider import OpenAIModel
from sample_data.script import load_script
from sample_data.wire import Block, OpenAIChat, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "freezer-move"
INCIDENT: Final = "A retried compaction leaves two “latest” summaries, Bristol and Leeds; it books Leeds."
ABOUT: Final = (
    "A summary made in the background takes seven minutes and is delivered again meanwhile. The second one has the "
    "customer's change of destination; the first one is done later and is put in behind it, as the latest."
)

TOOLS: Final = (
    Tool(
        "quote_transport",
        "Quote a transport of equipment between two cities. Prices include customs papers.",
        {
            "from": "string: city",
            "to": "string: city",
            "units": "integer: pieces",
            "kg": "integer: weight of a piece",
            "cold_chain": "boolean: whether they must stay frozen",
        },
    ),
    Tool("read_terms", "Read the sections of the terms that a topic touches.", {"topic": "string: keywords"}),
    Tool(
        "check_dock",
        "Ask a place of delivery for free slots of its dock.",
        {"place": "string: city and street", "date": "string: YYYY-MM-DD", "units": "integer: pieces"},
    ),
    Tool(
        "book_transport",
        "Book a quoted transport. Only after the customer said so; cancelling is free until two working days before.",
        {
            "quote": "string: id, such as Q-700",
            "deliver_to": "string: city, street and dock",
            "loading": "string: YYYY-MM-DD HH:MM",
            "units": "integer: pieces",
            "declared_value": "integer: EUR, 0 for none",
            "passenger": "string: name, or empty",
        },
    ),
)


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("freezer_move")
    world = World(datetime(2026, 12, 8, 8, 14, 52, tzinfo=UTC), seed=780)
    with Recorder(
        directory,
        session=SESSION,
        agent="freight-desk",
        window=128_000,
        budget=4_000,
        threshold=0.7,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        fixed = FixedLayer([Block("system", script.system), Block("memory", script.profile, "profile:e.vanrijn")])
        agent = Agent(recorder, world, OpenAIModel("gpt-4.1", world), OpenAIChat(), TOOLS, fixed)
        agent.memory = BackgroundSummary(agent, at_most=1_500, patience_s=60, delays_s=(430, 40))
        agent.run(script)
    return recorder.losses
