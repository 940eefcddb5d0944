"""Runs of blob numbers, as records refer to elements: to other snapshots no longer, once they are in the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snapshot_sdk.reading import LOST


def numbers_of(runs: Any) -> list[int]:
    """List the blob numbers that absolute runs stand for."""
    return [number for first, count in runs or () for number in range(first, first + count)]


def absolute_body(body: Mapping[str, Any] | None, items: Mapping[str, list[int]]) -> dict[str, Any] | None:
    """Rewrite a body so that it refers to blobs only, no longer to other snapshots."""
    if body is None:
        return None
    return {name: {"items": _runs(items[name])} if "items" in member else member for name, member in body.items()}


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    first = numbers[0] if numbers else LOST
    if first >= 0 and numbers == list(range(first, first + len(numbers))):
        return [[first, len(numbers)]]  # a conversation that only grew: nearly always
    runs: list[list[int]] = []
    for number in numbers:
        last = runs[-1] if runs else None
        if number == LOST:
            # A lost element stays one: a run into a snapshot that is not there.
            if last is not None and last[0] == LOST:
                last[2] += 1
            else:
                runs.append([-1, 0, 1])
        elif last is not None and last[0] >= 0 and number == last[0] + last[1]:
            last[1] += 1
        else:
            runs.append([number, 1])
    return runs
