"""Two people write within a second; both handlers load the same session, and who writes last wins."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.event_loop import Onlooker, run
from sample_data.provider import OpenAIModel
from sample_data.script import load_script
from sample_data.shared_session import SharedDesk
from sample_data.wire import Block, OpenAIChat, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "team-dinner"
INCIDENT: Final = "Two messages at once, the last write wins: 22 guests, confirmed, are 18 again."
ABOUT: Final = (
    "Messages of a group are handled as they come, without a lock. At turns 4 and 5 two of them load the same session; "
    "the second is done last and writes its copy back, so that the message, the answer and the state of the first are "
    "gone. Its order, filled in from the old state, also takes the restaurant back to 18 guests."
)

_ORDER: Final = {"people": "integer: 人数", "time": "string: 时间，HH:MM", "note": "string: 给餐厅的备注，可以为空"}

TOOLS: Final = (
    Tool(
        "search_restaurants",
        "查某天有空包厢的餐厅，返回人均、包厢座位数和可选时间。",
        {
            "area": "string: 区域",
            "date": "string: 日期，YYYY-MM-DD",
            "people": "integer: 人数",
            "max_price": "integer: 人均上限，元",
        },
    ),
    Tool(
        "hold_room",
        "预订包厢，保留到前一天中午。",
        {
            "restaurant": "string: 餐厅编号",
            "room": "string: 包厢名",
            "date": "string: 日期，YYYY-MM-DD",
            **_ORDER,
        },
    ),
    Tool("change_hold", "用完整的订单覆盖已有的预订。", {"hold": "string: 单号", **_ORDER}),
)


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("two_at_once")
    world = World(datetime(2026, 12, 1, 2, 12, 40, tzinfo=UTC), seed=26)
    with Recorder(
        directory,
        session=SESSION,
        agent="dinner-desk",
        window=128_000,
        budget=8_000,
        threshold=0.8,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        blocks = [Block("system", script.system), Block("memory", script.profile, "profile:product-1")]
        desk = SharedDesk(recorder, OpenAIModel("gpt-4.1", Onlooker(world)), OpenAIChat(), TOOLS, blocks)
        run(world, lambda: desk.run(script))
    return recorder.losses
