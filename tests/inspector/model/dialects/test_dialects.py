"""Every body finds a dialect, and no value makes one raise."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.dialects import ALIASES, ALL, find_dialect, read_request
from inspector.model.request import Message, Request, Usage
from inspector.model.usage import UsageReport

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
WORDS = """
type text content role image image_url url source data base64 tool_use tool_result tool_calls function name arguments
thinking input document search_result compaction id system user assistant tool file file_data reasoning_details
reasoning_content input_audio function_call custom audio refusal title media_type usage iterations input_tokens
prompt_tokens prompt_tokens_details message reasoning summary encrypted_content function_call_output output call_id
item_reference mcp_call mcp_list_tools file_search_call results queries code_interpreter_call outputs logs action
computer_call_output parts functionCall functionResponse response args inlineData fileData mimeType thought model
functionDeclarations executableCode toolUse toolResult toolUseId json bytes format reasoningContent reasoningText
cachePoint guardContent citationsContent toolSpec images tool_plan documents document promptTokenCount
thoughtsTokenCount inputTokens outputTokens cacheReadInputTokens prompt_eval_count tokens billed_units
total_tokens cached_tokens input_tokens_details
"""
words = st.sampled_from(WORDS.split())
values = st.recursive(
    scalars | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=4), inner, max_size=6),
    max_leaves=24,
)


MEMBERS = """
messages system tools functions contents input instructions prompt systemInstruction toolConfig documents images
suffix x
"""


@given(value=values, member=st.sampled_from(MEMBERS.split()))
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
    report = dialect.usage_report(usage)
    assert isinstance(report, UsageReport)
    assert dialect.usage(usage) == report.context
    assert isinstance(report.context, Usage)
    figures = (report.context.input_tokens, report.billed.input_tokens, report.context.output_tokens)
    assert all(figure is None or figure >= 0 for figure in figures)


@given(body=st.dictionaries(words | st.sampled_from([*MEMBERS.split(), "model"]), values, max_size=6))
def test_every_body_is_read(body: dict[str, Any]) -> None:
    """Recognition and reading never raise."""
    request = read_request(body)
    assert isinstance(request, Request)
    assert request.api in {dialect.name for dialect in ALL}


def test_deep_nesting_is_shown() -> None:
    """A value nested beyond the recursion limit decodes."""
    value: Any = "x"
    for _ in range(5_000):
        value = [value]
    for dialect in ALL:
        assert dialect.decode("messages", {"role": "user", "content": [{"type": "odd", "x": value}]}).parts


OPENAI: dict[str, Any] = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}]}


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
        (OPENAI, "https://api.mistral.ai:443/v1/chat/completions?x=1", "mistral.chat"),
        (OPENAI, "https://mistral.ai.example.org/v1/chat/completions", "openai.chat"),
        ({**OPENAI, "model": "magistral-medium-latest"}, None, "mistral.chat"),
        ({**OPENAI, "model": "mistralai/magistral"}, "https://openrouter.ai/api/v1/chat/completions", "openai.chat"),
        ({**OPENAI, "safe_prompt": True}, "/v1/chat/completions", "mistral.chat"),
        (OPENAI, "http://localhost:11434/api/chat", "ollama.chat"),
        (OPENAI, "https://webui.example.org/api/chat/completions", "openai.chat"),
        ({**OPENAI, "keep_alive": "5m"}, None, "ollama.chat"),
        ({"model": "llama3", "prompt": "hi"}, "/api/generate", "ollama.chat"),
        ({"model": "davinci", "prompt": "hi"}, "/v1/completions", "unknown"),
        ({"messages": [{"role": "user", "content": "x", "images": ["aGk="]}]}, None, "ollama.chat"),
        (OPENAI, "https://api.cohere.com/v2/chat", "cohere.chat"),
        ({**OPENAI, "safety_mode": "STRICT"}, None, "cohere.chat"),
        ({"messages": [], "inferenceConfig": {}, "system": []}, None, "bedrock.converse"),
        ({"messages": [{"role": "user", "content": [{"toolResult": {}}]}]}, None, "bedrock.converse"),
        (
            {"messages": []},
            "https://bedrock.example.org/model/x/converse-stream",
            "bedrock.converse",
        ),
        ({"messages": [], "anthropic_version": "bedrock-2023-05-31"}, "/model/x/invoke", "anthropic.messages"),
        ({"contents": []}, None, "gemini.generate_content"),
        ({"contents": [], "messages": []}, None, "unknown"),
        ({}, "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", "gemini.generate_content"),
        ({"input": "hi", "model": "gpt-4.1"}, "/v1/responses", "openai.responses"),
        ({"input": "hi", "model": "gpt-4.1"}, None, "openai.responses"),
        ({"prompt": {"id": "pmpt_1"}, "instructions": "x"}, None, "openai.responses"),
        ({"input": [{"role": "user", "content": "hi"}]}, None, "openai.responses"),
        ({"input": "hi", "model": "text-embedding-3-small"}, None, "unknown"),
        ({"input": ["a", "b"], "model": "some-model"}, None, "unknown"),
        ({"input": "hi", "model": "x", "voice": "alloy"}, None, "unknown"),
        ({"input": "hi", "model": "x"}, "/v1/embeddings", "unknown"),
        ({"input": "hi", "model": "gemini-3", "previous_interaction_id": "i"}, None, "unknown"),
        ({}, None, "unknown"),
    ],
)
def test_recognition(body: dict[str, Any], endpoint: str | None, name: str) -> None:
    """Endpoint first, then marks of the body, decide."""
    assert find_dialect(None, body, endpoint).name == name


def test_a_body_is_read_in_prompt_order() -> None:
    """Tools stand behind the leading instructions of a chat; nothing of the body is lost."""
    system = {"role": "system", "content": "Be brief."}
    body = {"tools": [{"function": {"name": "f"}}], "messages": [system, *OPENAI["messages"]], "n": 1, "model": "m"}
    request = read_request(body)
    assert [(e.member, e.index, e.message.role) for e in request.elements] == [
        ("messages", 0, "system"),
        ("tools", 0, None),
        ("messages", 1, "user"),
    ]
    assert (request.model, request.parameters) == ("m", {"n": 1})


def test_aliases_are_known_names() -> None:
    """Every alias stands for a dialect that is there, and hides none."""
    names = {dialect.name for dialect in ALL}
    assert set(ALIASES.values()) <= names
    assert not names & set(ALIASES)
    assert find_dialect("gemini", {}).name == "gemini.generate_content"


def test_the_recorded_name_is_believed() -> None:
    """A name given by the recorder outweighs the looks; a name nobody knows is unknown."""
    assert find_dialect("anthropic.messages", OPENAI).name == "anthropic.messages"
    assert find_dialect("acme.chat", OPENAI).name == "unknown"


def test_mistral_is_known_by_its_host() -> None:
    """A recorder that knows OpenAI's path only is made more precise by the host."""
    assert find_dialect("openai.chat", OPENAI, "https://api.mistral.ai/v1/chat/completions").name == "mistral.chat"
    assert find_dialect("openai.chat", OPENAI, "https://notmistral.ai/v1/chat/completions").name == "openai.chat"


HOSTS = {
    "/v1/messages": "anthropic.messages",
    "/responses": "openai.responses",
    "generativelanguage": "gemini.generate_content",
    "bedrock": "bedrock.converse",
    "cohere": "cohere.chat",
    "mistral": "mistral.chat",
    "/chat/completions": "openai.chat",
}


@pytest.mark.realdata
def test_real_bodies_are_recognised(exchanges: list[Any]) -> None:
    """Every body of the shared cassettes finds its dialect, with and without its address."""
    seen = set()
    for one in exchanges:
        wanted = next(name for mark, name in HOSTS.items() if mark in one.endpoint)
        assert find_dialect(None, one.body, one.endpoint).name == wanted, one.endpoint
        bare = find_dialect(None, one.body).name
        assert bare == wanted or wanted == "cohere.chat", one.body.keys()  # nothing in that body says Cohere
        seen.add(wanted)
    assert seen == set(HOSTS.values())


@pytest.mark.realdata
def test_real_bodies_are_understood(exchanges: list[Any]) -> None:
    """No body of the shared cassettes leaves a part that is not understood."""
    for one in exchanges:
        for element in read_request(one.body, endpoint=one.endpoint).elements:
            others = [part for part in element.message.parts if part.kind == "other" and part.name != "cachePoint"]
            assert not others, (one.cassette, others)


@pytest.mark.realdata
def test_every_real_request_names_its_model(exchanges: list[Any]) -> None:
    """Where the body names no model, the address does."""
    for one in exchanges:
        model = read_request(one.body, endpoint=one.endpoint).model
        assert model, one.endpoint
        assert "%" not in model


@pytest.mark.realdata
def test_real_server_compaction_is_billed_whole(exchanges: list[Any]) -> None:
    """The cassette of Anthropic's compaction says 229 at the top and is 55,196 tokens."""
    usages = [one.answer["usage"] for one in exchanges if "usage" in one.answer]
    compacted = [u for u in usages if any(i["type"] == "compaction" for i in u.get("iterations", ()))]
    dialect = find_dialect("anthropic.messages", {})
    assert {dialect.usage(usage).input_tokens for usage in compacted} == {55_196}


@pytest.mark.realdata
def test_no_real_usage_is_impossible(exchanges: list[Any]) -> None:
    """Nothing a provider really said is refused."""
    reports = []
    for one in exchanges:
        usage = one.answer.get("usage") or one.answer.get("usageMetadata")
        if usage is not None:
            reports.append(find_dialect(None, one.body, one.endpoint).usage_report(usage))
    assert len(reports) > 50
    assert not [problem for report in reports for problem in report.problems]
