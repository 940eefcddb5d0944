"""Values that their own sentence takes back, and values that stand though something is said of them."""

from __future__ import annotations

import pytest

from snapshot_sdk._fact_overturned import is_overturned
from snapshot_sdk._fact_successors import Said


def overturned(text: str, value: str, kind: str) -> bool:
    """Tells whether a text takes a value back, with no other value about."""
    start = text.index(value)
    return is_overturned(text, Said(start, start + len(value), value), kind, ())


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [("周六不行", "周六", "date"), ("周六的面试被放鸽子了", "周六", "date"), ("聚餐不放周六了", "周六", "date"),
     ("周四悬了,八成要挪到下周", "周四", "date"), ("thursday fell through", "thursday", "date"),
     ("nobody can do tuesday", "tuesday", "date"), ("may 5 was knocked on the head", "may 5", "date"),
     ("14:30来不及", "14:30", "time"), ("$4,200 was turned down", "$4,200", "money"), ("half of $950", "$950", "money"),
     ("12000元谈不下来", "12000元", "money"), ("离5600元还差一截", "5600元", "money"),
     ("tuesday? no", "tuesday", "date")],
)  # fmt: skip
def test_what_is_taken_back(text: str, value: str, kind: str) -> None:
    """It will not do, it was refused, a no stands before it, or a part of it is meant."""
    assert overturned(text, value, kind)


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [("周六见面,周日休息", "周六", "date"), ("周六不见不散", "周六", "date"), ("周四前台有人", "周四", "date"),
     ("别忘了周六", "周六", "date"), ("thursday was confirmed", "thursday", "date"),
     ("押金500元不退", "500元", "money"),
     ("$10 x 5", "$10", "money"), ("$4,200 doesn't include heating", "$4,200", "money"),
     ("680元不变", "680元", "money")],
)  # fmt: skip
def test_what_stands(text: str, value: str, kind: str) -> None:
    """Said of it, and no denial."""
    assert not overturned(text, value, kind)
