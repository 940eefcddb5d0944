"""Which message is which, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.analysis.alignment import Alignment, align
from inspector.analysis.summaries import TakenBy
from inspector.model.context import Block
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from snapshot_sdk.canonical import content_hash

Make = Callable[..., Block]

LONG = "The quick brown fox {n} jumps over the lazy dog near river bank number {n}, carrying letter {n}. " * 4


POOL = [
    Block(f"{role}{text}", role, layer, text, keys, is_summary=layer is Layer.SUMMARY)
    for role, layer, text, keys in (
        ("user", Layer.HISTORY, "yes", ()),
        ("user", Layer.HISTORY, "please send the parcel to Hamburg on Monday", ()),
        ("user", Layer.INPUT, "please send the parcel to Hamburg on Friday", ()),
        ("assistant", Layer.TOOL_CALLS, "send({})", ("call:1",)),
        ("assistant", Layer.TOOL_CALLS, "send({})", ("call:2",)),
        ("tool", Layer.TOOL_RESULTS, LONG.format(n=1), ("result:1",)),
        ("tool", Layer.TOOL_RESULTS, LONG.format(n=1)[:80] + "…[truncated]", ("result:2",)),
        ("tool", Layer.TOOL_RESULTS, "[output omitted]", ("result:1",)),
        ("system", Layer.SUMMARY, "They spoke of a parcel to Hamburg and a fox.", ()),
        ("system", Layer.SUMMARY, "They spoke of a parcel to Hamburg and of two foxes.", ()),
        ("system", Layer.STATE, "", ()),
    )
]
"""Messages that are alike, equal but for ids, or pieces of each other."""


def fates(alignment: Alignment) -> dict[int | None, Fate]:
    """Fate by place before; the added ones under None."""
    return {row.before: row.fate for row in alignment.blocks}


def pairs(alignment: Alignment) -> dict[int, int]:
    """Place before → place after of what is one message."""
    return {b: row.after for b, row in alignment.of_before().items() if row.after is not None}


def test_what_is_equal_in_place_is_kept(block: Make) -> None:
    """And what is new is added."""
    alignment = align([block("a"), block("b")], [block("a"), block("b"), block("c")])

    assert alignment.counts == {Fate.KEPT: 2, Fate.ADDED: 1}


def test_equal_messages_keep_number_and_order(block: Make) -> None:
    """Three copies stay three, the first is the first."""
    ok = block("ok")
    alignment = align([ok, block("x"), ok, ok], [ok, block("x"), ok, ok, block("new")])

    assert pairs(alignment) == {0: 0, 1: 1, 2: 2, 3: 3}
    assert alignment.counts == {Fate.KEPT: 4, Fate.ADDED: 1}


def test_one_copy_less_is_one_evicted(block: Make) -> None:
    """The others stay in their order."""
    ok = block("ok")
    alignment = align([ok, ok, ok, block("end")], [ok, ok, block("end")])

    assert alignment.counts == {Fate.KEPT: 3, Fate.EVICTED: 1}


def test_equal_calls_are_told_apart_by_their_ids(block: Make) -> None:
    """Of two equal calls the one whose id is gone is the one that is gone."""
    first = block("ls({})", "assistant", keys=("call:1",))
    second = block("ls({})", "assistant", keys=("call:2",))
    alignment = align([first, second], [second])

    assert fates(alignment) == {0: Fate.EVICTED, 1: Fate.KEPT}


def test_ids_made_anew_do_not_hide_equality(block: Make) -> None:
    """Where no id survives, content decides."""
    alignment = align(
        [block("ls({})", "assistant", keys=("call:1",))], [block("ls({})", "assistant", keys=("call:x",))]
    )

    assert fates(alignment) == {0: Fate.KEPT}


def test_what_changed_its_place_is_moved(block: Make) -> None:
    """The fewest messages are called moved."""
    a, b, c, d = (block(text) for text in "abcd")

    assert fates(align([a, b, c, d], [b, c, d, a])) == {
        0: Fate.MOVED,
        1: Fate.KEPT,
        2: Fate.KEPT,
        3: Fate.KEPT,
    }


def test_another_layer_is_a_move(block: Make) -> None:
    """The same content as memory, not history."""
    assert fates(align([block("a")], [block("a", layer=Layer.MEMORY)])) == {0: Fate.MOVED}


def test_another_role_is_a_move(block: Make) -> None:
    """The same text as an instruction."""
    assert fates(align([block("be brief")], [block("be brief", "system")])) == {0: Fate.MOVED}


@pytest.mark.parametrize("layers", [(Layer.INPUT, Layer.HISTORY), (Layer.HISTORY, Layer.INPUT)])
def test_input_becomes_history_by_itself(block: Make, layers: tuple[Layer, Layer]) -> None:
    """That is no change of the message."""
    assert fates(align([block("a", layer=layers[0])], [block("a", layer=layers[1])])) == {0: Fate.KEPT}


def test_a_moving_cache_marker_is_no_edit(block: Make) -> None:
    """The content hash does not see it."""
    plain: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "hello"}]}
    marked = {"role": "user", "content": [{"type": "text", "text": "hello", "cache_control": {"type": "ephemeral"}}]}

    assert fates(
        align([block("hello", content=content_hash(marked))], [block("hello", content=content_hash(plain))])
    ) == {0: Fate.KEPT}


def test_a_string_as_a_block_list_is_no_edit(block: Make) -> None:
    """It says the same."""
    text = content_hash({"role": "user", "content": "hello"})
    blocks = content_hash({"role": "user", "content": [{"type": "text", "text": "hello"}]})

    assert fates(align([block("hello", content=text)], [block("hello", content=blocks)])) == {0: Fate.KEPT}


def test_messages_with_one_beginning_are_never_confused(block: Make) -> None:
    """Two that share their first 2,000 characters are each paired with their own new version."""
    head = "".join(f"line {n}: the same in both files\n" for n in range(80))[:2_000]
    one, other = (
        block(head + "ends with the harbour master's ledger of 1802"),
        block(head + "closes on a recipe for plum dumplings"),
    )
    new = [block(message.text + " and a word more", content=f"new {n}") for n, message in enumerate((one, other))]

    assert pairs(align([one, other], [new[1], new[0]])) == {0: 1, 1: 0}
    assert fates(align([one, other], [other])) == {0: Fate.EVICTED, 1: Fate.KEPT}


def test_alike_results_of_other_calls_are_not_one(block: Make) -> None:
    """A result that went and an alike one that came have different ids."""
    stays = block("stays", "tool", keys=("result:0",))
    old = block(LONG.format(n=1), "tool", keys=("result:1",))
    new = block(LONG.format(n=2), "tool", keys=("result:2",))

    assert align([stays, old], [stays, new]).counts == {Fate.KEPT: 1, Fate.EVICTED: 1, Fate.ADDED: 1}


def test_reformatted_json_is_edited(block: Make) -> None:
    """And paired with what it was."""
    value = {"order_id": "ORD-2024-001", "状态": "待发货", "items": [{"sku": "WP-800G", "price": 2899.0}]}
    compact, wide = block(json.dumps(value, ensure_ascii=False), "tool"), block(json.dumps(value, indent=2), "tool")

    assert fates(align([compact], [wide])) == {0: Fate.EDITED}


def test_a_timestamp_in_the_instructions_is_an_edit(block: Make) -> None:
    """Of one message, not an eviction and an addition."""
    text = "You are a helpful desk. Answer in one line. Now: 2026-11-28 14:{m}."

    assert fates(align([block(text.format(m="02"), "system")], [block(text.format(m="47"), "system")])) == {
        0: Fate.EDITED
    }


def test_changed_tool_definitions_are_an_edit(block: Make) -> None:
    """All definitions are one message without a role."""
    tools = "query_order(Look up an order by id.)\nsearch_help(Search the help centre by words.)"
    before = block(tools, None, layer=Layer.TOOLS)
    after = block(tools + "\nchange_delivery(Change the delivery slot.)", None, layer=Layer.TOOLS)

    assert fates(align([before], [after])) == {0: Fate.EDITED}


def test_other_parts_than_text_can_be_edited(block: Make) -> None:
    """The text is the same, an image is another one."""
    (row,) = align([block("look", content="1")], [block("look", content="2")]).blocks

    assert (row.fate, row.evidence) == (Fate.EDITED, "the same text, its other parts differ")


def test_texts_without_words_are_paired_by_content_only(block: Make) -> None:
    """Images only, empty messages, punctuation."""
    before = [block("", content="image 1"), block("", content="image 2"), block("…", content="dots")]
    after = [block("", content="image 2"), block("", content="image 3"), block("!", content="mark")]

    assert align(before, after).counts == {Fate.KEPT: 1, Fate.EVICTED: 2, Fate.ADDED: 2}


def test_a_message_that_quotes_another_is_none_of_its_versions(block: Make) -> None:
    """It is much longer and says half of it in its own words."""
    old = block("Now let me update resume.go to use the shared functions and remove the duplicates.", "assistant")
    new = block(
        "The summary says that I started to update resume.go to use the shared functions. What is left: remove the "
        "definitions that stand there twice, run the tests, and tell the user which of the duplicates went. "
        "Let me look at the file first.",
        "assistant",
    )

    assert align([old], [new]).counts == {Fate.EVICTED: 1, Fate.ADDED: 1}


def test_a_message_that_grows_is_edited(block: Make) -> None:
    """All of it stands in the longer one."""
    old = block("stage: choosing a slot for the delivery on Saturday", "system")
    new = block(old.text + "; " + LONG.format(n=3), "system")

    assert fates(align([old], [new])) == {0: Fate.EDITED}


def test_a_cut_text_is_truncated(block: Make) -> None:
    """Its head and a mark are left."""
    text = LONG.format(n=7)

    assert fates(align([block(text, "tool")], [block(text[:90] + "…[truncated]", "tool")])) == {0: Fate.TRUNCATED}


def test_a_place_holder_stands_for_what_stood_there(block: Make) -> None:
    """By its place between the same neighbours, though it shares no word."""
    a, b = block("first question"), block("second answer")
    (row,) = [
        row
        for row in align([a, block(LONG.format(n=1), "tool"), b], [a, block("[output omitted]", "tool"), b]).blocks
        if row.before == 1
    ]

    assert (row.fate, row.after, row.certainty) == (Fate.EDITED, 1, "likely")


def test_a_summary_takes_many(block: Make) -> None:
    """What is gone when a marked summary comes was taken by it."""
    old = [block(f"turn {n}: {LONG.format(n=n)}") for n in range(4)]
    summary = block("<summary>They spoke about foxes and letters.</summary>", "system", is_summary=True)
    alignment = align([*old, block("last")], [summary, block("last")])

    assert alignment.counts == {Fate.SUMMARISED: 4, Fate.KEPT: 1, Fate.ADDED: 1}
    assert alignment.sources(0) == (0, 1, 2, 3)


def test_a_summary_is_no_edit_of_what_it_quotes(block: Make) -> None:
    """Even in the same role, and with every word of it."""
    rule = block("Never more than 800 words for any piece, please.")
    summary = block("[summary] Never more than 800 words for any piece, please. More was said.", is_summary=True)

    assert fates(align([rule, block("x")], [summary, block("x")]))[0] is Fate.SUMMARISED


def test_a_second_summary_takes_the_first(block: Make) -> None:
    """If messages are gone with it, however alike the two are."""
    first = block(LONG.format(n=1), "system", is_summary=True)
    second = block(LONG.format(n=1) + " And a letter was lost.", "system", is_summary=True)

    assert fates(align([first, block("q"), block("z")], [second, block("z")]))[0] is Fate.SUMMARISED
    assert fates(align([first, block("z")], [second, block("z")]))[0] is Fate.EDITED


def test_state_is_not_taken_by_a_summary(block: Make) -> None:
    """It is put together anew for each call."""
    state = block("stage: choosing", "system", layer=Layer.STATE)
    summary = block("They chose.", "system", is_summary=True)

    assert fates(align([state, block("hello")], [summary]))[0] is Fate.EVICTED


def test_what_the_agent_recorded_is_believed(block: Make) -> None:
    """Before likeness, and before any guess."""
    before = [block("alpha beta gamma delta epsilon zeta eta"), block("z")]
    after = [block("alpha beta gamma delta epsilon zeta theta"), block("z")]
    alignment = align(before, after, taken={0: TakenBy(0, "certain", "recorded", None)})

    assert fates(alignment)[0] is Fate.SUMMARISED


def test_what_comes_back_has_returned(block: Make) -> None:
    """It stood in an earlier context and stands among the old messages again."""
    old = block("an old one")

    assert fates(align([block("a")], [old, block("a")], seen={old.identity}))[None] is Fate.RETURNED


def test_what_is_said_again_at_the_end_is_new(block: Make) -> None:
    """The second yes of the user is not the first one come back."""
    yes = block("yes")

    assert fates(align([block("a")], [block("a"), yes], seen={yes.identity}))[None] is Fate.ADDED


@pytest.mark.parametrize(
    "text",
    ["(" * 1_000_000, " " * 1_000_000, "1" + " " * 1_000_000, "[…" * 500_000, "\\u00" * 250_000, "1" * 1_000_000],
    ids=["brackets", "spaces", "a digit and spaces", "marks", "escapes", "digits"],
)
def test_hostile_texts_are_aligned(block: Make, text: str) -> None:
    """A million characters made to slow patterns down: with a pattern that is not linear this test never ends."""
    before, after = [block(text), block("hello " + text)], [block(text + "x"), block("hello 1" + text)]

    assert align(before, after).before == 2


def test_nothing_on_a_side(block: Make) -> None:
    """All added, all evicted, nothing at all."""
    assert align([], [block("a")]).counts == {Fate.ADDED: 1}
    assert align([block("a")], []).counts == {Fate.EVICTED: 1}
    assert align([], []).blocks == ()


def test_every_message_has_one_row(block: Make) -> None:
    """Of the first context one each; of the second one each, besides the sources of a summary."""
    before: Sequence[Block] = [block(LONG.format(n=n)) for n in range(6)]
    after = [block("sum", is_summary=True), before[4], block(before[5].text + " more"), block("new")]
    alignment = align(before, after)

    assert sorted(alignment.of_before()) == list(range(6))
    assert sorted(alignment.of_after()) == list(range(4))
    assert sum(alignment.counts.values()) == len(alignment.blocks)


@given(
    st.lists(st.sampled_from(POOL), max_size=12),
    st.lists(st.sampled_from(POOL), max_size=12),
    st.booleans(),
)
def test_any_two_contexts_are_accounted_for(first: list[Block], second: list[Block], same: bool) -> None:
    """Every message has one row; pairs are one to one; a context is kept as a whole by itself."""
    alignment = align(first, first if same else second)
    later = [row.after for row in alignment.blocks if row.after is not None and row.fate is not Fate.SUMMARISED]

    assert sorted(row.before for row in alignment.blocks if row.before is not None) == list(range(len(first)))
    assert sorted(later) == list(range(alignment.after))
    if same:
        assert set(alignment.counts) <= {Fate.KEPT}


def test_rows_are_in_reading_order(block: Make) -> None:
    """By the later context; what is gone stands where it stood."""
    a, b, c = block("a"), block("b"), block("c")

    assert [(row.before, row.after) for row in align([a, b, c], [a, c, block("d")]).blocks] == [
        (0, 0),
        (1, None),
        (2, 1),
        (None, 2),
    ]
