"""Editing one probe of a suite: what the form says is written, and nothing else changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.errors import SuiteError
from inspector.probes.suite import load_suite
from inspector.ui.probes_editor import ABSTAIN, KEEP, form_of, remove_probe, save_probe

TEXT = """# ours
name = "desk"
session = "shop"

# the one that matters
[[probes]]
id = "order"
question = "Which order?"
kind = "artifact"
expected = { id = "ORD-1", anchors = ["order"], must_not_say = ["ORD-2"] }
evidence = { text = "ORD-1" }

[[probes]]
id = "both"
question = "Which two?"
kind = "recall"
expected = { list = ["red", "blue"] }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A suite somebody wrote by hand."""
    path = tmp_path / "desk.toml"
    path.write_text(TEXT, "utf-8")
    return path


def forms(file: Path) -> dict[str, dict[str, Any]]:
    """The forms of its probes."""
    return {probe.id: form_of(probe) for probe in load_suite(file).probes}


def test_a_form_that_is_not_changed_changes_no_byte(file: Path) -> None:
    """Several values too, which the form cannot show."""
    for form in forms(file).values():
        assert save_probe(file, form, form["table"])["tone"] == "good"

    assert file.read_text("utf-8") == TEXT
    assert forms(file)["both"]["as"] == KEEP


def test_what_the_form_does_not_show_stays(file: Path) -> None:
    """Comments, evidence, and the words beside a value."""
    form = forms(file)["order"]
    note = save_probe(file, form | {"text": "ORD-9", "due_from": "t3", "scorer": "exact"}, form["table"])

    probe = load_suite(file).probes[0]
    assert note["edited"] == "order"
    assert (probe.expected.facts[0].text, probe.expected.facts[0].anchors) == ("ORD-9", ("order",))
    assert [fact.text for fact in probe.expected.must_not_say] == ["ORD-2"]
    assert (probe.due_from, probe.expected.scorer, probe.evidence[0].text) == (3, "exact", "ORD-1")
    assert "# the one that matters" in file.read_text("utf-8")


def test_a_new_probe_is_added_at_the_end(file: Path) -> None:
    """Here one whose right answer is that it is not known."""
    form = {"id": "iban", "question": "Which IBAN?", "kind": "abstention", "as": ABSTAIN, "text": "left over"}
    save_probe(file, form, None)

    probe = load_suite(file).probes[-1]
    assert (probe.id, probe.expected.must_abstain, probe.expected.facts) == ("iban", True, ())


def test_a_value_of_a_document_has_a_key_path(file: Path) -> None:
    """And loses it with its kind."""
    form = forms(file)["order"]
    save_probe(file, form | {"as": "json", "text": '"sent"', "path": "order.status"}, form["table"])
    assert load_suite(file).probes[0].expected.facts[0].path == "order.status"
    form = forms(file)["order"]
    save_probe(file, form | {"as": "text", "text": "sent"}, form["table"])
    assert load_suite(file).probes[0].expected.facts[0].path is None


@pytest.mark.parametrize(
    ("change", "named"),
    [({"question": " "}, "question"), ({"text": ""}, "expected"), ({"as": "regex", "text": "("}, "expected.regex"),
     ({"kind": "odd"}, "kind"), ({"as": "shoe"}, "expected.shoe")],
)  # fmt: skip
def test_what_is_no_probe_is_said_by_field(file: Path, change: dict[str, str], named: str) -> None:
    """And nothing is written."""
    form = forms(file)["order"]
    with pytest.raises(SuiteError) as caught:
        save_probe(file, form | change, form["table"])

    assert named in caught.value.message
    assert file.read_text("utf-8") == TEXT


def test_what_somebody_wrote_meanwhile_is_not_lost(file: Path) -> None:
    """The probe on the page is no longer the one in the file."""
    form = forms(file)["order"]
    theirs = TEXT.replace("Which order?", "Which order is it?")
    file.write_text(theirs, "utf-8")
    note = save_probe(file, form | {"text": "ORD-9"}, form["table"])

    assert (note["tone"], file.read_text("utf-8")) == ("error", theirs)


def test_an_id_stands_for_one_probe(file: Path) -> None:
    """A second one is refused."""
    form = forms(file)["both"]
    note = save_probe(file, form | {"id": "order"}, form["table"])

    assert (note["tone"], file.read_text("utf-8")) == ("error", TEXT)


def test_a_removed_probe_leaves_the_others_as_they_are(file: Path) -> None:
    """With their comments; a probe that is no longer there removes nothing."""
    table = forms(file)["both"]["table"]
    note = remove_probe(file, table)
    again = remove_probe(file, table)

    assert note["removed"] == "both"
    assert file.read_text("utf-8").rstrip() == TEXT.partition('[[probes]]\nid = "both"')[0].rstrip()
    assert again["tone"] == "error"
    assert list(forms(file)) == ["order"]


def test_the_last_probe_is_not_removed(file: Path) -> None:
    """A suite without probes is none: the reader deletes the file."""
    remove_probe(file, forms(file)["both"]["table"])
    before = file.read_text("utf-8")
    note = remove_probe(file, forms(file)["order"]["table"])

    assert note["tone"] == "error"
    assert "delete the file" in note["text"]
    assert file.read_text("utf-8") == before
