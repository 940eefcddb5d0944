"""Units that numbers are counted in: currencies and lengths of time, Chinese and English."""

from __future__ import annotations

import re
from typing import Final

_CURRENCIES: Final = {
    "CNY": ("元", "圆", "块钱", "块", "人民币", "rmb", "cny", "yuan", "kuai", "cn¥", "¥"),
    "USD": ("美元", "美金", "us$", "usd", "dollars", "dollar", "$"),
    "EUR": ("欧元", "euros", "euro", "eur", "€"),
    "GBP": ("英镑", "pounds", "pound", "gbp", "£"),
    "JPY": ("日元", "円", "jpy", "yen"),
    "HKD": ("港元", "港币", "hk$", "hkd"),
    "TWD": ("台币", "新台币", "nt$", "twd"),
    "KRW": ("韩元", "₩", "krw"),
    "INR": ("卢比", "₹", "inr", "rupees"),
    "SGD": ("新元", "新币", "s$", "sgd"),
    "AUD": ("澳元", "a$", "aud"),
    "CAD": ("加元", "c$", "cad"),
    "CHF": ("瑞士法郎", "法郎", "chf", "francs"),
}
"""A bare $ is the dollar of the United States and ¥ the yuan: where it is not, another currency is seen, never the
same one where it is another."""
CURRENCY: Final = {word: name for name, words in _CURRENCIES.items() for word in words}
_WORDS: Final = "|".join(re.escape(word) for word in sorted(CURRENCY, key=len, reverse=True))
MONEY_AFTER: Final = re.compile(rf" ?({_WORDS})(?![a-z])")
MONEY_BEFORE: Final = re.compile(rf"(?<![a-z])({_WORDS})[ :=]?-?\Z")
CODE_BEFORE: Final = re.compile(r"(?:rmb|cny|usd|eur|gbp|jpy|hkd|us)(?=[0-9])")
"""A currency written on to its number."""

MONEY_WORDS: Final = re.compile(
    r"预算|价|费|款|金额|总额|合计|共计|总计|一共|钱|工资|薪|押金|定金|成本|收入|支出|余额|付|赔|账单|报销|额度"
    r"|(?<![a-z])(?:budgets?|prices?|costs?|fees?|totals?|amounts?|pays?|paid|payments?|refunds?|deposits?|salary|rent"
    r"|balance|invoice|bills?|spend|spent|charges?|limit)(?![a-z])"
)
"""Words by which a bare number is an amount."""

_DURATIONS: Final = {
    "second": ("秒钟", "秒", "seconds", "second", "secs", "sec", "s"),
    "minute": ("分钟", "minutes", "minute", "mins", "min"),
    "hour": ("个小时", "小时", "个钟头", "钟头", "hours", "hour", "hrs", "hr", "h"),
    "day": ("天", "days", "day", "个日历日", "日历日"),
    "week": ("个星期", "星期", "周", "个礼拜", "礼拜", "weeks", "week"),
    "month": ("个月", "months", "month"),
    "year": ("年", "years", "year"),
    "workday": ("个工作日", "工作日", "business days", "business day", "working days", "working day", "workdays"),
    "night": ("晚", "nights", "night"),
}
SECONDS: Final = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
MONTHS: Final = {"month": 1, "year": 12}
DURATION: Final = {word: name for name, words in _DURATIONS.items() for word in words}
DURATION_WORDS: Final = "|".join(re.escape(word) for word in sorted(DURATION, key=len, reverse=True))
DURATION_AFTER: Final = re.compile(rf"[ -]?({DURATION_WORDS})(?![a-z])")
