"""A box where something would stand: what happened, why, what to do. Its text is never markdown."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from inspector.errors import InspectorError
from inspector.model.views import Severity
from inspector.ui.components import mount


def show_message(
    title: str,
    lines: Sequence[str] = (),
    *,
    severity: Severity = "warning",
    code: str | None = None,
    links: Sequence[tuple[str, dict[str, str]]] = (),
) -> None:
    """Show a box.

    Args:
        title: What happened.
        lines: Why, and what to do; a paragraph each.
        severity: Decides symbol and colour.
        code: A command to copy.
        links: Label and parameters of pages to go to; the parameter ``page`` names the page.
    """
    data = {"title": title, "lines": list(lines), "severity": severity, "code": code, "links": [list(x) for x in links]}
    # The text itself may hold "__", which Streamlit keeps for itself in keys: every id of SWE-bench has it.
    mount("message", data, key=f"message-{sha256(title.encode('utf-8', 'backslashreplace')).hexdigest()[:16]}")


def show_error(error: InspectorError) -> None:
    """Show an error of the inspector and its hint."""
    title = error.message[:1].upper() + error.message[1:]
    close = getattr(error, "close", ())
    links = [(name, {"page": "session", "session": name}) for name in close]
    show_message(title, [error.hint] if error.hint else [], severity="error", links=links)
