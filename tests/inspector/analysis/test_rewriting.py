"""How a message was rewritten."""

from __future__ import annotations

import pytest

from inspector.analysis.rewriting import WordRun, diff_words, name_rewriting, strip_mark
from inspector.model.fates import Fate

TEXT = "The parcel left the warehouse on Monday and reached the customs office on Wednesday morning."


@pytest.mark.parametrize(
    ("after", "fate"),
    [
        (TEXT[:40], Fate.TRUNCATED),
        (TEXT[:40] + "…[truncated]", Fate.TRUNCATED),
        (TEXT[:40] + "\n... (52 characters omitted)", Fate.TRUNCATED),
        (TEXT[:40] + "…（已截断）", Fate.TRUNCATED),
        (TEXT[50:], Fate.TRUNCATED),
        (TEXT[:30] + "\n…\n" + TEXT[-30:], Fate.TRUNCATED),
        (TEXT.replace("Monday", "Tuesday"), Fate.EDITED),
        (TEXT[:40] + " and nothing else is known.", Fate.EDITED),
        (TEXT + " It is late.", Fate.EDITED),
    ],
)
def test_a_piece_of_the_text_is_truncated_anything_else_edited(after: str, fate: Fate) -> None:
    """With or without a mark of the cut."""
    assert name_rewriting(TEXT, after) is fate


def test_the_mark_of_a_cut_is_stripped() -> None:
    """The dots too; other ends stay."""
    assert strip_mark("some text…[truncated]") == "some text"
    assert strip_mark("some text...") == "some text"
    assert strip_mark("some text.") == "some text."


def test_differences_are_shown_by_words() -> None:
    """Chinese by characters."""
    assert diff_words("改到周六上午", "改到周日上午") == (
        WordRun("same", "改到周"),
        WordRun("removed", "六"),
        WordRun("added", "日"),
        WordRun("same", "上午"),
    )


@pytest.mark.parametrize(("before", "after"), [("a b c", "a x c d"), ("", "new"), ("old", ""), ("aaa", "aa")])
def test_both_texts_can_be_put_together_again(before: str, after: str) -> None:
    """Nothing of either side is lost in the comparison."""
    runs = diff_words(before, after)

    assert "".join(run.text for run in runs if run.change != "added") == before
    assert "".join(run.text for run in runs if run.change != "removed") == after


def test_huge_texts_are_compared_whole() -> None:
    """Above the limit by lines, and where there are too many of these, as one."""
    before, after = "x (y) " * 30_000 + "END", "start " + "x (y) " * 30_000 + "?"

    assert [run.change for run in diff_words(before, after)] == ["removed", "added"]
    assert [run.change for run in diff_words("\na" * 50_000, "b\n" * 50_000)] == ["removed", "added"]
