"""Word marks show what changed and enough around it."""

from __future__ import annotations

from inspector.ui.compare_diff import FIRST_CHARS, LEFT_OUT, difference


def sides(runs: list[list[object]]) -> tuple[str, str]:
    """Put the two texts of a whole difference together again."""
    return (
        "".join(str(text) for code, text in runs if code in (0, 1)),
        "".join(str(text) for code, text in runs if code in (0, 2)),
    )


def test_only_the_differing_words_are_marked() -> None:
    """A changed value is removed on one side and added on the other."""
    shown = difference('{"slot":null,"turn":"turn_11"}', '{"slot":"周六","turn":"turn_14"}')

    assert [1, "null"] in shown["runs"]
    assert "周" in "".join(str(text) for code, text in shown["runs"] if code == 2)
    assert shown["more"] == [0, 0]


def test_long_unchanged_stretches_are_left_out() -> None:
    """A gap says how many characters it stands for, and nothing else is lost."""
    before, after = "x " * 3_000 + "old " + "y " * 3_000, "x " * 3_000 + "new " + "y " * 3_000

    shown = difference(before, after)

    gaps = [text for code, text in shown["runs"] if code == LEFT_OUT]
    kept = sum(len(str(text)) for code, text in shown["runs"] if code in (0, 1))
    assert shown["cut"]
    assert sum(gaps) + kept == len(before)


def test_the_whole_difference_is_both_texts() -> None:
    """Asked for all of it, nothing is left out."""
    before, after = "x " * 2_000 + "old", "x " * 2_000 + "new"

    assert sides(difference(before, after, whole=True)["runs"]) == (before, after)


def test_short_lines_show_few_of_them() -> None:
    """Around a change in indented JSON stand two lines, not as many as fit into some characters."""
    lines = "\n".join(f'"k{i}": {i},' for i in range(100))

    shown = difference(lines + "\nold", lines + "\nnew")

    assert str(shown["runs"][1][1]).count("\n") <= 3


def test_what_is_beyond_the_limit_is_counted() -> None:
    """A rewritten text of many screens is cut, and the rest is a number."""
    before, after = "a" * 10, "b " * FIRST_CHARS

    shown = difference(before, after)

    assert shown["more"] == [0, len(after) - FIRST_CHARS]


def test_a_long_cut_does_not_hide_what_stands_for_it() -> None:
    """Each side has its own limit: a removed output of many screens leaves room for its place holder."""
    holder = "Old environment output: (412 lines omitted)"

    shown = difference("Obtaining file: " + "requirement met in site packages\n" * 400, holder)

    assert "".join(str(text) for code, text in shown["runs"] if code in (0, 2)) == holder
    assert shown["more"][0] > 0


def test_chance_does_not_part_a_change() -> None:
    """A comma that both texts have between other words is no common stretch."""
    shown = difference("say crimson, green and so on", "say purple, yellow and so on")

    assert shown["runs"] == [[0, "say "], [1, "crimson, green"], [2, "purple, yellow"], [0, " and so on"]]


def test_no_word_is_cut_in_two() -> None:
    """Words that begin or end alike are marked whole, at the ends of a difference too."""
    shown = difference("slot nine", "slot null")

    assert shown["runs"] == [[0, "slot "], [1, "nine"], [2, "null"]]
    assert difference("past it", "last it")["runs"] == [[1, "past"], [2, "last"], [0, " it"]]
