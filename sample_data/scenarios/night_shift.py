"""Three logs push out the message that asked for them and forbade a rollback; the agent rolls back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.memory import TokenWindow
from sample_data.provider import AnthropicModel
from sample_data.script import load_script
from sample_data.wire import AnthropicMessages, Block, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "night-shift"
INCIDENT: Final = "Three logs push the user's message out of the window, and with it “Do not roll anything back”."
ABOUT: Final = (
    "The window keeps the newest 3,400 tokens, also inside a turn. Three logs of more than 1,000 tokens each fill it, "
    "the message of turn 3 that asked for them falls out, and the agent rolls back what it was told to leave alone."
)

TOOLS: Final = (
    Tool("list_deploys", "List the deploys since a time, oldest first.", {"since": "string: ISO time, UTC"}),
    Tool(
        "query_metric",
        "Read a metric as a series of sums.",
        {
            "metric": "string: name",
            "from": "string: HH:MM, UTC",
            "to": "string: HH:MM, UTC",
            "step": "string: width of a step, such as 5m",
        },
    ),
    Tool(
        "read_log",
        "Read the log of a service between two times, sampled to some 30 lines.",
        {"service": "string: name of the service", "from": "string: HH:MM, UTC", "to": "string: HH:MM, UTC"},
    ),
    Tool(
        "rollback_deploy",
        "Roll a deploy back to the one before it. Restarts all instances of the service.",
        {"deploy": "string: id, such as dep-8801", "reason": "string: for the log of changes"},
    ),
    Tool(
        "post_note",
        "Post a note to a channel, and page a person if one is named.",
        {"channel": "string: with #", "text": "string: the note", "page": "string: name, or empty"},
    ),
)


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("night_shift")
    world = World(datetime(2026, 11, 24, 2, 24, 31, tzinfo=UTC), seed=8812)
    with Recorder(
        directory,
        session=SESSION,
        agent="night-shift-assistant",
        window=200_000,
        budget=6_000,
        threshold=0.7,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        wire = AnthropicMessages()
        fixed = FixedLayer([Block("system", script.system), Block("memory", script.profile, "profile:platform")])
        memory = TokenWindow(recorder, wire, at_most=3_400, note="(Earlier messages were removed to save space.)")
        Agent(recorder, world, AnthropicModel("claude-sonnet-4-5", world), wire, TOOLS, fixed, memory).run(script)
    return recorder.losses
