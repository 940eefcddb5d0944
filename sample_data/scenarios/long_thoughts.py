"""Every thought stays in the prompt: it grows fourfold in five steps, and a guess of the first one is copied on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.provider_thinking import ThinkingClaude, ThinkingMessages, load_thoughts
from sample_data.script import load_script
from sample_data.wire import Block, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "october-margin"
INCIDENT: Final = "A wrong guess in the first thought is in all later ones; the prompt grows fourfold."
ABOUT: Final = (
    "The agent sends every thinking block back, and the model reads them all. The first one guesses that “gmv” is net "
    "of refunds; each later one copies the guess, also after the notes on the fields said the opposite (call 5). The "
    "answer blames the wrong store."
)

TOOLS: Final = (
    Tool("sales_summary", "门店按月销售汇总：订单数、gmv、成本、客单价。", {"months": "array: 月份，YYYY-MM"}),
    Tool("refunds", "门店当月退款笔数、金额和主要原因，按退款完成日记。", {"month": "string: 月份，YYYY-MM"}),
    Tool("price_changes", "门店当月的调价记录。", {"store": "string: 门店", "month": "string: 月份，YYYY-MM"}),
    Tool("cost_lines", "门店成本明细，按科目和月份。", {"store": "string: 门店", "months": "array: 月份，YYYY-MM"}),
    Tool("traffic", "门店客流、落座、外卖与天气。", {"store": "string: 门店", "months": "array: 月份，YYYY-MM"}),
    Tool("field_notes", "数据表的字段说明，由数据组维护。", {"table": "string: 表名"}),
)

THINKING_BUDGET: Final = 8_000


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("long_thoughts")
    world = World(datetime(2026, 11, 24, 2, 16, 9, tzinfo=UTC), seed=105)
    with Recorder(
        directory,
        session=SESSION,
        agent="store-analyst",
        window=200_000,
        budget=12_000,
        threshold=0.8,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        model = ThinkingClaude("claude-opus-4-5", world, load_thoughts("long_thoughts"))
        fixed = FixedLayer([Block("system", script.system), Block("memory", script.profile, "profile:zhou.lan")])
        # No memory policy: models from Claude Opus 4.5 on read the thinking of earlier turns, if it is sent back.
        Agent(recorder, world, model, ThinkingMessages(THINKING_BUDGET), TOOLS, fixed).run(script)
    return recorder.losses
