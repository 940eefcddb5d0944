"""OpenAI Responses bodies decode to messages and parts, item by item."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from inspector.model.dialects import read_request
from inspector.model.dialects.openai_responses import OpenAIResponses
from inspector.model.request import Message, Part, Usage

dialect = OpenAIResponses()


def item(**fields: Any) -> Message:
    """Decode one item of the input."""
    return dialect.decode("input", fields)


def test_input_is_a_text_or_items() -> None:
    """A text is the user's message; so is an item without a type."""
    assert dialect.decode("input", "hi") == Message("user", (Part("text", "hi"),))
    assert item(role="user", content="hi") == Message("user", (Part("text", "hi"),))
    assert item(type="message", id="msg_1", role="assistant", content=[{"type": "output_text", "text": "yes"}]) == (
        Message("assistant", (Part("text", "yes"),), item_id="msg_1")
    )


def test_instructions_are_a_system_message() -> None:
    """Instructions are system text, before tools and input."""
    request = read_request({"input": "hi", "tools": [{"type": "function", "name": "f"}], "instructions": "Be brief."})
    assert [(e.member, e.message.role) for e in request.elements] == [
        ("instructions", "system"),
        ("tools", None),
        ("input", "user"),
    ]


def test_reasoning_text_and_summary() -> None:
    """Reasoning is its text, else its summary; what is encrypted is opaque."""
    texts = {"content": [{"type": "reasoning_text", "text": "hm"}], "summary": [{"type": "summary_text", "text": "hm"}]}
    assert item(type="reasoning", **texts, encrypted_content=None).parts == (Part("reasoning", "hm"),)
    assert item(type="reasoning", summary=[{"type": "summary_text", "text": "so"}], encrypted_content="gAAA").parts == (
        Part("reasoning", "so", name="summary"),
        Part("reasoning", "", opaque=True),
    )
    assert item(type="reasoning", id="rs_1", summary=[]).parts == (Part("reasoning", "", opaque=True),)


def test_calls_and_their_outputs() -> None:
    """Calls are the assistant's, outputs a tool's, tied by the call's id."""
    call = item(type="function_call", id="fc_1", call_id="c1", name="find", arguments='{"q": 1}')
    assert (call.role, call.parts, call.item_id) == (
        "assistant",
        (Part("tool_call", '{"q": 1}', "find", "c1"),),
        "fc_1",
    )
    output = item(type="function_call_output", call_id="c1", output="done")
    assert (output.role, output.parts) == ("tool", (Part("tool_result", "done", call_id="c1"),))


@pytest.mark.parametrize("output", ["", [], None])
def test_empty_output_is_kept(output: Any) -> None:
    """An output of nothing keeps its id."""
    assert item(type="function_call_output", call_id="c1", output=output).parts == (
        Part("tool_result", "", call_id="c1"),
    )


def test_output_of_blocks(png_uri: Callable[[int, int], str]) -> None:
    """An output may hold texts, images and files."""
    blocks = [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": png_uri(40, 30)}]
    text, image = item(type="function_call_output", call_id="c1", output=blocks).parts
    assert text == Part("tool_result", "see", call_id="c1")
    assert (image.kind, image.call_id, image.media and image.media.width) == ("image", "c1", 40)


def test_custom_tool_call() -> None:
    """A custom tool is called with a text."""
    assert item(type="custom_tool_call", call_id="c1", name="sql", input="select 1").parts == (
        Part("tool_call", "select 1", "sql", "c1"),
    )
    assert item(type="custom_tool_call_output", call_id="c1", output="1").parts[0].text == "1"


@pytest.mark.parametrize(
    ("fields", "name", "text"),
    [
        (
            {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "茶"}},
            "web_search",
            '{"query": "茶"}',
        ),
        (
            {"type": "local_shell_call", "call_id": "ws_1", "action": {"command": ["ls"]}},
            "local_shell",
            '{"command": ["ls"]}',
        ),
        (
            {"type": "computer_call", "call_id": "ws_1", "action": {"type": "wait"}, "pending_safety_checks": []},
            "computer",
            '{"action": {"type": "wait"}, "pending_safety_checks": []}',
        ),
        ({"type": "hologram_call", "id": "ws_1"}, "hologram", ""),
    ],
)
def test_calls_of_built_in_tools(fields: dict[str, Any], name: str, text: str) -> None:
    """The call of a built-in tool is named after its type; its own members are the arguments."""
    assert item(**fields).parts == (Part("tool_call", text, name, "ws_1"),)


def test_screenshot_is_an_image(png_uri: Callable[[int, int], str]) -> None:
    """What a computer shows is an image of the tool."""
    output = {"type": "computer_screenshot", "image_url": png_uri(64, 48)}
    message = item(type="computer_call_output", call_id="c1", output=output)
    assert (message.role, message.parts[0].kind, message.parts[0].call_id) == ("tool", "image", "c1")


def test_shell_output_of_objects_is_shown() -> None:
    """Outputs that are objects without a type are shown as JSON."""
    message = item(type="shell_call_output", call_id="c1", output=[{"stdout": "ok", "outcome": {"exit_code": 0}}])
    assert message.parts[0].kind == "tool_result"
    assert '"stdout": "ok"' in message.parts[0].text


def test_server_tools_bring_their_results() -> None:
    """File search, code and MCP calls hold call and result in one item."""
    search = item(type="file_search_call", id="fs", queries=["tea"], results=[{"filename": "a.md", "text": "green"}])
    assert search.parts == (
        Part("tool_call", '["tea"]', "file_search", "fs"),
        Part("tool_result", "green", "a.md", "fs"),
    )
    code = item(type="code_interpreter_call", id="ci", code="1+1", outputs=[{"type": "logs", "logs": "2"}])
    assert [part.text for part in code.parts] == ["1+1", "2"]
    mcp = item(type="mcp_call", id="m", name="roll", arguments="{}", output=None, error="no dice", server_label="d")
    assert mcp.parts == (Part("tool_call", "{}", "roll", "m"), Part("tool_result", "no dice", "roll", "m"))


def test_listed_mcp_tools_are_definitions() -> None:
    """Tools that an MCP server listed are tool definitions, each by its name."""
    message = item(type="mcp_list_tools", id="l", tools=[{"name": "roll", "input_schema": {}}, {"name": "cut"}])
    assert [(part.kind, part.name) for part in message.parts] == [
        ("tool_definition", "roll"),
        ("tool_definition", "cut"),
    ]


def test_generated_image_is_no_text() -> None:
    """A generated image is an image with its size, not base64."""
    data = base64.b64encode(b"\x89PNG" + bytes(400)).decode()
    call, image = item(type="image_generation_call", id="ig", result=data).parts
    assert (call.name, image.kind, image.media and image.media.size, image.text) == (
        "image_generation",
        "image",
        404,
        "",
    )


def test_compaction_is_opaque() -> None:
    """A compaction item stands for text nobody can read."""
    message = item(type="compaction", id="cmp_1", encrypted_content="gAAA")
    assert message == Message("assistant", (Part("text", "", name="compaction", opaque=True),), item_id="cmp_1")


def test_references_are_opaque() -> None:
    """An item reference and a stored template show their ids and cannot be read."""
    assert item(type="item_reference", id="msg_1").parts == (
        Part("other", "msg_1", name="item_reference", opaque=True),
    )
    (part,) = dialect.decode("prompt", {"id": "pmpt_1", "variables": {"city": "Rome"}}).parts
    assert (part.opaque, part.text) == (True, '{"id": "pmpt_1", "variables": {"city": "Rome"}}')


def test_unknown_item_is_shown_as_json() -> None:
    """An item of tomorrow is not hidden."""
    (part,) = item(type="hologram", x=1).parts
    assert part == Part("other", '{"type": "hologram", "x": 1}')


def test_usage_includes_the_cache() -> None:
    """Input includes cached tokens, output includes reasoning: 14 in, not 17."""
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 3},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    assert dialect.usage(usage) == Usage(10, 3, None, 4, 2)


@pytest.mark.realdata
def test_real_prompts_are_counted_to_the_token(exchanges: list[Any], count_body: Callable[..., Any]) -> None:
    """The chat template's formula gives the API's own figure for short prompts of the Responses API."""
    exact = {}
    for one in exchanges:
        if "compact_messages" in one.cassette and one.endpoint.endswith("/responses") and len(one.body["input"]) != 2:
            exact[one.answer["usage"]["input_tokens"]] = count_body(one.body, api="openai.responses").total
    assert exact == {29: 29, 51: 51}
