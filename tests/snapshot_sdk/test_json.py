"""Writing JSON at C speed gives what the standard library's public writer gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from snapshot_sdk import _json
from snapshot_sdk._json import STYLES, escape_surrogates, write_foreign

VALUES: list[Any] = [
    {"a": [1, 2.5, None, True, {"茶": 'é\n\t"\\/ 😀 \x7f'}], "": {}, "b": []},
    "text",
    -0.0,
    1e300,
    [],
    "\ud800 é",
]
SEPARATORS = {"compact": (",", ":"), "default": (", ", ": ")}


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("without_c", [False, True])
def test_a_style_writes_as_the_standard_library(
    value: Any, style: Any, without_c: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each style is the public writer with its settings, lone surrogates escaped, with the C writer and without."""
    if without_c:
        monkeypatch.setattr(_json._stdlib, "c_make_encoder", None)
    separators, ascii_only = SEPARATORS[style.partition("-")[0]], style.endswith("ascii")
    writing = _json._writing(*separators, ascii_only=ascii_only)
    assert writing.dumps(value) == escape_surrogates(
        json.dumps(value, separators=separators, ensure_ascii=ascii_only, allow_nan=False)
    )
    assert STYLES[style].dumps(value) == writing.dumps(value)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
def test_what_json_has_no_number_for_is_refused(value: Any) -> None:
    """NaN and the infinities are no JSON."""
    for write in (STYLES["compact"].dumps, write_foreign):
        with pytest.raises(ValueError, match="JSON compliant"):
            write(value)


@pytest.mark.parametrize("without_c", [False, True])
def test_a_cycle_is_refused_at_once(without_c: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value of the user that holds itself is found out, with the C writer and without."""
    if without_c:
        monkeypatch.setattr(_json._stdlib, "c_make_encoder", None)
    cycle: list[Any] = []
    cycle.append(cycle)
    with pytest.raises(ValueError, match="Circular reference"):
        _json._checking()(cycle)
