"""JSON values taken for what they should be: what is anything else counts as empty or absent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any


def as_object(value: Any) -> dict[str, Any]:
    """Give the object that a value is; an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Give the array that a value is; an empty one where it is none."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str | None:
    """Give the text that a value is; None where it is none."""
    return value if isinstance(value, str) else None


def objects(values: Any) -> Iterator[dict[str, Any]]:
    """Give the objects of a list, whatever else it holds; of anything else none."""
    return (value for value in as_list(values) if isinstance(value, dict))


def inner_items(value: Mapping[str, Any], names: Iterable[str]) -> Iterator[Any]:
    """Give what stands in the arrays of an object that have these names, in the order of the names."""
    for name in names:
        yield from as_list(value.get(name))


def dumped(value: Any, *, separators: tuple[str, str] = (", ", ": ")) -> str:
    """Write a value as JSON, with integers of any length; ``json`` refuses more than 4,300 digits.

    Args:
        value: What JSON can hold.
        separators: Between items, and between name and value.
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=separators)
    except ValueError:
        return _encoded(value, separators)


def _encoded(value: Any, separators: tuple[str, str]) -> str:
    if isinstance(value, dict):
        members = (
            f"{json.dumps(name, ensure_ascii=False)}{separators[1]}{_encoded(value[name], separators)}"
            for name in value
        )
        return f"{{{separators[0].join(members)}}}"
    if isinstance(value, list):
        return f"[{separators[0].join(_encoded(item, separators) for item in value)}]"
    if type(value) is int:
        return str(Decimal(value))
    return json.dumps(value, ensure_ascii=False)


def compact(value: Any) -> str:
    """Write a value as models write it: without spaces."""
    return dumped(value, separators=(",", ":"))


def spaced(value: Any) -> str:
    """Write a value as Python's clients write it: with a space after each comma and colon."""
    return dumped(value)


def tool_call(identity: Any, name: Any, arguments: str) -> dict[str, Any]:
    """Give a call of a tool as OpenAI's chat API has it.

    Args:
        identity: Its id; None: the log has none.
        name: The tool's name.
        arguments: Their JSON text.
    """
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}
