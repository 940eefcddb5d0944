"""Documents of the Call page: which sections a view shows, in which layers, under which headings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.ghosts import FRONT, Ghost
from inspector.analysis.pins import BROKEN
from inspector.model.context import Block
from inspector.model.request import Message, Part
from inspector.model.views import MessageRow, SegmentRow, TokenCount
from inspector.ui import call_words as words
from inspector.ui.call_effective import Reading, server_lines
from inspector.ui.call_fates import CallFates, ShownGhost
from inspector.ui.call_life import TurnOf, life_lines, still_said_line, where
from inspector.ui.call_parts import part_frame, part_heading, with_text_headed
from inspector.ui.call_text import CallTexts, Units, pretty_part
from inspector.ui.format import format_count, format_duration, format_tokens, one_line

ABSENT_CHARS: Final = 160
"""Characters of a message that is named and not shown."""


@dataclass(frozen=True)
class Asked:
    """A call and what is known around it."""

    texts: CallTexts
    changes: SessionChanges
    """Of its session."""
    reading: Reading
    """Which of the call's two readings it is, and what happened at it."""
    turn_of: TurnOf
    """Turn of a call in words."""
    last_row: Callable[[Ghost], MessageRow | None]
    """The row of a message that is gone, in the last call that had it."""

    @property
    def fates(self) -> CallFates:
        """What happened at the call."""
        return self.reading.fates

    @property
    def call(self) -> int:
        """Number of the call."""
        return self.texts.view.call.number

    @property
    def blocks(self) -> Sequence[Block]:
        """The messages of the call."""
        return next((context.blocks for context in self.changes.contexts if context.call == self.call), ())

    def ghost(self, number: int) -> ShownGhost | None:
        """Return a message that is gone by its number."""
        return next((one for one in self.fates.ghosts if one.ghost.number == number), None)


def document(asked: Asked, name: str, layers: Sequence[str]) -> dict[str, Any] | None:
    """Return a document by its name; None where the call has none such.

    ``p5`` is the message at place 5, ``g67`` message m67 that is gone, ``x67`` what is known of a message that
    stands neither here nor stood in the calls before, ``a`` the answer, ``t`` the prompt as one stream, ``j`` and
    ``r`` the body.
    """
    texts = asked.texts
    if name in ("j", "r"):
        section: dict[str, Any] = {"id": name, "blocks": _sizes(texts, name)}
        if texts.lost is not None:
            section["hole"] = texts.lost
        return {"sections": [section]}
    if name == "t":
        return _stream(asked, layers)
    if name == "a":
        return _answer(asked)
    number = int(name[1:]) if name[:1] in ("p", "g", "x") and name[1:].isdigit() else 0
    if name[:1] == "x" and name[1:].isdigit():
        return _absent(asked, number)
    if name[:1] == "g":
        shown = asked.ghost(number)
        return None if shown is None else _gone(asked, shown, layers)
    rows = texts.view.messages
    if not 1 <= number <= len(rows):
        return None
    return _message(asked, rows[number - 1], layers)


def _sizes(texts: CallTexts, section: str) -> list[int]:
    return [figure for block in texts.blocks(section) for figure in (block.units, block.lines, block.wide)]


def _segments(
    texts: CallTexts, row: MessageRow, part: int, layers: Sequence[str], *, titles: bool, prefix: str | None = None
) -> list[list[Any]]:
    section = f"{prefix or f'p{row.place}'}.{part}"
    text = texts.text(section)
    own = [segment for segment in row.segments if segment.part == part]
    own = [segment for i, segment in enumerate(own) if not i or not _blank(row, segment)]
    if len(own) <= 1:
        segment = own[0] if own else None
        layer = segment.layer if segment else row.layer
        title = (
            words.layer_title(layer, segment.tokens, segment.why, segment.source) if segment and titles else str(layer)
        )
        return [[0, Units(text).at(len(text)), layers.index(layer), title]]
    lead = len(row.message.parts[part].name or "") + 1 if row.message.parts[part].kind == "tool_call" else 0
    units = Units(text)
    starts = [0]
    for segment in own[1:]:
        start = segment.start + lead
        starts.append(start + text.startswith("\n", start))  # the break before a layer ends the line of the one before
    ends = [*starts[1:], len(text)]
    return [
        [
            units.at(start),
            units.at(end),
            layers.index(segment.layer),
            words.layer_title(segment.layer, segment.tokens, segment.why, segment.source) if titles else "",
        ]
        for segment, start, end in zip(own, starts, ends, strict=True)
    ]


def _blank(row: MessageRow, segment: SegmentRow) -> bool:
    """Say whether a segment is white space: a line break between two layers is no edge of its own."""
    piece = row.message.parts[segment.part].text[segment.start : segment.end]
    return not piece or piece.isspace()


def _part_section(texts: CallTexts, section: str, part: Part, row: MessageRow | None, at: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": section, "kind": part.kind, "blocks": _sizes(texts, section)}
    frame = part_frame(part, row, at)
    if frame:
        shown["frame"] = frame
        if part.opaque:
            shown["blocks"] = []
    if part.kind != "text":
        shown["head"] = part_heading(part)
    if part.kind == "tool_definition":
        shown["fold"] = True
        shown["tokens"] = next((s.tokens.count for s in row.segments if s.part == at), None) if row else None
    if pretty_part(part) is not None:
        shown["pretty"] = {"id": f"{section}~", "blocks": _sizes(texts, f"{section}~")}
    return shown


def _message(asked: Asked, row: MessageRow, layers: Sequence[str]) -> dict[str, Any]:
    facts = _facts(row)
    return {
        "title": _title(row, asked.reading.numbered),
        "facts": facts,
        "why": _why(row),
        "life": server_lines(asked.reading, row) + life_lines(asked.changes, row.number, asked.call, asked.turn_of),
        "hole": row.hole,
        "sections": _sections(asked.texts, row, layers, f"p{row.place}"),
    }


def _sections(texts: CallTexts, row: MessageRow, layers: Sequence[str], prefix: str) -> list[dict[str, Any]]:
    sections = []
    for at, part in enumerate(row.message.parts):
        section = _part_section(texts, f"{prefix}.{at}", part, row, at)
        section["edges"] = _segments(texts, row, at, layers, titles=True, prefix=prefix)
        sections.append(section)
    if len(sections) == 1 and sections[0].get("fold"):
        del sections[0]["fold"]
    return with_text_headed(sections)


def _title(row: MessageRow, numbered: int | None) -> str:
    named = [row.message.name] if row.message.name else []
    number = [f"m{row.number}"] if row.number and (numbered is None or row.number <= numbered) else []
    return " · ".join([row.layer.value.replace("_", " "), row.message.role or "–", *named, *number])


def _facts(row: MessageRow) -> list[str]:
    origins = sorted({segment.tokens.origin for segment in row.segments}) or [row.tokens.origin]
    member = row.member or "body"
    return [
        f"{format_tokens(row.tokens.count)} tokens ({', '.join(origins)})",
        member if row.index is None else f"{member}[{row.index}]",
    ]


def _gone(asked: Asked, shown: ShownGhost, layers: Sequence[str]) -> dict[str, Any]:
    """A message that is gone: its last text, its life, and whether the call still says it."""
    ghost = shown.ghost
    prefix = f"g{ghost.number}"
    row = asked.last_row(ghost) or _bare_row(ghost)
    asked.texts.add_gone(prefix, row.message)
    numbers = asked.changes.life.numbers.get(asked.call, ())
    life = life_lines(asked.changes, ghost.number, asked.call, asked.turn_of)
    pins = [pin for pin in asked.changes.pins if ghost.number in pin.carriers and asked.call in pin.verdicts]
    is_held = any(pin.verdicts[asked.call] not in BROKEN for pin in pins)
    said = still_said_line(ghost.block.text, asked.blocks, numbers, ghost.gone.other, is_held=is_held)
    at = next((i for i, line in enumerate(life) if line["symbol"] == "⚲" or line.get("later")), len(life))
    gone = "sent, not seen" if shown.unseen else "gone"
    return {
        "title": f"{gone} · {_title(replace(row, number=ghost.number), asked.reading.numbered)}",
        "facts": [*_facts(row), *([] if shown.unseen else [f"last in {where(ghost.last_call, asked.turn_of)}"])],
        "why": [],
        "life": [*server_lines(asked.reading, replace(row, number=ghost.number)), *life[:at], said, *life[at:]],
        "hole": row.hole,
        "sections": _sections(asked.texts, row, layers, prefix),
    }


def _bare_row(ghost: Ghost) -> MessageRow:
    """The row of a message of which only the text is known."""
    block = ghost.block
    tokens = TokenCount(block.tokens, "counted" if block.tokens is not None else "unknown")
    message = Message(block.role, (Part("text", block.text),))
    return MessageRow(
        ghost.place + 1, ghost.number, "messages", None, message, block.layer, (), tokens, block.content, (), None
    )


def _absent(asked: Asked, number: int) -> dict[str, Any]:
    """What is known of a message that a call does not have and none of the calls that led to it had."""
    lives = asked.changes.life.lifelines
    if not 1 <= number <= len(lives):
        lines = [
            f"The messages of this session are m1 to m{len(lives):,}." if lives else "This session has no message."
        ]
        return {"title": f"m{number} is not in call {asked.call}", "absent": lines, "facts": [], "sections": []}
    line = lives[number - 1]
    born = line.events[0].call
    first = where(born, asked.turn_of)
    lane = {context.call: context.lane for context in asked.changes.contexts}.get(asked.call)
    if line.lane != lane:
        said = f"It belongs to the lane {line.lane}, since {first}."
    elif born > asked.call:
        said = f"It comes in {first}."
    else:
        said = f"It stood in calls of another line of thought, since {first}."
    return {
        "title": f"m{number} is not in call {asked.call}",
        "absent": [said, f"“{one_line(line.text, ABSENT_CHARS)}”"],
        "go": born,
        "facts": [],
        "sections": [],
    }


def _why(row: MessageRow) -> list[list[str]]:
    """List each layer of a message with the rules that decided it."""
    seen: dict[str, list[str]] = {}
    for segment in row.segments:
        reason = f"{segment.why}{f' ({segment.source})' if segment.source else ''}"
        reasons = seen.setdefault(segment.layer.value, [])
        if segment.why and reason not in reasons:
            reasons.append(reason)
    return [[layer, ", ".join(reasons[:3]) + (" …" if len(reasons) > 3 else "")] for layer, reasons in seen.items()]


def _stream(asked: Asked, layers: Sequence[str]) -> dict[str, Any]:
    texts = asked.texts
    gaps = _gaps(asked)
    sections: list[dict[str, Any]] = list(_gap(texts, gaps.get(FRONT, ()), layers, FRONT))
    for row in texts.view.messages:
        if row.hole is not None:
            edge = [0, 0, layers.index(row.layer)]
            lost = {"id": f"p{row.place}.hole", "blocks": [], "hole": row.hole, "row": row.place - 1, "edges": [edge]}
            sections.append(lost)
        for at, part in enumerate(row.message.parts):
            name = f"p{row.place}.{at}"
            section: dict[str, Any] = {"id": name, "blocks": _sizes(texts, name), "row": row.place - 1}
            unseen = asked.reading.unseen.get(row.number) if not asked.reading.effective else None
            if unseen is not None and at in unseen.parts:
                section["unseen"] = f"not seen by the model: {unseen.reason}"
            frame = part_frame(part, row, at)
            if frame:
                section["frame"] = frame
                if part.opaque:
                    section["blocks"] = []
            section["edges"] = [edge[:3] for edge in _segments(texts, row, at, layers, titles=False)]
            sections.append(section)
        sections += _gap(texts, gaps.get(row.place - 1, ()), layers, row.place - 1)
    sections += [
        {"id": name, "blocks": _sizes(texts, name), "row": len(texts.view.messages)}
        for name in texts.sections("prompt")
        if name.startswith("a")
    ]
    return {"sections": sections}


def _gaps(asked: Asked) -> dict[int, list[ShownGhost]]:
    """The messages that are gone, by the place they stand after; those gone for long only where few are."""
    gaps: dict[int, list[ShownGhost]] = {}
    for shown in asked.fates.ghosts:
        if shown.stays or not (shown.old and asked.fates.folds_older):
            gaps.setdefault(shown.ghost.after, []).append(shown)
    return gaps


def _gap(texts: CallTexts, shown: Sequence[ShownGhost], layers: Sequence[str], after: int) -> Iterator[dict[str, Any]]:
    """A line that says how many messages were here, and behind it their texts as they stood last."""
    if not shown:
        return
    ghosts = [one.ghost for one in shown]
    name = f"gap{after}"
    last = sorted({ghost.last_call for ghost in ghosts})
    until = f"call {last[-1]}" if len(last) == 1 else f"calls {last[0]}–{last[-1]}"
    unseen = [one for one in shown if one.unseen]
    said = f"{format_count(len(ghosts), 'message')} {'was' if len(ghosts) == 1 else 'were'} here until {until}"
    if unseen:
        some = f"{len(unseen):,} of {format_count(len(shown), 'message')}"
        count = some if len(unseen) < len(shown) else format_count(len(shown), "message")
        verb = "was" if len(unseen) == 1 else "were"
        said = f"{count} {verb} sent here and taken out by the server before the model read the prompt"
    yield {"id": name, "blocks": [], "row": f"gap {after}", "gap": said, "fold": True}
    for ghost in ghosts:
        section = f"G{ghost.number}"
        texts.add_gone(section, Message(ghost.block.role, (Part("text", ghost.block.text),)))
        yield {
            "id": f"{section}.0",
            "blocks": _sizes(texts, f"{section}.0"),
            "row": f"m{ghost.number}",
            "inside": name,
            "edges": [[0, 0, layers.index(ghost.block.layer)]],
        }


def _answer(asked: Asked) -> dict[str, Any]:
    texts = asked.texts
    view = texts.view
    call, answer = view.call, view.answer
    outcome = words.outcome(call)
    sections = []
    facts = [line] if (line := words.usage_line(call)) else []
    facts += words.usage_remarks(call)
    if not asked.reading.effective:  # else they stand in the line above the prompt
        facts += [f"note: {note}" for note in asked.reading.notes]
    if answer is not None:
        for at, message in enumerate(answer.messages):
            for number, part in enumerate(message.parts):
                sections.append(_part_section(texts, f"a{at}.{number}", part, None, number))
        ends = [format_duration(answer.duration_ms)] if answer.duration_ms is not None else []
        ends += [answer.stop_reason] if answer.stop_reason else []
        ends += [f"status {answer.http_status}"] if answer.http_status not in (None, 200) else []
        ends += [answer.response_id] if answer.response_id else []
        facts += [" · ".join(ends)] if ends else []
    raw = call.usage_raw if answer is None else answer.usage_raw
    return {
        "title": "answer" + (f" · {answer.messages[0].role}" if answer and answer.messages else ""),
        "facts": facts,
        "usage": json.dumps(raw, ensure_ascii=False, indent=1, default=str) if raw else "",
        "outcome": None if outcome is None else {"text": outcome.text, "title": outcome.title, "tone": outcome.tone},
        "ledger": [[line.label, line.tokens, line.origin, line.inner] for line in words.ledger(call)],
        "passes": words.usage_table(call),
        "composition": [
            [layer.value, tokens, call.origins.get(layer, call.counted.origin)]
            for layer, tokens in call.composition.items()
            if tokens
        ],
        "sections": with_text_headed(sections),
    }
