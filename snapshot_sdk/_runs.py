"""Lists of blob numbers as runs: short, because a context mostly repeats the one before."""

from __future__ import annotations

from collections.abc import Sequence

from snapshot_sdk.schema import Run


def absolute_runs(numbers: Sequence[int]) -> list[Run]:
    """Writes numbers as runs of consecutive ones.

    Args:
        numbers: Blob numbers.
    """
    runs: list[Run] = []
    for number in numbers:
        if runs and number == runs[-1][0] + runs[-1][1]:
            runs[-1][1] += 1
        else:
            runs.append([number, 1])
    return runs


def relative_runs(numbers: Sequence[int], previous: Sequence[int]) -> list[Run]:
    """Writes numbers as runs over an earlier list, and over blobs where that has no such element.

    Args:
        numbers: Blob numbers.
        previous: The earlier list.
    """
    places: dict[int, int] = {}
    for place, number in enumerate(previous):
        places.setdefault(number, place)
    runs: list[Run] = []
    done = 0
    while done < len(numbers):
        place = places.get(numbers[done], -1)
        if place < 0:
            count = 1
            while done + count < len(numbers) and numbers[done + count] == numbers[done] + count not in places:
                count += 1
            runs.append([numbers[done], count])
        else:
            count = 1
            for ours, theirs in zip(numbers[done + 1 :], previous[place + 1 :], strict=False):
                if ours != theirs:
                    break
                count += 1
            runs.append([-1, place, count])
        done += count
    return runs


def runs_json(runs: Sequence[Run]) -> str:
    """Writes runs as JSON: Python writes lists of numbers alike, but for the spaces."""
    return str(runs).replace(" ", "")


def joined_runs(runs: Sequence[Run], more: Sequence[Run]) -> list[Run]:
    """Returns runs followed by others, as a copy.

    Args:
        runs: Absolute runs.
        more: Likewise.
    """
    joined = [*runs, *more]
    if runs and more and more[0][0] == runs[-1][0] + runs[-1][1]:
        joined[len(runs) - 1 : len(runs) + 1] = [[runs[-1][0], runs[-1][1] + more[0][1]]]
    return joined


def first_of_runs(runs: Sequence[Run], count: int) -> list[Run]:
    """Returns the runs of the first numbers, as a copy.

    Args:
        runs: Absolute runs.
        count: How many numbers.
    """
    first: list[Run] = []
    for start, length in runs:
        if count <= 0:
            break
        first.append([start, min(length, count)])
        count -= length
    return first
