"""Fixtures as files: the same after a round trip, the same bytes for equal ones, each fault named by its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import _fixture_file
from snapshot_sdk._fixture_file import dump_fixture, fixture_value, parse_fixture, read_fixture
from snapshot_sdk._fixture_values import (
    CHECK_KINDS,
    Check,
    Fixture,
    HistoryMessage,
    Origin,
    PlayedCall,
    RecordedCompaction,
    TokenRule,
)
from snapshot_sdk.errors import FixtureError
from snapshot_sdk.facts import Fact

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "fixtures" / "v1.json"
DOCS = Path(__file__).resolve().parents[2] / "docs" / "fixtures.md"


def test_round_trip(trip: Fixture, tmp_path: Path) -> None:
    """What is written is read back equal."""
    path = tmp_path / "trip.json"
    path.write_text(dump_fixture(trip), encoding="utf-8")
    assert read_fixture(path) == trip


def full_of(trip: Fixture) -> Fixture:
    """The same with a value in every member."""
    return replace(
        trip,
        compactions=(RecordedCompaction(3, "summary", "70 %", True, ("sha256:a",), None, 900, None),),
        response=[{"role": "assistant", "content": "Palm Court."}],
        probes=({"id": "order", "question": "Which?"},),
        played=(
            PlayedCall(
                1, "main", "openai.chat", None, None, ({"role": "assistant"},), "stop", {"prompt_tokens": 1}, None,
                purpose="summarise", heads=("You are",), tools=("find",),
            ),
        ),
        inputs=("one", "two"),
        spans=(("Answer in Chinese only", "memory"),),
        removed={"email": 2},
        left_out=("2 images",),
        shrunk={"messages": 3},
        made_by="context-inspector 0.1.0",
        extra={"note": "mine"},
    )  # fmt: skip


def test_round_trip_of_every_member(trip: Fixture) -> None:
    """Members that are seldom there survive as well."""
    full = full_of(trip)
    assert all(getattr(full, field.name) not in (None, ()) for field in fields(full))
    assert parse_fixture(json.loads(dump_fixture(full))) == full


def test_golden_file(trip: Fixture) -> None:
    """A file of version 1 as it was committed: read as ever, written as ever."""
    text = GOLDEN.read_text(encoding="utf-8")
    assert read_fixture(GOLDEN) == full_of(trip)
    assert dump_fixture(full_of(trip)) == text


def test_golden_file_with_a_broken_byte(tmp_path: Path) -> None:
    """Wherever it breaks, the message names the place."""
    path = tmp_path / "broken.json"
    path.write_text(GOLDEN.read_text(encoding="utf-8").replace('"call": 3', '"call": 3.5', 1), encoding="utf-8")
    with pytest.raises(FixtureError, match=r"broken\.json, origin\.call: must be a whole number, not 3\.5"):
        read_fixture(path)


def test_older_version_is_upgraded_step_by_step(trip: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step is a named function from one version to the next."""

    def upgrade_v1_to_v2(members: dict[str, Any]) -> dict[str, Any]:
        return {**members, "title": members["title"] + ", upgraded"}

    monkeypatch.setattr(_fixture_file, "FIXTURE_VERSION", 2)
    monkeypatch.setattr(_fixture_file, "UPGRADES", {1: upgrade_v1_to_v2})
    value = {**fixture_value(trip), "version": 1}
    assert parse_fixture(value).title == "The rule went with a summary, upgraded"


def test_unknown_members_are_kept(trip: Fixture) -> None:
    """A member of a later version of the program, or of the user's own, is written again."""
    value = {**fixture_value(trip), "ticket": {"id": 17}}
    assert fixture_value(parse_fixture(value))["ticket"] == {"id": 17}


def test_defaults_are_left_out(trip: Fixture) -> None:
    """A member that has its default says nothing and is not written; a turn of 0 and a false are no defaults."""
    value = fixture_value(replace(trip, origin=replace(trip.origin, turn=0)))
    assert "removed" not in value
    assert value["origin"]["turn"] == 0
    assert value["history"][0]["answer"] is False


def test_equal_fixtures_are_equal_bytes(trip: Fixture) -> None:
    """Reading and writing again changes nothing."""
    text = dump_fixture(trip)
    assert dump_fixture(parse_fixture(json.loads(text))) == text
    assert "对话摘要" in text


def test_lone_surrogate(trip: Fixture, tmp_path: Path) -> None:
    """Text that UTF-8 cannot carry is written as its escape."""
    path = tmp_path / "odd.json"
    path.write_text(dump_fixture(replace(trip, title="half \ud83d")), encoding="utf-8")
    assert read_fixture(path).title == "half \ud83d"


def _set(*keys: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        at: Any = value
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = to

    return change


FAULTS = [
    (_set("version", to=2), "version", "fixture version 2 is newer than version 1"),
    (_set("version", to="1"), "version", "must be a whole number from 1"),
    (_set("name", to=3), "name", "must be a text, not 3"),
    (_set("window", to=True), "window", "must be a whole number, not true"),
    (_set("origin", "turn", to=[]), "origin.turn", "must be a whole number or a text or null, not a list"),
    (_set("history", 1, "call", to=None), "history[1].call", "must be a whole number, not null"),
    (_set("checks", 0, "kind", to="pins"), "checks[0].kind", 'must be one of pin, fact, .* not "pins"'),
    (_set("checks", 1, "id", to="pin_1"), "checks[1]", 'the id "pin_1" is also that of checks[0]'),
    (_set("checks", 0, "regex", to="("), "checks[0].regex", "is no regular expression"),
    (_set("checks", 0, "text", to=None), "checks[0].text", "needs a text or a regex"),
    (_set("checks", 1, "facts", 0, "kind", to="mony"), "checks[1].facts[0].kind", "must be one of id, number"),
    (_set("checks", 1, "facts", 0, "text", to="much"), "checks[1].facts[0]", "."),
    (_set("checks", 6, "limit", to=None), "checks[6].limit", "needs a number of tokens"),
    (_set("spans", to=[["one"]]), "spans[0]", "must be a list of 2, not of 1"),
    (_set("request", to=[]), "request", "must be an object, not a list"),
    (_set("request", to={}), "request", "must have one of messages, contents, input, prompt"),
    (_set("window", to=-1), "window", "must be from 1, not -1"),
    (_set("budget", to=0), "budget", "must be from 1, not 0"),
    (_set("origin", "call", to=-4), "origin.call", "must be from 1, not -4"),
    (_set("history", 1, "message", to=5), "history[1].message", "must be an object or a text, not 5"),
    (_set("history", 1, "tokens", to=-2), "history[1].tokens", "must be from 0, not -2"),
    (_set("checks", 0, "regex", to="Chinese"), "checks[0].regex", "has a text or a regex, not both"),
]


@pytest.mark.parametrize(("change", "member", "reason"), FAULTS, ids=[member for _, member, _ in FAULTS])
def test_faults_are_named(trip: Fixture, change: Callable[[dict[str, Any]], None], member: str, reason: str) -> None:
    """File, key path and reason."""
    value = json.loads(dump_fixture(replace(trip, spans=(("a", "memory"),))))
    change(value)
    with pytest.raises(FixtureError) as caught:
        parse_fixture(value, "trip.json")
    assert caught.value.member == member
    assert re.search(reason.replace("[", r"\["), caught.value.reason)
    assert str(caught.value).startswith(f"trip.json, {member}: ")


def test_missing_member(trip: Fixture) -> None:
    """A member without a default must be there."""
    value = fixture_value(trip)
    del value["origin"]["call"]
    with pytest.raises(FixtureError, match=r"origin\.call: is missing"):
        parse_fixture(value)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is no JSON"),
        (b"[]", "is no fixture"),
        (b'{"format": "other"}', "is no fixture"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"[" * 200_000, "is no JSON that can be read"),
    ],
    ids=["empty", "list", "other", "bytes", "deep"],
)
def test_files_that_are_none(tmp_path: Path, data: bytes, reason: str) -> None:
    """Each says why, and names the file."""
    path = tmp_path / "odd.json"
    path.write_bytes(data)
    with pytest.raises(FixtureError, match=reason) as caught:
        read_fixture(path)
    assert caught.value.file == str(path)


def test_file_that_is_absent(tmp_path: Path) -> None:
    """An error of the operating system is told as one of the fixture."""
    with pytest.raises(FixtureError, match="cannot be read: No such file"):
        read_fixture(tmp_path / "none.json")


def test_byte_order_mark(trip: Fixture, tmp_path: Path) -> None:
    """Editors on Windows put one there."""
    path = tmp_path / "bom.json"
    path.write_bytes(b"\xef\xbb\xbf" + dump_fixture(trip).encode())
    assert read_fixture(path) == trip


VALUES = {
    "fixture": Fixture,
    "origin": Origin,
    "history": HistoryMessage,
    "checks": Check,
    "facts": Fact,
    "compactions": RecordedCompaction,
    "played": PlayedCall,
    "tokens": TokenRule,
}


@pytest.mark.parametrize("section", VALUES)
def test_documented_members(section: str) -> None:
    """``docs/fixtures.md`` names every member there is, and no other."""
    text = DOCS.read_text(encoding="utf-8")
    part = text.partition(f"### {section}\n")[2].partition("\n#")[0]
    documented = [name for row in part.splitlines() if row.startswith("| `") for name in _names(row)]
    real = [field.name for field in fields(VALUES[section]) if field.name != "extra"]
    assert sorted(documented) == sorted([*(["format", "version"] if section == "fixture" else []), *real])


def _names(row: str) -> list[str]:
    return re.findall(r"`(\w+)`", row.split("|")[1])


def test_documented_checks() -> None:
    """The table of checks has every kind."""
    part = DOCS.read_text(encoding="utf-8").partition("## The checks\n")[2].partition("\n## ")[0]
    assert [_names(row)[0] for row in part.splitlines() if row.startswith("| `")] == list(CHECK_KINDS)
