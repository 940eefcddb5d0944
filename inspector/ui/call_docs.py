"""Documents of the Call page: which sections a view shows, in which layers, under which headings."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from inspector.model.request import Part
from inspector.model.views import MessageRow, PinRow, SegmentRow
from inspector.ui import call_words as words
from inspector.ui.call_text import CallTexts, Units, pretty_part
from inspector.ui.format import format_bytes, format_duration, format_tokens

TurnOf = Callable[[int], str | None]


def document(
    texts: CallTexts, name: str, layers: Sequence[str], pins: Sequence[PinRow], turn_of: TurnOf
) -> dict[str, Any] | None:
    """Return a document by its name; None where the call has none such.

    ``p5`` is the message at place 5, ``a`` the answer, ``t`` the prompt as one stream, ``j`` and
    ``r`` the body.
    """
    if name in ("j", "r"):
        section: dict[str, Any] = {"id": name, "blocks": _sizes(texts, name)}
        if texts.lost is not None:
            section["hole"] = texts.lost
        return {"sections": [section]}
    if name == "t":
        return _stream(texts, layers)
    if name == "a":
        return _answer(texts)
    place = int(name[1:]) if name[:1] == "p" and name[1:].isdigit() else 0
    rows = texts.view.messages
    if not 1 <= place <= len(rows):
        return None
    return _message(texts, rows[place - 1], layers, pins, turn_of)


def _sizes(texts: CallTexts, section: str) -> list[int]:
    return [figure for block in texts.blocks(section) for figure in (block.units, block.lines, block.wide)]


def _segments(texts: CallTexts, row: MessageRow, part: int, layers: Sequence[str], *, titles: bool) -> list[list[Any]]:
    section = f"p{row.place}.{part}"
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


def _heading(part: Part) -> str:
    pieces = [part.kind.replace("_", " ")]
    if part.name:
        pieces.append(part.name)
    if part.call_id:
        pieces.append(part.call_id)
    return " · ".join(pieces)


def _frame(part: Part, row: MessageRow | None, at: int) -> list[str]:
    """Describe what has no text: an image, a file, something encrypted."""
    if part.opaque:
        return [f"{part.kind} that cannot be read (encrypted, {format_tokens(len(part.text))} characters)"]
    media = part.media
    if media is None:
        return []
    first = [media.mime or part.kind]
    if media.width and media.height:
        first.append(f"{media.width:,} × {media.height:,} pixels")
    first.append(format_bytes(media.size) if media.size is not None else "size unknown")
    if media.detail:
        first.append(f"detail {media.detail}")
    lines = [" · ".join(first)]
    counted = next((segment.tokens for segment in row.segments if segment.part == at), None) if row else None
    if counted is not None:
        lines.append(f"{format_tokens(counted.count)} tokens by {counted.origin}")
    if media.url:
        lines.append(f"{media.url} (never fetched)")
    return lines


def _part_section(texts: CallTexts, section: str, part: Part, row: MessageRow | None, at: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": section, "kind": part.kind, "blocks": _sizes(texts, section)}
    frame = _frame(part, row, at)
    if frame:
        shown["frame"] = frame
        if part.opaque:
            shown["blocks"] = []
    if part.kind != "text":
        shown["head"] = _heading(part)
    if part.kind == "tool_definition":
        shown["fold"] = True
        shown["tokens"] = next((s.tokens.count for s in row.segments if s.part == at), None) if row else None
    if pretty_part(part) is not None:
        shown["pretty"] = {"id": f"{section}~", "blocks": _sizes(texts, f"{section}~")}
    return shown


def _message(
    texts: CallTexts, row: MessageRow, layers: Sequence[str], pins: Sequence[PinRow], turn_of: TurnOf
) -> dict[str, Any]:
    sections = []
    for at, part in enumerate(row.message.parts):
        section = _part_section(texts, f"p{row.place}.{at}", part, row, at)
        section["edges"] = _segments(texts, row, at, layers, titles=True)
        sections.append(section)
    if len(sections) == 1 and sections[0].get("fold"):
        del sections[0]["fold"]
    origins = sorted({segment.tokens.origin for segment in row.segments}) or [row.tokens.origin]
    facts = [f"{format_tokens(row.tokens.count)} tokens ({', '.join(origins)})"]
    if row.born_call is not None:
        turn = turn_of(row.born_call)
        facts.append(f"since call {row.born_call}" + (f" · {turn}" if turn else ""))
    member = row.member or "body"
    facts.append(member if row.index is None else f"{member}[{row.index}]")
    named = [row.message.name] if row.message.name else []
    return {
        "title": " · ".join([row.layer.value.replace("_", " "), row.message.role or "–", *named, f"m{row.number}"]),
        "facts": facts,
        "why": _why(row),
        "pins": [_pin_words(pin) for pin in pins if pin.id in row.pinned],
        "hole": row.hole,
        "sections": sections,
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


def _pin_words(pin: PinRow) -> str:
    since = f"pinned at call {pin.since_call}" if pin.since_call is not None else "pinned"
    reason = f": “{pin.reason}”" if pin.reason else ""
    caller = f", {pin.caller}" if pin.caller else ""
    released = f"; released at call {pin.released_call}" if pin.released_call is not None else ""
    return f"{since}{reason}{caller}{released}"


def _stream(texts: CallTexts, layers: Sequence[str]) -> dict[str, Any]:
    sections: list[dict[str, Any]] = []
    for row in texts.view.messages:
        if row.hole is not None:
            edge = [0, 0, layers.index(row.layer)]
            lost = {"id": f"p{row.place}.hole", "blocks": [], "hole": row.hole, "row": row.place - 1, "edges": [edge]}
            sections.append(lost)
        for at, part in enumerate(row.message.parts):
            name = f"p{row.place}.{at}"
            section: dict[str, Any] = {"id": name, "blocks": _sizes(texts, name), "row": row.place - 1}
            frame = _frame(part, row, at)
            if frame:
                section["frame"] = frame
                if part.opaque:
                    section["blocks"] = []
            section["edges"] = [edge[:3] for edge in _segments(texts, row, at, layers, titles=False)]
            sections.append(section)
    sections += [
        {"id": name, "blocks": _sizes(texts, name), "row": len(texts.view.messages)}
        for name in texts.sections("prompt")
        if name.startswith("a")
    ]
    return {"sections": sections}


def _answer(texts: CallTexts) -> dict[str, Any]:
    view = texts.view
    call, answer = view.call, view.answer
    outcome = words.outcome(call)
    sections = []
    facts = [line] if (line := words.usage_line(call)) else []
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
        "composition": [
            [layer.value, tokens, call.origins.get(layer, call.counted.origin)]
            for layer, tokens in call.composition.items()
            if tokens
        ],
        "sections": sections,
    }
