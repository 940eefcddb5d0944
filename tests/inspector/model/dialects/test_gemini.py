"""Gemini bodies decode to messages and parts, in either spelling."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from inspector.model.dialects import read_request
from inspector.model.dialects.gemini import GeminiGenerateContent
from inspector.model.request import Message, Part, Usage

dialect = GeminiGenerateContent()


def parts(*blocks: Any) -> tuple[Part, ...]:
    """Decode the parts of a user's content."""
    return dialect.decode("contents", {"role": "user", "parts": list(blocks)}).parts


def test_roles_are_those_of_all_dialects() -> None:
    """``model`` is the assistant; a content without a role is the user's, an answer's the model's."""
    text = {"parts": [{"text": "hi"}]}
    assert dialect.decode("contents", {"role": "model", **text}) == Message("assistant", (Part("text", "hi"),))
    assert dialect.decode("contents", text).role == "user"
    assert dialect.decode("contents", {"role": "function", **text}).role == "tool"
    assert dialect.decode("messages", text).role == "assistant"


@pytest.mark.parametrize(
    "value", ["Be brief.", {"parts": [{"text": "Be brief."}], "role": "user"}, {"parts": {"text": "Be brief."}}]
)
def test_system_instruction(value: Any) -> None:
    """The system instruction is a system message, whatever role it names."""
    assert dialect.decode("systemInstruction", value) == Message("system", (Part("text", "Be brief."),))


def test_thoughts_are_reasoning() -> None:
    """A thought is reasoning; a signature beside a text adds nothing, alone it is opaque."""
    assert parts(
        {"text": "hm", "thought": True}, {"text": "so", "thoughtSignature": "x"}, {"thoughtSignature": "x"}
    ) == (
        Part("reasoning", "hm"),
        Part("text", "so"),
        Part("reasoning", "", opaque=True),
    )


@pytest.mark.parametrize(
    ("call", "response"),
    [("functionCall", "functionResponse"), ("function_call", "function_response")],
)
def test_function_call_and_response(call: str, response: str) -> None:
    """Calls and responses are tied by their id, where there is one."""
    assert parts(
        {call: {"id": "c1", "name": "find", "args": {"q": "茶"}}, "thoughtSignature": "x"},
        {response: {"id": "c1", "name": "find", "response": {"output": "green"}}},
    ) == (
        Part("tool_call", '{"q": "茶"}', "find", "c1"),
        Part("tool_result", '{"output": "green"}', "find", "c1"),
    )


def test_image_in_a_function_response(png: Callable[[int, int], bytes]) -> None:
    """An image that a function returned is tied to its call."""
    data = base64.b64encode(png(20, 10)).decode()
    response = {
        "id": "c1",
        "name": "shot",
        "response": {},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": data}}],
    }
    _, image = parts({"functionResponse": response})
    assert (image.kind, image.call_id, image.media and image.media.width) == ("image", "c1", 20)


def test_inline_data_and_files() -> None:
    """Data is media with its size, a file its address; never text."""
    pdf = {"inlineData": {"mimeType": "application/pdf", "data": base64.b64encode(b"12345").decode()}}
    inline, file = parts(pdf, {"file_data": {"mime_type": "image/png", "file_uri": "gs://b/a.png"}})
    assert (inline.kind, inline.text, inline.media and inline.media.size) == ("file", "", 5)
    assert (file.kind, file.media and file.media.url) == ("image", "gs://b/a.png")


def test_code_and_its_outcome() -> None:
    """Code the model runs is a tool call, its output a result."""
    assert parts(
        {"executableCode": {"language": "PYTHON", "code": "1+1"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
    ) == (Part("tool_call", "1+1", "code_execution"), Part("tool_result", "2", "code_execution"))


def test_unknown_part_is_shown_as_json() -> None:
    """A part of tomorrow is not hidden."""
    assert parts({"hologram": 1}) == (Part("other", '{"hologram": 1}'),)


def test_an_entry_of_tools_may_declare_many() -> None:
    """Each function is a definition; so is each tool of the server."""
    message = dialect.decode("tools", {"functionDeclarations": [{"name": "f"}, {"name": "g"}], "googleSearch": {}})
    assert [(part.kind, part.name) for part in message.parts] == [
        ("tool_definition", name) for name in ("f", "g", "googleSearch")
    ]


def test_usage_counts_thoughts_beside_candidates() -> None:
    """The prompt includes what was cached; the answer includes thoughts."""
    usage = {
        "promptTokenCount": 3520,
        "cachedContentTokenCount": 3512,
        "candidatesTokenCount": 2,
        "thoughtsTokenCount": 42,
        "totalTokenCount": 3564,
    }
    assert dialect.usage(usage) == Usage(3520, 3512, None, 44, 42)


def test_candidates_that_include_thoughts() -> None:
    """Where the total says so, thoughts are not added twice."""
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 50, "thoughtsTokenCount": 40, "totalTokenCount": 60}
    assert dialect.usage(usage).output_tokens == 50


def test_tool_use_prompt_is_billed_and_no_size() -> None:
    """Tokens of results the server's tools brought are paid for, and not part of the prompt that was sent."""
    usage = {"promptTokenCount": 10, "toolUsePromptTokenCount": 900, "candidatesTokenCount": 5, "totalTokenCount": 915}
    report = dialect.usage_report(usage)
    assert (report.context.input_tokens, report.billed.input_tokens) == (10, 910)
    assert report.notes


@pytest.mark.realdata
def test_real_conversation_with_tools(exchanges: list[Any]) -> None:
    """The streaming cassette's second request is question, call and response, tied by one id."""
    one = [e for e in exchanges if "streaming_tool_call" in e.cassette][1]
    request = read_request(one.body, endpoint=one.endpoint)
    assert request.model == "gemini-3-pro-preview"
    assert [(e.message.role, [p.kind for p in e.message.parts]) for e in request.elements] == [
        (None, ["tool_definition"]),
        ("user", ["text"]),
        ("assistant", ["tool_call"]),
        ("user", ["tool_result"]),
    ]
    assert request.elements[2].message.parts[0].call_id == request.elements[3].message.parts[0].call_id


@pytest.mark.realdata
def test_real_trajectory_is_read_whole(realdata: Any) -> None:
    """All 105 contents of a real trajectory are understood."""
    import json

    contents = json.loads((realdata / "gemini-cli" / "trajectory.json").read_text(encoding="utf-8"))
    request = read_request({"contents": contents})
    assert len(request.elements) == len(contents) == 105
    assert {p.kind for e in request.elements for p in e.message.parts} == {
        "text",
        "reasoning",
        "tool_call",
        "tool_result",
    }
