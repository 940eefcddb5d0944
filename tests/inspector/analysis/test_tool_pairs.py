"""Facts about tool calls and results that lack their other half."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inspector.analysis.tool_pairs import find_unpaired
from inspector.model.context import Block, CallContext, ServerChange

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        (["call:a", "result:a"], []),
        (["result:a"], ["a result without its call"]),
        (["call:a"], ["a call without its result"]),
        (["result:a", "call:a"], ["a result before its call"]),
        (["call:a", "result:a", "result:a"], ["an id used twice"]),
        (["call:a", "call:b", "result:b"], ["a call without its result"]),
        (["call:call:a", "result:call:a"], []),
    ],
)
def test_each_half_needs_the_other(block: MakeBlock, calls: MakeCalls, keys: list[str], wrong: list[str]) -> None:
    """A call needs a result after it, a result a call before it, and an id is used once."""
    (context,) = calls([block(str(n), keys=(key,)) for n, key in enumerate(keys)])
    assert [one.wrong for one in find_unpaired(context)] == wrong


def test_messages_without_ids_are_not_judged(block: MakeBlock, calls: MakeCalls) -> None:
    """A dialect that pairs by place has nothing to compare."""
    (context,) = calls([block("a", "tool"), block("b")])
    assert find_unpaired(context) == ()


def test_a_log_that_lacks_parts_is_not_judged(block: MakeBlock, calls: MakeCalls) -> None:
    """The other half may be in the part that is missing."""
    (context,) = calls([block("a", keys=("result:a",))])
    assert find_unpaired(replace(context, missing=("history",))) == ()


def test_what_was_sent_is_judged_not_what_a_server_left(block: MakeBlock, calls: MakeCalls) -> None:
    """A tool call that the server cleared before the model read was sent with its result."""
    sent = (block("a", keys=("call:a",)), block("b", keys=("result:a",)))
    (context,) = calls([sent[1]])
    assert find_unpaired(replace(context, server=ServerChange(sent=sent))) == ()
