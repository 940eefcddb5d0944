"""Records against prompts; more of them with the compactions."""

from __future__ import annotations

import pytest

from inspector.analysis.contradictions import contradict, name_messages
from inspector.analysis.lifelines import SessionLife
from inspector.model.views import CompactionRow

ROW = CompactionRow(
    id="c", state="done", strategy="trim", policy=None, reason=None, lane="main", time="t", tokens_before=9_999,
    tokens_after=1, duration_ms=None, error=None, caller=None, before_messages=None, after_messages=None, call=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([3], "m3"),
        ([3, 4], "m3 and m4"),
        ([3, 4, 5], "m3, m4 and m5"),
        ([3, 4, 5, 6, 7], "m3, m4, m5 and 2 more"),
        ([], ""),
    ],
)
def test_messages_are_named_by_number(numbers: list[int], text: str) -> None:
    """The first three of many."""
    assert name_messages(numbers) == text


def test_where_nothing_is_known_nothing_is_contradicted() -> None:
    """No lists, no calls."""
    assert contradict(ROW, None, None, None, SessionLife((), {}, {}, {})) == ()
