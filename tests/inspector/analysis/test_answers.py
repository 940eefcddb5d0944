"""Answers that ask for what the agent had been given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inspector.analysis.answers import AskedAgain, find_asked_again, find_named, find_questions, holds_value
from inspector.analysis.lifelines import trace_lifelines
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

Make = Callable[..., Block]
Calls = Callable[..., list[CallContext]]

GIVEN = {
    "en": "Hello, my order number is ORD-2024-001, it has not arrived.",
    "zh": "订单号是 ORD-2024-001，下单人王敏，手机尾号 3307。",
}


def look(contexts: list[CallContext], answer: str) -> tuple[AskedAgain, ...]:
    """Look at the answer of the last call."""
    return find_asked_again(contexts, trace_lifelines(contexts).numbers, {contexts[-1].call: answer})


@pytest.mark.parametrize(
    ("language", "answer", "noun"),
    [
        ("en", "Sure! Could you please provide your order number so that I can look it up?", "order number"),
        ("en", "To change it, please share the order number.", "order number"),
        ("en", "What is your order number?", "order number"),
        ("zh", "好的，马上处理。麻烦您提供一下订单号（ORD 开头）。", "订单号"),
        ("zh", "请把订单号发给我。", "订单号"),
        ("zh", "您的手机尾号是多少？", "手机尾号"),
    ],
)
def test_asking_for_what_was_taken_out_is_found(
    block: Make, calls: Calls, language: str, answer: str, noun: str
) -> None:
    """By the very words that stood before the identifier."""
    given, rest = block(GIVEN[language]), [block("b"), block("c")]
    (asked,) = look(calls([given, *rest], rest, rest), answer)

    assert (asked.call, asked.noun, asked.gone_call, asked.given_message) == (3, noun, 2, 1)
    assert asked.value == ("3307" if noun == "手机尾号" else "ORD-2024-001")
    assert asked.present_in == ()


def test_what_stands_in_the_prompt_is_named_with_its_places(block: Make, calls: Calls) -> None:
    """It was asked for though it was there."""
    (asked,) = look(
        calls([block(GIVEN["en"])], [block(GIVEN["en"]), block("ORD-2024-001 noted")]), "What is your order number?"
    )

    assert (asked.gone_call, asked.present_in) == (None, (1, 2))


@pytest.mark.parametrize(
    "answer",
    [
        "Your order number is ORD-2024-001, it will arrive on Monday.",
        "Could you please confirm the order number ORD-2024-001?",
        "Do you have another order number I should look at? Please share the other order number.",
        "Could you please tell me which day suits you?",
        "I need nothing else. The order number is fine.",
        "",
    ],
)
def test_other_answers_are_no_questions_for_it(block: Make, calls: Calls, answer: str) -> None:
    """It is said, confirmed, a further one is asked for, or something else."""
    assert look(calls([block(GIVEN["en"])], [block("b")]), answer) == ()


def test_the_first_question_is_fair(block: Make, calls: Calls) -> None:
    """Nothing was given yet."""
    assert look(calls([block("where is my parcel?")]), "What is your order number?") == ()


def test_which_of_several_is_a_fair_question(block: Make, calls: Calls) -> None:
    """Two orders stand in the prompt."""
    prompt = [block(GIVEN["en"]), block("And my order number was ORD-2024-002 before.")]

    assert look(calls(prompt), "Could you please tell me the order number?") == ()


def test_examples_in_instructions_are_not_given(block: Make, calls: Calls) -> None:
    """Nor is what the assistant itself says."""
    prompt = [
        block("The order number is like ORD-2023-118.", "system", layer=Layer.SYSTEM),
        block("An order number is ORD-2023-118.", "assistant"),
    ]

    assert look(calls(prompt), "What is your order number?") == ()


def test_side_calls_are_not_looked_at(block: Make, calls: Calls) -> None:
    """A summariser asks nobody."""
    (context,) = calls([block(GIVEN["en"])])

    assert look([replace(context, purpose="summary")], "What is your order number?") == ()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"order_id": "ORD-2024-001"}', [("order id", "ORD-2024-001")]),
        ("会员号：u_1093", [("会员号", "u_1093")]),
        ("就是 ORD-2024-001 这单", []),
        ("on 2026-11-28 the ticket number is 88123", [("ticket number", "88123")]),
        ("my account number: AB-99 and", [("account number", "AB-99")]),
        ("the date is 2026-11-28", []),
        ("it is 12", []),
        ("see a.b/c-2024-001.txt", []),
    ],
)
def test_identifiers_have_a_noun_before_them(text: str, named: list[tuple[str, str]]) -> None:
    """Dates, plain words and file names are none."""
    assert list(find_named(text)) == named


def test_questions_are_sentences(block: Make) -> None:
    """Only the sentence that asks is quoted."""
    assert list(find_questions("好的。请提供订单号。谢谢！")) == ["请提供订单号。"]


@pytest.mark.parametrize(
    ("text", "held"),
    [("a ORD-1 b", True), ("订单ORD-1已付", True), ("ORD-12", False), ("X-ORD-1", False), ("ORD-1_a ORD-1", True)],
)
def test_values_are_held_as_whole_tokens(text: str, held: bool) -> None:
    """A longer one is another one; Chinese may stand right beside it."""
    assert holds_value(text, "ORD-1") is held
