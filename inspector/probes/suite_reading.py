"""Reads one probe of a suite, or says what is wrong with it and where."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from inspector.errors import SuiteError
from inspector.probes.probe import KINDS, SCORERS, Expected, Probe, ProbeKind, ScorerName
from snapshot_sdk.facts import KINDS as FACT_KINDS
from snapshot_sdk.facts import Fact, FactKind, Matcher, guess_kind

PROBE_KEYS: Final = (
    "id", "question", "expected", "kind", "evidence", "due_from", "due_until", "lane", "about", "note",
)  # fmt: skip
FACT_KEYS: Final[tuple[str, ...]] = ("value", *FACT_KINDS)
"""What a fact is written under: its kind, or ``value`` where the kind is to be guessed."""
_EXPECTED_KEYS: Final = (*FACT_KEYS, "list", "anchors", "path", "must_abstain", "must_not_say", "scorer")

_MOST_DIGITS: Final = 18
"""Of the number of a turn: more fit into no column of the index."""


@dataclass(frozen=True)
class Place:
    """Where a probe stands in its file."""

    file: Path
    line: int | None
    """From 1; None: unknown."""
    key: str
    """``probes[2]``; empty: a line of its own."""

    def error(self, reason: str, key: str = "") -> SuiteError:
        """Make the error about a key of the probe."""
        return SuiteError(self.file, reason, line=self.line, key=".".join(filter(None, (self.key, key))) or None)


class ProbeReader:
    """Turns parsed data into a probe."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def probe(self, data: Any) -> Probe:
        """Read a probe.

        Args:
            data: A table of TOML, or an object of JSON.

        Raises:
            SuiteError: It cannot be used.
        """
        table = self._table(data, "")
        self._only(table, PROBE_KEYS, "")
        expected = self._expected(table.get("expected"))
        kind = table.get("kind", "abstention" if expected.must_abstain else "recall")
        if kind not in KINDS:
            raise self._place.error(f"{kind!r} is no kind; kinds are {', '.join(KINDS)}", "kind")
        kind_name: ProbeKind = next(one for one in get_args(ProbeKind) if one == kind)
        return Probe(
            id=self._text(table, "id", needed=True) or "",
            question=self._text(table, "question", needed=True) or "",
            expected=expected,
            kind=kind_name,
            evidence=self._facts(table.get("evidence"), "evidence"),
            due_from=self._turn(table, "due_from"),
            due_until=self._turn(table, "due_until"),
            lane=self._text(table, "lane"),
            about=self._text(table, "about"),
            note=self._text(table, "note"),
        )

    def _expected(self, data: Any) -> Expected:
        if data is None:
            raise self._place.error("is missing: say what the answer must be, or must_abstain = true", "expected")
        if not isinstance(data, Mapping):
            return Expected(self._facts(data, "expected"))
        self._only(data, _EXPECTED_KEYS, "expected.")
        forbidden = self._facts(data.get("must_not_say"), "expected.must_not_say")
        abstains = data.get("must_abstain", False)
        if not isinstance(abstains, bool):
            raise self._place.error("must be true or false", "expected.must_abstain")
        scorer = data.get("scorer")
        if scorer is not None and scorer not in SCORERS:
            raise self._place.error(f"{scorer!r} is no scorer; scorers are {', '.join(SCORERS)}", "expected.scorer")
        name: ScorerName | None = next((one for one in SCORERS if one == scorer), None)
        facts = self._expected_facts(data)
        if abstains and facts:
            raise self._place.error("an answer cannot both say something and abstain", "expected")
        if not facts and not abstains and not forbidden:
            raise self._place.error(
                f"needs one of {', '.join(FACT_KEYS)}, list, must_abstain, must_not_say", "expected"
            )
        if not facts and name not in (None, "abstain", "forbidden"):
            raise self._place.error(f"{name} needs something that is expected", "expected.scorer")
        return Expected(facts, abstains, forbidden, name)

    def _expected_facts(self, data: Mapping[str, Any]) -> tuple[Fact, ...]:
        if "list" in data:
            if data.keys() & set(FACT_KEYS):
                raise self._place.error("has a list and a single value; put it into the list", "expected")
            if not isinstance(data["list"], list) or not data["list"]:
                raise self._place.error("must be a list of at least one value", "expected.list")
            return self._facts(data["list"], "expected.list")
        named = {key: value for key, value in data.items() if key in (*FACT_KEYS, "anchors", "path")}
        return (self._fact(named, "expected"),) if named else ()

    def _facts(self, data: Any, key: str) -> tuple[Fact, ...]:
        if data is None:
            return ()
        if isinstance(data, list):
            return tuple(self._fact(one, f"{key}[{n}]") for n, one in enumerate(data, start=1))
        return (self._fact(data, key),)

    def _fact(self, data: Any, key: str) -> Fact:
        if not isinstance(data, Mapping):
            data = {"value": data}
        self._only(data, (*FACT_KEYS, "anchors", "path"), f"{key}.")
        # `path` is a kind of value, and beside `json` the key path.
        names = [name for name in data if name in FACT_KEYS and not (name == "path" and "json" in data)]
        if len(names) != 1:
            raise self._place.error(f"needs one of {', '.join(FACT_KEYS)}", key)
        name = names[0]
        text = self._fact_text(name, data[name], f"{key}.{name}")
        anchors = data.get("anchors", [])
        if not isinstance(anchors, list) or not all(isinstance(one, str) and one.strip() for one in anchors):
            raise self._place.error("must be a list of words", f"{key}.anchors")
        path = data.get("path") if name == "json" else None
        if name == "json" and not (isinstance(path, str) and path.strip()):
            raise self._place.error("is missing: a json value is found by its key path", f"{key}.path")
        kind: FactKind = guess_kind(text) if name == "value" else next(one for one in FACT_KINDS if one == name)
        fact = Fact(kind, text, tuple(anchors), path)
        try:
            Matcher(fact)
        except ValueError as error:
            raise self._place.error(str(error), f"{key}.{name}") from error
        return fact

    def _fact_text(self, name: str, value: Any, key: str) -> str:
        if name == "json" and not isinstance(value, str):
            return json.dumps(value, ensure_ascii=False, default=str)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self._place.error("must be a string", key)
        if not str(value).strip():
            raise self._place.error("is empty", key)
        return str(value)

    def _text(self, table: Mapping[str, Any], key: str, *, needed: bool = False) -> str | None:
        value = table.get(key)
        if value is None and not needed:
            return None
        if value is None:
            raise self._place.error("is missing", key)
        if not isinstance(value, str) or not value.strip():
            raise self._place.error("must be a string with something in it", key)
        return value

    def _turn(self, table: Mapping[str, Any], key: str) -> int | str | None:
        value = table.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        if not isinstance(value, str) or not value.strip():
            raise self._place.error(f'{value!r} is no turn: write 3, or "t3"', key)
        digits = value.strip().removeprefix("t")
        # `t3` as tables write it is turn 3; any other name is a turn of that name, a number that no turn has, too.
        number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
        return int(digits) if number else value.strip()

    def _table(self, data: Any, key: str) -> Mapping[str, Any]:
        if not isinstance(data, Mapping):
            raise self._place.error("must be a table", key)
        return data

    def _only(self, data: Mapping[str, Any], known: tuple[str, ...], prefix: str) -> None:
        for key in data:
            if key not in known:
                raise self._place.error(f"is not known; known are {', '.join(known)}", f"{prefix}{key}")
