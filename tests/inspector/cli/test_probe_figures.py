"""Facts about ``probe --metrics`` over several sessions: all together, groups, what is not counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from inspector.cli.exits import Exit

Run = Callable[..., Result]
RunJson = Callable[..., Any]
PRESENCE = "key_information_presence"


@pytest.fixture
def shops(record_shop: Callable[..., Path]) -> Path:
    """Two builds: of three calls the first keeps the number in two, the second in all; and one that never hears it."""
    record_shop("order", "order talk later", "talk later", session="before", agent="desk 1.4")
    record_shop("order", "order talk later", "order later", session="after", agent="desk 1.5")
    return record_shop("talk later", session="other", agent="desk 1.5")


def rows(result: Result) -> dict[str, list[str]]:
    """Cells of all tables, by the first of each row."""
    return {cells[0]: cells[1:] for line in result.stdout.splitlines() if len(cells := line.split("\t")) > 1}


def test_all_sessions_are_put_together(shops: Path, suite: Path, run: Run) -> None:
    """2 of 3 and 3 of 3 are 5 of 6; the session that never says it is no 0."""
    result = run("probe", shops, "--all", "--suite", suite, "--metrics")
    found = rows(result)

    assert result.exit_code == Exit.DONE
    assert found[PRESENCE][:5] == ["83.3%", "5 of 6", "66.7% before", "100.0% after", "2 of 3"]
    assert found["all sessions (3)"][1] == "83.3%"
    assert (found["before"][1], found["after"][1], found["other"][1]) == ("66.7%", "100.0%", "")


def test_json_has_numerators_and_denominators(shops: Path, suite: Path, run_json: RunJson) -> None:
    """Of all together, of each group and of each session; a share of nothing is null."""
    data = run_json("probe", shops, "--all", "--suite", suite, "--metrics", "--by", "agent")
    together, groups = data["all"][PRESENCE], {one["name"]: one for one in data["groups"]}
    other = next(one for one in data["sessions"] if one["session"] == "other")

    assert (together["part"], together["whole"], together["sessions"], together["above_zero"]) == (5, 6, 2, 2)
    assert together["lowest"] == {"session": "before", "value": pytest.approx(2 / 3)}
    assert together["formula"] == "facts in the context / facts due"
    assert groups["desk 1.4"]["metrics"][PRESENCE]["value"] == pytest.approx(2 / 3)
    assert groups["desk 1.5"]["sessions"] == ["after", "other"]
    assert groups["desk 1.5"]["metrics"][PRESENCE]["value"] == 1
    assert (other["metrics"][PRESENCE]["value"], other["metrics"][PRESENCE]["whole"]) == (None, 0)


def test_named_sessions_alone_are_measured(shops: Path, suite: Path, run_json: RunJson) -> None:
    """In the order they are named; one that is named twice counts once."""
    data = run_json("probe", shops, "other", "before", "other", "--suite", suite, "--metrics")

    assert [one["session"] for one in data["sessions"]] == ["other", "before"]
    assert (data["all"][PRESENCE]["part"], data["all"][PRESENCE]["whole"]) == (2, 3)


def test_without_a_suite_each_session_has_its_own(shops: Path, suite: Path, run: Run, run_json: RunJson) -> None:
    """The one that was drafted from it and stands beside the traces, else a draft."""
    (shops / "probes").mkdir()
    own = shops / "probes" / "own.toml"
    own.write_text('session = "before"\n' + suite.read_text("utf-8"), "utf-8")
    data = run_json("probe", shops, "--all", "--metrics")
    alone = run_json("probe", shops, "before", "--metrics")

    assert {one["session"]: one["suite"] for one in data["sessions"]} == {
        "before": "desk",
        "after": None,
        "other": None,
    }
    assert (alone["sessions"][0]["suite"], alone["sessions"][0]["probes"]) == ("desk", 1)


def test_a_session_that_is_not_there_is_named_and_the_rest_counted(shops: Path, suite: Path, run: Run) -> None:
    """With its own exit code; where there is none of them at all, that is an error."""
    result = run("probe", shops, "before", "befor", "--suite", suite, "--metrics")

    assert result.exit_code == Exit.PARTLY
    assert "befor is not counted: there is no session 'befor'" in result.stderr
    assert rows(result)[PRESENCE][1] == "2 of 3"
    assert run("probe", shops, "befor", "aftr", "--suite", suite, "--metrics").exit_code == Exit.NOT_FOUND


def test_answers_of_earlier_runs_count(shops: Path, suite: Path, run: Run, run_json: RunJson, server: Any) -> None:
    """Asked once of one session, recall is known over all and in that session alone; nothing is asked again."""
    run("probe", shops, "before", "--suite", suite, "--at", "all", "--ask", "--endpoint", server.url, "--yes")
    sent = len(server.model.requests)
    data = run_json("probe", shops, "--all", "--suite", suite, "--metrics")
    alone = json.loads(run("probe", shops, "before", "--suite", suite, "--json").stdout)
    recall = data["all"]["key_information_recall"]

    assert (recall["part"], recall["whole"], recall["sessions"]) == (2, 3, 1)
    assert alone["metrics"]["key_information_recall"]["value"] == pytest.approx(2 / 3)
    assert len(server.model.requests) == sent


def test_a_suite_of_another_session_is_said(shops: Path, suite: Path, run: Run) -> None:
    """With --all it is put to its own only; sessions that are named are asked its probes."""
    suite.write_text('session = "before"\n' + suite.read_text("utf-8"), "utf-8")
    every = run("probe", shops, "--all", "--suite", suite, "--metrics")
    named = run("probe", shops, "before", "after", "--suite", suite, "--metrics")

    assert rows(every)[PRESENCE][1] == "2 of 3"
    assert "2 other sessions: of probes these have no figures" in every.stderr
    assert rows(named)[PRESENCE][1] == "5 of 6"
    assert "1 other session: they are asked its probes all the same" in named.stderr


def test_a_directory_without_sessions_is_no_success(tmp_path: Path, run: Run) -> None:
    """Nothing was measured: every figure is unknown."""
    (tmp_path / "empty").mkdir()
    result = run("probe", tmp_path / "empty", "--all", "--metrics")

    assert result.exit_code == Exit.PARTLY
    assert "nothing was measured" in result.stderr
    assert rows(result)[PRESENCE][:2] == ["", "of nothing"]


def test_a_suite_that_cannot_be_read_is_passed_over(shops: Path, run: Run) -> None:
    """It is said, with file and reason; every session is measured all the same."""
    (shops / "probes").mkdir()
    (shops / "probes" / "broken.toml").write_text("[[probes]", "utf-8")
    result = run("probe", shops, "--all", "--metrics")

    assert "a suite is passed over" in result.stderr
    assert "broken.toml" in result.stderr
    assert "all sessions (3)" in result.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "name a SESSION"),
        (("--all",), "add --metrics"),
        (("before", "after"), "add --metrics"),
        (("before", "--by", "agent"), "add --metrics"),
        (("before", "--all", "--metrics"), "name none beside it"),
        (("--all", "--metrics", "--ask"), "--ask: one session at a time"),
        (("--all", "--metrics", "--draft", "x.toml", "--at", "all"), "--at, --draft: one session at a time"),
        (("--all", "--metrics", "--by", "moon"), "moon"),
    ],
)
def test_wrong_use_is_said_in_a_line(words: tuple[str, ...], says: str, shops: Path, run: Run) -> None:
    """With its code, and never with a traceback."""
    result = run("probe", shops, *words)

    assert result.exit_code == Exit.USAGE
    assert says in result.stderr
    assert "Traceback" not in result.stderr
