"""Names of people, places and things, as far as they can be told without a model: by a title, a label, or marks.

What is found: what stands behind a label (``下单人``, ``contact:``) or a title (``Dr.``), Chinese names of a common
surname before 先生, 女士, 经理 …, titles in 《》, and English words with capitals, two to four in a row, not at the
beginning of a sentence. What is not: Chinese names in running text, English names of one word, and any name in
lower case.
"""

# ruff: noqa: SIM905 - a list of words is read as text

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_SURNAMES: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金"
    "陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
"""The hundred most frequent surnames, nearly nine in ten people (census of 2006)."""

_LABELLED: Final = re.compile(
    r"(?:下单人|收货人|联系人|收件人|负责人|经办人|客户|用户|姓名|名字叫?|我叫|他叫|她叫|我是)\s*[:：是]?\s*"
    rf"(?P<name>[{_SURNAMES}][一-鿿]{{1,2}})(?=[\s，。；、,.;:：）)\n]|$|的|，|说|要|想|先生|女士)"
    rf"|(?P<titled>[{_SURNAMES}][一-鿿]{{0,2}}?(?:先生|女士|小姐|老师|经理|总监|主任|医生|教授|师傅|律师))"
    r"|《(?P<work>[^《》，。！？\n]{2,20})》"
    r"|(?<![A-Za-z])(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+"
    r"(?P<person>[A-Z][a-zà-ÿ]+(?:(?: (?:of|de|da|van|von|der))?[ -][A-Z][a-zà-ÿ]+){0,2})"
    r"|(?<![A-Za-z])(?:[Cc]ontact|[Cc]ustomer|[Nn]ame|[Aa]uthor|[Oo]wner)(?:\s+(?:is|name is)\s+|\s*[:=]\s*)\"?"
    r"(?P<contact>[A-Z][a-zà-ÿ]+(?:[ -][A-Z][a-zà-ÿ]+){0,2})(?![A-Za-z])"
)
_CAPITALS: Final = re.compile(
    r"(?<=[a-zà-ÿ0-9,;:(\"“]\s)"
    r"(?P<name>[A-Z][a-zà-ÿ]+(?:\s(?:of|de|da|van|von|the)\s[A-Z][a-zà-ÿ]+|[ -][A-Z][a-zà-ÿ]+){1,3})"
    r"(?![A-Za-z])"
)
_NO_NAMES: Final = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August "
    "September October November December Please Thank Thanks Hello Dear Best Kind Regards Yes No The This That "
    "Here There What When Where Which Note Summary".split()
)
"""Words whose capital says nothing."""


@dataclass(frozen=True)
class ProperName:
    """A name in a text."""

    start: int
    end: int
    text: str


def find_proper_names(text: str) -> Iterator[ProperName]:
    """Find names that their surroundings show to be names, in order of the two ways to find them.

    Args:
        text: Any text.
    """
    for match in _LABELLED.finditer(text):
        group = match.lastgroup or ""
        yield ProperName(match.start(group), match.end(group), match[group])
    for match in _CAPITALS.finditer(text):
        if not _NO_NAMES.intersection(match["name"].split()):
            yield ProperName(match.start("name"), match.end("name"), match["name"])
