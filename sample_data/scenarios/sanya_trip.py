"""The budget in the task state drifts from 8000元 to 8500元, and no user said so."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.extraction import ExtractedState
from sample_data.memory import SlidingWindow
from sample_data.provider_gemini import GeminiModel
from sample_data.script import load_script
from sample_data.wire import Block, Tool
from sample_data.wire_gemini import GeminiGenerateContent
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "sanya-trip"
INCIDENT: Final = "The budget in the state drifts from 8000元 to 8500元, and the user never said so."
ABOUT: Final = (
    "After each turn a model reads the state off the last two turns, without seeing the state as it was. At turn 5 the "
    "assistant quotes “合计约8500元”, and that becomes the budget; at turn 7 it books for 8,460 元."
)

_MODEL: Final = "gemini-2.5-flash"
_PROMPT: Final = (
    "根据上面的对话输出旅行状态，JSON 格式，可用的键：destination、travel_dates、people、from、budget、flight、hotel、"
    "transfer、booked、pending。只输出 JSON，没有提到的键不写。"
)

TOOLS: Final = (
    Tool(
        "search_flights",
        "查询往返机票，返回航班、时刻、大人和儿童票价及合计。",
        {
            "from": "string: 出发机场三字码",
            "to": "string: 到达机场三字码",
            "out": "string: 去程日期，YYYY-MM-DD",
            "back": "string: 回程日期，YYYY-MM-DD",
            "adults": "integer: 大人人数",
            "children": "integer: 儿童人数",
        },
    ),
    Tool(
        "search_hotels",
        "查询有余房的酒店，返回房型、几晚合计和设施。",
        {
            "city": "string: 城市",
            "check_in": "string: 入住日期，YYYY-MM-DD",
            "nights": "integer: 晚数",
            "needs": "array: 必须有的设施",
        },
    ),
    Tool(
        "search_transfers",
        "查询机场往返接送的车型和价格。",
        {"city": "string: 城市", "hotel": "string: 酒店编号", "child_seat": "boolean: 是否要安全座椅"},
    ),
    Tool(
        "quote_package",
        "把机票、酒店和接送合在一起报价，不占用余量。",
        {
            "flight": "string: 航班编号",
            "hotel": "string: 酒店编号",
            "room": "string: 房型",
            "transfer": "string: 接送方式，可以为空字符串",
        },
    ),
    Tool(
        "book_package",
        "预订并付款。只能在用户明确同意之后调用，退改会产生费用。",
        {
            "flight": "string: 航班编号",
            "hotel": "string: 酒店编号",
            "room": "string: 房型",
            "transfer": "string: 接送编号",
            "total": "integer: 合计金额，元",
        },
    ),
)


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("sanya_trip")
    world = World(datetime(2026, 11, 5, 12, 31, 9, tzinfo=UTC), seed=8500)
    with Recorder(
        directory,
        session=SESSION,
        agent="trip-planner",
        window=1_048_576,
        budget=4_000,
        threshold=0.7,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        wire = GeminiGenerateContent(_MODEL)
        fixed = FixedLayer([Block("system", script.system), Block("memory", script.profile, "profile:zhoulan")])
        memory = SlidingWindow(recorder, wire, at_most=12, keep=6)
        agent = Agent(recorder, world, GeminiModel(_MODEL, world), wire, TOOLS, fixed, memory)
        agent.state_keeper = ExtractedState(agent, _PROMPT, turns=2)
        agent.run(script)
    return recorder.losses
