"""Values as LangGraph's checkpointers write them."""

from __future__ import annotations

import pickle

import msgpack
import pytest

from inspector.importers.reading.unreadable import UnreadableError
from inspector.importers.traces.langgraph_serde import OPAQUE, read_value


def packed(value: object) -> bytes:
    """MessagePack of a value."""
    return bytes(msgpack.packb(value))


def test_plain() -> None:
    """Plain values come back; keys may be numbers; nothing is None."""
    assert read_value("msgpack", packed({"a": [1, None, "文"], 2: True})) == {"a": [1, None, "文"], 2: True}
    assert read_value("null", b"") is None
    assert read_value("json", b'{"lc": 1}') == {"lc": 1}
    assert read_value("bytes", b"x") == b"x"


@pytest.mark.parametrize("code", range(6))
def test_objects(code: int) -> None:
    """An object is what it is made of; no class is looked for."""
    inner = packed(["no.such.module", "Nothing", {"content": "hi"}, "model_validate_json"])

    assert read_value("msgpack", packed([msgpack.ExtType(code, inner)])) == [{"content": "hi"}]


def test_objects_in_objects() -> None:
    """Objects nest."""
    inner = msgpack.ExtType(5, packed(["m", "Inner", {"a": 1}]))

    assert read_value("msgpack", packed(msgpack.ExtType(5, packed(["m", "Outer", {"of": inner}])))) == {"of": {"a": 1}}


@pytest.mark.parametrize("code", [6, 7, 99])
def test_what_is_not_known(code: int) -> None:
    """Arrays of numbers, stored changes and other types stand for themselves."""
    assert read_value("msgpack", packed({"x": msgpack.ExtType(code, b"\x00")})) == {"x": OPAQUE}


def test_half_a_character() -> None:
    """Text that is no UTF-8 costs the characters, not the checkpoint."""
    assert read_value("msgpack", b"\xa2\xff\xfe") == "\ufffd\ufffd"


@pytest.mark.parametrize("kind", ["pickle", None])
def test_pickles_are_never_loaded(kind: str | None) -> None:
    """A pickle runs what its writer wants: it is refused, named or not."""

    class Bomb:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return pytest.fail, ("the pickle was loaded",)

    with pytest.raises(UnreadableError, match="pickled"):
        read_value(kind, pickle.dumps(Bomb()))


def test_damage() -> None:
    """What breaks off is a value error, and an unknown kind is named."""
    with pytest.raises(ValueError, match="damaged"):
        read_value("msgpack", packed({"a": "long enough"})[:-3])
    with pytest.raises(UnreadableError, match="'avro'"):
        read_value("avro", b"x")
