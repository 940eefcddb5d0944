"""Gemini's dialect and bill, as the samples make them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sample_data.provider_gemini import GeminiModel
from sample_data.wire import Block, Message, Tool, Wanted
from sample_data.wire_gemini import GeminiGenerateContent
from sample_data.world import World

MODEL = "gemini-2.5-flash"
WIRE = GeminiGenerateContent(MODEL)
LONG = "The library card cannot be billed and it cannot be blocked. " * 150
CALL = Wanted("", "look", {"n": 1})


def request(history: list[Message]) -> dict[str, Any]:
    """Return a request of some two thousand tokens before the history."""
    blocks = [Block("system", LONG), Block("memory", "short")]
    return WIRE.request(MODEL, blocks, history, [Tool("look", LONG, {"n": "integer: which"})])


def test_the_body_has_the_members_of_the_api() -> None:
    """Instructions are parts beside the contents, functions stand in one tool, and the body names no model."""
    body = request([WIRE.user("one")])
    (declared,) = body["tools"][0]["functionDeclarations"]

    assert list(body) == ["systemInstruction", "contents", "tools", "generationConfig"]
    assert body["systemInstruction"] == {"parts": [{"text": LONG}, {"text": "short"}]}
    assert set(declared["parameters"]) == {"type", "properties", "required"}


def test_a_call_and_its_result_are_parts() -> None:
    """The call is the model's, the result the user's; a result that is no object becomes one."""
    assert WIRE.assistant("Wait.", [CALL]) == {
        "role": "model",
        "parts": [{"text": "Wait."}, {"functionCall": {"name": "look", "args": {"n": 1}}}],
    }
    assert WIRE.results([(CALL, '{"a": 1}'), (CALL, "plain")])[0]["parts"] == [
        {"functionResponse": {"name": "look", "response": {"a": 1}}},
        {"functionResponse": {"name": "look", "response": {"result": "plain"}}},
    ]


def test_only_a_users_text_starts_a_turn() -> None:
    """A summary and a result stand in the user's role and start none."""
    (result,) = WIRE.results([(CALL, "{}")])

    assert WIRE.starts_turn(WIRE.user("text"))
    assert not WIRE.starts_turn(WIRE.summary("text"))
    assert not WIRE.starts_turn(result)
    assert WIRE.holds_results(result)


def test_a_repeated_beginning_is_read_from_the_cache() -> None:
    """The first prompt names no cached tokens, the second all of the first one but its opening."""
    model = GeminiModel(MODEL, World(datetime(2026, 1, 1, tzinfo=UTC), seed=1))
    first = model.answer(request([WIRE.user("one")]), "fine", ())
    longer = [WIRE.user("one"), first.message, WIRE.user("more")]
    usages = [first.body["usageMetadata"], model.answer(request(longer), "fine", ()).body["usageMetadata"]]

    assert "cachedContentTokenCount" not in usages[0]
    assert usages[1]["cachedContentTokenCount"] == usages[0]["promptTokenCount"] - 1
    assert usages[1]["totalTokenCount"] == usages[1]["promptTokenCount"] + usages[1]["candidatesTokenCount"]
