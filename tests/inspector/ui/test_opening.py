"""What a page shows in place of itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from inspector.errors import InspectorError, SessionNotFoundError
from inspector.ui import opening


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Titles of the boxes that are shown."""
    titles: list[str] = []

    def keep(title: str, *_: Any, **__: Any) -> None:
        titles.append(title)

    monkeypatch.setattr(opening, "show_message", keep)
    monkeypatch.setattr(opening, "show_error", lambda error: keep(error.message))
    return titles


def reading(monkeypatch: pytest.MonkeyPatch, *, running: bool) -> None:
    """Let the index be busy, or not."""
    index = SimpleNamespace(state=lambda: SimpleNamespace(running=running))
    monkeypatch.setattr(opening.state, "get_index", lambda: index)


def test_a_session_may_still_come(shown: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """While files are being read it is not called missing."""
    reading(monkeypatch, running=True)
    opening.show_unopened(SessionNotFoundError("s"))
    assert shown == ["Session s is not read yet"]


def test_a_session_that_is_not_there(shown: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """All files are read: there is none."""
    reading(monkeypatch, running=False)
    opening.show_unopened(SessionNotFoundError("s"))
    assert shown == ["there is no session 's'"]


def test_another_error_is_shown_at_once(shown: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading on would not mend it."""
    reading(monkeypatch, running=True)
    opening.show_unopened(InspectorError("broken"))
    assert shown == ["broken"]
