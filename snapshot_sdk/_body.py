"""Writes the ``body`` of a snapshot record: runs over the lane's snapshot before, or over blobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from snapshot_sdk._blobs import Lane, Members, Stored
from snapshot_sdk._json import dumps
from snapshot_sdk._runs import absolute_runs, first_of_runs, relative_runs
from snapshot_sdk.schema import Run

ABSOLUTE_EVERY: Final = 16
"""At least every 16th snapshot of a lane refers to no other, so that one damaged line harms few."""


@dataclass
class Body:
    """The ``body`` of a record, and what the next one of the lane needs to know of it."""

    base: int | None = None
    """``seq`` of the snapshot that runs point into."""
    parts: list[str] = field(default_factory=list)
    members: dict[str, list[Stored]] = field(default_factory=dict)
    runs: dict[str, list[Run]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The JSON."""
        return "{" + ",".join(self.parts) + "}"


def write_body(members: Members, before: Lane | None, same: tuple[str, int] = ("", 0)) -> Body:
    """Writes ``body``.

    Args:
        members: In order.
        before: The lane's snapshot before.
        same: A member, and how many of its first elements are those of the snapshot before: they are
            not looked at again.
    """
    body = Body()
    linked = before if before is not None and before.since_absolute + 1 < ABSOLUTE_EVERY else None
    for name, spread, content in members:
        if isinstance(content, str):
            body.parts.append(f'{dumps(name)}:{{"value":{content}}}')
            continue
        kept = same[1] if name == same[0] and before is not None else 0
        previous = before.members.get(name, []) if before is not None else []
        fresh = [stored.n for stored in content[kept:]]
        runs = _joined(first_of_runs(before.runs[name], kept) if before is not None and kept else [], fresh)
        body.members[name], body.runs[name] = content, runs
        body.sizes[name] = _size(content[kept:])
        if before is not None and kept:
            body.sizes[name] += before.sizes[name] - _size(previous[kept:])
        if not spread:
            body.parts.append(f'{dumps(name)}:{{"blob":{content[0].n}}}')
            continue
        if linked is not None and len(runs) > 1:
            relative = _relative(fresh, [stored.n for stored in previous[kept:]], kept)
            if len(relative) < len(runs):
                runs, body.base = relative, linked.seq
        body.parts.append(f'{dumps(name)}:{{"items":{dumps(runs)}}}')
    return body


def _size(elements: Sequence[Stored]) -> int:
    return sum(len(stored.source) for stored in elements)


def _joined(runs: list[Run], fresh: Sequence[int]) -> list[Run]:
    more = absolute_runs(fresh)
    if runs and more and more[0][0] == runs[-1][0] + runs[-1][1]:
        runs[-1][1] += more.pop(0)[1]
    return runs + more


def _relative(fresh: Sequence[int], previous: Sequence[int], kept: int) -> list[Run]:
    """Runs over the snapshot before, of which the first ``kept`` elements stand first here too."""
    runs: list[Run] = [[-1, 0, kept]] if kept else []
    for run in relative_runs(fresh, previous):
        if run[0] < 0:
            if runs and runs[-1][0] < 0 and runs[-1][1] + runs[-1][2] == run[1] + kept:
                runs[-1][2] += run[2]
                continue
            run = [-1, run[1] + kept, run[2]]
        runs.append(run)
    return runs
