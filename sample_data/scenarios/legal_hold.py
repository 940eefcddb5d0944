"""A rule is handed down to every scout until the server compacts the conversation; the next scout does not get it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.provider_editing import EditingClaude, EditingMessages, clear_tool_uses, compact
from sample_data.scenarios._warehouse import inventory, readers
from sample_data.script import ToolUse, load_script
from sample_data.wire import Block, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "storage-review"
INCIDENT: Final = "The server compacts the talk; the next scout is not told of the legal hold."
ABOUT: Final = (
    "Every request still holds the rule “billing_2023 is under legal hold”, but the model does not: past 50,000 tokens "
    "the server replaced everything by a summary without it. The scout that is sent next gets no rule, and three "
    "tables under hold are proposed for deletion."
)
RULE: Final = "billing_2023 is under legal hold"

TOOLS: Final = (
    Tool("inventory", "List the tables of a schema, largest first: size, age, last read.", {"schema": "string: name"}),
    Tool(
        "scout", "Send a scout to find out who reads tables. It knows nothing but its task.", {"topic": "string: task"}
    ),
    Tool("propose_drop", "Propose tables to be dropped. Mails their owners.", {"tables": "array: schema.table"}),
    Tool("withdraw", "Take a proposal back.", {"proposal": "string: its number"}),
)

SCOUT_TOOLS: Final = (
    Tool(
        "readers",
        "List who read the tables of a schema in the last 180 days, largest tables first, 14 a page.",
        {"schema": "string: name", "page": "integer: from 1"},
    ),
)


class StorageDesk(Agent):
    """An agent with a warehouse to look at."""

    def delegate(self, use: ToolUse) -> str:
        """Look it up, or send a scout."""
        if use.tool == "inventory":
            return inventory(use.arguments["schema"])
        if use.tool == "readers":
            return readers(use.arguments["schema"], use.arguments["page"])
        return super().delegate(use)


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("legal_hold")
    world = World(datetime(2026, 11, 25, 13, 5, 31, tzinfo=UTC), seed=50_000)
    with Recorder(
        directory,
        session=SESSION,
        agent="storage-desk",
        window=200_000,
        budget=60_000,
        threshold=50_000,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        model = EditingClaude("claude-sonnet-4-6", world, (summary.strip() for summary in script.summaries))
        fixed = FixedLayer([Block("system", script.system), Block("memory", script.profile, "profile:t.brandt")])
        desk = StorageDesk(recorder, world, model, EditingMessages(compact()), TOOLS, fixed)
        # Scouts read page after page and need only the last one.
        scouts = EditingMessages(clear_tool_uses(trigger=2_000, keep=1))
        instructions = FixedLayer([Block("system", script.researcher)])
        desk.sub_agents["scout"] = StorageDesk(recorder, world, model, scouts, SCOUT_TOOLS, instructions)
        recorder.pin(RULE, reason="legal hold; the scouts must have it too")
        desk.run(script)
    return recorder.losses
