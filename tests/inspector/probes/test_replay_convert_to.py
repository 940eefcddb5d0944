"""Facts about conversions: a request of any dialect is asked in any other, and the model reads the same words."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from inspector.model.dialects import read_request
from inspector.probes.replay_client import ReplayClient
from inspector.probes.replay_convert import to_openai_chat
from inspector.probes.replay_convert_to import from_openai_chat
from inspector.probes.replay_request import ReplayRequest, StoredCall, make_replay
from inspector.probes.replay_target import Target

DIALECTS = (
    "openai.chat", "openai.responses", "anthropic.messages", "gemini.generate_content", "ollama.chat", "cohere.chat",
    "bedrock.converse",
)  # fmt: skip
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q": "kettle"}'}}
CHAT: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "You are the clerk of a shop."},
        {"role": "user", "content": "My order number is ORD-2024-001."},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "The kettle stands on shelf 7."},
        {"role": "assistant", "content": "It is on shelf 7."},
        {"role": "user", "content": "Thank you so much."},
    ],
    "tools": [{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA}}],
}
HOSTS = dict.fromkeys(DIALECTS, "https://models.test/v1/x") | {
    "bedrock.converse": "https://models.test/model/m/converse"
}


def said(body: dict[str, Any], api: str) -> list[tuple[str, str]]:
    """Kind and text of all parts of a request that the model reads."""
    request = read_request(body, api, HOSTS[api])
    return [
        (part.kind, part.text.replace(" ", "").removeprefix('{"output":"').removesuffix('"}'))  # Gemini wants an object
        for element in request.elements
        for part in element.message.parts
        if part.kind != "tool_definition" and part.text
    ]


@pytest.mark.parametrize("api", DIALECTS)
def test_what_is_written_reads_the_same(api: str) -> None:
    """Text, calls and results, in their order; a definition keeps its schema."""
    body = from_openai_chat(api, CHAT).body
    back = to_openai_chat(read_request(body, api, HOSTS[api])).body

    assert said(body, api) == said(CHAT, "openai.chat")
    assert back["tools"][0]["function"]["parameters"] == SCHEMA


@pytest.mark.parametrize("there", DIALECTS)
@pytest.mark.parametrize("here", DIALECTS)
def test_any_dialect_is_asked_in_any_other(here: str, there: str, server: Any) -> None:
    """By a server that refuses what the provider's own would refuse, and answers from what it reads."""
    body = from_openai_chat(here, CHAT).body
    call = StoredCall("s", 1, "id", here, "command-a-03-2025", HOSTS[here], json.dumps(body).encode())
    target = Target(endpoint=server.url, api=there, model="command-a-03-2025")
    made = make_replay(call, "What is the order number?", target)
    assert isinstance(made, ReplayRequest), made
    with ReplayClient(first_wait=0.01) as client:
        reply = client.ask(made, threading.Event())

    assert (reply.text, reply.error) == ("My order number is ORD-2024-001.", None)


@pytest.mark.parametrize("api", ["anthropic.messages", "bedrock.converse", "gemini.generate_content"])
def test_results_of_one_message_stand_in_one(api: str) -> None:
    """Speakers alternate, and a talk begins with the user: an opening is put in where it does not."""
    second = {**CALL, "id": "c 2"}
    results = [{"role": "tool", "tool_call_id": one, "content": "7"} for one in ("c1", "c 2")]
    chat = {"model": "m", "messages": [{"role": "assistant", "content": None, "tool_calls": [CALL, second]}, *results]}
    written = from_openai_chat(api, chat)
    talk = written.body.get("messages") or written.body["contents"]

    assert [one["role"] for one in talk] == ["user", "model" if "gemini" in api else "assistant", "user"]
    assert len(talk[-1].get("content") or talk[-1]["parts"]) == 2
    assert written.notes == ("its first message of the user was put in: “…”",)
    assert "c 2" not in str(talk)


def test_arguments_that_are_no_object_are_kept() -> None:
    """Where the dialect wants one."""
    function = {"name": "look", "arguments": "kettle"}
    called = {"role": "assistant", "content": None, "tool_calls": [{**CALL, "function": function}]}
    chat = {"model": "m", "messages": [{"role": "user", "content": "Hi"}, called]}

    assert '"arguments": "kettle"' in str(from_openai_chat("ollama.chat", chat).body).replace("'", '"')


@pytest.mark.parametrize("api", ["anthropic.messages", "bedrock.converse"])
def test_a_tool_that_was_called_is_defined(api: str) -> None:
    """Both refuse a call of one that is not; its name has only characters that they take."""
    function = {"name": "shop.look", "arguments": "{}"}
    called = {"role": "assistant", "content": " ", "tool_calls": [{**CALL, "function": function}]}
    empty = {"role": "tool", "tool_call_id": "c1", "content": ""}
    body = from_openai_chat(api, {"messages": [{"role": "user", "content": "Hi"}, called, empty]}).body
    tools = body["tools"] if "tools" in body else [one["toolSpec"] for one in body["toolConfig"]["tools"]]

    assert [one["name"] for one in tools] == ["shop_look"]
    assert str(body["messages"]).count("shop_look") == 1
    assert "'text': ''" not in str(body["messages"])
    assert "'text': ' '" not in str(body["messages"])


NO_TOOLS: list[Any] = [
    {"function": "look"},
    {"function": ["look"]},
    {"name": 7},
    "look",
    None,
    {"functionDeclarations": [3]},
]


@pytest.mark.parametrize("there", DIALECTS)
def test_a_definition_that_is_none_is_not_carried_over(there: str) -> None:
    """Whatever stands there; the rest is asked all the same."""
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": NO_TOOLS}
    call = StoredCall("s", 1, "id", "mistral.chat", "m", "https://models.test/v1/x", json.dumps(body).encode())
    made = make_replay(call, "What is the order number?", Target("https://other.test", there, "m"))

    assert isinstance(made, ReplayRequest)
    assert not {"tools", "toolConfig"} & made.body.keys()
