"""Names match whole, and what is near them is known."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

import pytest

from snapshot_sdk._fact_anchors import anchors_of, beside, is_anchored
from snapshot_sdk._fact_names import find_names, looks_like_id, plain_name
from snapshot_sdk._fact_near import is_near, joints_out, same_shape
from snapshot_sdk._fact_text import Taken


@pytest.mark.parametrize(
    ("text", "names"),
    [("see https://a.b/c?x=1.", [("url", "https://a.b/c?x=1")]), ("to a.b@c.de,", [("email", "a.b@c.de")]),
     ("in /etc/app/x.yaml:12", [("path", "/etc/app/x.yaml")]), ("./src/app.py", [("path", "src/app.py")]),
     (r"c:\logs\\run.txt", [("path", "c:/logs/run.txt")]), ("+86 138 0013 8000", [("phone", "13800138000")]),
     ("+86 21 5566 7788", [("phone", "02155667788")]), ("021-55667788", [("phone", "02155667788")]),
     ("(415) 555-0132", [("phone", "4155550132")]), ("订单ord-2024-001已发", [("id", "ord-2024-001")]),
     ("rmb8500 8000-8500 1h30m v2 3.5", [])],
)  # fmt: skip
def test_names_in_a_text(text: str, names: list[tuple[str, str]]) -> None:
    """Each with what it is compared by; amounts, ranges and lengths of time are none."""
    assert [(name.kind, name.value) for name in find_names(text)] == names


@pytest.mark.parametrize("token", ["ord-1", "a3f9c2e", "123456", "mu5137", "2024-001"])
def test_ids(token: str) -> None:
    """Letters with digits and joints, or many digits."""
    assert looks_like_id(token)


@pytest.mark.parametrize(
    "token", ["12345", "2025-12-08", "10gb", "30-day", "3rd", "abc", "8000-8500", "usd500", "1h30m"]
)
def test_no_ids(token: str) -> None:
    """Dates, measures, ordinals and ranges are none."""
    assert not looks_like_id(token)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [("id", "ord-2024-001", "ord-2024-0012"), ("id", "ord-2024-001", "ord2024001"), ("id", "abc123", "acb123"),
     ("email", "a@b.com", "a@b.org"), ("email", "alice@b.com", "alice+x@b.com"), ("url", "https://a.b/c", "https://x.y/c"),
     ("url", "https://a.b/order/1", "https://a.b/order/12"), ("path", "/etc/a/b.yaml", "/etc/a/b.yml")],
)  # fmt: skip
def test_near(kind: str, one: str, other: str) -> None:
    """A slip of the pen, either way round."""
    assert is_near(kind, one, other)
    assert is_near(kind, other, one)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [("id", "a-17", "a-18"), ("id", "ord-1234", "inv-9876"), ("id", "same", "same"), ("email", "info@a.com", "info@b.com"),
     ("email", "bob@b.com", "alice@b.com"), ("url", "https://a.b", "https://x.y"), ("url", "no url", "https://x.y")],
)  # fmt: skip
def test_not_near(kind: str, one: str, other: str) -> None:
    """Short ids, other series, colleagues, and the thing itself."""
    assert not is_near(kind, one, other)


def test_ids_of_a_series_have_one_shape() -> None:
    """Digits alone are no shape: any number would be of the series."""
    assert same_shape("ord-24-001", "ord-25-977")
    assert not same_shape("123456", "654321")


def test_joints_do_not_count_where_ids_are_compared_without() -> None:
    """Dashes, dots, slashes, underscores, colons."""
    assert joints_out("a-b_c.d/e:f#g") == "abcdefg"


def test_what_names_are_compared_by() -> None:
    """A slash at the end, the sign before an id and the code of a country are no part of it."""
    assert [plain_name("url", "https://a.b/"), plain_name("id", "#12"), plain_name("phone", "+1 415 555 0132")] == [
        "https://a.b", "12", "4155550132",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "anchors"),
    [("我的总预算是8500", ("预算",)), ("order number 8500", ("order", "number")), ("the 8500", ()), ("rent 5. fee 8500", ("fee",))],
)  # fmt: skip
def test_anchors_are_the_words_before(text: str, anchors: tuple[str, ...]) -> None:
    """In its clause, at most two, without fillers."""
    assert anchors_of(text, text.index("8500")) == anchors


def test_an_anchor_is_looked_for_in_the_clause() -> None:
    """Not beyond a comma."""
    text = "budget 5, rent 7"
    assert beside(text, 7, 8, ["budget"])
    assert not beside(text, 15, 16, ["budget"])


def test_where_the_fact_stands_itself_nothing_has_taken_its_place() -> None:
    """A second value in the clause of the fact is no rival."""
    text = "budget 5 of 7"
    assert is_anchored(text, 12, 13, ["budget"], Taken())
    assert not is_anchored(text, 12, 13, ["budget"], Taken([(7, 8)]))
