"""Writes probes as tables, and keeps up a TOML file in which somebody wrote comments."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import tomlkit
from tomlkit.items import AoT, InlineTable, Table

from inspector.errors import SuiteError
from inspector.probes.probe import Expected, Probe, Suite
from inspector.probes.suite_reading import Place, ProbeReader
from snapshot_sdk.facts import Fact

_PROBES: Final = "probes"


def probe_table(probe: Probe) -> dict[str, Any]:
    """Return a probe as the table it is written as; what says nothing is left out.

    Args:
        probe: The probe.
    """
    table: dict[str, Any] = {
        "id": probe.id,
        "question": probe.question,
        "kind": probe.kind,
        "expected": _expected(probe.expected),
        "evidence": [_fact(fact) for fact in probe.evidence] or None,
        "due_from": probe.due_from,
        "due_until": probe.due_until,
        "lane": probe.lane,
        "about": probe.about,
        "note": probe.note,
    }
    return {key: value for key, value in table.items() if value is not None}


def _expected(expected: Expected) -> dict[str, Any]:
    table: dict[str, Any] = {}
    if len(expected.facts) == 1:
        table |= _fact(expected.facts[0])
    elif expected.facts:
        table["list"] = [_fact(fact) for fact in expected.facts]
    if expected.must_abstain:
        table["must_abstain"] = True
    if expected.must_not_say:
        table["must_not_say"] = [_fact(fact) for fact in expected.must_not_say]
    if expected.scorer is not None:
        table["scorer"] = expected.scorer
    return table


def _fact(fact: Fact) -> dict[str, Any]:
    table: dict[str, Any] = {fact.kind: fact.text}
    if fact.path is not None:
        table["path"] = fact.path
    if fact.anchors:
        table["anchors"] = list(fact.anchors)
    return table


def update_document(document: tomlkit.TOMLDocument, suite: Suite) -> tomlkit.TOMLDocument:
    """Bring a document up to a suite; probes are the same by their ids, and keep their comments.

    Args:
        document: As the file stands; empty: a new one.
        suite: What it is to hold.
    """
    for key, value in (("name", suite.name), ("session", suite.session)):
        if value is None:
            document.pop(key, None)
        elif document.get(key) != value:
            _put_first(document, key, value)
    old = document.get(_PROBES)
    present: dict[Any, Table] = {table.get("id"): table for table in old} if isinstance(old, AoT) else {}
    order = [probe.id for probe in suite.probes]
    if isinstance(old, AoT) and [key for key in present if key in order] == [key for key in order if key in present]:
        for at in reversed(range(len(old))):
            if old[at].get("id") not in order:
                del old[at]
        for at, probe in enumerate(suite.probes):
            if probe.id in present:
                _update(present[probe.id], probe)
            else:
                old.insert(at, _new_table(probe))
        return document
    tables = tomlkit.aot()
    for probe in suite.probes:
        table = present.get(probe.id)
        if table is None:
            table = _new_table(probe)
        else:
            _update(table, probe)
        tables.append(table)
    document.pop(_PROBES, None)
    document.append(_PROBES, tables)
    return document


def _put_first(document: tomlkit.TOMLDocument, key: str, value: str) -> None:
    """Set a key of the file; one behind the tables would belong to the last of them."""
    if key in document or _PROBES not in document:
        document[key] = value
        return
    probes = document.pop(_PROBES)
    document[key] = value
    document.append(_PROBES, probes)


def _new_table(probe: Probe) -> Table:
    table = tomlkit.table()
    for key, value in probe_table(probe).items():
        table.add(key, _item(value))
    table.trivia.indent = "\n"  # an empty line before its header
    return table


def _update(table: Table, probe: Probe) -> None:
    """Change what differs; a probe written in another way (``value`` for ``id``) stays as it is written."""
    try:
        current = probe_table(ProbeReader(Place(Path(), None, "")).probe(table.unwrap()))
    except SuiteError:
        current = {}  # what could not be read is written anew
    wanted = probe_table(probe)
    for key in [key for key in table if key not in wanted and key in current]:
        del table[key]
    for key, value in wanted.items():
        if key not in current or current[key] != value:
            table[key] = _item(value)


def _item(value: Any) -> Any:
    if isinstance(value, dict):
        inline: InlineTable = tomlkit.inline_table()
        for key, one in value.items():
            inline.append(key, _item(one))
        return inline
    if isinstance(value, list):
        array = tomlkit.array()
        for one in value:
            array.append(_item(one))
        return array
    if isinstance(value, str):
        return tomlkit.string(value, multiline="\n" in value)
    return value
