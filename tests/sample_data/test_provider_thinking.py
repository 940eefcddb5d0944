"""A Claude that thinks."""

from __future__ import annotations

from datetime import UTC, datetime

from sample_data.provider import AnthropicModel
from sample_data.provider_thinking import ThinkingClaude, ThinkingMessages, load_thoughts
from sample_data.script import load_script
from sample_data.wire import AnthropicMessages, Block
from sample_data.world import World

THOUGHT = "The order number must be looked up before anything else is done. " * 20
WIRE = ThinkingMessages(4_000)


def world() -> World:
    """Return a world at a fixed moment."""
    return World(datetime(2026, 1, 1, tzinfo=UTC), seed=1)


def test_the_request_asks_for_thinking() -> None:
    """With room for an answer beside it."""
    body = WIRE.request("claude", [Block("system", "Be brief.")], [WIRE.user("hello")], ())

    assert body["thinking"] == {"type": "enabled", "budget_tokens": 4_000}
    assert body["max_tokens"] > 4_000


def test_an_answer_begins_with_a_signed_thought_and_pays_for_it() -> None:
    """Its tokens are output, its time passes."""
    here = world()
    request = WIRE.request("claude", [Block("system", "Be brief.")], [WIRE.user("hello")], ())
    plain = AnthropicModel("claude", world()).answer(request, "fine", ())
    answer = ThinkingClaude("claude", here, [THOUGHT]).answer(request, "fine", ())
    thinking, text = answer.message["content"]

    assert (thinking["type"], thinking["thinking"], text["text"]) == ("thinking", THOUGHT, "fine")
    assert thinking["signature"]
    assert answer.body["usage"]["output_tokens"] > plain.body["usage"]["output_tokens"] + 200
    assert abs(here.mono_ns() / 1e6 - answer.duration_ms) < 1
    assert answer.duration_ms > plain.duration_ms


def test_a_thought_that_is_sent_back_is_read() -> None:
    """The next prompt is larger by the thought, and not by its signature."""
    request = WIRE.request("claude", [Block("system", "Be brief.")], [WIRE.user("hello")], ())
    model = ThinkingClaude("claude", world(), [THOUGHT, THOUGHT])
    first = model.answer(request, "fine", ())
    sizes = []
    for message in (first.message, AnthropicMessages().assistant("fine", ())):
        history = [WIRE.user("hello"), message, WIRE.user("more")]
        again = ThinkingClaude("claude", world(), [THOUGHT])
        usage = again.answer(WIRE.request("claude", [Block("system", "Be brief.")], history, ()), "fine", ()).body[
            "usage"
        ]
        sizes.append(usage["input_tokens"] + usage["cache_creation_input_tokens"])
    output = first.body["usage"]["output_tokens"]

    assert 0.9 * output < sizes[0] - sizes[1] < output


def test_every_step_of_the_script_has_a_thought() -> None:
    """As many thoughts as the model answers."""
    steps = [step for turn in load_script("long_thoughts").turns for step in turn.steps]

    assert len(load_thoughts("long_thoughts")) == len(steps)
