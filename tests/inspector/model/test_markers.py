"""Tags, headings and opening words mark what they enclose, in linear time."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.model.markers import HEADINGS, SUMMARY_OPENINGS, TAGS, find_headings, find_tags, opens_as_summary

NAMES = frozenset({"memory", "doc", "context"})


def tagged(text: str) -> list[str]:
    """Return the marked runs."""
    return [text[mark.start : mark.end] for mark in find_tags(text, NAMES)]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("a <memory>b</memory> c", ["<memory>b</memory>"]),
        ("<Memory>b</MEMORY>", ["<Memory>b</MEMORY>"]),
        ('<doc id="7" score="0.5">x</doc>', ['<doc id="7" score="0.5">x</doc>']),
        ("<doc>a</doc><doc>b</doc>", ["<doc>a</doc>", "<doc>b</doc>"]),
        ("<context><doc>a</doc></context>", ["<doc>a</doc>", "<context><doc>a</doc></context>"]),
        ("<doc><doc>a</doc></doc>", ["<doc>a</doc>", "<doc><doc>a</doc></doc>"]),
        ("never closed <memory> b", []),
        ("use <memory> tags: <memory>b</memory>", ["<memory>b</memory>"]),
        ("<context><memory>b</context>", ["<context><memory>b</context>"]),
        ("</memory> b <memory>", []),
        ("<doc/> and </doc>", []),
        ("write `<memory>` here, </memory>", []),
        ("/// <memory>a C# comment</memory>", []),
        ("<memoryx>b</memoryx>", []),
        ("<memory >b</memory\n>", ["<memory >b</memory\n>"]),
    ],
)
def test_tags(text: str, marked: list[str]) -> None:
    """Pairs are marked, nested ones too; strays, mentions and other names are not."""
    assert tagged(text) == marked


def test_thousands_of_tags_in_megabytes() -> None:
    """Unclosed, closing and nested tags by the hundred thousand are read in one go."""
    text = "<memory>" * 100_000 + "</doc>" * 100_000 + "<doc>x</doc>" * 100_000 + "<" * 500_000 + "</memory>"
    assert sum(1 for _ in find_tags(text, NAMES)) == 100_001


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        (
            "规则\n[对话摘要]\n用户要退货\n\n订单 7\n[用户输入]\n好",
            ["[对话摘要]\n用户要退货\n\n订单 7\n", "[用户输入]\n好"],
        ),
        ("【长期记忆】爱喝茶", ["【长期记忆】爱喝茶"]),
        ("[Conversation summary]\na\n# Rules\nb", ["[Conversation summary]\na\n"]),
        ("[对话摘要]\na\n[别的]\nb", ["[对话摘要]\na\n"]),
        ("see [memory] below", []),
        ("no brackets", []),
    ],
)
def test_headings(text: str, sections: list[str]) -> None:
    """A section runs to the next heading of any wording; brackets within a line are no heading."""
    assert [text[mark.start : mark.end] for mark in find_headings(text)] == sections


@pytest.mark.parametrize(
    "text",
    [
        "This session is being continued from a previous conversation that ran out of context. The …",
        "\nHere is a summary of the conversation to date:\n…",
        "[CONTEXT COMPACTION SUMMARY]\n…",
        "[对话摘要]用户要退货",
    ],
)
def test_openings_of_known_harnesses(text: str) -> None:
    """The opening words of known summaries are known."""
    assert opens_as_summary(text)
    assert not opens_as_summary("Quoted: " + text)


def test_the_documentation_names_every_mark() -> None:
    """``docs/layers.md`` lists each tag, heading and opening under its layer."""
    page = (Path(__file__).parents[3] / "docs" / "layers.md").read_text(encoding="utf-8")
    rows = {row.split("|")[1].strip(): row for row in page.splitlines() if row.startswith("|")}
    assert [tag for tag, layer in TAGS.items() if f"`{tag}`" not in rows[layer.value]] == []
    assert [heading for heading in HEADINGS if f"`{heading}`" not in page] == []
    flowing = " ".join(page.split())
    assert [words for words in SUMMARY_OPENINGS if words not in flowing] == []
