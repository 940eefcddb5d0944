"""The page as Markdown."""

from __future__ import annotations

from typing import Any

from inspector.ui.trace_markdown import trace_markdown


def payload(text: str) -> dict[str, Any]:
    """A fact with one row that holds a text."""
    row = [1, 2, "m2 user, place 2", "verbatim", "■", "here", [text, "", ""], 34, None, None]
    lane = {
        "name": "main",
        "calls": [1, 2],
        "verdict": "■✕",
        "sentences": ["The rule was in the prompt of call 1 only, word for word."],
        "rows": [row],
        "rows_more": 3,
    }
    return {"session": "order", "noun": "rule", "find": "a rule", "lanes": [lane]}


def test_it_holds_sentences_strip_and_table() -> None:
    """What is not copied is counted."""
    lines = trace_markdown(payload("hello"), "main").splitlines()

    assert lines[2] == "The rule was in the prompt of call 1 only, word for word."
    assert "Calls 1–2 of lane main: ■✕" in lines
    assert "| 1 | m2 user, place 2 | ■ verbatim | hello | 34 |" in lines


def test_text_of_a_prompt_stays_text() -> None:
    """No link, no image, no cell of its own."""
    text = trace_markdown(payload("[x](http://y) <img> **b** a|b"), "main")

    assert r"\[x\]\(http://y\) \<img\> \*\*b\*\* a\|b" in text
