"""What servers took out of contexts, as the lifelines and the list of compactions tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from inspector.analysis.alignment import Alignment
from inspector.analysis.inferring import GONE, Guess
from inspector.analysis.summaries import DIALOGUE, Taken, TakenBy
from inspector.model.context import Block, CallContext
from inspector.model.fates import Certainty, Fate
from inspector.model.views import ServerEffect

REPLACED: Final[tuple[str, Certainty]] = ("a compaction of the provider stands in its place", "likely")
"""What is said of a message that the body no longer has since it has the provider's compaction."""
_TOUCHED: Final = frozenset({*GONE, Fate.EDITED, Fate.TRUNCATED})
_CERTAINTIES: Final[Mapping[Certainty, int]] = {"certain": 0, "likely": 1, "a guess": 2}


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
    """Say what a server made of a prompt: ``the server removed 41,200 tokens and added 163 tokens``."""
    done = []
    if effect.removed_messages:
        done.append(f"removed {_amount(effect.removed, effect.removed_messages)}")
    if effect.added_messages:
        done.append(f"added {_amount(effect.added, effect.added_messages)}")
    if not done:
        return "a compaction of the server stands for earlier messages"
    return f"the server {' and '.join(done)}"


def _amount(tokens: int | None, messages: int) -> str:
    if tokens is None:
        return f"{messages:,} message{'' if messages == 1 else 's'}, tokens unknown"
    return f"{tokens:,} token{'' if tokens == 1 else 's'}"


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
    for row in alignment.blocks:
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
    reasons = list(dict.fromkeys(reason for _, (reason, _) in rows))
    certainty = max((sure for _, (_, sure) in rows), key=_CERTAINTIES.__getitem__)
    more = f" (and {len(reasons) - 1:,} more reasons)" if len(reasons) > 1 else ""
    strategy = "edit" if summary is None else "summary"
    return Guess(strategy, certainty, f"{reasons[0]}{more}", tuple(sorted(place for place, _ in rows)), summary)
