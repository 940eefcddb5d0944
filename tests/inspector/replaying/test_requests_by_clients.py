"""Facts about requests that were written from another dialect, checked against the types of the providers' clients."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.probes.replay_convert_to import from_openai_chat
from inspector.probes.replay_dialects import add_question

pydantic = pytest.importorskip("pydantic", reason="the client packages are not installed")

FUNCTION = {"name": "look", "arguments": '{"q": "kettle"}'}
CHAT: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "You are the clerk of a shop."},
        {"role": "user", "content": "Where is the kettle?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": FUNCTION}]},
        {"role": "tool", "tool_call_id": "c1", "content": "On shelf 7."},
        {"role": "assistant", "content": "On shelf 7."},
    ],
    "tools": [{"type": "function", "function": {"name": "look", "description": "", "parameters": {"type": "object"}}}],
}


def written(api: str) -> dict[str, Any]:
    """The talk in a dialect, with a question."""
    return add_question(api, from_openai_chat(api, CHAT).body, "Where is it?").body


def test_openai_takes_both_of_its_dialects() -> None:
    """Chat and responses, by the parameters of its client."""
    chat = pytest.importorskip("openai.types.chat.completion_create_params")
    responses = pytest.importorskip("openai.types.responses.response_create_params")

    pydantic.TypeAdapter(chat.CompletionCreateParamsNonStreaming).validate_python(written("openai.chat"))
    pydantic.TypeAdapter(responses.ResponseCreateParamsNonStreaming).validate_python(written("openai.responses"))


def test_anthropic_takes_its_dialect() -> None:
    """By the parameters of its client."""
    params = pytest.importorskip("anthropic.types.message_create_params")

    pydantic.TypeAdapter(params.MessageCreateParamsNonStreaming).validate_python(written("anthropic.messages"))


def test_gemini_takes_its_dialect() -> None:
    """Each part, as its client refuses members that it does not know."""
    types = pytest.importorskip("google.genai.types")
    body = written("gemini.generate_content")

    for content in (body["systemInstruction"], *body["contents"]):
        types.Content.model_validate(content)
    [tool] = body["tools"]
    types.Tool.model_validate(tool)
    types.ToolConfig.model_validate(body["toolConfig"])
    with pytest.raises(pydantic.ValidationError):
        types.Content.model_validate({"role": "user", "blocks": []})


def test_ollama_takes_its_dialect() -> None:
    """With arguments as an object: as a text its client refuses them."""
    types = pytest.importorskip("ollama._types")

    for message in written("ollama.chat")["messages"]:
        types.Message.model_validate(message)
    with pytest.raises(pydantic.ValidationError):
        types.Message.model_validate(CHAT["messages"][2])
