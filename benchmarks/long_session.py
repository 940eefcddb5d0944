"""A session of 1,000 calls and a gigabyte of prompts, as long-running agents have them: what tracing is measured on."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final

from snapshot_sdk import Recorder

SESSION: Final = "long"
MODEL: Final = "gpt-4.1"
SEED: Final = 11
START: Final = 650_000
"""Characters of the first prompt: an agent that goes on where another session ended."""
STEP: Final = 4_200
"""Characters that a call adds: an answer with a tool call, its result."""
FULL: Final = 1_500_000
"""Characters of a prompt at which it is compacted."""
KEPT: Final = 600_000
"""Characters of its end that a compaction leaves."""
ORDER: Final = "ORD-2024-0815"
BUDGET: Final = "8,500元"
STATE_EVERY: Final = 10
"""Calls after which the state is written anew."""
_WORDS: Final = [
    "order",
    "parcel",
    "refund",
    "invoice",
    "customer",
    "delivery",
    "window",
    "Saturday",
    "morning",
    "installer",
    "freezer",
    "lift",
    "stairs",
    "floor",
    "address",
    "confirmed",
    "pending",
    "carrier",
    "depot",
    "scan",
    "label",
    "voucher",
    "amount",
    "total",
    "paid",
    "open",
    "since",
    "until",
    "订单",
    "预算",
    "送货",
    "客户",
    "地址",
    "周六",
    "上午",
    "安装",
    "冰箱",
    "电梯",
    "发票",
    "退款",
    "金额",
    "已确认",
]


def record_session(directory: Path, calls: int = 1_000) -> int:
    """Record it.

    Args:
        directory: Where to.
        calls: How many.

    Returns:
        Characters of all prompts together.
    """
    source = random.Random(SEED)
    messages = [
        _user(f"My order is {ORDER}. The budget is at most {BUDGET}, ask me before you spend more. 请用中文回答。")
    ]
    number = 0
    while _size(messages) < START:
        number += 1
        messages += _step(source, number)
    written = 0
    sizes = _size(messages)
    with Recorder(directory, session=SESSION, window=1_000_000, budget=700_000) as recorder:
        recorder.pin(ORDER, reason="the order everything is about")
        for call in range(calls):
            step = call - call % STATE_EVERY
            state = json.dumps({"step": step, "order": ORDER, "open": step % 7}, ensure_ascii=False)
            head = [
                {"role": "system", "content": "You are the order desk of a shop. " * 60},
                {"role": "system", "content": f"<state>{state}</state>"},
            ]
            request = {"model": MODEL, "messages": [*head, *messages]}
            snapshot = recorder.snapshot(request, api="openai.chat")
            written += sizes + _size(head)
            number += 1
            new = _step(source, number)
            recorder.response(snapshot, messages=[new[0]], usage={"prompt_tokens": sizes // 4, "completion_tokens": 60})
            messages = [*messages, *new]
            sizes += _size(new)
            if sizes > FULL:
                shorter = _compact(messages, call)
                recorder.compaction(before=messages, after=shorter, strategy="summary", reason="prompt too long")
                messages, sizes = shorter, _size(shorter)
    return written


def _compact(messages: list[dict[str, Any]], call: int) -> list[dict[str, Any]]:
    kept = 0
    cut = len(messages)
    while kept < KEPT or messages[cut].get("role") == "tool":
        cut -= 1
        kept += _length(messages[cut])
    text = f"[Summary of the conversation so far, up to step {call}] The customer waits for {ORDER}. "
    return [_user(text + "Delivery, invoice and refund were looked into, see below. " * 20), *messages[cut:]]


def _step(source: random.Random, number: int) -> list[dict[str, Any]]:
    """An answer that calls a tool, its result, and now and then a word of the user."""
    call = {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "lookup", "arguments": json.dumps({"page": number, "query": f"parcel {number}"})},
    }
    rows = []
    length = 0
    while length < STEP - 900:
        row = {
            "id": f"SKU-{source.randrange(10**6):06}",
            "price": f"{source.randrange(10**6) / 100:,.2f}",
            "date": f"2026-{source.randrange(1, 13):02}-{source.randrange(1, 29):02}",
            "note": " ".join(source.choices(_WORDS, k=12)),
        }
        rows.append(row)
        length += len(json.dumps(row, ensure_ascii=False))
    said = " ".join(source.choices(_WORDS, k=80))
    step: list[dict[str, Any]] = [
        {"role": "assistant", "content": f"Step {number}: {said}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": json.dumps(rows, ensure_ascii=False)},
    ]
    if number % 5 == 0:
        step.append(_user(f"{number}: {' '.join(source.choices(_WORDS, k=60))}?"))
    return step


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _length(message: dict[str, Any]) -> int:
    return len(message["content"])


def _size(messages: list[dict[str, Any]]) -> int:
    return sum(map(_length, messages))
