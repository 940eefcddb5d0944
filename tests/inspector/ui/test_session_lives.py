"""The payload of lifelines, judged as the values the browser gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from inspector.analysis.changes import trace_session
from inspector.model.context import Block, CallContext, CompactedContexts
from inspector.model.layers import Layer
from inspector.model.views import CallRow, CompactionRow, PinRow, SessionRow
from inspector.ui.session_lives import OLDER_TEXTS, TEXT_CELLS, lives_payload

MakeCall = Callable[..., CallRow]
MakeSession = Callable[..., SessionRow]
FATES = ["kept", "moved", "edited", "truncated", "summarised", "evicted", "returned", "added"]
SUMMARY = "<summary> the customer wants Saturday; order ORD-2024-001 </summary>"
RULE = "answer in Chinese only, please, and never in English"


def block(text: str, layer: Layer = Layer.HISTORY, tokens: int | None = 10) -> Block:
    """Return a message of the dialogue; its text is its content."""
    return Block(text, "user", layer, text, tokens=tokens, is_summary=layer is Layer.SUMMARY)


def talk(*numbers: int) -> list[Block]:
    """Return messages that have no word in common."""
    return [block(f"question{n} word{n} about{n} thing{n}") for n in numbers]


def contexts(*prompts: Sequence[Block], lanes: Sequence[str] = ()) -> list[CallContext]:
    """Return one call a prompt, each continuing the one before in its lane."""
    made: list[CallContext] = []
    for n, prompt in enumerate(prompts, 1):
        lane = lanes[n - 1] if lanes else "main"
        before = [context.id for context in made if context.lane == lane]
        made.append(CallContext(n, f"id-{n}", before[-1] if before else None, lane, tuple(prompt)))
    return made


def sent(
    made: list[CallContext],
    make_call: MakeCall,
    make_session: MakeSession,
    compactions: Sequence[CompactionRow] = (),
    pins: Sequence[PinRow] = (),
    compacted: Sequence[CompactedContexts] = (),
) -> dict[str, Any]:
    """Return the payload as it comes out of JSON at the other side."""
    calls = [make_call(context.call, lane=context.lane) for context in made]
    changes = trace_session(made, compacted, compactions, pins)
    built = lives_payload(make_session(), calls, changes)
    decoded: dict[str, Any] = json.loads(json.dumps(built, allow_nan=False))
    return decoded


def orders(payload: dict[str, Any]) -> dict[int, list[int]]:
    """Put the order of each prompt together, as the browser does."""
    found: dict[int, list[int]] = {}
    for call, before, pieces in payload["orders"]:
        numbers: list[int] = []
        for start, count in zip(pieces[::2], pieces[1::2], strict=True):
            source = found[before][start : start + count] if start >= 0 else range(-start, -start + count)
            numbers += source
        found[call] = numbers
    return found


def test_pieces_give_back_the_order_of_every_prompt(make_call: MakeCall, make_session: MakeSession) -> None:
    """Whatever was moved, dropped, put in between or brought back, the browser gets the very same prompts."""
    a, b, c, d, e, f = talk(1, 2, 3, 4, 5, 6)
    made = contexts([a, b, c], [a, b, c, d], [a, d, e, b], [b, a], [b, c, a, f], [], [f, f])
    changes = trace_session(made)
    assert orders(sent(made, make_call, make_session)) == {
        call: list(numbers) for call, numbers in changes.life.numbers.items()
    }


def test_a_prompt_that_only_grew_is_two_pieces(make_call: MakeCall, make_session: MakeSession) -> None:
    """What stayed is one copy, what came is one run of numbers."""
    made = contexts(talk(*range(1, 90)), talk(*range(1, 93)))
    assert sent(made, make_call, make_session)["orders"] == [[1, 0, [-1, 89]], [2, 1, [0, 89, -90, 3]]]


def test_lanes_are_told_apart(make_call: MakeCall, make_session: MakeSession) -> None:
    """A side call's messages are rows of its own lane and evict nothing of the main one."""
    made = contexts(talk(1), talk(7), talk(1, 2), lanes=["main", "side", "main"])
    payload = sent(made, make_call, make_session)
    assert [payload["lanes"][lane] for lane in payload["messages"]["lane"]] == ["main", "side", "main"]
    assert payload["messages"]["runs"][0] == [1, 3]
    assert payload["messages"]["events"] == {}


def test_layer_and_tokens_are_sent_when_they_change(make_call: MakeCall, make_session: MakeSession) -> None:
    """The input of one call is history of the next: two versions, not one a call."""
    first, later = block("hello there friend", Layer.INPUT), block("hello there friend", Layer.HISTORY, 11)
    payload = sent(contexts([first], [later], [later]), make_call, make_session)
    layers = payload["layers"]
    assert payload["messages"]["versions"] == [[1, layers.index("input"), 10, 2, layers.index("history"), 11]]


def test_unknown_tokens_are_null(make_call: MakeCall, make_session: MakeSession) -> None:
    """Nobody counted is not zero."""
    payload = sent(contexts([block("hello", tokens=None)]), make_call, make_session)
    assert payload["messages"]["versions"][0][2] is None


def test_an_edited_message_keeps_its_earlier_text(make_call: MakeCall, make_session: MakeSession) -> None:
    """A scrub back shows what stood there then."""
    old, new = "the parcel goes to Hangzhou on Friday morning", "the parcel goes to Hangzhou on Saturday morning"
    payload = sent(contexts([block(old)], [block(new)]), make_call, make_session)
    assert payload["messages"]["text"] == [new]
    assert payload["messages"]["older"] == {"1": [2, old]}


def test_earlier_texts_are_bounded(make_call: MakeCall, make_session: MakeSession) -> None:
    """A state that changes at every call sends its first versions, not all."""
    prompts = [[block(f"<state> city Lisbon nights three travellers six step {n} </state>")] for n in range(200)]
    payload = sent(contexts(*prompts), make_call, make_session)
    assert len(payload["messages"]["older"]["1"]) == 2 * OLDER_TEXTS


def test_texts_are_cut_by_width(make_call: MakeCall, make_session: MakeSession) -> None:
    """A Chinese letter is as wide as two Latin ones, and a line break is a sign."""
    payload = sent(contexts([block("x" * 500), block("订" * 500), block("a\nb")]), make_call, make_session)
    assert payload["messages"]["text"] == ["x" * TEXT_CELLS + "…", "订" * (TEXT_CELLS // 2) + "…", "a ⏎ b"]


def test_tool_definitions_are_named(make_call: MakeCall, make_session: MakeSession) -> None:
    """The row of all tools says how many and which, in both providers' shapes."""
    tools = '{"type":"function","function":{"name":"query_order"}}\n{"name":"search","input_schema":{}}'
    payload = sent(contexts([block(tools, Layer.TOOLS)]), make_call, make_session)
    assert payload["messages"]["text"] == ["2 tool definitions: query_order, search"]


def test_odd_tool_definitions_are_shown_as_they_are(make_call: MakeCall, make_session: MakeSession) -> None:
    """What is no definition is text."""
    payload = sent(contexts([block("[1, 2]", Layer.TOOLS), block("{no json", Layer.TOOLS)]), make_call, make_session)
    assert payload["messages"]["text"] == ["[1, 2]", "{no json"]


def test_a_summary_is_the_other_end_of_what_it_took(make_call: MakeCall, make_session: MakeSession) -> None:
    """Each source names the summary; the words say who says so."""
    before, after = talk(1, 2, 3), [block(SUMMARY, Layer.SUMMARY)]
    row = CompactionRow(
        "c", "done", "summary", None, "> 70 %", "main", "", 30, 10, None, None, "agent/memory.py:118", 3, 1, call=2
    )
    named = CompactedContexts("c", tuple(before), tuple(after))
    payload = sent(contexts(before, after), make_call, make_session, [row], compacted=[named])
    events = payload["messages"]["events"]
    assert sorted(events) == ["1", "2", "3"]
    call, fate, words, other = events["2"]
    assert (call, FATES[fate], other) == (2, "summarised", 4)
    assert payload["words"][words] == "taken by m4 at call 2 · recorded by agent/memory.py:118"
    (mark,) = payload["compactions"]
    assert (mark["taken"], mark["summary"], mark["recorded"]) == ([1, 3], 4, True)


def test_an_inferred_loss_says_how_sure(make_call: MakeCall, make_session: MakeSession) -> None:
    """Certainty in words, the evidence behind it."""
    made = contexts(talk(1, 2, 3, 4), [*talk(1, 4), *talk(5)])
    payload = sent(made, make_call, make_session)
    _, fate, words, _ = payload["messages"]["events"]["2"]
    assert FATES[fate] == "evicted"
    assert payload["words"][words].startswith("taken out at call 2 · inferred, certain: ")


def test_a_pin_is_sent_as_stretches_of_verdicts(make_call: MakeCall, make_session: MakeSession) -> None:
    """Held, gone, held again: three stretches, with the message that carried it last."""
    rule = block(RULE)
    made = contexts([rule, *talk(1)], [rule, *talk(1, 2)], talk(1, 2), [*talk(1, 2), rule])
    pin = PinRow("p", RULE, "rule", None, 1, None, (3,), {"text": RULE})
    payload = sent(made, make_call, make_session, pins=[pin])
    (line,) = payload["pins"]
    verdicts = [verdict["name"] for verdict in payload["verdicts"]]
    runs = [line["runs"][at : at + 3] for at in range(0, len(line["runs"]), 3)]
    assert [(verdicts[v], first, last) for v, first, last in runs] == [
        ("verbatim", 1, 2),
        ("gone", 3, 3),
        ("verbatim", 4, 4),
    ]
    assert line["carrier"] == 1
    assert line["lanes"] == ["main"]
    assert "gone from call 3 until call 4" in line["words"]


def test_two_thousand_messages_over_a_thousand_calls_stay_small(make_call: MakeCall, make_session: MakeSession) -> None:
    """Runs and events, not cells: a million places of messages are sent in under a megabyte."""
    everything = [block(f"第{n}句 question{n} 请确认配送时段和加急费 " + "字" * 80) for n in range(2_000)]
    prompts = []
    for call in range(1, 1_001):
        start = 0 if call <= 600 else 500
        prompts.append([everything[0], *everything[start + 1 : 2 * call]])
    payload = sent(contexts(*prompts), make_call, make_session)
    assert sum(len(order) for order in orders(payload).values()) > 700_000
    assert len(json.dumps(payload)) < 1_000_000
