"""Marks in a text that say what it is: tags, headings and the opening words of summaries.

They are looked for in the text of instructions and users (opening words also in an assistant's text), never in
tool results or arguments: there such marks are other people's content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

TAGS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("memory", "memories", "long_term_memory", "user_memory", "user_profile", "profile", "preferences",
         "user_preferences"),
        "memory",
    ),
    **dict.fromkeys(
        ("state", "task_state", "agent_state", "current_state", "session_state", "todo", "todos", "todo_list"),
        "state",
    ),
    **dict.fromkeys(
        ("retrieved", "retrieved_context", "retrieved_documents", "retrieval", "documents", "document", "docs", "doc",
         "context", "knowledge", "search_results"),
        "retrieved",
    ),
    **dict.fromkeys(("attachments", "attachment", "attached_files"), "attachments"),
    **dict.fromkeys(("summary", "conversation_summary", "history_summary", "session_summary"), "summary"),
    **dict.fromkeys(("history", "conversation_history", "chat_history"), "history"),
    **dict.fromkeys(("user_input", "user_query", "current_input"), "input"),
    **dict.fromkeys(("available_tools", "tool_definitions"), "tools"),
}  # fmt: skip
"""Tag names that mean a layer, out of the box."""

HEADINGS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("对话摘要", "历史摘要", "历史对话摘要", "会话摘要", "conversation summary", "summary"), "summary"),
    **dict.fromkeys(
        ("长期记忆", "用户画像", "用户偏好", "记忆", "long-term memory", "user profile", "memory"), "memory"
    ),
    **dict.fromkeys(("任务状态", "当前状态", "状态", "task state", "state"), "state"),
    **dict.fromkeys(("检索结果", "检索内容", "参考资料", "相关文档", "retrieved documents", "retrieved"), "retrieved"),
    **dict.fromkeys(("对话历史", "历史对话", "conversation history", "history"), "history"),
    **dict.fromkeys(("用户输入", "当前输入", "user input"), "input"),
}
"""Headings in square (or lenticular) brackets, alone at the start of a line, that mean a layer.

What follows belongs to it, down to the next such heading (of any wording), a Markdown heading, or the end.
"""

SUMMARY_OPENINGS: Final = (
    "This session is being continued from a previous conversation that ran out of context",
    "Here is a summary of the conversation to date:",
    "[CONTEXT COMPACTION SUMMARY]",
    "[对话摘要]",
    "【对话摘要】",
)
"""Words with which known harnesses open a compacted context: Claude Code, LangChain, inspect_ai, and the usual
Chinese heading. A text that opens so is a summary as a whole, unless headings or tags divide it further."""

MAX_ATTRIBUTES: Final = 500
"""Characters of attributes a tag may have; bounds the search behind every stray ``<``."""

# A lone ``<summary>`` in a doc comment (``/// <summary>``) or quoted in backticks is talk about a tag, not a tag.
_BEFORE_TAG: Final = r"(?<!///)(?<!/// )(?<!`)"
_HEADING: Final = re.compile(
    r"^[ \t]*(?:\[([^\[\]\n]{1,60})\]|【([^【】\n]{1,60})】)[ \t]*[::]?[ \t]*|^#{1,6} ", re.MULTILINE
)


class Mark(NamedTuple):
    """A marked run of a text."""

    start: int
    end: int
    name: str
    """Tag or heading, in lower case; ``opening`` for opening words."""


def find_tags(text: str, names: frozenset[str]) -> Iterator[Mark]:
    """Find ``<name …>…</name>`` for some names (in lower case), tags included, in linear time.

    A closing tag belongs to the nearest open one of its name; tags between that were never closed mark nothing,
    nor does a closing tag without an opening one. So marks nest and never cross.
    """
    if not names or "</" not in text:
        return
    stack: list[tuple[str, int]] = []
    waiting = dict.fromkeys(names, 0)
    for tag in _tag_pattern(names).finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            if not tag[0].endswith("/>"):
                stack.append((name, tag.start()))
                waiting[name] += 1
        elif waiting[name]:
            while True:
                opened, start = stack.pop()
                waiting[opened] -= 1
                if opened == name:
                    break
            yield Mark(start, tag.end(), name)


@lru_cache(maxsize=64)
def _tag_pattern(names: frozenset[str]) -> re.Pattern[str]:
    words = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    return re.compile(rf"{_BEFORE_TAG}<(/?)({words})(?:\s[^<>]{{0,{MAX_ATTRIBUTES}}})?/?>", re.IGNORECASE)


def find_headings(text: str) -> Iterator[Mark]:
    """Find the sections under headings of :data:`HEADINGS`, headings included."""
    if "[" not in text and "【" not in text:
        return
    start, name = 0, ""
    for heading in _HEADING.finditer(text):
        if name:
            yield Mark(start, heading.start(), name)
        word = (heading[1] or heading[2] or "").strip().lower()
        start, name = heading.start(), word if word in HEADINGS else ""
    if name:
        yield Mark(start, len(text), name)


def opens_as_summary(text: str) -> bool:
    """Say whether a text opens with the words of a known harness's summary."""
    return text.lstrip().startswith(SUMMARY_OPENINGS)
