"""Tool definitions as Google writes them into a prompt: as declarations of its open function-calling model.

Nobody has published how Gemini writes them. FunctionGemma's card has the form of its own, which the few bills there
are bear out (``docs/tokens.md``): members in alphabetical order, keys without quotation marks. Its ``<escape>`` around
a text is written as a quotation mark here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

_SCHEMAS: Final = ("parameters", "parametersJsonSchema", "parameters_json_schema")
"""Names under which a definition has its schema, the last one as pydantic-ai writes it."""
_NOT_WRITTEN: Final = frozenset({"additionalProperties", "$schema"})
_DEEPEST: Final = 40
"""Levels that are written; no tool of a real agent comes near, a hostile one may."""


def render_declaration(function: Any) -> str:
    """Write one function.

    Args:
        function: Its definition; whatever it lacks is left out.
    """
    function = function if isinstance(function, Mapping) else {}
    schema = next((function[name] for name in _SCHEMAS if isinstance(function.get(name), Mapping)), None)
    members: dict[str, Any] = {"description": function.get("description") or ""}
    if schema is not None:
        members["parameters"] = schema
    # A tool of the server's own has nothing but its kind: ``{"googleSearch": {}}``.
    name = function.get("name") or (next(iter(function)) if len(function) == 1 else "")
    return f"declaration:{name}{_write(members, 0)}"


def _write(value: Any, depth: int) -> str:
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        kept = {str(name): item for name, item in sorted(value.items(), key=lambda pair: str(pair[0])) if item != {}}
        members = (f"{name}:{_write(item, depth + 1)}" for name, item in kept.items() if name not in _NOT_WRITTEN)
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_write(item, depth + 1) for item in value) + "]"
    if isinstance(value, str):
        return f'"{value}"'
    return json.dumps(value, default=str)
