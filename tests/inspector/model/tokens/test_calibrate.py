"""A ratio is steady only where recent calls agree."""

from __future__ import annotations

import pytest

from inspector.model.tokens import calibrate


@pytest.mark.parametrize(
    ("history", "ratio"),
    [
        ([], None),
        ([(100, 120), (200, 240)], None),
        ([(100, 120), (200, 240), (300, 360)], 1.2),
        ([(100, 120), (200, 242), (300, 357)], 1.2),
        ([(100, 100), (200, 240), (300, 360)], None),
        ([(100, None), (None, 5), (0, 9), (100, 0), (100, 120), (200, 240)], None),
        ([(100, 300)] + [(100, 120)] * 8, 1.2),
    ],
)
def test_calibrate(history: list[tuple[int | None, int | None]], ratio: float | None) -> None:
    """Three agreeing calls are needed; unknown ones and old ones do not count."""
    assert calibrate(history) == (None if ratio is None else pytest.approx(ratio))
