"""Whether every tool call of a prompt has its result, and every result its call: else providers refuse it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from inspector.model.context import Block, CallContext

_CALL: Final = "call:"
_RESULT: Final = "result:"

Wrong = Literal[
    "a result without its call", "a call without its result", "a result before its call", "an id used twice"
]
"""What is wrong with a pair."""


@dataclass(frozen=True)
class Unpaired:
    """A tool call or result that lacks its other half."""

    call: int
    """Number of the call whose prompt has it."""
    key: str
    """The id that ties the two together."""
    wrong: Wrong
    place: int
    """Place of the message in the prompt, from 0."""


def find_unpaired(context: CallContext) -> tuple[Unpaired, ...]:
    """Find the tool calls and results of a prompt, as it was sent, that lack their other half.

    Messages without ids are never judged: some dialects pair calls and results by place.

    Args:
        context: The context of one call.
    """
    if context.missing:
        return ()  # a log that lacks parts of the prompt may lack the other half, too
    blocks: Sequence[Block] = context.blocks
    if context.server is not None and context.server.sent:
        blocks = context.server.sent  # what a server takes out before the model reads is no fault of the prompt
    called: dict[str, int] = {}
    answered: dict[str, int] = {}
    found: list[Unpaired] = []
    for place, block in enumerate(blocks):
        for key in block.keys:
            kind, name = (_CALL, key[len(_CALL) :]) if key.startswith(_CALL) else (_RESULT, key[len(_RESULT) :])
            seen = called if kind == _CALL else answered
            if name in seen:
                found.append(Unpaired(context.call, name, "an id used twice", place))
            seen.setdefault(name, place)
    for name, place in answered.items():
        if name not in called:
            found.append(Unpaired(context.call, name, "a result without its call", place))
        elif called[name] > place:
            found.append(Unpaired(context.call, name, "a result before its call", place))
    found += [
        Unpaired(context.call, name, "a call without its result", place)
        for name, place in called.items()
        if name not in answered
    ]
    return tuple(sorted(found, key=lambda one: one.place))
