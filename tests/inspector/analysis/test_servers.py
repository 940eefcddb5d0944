"""What servers took is told as theirs in lifelines and compactions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.analysis.servers import describe_effect
from inspector.model.context import Block, CallContext, ServerChange
from inspector.model.fates import Certainty, Fate
from inspector.model.layers import Layer
from inspector.model.views import ServerEffect, TokenCount


def say(text: str, layer: Layer = Layer.HISTORY, tokens: int = 10) -> Block:
    """A message."""
    return Block(text, "user", layer, text, (), tokens, layer is Layer.SUMMARY)


SYSTEM = say("You are the refund desk.", Layer.SYSTEM)
RESULT = say("The first ticket is about a bell.", Layer.TOOL_RESULTS)
QUESTION = say("What is next?")
SUMMARY = say("The first ticket is done.", Layer.SUMMARY, 4)


def calls(*blocks: tuple[Block, ...], server: ServerChange | None = None) -> SessionChanges:
    """Two calls or more in a row, the last one changed by a server."""
    contexts = [CallContext(n, f"c{n}", f"c{n - 1}" if n > 1 else None, "main", own) for n, own in enumerate(blocks, 1)]
    return trace_session([*contexts[:-1], replace(contexts[-1], server=server)])


def removed(*blocks: Block, why: str = "cleared", certainty: Certainty = "certain") -> ServerChange:
    """What a server took."""
    return ServerChange({block.identity: (why, certainty) for block in blocks})


def test_what_a_server_cleared_is_an_edit_of_its_own() -> None:
    """The compaction and the event say who did it, why and how surely."""
    changes = calls((SYSTEM, RESULT, QUESTION), (SYSTEM, QUESTION), server=removed(RESULT, certainty="likely"))
    (change,) = changes.compactions
    event = changes.life.lifelines[1].events[-1]

    assert (change.said_by, change.strategy) == ("server", "edit")
    assert (change.certainty, change.evidence) == ("likely", "cleared")
    assert (change.taken, change.tokens_taken, change.summary) == ((2,), 10, None)
    assert (event.fate, event.said_by, event.certainty, event.evidence) == (Fate.EVICTED, "server", "likely", "cleared")


def test_a_compaction_of_a_server_took_what_is_gone() -> None:
    """Messages go into the summary; instructions are not among them."""
    server = ServerChange({RESULT.identity: ("compacted", "certain")}, frozenset({SUMMARY.identity}))
    changes = calls((SYSTEM, RESULT, QUESTION), (SYSTEM, SUMMARY), server=server)
    (change,) = changes.compactions

    assert (change.said_by, change.strategy, change.taken, change.summary) == ("server", "summary", (2, 3), 4)
    assert changes.life.lifelines[1].events[-1].fate is Fate.SUMMARISED
    assert changes.life.lifelines[2].events[-1].said_by == "server"
    assert changes.life.lifelines[0].gone_since is None


def test_what_an_agent_took_itself_is_not_its_servers() -> None:
    """A message that the body no longer has was not taken by the server, which took another one."""
    other = say("The second ticket is about a chain.", Layer.TOOL_RESULTS)
    changes = calls((SYSTEM, RESULT, other, QUESTION), (SYSTEM, QUESTION), server=removed(other))
    taken = {line.text: line.events[-1].said_by for line in changes.life.lifelines if line.gone_since}

    assert taken == {RESULT.text: "inferred", other.text: "server"}


def test_what_stays_cleared_is_told_once() -> None:
    """A call that sends a cleared message again, for it to be cleared again, has no compaction."""
    changes = calls((SYSTEM, QUESTION), (SYSTEM, QUESTION), server=removed(RESULT))

    assert changes.compactions == ()


@pytest.mark.parametrize(
    ("removed", "added", "said"),
    [
        ((41_200, 3), (0, 0), "the server removed 41,200 tokens"),
        ((1, 1), (163, 2), "the server removed 1 token and added 163 tokens"),
        ((0, 0), (None, 1), "the server added 1 message, tokens unknown"),
        ((0, 0), (0, 0), "a compaction of the server stands for earlier messages"),
    ],
)
def test_an_effect_in_words(removed: tuple[int, int], added: tuple[int | None, int], said: str) -> None:
    """Tokens where they are known, else messages."""
    effect = ServerEffect(("edit",), *removed, *added, "certain", TokenCount(9, "tokenizer:x"))

    assert describe_effect(effect) == said
