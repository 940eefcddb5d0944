"""The header of a comparison says what differs at large, in plain words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from inspector.analysis.compactions import CompactionChange
from inspector.model.layers import Layer
from inspector.model.request import Message, Part
from inspector.model.views import CallView, TokenCount
from inspector.ui import compare_words as words
from inspector.ui.compare_sides import Side, SideRow, side_of_call

MakeView = Callable[..., CallView]
UNKNOWN = TokenCount(None, "unknown")


def text(said: str, role: str = "user") -> tuple[str, tuple[Part, ...]]:
    """Build a message of one part."""
    return role, (Part("text", said),)


def side(view: CallView) -> Side:
    """Make a side; content hashes follow the text."""
    rows = tuple(replace(row, content=row.message.text) for row in view.messages)
    return side_of_call("s", replace(view, messages=rows))


def test_parameters_are_compared_as_json() -> None:
    """1 and "1" differ; a missing one is named; equal ones are not."""
    changed = words.changed_parameters({"a": 1, "b": "x", "c": None}, {"a": "1", "b": "x", "d": True})

    assert [(one.name, one.old, one.new) for one in changed] == [
        ("a", "1", '"1"'),
        ("c", "null", None),
        ("d", None, "true"),
    ]
    assert words.same_parameters({"a": 1, "b": "x"}, {"b": "x"}) == (("b", '"x"'),)


def test_tools_are_named_by_what_became_of_them() -> None:
    """Added, removed and changed definitions each have their sign."""
    old, new = {"query": "1", "cancel": "2", "pay": "3"}, {"query": "1", "pay": "4", "search": "5"}

    line = words.tools_line(words.changed_tools(old, new), old, new)

    assert line == "tools: ✕ cancel · ≈ pay · + search"
    assert words.tools_line((), old, old) == "tools: same"
    assert words.tools_line((), {"a": "1", "b": "2"}, {"b": "2", "a": "1"}) == "tools: in another order"
    assert words.tools_line((), {}, {}) == "tools: none"


def test_the_common_beginning_ends_inside_a_message(make_view: MakeView) -> None:
    """Whole messages before the difference are counted; the byte is one of UTF-8."""
    before = side(make_view(text("sys"), text("订单 1 open"), text("x")))
    after = side(make_view(text("sys"), text("订单 2 open"), text("x")))

    found = words.same_beginning(before, after)

    assert (found.tokens, found.of, found.place, found.byte) == (10, 30, 1, len("订单 ".encode()))
    assert words.beginning_line(found) == "same beginning: 10 of 30 tokens, then HI at byte 7"


def test_a_prompt_that_only_grew_has_all_of_the_old_as_beginning(make_view: MakeView) -> None:
    """The difference is the first new message."""
    found = words.same_beginning(side(make_view(text("a"))), side(make_view(text("a"), text("b"))))

    assert words.beginning_line(found) == "same beginning: 10 of 20 tokens, then HI"


def test_equal_prompts_are_the_same_to_their_end(make_view: MakeView) -> None:
    """No difference is found, and it is said."""
    one = side(make_view(text("a"), text("b")))

    assert words.beginning_line(words.same_beginning(one, one)) == "same beginning: the whole prompt"


def test_a_prompt_that_lost_its_end_is_a_beginning(make_view: MakeView) -> None:
    """The whole later prompt can be reused."""
    found = words.same_beginning(side(make_view(text("a"), text("b"))), side(make_view(text("a"))))

    assert words.beginning_line(found).endswith("all of it, the prompt before went on")


def test_an_id_that_differs_breaks_the_beginning(make_view: MakeView) -> None:
    """Equal texts with other call ids are rendered otherwise."""
    made = [("tool", (Part("tool_result", "ok", call_id=call),)) for call in ("c1", "c2")]

    found = words.same_beginning(side(make_view(made[0])), side(make_view(made[1])))

    assert (found.place, found.byte) == (0, None)
    assert words.beginning_line(found).endswith("then HI: the same text in another form")


def test_layer_changes_are_the_largest_first(make_view: MakeView) -> None:
    """Each layer's change has its sign; unchanged layers are silent."""
    before = side(make_view(composition={Layer.TOOL_RESULTS: 3_000, Layer.HISTORY: 900, Layer.SYSTEM: 5}))
    after = side(
        make_view(composition={Layer.TOOL_RESULTS: 674, Layer.SUMMARY: 604, Layer.HISTORY: 71, Layer.SYSTEM: 5})
    )

    line = words.layers_line(words.layer_changes(before, after))

    assert line == "tool results −2,326 · history −829 · summary +604"
    assert words.layers_line([]) == "every layer as large as before"


def make_change(**changes: Any) -> CompactionChange:
    """Build a recorded compaction."""
    values: dict[str, Any] = {
        "number": 2,
        "id": "c",
        "call": 30,
        "before_call": 29,
        "said_by": "recorded",
        "certainty": "certain",
        "evidence": "recorded by the agent",
        "lane": "main",
        "state": "done",
        "strategy": "summary",
        "policy": "history > 70 %",
        "reason": None,
        "caller": "agent/memory.py:118",
        "duration_ms": 2_100.0,
        "error": None,
        "tokens_before": UNKNOWN,
        "tokens_after": UNKNOWN,
        "layers_before": {},
        "layers_after": {},
        "fates": {},
        "summary": 67,
        "taken": (1, 2),
        "tokens_taken": 3_791,
        "tokens_left": 604,
    }
    return CompactionChange(**(values | changes))


def test_a_recorded_compaction_says_who_recorded_it() -> None:
    """Strategy, caller, policy, state with duration, tokens."""
    assert [fact for fact, _ in words.compaction_facts(make_change())] == [
        "summary",
        "recorded by agent/memory.py:118",
        "policy “history > 70 %”",
        "done in 2.1 s",
        "3,791 → 604 tokens",
    ]


def test_an_inferred_compaction_says_how_sure_that_is() -> None:
    """Certainty in words, the evidence beside; no state is claimed."""
    change = make_change(said_by="inferred", certainty="likely", evidence="2 messages are gone", policy=None)

    facts = dict(words.compaction_facts(change))

    assert facts["inferred: likely"] == "2 messages are gone"
    assert not any(fact.startswith("done") for fact in facts)


def test_a_failed_compaction_shows_its_error() -> None:
    """State and error are the record's own."""
    facts = [fact for fact, _ in words.compaction_facts(make_change(state="failed", error="timeout", duration_ms=None))]

    assert "failed" in facts
    assert "error: timeout" in facts


def test_a_value_that_is_no_json_is_said() -> None:
    """An integer too long to be written does not break the page."""
    assert "cannot be shown" in words.written(10**5_000)


def test_tools_of_one_name_are_told_apart() -> None:
    """Two definitions of one name are two tools."""
    parts = (Part("tool_definition", "1", name="f"), Part("tool_definition", "2", name="f"))
    row = SideRow(Layer.TOOLS, None, "", 10, "tools", message=Message(None, parts))

    assert words.tools_of(Side("s", (row,))) == {"f": "1", "f (2)": "2"}
