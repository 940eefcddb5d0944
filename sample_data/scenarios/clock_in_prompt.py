"""The time stands to the second in the second line of the instructions: the prompt cache is never hit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.provider_gemini import GeminiModel
from sample_data.script import load_script
from sample_data.wire import Block, Tool
from sample_data.wire_gemini import GeminiGenerateContent
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "group-visit"
INCIDENT: Final = "Never a token from the prompt cache: line 2 of the instructions is the time."
ABOUT: Final = (
    "The agent writes the time of each call into the second line of its instructions. So no prompt begins like the one "
    "before, and every call pays for instructions, tools and history in full. Only the bill shows it."
)

TOOLS: Final = (
    Tool(
        "closures",
        "List days and hours at which the museum, or a part of it, is closed.",
        {"date_from": "string: first day, YYYY-MM-DD", "date_to": "string: last day, YYYY-MM-DD"},
    ),
    Tool(
        "free_slots",
        "List free times of offers on a day, with guides, languages, seats or places.",
        {
            "date": "string: day, YYYY-MM-DD",
            "people": "integer: size of the group",
            "offers": "array: tour_60, tour_90, planetarium, submarine, workshop_knots, bridge_simulator, self_guided",
        },
    ),
    Tool(
        "quote",
        "Price a visit. Gives a number that holds need.",
        {
            "date": "string: day, YYYY-MM-DD",
            "pupils": "integer: pupils",
            "adults": "integer: accompanying adults",
            "items": "array: offers with their number, such as tour_60 x3",
        },
    ),
    Tool(
        "hold",
        "Hold slots for 48 hours without cost.",
        {"quote": "string: number of the quote", "slots": "array: offer, start and language"},
    ),
    Tool(
        "change_hold",
        "Add to a hold, or take from it.",
        {"hold": "string: reference", "add": "array: what to add, with start and people"},
    ),
    Tool(
        "rooms",
        "List rooms in which packed lunches may be eaten.",
        {
            "date": "string: day, YYYY-MM-DD",
            "people": "integer: size of the group",
            "from": "string: HH:MM",
            "to": "string: HH:MM",
        },
    ),
    Tool(
        "access",
        "Say how a group gets to the museum and through it, for special needs.",
        {"from": "string: where it starts", "need": "string: wheelchair, pram, ...", "people": "integer: size"},
    ),
    Tool(
        "book",
        "Turn a hold into a booking. Only after the person said so.",
        {"hold": "string: reference", "name": "string: person", "telephone": "string: number"},
    ),
)


@dataclass(kw_only=True)
class FixedLayerWithClock(FixedLayer):
    """Writes the time of each call into the instructions, so that the model can tell what “tomorrow” is."""

    clock: Callable[[], datetime]
    """What time it is."""

    def render(self) -> list[Block]:
        """Return all blocks; ``{now}`` in the first one becomes the time, to the second."""
        first, *rest = super().render()
        now = self.clock().isoformat(timespec="seconds").replace("+00:00", "Z")
        return [replace(first, text=first.text.replace("{now}", now)), *rest]


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("clock_in_prompt")
    world = World(datetime(2026, 11, 26, 8, 14, 7, 640_000, tzinfo=UTC), seed=213)
    with Recorder(
        directory,
        session=SESSION,
        agent="group-desk",
        window=1_048_576,
        budget=16_000,
        threshold=0.8,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        model = GeminiModel("gemini-2.5-flash", world)
        fixed = FixedLayerWithClock(
            [Block("system", script.system), Block("memory", script.profile, "profile:i.hartog")], clock=world.now
        )
        Agent(recorder, world, model, GeminiGenerateContent(model.name), TOOLS, fixed).run(script)
    return recorder.losses
