"""Facts about prompt text inside Markdown."""

from __future__ import annotations

import pytest

from inspector.model.markdown import code_block, code_span


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "`plain`"),
        ("a | b", "`a \\| b`"),
        ("two\nlines", "`two lines`"),
        ("`tick`", "`` `tick` ``"),
        ("a``b", "```a``b```"),
        ("", "`   `"),
        ("\u202eevil\x1b", "`\\u202eevil\\u001b`"),
    ],
)
def test_a_span_is_code_on_one_line(text: str, written: str) -> None:
    """Ticks lengthen the fence, pipes are escaped for tables, what cannot be seen is written out."""
    assert code_span(text) == written


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    """A fenced block inside the text cannot end the one around it."""
    assert code_block("a\n````\nb", "json") == "`````json\na\n````\nb\n`````\n"
