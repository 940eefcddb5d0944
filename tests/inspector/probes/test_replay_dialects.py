"""Facts about questions in Bedrock's and Cohere's dialects: where they stand, and what must not go along."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.probes.replay_dialects import add_question

QUESTION = "What is the order number?"
WORDS = "Answer in words, without calling a tool."
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
SPECS = [
    {"toolSpec": {"name": "look", "inputSchema": {"json": {"type": "object"}}}},
    {"cachePoint": {"type": "default"}},
]
POINT = {"cachePoint": {"type": "default"}}
RESULT = {"toolResult": {"toolUseId": "t1", "content": [{"text": "On shelf 7."}]}}


def test_bedrock_is_asked_in_the_last_message_of_the_user() -> None:
    """Two messages of one speaker in a row are refused there: the question is a block behind the others."""
    body = {"messages": [{"role": "user", "content": [RESULT, POINT]}]}
    asked = add_question("bedrock.converse", body, QUESTION).body

    assert asked["messages"] == [{"role": "user", "content": [RESULT, POINT, {"text": QUESTION}]}]
    assert body == {"messages": [{"role": "user", "content": [RESULT, POINT]}]}


def test_behind_words_of_the_assistant_the_question_is_a_new_message() -> None:
    """As everywhere else."""
    talk = [{"role": "user", "content": [{"text": "Hi"}]}, {"role": "assistant", "content": [{"text": "Hello"}]}]
    asked = add_question("bedrock.converse", {"messages": talk}, QUESTION).body

    assert asked["messages"] == [*talk, {"role": "user", "content": [{"text": QUESTION}]}]


@pytest.mark.parametrize("choice", [{"any": {}}, {"tool": {"name": "look"}}, {"auto": {}}])
def test_bedrock_has_no_switch_so_the_question_asks_for_words(choice: dict[str, Any]) -> None:
    """The tools stay, cache point and all; what would force a call does not."""
    body = {"messages": [], "toolConfig": {"tools": SPECS, "toolChoice": choice}}
    asked = add_question("bedrock.converse", body, QUESTION)

    assert asked.body["toolConfig"] == {"tools": SPECS}
    assert asked.body["messages"][-1]["content"] == [{"text": f"{QUESTION}\n{WORDS}"}]
    assert any("Bedrock has no switch" in note for note in asked.notes)


def test_settings_of_bedrock_stay_but_for_what_shapes_an_answer() -> None:
    """And for what only a stream may have."""
    body = {
        "messages": [],
        "inferenceConfig": {"temperature": 0.1, "stopSequences": ["\n"]},
        "outputConfig": {"effort": "low", "textFormat": {"type": "json_schema"}},
        "guardrailConfig": {"guardrailIdentifier": "g", "streamProcessingMode": "async"},
        "additionalModelRequestFields": {"thinking": {"type": "enabled"}},
        "requestMetadata": {"team": "shop"},
    }
    asked = add_question("bedrock.converse", body, QUESTION)

    assert {name: value for name, value in asked.body.items() if name != "messages"} == {
        "inferenceConfig": {"temperature": 0.1},
        "outputConfig": {"effort": "low"},
        "guardrailConfig": {"guardrailIdentifier": "g"},
        "additionalModelRequestFields": {"thinking": {"type": "enabled"}},
    }
    assert not any("streamProcessingMode" in note for note in asked.notes)


def test_claude_on_bedrock_knows_no_none() -> None:
    """Its server refuses the switch of Anthropic's; anywhere else it is used."""
    body = {"messages": [], "tools": [{"name": "look"}], "tool_choice": {"type": "any"}, "max_tokens": 4_000}
    there = add_question("anthropic.messages", body, QUESTION, at_bedrock=True)
    here = add_question("anthropic.messages", body, QUESTION)

    assert "tool_choice" not in there.body
    assert there.body["messages"][-1]["content"] == [{"type": "text", "text": f"{QUESTION}\n{WORDS}"}]
    assert here.body["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize(
    ("model", "forbids"),
    [
        ("command-a-03-2025", True),
        ("command-r7b-12-2024", True),
        ("command-a-reasoning-08-2025", True),
        ("command-r-plus-08-2024", False),
        ("command-r", False),
    ],
)
def test_old_models_of_cohere_are_asked_for_words(model: str, forbids: bool) -> None:
    """The switch came with Command R7B; before it would be refused."""
    body = {"model": model, "messages": [], "tools": [TOOL], "tool_choice": "REQUIRED", "strict_tools": True}
    asked = add_question("cohere.chat", body, QUESTION)

    assert asked.body.get("tool_choice") == ("NONE" if forbids else None)
    assert (WORDS in json.dumps(asked.body)) is not forbids
    assert (asked.body["tools"], asked.body["strict_tools"]) == ([TOOL], True)


def test_documents_of_cohere_stay() -> None:
    """They are part of the prompt; a forced format of the answer is not."""
    documents = [{"id": "d1", "data": {"text": "The order is ORD-2024-001."}}]
    body = {
        "model": "command-a-03-2025",
        "messages": [],
        "documents": documents,
        "response_format": {"type": "json_object"},
    }
    asked = add_question("cohere.chat", body, QUESTION)

    assert asked.body["documents"] == documents
    assert "response_format" not in asked.body
