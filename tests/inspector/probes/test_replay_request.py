"""Facts about replay requests: the stored context, a question behind it, and nothing that would change the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.probes.replay_dialects import LEAST_TOKENS, add_question
from inspector.probes.replay_obstacles import find_obstacles
from inspector.probes.replay_request import NotReplayable, ReplayRequest, StoredCall, make_replay
from inspector.probes.replay_target import Target

QUESTION = "What is the order number?"
OPENAI = "https://api.openai.com/v1/chat/completions"
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


def call(body: Any, api: str = "openai.chat", endpoint: str | None = OPENAI, **more: Any) -> StoredCall:
    """A stored call."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return StoredCall("s", 1, "id", api, "gpt-4.1", endpoint, data, **more)


def replayed(body: Any, api: str = "openai.chat", target: Target | None = None, **more: Any) -> ReplayRequest:
    """Its replay, which there must be."""
    made = make_replay(call(body, api, **more), QUESTION, target or Target())
    assert isinstance(made, ReplayRequest), made
    return made


BODIES: list[tuple[str, str, dict[str, Any], str, Any, str, Any]] = [
    (
        "openai.chat",
        OPENAI,
        {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": [TOOL], "stream": True, "n": 2},
        "messages",
        {"role": "user", "content": QUESTION},
        "tool_choice",
        "none",
    ),
    (
        "openai.responses",
        "https://api.openai.com/v1/responses",
        {"model": "m", "input": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function"}], "stream": True},
        "input",
        {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        "tool_choice",
        "none",
    ),
    (
        "anthropic.messages",
        "https://api.anthropic.com/v1/messages",
        {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "tools": [{"name": "look"}]},
        "messages",
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
        "tool_choice",
        {"type": "none"},
    ),
    (
        "gemini.generate_content",
        "https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent",
        {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "tools": [{"functionDeclarations": []}]},
        "contents",
        {"role": "user", "parts": [{"text": QUESTION}]},
        "toolConfig",
        {"functionCallingConfig": {"mode": "NONE"}},
    ),
    (
        "cohere.chat",
        "https://api.cohere.com/v2/chat",
        {
            "model": "command-a-03-2025",
            "messages": [{"role": "user", "content": "Hi"}],
            "tools": [TOOL],
            "stream": True,
        },
        "messages",
        {"role": "user", "content": QUESTION},
        "tool_choice",
        "NONE",
    ),
]


@pytest.mark.parametrize(
    ("api", "endpoint", "body", "member", "last", "switch", "off"), BODIES, ids=lambda v: str(v)[:20]
)
def test_the_question_is_a_new_last_message_of_the_user(
    api: str, endpoint: str, body: dict[str, Any], member: str, last: Any, switch: str, off: Any
) -> None:
    """In the request's own dialect; the tools stay, calling them is forbidden, nothing is streamed."""
    made = replayed(body, api, endpoint=endpoint)

    assert made.body[member] == [*body[member], last]
    assert made.body["tools"] == body["tools"]
    assert made.body[switch] == off
    assert not made.body.get("stream")
    assert ":stream" not in made.address.url


@pytest.mark.parametrize(
    ("api", "endpoint", "body", "member", "last", "switch", "off"), BODIES, ids=lambda v: str(v)[:20]
)
def test_everything_before_the_question_stays_byte_for_byte(
    api: str, endpoint: str, body: dict[str, Any], member: str, last: Any, switch: str, off: Any
) -> None:
    """So the provider's cache of the prompt's beginning is of use."""
    made = replayed(body, api, endpoint=endpoint)
    sent = json.dumps(made.body[member], ensure_ascii=False)

    assert sent.startswith(json.dumps(body[member], ensure_ascii=False)[:-1])
    assert list(made.body)[: list(body).index(member)] == list(body)[: list(body).index(member)]


def test_ollama_has_no_switch_so_the_question_asks_for_words() -> None:
    """And is not streamed, which is its default."""
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": [TOOL]}
    made = replayed(body, "ollama.chat", endpoint="http://127.0.0.1:11434/api/chat")

    assert made.body["stream"] is False
    assert "without calling a tool" in made.body["messages"][-1]["content"]
    assert any("Ollama" in note for note in made.notes)


def test_what_would_shape_the_answer_is_left_out_and_said() -> None:
    """A forced JSON answer, for one."""
    made = replayed({"messages": [], "response_format": {"type": "json_object"}, "temperature": 0.2})

    assert "response_format" not in made.body
    assert made.body["temperature"] == 0.2
    assert any("response_format" in note for note in made.notes)


def test_the_stored_call_is_not_changed() -> None:
    """The bytes are read anew each time."""
    one = call({"messages": [{"role": "user", "content": "Hi"}]})
    before = one.body
    make_replay(one, QUESTION, Target())

    assert one.body == before


def test_equal_questions_have_equal_digests() -> None:
    """And another server, question or context has another."""
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    here = replayed(body)

    assert replayed(body).digest == here.digest
    assert replayed(body, target=Target(endpoint="http://127.0.0.1:9")).digest != here.digest
    assert replayed({**body, "model": "other"}).digest != here.digest


OBSTACLES: list[tuple[str, dict[str, Any], bool, bool]] = [
    ("openai.responses", {"input": "Hi", "conversation": "conv_1"}, False, False),
    ("openai.responses", {"input": "Hi", "previous_response_id": "resp_1"}, True, False),
    ("openai.responses", {"input": [{"type": "item_reference", "id": "x"}]}, True, False),
    ("openai.responses", {"input": [{"type": "compaction", "encrypted_content": "gAA"}]}, True, False),
    ("openai.responses", {"input": [{"type": "reasoning", "encrypted_content": "gAA"}]}, True, True),
    ("openai.responses", {"input": "Hi", "prompt": {"id": "pmpt_1"}}, True, False),
    (
        "openai.chat",
        {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}]},
        True,
        False,
    ),
    ("anthropic.messages", {"messages": [], "container": "c_1"}, True, False),
    (
        "anthropic.messages",
        {"messages": [{"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]}]},
        True,
        True,
    ),
    ("gemini.generate_content", {"contents": [], "cachedContent": "cachedContents/1"}, True, False),
    ("gemini.generate_content", {"contents": [{"parts": [{"fileData": {"fileUri": "files/1"}}]}]}, True, False),
    (
        "bedrock.converse",
        {"messages": [{"role": "user", "content": [{"image": {"source": {"s3Location": {"uri": "s3://b/a.png"}}}}]}]},
        True,
        False,
    ),
    (
        "bedrock.converse",
        {"messages": [{"role": "assistant", "content": [{"reasoningContent": {"redactedContent": "x"}}]}]},
        True,
        True,
    ),
    (
        "bedrock.converse",
        {"messages": [], "toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}]}},
        True,
        True,
    ),
    ("bedrock.converse", {"messages": [], "promptVariables": {"city": {"text": "Ulm"}}}, True, False),
    ("bedrock.converse", {"messages": [], "guardrailConfig": {"guardrailIdentifier": "g"}}, True, True),
]
SERVERS = {
    "openai.responses": "https://api.openai.com/v1/responses",
    "openai.chat": OPENAI,
    "anthropic.messages": "https://api.anthropic.com/v1/messages",
    "gemini.generate_content": "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent",
    "bedrock.converse": "https://bedrock-runtime.eu-west-1.amazonaws.com/model/amazon.nova-pro-v1%3A0/converse-stream",
}


@pytest.mark.parametrize(("api", "body", "own", "elsewhere"), OBSTACLES, ids=lambda value: str(value)[:40])
def test_what_only_the_own_server_knows_cannot_be_asked_elsewhere(
    api: str, body: dict[str, Any], own: bool, elsewhere: bool
) -> None:
    """And what a replay would write into cannot be asked at all; each with a reason."""
    for target, wanted in ((Target(), own), (Target(endpoint="http://127.0.0.1:9", api=api), elsewhere)):
        made = make_replay(call(body, api, SERVERS[api]), QUESTION, target)

        assert isinstance(made, ReplayRequest) is wanted
        if isinstance(made, NotReplayable):
            assert len(made.why) > 20


@pytest.mark.parametrize(
    ("stored", "says"),
    [
        (StoredCall("s", 1, "id", "openai.chat", None, OPENAI, None), "lost"),
        (call(b"not json"), "JSON"),
        (call([1]), "object"),
        (call({"x": 1}, "unknown"), "dialect"),
        (
            call(
                {"input": []}, "openai.responses", "https://api.openai.com/v1/responses/compact", purpose="compaction"
            ),
            "compaction",
        ),
        (call({"messages": []}, missing=("messages",)), "lacks"),
        (call({"messages": {}}), "list"),
        (call({"message": "Hi"}, "cohere.chat", "https://api.cohere.com/v2/chat"), "no list"),
        (call({"messages": []}, "anthropic.complete", "https://api.anthropic.com/v1/complete"), "not written in it"),
    ],
)
def test_a_call_that_cannot_be_asked_says_why(stored: StoredCall, says: str) -> None:
    """In words, and never with an exception."""
    made = make_replay(stored, QUESTION, Target())

    assert isinstance(made, NotReplayable)
    assert says in made.why


def test_masks_and_missing_parts_are_said() -> None:
    """They do not forbid asking; the answer may be another one."""
    made = replayed({"messages": []}, exact="redacted", missing=("system", "tools"))

    assert any("masks" in note for note in made.notes)
    assert any("system, tools" in note for note in made.notes)


def test_another_dialect_is_written_as_a_chat_of_openai() -> None:
    """With instructions, calls, results and tools; what is left out is said."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    used = {"type": "tool_use", "id": "t1", "name": "look", "input": {"q": 1}}
    body = {
        "model": "claude",
        "system": "Be brief.",
        "tools": [{"name": "look", "description": "d", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Where is it?"},
            {"role": "assistant", "content": [thought, used]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "On shelf 7."}]},
        ],
    }  # fmt: skip
    target = Target(endpoint="http://127.0.0.1:8080", api="openai.chat", model="small")
    made = make_replay(call(body, "anthropic.messages", SERVERS["anthropic.messages"]), QUESTION, target)
    assert isinstance(made, ReplayRequest)
    roles = [message["role"] for message in made.body["messages"]]

    assert made.address.url == "http://127.0.0.1:8080/v1/chat/completions"
    assert roles == ["system", "user", "assistant", "tool", "user"]
    assert made.body["messages"][2]["tool_calls"][0]["function"]["name"] == "look"
    assert made.body["messages"][3] == {"role": "tool", "tool_call_id": "t1", "content": "On shelf 7."}
    assert made.body["tools"][0]["function"]["parameters"] == {"type": "object"}
    assert made.body["model"] == "small"
    assert any("1 thinking" in note for note in made.notes)


def test_obstacles_are_listed_where_they_stand() -> None:
    """Deep in a nested body, and once where it says nothing new."""
    body = {"input": [{"type": "message", "content": [{"type": "input_file", "file_id": "f-1"}]}] * 2}
    found = find_obstacles(body, exact="bytes", missing=())

    assert [one.path for one in found] == ["input[0].content[0].file_id", "input[1].content[0].file_id"]


LIMITED: list[tuple[str, dict[str, Any], str]] = [
    ("openai.chat", {"messages": [], "max_tokens": 20}, "max_tokens"),
    ("openai.chat", {"messages": [], "max_completion_tokens": 20}, "max_completion_tokens"),
    ("openai.responses", {"input": [], "max_output_tokens": 20}, "max_output_tokens"),
    ("anthropic.messages", {"messages": [], "max_tokens": 20}, "max_tokens"),
    ("gemini.generate_content", {"contents": [], "generationConfig": {"maxOutputTokens": 20}}, "maxOutputTokens"),
    ("ollama.chat", {"messages": [], "options": {"num_predict": 20, "num_ctx": 99}}, "num_predict"),
    ("cohere.chat", {"messages": [], "max_tokens": 20}, "max_tokens"),
    ("bedrock.converse", {"messages": [], "inferenceConfig": {"maxTokens": 20}}, "maxTokens"),
]


@pytest.mark.parametrize(("api", "body", "name"), LIMITED)
def test_a_limit_too_low_for_an_answer_is_raised(api: str, body: dict[str, Any], name: str) -> None:
    """A call that wrote a title had twenty tokens; the stored request stays as it is, and it is said."""
    asked = add_question(api, body, QUESTION)
    holders = (asked.body.get(name) for name in ("generationConfig", "options", "inferenceConfig"))
    holder = next((one for one in holders if one), asked.body)

    assert holder[name] == LEAST_TOKENS
    assert any(name in note for note in asked.notes)
    assert "20" in json.dumps(body)


@pytest.mark.parametrize("limit", [LEAST_TOKENS, 4_096, -1, None])
def test_another_limit_stays(limit: int | None) -> None:
    """Of Ollama -1 is none."""
    asked = add_question("ollama.chat", {"messages": [], "options": {"num_predict": limit}}, QUESTION)

    assert (asked.body["options"], asked.notes) == ({"num_predict": limit}, ())
