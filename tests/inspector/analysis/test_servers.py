"""What servers took is told as theirs in lifelines and compactions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.analysis.servers import describe_effect
from inspector.analysis.story_changes import describe_compaction
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


def test_an_estimate_looks_like_one() -> None:
    """Figures of a model whose tokenizer is not public carry ≈."""
    effect = ServerEffect(("summary",), 48_425, 21, 363, 1, "certain", TokenCount(49_174, "estimate:o200k_base"))

    assert describe_effect(effect) == "the server removed ≈ 48,425 tokens and added ≈ 363 tokens"


def test_what_was_taken_in_the_first_call_is_told() -> None:
    """Nothing lies between calls, and yet a server took what was sent: the context before is the prompt as sent."""
    server = ServerChange(
        {QUESTION.identity: ("compacted", "certain")}, frozenset({SUMMARY.identity}), (SYSTEM, QUESTION)
    )
    (change,) = calls((SYSTEM, SUMMARY), server=server).compactions

    assert (change.said_by, change.strategy, change.call, change.before_call) == ("server", "summary", 1, None)
    assert (change.taken, change.unseen, change.messages_taken) == ((), 1, 1)
    assert (change.tokens_taken, change.tokens_left, change.summary) == (10, 4, 2)
    assert (change.tokens_before.count, change.tokens_after.count) == (20, 14)


def test_what_was_new_in_a_call_counts_among_what_was_taken() -> None:
    """A result that was sent in the very call of a compaction is one of the messages it took."""
    server = ServerChange(
        {block.identity: ("compacted", "certain") for block in (RESULT, QUESTION)},
        frozenset({SUMMARY.identity}),
        (SYSTEM, QUESTION, RESULT),
    )
    (change,) = calls((SYSTEM, QUESTION), (SYSTEM, SUMMARY), server=server).compactions

    assert (change.before_call, change.taken, change.unseen, change.tokens_taken) == (1, (2,), 1, 20)


def test_what_was_cleared_in_the_first_call_leaves_its_rest() -> None:
    """An edit that empties a result: what stays of it stands for it."""
    result = replace(RESULT, keys=("result:a",), tokens=900)
    rest = replace(result, content="cleared", text="[cleared]", tokens=3)
    server = ServerChange({result.identity: ("cleared", "likely")}, frozenset(), (SYSTEM, result))
    (change,) = calls((SYSTEM, rest), server=server).compactions

    assert (change.strategy, change.certainty, change.tokens_taken, change.tokens_left) == ("edit", "likely", 900, 3)


def test_behind_an_earlier_compaction_nothing_is_taken_anew() -> None:
    """A call of another lane that sends the old message and the compaction again has no compaction of its own."""
    server = ServerChange(
        {QUESTION.identity: ("compacted", "certain")}, frozenset({SUMMARY.identity}), (SYSTEM, QUESTION)
    )
    contexts = [CallContext(n, f"c{n}", None, f"lane {n}", (SYSTEM, SUMMARY), server=server) for n in (1, 2)]

    assert [change.call for change in trace_session(contexts).compactions] == [1]


def test_the_story_tells_what_no_call_saw() -> None:
    """How many messages, that they were sent and not seen, and ≈ where the figures are estimates."""
    question = replace(QUESTION, estimated=True)
    server = ServerChange(
        {question.identity: ("compacted", "certain")}, frozenset({SUMMARY.identity}), (SYSTEM, question)
    )
    (change,) = calls((SYSTEM, SUMMARY), server=server).compactions

    assert describe_compaction(change) == (
        "A summary took 1 message that was sent and not seen: ≈ 10 tokens became ≈ 4. "
        "The provider's server did it (certain)."
    )
