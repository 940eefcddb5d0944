"""The life of a fact as Markdown, for an issue or a chat: sentences, the strip, the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.ui.format import UNKNOWN, format_tokens, one_line

ROWS: Final = 40
"""Rows of the table that are copied: an issue is read by people."""
_CELL: Final = 160
"""Characters of a cell."""
_ESCAPED: Final = "\\`*_{}[]<>()#+!|~$&"


def trace_markdown(payload: Mapping[str, Any], lane: str) -> str:
    """Write what the page shows of a lane.

    Args:
        payload: Of :func:`inspector.ui.trace_payload.trace_payload`.
        lane: Its name.
    """
    shown = next(one for one in payload["lanes"] if one["name"] == lane)
    lines = [f"**{_safe(payload['session'])}**: {payload['noun']} “{_safe(payload['find'])}”", ""]
    lines += [*(_safe(sentence) for sentence in shown["sentences"]), ""]
    if shown["calls"]:
        strip = "".join(shown["verdict"])
        lines += [f"Calls {shown['calls'][0]}–{shown['calls'][-1]} of lane {_safe(lane)}: {strip}", ""]
    if shown["rows"]:
        lines += ["| call | where | how | text around it | tokens from end |", "|---:|---|---|---|---:|"]
    for call, _, where, how, symbol, _, piece, depth, *_ in shown["rows"][:ROWS]:
        before, hit, after = piece
        text = f"{before}⟦{hit}⟧{after}" if hit else before
        tokens = format_tokens(depth) if depth is not None else UNKNOWN
        lines.append(f"| {call} | {_safe(where)} | {symbol} {_safe(how)} | {_safe(text)} | {tokens} |")
    left = len(shown["rows"]) - ROWS + int(shown["rows_more"])
    if left > 0:
        lines += ["", f"… and {left:,} more rows"]
    return "\n".join(lines) + "\n"


def _safe(text: str) -> str:
    """Write text of a prompt so that Markdown shows it as it is, on one line."""
    return "".join(f"\\{sign}" if sign in _ESCAPED else sign for sign in one_line(text, _CELL))
