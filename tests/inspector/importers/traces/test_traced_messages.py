"""Messages are told apart by what they are, in whichever form a framework wrote them."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.importers.traces.traced_messages import ANTHROPIC, CHAT, GEMINI, RESPONSES, read_conversation
from inspector.model.dialects import dialect_named

CALL = {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"q":1}'}}
SAID = [
    ("system", "text", "Be brief", None),
    ("user", "text", "Hi", None),
    ("assistant", "text", "Wait", None),
    ("assistant", "tool_call", '{"q":1}', "c"),
    ("tool", "tool_result", "42", "c"),
]
"""What every form below says: role, kind, text, and the id of a call."""

FORMS: dict[str, list[Any]] = {
    "OpenAI's chat": [
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "assistant", "content": "Wait", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": "42"},
    ],
    "LangChain's": [
        {"type": "system", "content": "Be brief"},
        {"lc": 1, "type": "constructor", "id": ["x", "HumanMessage"], "kwargs": {"content": "Hi"}},
        {"role": "assistant", "content": "Wait", "additional_kwargs": {"tool_calls": [CALL]}},
        {"type": "tool", "data": {"content": "42", "tool_call_id": "c"}},
    ],
    "OpenTelemetry's parts": [
        {"role": "system", "parts": [{"type": "text", "content": "Be brief"}]},
        {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "text", "content": "Wait"},
                {"type": "tool_call", "id": "c", "name": "find", "arguments": {"q": 1}},
            ],
        },
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "42"}]},
    ],
    "OpenTelemetry's events": [
        {"event.name": "gen_ai.system.message", "role": "system", "content": "Be brief"},
        {"event.name": "gen_ai.user.message", "gen_ai.message.index": 0, "role": "user", "content": "Hi"},
        {"event.name": "gen_ai.assistant.message", "role": "assistant", "content": "Wait", "tool_calls": [CALL]},
        {"event.name": "gen_ai.tool.message", "role": "tool", "id": "c", "content": "42"},
    ],
    "OpenInference's": [
        {"message": {"role": "system", "content": "Be brief"}},
        {"message": {"role": "user", "contents": [{"message_content": {"type": "text", "text": "Hi"}}]}},
        {
            "message": {
                "role": "assistant",
                "content": "Wait",
                "tool_calls": [{"tool_call": {"id": "c", "function": {"name": "find", "arguments": '{"q":1}'}}}],
            }
        },
        {"message": {"role": "tool", "content": "42", "tool_call_id": "c"}},
    ],
    "Vercel's": [
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Wait"},
                {"type": "tool-call", "toolCallId": "c", "toolName": "find", "input": {"q": 1}},
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c",
                    "toolName": "find",
                    "output": {"type": "text", "value": "42"},
                }
            ],
        },
    ],
    "flat calls": [
        {"role": "system", "content": "Be brief"},
        {"role": "human", "content": "Hi"},
        {"role": "ai", "content": "Wait", "tool_calls": [{"id": "c", "name": "find", "arguments": '{"q":1}'}]},
        {"role": "tool", "content": "42", "tool_call_id": "c"},
    ],
    "pairs": [["system", "Be brief"], ["human", "Hi"]],
    "a batch of one": [[["system", "Be brief"], ["human", "Hi"]]],
}


def said_in(values: list[Any]) -> list[tuple[str | None, str, str, str | None]]:
    """Give what a list of messages says."""
    conversation = read_conversation(values)
    assert conversation is not None
    dialect = dialect_named(conversation.api)
    member = {RESPONSES: "input", GEMINI: "contents"}.get(conversation.api, "messages")
    messages = [dialect.decode(member, one) for one in conversation.messages]
    return [(message.role, part.kind, part.text, part.call_id) for message in messages for part in message.parts]


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str) -> None:
    """The same conversation is the same in every form."""
    said = said_in(FORMS[form])
    assert said == SAID[: len(said)]
    assert len(said) in (2, 5)


def test_only_chat_is_not_converted() -> None:
    """A form that is not the API's own is known to be none."""
    converted = {form: read_conversation(values) for form, values in FORMS.items()}
    as_sent = {form for form, one in converted.items() if one is not None and not one.converted}
    assert as_sent == {"OpenAI's chat"}


@pytest.mark.parametrize(
    ("values", "api"),
    [
        ([{"role": "user", "content": "Hi"}], CHAT),
        ([{"role": "user", "content": "Hi"}, {"type": "function_call", "name": "f", "call_id": "c"}], RESPONSES),
        ([{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}], RESPONSES),
        ([{"role": "user", "parts": [{"text": "Hi"}]}], GEMINI),
        ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "42"}]}], ANTHROPIC),
    ],
)
def test_dialects(values: list[Any], api: str) -> None:
    """Messages that only one API takes are of that API, as they are."""
    conversation = read_conversation(values)
    assert conversation is not None
    assert (conversation.api, conversation.messages, conversation.converted) == (api, values, False)


def test_anthropics_instructions() -> None:
    """Instructions that lead messages of Anthropic's are put where its API has them."""
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}
    conversation = read_conversation([{"role": "system", "content": "Be brief"}, use])
    assert conversation is not None
    assert (conversation.system, conversation.messages) == ("Be brief", [use])


@pytest.mark.parametrize("values", [[], [{"a": 1}], [1, 2], [{"type": "text", "text": "Hi"}], [[]], [None]])
def test_no_messages(values: list[Any]) -> None:
    """A list without any message is no conversation."""
    assert read_conversation(values) is None


def test_a_message_that_is_not_understood() -> None:
    """An odd item among messages stays where it is: nothing of a prompt is hidden."""
    odd = {"strange": 1}
    conversation = read_conversation([{"role": "user", "content": "Hi"}, odd])
    assert conversation is not None
    assert conversation.messages[1] == odd


def test_media_in_parts() -> None:
    """Images in parts are images, inline and by address."""
    parts = [
        {"type": "blob", "mime_type": "image/png", "modality": "image", "content": "AAAA"},
        {"type": "uri", "modality": "image", "uri": "https://x.test/a.png"},
        {"type": "file", "mediaType": "image/png", "data": "AAAA"},
    ]
    conversation = read_conversation([{"role": "user", "parts": parts}])
    assert conversation is not None
    message = dialect_named(CHAT).decode("messages", conversation.messages[0])
    assert [part.kind for part in message.parts] == ["image"] * 3


def test_reasoning_in_parts() -> None:
    """Reasoning in parts is reasoning."""
    parts = [{"type": "reasoning", "content": "Think"}, {"type": "text", "content": "Hi"}]
    assert said_in([{"role": "assistant", "parts": parts}]) == [
        ("assistant", "reasoning", "Think", None),
        ("assistant", "text", "Hi", None),
    ]
