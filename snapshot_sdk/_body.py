"""Writes the ``body`` of a snapshot record: runs over the lane's snapshot before, or over blobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from snapshot_sdk._blobs import Lane, Members, Stored
from snapshot_sdk._json import dumps
from snapshot_sdk._runs import absolute_runs, first_of_runs, joined_runs, relative_runs, runs_json
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
            body.parts.append(member_json(name, spread, content))
            continue
        kept = same[1] if name == same[0] and before is not None else 0
        previous = before.members.get(name, []) if before is not None else []
        fresh = [stored.n for stored in content[kept:]]
        known = first_of_runs(before.runs[name], kept) if before is not None and kept else []
        runs = joined_runs(known, absolute_runs(fresh))
        body.members[name], body.runs[name] = content, runs
        body.sizes[name] = _size(content[kept:])
        if before is not None and kept:
            body.sizes[name] += before.sizes[name] - _size(previous[kept:])
        if spread and linked is not None and len(runs) > 1:
            relative = _relative(fresh, [stored.n for stored in previous[kept:]], kept)
            if len(relative) < len(runs):
                runs, body.base = relative, linked.seq
        body.parts.append(member_json(name, spread, content, runs_json(runs)))
    return body


def member_json(name: str, spread: bool, content: Sequence[Stored] | str, runs: str = "") -> str:
    """Writes one member of ``body``, its name before it.

    Args:
        name: Its name.
        spread: It is an array spread out.
        content: Its elements, or the JSON that stands inline.
        runs: JSON of the runs that the elements are.
    """
    if isinstance(content, str):
        return f'{dumps(name)}:{{"value":{content}}}'
    return f'{dumps(name)}:{{"items":{runs}}}' if spread else f'{dumps(name)}:{{"blob":{content[0].n}}}'


def _size(elements: Sequence[Stored]) -> int:
    return sum(len(stored.source) for stored in elements)


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
