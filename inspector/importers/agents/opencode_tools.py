"""JSON Schema of OpenCode's tools, which its stream holds as zod validators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_SIMPLE: Final = frozenset({"string", "number", "boolean", "null"})
_WRAPPERS: Final = frozenset({"optional", "nullable", "default", "prefault", "readonly", "catch", "nonoptional"})
_OPTIONAL: Final = frozenset({"optional", "default", "prefault"})

_DEEPEST: Final = 64
"""Levels read; validators that refer to themselves are cut there."""


def input_schema(parameters: Any) -> tuple[dict[str, Any], bool]:
    """Give the schema of a tool's arguments, and whether it is stored as it was sent.

    A validator keeps names, types and which arguments may be absent; descriptions and limits are gone.

    Args:
        parameters: JSON Schema, or a zod validator written as JSON.
    """
    if not isinstance(parameters, dict):
        return {"type": "object", "properties": {}}, False
    if not isinstance(parameters.get("def"), dict):
        return parameters, True
    return _schema(parameters, _DEEPEST), False


def _schema(validator: Any, depth: int) -> dict[str, Any]:
    definition = validator.get("def") if isinstance(validator, dict) else None
    if not isinstance(definition, dict) or depth == 0:
        return {}
    kind = definition.get("type")
    if kind in _SIMPLE:
        whole = kind == "number" and validator.get("isInt") is True
        return {"type": "integer" if whole else kind}
    if kind == "object":
        return _object(definition.get("shape"), depth)
    if kind == "array":
        return {"type": "array", "items": _schema(definition.get("element"), depth - 1)}
    if kind == "enum":
        entries = definition.get("entries")
        return {"type": "string", "enum": list(entries.values()) if isinstance(entries, dict) else []}
    if kind == "literal":
        return {"enum": definition.get("values")}
    if kind == "union":
        options = definition.get("options")
        return {"anyOf": [_schema(option, depth - 1) for option in options] if isinstance(options, list) else []}
    if kind == "record":
        return {"type": "object", "additionalProperties": _schema(definition.get("valueType"), depth - 1)}
    if kind in _WRAPPERS:
        inner = _schema(definition.get("innerType"), depth - 1)
        return {**inner, "default": definition["defaultValue"]} if "defaultValue" in definition else inner
    if kind == "pipe":
        return _schema(definition.get("in"), depth - 1)
    return {}


def _object(shape: Any, depth: int) -> dict[str, Any]:
    fields: Mapping[str, Any] = shape if isinstance(shape, dict) else {}
    required = [name for name, field in fields.items() if _kind(field) not in _OPTIONAL]
    properties = {name: _schema(field, depth - 1) for name, field in fields.items()}
    return {"type": "object", "properties": properties, "required": required}


def _kind(validator: Any) -> Any:
    definition = validator.get("def") if isinstance(validator, dict) else None
    return definition.get("type") if isinstance(definition, dict) else None
