"""A result is cut to its beginning once the next one comes; the agent reads the same two files six times."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.provider import OpenAIModel
from sample_data.script import FOLDER, ToolUse, load_script
from sample_data.trimming import NewestResultWhole
from sample_data.wire import Block, OpenAIChat, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "checkout-504"
INCIDENT: Final = "Two files are read six times: each result is cut as soon as the next one comes."
ABOUT: Final = (
    "All tool results but the newest are cut to 600 characters, and nothing records it. The two values to be "
    "compared stand near the ends of two files: whenever one is read the other is gone, and the agent reads it again."
)

TOOLS: Final = (
    Tool(
        "list_alerts",
        "List the alerts of a service, those resolved, and the rollouts since a moment.",
        {"service": "string: name", "since": "string: ISO time"},
    ),
    Tool("read_file", "Read a file of the deployment, whole.", {"path": "string: path below deploy/prod"}),
    Tool(
        "propose_patch",
        "Replace one passage of a file and roll it out. Needs the name of the person who said yes.",
        {
            "path": "string: path below deploy/prod",
            "find": "string: passage to replace, exactly as it stands",
            "replace": "string: what to put in its place",
            "approved_by": "string: user name",
        },
    ),
)


class ReleaseDesk(Agent):
    """An agent that has files to read."""

    def delegate(self, use: ToolUse) -> str:
        """Read the file that is asked for."""
        return (FOLDER / "checkout" / str(use.arguments["path"])).read_text("utf-8")


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("read_again")
    world = World(datetime(2026, 11, 30, 14, 31, 48, tzinfo=UTC), seed=504)
    with Recorder(
        directory,
        session=SESSION,
        agent="release-desk",
        window=128_000,
        budget=8_000,
        threshold=0.8,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        fixed = FixedLayer([Block("system", script.system), Block("memory", script.profile, "profile:p.nair")])
        memory = NewestResultWhole(at_most=600)
        ReleaseDesk(recorder, world, OpenAIModel("gpt-4.1", world), OpenAIChat(), TOOLS, fixed, memory).run(script)
    return recorder.losses
