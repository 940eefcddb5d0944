"""The messages of a session, each content once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.model.context import Block, CallContext


def distinct_blocks(contexts: Iterable[CallContext]) -> Iterator[tuple[int, Block]]:
    """Give each message whose content no earlier one had, with the first call that has it, in their order.

    Args:
        contexts: The calls, in order.
    """
    seen: set[str] = set()
    for context in contexts:
        for block in context.blocks:
            if block.content not in seen:
                seen.add(block.content)
                yield context.call, block
