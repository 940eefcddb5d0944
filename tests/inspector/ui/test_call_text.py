"""Sections, blocks, offsets and hits of one call's texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.request import Message, Part, Usage
from inspector.model.views import AnswerView, CallView
from inspector.ui.call_text import HITS_LIMIT, CallTexts, Units, cut_blocks

MakeView = Callable[..., CallView]
NO_USAGE = Usage(None, None, None, None, None)


def utf16(text: str) -> bytes:
    """Return a text as the browser holds it."""
    return text.encode("utf-16-le", "surrogatepass")


def text_call(make_view: MakeView, *texts: str, answer: str | None = None, body: bytes = b"{}") -> CallTexts:
    """Build the texts of a call of one text part a message."""
    answered = None
    if answer is not None:
        messages = (Message("assistant", (Part("text", answer),)),)
        answered = AnswerView(messages, NO_USAGE, None, "stop", None, "answered", 200, 1.0, None)
    view = make_view(*[("user", (Part("text", text),)) for text in texts], answer=answered)
    return CallTexts(view, lambda: body)


@given(st.text(alphabet="ab\n你😀", max_size=200), st.integers(2, 20))
def test_blocks_together_are_the_text(text: str, size: int) -> None:
    """Nothing is lost or doubled between blocks, and each says how long it is in the browser."""
    blocks = cut_blocks(text, size)
    assert "".join(text[block.start : block.end] for block in blocks) == text
    assert [block.units for block in blocks] == [len(utf16(text[b.start : b.end])) // 2 for b in blocks]
    assert sum(block.lines for block in blocks) == text.count("\n")


def test_a_block_ends_at_a_line_end_where_one_is_near() -> None:
    """Lines are cut only where they are longer than half a block."""
    blocks = cut_blocks("1234567\n" * 3, 10)
    assert [block.end for block in blocks] == [8, 16, 24]


def test_a_line_of_two_megabytes_is_cut() -> None:
    """One endless line comes in blocks like any text."""
    assert len(cut_blocks("x" * 2_000_000)) == 123


@given(st.text(max_size=50), st.integers(0, 50))
def test_offsets_are_those_of_the_browser(text: str, offset: int) -> None:
    """An offset in code points becomes one in UTF-16 units."""
    assert Units(text).at(min(offset, len(text))) == len(utf16(text[:offset])) // 2


@pytest.mark.parametrize(("query", "total"), [("短信", 3), ("ord-1", 2), ("ORD-1", 2), (".", 1), ("nowhere", 0)])
def test_find_is_literal_and_ignores_case(make_view: MakeView, query: str, total: int) -> None:
    """Chinese, either case, and a dot that is only a dot."""
    texts = text_call(make_view, "偏好短信。只发短信", "ORD-1 and ord-1.", answer="短信已发")
    assert texts.find(query, "prompt").total == total


def test_find_counts_the_answer_apart(make_view: MakeView) -> None:
    """Hits of the answer are hits, and it is said how many they are."""
    found = text_call(make_view, "a b a", answer="a").find("a", "prompt")
    assert (found.total, found.in_answer, found.sections) == (3, 1, ("p1.0", "a0.0"))


def test_hits_have_offsets_of_the_browser(make_view: MakeView) -> None:
    """An emoji before a hit moves it by two."""
    assert text_call(make_view, "😀 x", "x").find("x", "prompt").hits == ((0, 3, 1), (1, 0, 1))


def test_the_count_goes_on_beyond_the_hits_that_can_be_walked(make_view: MakeView) -> None:
    """The figure is that of the whole prompt."""
    found = text_call(make_view, "a" * (HITS_LIMIT + 5)).find("a", "prompt")
    assert (found.total, len(found.hits)) == (HITS_LIMIT + 5, HITS_LIMIT)


def test_find_in_the_body_looks_at_the_form_that_is_shown(make_view: MakeView) -> None:
    """Indented, an escaped character can be found; as stored it is escaped."""
    texts = text_call(make_view, body=rb'{"a":"\u4f60"}')
    assert (texts.find("你", "j").total, texts.find("你", "r").total, texts.find("u4f60", "r").total) == (1, 0, 1)


def test_the_name_of_a_called_tool_is_found(make_view: MakeView) -> None:
    """A tool call is searched as it reads: name and arguments."""
    view = make_view(("assistant", (Part("tool_call", '{"a":1}', name="query_order", call_id="c"),)))
    assert CallTexts(view, lambda: b"").find("query_order({", "prompt").total == 1


def test_the_body_is_read_only_when_it_is_looked_at(make_view: MakeView) -> None:
    """A page that shows the list never reproduces the body."""
    reads: list[int] = []
    texts = CallTexts(make_view(("user", (Part("text", "a"),))), lambda: (reads.append(1), b"{}")[1])
    texts.find("a", "prompt")
    assert (texts.text("p1.0"), reads) == ("a", [])
    assert (texts.text("r"), texts.text("j"), reads) == ("{}", "{}", [1])


def test_a_block_that_is_not_there_is_empty(make_view: MakeView) -> None:
    """A browser that asks for too much gets nothing, not an error."""
    texts = text_call(make_view, "a")
    assert (texts.block("p1.0", 7), texts.block("p1.0", -1), texts.has("p9.0")) == ("", "", False)
