"""Tool definitions as OpenAI writes them into a prompt: as the declarations of a TypeScript namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.model.dialects.shapes import json_text

NAMESPACE_START: Final = "namespace functions {\n\n"
NAMESPACE_END: Final = "} // namespace functions"

_PLAIN_TYPES: Final = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
}
_DEEPEST: Final = 40
"""Schemas nested deeper are written ``any``: no tool of a real agent comes near, a hostile one may."""
_DESCRIBED_BELOW: Final = 2
"""Parameters this many spaces in, those of nested objects, are written without their description."""


def render_function(tool: Any) -> str:
    """Write one tool definition, nested (``function``) or flat, with the empty line that follows it.

    Args:
        tool: The definition as the body has it; whatever it lacks is left out.
    """
    tool = _mapping(tool)
    function = _mapping(tool.get("function")) or _mapping(tool.get("custom")) or tool
    name = function.get("name") or tool.get("type") or ""
    lines = []
    if description := function.get("description"):
        lines.append(f"// {description}")
    parameters = _mapping(function.get("parameters") or function.get("input_schema"))
    if _mapping(parameters.get("properties")):
        lines += [f"type {name} = (_: {{", _properties(parameters, 0, 0), "}) => any;"]
    else:
        lines.append(f"type {name} = () => any;")
    return "\n".join((*lines, "", ""))


def _properties(schema: Mapping[str, Any], indent: int, depth: int) -> str:
    required = schema.get("required")
    required = required if isinstance(required, list | tuple) else ()
    lines = []
    for name, value in _mapping(schema.get("properties")).items():
        parameter = _mapping(value)
        if parameter.get("description") and indent < _DESCRIBED_BELOW:
            lines.append(f"// {parameter['description']}")
        lines.append(f"{name}{'' if name in required else '?'}: {_type(parameter, indent, depth)},")
    return "\n".join(" " * indent + line for line in lines)


def _type(schema: Mapping[str, Any], indent: int, depth: int) -> str:
    if depth > _DEEPEST:
        return "any"
    kind = schema.get("type")
    for union in ("anyOf", "oneOf"):
        if isinstance(schema.get(union), list | tuple):
            return " | ".join(_type(_mapping(option), indent, depth + 1) for option in schema[union])
    if isinstance(kind, list | tuple):
        return " | ".join(_type({**schema, "type": option}, indent, depth + 1) for option in kind)
    if isinstance(schema.get("enum"), list | tuple) and kind in (None, "string", "number", "integer"):
        return " | ".join(json_text(option) for option in schema["enum"])
    if kind == "array":
        items = _mapping(schema.get("items"))
        return f"{_type(items, indent, depth + 1)}[]" if items else "any[]"
    if kind == "object" or "properties" in schema:
        return "\n".join(("{", _properties(schema, indent + 2, depth + 1), "}"))
    return _PLAIN_TYPES.get(kind, "any") if isinstance(kind, str) else "any"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
