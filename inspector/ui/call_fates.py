"""What happened at a call, for the list of the Call page: a word for each row, and the messages that are gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from inspector.analysis.changes import SessionChanges
from inspector.analysis.ghosts import Ghost, find_ghosts
from inspector.analysis.pins import BROKEN, PinLife
from inspector.analysis.story_summaries import find_summaries_beside
from inspector.model.fates import FATE_KINDS, FATE_SYMBOLS, Fate, Kind
from inspector.model.layers import LAYER_STYLES
from inspector.model.views import CallView
from inspector.ui.format import one_line

MANY_OLDER: Final = 40
"""Messages gone before the last compaction that are still shown; more stand behind one line."""
EXCERPT_CHARS: Final = 200
RIVAL: Final = "⇄"
"""Symbol of a message that says what another one says, otherwise."""
_LAYERS: Final = tuple(LAYER_STYLES)
_WORDS: Final = {
    Fate.ADDED: "new",
    Fate.RETURNED: "returned",
    Fate.EDITED: "edited",
    Fate.TRUNCATED: "cut",
    Fate.MOVED: "moved",
}
PinState = Literal["held", "gone", "altered"]


@dataclass(frozen=True)
class Happened:
    """The cell of the column "what happened"."""

    symbol: str
    kind: Kind
    words: str
    title: str = ""
    """The long form, as tooltip; empty: the words."""


@dataclass(frozen=True)
class ShownGhost:
    """A message that is gone, as the list shows it."""

    ghost: Ghost
    happened: Happened
    group: str
    """Neighbours of one group fold into one line."""
    pinned: bool
    """It carried a pinned or watched text."""
    stays: bool
    """It never hides in a fold: a pin or a watch was set on it, or was lost with it."""
    old: bool
    """Gone before the last compaction."""
    unseen: bool = False
    """It was sent with this call, and a server took it out before the model read the prompt."""


@dataclass(frozen=True)
class CallFates:
    """All that changed at a call, and what is gone since."""

    rows: dict[int, Happened]
    """By place from 0; a row that stayed the same has none."""
    pinned: frozenset[int]
    """Places, from 0, of rows that hold a pinned or watched text."""
    ghosts: tuple[ShownGhost, ...]
    """In the order in which they would stand."""

    @property
    def folds_older(self) -> bool:
        """Whether what is gone for long stands behind one line."""
        return sum(ghost.old and not ghost.stays for ghost in self.ghosts) > MANY_OLDER


def read_fates(changes: SessionChanges, view: CallView) -> CallFates:
    """Say what happened at a call.

    Args:
        changes: What changed in its session.
        view: The call, its rows numbered.
    """
    call = view.call.number
    pins = [pin for pin in changes.pins if call in pin.verdicts]
    cutoff = _last_compaction(changes, call)
    ghosts = tuple(_show(ghost, call, pins, cutoff) for ghost in find_ghosts(changes, call))
    rows = dict(_rows(changes, view, pins)) | dict(_rivals(changes, view))
    return CallFates(rows, frozenset(pinned_rows(changes, view)), ghosts)


def _rows(changes: SessionChanges, view: CallView, pins: Sequence[PinLife]) -> Iterator[tuple[int, Happened]]:
    alignment = changes.life.alignments.get(view.call.number)
    if alignment is None or alignment.after != len(view.messages):
        return  # it continues no other call: all of it is new, and a mark on every row tells nothing
    altered = {number for pin in pins if pin.verdicts[view.call.number] == "altered" for number in pin.carriers}
    for place, row in alignment.of_after().items():
        if row.fate is Fate.KEPT:
            continue
        words = _WORDS[row.fate]
        if view.messages[place].number in altered and row.fate in (Fate.EDITED, Fate.TRUNCATED):
            words = "pinned, altered"
        yield place, Happened(FATE_SYMBOLS[row.fate], FATE_KINDS[row.fate], words)


def _rivals(changes: SessionChanges, view: CallView) -> Iterator[tuple[int, Happened]]:
    """Mark two summaries of the same conversation that stand in a prompt beside one another, as long as they do."""
    places = {row.number: at for at, row in enumerate(view.messages)}
    for pair in find_summaries_beside(changes):
        if pair.call > view.call.number or not {pair.older, pair.newer} <= places.keys():
            continue
        title = "Two summaries of the same conversation"
        title += f": {pair.differences}" if pair.differences else "; they have the same figures"
        for number, other in ((pair.older, pair.newer), (pair.newer, pair.older)):
            yield places[number], Happened(RIVAL, "altered", f"rival of m{other}", f"{title}.")


def pinned_rows(changes: SessionChanges, view: CallView) -> Iterator[int]:
    """Yield the places, from 0, of the rows of a call that hold a pinned or watched text."""
    pins = (pin for pin in changes.pins if view.call.number in pin.verdicts)
    carriers = {number: pin for pin in pins for number in pin.carriers}
    for at, row in enumerate(view.messages):
        pin = carriers.get(row.number)
        if row.pinned or (pin is not None and (pin.text is None or pin.text in row.message.text)):
            yield at


def _last_compaction(changes: SessionChanges, call: int) -> int:
    """Number of the call after the last compaction up to a call, on its lane; 0: there was none."""
    lanes = {context.call: context.lane for context in changes.contexts}
    lane = lanes.get(call)
    done = (c.call for c in changes.compactions if c.state == "done" and c.lane == lane and c.call is not None)
    return max((number for number in done if number <= call), default=0)


def _show(ghost: Ghost, call: int, pins: Sequence[PinLife], cutoff: int) -> ShownGhost:
    carried = [pin for pin in pins if ghost.number in pin.carriers]
    lost = next((pin for pin in carried if pin.verdicts[call] in BROKEN and _is_main(pin, ghost.number)), None)
    stays = lost is not None or any(pin.carriers[0] == ghost.number for pin in carried)
    return ShownGhost(
        ghost,
        loss_words(ghost, call, lost),
        f"Σ{ghost.gone.other}" if ghost.gone.fate is Fate.SUMMARISED else "✕",
        bool(carried),
        stays,
        ghost.gone.call < cutoff,
    )


def _is_main(pin: PinLife, number: int) -> bool:
    """Whether a message is the one a pin was lost with; others may have held its text too."""
    return number == (pin.cause_message or pin.carriers[0])


def loss_words(ghost: Ghost, call: int, lost: PinLife | None = None) -> Happened:
    """Say in the column's few words what took a message.

    Args:
        ghost: The message.
        call: The call that is looked at.
        lost: The pin or watch that was lost with it.
    """
    if lost is not None:
        who = "watched" if lost.watched else "pinned"
        verdict = lost.verdicts[call]
        kind: Kind = "altered" if verdict == "altered" else "lost"
        return Happened("≈" if verdict == "altered" else FATE_SYMBOLS[Fate.EVICTED], kind, f"{who}, {verdict}")
    fate = ghost.gone.fate
    if fate is Fate.SUMMARISED:
        words = f"taken by m{ghost.gone.other}" if ghost.gone.other else "taken by a summary"
    else:
        words = "taken out" if ghost.gone.call == call else f"taken out at {ghost.gone.call}"
    return Happened(FATE_SYMBOLS[fate], FATE_KINDS[fate], words)


def ghost_excerpts(fates: CallFates, start: int, end: int) -> list[str]:
    """Return the beginnings of ghosts ``start`` to ``end`` (from 0, end excluded), one line each."""
    return [one_line(shown.ghost.block.text, EXCERPT_CHARS) for shown in fates.ghosts[max(0, start) : max(0, end)]]


def fates_payload(fates: CallFates) -> dict[str, Any]:
    """Return the fates as columns."""
    shown = fates.ghosts
    older = [at for at, ghost in enumerate(shown) if ghost.old and not ghost.stays] if fates.folds_older else []
    roles = sorted({one.ghost.block.role or "–" for one in shown})
    return {
        "happened": {
            str(at): [what.symbol, what.kind, what.words, what.title] for at, what in sorted(fates.rows.items())
        },
        "ghosts": {
            "number": [one.ghost.number for one in shown],
            "layer": [_LAYERS.index(one.ghost.block.layer) for one in shown],
            "roles": roles,
            "role": [roles.index(one.ghost.block.role or "–") for one in shown],
            "tokens": [one.ghost.block.tokens for one in shown],
            "symbol": [one.happened.symbol for one in shown],
            "kind": [one.happened.kind for one in shown],
            "words": [one.happened.words for one in shown],
            "title": {at: one.happened.title for at, one in enumerate(shown) if one.happened.title},
            "unseen": [at for at, one in enumerate(shown) if one.unseen],
            "group": [one.group for one in shown],
            "gone": [one.ghost.gone.call for one in shown],
            "after": [one.ghost.after for one in shown],
            "pinned": [at for at, one in enumerate(shown) if one.pinned],
            "stays": [at for at, one in enumerate(shown) if one.stays],
            "older": older,
        },
    }
