"""Every body finds a dialect, and no value makes one raise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.dialects import ALL, find_dialect
from inspector.model.request import Message, Usage

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
WORDS = """
type text content role image image_url url source data base64 tool_use tool_result tool_calls function name arguments
thinking input document search_result compaction id system user assistant tool file file_data reasoning_details
reasoning_content input_audio function_call custom audio refusal title media_type usage iterations input_tokens
prompt_tokens prompt_tokens_details
"""
words = st.sampled_from(WORDS.split())
values = st.recursive(
    scalars | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=4), inner, max_size=6),
    max_leaves=24,
)


@given(value=values, member=st.sampled_from(["messages", "system", "tools", "functions", "contents", "x"]))
@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
def test_no_value_makes_a_dialect_raise(dialect: Any, member: str, value: Any) -> None:
    """Any JSON value decodes to a message of parts with text."""
    message = dialect.decode(member, value)
    assert isinstance(message, Message)
    assert isinstance(message.text, str)


@given(usage=values)
@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
def test_no_usage_makes_a_dialect_raise(dialect: Any, usage: Any) -> None:
    """Any JSON value is read as usage."""
    assert isinstance(dialect.usage(usage), Usage)


@given(body=st.dictionaries(words | st.sampled_from(["messages", "tools", "model"]), values, max_size=6))
def test_every_body_finds_a_dialect(body: dict[str, Any]) -> None:
    """Recognition never raises."""
    assert find_dialect(None, body) in ALL


def test_deep_nesting_is_shown() -> None:
    """A value nested beyond the recursion limit decodes."""
    value: Any = "x"
    for _ in range(5_000):
        value = [value]
    for dialect in ALL:
        assert dialect.decode("messages", {"role": "user", "content": [{"type": "odd", "x": value}]}).parts


OPENAI = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize(
    ("body", "endpoint", "name"),
    [
        (OPENAI, None, "openai.chat"),
        (OPENAI, "https://api.openai.com/v1/chat/completions", "openai.chat"),
        ({**OPENAI, "messages": None}, "/v1/messages?beta=true", "anthropic.messages"),
        ({**OPENAI, "system": "s"}, None, "anthropic.messages"),
        ({**OPENAI, "system": "s"}, "https://x.invalid/chat/completions", "openai.chat"),
        ({**OPENAI, "tools": [{"name": "f", "input_schema": {}}]}, None, "anthropic.messages"),
        ({"model": "claude-opus-4-1", "max_tokens": 1, "messages": []}, None, "anthropic.messages"),
        ({"model": "anthropic/claude-opus-4-1", "max_tokens": 1, "messages": []}, None, "openai.chat"),
        ({"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}, None, "anthropic.messages"),
        ({"messages": [{"role": "tool", "content": "x"}], "max_tokens": 1, "model": "claude-3"}, None, "openai.chat"),
        ({"messages": [], "inferenceConfig": {}, "system": []}, None, "unknown"),
        ({"contents": []}, None, "unknown"),
        ({"input": "hi", "model": "gpt-4.1"}, "/v1/responses", "unknown"),
        ({}, None, "unknown"),
    ],
)
def test_recognition(body: dict[str, Any], endpoint: str | None, name: str) -> None:
    """Endpoint first, then marks of the body, decide."""
    assert find_dialect(None, body, endpoint).name == name


def test_the_recorded_name_is_believed() -> None:
    """A name given by the recorder outweighs the looks; a name nobody knows is unknown."""
    assert find_dialect("anthropic.messages", OPENAI).name == "anthropic.messages"
    assert find_dialect("acme.chat", OPENAI).name == "unknown"


def _cassettes(directory: Path) -> list[tuple[str, str, dict[str, Any], Any]]:
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the shared cassettes")
    found = []
    for file in sorted(directory.glob("vcr/*/*.yaml")):
        for exchange in yaml.safe_load(file.read_text(encoding="utf-8")).get("interactions", ()):
            request = exchange.get("request", {})
            body = request.get("parsed_body", request.get("body"))
            try:
                body = json.loads(body) if isinstance(body, str) else body
            except ValueError:
                continue
            if isinstance(body, dict):
                answer = exchange["response"].get("parsed_body")
                found.append((file.parent.name, request["uri"], body, answer))
    return found


@pytest.mark.realdata
def test_real_bodies_are_understood(realdata: Path) -> None:
    """Bodies of OpenAI chat and Anthropic in real cassettes are recognised and leave nothing ununderstood."""
    seen = set()
    for _, uri, body, _ in _cassettes(realdata):
        dialect = find_dialect(None, body, uri.split("?")[0].split("#")[0])
        wanted = "openai.chat" if "/chat" in uri else "anthropic.messages" if "/v1/messages" in uri else "unknown"
        assert dialect.name == wanted, uri
        seen.add(wanted)
        if wanted == "unknown":
            continue
        for member in filter(dialect.part_of_prompt, body):
            for value in body[member] if isinstance(body[member], list) else [body[member]]:
                others = [part for part in dialect.decode(member, value).parts if part.kind == "other"]
                assert not others, (uri, others)
    assert seen == {"openai.chat", "anthropic.messages", "unknown"}


@pytest.mark.realdata
def test_real_server_compaction_is_billed_whole(realdata: Path) -> None:
    """The cassette of Anthropic's compaction says 229 at the top and is 55,196 tokens."""
    answers = [
        answer["usage"] for _, _, _, answer in _cassettes(realdata) if isinstance(answer, dict) and "usage" in answer
    ]
    compacted = [u for u in answers if any(i["type"] == "compaction" for i in u.get("iterations", ()))]
    dialect = find_dialect("anthropic.messages", {})
    assert {dialect.usage(usage).input_tokens for usage in compacted} == {55_196}
