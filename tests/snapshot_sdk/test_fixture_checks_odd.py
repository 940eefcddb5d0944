"""No check stumbles over what a builder may put into a prompt: any JSON in any place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snapshot_sdk._fixture_checks import run_checks
from snapshot_sdk._fixture_prompt import prompt_of
from snapshot_sdk._fixture_values import Fixture

NAMES = (
    "role", "content", "type", "text", "parts", "tool_calls", "function", "arguments", "id", "tool_call_id", "input",
    "tool_use_id", "functionCall", "functionResponse", "toolUse", "toolResult", "call_id", "output", "summary", "name",
    "thinking", "document", "source", "data", "result",
)  # fmt: skip
WORDS = (
    "user", "assistant", "system", "tool", "model", "text", "tool_use", "tool_result", "function_call", "reasoning",
    "function_call_output", "document", "thinking", "compaction", "image", "mcp_call", "file_search_call", "c1",
    "\ud83d", "<summary>", "[对话摘要]\n", "Answer in Chinese only", "budget 8000元", "…",
)  # fmt: skip
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(WORDS)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=20,
)
MESSAGES = st.lists(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6), max_size=5)
MEMBERS = st.sampled_from(["messages", "contents", "input"])
APIS = st.sampled_from(["openai.chat", "openai.responses", "anthropic.messages", "gemini.generate_content", "other"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=MESSAGES, member=MEMBERS, api=APIS, system=JSON, tools=JSON)
def test_any_json(trip: Fixture, messages: list[Any], member: str, api: str, system: Any, tools: Any) -> None:
    """Every check answers, and says something."""
    body = {"model": "m", member: messages, "system": system, "tools": tools}
    prompt = prompt_of(body, api=api)
    odd = replace(trip, api=api, history=tuple(replace(trip.history[0], message=m, member=member) for m in messages))
    for fixture in (trip, odd):
        outcomes = run_checks(fixture, prompt, prompt)
        assert all(outcome.message.startswith(outcome.check.id) for outcome in outcomes)
