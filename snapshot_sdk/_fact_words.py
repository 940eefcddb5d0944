"""Words that the search for facts passes over, and words that count."""

# ruff: noqa: SIM905, E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

from typing import Final

RULE_FILLERS: Final = frozenset(
    "a an the of to in on at by for and or is are be was were it its this that these those please you your we our i my "
    "me us always must should shall will would need needs have has had do does with as so from there then if when all "
    "any 的 了 是 和 与 或 请 要 必 须 应 该 得 都 也 就 在 以 后 从 现 开 始 把 将 给 对 我 你 您 们 这 那 个 一 务 记 住 使 用 地 着 "
    "吧 呢 啊 每 次".split()
)
"""Words that carry no content of a rule. 用 too: 用中文 and 使用中文 are one."""

ANCHOR_FILLERS: Final = frozenset(
    "the and for was are is has have had been will can you your our their its his her this that with from into not all "
    "any but per about over under than then now see 可以 我们 你们 他们 这个 那个 已经 现在 就是 还是".split()
)
"""Words before a value that do not say what it is."""

MEASURES: Final = frozenset(
    "个 件 人 名 位 次 份 张 条 台 间 页 字 只 本 箱 瓶 盒 双 套 斤 度 号 楼 层 桌 款 家 座 辆 支 枚 项".split()
)
"""Chinese measure words of one character."""

NO_MEASURE: Final = frozenset(
    "的 了 是 和 与 或 及 在 到 就 也 都 而 但 为 以 吗 呢 吧 啊 左 右 内 外 上 下 前 后 之 至 起 已 将 可 请 我 你 您 他 她 它".split()
)
"""Characters behind a number that begin something else."""

NO_MEASURE_WORDS: Final = frozenset(
    "and or is are was were to in on at by for of the a an with from as per but if then so that than not it be will "
    "has have had more less each only total max maximum min minimum".split()
)
"""The same in English."""

ENGLISH_NUMERALS: Final = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
} | {word: 10 * (n + 2) for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
