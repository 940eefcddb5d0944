"""What the Session page sends of the lives of messages: runs and events, never a cell a call.

The order of each prompt is told as pieces copied from the prompt it continues, so that 2,000
messages over 1,000 calls stay under a megabyte and the browser has all windows at hand: a step
of the scrubber asks nothing of the server.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, get_args

from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.lifelines import Lifeline, SessionLife
from inspector.analysis.pins import BROKEN, PinLife, Verdict
from inspector.analysis.session_commitments import number_commitments
from inspector.model.context import Block, CallContext
from inspector.model.fates import FATE_KINDS, FATE_SYMBOLS, Fate
from inspector.model.layers import Layer
from inspector.model.views import CallRow, SessionRow
from inspector.ui.format import format_count, one_line
from inspector.ui.session_fates import compaction_fate, compaction_lines, event_words, pin_words
from inspector.ui.session_words import quiet_words

TEXT_CELLS: Final = 64
"""Width of the text of a row that is sent, in Latin letters; a Chinese letter is two wide and six bytes long."""
OLDER_TEXTS: Final = 64
"""Earlier texts of one message that are sent: a state that changes at each of 1,000 calls must not fill the payload."""
_FATES: Final = tuple(Fate)
_LAYERS: Final = tuple(Layer)
_VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
_WIDE: Final = 0x1100
"""Code point from which letters are counted as two wide: Hangul, and the Chinese and Japanese scripts after it."""


def lives_payload(
    row: SessionRow, calls: Sequence[CallRow], changes: SessionChanges, pause: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Return the lifelines, the compactions and the pins of a session.

    Args:
        row: The session, with its story.
        calls: All calls of all lanes, in display order.
        changes: What changed from call to call, of the same state of the index.
        pause: Called again and again; may raise to end the work.
    """
    words: dict[str, int] = {}
    life = changes.life
    versions, older = _versions(changes.contexts, life)
    lanes = list(dict.fromkeys(line.lane for line in life.lifelines))
    by_call = _by_call(changes.compactions)
    lane_of = {call.number: call.lane for call in calls}
    return {
        "session": row.session,
        "fates": [{"name": str(fate), "symbol": FATE_SYMBOLS[fate], "kind": FATE_KINDS[fate]} for fate in _FATES],
        "layers": [str(layer) for layer in _LAYERS],
        "verdicts": [{"name": verdict, "broken": verdict in BROKEN} for verdict in _VERDICTS],
        "lanes": lanes,
        "messages": {
            "lane": [lanes.index(line.lane) for line in life.lifelines],
            "text": [_row_text(line.layer, line.text) for line in life.lifelines],
            "runs": [[call for run in line.runs for call in run] for line in life.lifelines],
            "versions": versions,
            "older": older,
            "events": {
                str(line.number): events for line in life.lifelines if (events := _events(line, by_call, words))
            },
        },
        "orders": list(_orders(changes.contexts, life)),
        "compactions": [_compaction(change) for change in changes.compactions],
        "pins": [_pin(pin, lane_of, changes.compactions) for pin in changes.pins],
        "commitments": _commitments(changes, pause),
        "words": list(words),
        "quiet": "" if row.story else quiet_words(row, len(calls), life),
    }


def _commitments(changes: SessionChanges, pause: Callable[[], None]) -> list[list[Any]]:
    """Return what looks like a rule, an id, an amount or a goal, most first: message, kind, text, why, watched."""
    found = number_commitments(changes.contexts, changes.life, changes.pins, pause)
    return [
        [one.number, one.commitment.kind, one.commitment.text, one.commitment.why, int(one.watched)] for one in found
    ]


def _by_call(compactions: Iterable[CompactionChange]) -> Mapping[int, list[CompactionChange]]:
    found: defaultdict[int, list[CompactionChange]] = defaultdict(list)
    for change in compactions:
        if change.call is not None:
            found[change.call].append(change)
    return found


def _row_text(layer: Layer, text: str) -> str:
    """Return what stands in a message's row; of tool definitions their names."""
    if layer is Layer.TOOLS and (names := _tool_names(text)):
        return _shorten(f"{format_count(len(names), 'tool definition')}: {', '.join(names)}")
    return _shorten(text)


def _tool_names(text: str) -> list[str]:
    """Return the names of tool definitions written as JSON one after another; empty where they are not."""
    names: list[str] = []
    decoder = json.JSONDecoder()
    rest = text.strip()
    while rest:
        try:
            tool, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            return []
        function = tool.get("function", tool) if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return []
        names.append(function["name"])
        rest = rest[end:].lstrip()
    return names


def _shorten(text: str) -> str:
    """Return the beginning of a text on one line, as wide as any row shows."""
    line = one_line(text, TEXT_CELLS * 4)
    room = TEXT_CELLS
    for at, letter in enumerate(line):
        room -= 2 if ord(letter) >= _WIDE else 1
        if room < 0:
            return line[:at] + "…"
    return line


def _versions(
    contexts: Sequence[CallContext], life: SessionLife
) -> tuple[list[list[int | None]], dict[str, list[int | str]]]:
    """Return what each message was before it became what it is last.

    Returns:
        Layer and tokens of each message as ``call, layer, tokens``, once for each time they change; and, of messages
        whose text changed, by number, ``call, text until then``.
    """
    versions: list[list[int | None]] = [[] for _ in life.lifelines]
    older: defaultdict[str, list[int | str]] = defaultdict(list)
    last: list[Block | None] = [None] * len(life.lifelines)
    for context in contexts:
        for number, block in zip(life.numbers[context.call], context.blocks, strict=True):
            before = last[number - 1]
            if before is block:
                continue
            last[number - 1] = block
            if before is None or (before.layer, before.tokens) != (block.layer, block.tokens):
                versions[number - 1] += [context.call, _LAYERS.index(block.layer), block.tokens]
            if before is not None and before.text != block.text and len(older[str(number)]) < 2 * OLDER_TEXTS:
                older[str(number)] += [context.call, _row_text(before.layer, before.text)]
    return versions, dict(older)


def _events(line: Lifeline, by_call: Mapping[int, list[CompactionChange]], words: dict[str, int]) -> list[int]:
    """Return what happened to a message as ``call, fate, words, other message``; its first coming is no event."""
    events: list[int] = []
    for event in line.events:
        if event.fate is Fate.ADDED:
            continue
        taker = next((c for c in by_call.get(event.call, ()) if line.number in c.taken), None)
        said = event_words(event, taker)
        events += [event.call, _FATES.index(event.fate), words.setdefault(said, len(words)), event.other or 0]
    return events


def _orders(contexts: Sequence[CallContext], life: SessionLife) -> Iterator[list[Any]]:
    """Yield ``[call, previous call or 0, pieces]``, each piece two numbers.

    ``place, count``: copied from the prompt it continues; ``−number, count``: messages of rising numbers.
    """
    for context in contexts:
        before = life.previous.get(context.call, 0)
        yield [context.call, before, _pieces(life.numbers.get(before, ()), life.numbers[context.call])]


def _pieces(before: Sequence[int], after: Sequence[int]) -> list[int]:
    pieces: list[int] = []
    at = _common(before, 0, after, 0)
    if at:
        pieces += [0, at]
    if at == len(after):
        return pieces
    places = {number: place for place, number in enumerate(before)}
    while at < len(after):
        place = places.get(after[at])
        if place is not None:
            count = _common(before, place, after, at)
            pieces += [place, count]
        else:
            count = _rising(after, at, places)
            pieces += [-after[at], count]
        at += count
    return pieces


def _rising(after: Sequence[int], at: int, places: Mapping[int, int]) -> int:
    """Return how many new numbers, each one more than the one before, stand from ``after[at]`` on."""
    end = at + 1
    while end < len(after) and after[end] == after[end - 1] + 1 and after[end] not in places:
        end += 1
    return end - at


def _common(a: Sequence[int], i: int, b: Sequence[int], j: int) -> int:
    """Return how many numbers are the same from ``a[i]`` and ``b[j]`` on."""
    limit = min(len(a) - i, len(b) - j)
    if a[i : i + limit] == b[j : j + limit]:  # nearly always: what was there stays, and more comes after it
        return limit
    return next(n for n in range(limit) if a[i + n] != b[j + n])


def _compaction(change: CompactionChange) -> dict[str, Any]:
    fate = compaction_fate(change)
    return {
        "number": change.number,
        "call": change.call,
        "lane": change.lane,
        "fate": _FATES.index(fate) if fate is not None else None,
        "recorded": change.said_by != "inferred",
        "done": change.state == "done",
        "summary": change.summary,
        "taken": _spans(change.taken),
        "tokensTaken": change.tokens_taken,
        "tokensLeft": change.tokens_left,
        "unseen": change.unseen,
        "estimated": change.estimated,
        "lines": compaction_lines(change),
    }


def _spans(numbers: Sequence[int]) -> list[int]:
    """Return numbers as ``first, count`` of each run."""
    spans: list[int] = []
    for number in sorted(numbers):
        if spans and number == spans[-2] + spans[-1]:
            spans[-1] += 1
        else:
            spans += [number, 1]
    return spans


def _pin(pin: PinLife, lane_of: Mapping[int, str], compactions: Sequence[CompactionChange]) -> dict[str, Any]:
    runs: list[int] = []
    previous: Verdict | None = None
    for call, verdict in pin.verdicts.items():
        if verdict is previous:
            runs[-1] = call
        else:
            runs += [_VERDICTS.index(verdict), call, call]
        previous = verdict
    return {
        "id": pin.id,
        "text": one_line(pin.excerpt, 160),
        "watched": pin.watched,
        "runs": runs,
        "lanes": sorted({lane_of[call] for call in pin.verdicts}),
        "carriers": list(pin.carriers),
        "carrier": pin.cause_message or (pin.carriers[0] if pin.carriers else None),
        "words": pin_words(pin, compactions),
    }
