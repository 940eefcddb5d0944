"""The healthy one: a fixed layer with the user's rules word for word, a flowing layer of recent turns."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.memory import RollingSummary
from sample_data.provider import OpenAIModel
from sample_data.script import load_script
from sample_data.wire import Block, OpenAIChat, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "lisbon-offsite"
INCIDENT: Final = "Nothing went wrong: the rules stand word for word in a fixed layer. To compare the others with."
ABOUT: Final = (
    "Nothing went wrong. A fixed layer holds the state and the user's three rules word for word; only the recent "
    "turns flow, and older ones become a summary."
)

TOOLS: Final = (
    Tool(
        "search_flights",
        "Search return flights. Times are local.",
        {
            "origin": "string: IATA code",
            "destination": "string: IATA code",
            "out": "string: date",
            "back": "string: date",
            "travellers": "integer: number of seats",
        },
    ),
    Tool(
        "hold_flights", "Put an offer on hold without buying.", {"offer": "string: id", "travellers": "integer: seats"}
    ),
    Tool("change_hold", "Change the seats of a hold.", {"hold": "string: reference", "travellers": "integer: seats"}),
    Tool("research", "Give a question to the researcher, who compares options.", {"topic": "string: what to find"}),
    Tool(
        "hold_hotel",
        "Put hotel rooms on hold.",
        {
            "hotel": "string: id",
            "check_in": "string: date",
            "nights": "integer: nights",
            "singles": "integer: single rooms",
            "meeting_room": "string: date, or empty",
        },
    ),
    Tool(
        "search_restaurants",
        "Search restaurants with free tables.",
        {
            "near": "string: place",
            "cuisine": "string: kind",
            "date": "string: date",
            "people": "integer: guests",
        },
    ),
    Tool(
        "book_table",
        "Book a table.",
        {
            "restaurant": "string: id",
            "date": "string: date",
            "time": "string: HH:MM",
            "people": "integer: guests",
            "note": "string: for the kitchen",
        },
    ),
    Tool("confirm", "Buy and confirm holds. Only after the user said so.", {"holds": "array: references"}),
)

RESEARCH_TOOLS: Final = (
    Tool(
        "search_hotels",
        "Search hotels with free rooms.",
        {
            "city": "string: city",
            "check_in": "string: date",
            "nights": "integer: nights",
            "singles": "integer: single rooms",
            "max_price": "integer: per room and night",
        },
    ),
    Tool("hotel_reviews", "Count what guests say.", {"ids": "array: hotel ids", "about": "array: aspects"}),
)


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("offsite")
    world = World(datetime(2026, 11, 30, 8, 41, 5, tzinfo=UTC), seed=900)
    with Recorder(
        directory,
        session=SESSION,
        agent="travel-desk",
        window=128_000,
        budget=8_000,
        threshold=0.5,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        wire = OpenAIChat()
        model = OpenAIModel("gpt-4.1", world)
        fixed = FixedLayer(
            [Block("system", script.system), Block("memory", script.profile, "profile:m.kowalska")], rules=[]
        )
        agent = Agent(recorder, world, model, wire, TOOLS, fixed)
        agent.memory = RollingSummary(recorder, wire, agent.summarise, at_most=5, keep=2)
        instructions = FixedLayer([Block("system", script.researcher)])
        agent.sub_agents["research"] = Agent(recorder, world, model, wire, RESEARCH_TOOLS, instructions)
        agent.run(script)
    return recorder.losses
