"""What servers took out of contexts, as the lifelines and the list of compactions tell it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from inspector.analysis.alignment import Alignment
from inspector.analysis.counted import write_tokens
from inspector.analysis.inferring import GONE, Guess
from inspector.analysis.summaries import DIALOGUE, Taken, TakenBy
from inspector.model.context import Block, CallContext, Identity
from inspector.model.fates import Certainty, Fate
from inspector.model.views import ServerEffect, is_estimate

REPLACED: Final[tuple[str, Certainty]] = ("a compaction of the provider stands in its place", "likely")
"""What is said of a message that the body no longer has since it has the provider's compaction."""
_TOUCHED: Final = frozenset({*GONE, Fate.EDITED, Fate.TRUNCATED})
_CERTAINTIES: Final[Mapping[Certainty, int]] = {"certain": 0, "likely": 1, "a guess": 2}


class Unseen(NamedTuple):
    """What a server took of a prompt before any call saw it: sent in the very call it was taken in."""

    blocks: tuple[Block, ...]
    """The messages, as they were sent."""
    left: tuple[Block, ...]
    """What the model saw in their place."""
    summary: int | None
    """Place in the context of the compaction that stands for them; None: nothing does."""
    evidence: str
    certainty: Certainty


def read_taken_by_servers(contexts: Sequence[CallContext]) -> dict[int, Taken]:
    """Say which messages of the call before a server's compaction took, by the call it shows in.

    An edit takes messages and puts nothing in their place; where both happened, the compaction took them.
    """
    by_id = {context.id: context for context in contexts}
    taken: dict[int, Taken] = {}
    for context in contexts:
        before = by_id.get(context.previous or "")
        if context.server is None or before is None or before.lane != context.lane:
            continue
        here = {block.identity for block in context.blocks}
        places = [
            place
            for place, block in enumerate(before.blocks)
            if block.identity not in here and _may_be_taken(context, block)
        ]
        summary = new_compaction(before, context)
        if summary is not None:
            said = ((place, reason_of(context, before.blocks[place]) or REPLACED) for place in places)
            taken[context.call] = {place: TakenBy(summary, sure, why, None) for place, (why, sure) in said}
        elif any(reason_of(context, before.blocks[place]) for place in places):
            taken[context.call] = {}
    return taken


def describe_effect(effect: ServerEffect) -> str:
    """Say what a server made of a prompt: ``the server removed 41,200 tokens and added 163 tokens``.

    The figures are of messages with their framing, so that *sent − removed + added* is what the model saw.
    """
    done = []
    estimated = is_estimate(effect.sent.origin)
    if effect.removed_messages:
        done.append(f"removed {_amount(effect.removed, effect.removed_messages, estimated)}")
    if effect.added_messages:
        done.append(f"added {_amount(effect.added, effect.added_messages, estimated)}")
    if not done:
        return "a compaction of the server stands for earlier messages"
    return f"the server {' and '.join(done)}"


def _amount(tokens: int | None, messages: int, estimated: bool) -> str:
    if tokens is None:
        return f"{messages:,} message{'' if messages == 1 else 's'}, tokens unknown"
    return write_tokens(tokens, estimated=estimated)


def _may_be_taken(context: CallContext, block: Block) -> bool:
    """A compaction takes messages of the dialogue; instructions are put together anew for each call."""
    return block.layer in DIALOGUE or reason_of(context, block) is not None


def new_compaction(before: CallContext, context: CallContext) -> int | None:
    """Return the place of what stands for the messages a server took, where it was not there before."""
    made = context.server.made if context.server is not None else frozenset()
    known = {block.identity for block in before.blocks}
    places = [p for p, block in enumerate(context.blocks) if block.identity in made and block.identity not in known]
    return places[-1] if places else None


def reason_of(context: CallContext, block: Block) -> tuple[str, Certainty] | None:
    """Return why a message of the call before was not seen by the model, or not wholly; None: no server did that."""
    return None if context.server is None else context.server.removed.get(block.identity)


def find_server_compaction(before: CallContext, context: CallContext, alignment: Alignment) -> Guess | None:
    """Say what a server took between two calls: a compaction of its own; None: nothing."""
    if context.server is None:
        return None
    summary = new_compaction(before, context)
    rows = []
    for row in alignment.rows:
        if row.before is None or row.fate not in _TOUCHED:
            continue
        why = reason_of(context, before.blocks[row.before])
        if (
            why is None
            and summary is not None
            and row.fate in GONE
            and _may_be_taken(context, before.blocks[row.before])
        ):
            why = REPLACED
        if why is not None:
            rows.append((row.before, why))
    if not rows:
        return None
    evidence, certainty = _join_reasons([why for _, why in rows])
    strategy = "edit" if summary is None else "summary"
    return Guess(strategy, certainty, evidence, tuple(sorted(place for place, _ in rows)), summary)


def _join_reasons(reasons: Sequence[tuple[str, Certainty]]) -> tuple[str, Certainty]:
    """Return the first reason with the number of the others, and how sure the least sure one is."""
    words = list(dict.fromkeys(reason for reason, _ in reasons))
    more = f" (and {len(words) - 1:,} more reasons)" if len(words) > 1 else ""
    return f"{words[0]}{more}", max((sure for _, sure in reasons), key=_CERTAINTIES.__getitem__)


def find_unseen(
    before: CallContext | None, context: CallContext, told: Collection[Identity] = frozenset()
) -> Unseen | None:
    """Say what a server took of a call's prompt that no call had seen: new in it, and gone before the model read it.

    Between calls nothing of this can be seen: in the first call of a lane it is all that a server took.

    Args:
        before: The call that this one continues; None: it is the first of its lane.
        context: The call.
        told: What servers took and made at earlier calls of the session. A prompt that sends it again has it gone
            again, and behind a compaction made earlier nothing is taken anew.

    Returns:
        None: nothing of the kind.
    """
    server = context.server
    if server is None:
        return None
    made = [place for place, block in enumerate(context.blocks) if block.identity in server.made]
    if made and context.blocks[made[-1]].identity in told:
        return None
    known = {*told, *(block.identity for block in (before.blocks if before is not None else ()))}
    taken = tuple([b for b in server.sent if b.identity in server.removed and b.identity not in known])
    if not taken:
        return None
    keys = {block.keys for block in taken if block.keys}
    left = tuple([block for block in context.blocks if block.keys in keys])  # cleared or cut, and still a message
    if made:
        left = (context.blocks[made[-1]],)
    evidence, certainty = _join_reasons([server.removed[block.identity] for block in taken])
    return Unseen(taken, left, made[-1] if made else None, evidence, certainty)
