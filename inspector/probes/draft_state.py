"""Values of the state that a prompt carries: what ``<task_state>`` says at the end of a session."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.analysis.pins import main_lane
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.markers import TAGS, find_tags

_TAGS: Final = frozenset(name for name, layer in TAGS.items() if layer is Layer.STATE)
_LINE: Final = re.compile(r"^\s*[-*•]?\s*([A-Za-z_][\w .-]{0,39}|[㐀-鿿]{1,12})\s*[:：]\s*(\S.*?)\s*$")
_NO_NEWS: Final = re.compile(r"updated|timestamp|version|更新", re.IGNORECASE)
"""Keys that say when or how often the state was written."""
_LONGEST: Final = 60
"""Characters of a value that can be asked for word for word."""
_SETTLED: Final = 2
"""Calls in a row that had a value before it counts as settled."""
_CJK: Final = re.compile(r"[㐀-鿿]")


@dataclass(frozen=True)
class StateValue:
    """A value of the state, as the last call of the main lane had it."""

    key: str
    text: str
    call: int
    """First call that had this value, without a break since."""
    settled: bool
    """Several calls had it."""
    before: tuple[str, ...]
    """What the state said of it earlier, other than this."""
    chinese: bool
    """The state, or the talk around it, is Chinese."""


def find_state_values(contexts: Sequence[CallContext]) -> tuple[StateValue, ...]:
    """Find the values of the state at the end of a session, in their order there.

    Args:
        contexts: The calls in display order.
    """
    lane = main_lane(contexts)
    own = [context for context in contexts if context.lane == lane and context.purpose is None]
    states = [(context.call, state) for context in own if (state := _state_of(context.blocks))]
    if not states:
        return ()
    last = states[-1][1]
    chinese = bool(_CJK.search("".join(block.text for block in own[-1].blocks if block.role == "user")))
    found = []
    for key, text in last.items():
        since, calls = states[-1][0], 0
        for call, state in reversed(states):
            if state.get(key) != text:
                break
            since, calls = call, calls + 1
        before = dict.fromkeys(state[key] for _, state in states if state.get(key, text) != text)
        found.append(StateValue(key, text, since, calls >= _SETTLED, tuple(before), chinese))
    return tuple(found)


def _state_of(blocks: Sequence[Block]) -> dict[str, str]:
    values: dict[str, str] = {}
    for block in blocks:
        for text in _texts(block):
            values.update(_values(text))
    return values


def _texts(block: Block) -> Iterator[str]:
    marks = list(find_tags(block.text, _TAGS)) if block.role in ("system", "developer", "user") else []
    for mark in marks:
        yield re.sub(r"^<[^>]*>|</[^>]*>$", "", block.text[mark.start : mark.end].strip())
    if not marks and block.layer is Layer.STATE:
        yield block.text


def _values(text: str) -> Iterator[tuple[str, str]]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict):
        yield from _flat(data, "")
        return
    for line in text.splitlines():
        match = _LINE.match(line)
        if match and _askable(match[1], match[2]):
            yield match[1], match[2]


def _flat(data: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, str | int | float) and not isinstance(value, bool) and _askable(key, str(value)):
            yield f"{prefix}{key}", str(value)


def _askable(key: str, value: str) -> bool:
    return bool(value.strip()) and len(value) <= _LONGEST and value[0] not in "[{" and not _NO_NEWS.search(key)
