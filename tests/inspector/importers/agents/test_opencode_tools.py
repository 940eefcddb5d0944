"""Facts about tools that are stored as validators."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.importers.agents.opencode_tools import input_schema


def zod(kind: str, **fields: Any) -> dict[str, Any]:
    """A validator as JSON."""
    return {"type": kind, "def": {"type": kind, **fields}}


def test_json_schema_is_kept() -> None:
    """A schema is what was sent."""
    schema = {"type": "object", "properties": {}}

    assert input_schema(schema) == (schema, True)


def test_validator_keeps_names_types_and_what_may_be_absent() -> None:
    """An object's arguments are required unless optional or with a default; it is said that this is not all."""
    shape = {
        "a": zod("string"),
        "b": zod("optional", innerType=zod("number")),
        "c": zod("default", innerType=zod("boolean"), defaultValue=True),
    }
    schema, whole = input_schema(zod("object", shape=shape))

    assert schema == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "number"}, "c": {"type": "boolean", "default": True}},
        "required": ["a"],
    }
    assert not whole


@pytest.mark.parametrize(
    ("validator", "schema"),
    [
        (zod("array", element=zod("string")), {"type": "array", "items": {"type": "string"}}),
        (zod("enum", entries={"A": "a"}), {"type": "string", "enum": ["a"]}),
        (zod("literal", values=[1]), {"enum": [1]}),
        (zod("union", options=[zod("string"), zod("null")]), {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (zod("record", valueType=zod("number")), {"type": "object", "additionalProperties": {"type": "number"}}),
        ({**zod("number"), "isInt": True}, {"type": "integer"}),
        (zod("any"), {}),
    ],
)
def test_kinds(validator: dict[str, Any], schema: dict[str, Any]) -> None:
    """Each kind of validator has its schema; one that says nothing allows anything."""
    assert input_schema(validator)[0] == schema


def test_deep_validators_are_cut() -> None:
    """A validator that goes on and on ends."""
    deep: dict[str, Any] = zod("string")
    for _ in range(500):
        deep = zod("array", element=deep)

    assert "array" in str(input_schema(deep)[0])


def test_no_schema_is_an_empty_object() -> None:
    """A tool without parameters takes none."""
    assert input_schema(None) == ({"type": "object", "properties": {}}, False)
