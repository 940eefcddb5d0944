"""An order number, given and confirmed, is asked for again at turn 8: a sliding window took it out at turn 7."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sample_data.agent import Agent, FixedLayer
from sample_data.memory import SlidingWindow
from sample_data.provider import OpenAIModel
from sample_data.script import load_script
from sample_data.wire import Block, OpenAIChat, Tool
from sample_data.world import World
from snapshot_sdk import Recorder

SESSION: Final = "order-4711"
INCIDENT: Final = "An order number that was confirmed is asked for again: a sliding window dropped it."
ABOUT: Final = (
    "A window of 24 messages drops turns 1–4 at turn 7 without a word. The task state has no slot for the order "
    "number, so at turn 8 the agent asks for the number it had confirmed at turn 3."
)

TOOLS: Final = (
    Tool(
        "query_order",
        "按订单号查询订单详情，包括商品、金额、地址、配送约定和发票状态。必须同时提供下单手机尾号用于核对。",
        {"order_id": "string: 订单号，例如 ORD-2023-118", "phone_tail": "string: 下单手机号后四位"},
    ),
    Tool(
        "list_delivery_slots",
        "查询某个订单在一段日期内可选的配送时段、剩余名额和费用。只查询，不占用名额。",
        {
            "order_id": "string: 订单号",
            "date_from": "string: 起始日期，YYYY-MM-DD",
            "date_to": "string: 结束日期，YYYY-MM-DD，最多相隔 7 天",
        },
    ),
    Tool(
        "change_delivery",
        "把订单改到指定的配送时段，并写入给配送员的备注。会发送确认短信。调用之前必须得到用户的明确确认。",
        {"order_id": "string: 订单号", "slot_id": "string: 时段编号", "note": "string: 给配送员的备注，可以为空字符串"},
    ),
    Tool(
        "search_products",
        "按关键词搜索在售商品，返回价格、会员价、库存、评分和规格。",
        {"keyword": "string: 关键词", "in_stock": "boolean: 是否只看有货", "limit": "integer: 最多返回几条"},
    ),
    Tool(
        "search_help",
        "在帮助中心检索政策与使用说明，返回最相关的段落。",
        {"query": "string: 检索词", "top_k": "integer: 返回几段，1 到 5"},
    ),
    Tool("query_points", "查询会员积分余额、即将到期的积分和抵扣规则。", {"member_id": "string: 会员号"}),
)


def record(directory: Path) -> int:
    """Have the conversation and record it below ``directory``; return how many records were lost."""
    script = load_script("order_number")
    world = World(datetime(2026, 11, 28, 14, 2, 11, tzinfo=UTC), seed=4711)
    with Recorder(
        directory,
        session=SESSION,
        agent="order-desk",
        window=128_000,
        budget=8_000,
        threshold=0.8,
        meta={"about": ABOUT, "sample": INCIDENT, "origin": "sample"},
        _seam=world,
    ) as recorder:
        wire = OpenAIChat()
        fixed = FixedLayer([Block("system", script.system), Block("memory", script.profile, "profile:u_1093")])
        memory = SlidingWindow(recorder, wire, at_most=24, keep=14)
        Agent(recorder, world, OpenAIModel("gpt-4.1", world), wire, TOOLS, fixed, memory).run(script)
    return recorder.losses
