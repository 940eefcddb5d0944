"""What the Call page reads from the address."""

from __future__ import annotations

import pytest

from inspector.ui.call_page import message_number


@pytest.mark.parametrize(
    ("message", "number"),
    [("m5", 5), ("m0", 0), (None, None), ("", None), ("5", None), ("answer", None), ("m5x", None)],
)
def test_message_number(message: str | None, number: int | None) -> None:
    """Only an ``m`` and digits name a message."""
    assert message_number(message) == number
