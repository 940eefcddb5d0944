"""What the Compare page sends: figures at once, texts, differences and cards for what is in view."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from inspector.model.layers import Layer
from inspector.model.request import Message, Part
from inspector.model.views import CallRow, CallView, MessageRow, PinRow, SegmentRow, SessionRow, TokenCount
from inspector.model.watches import make_watch
from inspector.ui.call_payload import pack
from inspector.ui.compare_model import Comparison, call_before, compare_calls, read_address
from inspector.ui.compare_payload import FIRST_EXCERPTS, Lanes, compare_payload, first_want, reply

RULE = "以后请只用中文回答，不要用英文"
ORDER = "订单号是 ORD-2024-001，下单人王敏，手机尾号 3317"
Build = Callable[..., Comparison]


@pytest.fixture
def build(make_call: Callable[..., CallRow]) -> Build:
    """Compare two calls of ``(layer, text)`` messages; equal texts are equal messages."""

    def view(number: int, messages: list[tuple[Layer, str]], parameters: dict[str, Any], **call: Any) -> CallView:
        count = TokenCount(10, "tokenizer:o200k_base")
        rows = tuple(
            MessageRow(
                place=at + 1,
                number=at + 1,
                member="messages",
                index=at,
                message=Message("user", (Part("text", text),)),
                layer=layer,
                segments=(SegmentRow(0, 0, len(text), layer, count),),
                tokens=count,
                content=text,
                pinned=("pin-1",) if RULE in text else (),
                born_call=1,
            )
            for at, (layer, text) in enumerate(messages)
        )
        return CallView(make_call(number, **call), rows, parameters, None, (), "ab" * 32, 10)

    def compare(
        before: list[tuple[Layer, str]],
        after: list[tuple[Layer, str]],
        old: dict[str, Any] | None = None,
        new: dict[str, Any] | None = None,
        **more: Any,
    ) -> Comparison:
        sessions = more.pop("sessions", ("s", "s"))
        sides = (sessions[0], view(29, before, old or {})), (sessions[1], view(30, after, new or {}))
        return compare_calls(*sides, **more)

    return compare


def history(*texts: str) -> list[tuple[Layer, str]]:
    """Make messages of the dialogue."""
    return [(Layer.HISTORY, text) for text in texts]


def payload(comparison: Comparison) -> dict[str, Any]:
    """Return the payload of a comparison whose lanes are its two calls."""
    assert comparison.before.view is not None
    assert comparison.after.view is not None
    return compare_payload(comparison, Lanes((comparison.before.view.call,), (comparison.after.view.call,)))


def pin(text: str) -> PinRow:
    """Pin a text."""
    return PinRow("pin-1", text, "user constraint", "agent/chat.py:41", 1, None, (), {"text": text})


@pytest.fixture
def summarised(build: Build) -> Comparison:
    """A summary took three messages; it carries the order over and loses the rule; the state keeps the budget."""
    before = [(Layer.STATE, "budget 8,000 元"), *history(f"你好。{RULE}。", f"{ORDER}。", "预算 8,000 元", "好的")]
    summary = (Layer.SUMMARY, f"[对话摘要] 用户要改配送。{ORDER}。")
    after = [(Layer.STATE, "budget 8,000 元"), summary, *history("好的", "请确认")]
    return build(before, after, pins=(pin("8,000 元"), pin(RULE)))


def test_titles_name_turn_and_call(build: Build) -> None:
    """Two numbers always, and the size of each side with its change."""
    shown = payload(build(history("a"), history("a", "b")))

    assert (shown["a"]["title"], shown["b"]["title"]) == ("turn 29 · call 29", "turn 30 · call 30")
    assert shown["a"]["size"] == "1 message · 1,000 tokens"
    assert shown["b"]["size"] == "2 messages · 1,000 tokens (0)"


def test_equal_calls_are_said_to_be_equal(build: Build) -> None:
    """No difference in messages, parameters and tools; a parameter that differs takes that back."""
    assert payload(build(history("a"), history("a")))["identical"].startswith("No difference in 1 message,")
    assert payload(build(history("a"), history("a"), {"t": 1}, {"t": 2}))["identical"] is None
    assert payload(build(history("a"), history("b")))["identical"] is None


def test_header_names_changed_parameters_with_both_values(build: Build) -> None:
    """Old → new for each."""
    facts = [fact["text"] for fact in payload(build(history("a"), history("a"), {"t": 0.2}, {"t": 0.7}))["facts"]]

    assert "parameters: t 0.2 → 0.7" in facts
    assert "tools: none" in facts


def test_another_session_is_said_and_has_no_pins(build: Build) -> None:
    """A line says that messages are paired by content alone."""
    shown = payload(build(history("a"), history("a"), sessions=("one", "two")))

    assert shown["notes"] == [
        "Two sessions: messages are paired by what they say alone; no compaction or pin is looked at."
    ]


def test_a_lost_pin_comes_before_a_kept_one(summarised: Comparison) -> None:
    """The ledger says of each pin whose words it was and where it stands now."""
    at = first_want(summarised)["cards"][0]
    (card,) = [card for number, card in reply(summarised, "k", {"cards": [at]})["cards"] if number == at]

    assert [(line["became"], line["text"], line["where"]) for line in card["ledger"]] == [
        ("lost", RULE, "not in the summary, nowhere else"),
        ("here", "8,000 元", "in state m1, not in the summary"),
    ]
    assert card["ledger"][0]["who"] == "pinned · user"


def test_a_watch_is_judged_like_a_pin(build: Build) -> None:
    """What the reader pinned afterwards stands in the ledger too, under its own name."""
    comparison = build(history("a", "keep me"), history("a"), pins=(make_watch({"text": "keep"}),))

    cards = reply(comparison, "k", first_want(comparison))["cards"]

    assert cards[0][1]["ledger"][0]["who"] == "watched · user"
    assert cards[0][1]["ledger"][0]["where"] == "nowhere in this call"


def test_a_pin_in_other_writing_is_altered(build: Build) -> None:
    """Neither lost nor verbatim: the same words with other case and punctuation."""
    table = (Layer.STATE, "slot saturday; so: keep this")
    comparison = build(history("a", "Hello there. Keep  THIS."), [*history("a"), table], pins=(pin("Keep  THIS."),))

    (line,) = reply(comparison, "k", first_want(comparison))["cards"][0][1]["ledger"]

    assert (line["became"], line["where"], line["j"]) == ("altered", "in other writing in state m2", 1)


def test_an_edit_that_loses_a_pin_says_so(build: Build) -> None:
    """A message cut before its pinned sentence stands there with that sentence named."""
    text = "please change the delivery of my order to another day "
    comparison = build(history("a", f"{text}{RULE}"), history("a", text), pins=(pin(RULE),))

    pair = next(item for item in payload(comparison)["items"] if item["kind"] == "pair")

    assert (pair["fate"], pair["gone"]) == ("truncated", [RULE])


def test_a_surviving_passage_is_linked_on_both_sides(summarised: Comparison) -> None:
    """Its offsets enclose the same words in the source and in the summary."""
    card = reply(summarised, "k", first_want(summarised))["cards"][0][1]

    source, start, end, target, first, last = card["passages"][0]
    assert summarised.before.rows[source].text[start:end] == ORDER
    assert summarised.after.rows[target].text[first:last] == ORDER
    assert card["listed"][0][1:] == [ORDER, "user", "in the summary"]


def test_offsets_count_utf16_units(build: Build) -> None:
    """A character beyond the basic plane before a passage counts twice, as in the browser."""
    comparison = build(
        [*history("hi"), *history(f"😀 {ORDER}")], [*history("hi"), (Layer.SUMMARY, f"[对话摘要] 😀😀 {ORDER}")]
    )
    card = reply(comparison, "k", first_want(comparison))["cards"][0][1]

    assert card["passages"][0][1] == 3
    assert card["passages"][0][4] == len("[对话摘要] ") + 5


def test_differences_come_on_demand(build: Build) -> None:
    """A pair asked for has its word runs; a place that is not there is left out."""
    text = "the courier comes on saturday between nine and twelve, slot "
    comparison = build(history(f"{text}null"), history(f"{text}nine"))

    answer = reply(comparison, "k", {"pairs": [[0, 0, 0], [0, 7, 0]], "seq": 3})

    assert len(answer["pairs"]) == 1
    assert [1, "null"] in answer["pairs"][0][3]["runs"]
    assert (answer["key"], answer["seq"]) == ("k", 3)


def test_one_answer_compares_only_so_much(build: Build) -> None:
    """Of many long pairs some are answered now; those asked for again come then."""
    texts = [f"{n} " + "lorem ipsum dolor " * 5_000 for n in range(6)]
    comparison = build(history(*texts), history(*(f"{text}x" for text in texts)))

    answer = reply(comparison, "k", {"pairs": [[n, n, 0] for n in range(6)]})

    assert [pair[:2] for pair in answer["pairs"]] == [[0, 0], [1, 1]]


def test_texts_come_in_pieces(build: Build) -> None:
    """A long message is sent piece by piece, with its whole length."""
    comparison = build(history("x" * 20_000), history("y"))

    first, last = reply(comparison, "k", {"texts": [["a", 0, 0], ["a", 0, 16_000]]})["texts"]

    assert (len(first[3]), first[4]) == (8_000, 20_000)
    assert len(last[3]) == 4_000


def test_the_payload_of_two_thousand_messages_is_bounded(build: Build) -> None:
    """Texts of unchanged messages are not sent; 4 MB of prompt are some 100 kB."""
    shared = [f"{n} " + "lorem ipsum " * 170 for n in range(2_000)]
    shown = payload(build(history(*shared), history(*shared[500:], "new")))

    assert len(shown["excerpts"]["a"]) <= FIRST_EXCERPTS + 1
    assert len(pack(shown)) < 250_000


def test_lone_surrogates_reach_the_browser(build: Build) -> None:
    """A text that is no UTF-8 is packed all the same."""
    comparison = build(history("a \ud800"), history("a \ud800 b"))

    packed = pack(payload(comparison))

    assert json.loads(packed.split(b"\n", 1)[1])["key"]


def test_pickers_list_sessions_and_calls(build: Build, make_session: Callable[..., SessionRow]) -> None:
    """Names stay what they are; a call has its turn, size and state."""
    comparison = build(history("a"), history("b"))
    assert comparison.after.view is not None
    call = replace(comparison.after.view.call, status="failed")
    name = "[x](http://y)"

    answer = reply(
        comparison,
        "k",
        {"sessions": True, "calls": name},
        sessions=lambda: (make_session(name),),
        calls=lambda session: (call,) if session == name else (),
    )

    assert answer["sessions"][0][:2] == [name, "3 calls"]
    assert answer["calls"]["rows"] == [[30, "turn 30 · call 30", "3 messages · 1,000 tokens · failed"]]


def test_addresses_are_read_leniently() -> None:
    """What is no number counts as absent; the same session twice is one."""
    asked = read_address({"session": "s", "a": "x", "b": "30", "a_session": "s", "compaction": "2", "as": "recorded"})

    assert (asked.a, asked.b, asked.a_session, asked.compaction, asked.form) == (None, 30, None, 2, "recorded")
    assert read_address({"session": "s", "call": "5"}).b == 5


def test_the_call_before_is_the_one_continued(make_call: Callable[..., CallRow]) -> None:
    """By the record's own link first, else the lane's previous call; a first call has none."""
    calls = [
        make_call(1),
        make_call(2, lane="side"),
        make_call(3, previous="id-1"),
        make_call(4),
    ]

    assert call_before(calls, 3) == 1
    assert call_before(calls, 4) == 3
    assert call_before(calls, 2) is None
