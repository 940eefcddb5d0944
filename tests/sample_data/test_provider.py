"""The scripted models bill like real ones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sample_data.provider import AnthropicModel, OpenAIModel
from sample_data.wire import AnthropicMessages, Block, Message, OpenAIChat, Tool, Wire
from sample_data.world import World

LONG = "The library card cannot be billed and it cannot be blocked. " * 150
TOOL = Tool("look", LONG, {"n": "integer: which"})


def world() -> World:
    """Return a world at a fixed moment."""
    return World(datetime(2026, 1, 1, tzinfo=UTC), seed=1)


def request(wire: Wire, history: list[Message]) -> dict[str, Any]:
    """Return a request of some two thousand tokens before the history."""
    return wire.request("m", [Block("system", LONG)], history, [TOOL])


def test_openai_reads_a_repeated_beginning_from_the_cache() -> None:
    """The second of two prompts with a common beginning is mostly cached, in steps of 128; a late third is not."""
    here, wire = world(), OpenAIChat()
    model = OpenAIModel("gpt-4.1", here)
    history = [wire.user("one")]
    usages = []
    for pause in (0, 0, 3_600):
        here.sleep(pause)
        usages.append(model.answer(request(wire, history), "fine", ()).body["usage"])
        history = [*history, wire.assistant("fine", ()), wire.user("more")]
    cached = [usage["prompt_tokens_details"]["cached_tokens"] for usage in usages]

    assert (cached[0], cached[2]) == (0, 0)
    assert cached[1] > 1_024
    assert cached[1] % 128 == 0


def test_anthropic_parts_the_prompt_into_written_and_read() -> None:
    """What one call wrote to the cache the next one reads, to the token, although the marker moved."""
    here, wire = world(), AnthropicMessages()
    model = AnthropicModel("claude", here)
    history = [wire.user("one")]
    first = model.answer(request(wire, history), "fine", ())
    longer = [*history, first.message, wire.user("more")]
    second = model.answer(request(wire, longer), "fine", ()).body["usage"]

    assert second["cache_read_input_tokens"] == first.body["usage"]["cache_creation_input_tokens"]
    assert 0 < second["cache_creation_input_tokens"] < 50


def test_time_passes_while_a_model_answers() -> None:
    """The clock moves by the duration that is reported."""
    here, wire = world(), OpenAIChat()
    before = here.mono_ns()
    answer = OpenAIModel("gpt-4.1", here).answer(request(wire, [wire.user("one")]), "fine", ())

    assert abs((here.mono_ns() - before) / 1e6 - answer.duration_ms) < 1
