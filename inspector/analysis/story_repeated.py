"""Sentences of the story about tool calls that were made again because their result had been cut or taken out.

Only what is plain is told: the same tool with the same arguments, and the very same result; so nothing had changed,
and the call bought back what the context had lost. Asking again about something that moves (a status, a clock) brings
another result and is no fault. Calls without ids, as in Gemini, are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from inspector.analysis.told import Told, and_more, quote
from inspector.model.context import Block, CallContext
from inspector.model.views import Sentence, Severity

LEAST_RESULT: Final = 200
"""Shortest result, in characters, that is worth a sentence: a short one is asked for again as fast as it is read."""
LOOP: Final = 3
"""The same call so many times is a loop (deepeval's number for repeated tool calls)."""
CALL_START: Final = re.compile(r"^[A-Za-z_][\w.:\-]{0,127}\(", re.MULTILINE)
"""A tool call in the text of a message: ``name(arguments)`` at the beginning of a line."""


@dataclass(frozen=True)
class Repeated:
    """A tool call that was made again although its result had not changed."""

    call: int
    """The call whose answer made it again."""
    text: str
    """``name(arguments)``."""
    message: int
    """Number of the message that had the result."""
    was: int
    """Characters of the result."""
    left: int
    """Characters of it that the prompt of ``call`` still had; 0: it was taken out."""
    times: int
    """How often the call had been made by then, this one included."""


@dataclass(frozen=True)
class _Made:
    """A tool call that was made, and its result as it came."""

    identity: str
    text: str
    result: str
    message: int


@dataclass
class _Lane:
    """The tool calls of a lane up to now."""

    made: dict[str, list[_Made]] = field(default_factory=dict)
    """By ``name(arguments)``, in order."""
    _asked: dict[str, str | None] = field(default_factory=dict)
    """Id → ``name(arguments)`` of calls without a result, None once it came."""
    _seen: set[int] = field(default_factory=set)
    """Messages looked at: most stand in many prompts, as one object."""

    def add(self, context: CallContext, numbers: Sequence[int]) -> Iterator[_Made]:
        """Read what is new in a prompt; yield the calls whose results came."""
        for block, number in zip(context.blocks, numbers, strict=True):
            if not block.keys or id(block) in self._seen:
                continue
            self._seen.add(id(block))
            for identity, text in tool_calls(block):
                self._asked.setdefault(identity, text)
            answered = _answers(block)
            if answered is not None and (asked := self._asked.get(answered)) is not None:
                self._asked[answered] = None
                yield _Made(answered, asked, block.text, number)


def tell_repeated_calls(told: Told) -> Iterator[Sentence]:
    """Tool calls made again for a result that had been in the prompt."""
    found = find_repeated(told.changes.contexts, told.changes.life.numbers, told.changes.life.previous)
    # To read once more what a compaction took is what its agent reckons with; what was cut looks as if it were there.
    if not found or (len(found) == 1 and not found[0].left):
        return
    first = found[0]
    size = f"had been cut from {first.was:,} to {first.left:,} characters" if first.left else "had been taken out"
    most = max(item.times for item in found)
    loop = f" The same call was made {most:,} times." if most >= LOOP else ""
    severity: Severity = "error" if most >= LOOP else "warning"
    text = f"{quote(first.text)} was called again for the same result: m{first.message} {size}{and_more(found)}.{loop}"
    yield Sentence(severity, "repeated_call", text, first.call, message=first.message)


def find_repeated(
    contexts: Sequence[CallContext], numbers: dict[int, tuple[int, ...]], previous: dict[int, int]
) -> tuple[Repeated, ...]:
    """Find tool calls made again for the same result, in the order of the calls.

    Args:
        contexts: The calls in display order.
        numbers: Call number → the message number at each place of its prompt.
        previous: Call number → number of the call it continues.
    """
    by_call = {context.call: context for context in contexts}
    lanes: dict[str, _Lane] = {}
    found = []
    for context in contexts:
        if context.purpose is not None:
            continue
        lane = lanes.setdefault(context.lane, _Lane())
        asked = by_call.get(previous.get(context.call, 0))
        for made in lane.add(context, numbers[context.call]):
            earlier = lane.made.setdefault(made.text, [])
            if asked is not None and (lost := _lost(earlier, made.result, asked)) is not None:
                one, left = lost
                size, times = len(made.result), len(earlier) + 1
                found.append(Repeated(asked.call, made.text, one.message, size, left, times))
            earlier.append(made)
    return tuple(found)


def _lost(earlier: Sequence[_Made], result: str, asked: CallContext) -> tuple[_Made, int] | None:
    """Return the latest time the same result came, and how much of it was left; None: it never did, or is there."""
    same = [one for one in earlier if one.result == result]
    if not same or len(result) < LEAST_RESULT:
        return None
    left = {identity: block.text for block in asked.blocks if (identity := _answers(block)) is not None}
    if any(left.get(one.identity) == result for one in same):
        return None
    latest = same[-1]
    rest = left.get(latest.identity, "")
    return (latest, len(rest)) if len(rest) < len(result) else None


def _answers(block: Block) -> str | None:
    """Id of the call whose result a message is; None: it is none, or holds several, which cannot be told apart."""
    is_result = len(block.keys) == 1 and block.keys[0].startswith("result:")
    return block.keys[0].removeprefix("result:") if is_result else None


def tool_calls(block: Block) -> list[tuple[str, str]]:
    """Return id and ``name(arguments)`` of each tool call in a message; nothing where they cannot be told apart."""
    identities = [key.removeprefix("call:") for key in block.keys if key.startswith("call:")]
    if not identities:
        return []
    starts = [match.start() for match in CALL_START.finditer(block.text)][-len(identities) :]
    ends = [*starts[1:], len(block.text) + 1]
    texts = [block.text[start : end - 1] for start, end in zip(starts, ends, strict=True)]
    if len(texts) != len(identities) or not all(text.endswith(")") for text in texts):
        return []
    return list(zip(identities, texts, strict=True))
