"""Names in running Chinese text: precision and recall on a table written by hand, and what is never a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.analysis.chinese_names import find_chinese_names

TABLE = Path(__file__).parents[2] / "data" / "names" / "chinese.jsonl"
CASES = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]


def names_in(text: str) -> list[str]:
    """The names found in a text."""
    return [text[one.start : one.end] for one in find_chinese_names(text)]


@pytest.mark.parametrize("case", CASES, ids=[str(n) for n in range(1, len(CASES) + 1)])
def test_no_name_is_made_up(case: dict[str, object]) -> None:
    """Nothing is found in the table but its names: precision is 1 on it."""
    wanted = case["names"]
    assert isinstance(wanted, list)
    assert set(names_in(str(case["text"]))) <= set(wanted)


@pytest.mark.parametrize(("held_out", "least"), [(False, 0.98), (True, 0.86)])
def test_recall_is_what_the_documentation_says(held_out: bool, least: float) -> None:
    """Of the sentences the rules were mended by, and of those they never saw."""
    own = [case for case in CASES if case["held_out"] is held_out]
    wanted = sum(len(case["names"]) for case in own)
    found = sum(len(set(names_in(case["text"])) & set(case["names"])) for case in own)

    assert found / wanted >= least


def test_the_table_is_large_enough() -> None:
    """And half of it holds no name."""
    assert len(CASES) >= 60
    assert sum(not case["names"] for case in CASES) / len(CASES) > 0.35


@pytest.mark.parametrize(
    "text",
    ["好的，谢谢。", "", "于该句而言", "优于医生的判断", "从历史数据中学习", "四大会计师事务所", "利益集团", "大都市",
     "许多公司都这样", "English only.", "《石头记》"],
)  # fmt: skip
def test_common_words_are_no_names(text: str) -> None:
    """Most surnames begin common words, and 中学, 公司, 市 end them."""
    assert names_in(text) == []


def test_an_address_has_its_number() -> None:
    """A road alone is none, and a line of the underground neither."""
    assert names_in("寄到南京市鼓楼区中央路201号。") == ["南京市鼓楼区中央路201号"]
    assert names_in("沿着中央路走，坐3号线。") == []


def test_names_of_a_list_are_all_found() -> None:
    """What follows a name and a mark is a name, if it looks like one."""
    assert names_in("抄送：郭晓东、宋佳和马琳。") == ["郭晓东", "宋佳", "马琳"]
    assert names_in("通知刘洋和文具、毛毯一起到。") == ["刘洋"]
