"""Errors carry their facts in fields and say them in one sentence."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from inspector import errors

FILE = Path("traces") / "a.jsonl"
CASES = [
    (errors.NoTracesError(FILE), "cannot read traces in traces", {"directory": FILE}),
    (errors.UnsupportedVersionError(FILE, 9, 1), "version 9; this version reads up to 1", {"found": 9, "supported": 1}),
    (errors.SettingsError(FILE, "layers[1].tag", "is bad"), "a.jsonl: layers[1].tag: is bad", {"key": "layers[1].tag"}),
    (errors.SettingsError(FILE, None, "is bad"), "a.jsonl: is bad", {"key": None}),
    (errors.SessionNotFoundError("s1", ("s10", "s11")), "no session 's1'", {"close": ("s10", "s11")}),
    (errors.CallNotFoundError("s1", 9, 3), "numbered 1 to 3", {"number": 9, "calls": 3}),
    (errors.IndexLockedError(FILE, "PID 7"), "in use by PID 7", {"holder": "PID 7"}),
    (errors.ImportFailedError(FILE, "no JSON", line=4), "a.jsonl:4: no JSON", {"line": 4, "reason": "no JSON"}),
    (errors.QueryError("selec", "syntax"), "cannot be run: syntax", {"query": "selec"}),
]


@pytest.mark.parametrize(("error", "words", "fields"), CASES, ids=lambda case: type(case).__name__)
def test_errors_say_and_carry(error: errors.InspectorError, words: str, fields: dict[str, object]) -> None:
    """The sentence holds the facts, and so do the fields."""
    assert words in str(error) == error.message
    assert {name: getattr(error, name) for name in fields} == fields


def test_close_names_are_a_hint() -> None:
    """Where names are close, the hint names them; else there is none."""
    assert errors.SessionNotFoundError("s1", ("s10",)).hint == "Did you mean s10?"
    assert errors.SessionNotFoundError("s1").hint is None


def test_there_is_one_root() -> None:
    """Every error of the module is an InspectorError."""
    classes = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]
    assert len(classes) > 5
    assert all(issubclass(kind, errors.InspectorError) for kind in classes)
