"""Checks of texts that must stand word for word: pins, protected layers, the system prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from snapshot_sdk._fixture_checks_texts import judge_pin, judge_system, judge_texts
from snapshot_sdk._fixture_prompt import Prompt, prompt_of

RULES = "You are a desk.\nToday is 2026-03-04, 09:15.\nNever book without a yes.\nKeep answers short."


def say(*texts: str, system: str | None = None) -> Prompt:
    """A prompt of user messages."""
    head = [] if system is None else [{"role": "system", "content": system}]
    return prompt_of([*head, *({"role": "user", "content": text} for text in texts)])


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "so: only Chinese please."},
        {"role": "user", "content": [{"type": "text", "text": "only Chinese"}]},
        {"role": "tool", "tool_call_id": "c", "content": "only Chinese"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"q": "only Chinese"}'}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "only Chinese"}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": [{"text": "only Chinese"}]}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"q": "only Chinese"}}}]},
        {"type": "function_call_output", "call_id": "c", "output": "only Chinese"},
        {"role": "user", "content": "<summary>only Chinese</summary>"},
    ],
    ids=["text", "block", "result", "arguments", "anthropic", "bedrock", "gemini", "responses", "summary"],
)
def test_pin_stands_in_any_text(message: dict[str, Any]) -> None:
    """Whatever the dialect, and in results and arguments, too."""
    assert judge_pin(prompt_of([message]), "only Chinese").ok


def test_pin_in_the_system_member() -> None:
    """A system prompt that is no message is a part of the prompt."""
    body = {"system": [{"type": "text", "text": "only Chinese"}], "messages": [{"role": "user", "content": "x"}]}
    assert judge_pin(prompt_of(body), "only Chinese").what.endswith("stands in the system prompt")


def test_pin_across_messages_is_none() -> None:
    """A text must stand in one message: two that only meet do not say it."""
    assert judge_pin(say("only", "Chinese"), "only\nChinese").ok is False


def test_pin_altered() -> None:
    """Other writing is no verbatim copy, and the message shows it."""
    verdict = judge_pin(say("Then ONLY  Chinese, always"), "only Chinese, always")
    assert verdict.ok is False
    assert "altered" in verdict.what
    assert "ONLY Chinese" in (verdict.instead or "")


def test_pin_gone_shows_what_is_nearest() -> None:
    """Of all passages the one that says most of it."""
    verdict = judge_pin(
        say("The lake. The guest likes the answer in Chinese. The inn."), "Please answer in Chinese only"
    )
    assert verdict.instead == "message 1 (user): “The lake. The guest likes the answer in Chinese. The inn.”"


def test_pin_gone_without_a_trace() -> None:
    """Where nothing is like it the message says what the prompt is made of."""
    verdict = judge_pin(say("One.", "Two."), "Please answer in Chinese only")
    assert (
        verdict.instead == "nothing like it; 2 messages, of which the conversation begins with message 1 (user): “One.”"
    )


def test_pin_by_pattern() -> None:
    """A pattern holds where it matches."""
    assert judge_pin(say("order ORD-17"), None, r"ORD-\d+").ok
    assert judge_pin(say("order"), None, r"ORD-\d+").ok is False


@pytest.mark.parametrize(
    ("texts", "ok"),
    [(["one two three", "four"], True), (["one two five"], False), (["", "four"], True)],
    ids=["all", "retold", "blank"],
)
def test_protected_texts(texts: Sequence[str], ok: bool) -> None:
    """Each must stand there; a blank one asks for nothing."""
    assert judge_texts(say("x one two three y", "four"), [("t1 · call 1", text) for text in texts]).ok is ok


def test_protected_names_what_is_lost() -> None:
    """Which text, where it was said, and how many there are."""
    verdict = judge_texts(say("a b c d"), [("t1 · call 1", "a b c e"), ("", "a b")], "memory")
    assert verdict.what == "1 of 2 memory texts are gone or retold: “a b c e” of t1 · call 1"
    assert verdict.instead == "message 1 (user): “a b c d”"


SYSTEMS = {
    "whole": (RULES, True, "comes first"),
    "with more behind it": (RULES + "\n\nMemory: x", True, "comes first"),
    "another day": (RULES.replace("2026-03-04, 09:15", "2027-11-30, 21:40"), True, "but for dates"),
    "cut": (RULES[:60], False, "is cut: 60 of 89 characters are left"),
    "a line lost": (RULES.replace("Never book without a yes.\n", ""), False, "1 of 4 lines .* “Never book"),
    "other numbers elsewhere": (RULES.replace("a yes", "2 yeses"), False, "1 of 4 lines"),
}


@pytest.mark.parametrize(("system", "ok", "what"), SYSTEMS.values(), ids=SYSTEMS.keys())
def test_system_whole(system: str, ok: bool, what: str) -> None:
    """All lines must be there; only dates and times may differ."""
    verdict = judge_system(say("x", system=system), RULES)
    assert verdict.ok is ok
    assert re.search(what, verdict.what), verdict.what


def test_system_gone() -> None:
    """A prompt without instructions."""
    assert judge_system(say("x"), RULES).what == "the system prompt is gone"


def test_system_late() -> None:
    """Instructions behind the first message are no first ones."""
    prompt = prompt_of([{"role": "user", "content": "x"}, {"role": "system", "content": RULES}])
    verdict = judge_system(prompt, RULES)
    assert verdict.what == "the system prompt does not come first: it is message 2 (system)"


def test_summary_before_the_system_prompt() -> None:
    """Where another instruction took the first place the system prompt is not the first."""
    first, summary = {"role": "system", "content": RULES}, {"role": "user", "content": "<summary>s</summary>"}
    assert judge_system(prompt_of([summary, first]), RULES).ok is False


@pytest.mark.parametrize("member", ["system", "instructions", "systemInstruction"])
def test_system_apart(member: str) -> None:
    """APIs that take it apart."""
    value: Any = {"parts": [{"text": RULES}]} if member == "systemInstruction" else RULES
    assert judge_system(prompt_of({member: value, "messages": [{"role": "user", "content": "x"}]}), RULES).ok


@pytest.mark.parametrize(
    ("pin", "said", "ok"),
    [
        ("22 人", "一共 122 人", False),
        ("22 人", "一共22 人到场", True),
        ("ORD-2024", "see ORD-20241", False),
        ("ORD-2024", "see ORD-2024-001 and AORD-2024", True),
        ("book", "no booking, one book.", True),
    ],
)
def test_pin_within_another_word(pin: str, said: str, ok: bool) -> None:
    """What is a part of a longer word or number only says something else."""
    assert judge_pin(say(said), pin).ok is ok


def test_pin_within_another_number_says_so() -> None:
    """The reader sees why a text that stands there is gone."""
    verdict = judge_pin(say("一共 122 人"), "22 人")
    assert "within another word or number only" in verdict.what
    assert verdict.instead == "message 1 (user): “一共 122 人”"
