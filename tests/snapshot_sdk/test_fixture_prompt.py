"""Prompts as checks see them: any dialect, lists and bodies, objects of libraries."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import pytest

from snapshot_sdk._fixture_prompt import history_messages, prompt_of, recorded_prompt
from snapshot_sdk._fixture_values import Fixture

USER = {"role": "user", "content": "hello"}
RULES = {"role": "system", "content": "rules"}

DIALECTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "openai.chat": (
        {
            "messages": [
                RULES,
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"q": 1}'}}],
                },
                {"role": "tool", "tool_call_id": "a", "content": "found"},
            ]
        },
        ["rules", 'f({"q": 1})', "found"],
    ),
    "openai.responses": (
        {
            "instructions": "rules",
            "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "hello"}]},
                {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "a", "output": "found"},
            ],
        },
        ["rules", "hello", "f({})", "found"],
    ),
    "anthropic.messages": (
        {
            "system": [{"type": "text", "text": "rules"}],
            "messages": [
                {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {"q": 1}}]},
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "found"}]}
                    ],
                },
            ],
        },
        ["rules", 'f({"q": 1})', "found"],
    ),
    "gemini.generate_content": (
        {
            "systemInstruction": {"parts": [{"text": "rules"}]},
            "contents": [
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"q": 1}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"r": "found"}}}]},
            ],
        },
        ["rules", 'f({"q": 1})', '{"r": "found"}'],
    ),
    "bedrock.converse": (
        {
            "system": [{"text": "rules"}],
            "messages": [
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"json": {"r": 1}}]}}]},
            ],
        },
        ["rules", "f({})", '{"r": 1}'],
    ),
    "ollama.chat": (
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"function": {"name": "f", "arguments": {"q": 1}}}],
                },
                {"role": "tool", "tool_name": "f", "content": "found"},
            ]
        },
        ['f({"q": 1})', "found"],
    ),
    "cohere.chat": (
        {
            "messages": [{"role": "assistant", "tool_plan": "look it up"}],
            "documents": [{"id": "d", "data": "a page"}],
        },
        ["look it up", "a page"],
    ),
    "mistral.chat": (
        {
            "messages": [
                {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}
            ]
        },
        ["hm"],
    ),
    "unknown": ({"prompt": "all in one"}, ["all in one"]),
}


@pytest.mark.parametrize("api", DIALECTS)
def test_every_dialect(api: str) -> None:
    """Texts, results and arguments are found in each."""
    body, texts = DIALECTS[api]
    assert [message.text for message in prompt_of(body, api=api).elements] == texts


@pytest.mark.parametrize("api", [api for api in DIALECTS if api not in ("cohere.chat", "mistral.chat", "unknown")])
def test_calls_and_results(api: str) -> None:
    """Each has one call and one result of it."""
    messages = prompt_of(DIALECTS[api][0]).messages
    assert [piece.name for message in messages for piece in message.calls] == ["f"]
    assert len([piece for message in messages for piece in message.results]) == 1


ODD: list[Any] = [None, 1, "s", [], [[]], [1], {"role": 1}, {"content": {"a": []}}, {"type": []}, {}]


@pytest.mark.parametrize("value", ODD)
def test_odd_values_are_read(value: Any) -> None:
    """No JSON value in a body raises."""
    prompt = prompt_of({"messages": [USER, {"role": "user", "content": value}], "system": value, "tools": value})
    assert prompt.messages[0].text == "hello"


def test_list_takes_the_place_of_the_recorded_conversation(trip: Fixture) -> None:
    """Tools and parameters stay as they were recorded."""
    prompt = prompt_of([USER], trip)
    assert prompt.body["model"] == "gpt-4.1"
    assert len(prompt.tools) == 1
    assert [message.text for message in prompt.messages] == ["hello"]


def test_body_of_prompt_members_is_a_part(trip: Fixture) -> None:
    """What it does not name stays as recorded."""
    assert len(prompt_of({"messages": [USER]}, trip).tools) == 1


def test_body_with_parameters_is_whole(trip: Fixture) -> None:
    """What it does not name is not sent: lost tools show."""
    assert prompt_of({"model": "gpt-4.1", "messages": [USER]}, trip).tools == ()


def test_own_system_message_replaces_the_recorded_one(trip: Fixture) -> None:
    """Else a builder that lost half of its rules would be covered by the recorded ones."""
    request = {"model": "m", "system": "recorded", "messages": [USER]}
    claude = replace(trip, api="anthropic.messages", request=request)
    assert prompt_of([USER], claude).system == "recorded"
    assert prompt_of([RULES, USER], claude).system == "rules"


def test_arguments_of_googles_client() -> None:
    """System instruction and tools stand in ``config`` there."""
    prompt = prompt_of({"contents": [{"parts": [{"text": "hello"}]}], "config": {"system_instruction": "rules"}})
    assert prompt.system == "rules"


@pytest.mark.parametrize("made", [deque([USER]), (USER,), iter([USER])], ids=["deque", "tuple", "iterator"])
def test_sequences(made: Any) -> None:
    """Whatever holds messages in order."""
    assert len(prompt_of(made).messages) == 1


@dataclass
class Said:
    """A message of the user's own."""

    role: str
    content: str
    name: str | None = None


class Dumped:
    """What pydantic's models look like."""

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """Give the message as a dict."""
        return {"role": "user", "content": "hello"}


@pytest.mark.parametrize("message", [Said("user", "hello"), Dumped()], ids=["dataclass", "pydantic"])
def test_objects(message: Any) -> None:
    """Objects are read as what they say of themselves."""
    assert prompt_of([message]).messages[0].raw == USER


def test_langchain_messages() -> None:
    """LangChain's messages, with calls and results."""
    langchain = pytest.importorskip("langchain_core.messages", reason="langchain is not installed")
    call = {"name": "f", "args": {"q": 1}, "id": "a", "type": "tool_call"}
    messages = prompt_of(
        [
            langchain.SystemMessage("rules"),
            langchain.HumanMessage("hello"),
            langchain.AIMessage("", tool_calls=[call]),
            langchain.ToolMessage("found", tool_call_id="a"),
        ]
    ).messages
    assert [message.role for message in messages] == ["system", "user", "assistant", "tool"]
    assert [message.text for message in messages] == ["rules", "hello", '\nf({"q": 1})'.strip(), "found"]
    assert messages[2].calls[0].id == messages[3].results[0].id == "a"


def test_client_objects_within_a_dict() -> None:
    """Answers of OpenAI's client are often put back as they are."""
    chat = pytest.importorskip("openai.types.chat", reason="openai is not installed")
    answer = chat.ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        }
    )
    prompt = prompt_of([answer, {"role": "assistant", "content": None, "tool_calls": answer.tool_calls}])
    assert [message.text for message in prompt.messages] == ["f({})", "f({})"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("hello", "not a text"),
        (None, "not None"),
        (7, "not a int"),
        ([USER, None], "message 2 is None, no message"),
        ([("user", "hello")], "message 1 is a tuple, no message"),
        ({"role": "user", "content": "x"}, "a body must have one of messages"),
    ],
    ids=["text", "None", "number", "None within", "pairs", "one message"],
)
def test_what_is_no_prompt(value: Any, reason: str) -> None:
    """Each is told in words."""
    with pytest.raises(TypeError, match=reason):
        prompt_of(value)


def test_layers() -> None:
    """By role, marks and place, as ``docs/layers.md`` tells."""
    prompt = prompt_of(
        [
            RULES,
            {"role": "user", "content": "<memory>likes tea</memory>"},
            {"role": "user", "content": "[对话摘要]\nso far"},
            USER,
            {"role": "assistant", "content": "hi"},
            {"role": "user", "content": "and now"},
        ]
    )
    assert [message.layer for message in prompt.messages] == [
        "system",
        "memory",
        "summary",
        "history",
        "history",
        "input",
    ]


def test_layers_by_spans(trip: Fixture) -> None:
    """A text that joins layers is split where the fixture says so."""
    joined = replace(trip, spans=(("likes tea", "memory"),))
    message = prompt_of([{"role": "user", "content": "The guest likes tea. hello"}], joined).messages[0]
    assert [(run.layer, run.text) for run in message.runs] == [
        ("input", "The guest "),
        ("memory", "likes tea"),
        ("input", ". hello"),
    ]


def test_known_layer_of_a_message(trip: Fixture) -> None:
    """What the user's own rules decided comes with the history."""
    marked = replace(trip, history=(replace(trip.history[1], layer="memory"), *trip.history[2:]))
    assert prompt_of([trip.history[1].message], marked).messages[0].layer == "memory"
    assert history_messages(marked)[0].layer == "memory"


@pytest.mark.parametrize(
    "body",
    [
        {"previous_response_id": "resp_1", "input": [USER]},
        {"input": [{"type": "item_reference", "id": "msg_1"}]},
        {"input": [{"type": "compaction", "encrypted_content": "x"}]},
        {"prompt": {"id": "pmpt_1"}, "input": [USER]},
        {"cachedContent": "cachedContents/1", "contents": [{"parts": [{"text": "x"}]}]},
    ],
    ids=["previous response", "reference", "compaction", "template", "cached content"],
)
def test_what_the_server_keeps_is_unseen(body: dict[str, Any]) -> None:
    """A prompt that is not all at hand says so."""
    assert prompt_of(body).unseen is not None


def test_secret_reasoning_hides_nothing() -> None:
    """Encrypted thoughts are no messages: what is lost is not in them."""
    body = {"input": [{"type": "reasoning", "encrypted_content": "x"}, USER]}
    assert prompt_of(body).unseen is None


def test_recorded_prompt(trip: Fixture) -> None:
    """The body as it was sent."""
    assert [message.role for message in recorded_prompt(trip).messages] == ["system", "user", "user"]


BLOCK = {"type": "compaction", "content": "The user wants tea."}
COMPACTED: list[dict[str, Any]] = [
    {"role": "user", "content": "Never delete billing."},
    {"role": "assistant", "content": [{"type": "text", "text": "Noted."}, BLOCK, {"type": "text", "text": "Go on."}]},
    {"role": "user", "content": "Now?"},
]


def test_what_stands_before_a_compaction_block_is_not_read() -> None:
    """Anthropic's server drops it, within the message, too; the rest keeps its places."""
    prompt = prompt_of({"model": "m", "messages": COMPACTED}, api="anthropic.messages")
    assert [message.text for message in prompt.messages] == ["The user wants tea.\nGo on.", "Now?"]
    assert [message.number for message in prompt.messages] == [2, 3]


def test_a_compaction_that_failed_stands_for_nothing() -> None:
    """It has no content, and the server drops nothing."""
    failed = [COMPACTED[0], {"role": "assistant", "content": [{**BLOCK, "content": None}]}]
    assert len(prompt_of({"messages": failed}).messages) == 2
