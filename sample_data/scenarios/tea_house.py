"""“No exclamation marks”, said once, is lost in a chain of summaries of 1,200, 600 and 300 characters."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.memory import ShrinkingSummary
from sample_data.provider import OpenAIModel
from sample_data.script import load_script
from sample_data.wire import Block, OpenAIChat, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "tea-house-posts"
INCIDENT: Final = "“Not one exclamation mark” is lost in a chain of summaries: 1,200 characters, 600, 300."
ABOUT: Final = (
    "The rule is said once, at turn 1. Each summary is made of the one before it and has half its space: the first "
    "quotes the rule, the second says “restrained tone”, the third nothing; from turn 11 on the texts are full of “！”."
)

SPACES: Final = (1_200, 600, 300)
"""Characters of each summary."""
_PROMPT: Final = "请把以上对话压缩成不超过 {space} 个字的摘要，供助手继续工作：写清目标、已定的内容和待办。"

TOOLS: Final = (
    Tool(
        "query_menu",
        "查询某一季的茶单：茶名、产地、价格、起止日期、库存和冲泡方法。",
        {"season": "string: 年份和季节，例如 2026 秋"},
    ),
    Tool(
        "save_copy",
        "保存一份定稿，返回编号和字数。",
        {"title": "string: 标题", "kind": "string: 推文、短信或告示", "text": "string: 正文，段落之间空一行"},
    ),
)


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("tea_house")
    world = World(datetime(2026, 9, 21, 6, 12, 40, tzinfo=UTC), seed=1200)
    with Recorder(
        directory,
        session=SESSION,
        agent="copy-desk",
        window=128_000,
        budget=6_000,
        threshold=0.6,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        wire = OpenAIChat()
        fixed = FixedLayer([Block("system", script.system), Block("memory", script.profile, "profile:shen")])
        agent = Agent(recorder, world, OpenAIModel("gpt-4.1-mini", world), wire, TOOLS, fixed)
        agent.memory = ShrinkingSummary(
            recorder,
            wire,
            lambda messages, space: agent.summarise(messages, _PROMPT.format(space=space), lane="summariser"),
            characters=SPACES,
            at_most=4,
            keep=2,
        )
        agent.run(script)
    return recorder.losses
