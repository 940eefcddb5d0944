"""A Claude whose server edits the context."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sample_data.provider_editing import EditingClaude, EditingMessages, clear_tool_uses, compact
from sample_data.wire import Block, Message, Wanted
from sample_data.world import World

PAGE = "a table of the warehouse that somebody read last week\n" * 40
SUMMARY = "The user wants less storage."


def history(results: int) -> list[Message]:
    """A question and so many tool calls with a page of text each."""
    messages = [WIRE.user("what can go?")]
    for n in range(results):
        wanted = Wanted(f"toolu_{n}", "read", {"page": n})
        messages += [WIRE.assistant(None, [wanted]), *WIRE.results([(wanted, PAGE)])]
    return messages


WIRE = EditingMessages(compact(trigger=2_000))
CLEARING = EditingMessages(clear_tool_uses(trigger=1_000, keep=1))


def model(*summaries: str) -> EditingClaude:
    """A model with its summaries."""
    return EditingClaude("claude", World(datetime(2026, 1, 1, tzinfo=UTC), seed=1), summaries)


def request(wire: EditingMessages, messages: list[Message]) -> dict[str, Any]:
    """A request."""
    return wire.request("claude", [Block("system", "Be brief.")], messages, ())


def size(usage: dict[str, Any]) -> int:
    """All input tokens."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(int(usage[name]) for name in names)


def test_a_short_conversation_is_left_alone() -> None:
    """One pass, nothing applied."""
    body = model().answer(request(WIRE, history(1)), "that one", ()).body

    assert body["context_management"] == {"applied_edits": []}
    assert [one["type"] for one in body["usage"]["iterations"]] == ["message"]
    assert [block["type"] for block in body["content"]] == ["text"]


def test_a_long_one_is_compacted_before_it_is_answered() -> None:
    """The answer begins with the summary; the top level has the usage of the pass that wrote it."""
    body = model(SUMMARY).answer(request(WIRE, history(6)), "that one", ()).body
    first, second = body["usage"]["iterations"]

    assert body["content"][0] == {"type": "compaction", "content": SUMMARY}
    assert size(first) > 2_000 > 100 > size(second) == size(body["usage"])


def test_what_stands_before_the_summary_is_not_read_again() -> None:
    """The next request is as long as ever and costs next to nothing."""
    claude = model(SUMMARY)
    first = claude.answer(request(WIRE, history(6)), "that one", ())
    longer = [*history(6), first.message, WIRE.user("and then?")]
    usage = claude.answer(request(WIRE, longer), "nothing", ()).body["usage"]

    assert size(usage) < 150


def test_old_results_are_cleared_and_counted() -> None:
    """All but the newest one; the answer says how many and how much."""
    whole = size(model().answer(request(WIRE, history(3)), "x", ()).body["usage"])
    body = model().answer(request(CLEARING, history(3)), "x", ()).body
    (edit,) = body["context_management"]["applied_edits"]

    assert edit["cleared_tool_uses"] == 2
    assert size(body["usage"]) == whole - edit["cleared_input_tokens"]
    assert edit["cleared_input_tokens"] > 500


def test_nothing_is_cleared_below_the_trigger() -> None:
    """One page is fewer tokens than that."""
    assert model().answer(request(CLEARING, history(1)), "x", ()).body["context_management"] == {"applied_edits": []}
