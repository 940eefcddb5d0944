"""The task state of a prompt as slots: ``key: value`` lines or JSON, wherever in a message it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.model.context import Block
from inspector.model.layers import Layer
from inspector.model.markers import HEADINGS, TAGS, find_headings, find_tags

STATE_TAGS: Final = frozenset(name for name, layer in TAGS.items() if layer is Layer.STATE)
STATE_HEADINGS: Final = frozenset(name for name, layer in HEADINGS.items() if layer is Layer.STATE)
DEEPEST: Final = 6
"""Levels of a JSON state that are read; what lies deeper is no slot a person would look for."""
LONGEST_NAME: Final = 60
"""Characters of the name of a slot: a longer one before a colon is a sentence."""

_LINE: Final = re.compile(
    rf"^[ \t]*(?:[-*•][ \t]+)?([^\s:：{{}}\[\]\"][^:：\n]{{0,{LONGEST_NAME}}}?)[ \t]*[:：][ \t]*(\S.*)$", re.M
)
_FRAME: Final = re.compile(r"^\s*(?:<[^<>\n]*>|【[^】\n]*】[:：]?|\[[^\[\]{}\"\n]*\][:：]?)|</[^<>\n]*>\s*$")
"""The tags or the heading around a state."""


def split_state(block: Block) -> tuple[str, tuple[str, ...]]:
    """Split a message into what is no state and the states in it.

    Tool results are never looked into: marks in them are other people's content.

    Args:
        block: The message.
    """
    if block.layer is Layer.STATE:
        return "", (block.text,)
    if block.role == "assistant" or any(key.startswith("result:") for key in block.keys):
        return block.text, ()
    marks = [(m.start, m.end) for m in find_tags(block.text, STATE_TAGS)]
    marks += [(m.start, m.end) for m in find_headings(block.text) if m.name in STATE_HEADINGS]
    rest, states, at = [], [], 0
    for start, end in sorted(marks):
        if start < at:
            continue  # within the one before
        rest.append(block.text[at:start])
        states.append(block.text[start:end])
        at = end
    return "".join((*rest, block.text[at:])), tuple(states)


def read_slots(state: str) -> dict[str, str]:
    """Read the slots of a state: their names, nested ones with dots, and their values as text.

    Args:
        state: Its text, with or without the tags or the heading around it.
    """
    text = _FRAME.sub("", _FRAME.sub("", state, count=1), count=1).strip()
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, Mapping):
            return dict(_flatten(value, "", 0))
    return {match[1].strip(): match[2].strip() for match in _LINE.finditer(text)}


def _flatten(value: Mapping[str, Any], before: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, item in value.items():
        path = f"{before}{name}"
        if isinstance(item, Mapping):
            if depth < DEEPEST:
                yield from _flatten(item, f"{path}.", depth + 1)
        elif isinstance(item, str):
            yield path, item
        elif item is not None:
            yield path, json.dumps(item, ensure_ascii=False)
