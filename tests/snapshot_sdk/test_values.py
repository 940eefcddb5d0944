"""Every kind of value that is no JSON has a decided outcome."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import pathlib
import threading
import types
import unittest.mock
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from snapshot_sdk import Recorder
from snapshot_sdk._values import is_plain, write_value


class Colour(enum.Enum):
    """An enum of words."""

    RED = "red"


class Level(enum.IntEnum):
    """An enum of numbers."""

    HIGH = 3


class Word(enum.StrEnum):
    """An enum whose members are strings."""

    YES = "yes"


class Model:
    """A pydantic model, as far as the recorder asks."""

    def model_dump(self, **options: Any) -> dict[str, Any]:
        return {"mode": options.get("mode"), "exclude_unset": options.get("exclude_unset")}


class OldModel:
    """Another library's model_dump."""

    def model_dump(self) -> dict[str, Any]:
        return {"old": True}


class WithToDict:
    """An object of a client that is no model."""

    def to_dict(self) -> dict[str, Any]:
        return {"a": {1}}


class Endless:
    """Converts to itself."""

    def to_dict(self) -> Any:
        return self


class Broken:
    """Has no repr."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class BrokenDump:
    """A model that cannot be dumped."""

    def model_dump(self, **options: Any) -> Any:
        raise RuntimeError("no dump")

    def __repr__(self) -> str:
        return "BrokenDump()"


@dataclasses.dataclass
class Point:
    """A dataclass."""

    x: int
    y: Any = None


Pair = collections.namedtuple("Pair", "a b")


def generator() -> Iterator[int]:
    """Yields once."""
    yield 1


OUTCOMES = {
    "bytes": (b"\x00\xff", '"AP8="', "bytes"),
    "bytearray": (bytearray(b"a"), '"YQ=="', "bytearray"),
    "datetime": (dt.datetime(2026, 1, 2, 3, 4, tzinfo=dt.UTC), '"2026-01-02T03:04:00+00:00"', "datetime"),
    "date": (dt.date(2026, 1, 2), '"2026-01-02"', "date"),
    "time": (dt.time(3, 4), '"03:04:00"', "time"),
    "timedelta": (dt.timedelta(seconds=90), '"0:01:30"', "timedelta"),
    "Decimal": (decimal.Decimal("1.10"), '"1.10"', "Decimal"),
    "UUID": (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"', "UUID"),
    "path": (pathlib.PurePosixPath("/a/b"), '"/a/b"', "PurePosixPath"),
    "set": ({3, 1, 2}, "[1,2,3]", "set"),
    "frozenset": (frozenset({"b", "a"}), '["a","b"]', "frozenset"),
    "mapping": (types.MappingProxyType({"a": 1}), '{"a":1}', "mappingproxy"),
    "enum": (Colour.RED, '"red"', "Colour"),
    "dataclass": (Point(1, 2), '{"x":1,"y":2}', "Point"),
    "pydantic": (Model(), '{"mode":"json","exclude_unset":true}', "Model"),
    "other model_dump": (OldModel(), '{"old":true}', "OldModel"),
    "broken model_dump": (BrokenDump(), '"BrokenDump()"', "BrokenDump"),
    "broken repr": (Broken(), '"<Broken: repr failed with RuntimeError>"', "Broken"),
    "object": (object(), '"<object object>"', "object"),
    "function": (len, '"<built-in function len>"', "builtin_function_or_method"),
    "complex": (1j, '"1j"', "complex"),
}


@pytest.mark.parametrize(("value", "source", "kind"), OUTCOMES.values(), ids=OUTCOMES.keys())
def test_outcome(value: Any, source: str, kind: str) -> None:
    """A value that is no JSON is stored in its documented form and named in ``replaced``."""
    written = write_value({"a": [value]})
    assert written.source == f'{{"a":[{source}]}}'
    assert written.replaced == (("/a/0", kind),)
    assert written.strict


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ((1, 2), "[1,2]"),
        (Pair(1, 2), "[1,2]"),
        (Level.HIGH, "3"),
        (Word.YES, '"yes"'),
        (collections.Counter("a"), '{"a":1}'),
    ],
)
def test_subclasses_are_what_json_makes_of_them(value: Any, source: str) -> None:
    """Tuples and subclasses of JSON types are written as ``json`` does, and not named."""
    assert write_value(value) == (source, (), True)


def test_keys_are_text() -> None:
    """Keys that are no strings are written as ``json`` does, other objects by their repr; each is named."""
    written = write_value({1: 0, 1.5: 0, None: 0, (1, 2): 0, Colour.RED: 0})
    assert written.source == '{"1":0,"1.5":0,"null":0,"(1, 2)":0,"red":0}'
    assert ("/red", "key Colour") in written.replaced
    assert ("/(1, 2)", "key tuple") in written.replaced


def test_keys_that_become_one_stay_in_the_text() -> None:
    """1 and "1" both stay; the element is kept as source text, as no value can hold both."""
    written = write_value({1: "a", "1": "b"})
    assert written.source == '{"1":"a","1":"b"}'
    assert not written.strict


def test_cycles_are_cut() -> None:
    """A container inside itself becomes a mark; one that only occurs twice does not."""
    cycle: list[Any] = [1]
    cycle.append(cycle)
    shared = {"a": 1}
    assert write_value(cycle) == ('[1,"<cycle>"]', (("/1", "cycle"),), True)
    assert write_value([shared, shared]).source == '[{"a":1},{"a":1}]'


def test_nested_conversions() -> None:
    """What an object converts to is converted in turn."""
    assert write_value(Point(Colour.RED, WithToDict())).source == '{"x":"red","y":{"a":[1]}}'


def test_objects_that_never_become_json_end_as_repr() -> None:
    """An object whose to_dict returns itself ends."""
    assert write_value(Endless()).source.startswith('"<')


def test_objects_that_unfold_without_end_are_cut() -> None:
    """An object that contains a new one of its kind at every level ends."""

    class Unfolding:
        def to_dict(self) -> Any:
            return {"in": Unfolding()}

    written = write_value(Unfolding())
    assert "Unfolding object>" in written.source
    assert written.replaced[-1][1] == "endless conversion"


def test_mocks_are_no_models() -> None:
    """A mock, which has every attribute one asks for, is stored by its repr."""
    assert write_value(unittest.mock.Mock(name="m")).source.startswith('"<Mock name=')


def test_iterators_are_not_consumed() -> None:
    """A generator of the host is not run."""
    numbers = generator()
    assert write_value([numbers]).source.startswith('["<generator object generator')
    assert list(numbers) == [1]


def test_paths_are_json_pointers() -> None:
    """Slash and tilde in keys are escaped."""
    assert write_value({"a/b~": {"": b""}}).replaced == (("/a~1b~0/", "bytes"),)


def test_plain_values_are_told_from_others() -> None:
    """Only exact JSON types count as plain."""
    assert is_plain({"a": [1, 1.5, True, None, "x", {}]})
    assert not any(is_plain(value) for value in ((1,), {1: 2}, Level.HIGH, [Word.YES], {"a": b""}))


def test_replaced_values_are_named_with_their_place(
    recorder: Recorder, records: Callable[..., list[dict[str, Any]]]
) -> None:
    """``replaced`` of a snapshot holds pointers from the body in, also for elements stored before."""
    for _ in range(2):
        recorder.snapshot({1: b"", "messages": [{"at": dt.date(2026, 1, 1)}], "tools": [1, {2}]})
    for record in records("snapshot"):
        assert sorted(record["replaced"]) == [
            ["/1", "bytes"],
            ["/1", "key int"],
            ["/messages/0/at", "date"],
            ["/tools/1", "set"],
        ]


def test_an_object_as_request(recorder: Recorder, requests: Callable[[], list[Any]]) -> None:
    """A model object is taken apart like a mapping; anything else is stored whole."""
    recorder.snapshot(WithToDict())
    recorder.snapshot([1, 2])
    recorder.snapshot(None)
    assert [request.body() for _, request in requests()] == [{"a": [1]}, [1, 2], None]


def test_a_dict_that_another_thread_changes(recorder: Recorder, requests: Callable[[], list[Any]]) -> None:
    """A request that is changed while it is recorded hurts nobody: each snapshot can be read."""
    shared: dict[str, Any] = {str(number): number for number in range(200)}
    stop = threading.Event()

    def change() -> None:
        number = 0
        while not stop.is_set():
            shared[f"x{number % 300}"] = number
            shared.pop(f"x{(number * 7) % 300}", None)
            number += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(50):
            recorder.snapshot({"messages": [{"role": "user", "data": shared}]})
    finally:
        stop.set()
        thread.join()
    assert recorder.losses == 0
    assert all(request.body()["messages"][0]["data"]["199"] == 199 for _, request in requests())


class _BrokenDict(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("no items")


class _OddDict(dict[str, Any]):
    def items(self) -> Any:
        return [1, 2]


class _BrokenList(list[Any]):
    def __iter__(self) -> Any:
        raise KeyError("no iterator")

    def __len__(self) -> int:
        raise KeyError("no length")


class _BrokenTuple(tuple[Any, ...]):
    def __iter__(self) -> Any:
        raise KeyError("no iterator")


class _BrokenMapping(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise OSError("no item")

    def __iter__(self) -> Any:
        raise OSError("no iterator")

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "<broken>"


class _Liar:
    @property
    def __class__(self) -> Any:
        raise RuntimeError("no class")

    @__class__.setter
    def __class__(self, value: Any) -> None: ...

    def __repr__(self) -> str:
        return "<liar>"


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: _BrokenDict(a=1), {"a": 1}),
        (lambda: _OddDict(a=1), {"a": 1}),
        (lambda: _BrokenList([1, 2]), [1, 2]),
        (lambda: _BrokenTuple((1, 2)), [1, 2]),
        (_BrokenMapping, "<broken>"),
    ],
    ids=["dict", "odd dict", "list", "tuple", "mapping"],
)
@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: {"messages": value, "model": "m"}, lambda v: [v]])
def test_containers_whose_own_methods_fail_are_recorded(
    make: Callable[[], Any],
    expected: Any,
    wrap: Callable[[Any], Any],
    recorder: Recorder,
    requests: Callable[[], list[Any]],
) -> None:
    """A subclass that cannot be walked is read as what it extends, else as its repr; no record is lost."""
    recorder.snapshot(wrap(make()))
    assert [request.body() for _, request in requests()] == [wrap(expected)]


@pytest.mark.parametrize("make", [lambda: _BrokenDict(a=1), lambda: _BrokenList([1]), _BrokenMapping])
def test_such_containers_cost_no_other_record(
    make: Callable[[], Any], recorder: Recorder, records: Callable[..., Any]
) -> None:
    """Labels, pins, answers, compactions and events that hold one are written."""
    value = make()
    recorder.snapshot({"messages": []}, missing=value)
    recorder.response(messages=value, usage=value)
    recorder.label(value, layer="memory")
    recorder.pin(value)
    recorder.compaction(value, value)
    recorder.event("state", x=value)
    assert recorder.losses == 0
    kinds = [record["type"] for record in records()]
    assert kinds == ["header", "snapshot", "response", "label", "pin", "compaction", "event"]


def test_a_class_that_lies_costs_its_element_only(recorder: Recorder, requests: Callable[[], list[Any]]) -> None:
    """An element that cannot even be asked for its class is its repr."""
    recorder.snapshot({"messages": [1, _Liar()]})
    assert [request.body() for _, request in requests()] == [{"messages": [1, "<liar>"]}]
