"""Rules are the same in other words only if nothing of what they say is gone."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot_sdk._fact_rule_sense import other_order, read, stem
from snapshot_sdk._fact_rules import RuleFinder, find_rule

CALL = "never call the customer before 9:00"


@pytest.mark.parametrize(
    ("text", "flags"),
    [("不要打电话", {"denied"}), ("do not call", {"denied"}), ("can't not call", set()), ("只用中文", {"only"}), ("answer only", {"only"}),
     ("不得超过500元", {"most"}), ("at most 5", {"most"}), ("不少于500元", {"least"}), ("more than 5", {"least"}), ("除非确认", {"but"}),
     ("unless asked", {"but"}), ("删除文件", set()), ("如果下雨", {"condition"}), ("九点之前", {"before"}), ("after lunch", {"after"}),
     ("以后回答", set()), ("without approval", {"without"}), ("可以打电话", {"may"}), ("不可以打电话", {"denied"}), ("最好提交", {"better"}),
     ("所有报告", {"every"}), ("部分报告", {"some"}), ("tea or milk", {"either"}), ("是否提交", {"asked"}), ("call me?", {"asked"})],
)  # fmt: skip
def test_what_a_clause_says_besides_its_words(text: str, flags: set[str]) -> None:
    """Each word that makes it another rule is seen, and no other."""
    sense = read(text).sense
    names = [name for name in sense.__dataclass_fields__ if name != "values"]
    assert {name for name in names if getattr(sense, name)} == flags


def test_values_are_no_words() -> None:
    """Nine o'clock is one value however it is written."""
    assert read("call before 9:00").sense.values == read("call before 9 am").sense.values
    assert read("在九点之前").words == ()


@pytest.mark.parametrize(
    ("word", "other"), [("answers", "answering"), ("prefers", "prefer"), ("cited", "cite"), ("refund", "refunds")]
)
def test_endings_are_taken_off(word: str, other: str) -> None:
    """Forms of one word are one."""
    assert stem(word) == stem(other)


@pytest.mark.parametrize(
    ("rule", "other", "differs"),
    [("tea before coffee", "coffee before tea", True), ("tea before coffee", "before coffee, tea", False),
     ("use staging, not production", "use production, not staging", True), ("alice pays bob", "bob pays alice", True),
     ("用中文回答", "回答用中文", False), ("从北京到上海", "从上海到北京", True), ("cite sources, keep answers short", "keep answers short, cite sources", False)],
)  # fmt: skip
def test_the_order_of_words_may_make_another_rule(rule: str, other: str, *, differs: bool) -> None:
    """Clauses may change places; what stands on the two sides of a "before" or "not" may not."""
    assert other_order(read(rule), read(other)) is differs


@pytest.mark.parametrize(
    ("text", "why"),
    [(f"{CALL} unless urgent", "an exception is gone or new"), (f"is it true: {CALL}?", "it is asked, not said"),
     (f"the rule {CALL} no longer applies", "it is said to hold no more"), ("call the customer before 9:00", "the opposite is said"),
     ("never call the customer after 9:00", "before or after is gone or new"), ("never call the angry customer before 9:00", "words are new in it"),
     ("never call the customer before 10:00", "another value stands in it"), (f"{CALL}. this rule was lifted.", "it is said to hold no more"),
     (f"{CALL}. unless it is urgent.", "an exception is gone or new"), (f"you may ignore: not {CALL}", "it is denied")],
)  # fmt: skip
def test_what_differs_is_said_in_words(text: str, why: str) -> None:
    """The first difference that is found."""
    assert [(one.state, one.why) for one in find_rule(CALL, text)] == [("distorted", why)]


def test_a_rule_may_go_over_two_sentences() -> None:
    """Both together say all of it."""
    [found] = find_rule(
        "always cite sources and keep answers under 200 words", "always cite sources. keep answers under 200 words."
    )
    assert found.state == "restated"


def test_a_rule_of_two_sentences_is_found_word_for_word() -> None:
    """Marks and line ends between its words do not count."""
    [found] = find_rule("call nobody. ask first.", "rules:\n- call nobody\n- ask first\n")
    assert found.state == "kept"


def test_a_rule_in_a_long_sentence_is_found() -> None:
    """Clauses are looked at one by one: a summary says many things in one sentence."""
    [found] = find_rule("只用中文回答", "用户住在北京,预算8500元,要求回答只用中文,喜欢靠窗的座位")
    assert found.state == "restated"


def test_a_text_that_holds_everything_says_nothing() -> None:
    """All words of a rule in a heap of words are no rule."""
    heap = " ".join(["call", "customer", "before", "never", "9:00", *(f"word{n}" for n in range(200))])
    assert find_rule(CALL, heap) == []


def test_a_rule_without_words_is_nowhere() -> None:
    """Marks alone say nothing."""
    assert find_rule("!?", "what!?") == []


def test_an_address_in_a_rule_is_read() -> None:
    """A part of the rule, cut at the colon, has words that the whole has not."""
    rule = "see [x](http://y) <img src=x onerror=alert(1)> **bold** $x$"

    assert len(find_rule(rule, f"please, {rule}")) == 1


@settings(deadline=None)
@given(st.text("不要只用中文回答在九点之前,。 \n?9:0", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    """Nothing raises, also not where the text is the rule."""
    for rule in ("只用中文回答", "不要在九点之前打电话"):
        for one in find_rule(rule, text):
            assert 0 <= one.start < one.end <= len(text)
    RuleFinder(text).find(text)
