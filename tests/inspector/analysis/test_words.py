"""Words, and how much two texts share."""

from __future__ import annotations

from inspector.analysis.words import weigh_overlaps, words_of


def test_chinese_characters_are_words() -> None:
    """A sentence of Chinese is not one word."""
    assert words_of("改到 Saturday 吧") == ["改", "到", "saturday", "吧"]


def test_json_escapes_are_read() -> None:
    """Escaped Chinese has the same words."""
    assert words_of('{"a": "\\u5468\\u516d"}') == ["a", "周", "六"]


def test_a_changed_number_is_half_a_match() -> None:
    """Its shape is shared."""
    overlaps = weigh_overlaps(["room 4711"], ["room 4712"])

    assert 0 < overlaps.shared[0, 0] < overlaps.left[0]


def test_equal_texts_share_all_their_weight() -> None:
    """And texts without a common word share none."""
    overlaps = weigh_overlaps(["alpha beta"], ["beta alpha", "gamma"])

    assert overlaps.shared[0, 0] == overlaps.left[0]
    assert overlaps.shared[0, 1] == 0


def test_empty_texts_weigh_nothing() -> None:
    """Nothing to divide by."""
    overlaps = weigh_overlaps(["", "…"], [""])

    assert overlaps.left.tolist() == [0.0, 0.0]
