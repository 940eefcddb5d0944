"""Edits one probe of a suite from the page: what the form does not show stays as it is in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from inspector.probes.probe import KINDS, SCORERS, Probe
from inspector.probes.suite import load_suite, save_suite
from inspector.probes.suite_reading import FACT_KEYS, Place, ProbeReader
from inspector.probes.suite_writing import probe_table
from inspector.ui.frame_data import short_path

KEEP: Final = "as it is"
"""Choice of the form for what is expected: several values, or only what must not be said, which it cannot show."""
ABSTAIN: Final = "must abstain"
CHOICES: Final[dict[str, tuple[str, ...]]] = {"kinds": KINDS, "expected": (*FACT_KEYS, ABSTAIN), "scorers": SCORERS}
"""What the lists of the form offer."""


def form_of(probe: Probe) -> dict[str, Any]:
    """Return a probe as the form shows it, with the whole of it as ``table``: by that an edit knows what it is of.

    Args:
        probe: The probe.
    """
    expected = probe.expected
    single = expected.facts[0] if len(expected.facts) == 1 else None
    return {
        "id": probe.id,
        "question": probe.question,
        "kind": probe.kind,
        "as": single.kind if single is not None else ABSTAIN if expected.must_abstain else KEEP,
        "text": "" if single is None else single.text,
        "path": "" if single is None else single.path or "",
        "due_from": _turn_text(probe.due_from),
        "due_until": _turn_text(probe.due_until),
        "scorer": expected.scorer or "",
        "table": probe_table(probe),
    }


def _turn_text(turn: int | str | None) -> str:
    return "" if turn is None else str(turn)


def read_probe(form: Mapping[str, Any], before: Probe | None, file: Path) -> Probe:
    """Read what the form says.

    Args:
        form: As :func:`form_of` gives it.
        before: The probe that is edited; None: a new one.
        file: Of the suite, for errors.

    Raises:
        SuiteError: It is no probe; says which field is wrong, and why.
    """
    table: dict[str, Any] = {} if before is None else probe_table(before)
    table |= {key: _said(form, key) for key in ("id", "question", "kind")}
    for key in ("due_from", "due_until"):
        table[key] = _said(form, key) or None
    expected: dict[str, Any] = dict(table.get("expected", {}))
    chosen = _said(form, "as")
    if chosen != KEEP:
        same = chosen in expected  # the words beside a value go with its kind
        dropped = {*FACT_KEYS, "list", "must_abstain", *(() if same else ("anchors",))}
        expected = {key: value for key, value in expected.items() if key not in dropped}
        expected |= {"must_abstain": True} if chosen == ABSTAIN else {chosen: str(form.get("text") or "")}
        if chosen == "json":
            expected["path"] = _said(form, "path")
    expected["scorer"] = _said(form, "scorer") or None
    table["expected"] = {key: value for key, value in expected.items() if value is not None}
    return ProbeReader(Place(file, None, "")).probe(table)


def _said(form: Mapping[str, Any], key: str) -> str:
    return str(form.get(key) or "").strip()


def save_probe(file: Path, form: Mapping[str, Any], was: Mapping[str, Any] | None) -> dict[str, Any]:
    """Write one probe into its suite.

    Args:
        file: Of the suite.
        form: What the reader wrote.
        was: The probe as the page showed it, a table; None: a new one is added.

    Returns:
        ``text`` and ``tone`` for the reader; ``edited`` (its id) after it was written.

    Raises:
        InspectorError: The form or the file cannot be used, or the file cannot be written.
    """
    suite = load_suite(file)
    probes = list(suite.probes)
    at = len(probes)
    if was is not None:
        # Somebody may have edited the file since: what they wrote is not to be lost.
        at = next((n for n, probe in enumerate(probes) if probe_table(probe) == was), -1)
        if at < 0:
            text = f"{short_path(file)} was changed since: nothing was written. Open the probe again."
            return {"text": text, "tone": "error"}
    probe = read_probe(form, probes[at] if was is not None else None, file)
    if any(other.id == probe.id for n, other in enumerate(probes) if n != at):
        return {"text": f"There is a probe {probe.id} already: another id.", "tone": "error"}
    probes[at : at + 1] = [probe]
    save_suite(replace(suite, probes=tuple(probes)), file)
    return {"text": f"Wrote {probe.id} to {short_path(file)}.", "tone": "good", "edited": probe.id}


def remove_probe(file: Path, was: Mapping[str, Any]) -> dict[str, Any]:
    """Take one probe out of its suite; answers it got stay beside the traces.

    Args:
        file: Of the suite.
        was: The probe as the page showed it, a table.

    Returns:
        ``text`` and ``tone`` for the reader; ``removed`` (its id) after it was written.

    Raises:
        InspectorError: The file cannot be used, or cannot be written.
    """
    suite = load_suite(file)
    left = tuple(probe for probe in suite.probes if probe_table(probe) != was)
    if len(left) == len(suite.probes):
        text = f"{short_path(file)} was changed since: nothing was removed. Open the probe again."
        return {"text": text, "tone": "error"}
    if not left:
        return {"text": f"It is the only probe of {short_path(file)}: delete the file instead.", "tone": "error"}
    save_suite(replace(suite, probes=left), file)
    name = str(was.get("id"))
    text = f"Removed {name} from {short_path(file)}. Answers it got stay: added again, it is not asked anew."
    return {"text": text, "tone": "good", "removed": name}
