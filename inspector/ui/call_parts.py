"""Parts of a message on the Call page: their headings, and the frames of those that have no text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from inspector.model.request import Part
from inspector.model.views import MessageRow
from inspector.ui.format import format_bytes, format_count, format_tokens


def part_heading(part: Part) -> str:
    """Name a part that is no text: its kind, its tool and the id of its call."""
    pieces = [part.kind.replace("_", " ")]
    if part.name:
        pieces.append(part.name)
    if part.call_id:
        pieces.append(part.call_id)
    return " · ".join(pieces)


def part_frame(part: Part, row: MessageRow | None, at: int) -> list[str]:
    """Describe what has no text: an image, a file, something encrypted."""
    if part.opaque:
        return [_unreadable(part)]
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


def _unreadable(part: Part) -> str:
    """Say what a part is whose content only the server knows."""
    if part.kind == "other":
        return f"kept by the server as {part.text}: cannot be read"
    what = "a compaction" if part.name == "compaction" else part.kind.replace("_", " ")
    size = f" ({format_count(len(part.text), 'character')})" if part.text else ""
    return f"{what}, encrypted: cannot be read{size}"


def with_text_headed(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put a heading over text that follows a part with one: else it reads as if it belonged to that part."""
    for before, section in pairwise(sections):
        if section["kind"] == "text" and before.get("head") and before["kind"] != "text":
            section["head"] = "text"
    return sections
