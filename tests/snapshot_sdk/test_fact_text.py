"""Folding brings texts into one form, with the way back."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot_sdk._fact_text import Taken, clause_of, fold, folded, plain, sentence_of, sentences

SIGNS = "aZ1 -\n\\ntr/u4f1aC:\"'，。：５Ａé①²㎏\u0301\u200b\u00ad\u00a0\u2011中文か\u3099\ud800😀İß"


@pytest.mark.parametrize(
    ("text", "form"),
    [("ＯＲＤ－１", "ord-1"), ("a‑b–c—d−e", "a-b-c-d-e"), ("a\u200bb\u00adc\ufeff", "abc"), ("“x” ‘y’", "\"x\" 'y'"),
     ("a\u00a0b\u3000c", "a b c"), ("Mu\u0308ller", "müller"), ("10²", "10²"), ("①", "①"), ("，。！", ",。!"),
     (r"\u4f1a\u5458", "会员"), (r"a\nb\tc", "a\nb\tc"), (r"http:\/\/x", "http://x"), (r"C:\new\run", r"c:\new\run"),
     (r"a\\nb", r"a\\nb")],
)  # fmt: skip
def test_one_form(text: str, form: str) -> None:
    """Width, case, dashes, quotes, marks and JSON escapes; what means another number stays."""
    assert folded(text) == form


@settings(deadline=None)
@given(st.text(SIGNS, max_size=60) | st.text(max_size=60))
def test_spans_lead_back(text: str) -> None:
    """Each character of the form comes from a span of the text, the spans go forward, and fold to it."""
    form = fold(text)
    last = 0
    for at, char in enumerate(form.text):
        start, end = form.original(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert start >= last or end >= last
        last = start
        assert char in folded(text[start:end]) or char in unicodedata.normalize("NFKC", text[start:end]).lower()


@settings(deadline=None)
@given(st.text(SIGNS, max_size=60))
def test_a_span_of_all_covers_all_that_shows(text: str) -> None:
    """Nothing but invisible characters lies outside of the span of the whole form."""
    form = fold(text)
    start, end = form.original(0, len(form.text))
    if form.text:
        assert folded(text[:start]) == "" == folded(text[end:])


@settings(deadline=None)
@given(st.text("aB1-\n .", max_size=60))
def test_plain_letters_map_to_themselves(text: str) -> None:
    """A text without anything odd is only put into lower case."""
    form = fold(text)
    assert form.text == text.lower()
    assert form.original(0, len(text)) == (0, len(text))


def test_an_empty_span_stays() -> None:
    """It has no first character to lead back."""
    assert plain("ab").original(1, 1) == (1, 1)


@settings(deadline=None)
@given(st.text("ab。.!?\n; ，,1", max_size=60))
def test_sentences_are_apart_and_in_order(text: str) -> None:
    """They do not overlap, and only blanks lie between."""
    last = 0
    for start, end in sentences(text):
        assert last <= start < end <= len(text)
        assert not re.search("[ab1]", text[last:start])
        last = end


def test_a_clause_ends_at_a_comma_but_not_within_a_number() -> None:
    """8,500 is no list."""
    text = "fee 8,500 now, rent 900"
    assert text[slice(*clause_of(text, 4, 9))] == "fee 8,500 now"


def test_a_clause_ends_with_its_line() -> None:
    """Also where the next begins with a digit: lines are judged by themselves."""
    assert clause_of("budget:\n8500", 8, 12) == (8, 12)


def test_a_sentence_goes_over_commas() -> None:
    """It ends at a full stop with a blank behind it."""
    text = "one. two, v1.2 three. four"
    assert text[slice(*sentence_of(text, 5, 8))].strip() == "two, v1.2 three"


def test_taken_spans_do_not_overlap() -> None:
    """What overlaps a taken one is refused; what touches it is not."""
    taken = Taken([(2, 4)])
    assert [taken.take(3, 5), taken.take(4, 6), taken.take(0, 2), taken.free(1, 3)] == [False, True, True, False]


def test_what_begins_within_a_span_is_known() -> None:
    """The end of the span does not belong to it."""
    taken = Taken([(2, 4), (9, 10)])
    assert (taken.begins_within(0, 2), taken.begins_within(2, 3), taken.begins_within(5, 20)) == (False, True, True)
