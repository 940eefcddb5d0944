"""Watches set from the Call page: which text is meant, and what is said of it afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.errors import InspectorError
from inspector.index.watchlist import Watchlist
from inspector.model.context import Block
from inspector.model.watches import Watch, make_watch
from inspector.ui.call_docs import Asked
from inspector.ui.call_text import CallTexts
from inspector.ui.format import one_line
from inspector.ui.frame_data import short_path

LONGEST_TEXT: Final = 2_000
"""Characters of a whole message that is written as text; a longer one is named by its content hash."""
QUOTED: Final = 60


def change_watch(watchlist: Watchlist, session: str, asked: Asked, want: Mapping[str, Any]) -> dict[str, Any]:
    """Set or remove a watch.

    Args:
        watchlist: Of the directory.
        session: The session that is looked at.
        asked: The call that is looked at.
        want: ``remove`` (an id), or ``doc`` (``p5``, ``g67``), with ``section``, ``start`` and ``end`` (UTF-16 units
            into it) for a passage.

    Returns:
        ``text`` for the reader, ``tone`` (``good`` or ``error``), and ``undo`` (an id) after a watch was set.
    """
    try:
        if want.get("remove"):
            removed = watchlist.remove(str(want["remove"]))
            return {"text": "No longer watched." if removed else "This watch is gone already.", "tone": "good"}
        watch = _read(session, asked, want)
        place = _place(watchlist)
        if not watchlist.add(watch):
            return {"text": f"Watched already: “{one_line(watch.excerpt, QUOTED)}”", "tone": "good"}
    except (ValueError, InspectorError) as error:
        return {"text": str(error), "tone": "error"}
    return {"text": f"Watching “{one_line(watch.excerpt, QUOTED)}”. {place}", "tone": "good", "undo": watch.id}


def _place(watchlist: Watchlist) -> str:
    beside, _ = watchlist.files
    if watchlist.file == beside:
        return f"Written to {short_path(beside)}."
    return f"Nothing can be written beside these traces: it is kept in {short_path(watchlist.file)}."


def _read(session: str, asked: Asked, want: Mapping[str, Any]) -> Watch:
    lanes = {context.call: context.lane for context in asked.changes.contexts}
    lane = lanes.get(asked.call)
    other = None if lane == _main(lanes) else lane
    block = _block(asked, str(want.get("doc", "")))
    if block is None:
        raise ValueError("Choose a message of the prompt: an answer is in no prompt yet.")
    if want.get("section"):
        text = cut_passage(asked.texts, str(want["section"]), int(want["start"]), int(want["end"])).strip()
        if not text:
            raise ValueError("The selection holds no text.")
        if text not in block.text:
            raise ValueError("This is not how the text stands in the prompt: show it “As sent” and select it there.")
        return make_watch({"text": text}, session=session, lane=other)
    if not block.text.strip():
        raise ValueError("This message has no text that could be watched.")
    if len(block.text) <= LONGEST_TEXT:
        return make_watch({"text": block.text}, session=session, lane=other)
    name = one_line(block.text, QUOTED * 2)
    return make_watch({"message": block.content}, excerpt=name, session=session, lane=other)


def _main(lanes: Mapping[int, str]) -> str | None:
    """The lane a watch is about unless it says otherwise."""
    return "main" if "main" in lanes.values() else next(iter(lanes.values()), None)


def _block(asked: Asked, doc: str) -> Block | None:
    number = int(doc[1:]) if doc[1:].isdigit() else 0
    if doc.startswith("p") and 1 <= number <= len(asked.blocks):
        return asked.blocks[number - 1]
    shown = asked.ghost(number) if doc.startswith("g") else None
    return shown.ghost.block if shown is not None else None


def cut_passage(texts: CallTexts, section: str, start: int, end: int) -> str:
    """Return a passage of a section.

    Args:
        texts: Of the call.
        section: Id of the section.
        start: Where it begins, in UTF-16 units.
        end: Where it ends, in UTF-16 units.
    """
    if not texts.has(section):
        return ""
    units = texts.text(section).encode("utf-16-le", "surrogatepass")
    return units[max(0, start) * 2 : max(0, end) * 2].decode("utf-16-le", "surrogatepass")
