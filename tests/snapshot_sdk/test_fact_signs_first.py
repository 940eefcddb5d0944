"""A sign is looked for before the pattern that has it: no match of such a pattern is without the sign."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot_sdk import _fact_dates, _fact_durations, _fact_weekdays

GUARDED: dict[str, tuple[re.Pattern[str], tuple[str, ...]]] = {
    "half of a Chinese unit": (_fact_durations._HALF_ZH, ("半",)),
    "Chinese unit and a half": (_fact_durations._AND_HALF_ZH, ("半",)),
    "half an hour": (_fact_durations._HALF_EN, ("half ",)),
    "hour and a half": (_fact_durations._AND_HALF_EN, (" and a half",)),
    "one hour": (_fact_durations._ONE, ("one ",)),
    "Chinese date": (_fact_dates._CHINESE, ("月",)),
    "Chinese range": (_fact_dates._DAYS_CHINESE, ("月",)),
    "day from today": (_fact_weekdays._DAY, _fact_weekdays._SIGNS_OF_DAY),
}
WORDS = (
    "一 两 3 12 个半 半 半个 个 小时 天 月 年 日 号 到 - 明天 明日 后天 前天 大 星期 周 2026 "
    "half an a of hour day and one now the after before tomorrow today yesterday"
)
PIECES = st.sampled_from(WORDS.split())
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["", " "])), max_size=8)


@pytest.mark.parametrize("name", GUARDED)
@settings(max_examples=400, deadline=None)
@given(pieces=TEXTS)
def test_a_text_without_the_sign_has_no_match(name: str, pieces: list[tuple[str, str]]) -> None:
    """Of words that such values are made of, put together at random; the signs are taken out of them."""
    pattern, signs = GUARDED[name]
    text = "".join(piece + joint for piece, joint in pieces)
    for sign in signs:
        text = text.replace(sign, "")

    assert pattern.search(text) is None or any(sign in text for sign in signs)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("half of a Chinese unit", "三个半小时"),
        ("Chinese unit and a half", "两天半"),
        ("half an hour", "half an hour"),
        ("hour and a half", "an hour and a half"),
        ("one hour", "one hour"),
        ("Chinese date", "3月5日"),
        ("Chinese range", "3月5-7日"),
        ("day from today", "day after tomorrow"),
    ],
)
def test_a_text_with_the_value_has_a_match_and_the_sign(name: str, text: str) -> None:
    """So that the test above looks at patterns that do match."""
    pattern, signs = GUARDED[name]

    assert pattern.search(text)
    assert any(sign in text for sign in signs)
