"""Facts about requests to Bedrock's Converse, checked against the model of the service that AWS publishes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.probes.replay_request import ReplayRequest, StoredCall, make_replay
from inspector.probes.replay_target import Target

pytest.importorskip("botocore", reason="the client package boto3 is not installed")

BEDROCK = "https://bedrock-runtime.eu-west-1.amazonaws.com"
SPEC = {"toolSpec": {"name": "look", "description": "Looks.", "inputSchema": {"json": {"type": "object"}}}}
STORED: dict[str, Any] = {
    "modelId": "amazon.nova-pro-v1:0",
    "system": [{"text": "You are the clerk of a shop."}, {"cachePoint": {"type": "default"}}],
    "messages": [
        {"role": "user", "content": [{"text": "Where is the kettle?"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "look", "input": {"q": "kettle"}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"json": {"shelf": 7}}]}}]},
    ],
    "toolConfig": {"tools": [SPEC, {"cachePoint": {"type": "default"}}], "toolChoice": {"any": {}}},
    "inferenceConfig": {"maxTokens": 20, "stopSequences": ["END"]},
    "guardrailConfig": {"guardrailIdentifier": "g1", "guardrailVersion": "1", "streamProcessingMode": "sync"},
}
FUNCTION = {"name": "look", "arguments": '{"q": "kettle"}'}
CALLED = [{"id": "call:1", "type": "function", "function": FUNCTION}]
CHAT: dict[str, Any] = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "system", "content": "You are the clerk of a shop."},
        {"role": "assistant", "content": None, "tool_calls": CALLED},
        {"role": "tool", "tool_call_id": "call:1", "content": "On shelf 7."},
    ],
    "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
}


def problems(body: Any, model: str) -> str:
    """What AWS's own library finds wrong with a request; empty: nothing."""
    import botocore.session
    from botocore.validate import ParamValidator

    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").input_shape
    return str(ParamValidator().validate({**body, "modelId": model}, shape).generate_report())


@pytest.mark.parametrize(
    ("api", "body", "endpoint", "target"),
    [
        ("bedrock.converse", STORED, f"{BEDROCK}/model/amazon.nova-pro-v1%3A0/converse-stream", Target()),
        (
            "openai.chat",
            CHAT,
            "https://api.openai.com/v1/chat/completions",
            Target(endpoint=BEDROCK, model="amazon.nova-pro-v1:0"),
        ),
    ],
)
def test_a_question_is_what_the_service_takes(api: str, body: dict[str, Any], endpoint: str, target: Target) -> None:
    """The stored request with a question, and one that was written from another dialect: no member is unknown."""
    call = StoredCall("s", 1, "id", api, "m", endpoint, json.dumps(body).encode())
    made = make_replay(call, "What is the order number?", target)
    assert isinstance(made, ReplayRequest), made

    assert made.address.url == f"{BEDROCK}/model/amazon.nova-pro-v1%3A0/converse"
    assert problems(made.body, "amazon.nova-pro-v1:0") == ""


def test_what_the_service_does_not_take_is_found() -> None:
    """So that the fact above can fail: a switch that forbids calls is one."""
    assert 'Unknown parameter in toolConfig.toolChoice: "none"' in problems(
        {"messages": [], "toolConfig": {"tools": [SPEC], "toolChoice": {"none": {}}}}, "m"
    )
