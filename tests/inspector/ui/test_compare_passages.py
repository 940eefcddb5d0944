"""Passages that stand word for word in another text are found, and only those."""

from __future__ import annotations

import random

from inspector.ui.compare_passages import find_passages

CARRIED = "deliver order forty two on saturday between nine and noon"


def test_a_run_of_words_is_found_with_both_places() -> None:
    """Offsets of both texts enclose the very words."""
    source, target = f"Please {CARRIED}, thanks.", f"Summary: the user said {CARRIED}."

    (passage,) = find_passages([source], ["nothing here", target])

    assert source[passage.start : passage.end] == CARRIED
    assert (passage.target, target[passage.target_start : passage.target_end]) == (1, CARRIED)


def test_seven_words_are_chance() -> None:
    """A shorter run is none."""
    assert find_passages(["one two three four five six seven"], ["x one two three four five six seven y"]) == ()


def test_twelve_characters_of_chinese_are_a_passage() -> None:
    """Each character counts as a twelfth; eleven are too few."""
    assert len(find_passages(["以后请只用中文回答不要用英"], ["摘要：以后请只用中文回答不要用英。"])) == 1
    assert find_passages(["以后请只用中文回答不要"], ["摘要：以后请只用中文回答不要。"]) == ()


def test_the_summary_is_preferred() -> None:
    """What stands equally long in the summary and elsewhere is shown in the summary."""
    (passage,) = find_passages([CARRIED], [CARRIED, f"so: {CARRIED}"], first=1)

    assert passage.target == 1


def test_case_and_punctuation_do_not_matter() -> None:
    """Words make a passage, not the signs between them."""
    assert len(find_passages([CARRIED], [CARRIED.upper().replace(" ", ", ")])) == 1


def test_no_passage_runs_over_the_end_of_a_text() -> None:
    """Two texts that only together hold the words hold none."""
    words = CARRIED.split()

    assert find_passages([CARRIED], [" ".join(words[:5]), " ".join(words[5:])]) == ()


def test_every_planted_passage_is_found_among_noise() -> None:
    """Passages hidden in random words are found where they were put, and nothing else is."""
    draw = random.Random(7)
    noise = [" ".join(f"w{draw.randrange(10**6)}" for _ in range(400)) for _ in range(30)]
    planted = [" ".join(f"p{n}x{i}" for i in range(9)) for n in range(10)]
    sources = [f"{noise[n]} {planted[n]} {noise[n + 10]}" for n in range(10)]
    targets = [f"{noise[n + 20]} {planted[n]}" for n in reversed(range(10))]

    found = find_passages(sources, targets)

    assert [(p.source, p.target, sources[p.source][p.start : p.end]) for p in found] == [
        (n, 9 - n, planted[n]) for n in range(10)
    ]
