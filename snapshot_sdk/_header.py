"""What the user says about a session, checked when the recorder is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from snapshot_sdk._values import key_text, safe_repr

MAX_TOKENS: Final = 2**53
"""Larger numbers are no count of tokens, and not every JSON reader takes them exactly (RFC 8259, 6)."""


@dataclass(frozen=True)
class HeaderFields:
    """What the user says about a session."""

    agent: str | None = None
    window: int | None = None
    budget: int | None = None
    threshold: int | float | None = None
    budgets: Mapping[str, int] | None = None
    meta: Mapping[str, Any] | None = None
    imported: Mapping[str, Any] | None = None

    def merged(self, **overrides: Any) -> HeaderFields:
        """Returns the fields with those that are not None replaced."""
        return replace(self, **{name: value for name, value in overrides.items() if value is not None})

    def json_fields(self) -> dict[str, Any]:
        """Returns the fields as the header record holds them."""
        fields = {
            "agent": self.agent,
            "window": self.window,
            "budget": self.budget,
            "threshold": self.threshold,
            "budgets": dict(self.budgets or {}),
            "meta": dict(self.meta or {}),
        }
        return fields | ({"imported": dict(self.imported)} if self.imported is not None else {})


def check_header(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Checks what the user says about a session.

    Args:
        fields: Fields of :class:`HeaderFields`; None: not said.

    Raises:
        TypeError: One is of the wrong type.
        ValueError: A number is out of range.
    """
    if not isinstance(fields.get("agent"), str | None):
        raise TypeError(f"agent must be a name, not {safe_repr(fields['agent'])}")
    for name in ("meta", "imported"):
        if not isinstance(fields.get(name), Mapping | None):
            raise TypeError(f"{name} must be a mapping, not {safe_repr(fields[name])}")
    return {
        **fields,
        "window": _tokens("window", fields.get("window")),
        "budget": _tokens("budget", fields.get("budget")),
        "threshold": _threshold(fields.get("threshold")),
        "budgets": _budgets(fields.get("budgets")),
    }


def _tokens(name: str, value: int | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be a number of tokens, not {safe_repr(value)}")
    if not 0 < value <= MAX_TOKENS:
        raise ValueError(f"{name} must be positive and at most {MAX_TOKENS}, not {safe_repr(value)}")
    return int(value)


def _threshold(value: int | float | None) -> int | float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"threshold must be tokens or a fraction, not {safe_repr(value)}")
    whole = isinstance(value, int) or value.is_integer()
    if not (0 < value <= 1 or (whole and 1 < value <= MAX_TOKENS)):
        raise ValueError(f"threshold must be a fraction (0–1) or a number of tokens, not {safe_repr(value)}")
    return int(value) if isinstance(value, int) else float(value)


def _budgets(budgets: Mapping[str, int] | None) -> dict[str, int] | None:
    if budgets is None:
        return None
    if not isinstance(budgets, Mapping):
        raise TypeError(f"budgets must map layers to tokens, not {safe_repr(budgets)}")
    checked = {key_text(layer): _tokens(f"budgets[{key_text(layer)!r}]", value) for layer, value in budgets.items()}
    return {layer: tokens for layer, tokens in checked.items() if tokens is not None}
