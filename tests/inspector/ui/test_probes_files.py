"""Suites beside the traces: which are offered, and what a draft writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.index.watchlist import Watchlist
from inspector.probes.draft import Draft
from inspector.probes.probe import Expected, Probe, Suite
from inspector.probes.suite import load_suite, save_suite
from inspector.ui.probes_files import choose_suite, find_suites, proposed_name, save_draft, suite_folder
from snapshot_sdk.facts import Fact

ORDER = Probe("order", "What is the order number?", Expected((Fact("id", "ORD-1"),)), "artifact")
RULE = Probe("rule", "Which language?", Expected((Fact("text", "Chinese"),)), "constraint")
DRAFTS = (Draft(ORDER, True, "user, call 2"), Draft(RULE, False, "pin"))


@pytest.fixture
def watchlist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watchlist:
    """Of an empty directory that can be written."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "traces").mkdir()
    return Watchlist(tmp_path / "traces")


def test_a_draft_is_saved_beside_the_traces(watchlist: Watchlist, tmp_path: Path) -> None:
    """Only what is chosen, under the name that was given."""
    note = save_draft(suite_folder(watchlist), "shop", DRAFTS, ["order"], "desk", replace=False)

    suite = load_suite(tmp_path / "traces" / "probes" / "desk.toml")
    assert (suite.session, suite.probes) == ("shop", (ORDER,))
    assert note["saved"] == "desk.toml"


def test_a_file_that_is_there_stays_unless_the_reader_agrees(watchlist: Watchlist) -> None:
    """Its comments stay even then."""
    folder = suite_folder(watchlist)
    save_draft(folder, "shop", DRAFTS, ["order"], "desk.toml", replace=False)
    file = folder / "desk.toml"
    file.write_text(f"# ours\n{file.read_text('utf-8')}", "utf-8")
    before = file.read_bytes()

    assert save_draft(folder, "shop", DRAFTS, ["rule"], "desk.toml", replace=False)["exists"] == "desk.toml"
    assert file.read_bytes() == before
    save_draft(folder, "shop", DRAFTS, ["rule"], "desk.toml", replace=True)
    assert load_suite(file).probes == (RULE,)
    assert "# ours" in file.read_text("utf-8")


@pytest.mark.parametrize("name", ["../desk.toml", "a/b", ".hidden", "", "a\\b", "x" * 200])
def test_a_name_is_never_a_path(watchlist: Watchlist, name: str, tmp_path: Path) -> None:
    """Nothing is written for any other."""
    note = save_draft(suite_folder(watchlist), "shop", DRAFTS, ["order"], name, replace=True)

    assert note["tone"] == "error"
    assert list(tmp_path.rglob("*.toml")) == []


def test_nothing_chosen_writes_nothing(watchlist: Watchlist) -> None:
    """An empty suite could not be read again."""
    assert save_draft(suite_folder(watchlist), "shop", DRAFTS, [], "desk", replace=False)["tone"] == "error"
    assert not suite_folder(watchlist).exists()


def test_answers_are_no_suite(watchlist: Watchlist) -> None:
    """They lie in the same folder."""
    folder = suite_folder(watchlist)
    folder.mkdir()
    (folder / "shop-1234.answers.jsonl").write_text("{}\n", "utf-8")
    save_suite(Suite("desk", (ORDER,)), folder / "desk.jsonl")

    assert [file.name for file in find_suites(watchlist)] == ["desk.jsonl"]


def test_without_a_name_the_suite_of_the_session_is_shown(watchlist: Watchlist) -> None:
    """A suite of another session, or one that cannot be read, is not."""
    folder = suite_folder(watchlist)
    folder.mkdir()
    (folder / "broken.toml").write_text("[[probes", "utf-8")
    save_suite(Suite("a", (ORDER,), "other"), folder / "a.toml")
    save_suite(Suite("b", (ORDER,), "shop"), folder / "b.toml")
    files = find_suites(watchlist)

    chosen = choose_suite(files, None, "shop")
    assert chosen is not None
    assert chosen.name == "b.toml"
    assert choose_suite(files, None, "third") is None
    assert choose_suite(files, "draft", "shop") is None


def test_an_address_opens_no_other_file(watchlist: Watchlist) -> None:
    """A path in it is the name of no suite."""
    with pytest.raises(LookupError, match="no suite"):
        choose_suite(find_suites(watchlist), "../../secret.toml", "shop")


@pytest.mark.parametrize(("session", "name"), [("order-4711", "order-4711.toml"), ("../a b", "a-b.toml")])
def test_a_file_is_proposed_by_the_session(session: str, name: str) -> None:
    """Whatever a session is called."""
    assert proposed_name(session) == name
