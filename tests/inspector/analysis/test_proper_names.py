"""Names that their surroundings show to be names; what looks like one and is none."""

from __future__ import annotations

import pytest

from inspector.analysis.proper_names import find_proper_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("订单号是 ORD-1，下单人王敏，手机尾号 3307。", ["王敏"]),
        ("联系人：李雷，电话另发。", ["李雷"]),
        ("周师傅明天上门。", ["周师傅"]),
        ("书名是《人间草木》。", ["人间草木"]),
        ("Please send it to Temple Quay Labs in Bristol.", ["Temple Quay Labs"]),
        ("Ask Dr. Esme van Rijn first.", ["Esme van Rijn"]),
        ("contact: Ana Costa", ["Ana Costa"]),
    ],
)
def test_a_name_is_found(text: str, names: list[str]) -> None:
    """By label, title, marks or capitals."""
    found = {name.text for name in find_proper_names(text)}

    assert found == set(names)
    assert all(text[name.start : name.end] == name.text for name in find_proper_names(text))


@pytest.mark.parametrize(
    "text",
    [
        "好的，谢谢，就这样。",
        "Thank You very much.",
        "The Quick answer is no.",
        "See you on Monday Morning.",
        "用户说要改时间。",
        '{"name": "monitor arm"}',
        "《第一段，很长的一句话，不是书名》",
    ],
)
def test_no_name_is_made_up(text: str) -> None:
    """Capitals at the beginning of a sentence, days, phrases and lower case are none."""
    assert list(find_proper_names(text)) == []
