"""What the Call page sends to the browser: one call as lists of figures, texts only by window.

Two payloads. :func:`call_payload` is the list: a column of figures per property, no texts but the
excerpts around the selected row. :func:`reply` answers what the browser then asks for: documents
(which sections a view shows, how they are cut), blocks of text, excerpts, hits, the body.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from inspector.analysis.overlaps import overlap_words
from inspector.fixtures.homes.curl import curl_command
from inspector.model.layers import LAYER_STYLES, Layer
from inspector.model.request import Message, Part
from inspector.model.views import AnswerView, CallView, MessageRow
from inspector.ui import call_words as words
from inspector.ui.call_docs import Asked, document
from inspector.ui.call_effective import Reading, effect_words
from inspector.ui.call_fates import CallFates, fates_payload, ghost_excerpts
from inspector.ui.call_text import CallTexts, part_text
from inspector.ui.format import format_bytes, format_duration, one_line

EXCERPT_CHARS: Final = 200
"""Enough for the widest list; the browser cuts by measured width."""
FIRST_EXCERPTS: Final = 300
"""Rows whose excerpts come with the list; the others follow when they are scrolled to."""
REPLY_CHARS: Final = 600_000
"""Text of one reply; the browser asks again for what did not fit."""
PREFETCH: Final = 3
"""Messages before and after the selected one whose texts come along."""
LAYER_NAMES: Final = tuple(LAYER_STYLES)


def excerpt(message: Message, hole: str | None = None) -> str:
    """Put the beginning of a message on one line."""
    if hole is not None:
        return f"content lost: {hole}"
    definitions = [part for part in message.parts if part.kind == "tool_definition"]
    if definitions:
        names = ", ".join(part.name or "?" for part in definitions[:40])
        return f"{len(definitions)} tool definition{'s' if len(definitions) != 1 else ''}: {names}"[:EXCERPT_CHARS]
    pieces: list[str] = []
    room = EXCERPT_CHARS
    for part in message.parts:
        if room <= 0:
            break
        piece = _part_excerpt(part, room)
        if piece:
            pieces.append(piece)
            room -= len(piece)
    return " ⏎ ".join(pieces)


def _part_excerpt(part: Part, room: int) -> str:
    if part.opaque:
        what = part.text if part.kind == "other" else part.name or part.kind
        return f"[{what}: cannot be read]"
    if part.media is not None:
        size = f" {part.media.width} × {part.media.height}" if part.media.width else ""
        return f"[{part.kind}{size}]"
    return one_line(part_text(part), room)


def _rows(rows: Sequence[MessageRow]) -> dict[str, Any]:
    roles = sorted({row.message.role or "–" for row in rows})
    mixed = {}
    for at, row in enumerate(rows):
        layers: dict[Layer, int] = {}
        for segment in row.segments:
            layers[segment.layer] = layers.get(segment.layer, 0) + (segment.tokens.count or 0)
        if len(layers) > 1:
            mixed[str(at)] = [[LAYER_NAMES.index(layer), tokens] for layer, tokens in layers.items()]
    return {
        "number": [row.number for row in rows],
        "layer": [LAYER_NAMES.index(row.layer) for row in rows],
        "roles": roles,
        "role": [roles.index(row.message.role or "–") for row in rows],
        "tokens": [row.tokens.count for row in rows],
        "holes": [at for at, row in enumerate(rows) if row.hole is not None],
        "mixed": mixed,
    }


def excerpts(view: CallView, start: int, end: int, fates: CallFates | None = None) -> list[str]:
    """Return the excerpts of rows ``start`` to ``end`` (from 0, end excluded).

    The answer counts as the row after the last message, and the messages that are gone stand after that.
    """
    count = len(view.messages)
    own = [excerpt(row.message, row.hole) for row in view.messages[max(0, start) : end]]
    answer = [""] if start <= count < end else []
    gone = ghost_excerpts(fates, start - count - 1, end - count - 1) if fates is not None else []
    return own + answer + gone


def _answer_row(view: CallView) -> dict[str, Any]:
    answer = view.answer
    outcome = words.outcome(view.call)
    if answer is None:
        return {
            "text": outcome.text if outcome else "no answer recorded",
            "tone": "warning",
            "tokens": None,
            "note": "",
        }
    text = " ⏎ ".join(piece for message in answer.messages if (piece := excerpt(message)))[:EXCERPT_CHARS]
    note = " · ".join(piece for piece in (_took(answer), answer.stop_reason or "") if piece)
    tone = outcome.tone if outcome else "plain"
    shown = " · ".join(piece for piece in (outcome.text if outcome else "", text) if piece)
    return {"text": shown, "tone": tone, "tokens": answer.usage.output_tokens, "note": note}


def _took(answer: AnswerView) -> str:
    return "" if answer.duration_ms is None else format_duration(answer.duration_ms)


def header_facts(view: CallView, reading: Reading, overlaps: Sequence[int] = ()) -> list[words.Fact]:
    """Assemble the chips of the header line, the loud ones first."""
    call = view.call
    raw = call.exact == "bytes" and call.api == "unknown" and not any(row.member for row in view.messages)
    facts = [fact for fact in (words.outcome(call), words.provenance(call, view.replaced, raw=raw)) if fact]
    facts.append(effect_fact(view, reading))
    if overlaps:
        title = "Each of these calls was sent before the other one's answer was there."
        facts.append(words.Fact(overlap_words(overlaps), title, "warning"))
    if view.replaced:
        listed = "\n".join(f"{path}: {kind}" for path, kind in view.replaced[:50])
        facts.append(words.Fact(f"{len(view.replaced)} replaced values", listed, "warning"))
    facts.append(words.Fact(f"sha256 {view.sha256[:10]}…", f"sha256 {view.sha256}\nClick copies it.", copy=view.sha256))
    facts.append(words.Fact(format_bytes(view.body_size), f"{view.body_size:,} bytes of body"))
    if call.model:
        facts.append(words.Fact(call.model, f"model, read as {call.api}"))
    if call.lane != "main" or call.purpose:
        purpose = f" · {call.purpose}" if call.purpose else ""
        facts.append(words.Fact(f"lane {call.lane}{purpose}", f"lane {call.lane_origin}"))
    if call.attempts > 1:
        facts.append(words.Fact(f"{call.attempts} attempts", "tries of this call on the wire"))
    facts += words.parameter_facts({k: v for k, v in view.parameters.items() if k != "model" or v != call.model})
    if call.caller:
        facts.append(
            words.Fact(call.caller, f"{call.caller}\nFirst frame of your code. Click copies it.", copy=call.caller)
        )
    place = f"{call.file}:{call.line}"
    short = f"{call.file.rsplit('/', 1)[-1]}:{call.line}"
    facts.append(words.Fact(short, f"{place}\nLine of the trace file. Click copies it.", copy=place))
    return facts


def effect_fact(view: CallView, reading: Reading) -> words.Fact:
    """Say whether the model saw what was sent."""
    if view.seen is None or view.call.server is None:
        return words.Fact("sent = effective", "\n".join(reading.notes) or "The model saw what was sent.")
    return words.Fact(
        "sent ≠ effective", "A server changed the prompt before the model read it; Effective (e) shows how.", "warning"
    )


def call_payload(reading: Reading, selected: int | None = None, overlaps: Sequence[int] = ()) -> dict[str, Any]:
    """Return the list of one call.

    Args:
        reading: The call as it is shown, and what happened at it.
        selected: Number (``m67`` → 67) of the message whose surroundings come with excerpts.
        overlaps: Numbers of the calls that ran at the same time.
    """
    view, fates = reading.view, reading.fates
    call = view.call
    rows = view.messages
    at = next((i for i, row in enumerate(rows) if row.number == selected), 0)
    start = max(0, min(at - FIRST_EXCERPTS // 2, len(rows) - FIRST_EXCERPTS))
    limit = call.budget or call.window
    payload: dict[str, Any] = {
        "number": call.number,
        "id": call.id,
        "turn": call.turn_label,
        "api": call.api,
        "whole": bool(view.sha256),
        "layers": LAYER_NAMES,
        "rows": _rows(rows),
        "window": {
            "limit": limit,
            "kind": "budget" if call.budget else "window",
            "threshold": call.threshold,
            "tokens": call.tokens.count,
            "overhead": call.composition.get(Layer.OVERHEAD, 0),
        },
        "answer": _answer_row(view),
        "facts": [asdict(fact) for fact in header_facts(view, reading, overlaps)],
        "effective": _effective(reading),
        **fates_payload(fates),
    }
    payload["rows"]["pinned"] = sorted(fates.pinned)
    payload["rows"]["unseen"] = [
        at for at, row in enumerate(rows) if not reading.effective and _is_unseen(reading, row.number)
    ]
    payload["key"] = hashlib.sha256(json.dumps(payload, default=str).encode()).hexdigest()[:16]
    payload["excerpts"] = [
        {"start": start, "items": excerpts(view, start, min(start + FIRST_EXCERPTS, len(rows)))},
        {"start": len(rows) + 1, "items": ghost_excerpts(fates, 0, FIRST_EXCERPTS)},
    ]
    return payload


def _is_unseen(reading: Reading, number: int) -> bool:
    return number in reading.unseen and reading.unseen[number].whole


def _effective(reading: Reading) -> dict[str, Any]:
    """Say which reading it is, and in words how the two differ."""
    view, effect = reading.view, reading.view.call.server
    differs = view.seen is not None and effect is not None
    said = "sent = effective: as far as the record tells, the model saw what was sent"
    if view.seen is not None and effect is not None:
        # A message of which a compaction block was told apart is still one.
        seen = {row.sent or -row.row.place for row in view.seen.rows}
        said = effect_words(effect, view.call.messages, len(seen))
    return {"on": reading.effective, "differs": differs, "said": said, "notes": list(reading.notes)}


def first_want(view: CallView, fates: CallFates, selected: int | None, shown: str) -> dict[str, Any]:
    """Say what a view needs for its first picture: the selected message and its neighbours, or a stream."""
    if shown == "text":
        return {"docs": ["t"], "lead": ["t"]}
    if shown == "json":
        return {"docs": ["j"], "lead": ["j"]}
    at = next((i for i, row in enumerate(view.messages) if row.number == selected), None)
    if at is None and selected is not None:
        gone = any(one.ghost.number == selected for one in fates.ghosts)
        docs = [f"{'g' if gone else 'x'}{selected}"]
        return {"docs": docs, "lead": docs}
    if at is None:
        docs = ["a"] + [f"p{row.place}" for row in view.messages[:PREFETCH]]
        return {"docs": docs, "lead": docs}
    near = view.messages[max(0, at - PREFETCH) : at + PREFETCH + 1]
    docs = [f"p{view.messages[at].place}"] + [f"p{row.place}" for row in near if row.number != selected]
    return {"docs": docs, "lead": docs}


def reply(asked: Asked, key: str, want: Mapping[str, Any]) -> dict[str, Any]:
    """Answer what the browser asked for; what it asked wrongly is left out.

    Args:
        asked: The call, and what is known around it.
        key: Of the payload the browser has.
        want: ``docs`` (names), ``lead`` (documents whose first blocks come along), ``blocks``
            (``[section, number]``), ``rows`` (``[start, end]``), ``find`` (``q``, ``scope``), ``body`` (``text``,
            ``file``, ``curl``, or ``message`` with the document ``of``).
    """
    texts = asked.texts
    answer: dict[str, Any] = {"key": key, "seq": want.get("seq", 0)}
    docs = {}
    for name in want.get("docs", ()):
        made = document(asked, name, LAYER_NAMES)
        if made is not None:
            docs[name] = made
    answer["docs"] = docs
    wanted = [(section, at) for section, at in want.get("blocks", ()) if texts.has(section)]
    for at, name in enumerate(want.get("lead", ())):
        wanted += _lead_blocks(docs.get(name), LEAD_BLOCKS if at == 0 else 1)
    answer["blocks"] = _blocks(texts, wanted)
    answer["rows"] = [[start, excerpts(texts.view, start, end, asked.fates)] for start, end in want.get("rows", ())]
    find = want.get("find")
    if find:
        scope = find.get("scope")
        found = texts.find(str(find["q"]), scope if scope in ("j", "r") else "prompt")
        answer["find"] = {"q": find["q"], "scope": scope, **asdict(found)}
    if want.get("body") and (texts.lost is None or want["body"] == "message"):
        answer["body"] = _body(texts, want["body"], str(want.get("of", "")))
    return answer


LEAD_BLOCKS: Final = 4
"""Blocks of each section that come with the first document asked for; one with those fetched ahead."""
LEAD_SECTIONS: Final = 40
"""Sections of a stream that come with it: more than a tall screen holds."""


def _lead_blocks(doc: dict[str, Any] | None, blocks: int) -> list[tuple[str, int]]:
    lead: list[tuple[str, int]] = []
    for section in doc["sections"][:LEAD_SECTIONS] if doc else ():
        shown = section.get("pretty", section)
        lead += [(shown["id"], at) for at in range(min(blocks, len(shown["blocks"]) // 3))]
    return lead


def _blocks(texts: CallTexts, wanted: Sequence[tuple[str, int]]) -> list[list[Any]]:
    room = REPLY_CHARS
    sent: list[list[Any]] = []
    for section, at in wanted:
        text = texts.block(section, at)
        if sent and len(text) > room:
            break
        room -= len(text)
        sent.append([section, at, text])
    return sent


def _body(texts: CallTexts, form: str, of: str) -> dict[str, Any]:
    call = texts.view.call
    if form == "curl":
        view = texts.view
        return {"form": form, "text": curl_command(call.api, texts.body, view.sha256, view.endpoint)}
    if form == "file":
        return {"form": form, "base64": base64.b64encode(texts.body).decode("ascii")}
    if form == "message":
        return {"form": form, "text": texts.whole(of)}
    return {"form": "text", "text": texts.text("r")}


def pack(payload: Mapping[str, Any]) -> bytes:
    r"""Write a payload as ``key\n`` and JSON: the browser sees from the key alone whether it knows it.

    Chinese stays three bytes a character; a payload with a lone surrogate is written as ASCII.
    """
    head = f"{payload['key']}.{payload.get('seq', '')}\n".encode()
    try:
        return head + json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return head + json.dumps(payload, separators=(",", ":")).encode()
