"""Reads a whole body at hand, as the index reads one from its trace: elements in prompt order, and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.model.dialects.base import Dialect
from inspector.model.dialects.endpoints import model_in_endpoint
from inspector.model.request import Element, Request

_TOOLS: Final = frozenset({"tools", "functions"})
_INSTRUCTIONS: Final = frozenset({"system", "developer"})


def read_whole(dialect: Dialect, body: Mapping[str, Any], endpoint: str | None = None) -> Request:
    """Decode a body.

    Args:
        dialect: Its dialect.
        body: The body's members, in order.
        endpoint: URL or path; Gemini and Bedrock name the model there.
    """
    order = dialect.prompt_order()
    members = sorted(
        filter(dialect.part_of_prompt, body), key=lambda name: order.index(name) if name in order else len(order)
    )
    elements: list[Element] = []
    for member in members:
        value = body[member]
        if value is None or value in ("", [], {}):
            continue
        items = enumerate(value) if isinstance(value, list | tuple) else ((None, value),)
        new = [Element(member, index, dialect.decode(member, item)) for index, item in items]
        if member in _TOOLS:
            # Tools that follow the messages are written behind the leading instructions.
            at = next((n for n, e in enumerate(elements) if e.message.role not in _INSTRUCTIONS), len(elements))
            elements[at:at] = new
        else:
            elements += new
    model = body.get("model") or body.get("modelId") or model_in_endpoint(endpoint)
    parameters = {name: value for name, value in body.items() if name not in members and name != "model"}
    return Request(dialect.name, model if isinstance(model, str) else None, tuple(elements), parameters)
