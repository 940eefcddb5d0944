"""Whether a record has the shape its type says, by the very definitions the writer uses.

Everything behind the reader trusts a record that passed: a field of the wrong kind must cost its own line, never the
directory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

from snapshot_sdk import schema

MOST_ITEMS: Final = 5_000_000
"""Elements the arrays of one record may have: a hostile run of billions must not eat the memory."""

_INT64: Final = 2**63
"""Integers of fields are bounded by the index's widest column; those inside a prompt are not."""
_INT32: Final = 2**31
_SMALL: Final = frozenset({"seq", "n", "blob", "whole", "base", "part", "status", "lost"})
"""Fields that count or name things in one file, or are an HTTP status: four bytes in the index."""

_Test = Callable[[Any], bool]

_TYPES: Final[Mapping[str, Any]] = {
    "header": schema.Header,
    "snapshot": schema.Snapshot,
    "attempt": schema.Attempt,
    "response": schema.Response,
    "label": schema.Label,
    "pin": schema.Pin,
    "unpin": schema.Unpin,
    "compaction": schema.Compaction,
    "event": schema.Event,
    "loss": schema.Loss,
}

_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "header": ("session",),
    "snapshot": ("id", "lane", "exact", "body", "style"),
    "attempt": ("snapshot",),
    "response": ("snapshot",),
    "label": ("target",),
    "pin": ("pin", "target"),
    "unpin": ("pin",),
    "compaction": ("compaction", "state", "lane"),
    "event": ("kind", "lane", "data"),
    "loss": ("lost",),
}
"""Without these a record says nothing; any other field may be missing and is then unknown."""


def find_fault(record: Mapping[str, Any]) -> str | None:
    """Say what is wrong with the shape of a record, in words; None: nothing.

    Args:
        record: A record whose ``type`` is a known one.
    """
    missing = [name for name in ("seq", "time", *_NEEDED[record["type"]]) if name not in record]
    if missing:
        return f"{missing[0]} is missing"
    misfits = find_misfits(record)
    return f"{misfits[0]} is of the wrong kind" if misfits else _fault_of_runs(record)


def find_misfits(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the fields of a record that are not of the kind its type says.

    Args:
        record: A record whose ``type`` is a known one.
    """
    tests = _tests(record["type"])
    return tuple(name for name, value in record.items() if name in tests and not tests[name](value))


def _fault_of_runs(record: Mapping[str, Any]) -> str | None:
    members = (record.get("body") or {}).values() if record["type"] == "snapshot" else ()
    lists = [member.get("items") for member in members]
    lists += [record.get(name) for name in ("messages", "before", "after")]
    runs = [run for runs in lists for run in runs or ()]
    for run in runs:
        absolute, relative = len(run) == 2, len(run) == 3 and run[0] == -1
        if not (absolute or relative) or min(run[-2:]) < 0 or max(run) >= _INT32:
            return f"{run} is no run of elements"
    if sum(run[-1] for run in runs) > MOST_ITEMS:
        return "more elements than a prompt can have"
    return None


@cache
def _tests(kind: str) -> dict[str, _Test]:
    return {name: _test_of(hint, name) for name, hint in _hints(_TYPES[kind]).items()}


@cache
def _hints(type_: Any) -> dict[str, Any]:
    return get_type_hints(type_)


@cache
def _test_of(hint: Any, name: str) -> _Test:
    """Make the test of a kind of value once: a trace has millions of them."""
    origin = get_origin(hint)
    if hint is Any:
        return lambda _: True
    if origin in (NotRequired, Required):
        return _test_of(get_args(hint)[0], name)
    if origin in (Union, UnionType):
        tests = tuple(_test_of(one, name) for one in get_args(hint))
        return lambda value: any(test(value) for test in tests)
    if origin is Literal:
        words = frozenset(get_args(hint))
        return lambda value: isinstance(value, str) and value in words
    if origin is list:
        item = _test_of(get_args(hint)[0], "")
        return lambda value: isinstance(value, list) and all(map(item, value))
    if origin is dict:
        member = _test_of(get_args(hint)[1], "")
        return lambda value: isinstance(value, dict) and all(map(member, value.values()))
    if is_typeddict(hint):
        fields = {key: _test_of(of, key) for key, of in _hints(hint).items()}
        return lambda value: (
            isinstance(value, dict) and all(fields[key](item) for key, item in value.items() if key in fields)
        )
    if hint is NoneType:
        return lambda value: value is None
    if hint is int:
        bound = _INT32 if name in _SMALL else _INT64
        return lambda value: isinstance(value, int) and not isinstance(value, bool) and -bound <= value < bound
    if hint is float:
        # JSON writes a whole number of milliseconds without a point.
        return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _INT64
    return lambda value: isinstance(value, hint)
