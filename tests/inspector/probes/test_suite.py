"""Facts about suites on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.errors import SuiteError
from inspector.probes.probe import KINDS, SCORERS, Expected, Probe, Suite
from inspector.probes.suite import load_suite, save_suite
from snapshot_sdk.facts import Fact

EVERYTHING = Suite(
    "all",
    (
        Probe("value", "Which?", Expected((Fact("id", "ORD-1"),)), "artifact", due_from=2, due_until="end", lane="*"),
        Probe("list", "Name them.", Expected((Fact("id", "A-11"), Fact("money", "8000元", ("预算",)))), "recall"),
        Probe("json", "?", Expected((Fact("json", "42", (), "order.items[*].id"),), scorer="json_match"), "recall"),
        Probe(
            "regex", "?", Expected((Fact("regex", "a|b"),)), "decision", (Fact("rule", "只用中文"),), note="多行\n字"
        ),
        Probe("no", "?", Expected(must_abstain=True, must_not_say=(Fact("text", "Smith"),)), "abstention"),
        Probe("not", "?", Expected(must_not_say=(Fact("text", 'quo"te'),)), "preference", about="pin-1"),
    ),
    session="s-1",
)
COMMENTED = """\
# what the desk must know
name = "desk"

[[probes]]
id = "order"   # asked first
question = "Which order?"
expected = { value = "ORD-2024-001" }

# the language
[[probes]]
id = "language"
question = "Which language?"
expected.regex = "Chinese"
"""


def write(path: Path, text: str) -> Path:
    """Write a file."""
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", ["suite.toml", "suite.jsonl"])
def test_every_field_comes_back(name: str, tmp_path: Path) -> None:
    """What is saved is loaded, in both formats."""
    save_suite(EVERYTHING, tmp_path / name)

    assert replace(load_suite(tmp_path / name), source=None) == EVERYTHING


def test_saving_what_was_loaded_changes_no_byte(tmp_path: Path) -> None:
    """Comments, order and another way of writing a value stay."""
    file = write(tmp_path / "s.toml", COMMENTED)
    before = load_suite(file)
    save_suite(before, file)
    text = file.read_text("utf-8")

    assert [line for line in COMMENTED.splitlines() if line not in text.splitlines()] == []
    assert load_suite(file) == before


def test_a_changed_probe_keeps_its_comments(tmp_path: Path) -> None:
    """Only the field that changed is written anew."""
    file = write(tmp_path / "s.toml", COMMENTED)
    suite = load_suite(file)
    changed = replace(suite.probes[0], question="Which order is it?")
    save_suite(replace(suite, probes=(changed, suite.probes[1])), file)
    text = file.read_text("utf-8")

    assert 'question = "Which order is it?"' in text
    assert 'id = "order"   # asked first' in text
    assert "# the language" in text


def test_probes_can_be_removed_and_added(tmp_path: Path) -> None:
    """The file holds the probes of the suite, in its order."""
    file = write(tmp_path / "s.toml", COMMENTED)
    suite = load_suite(file)
    new = Probe("new", "?", Expected((Fact("id", "AB-12"),)), "recall")
    save_suite(replace(suite, probes=(new, suite.probes[1])), file)

    assert [probe.id for probe in load_suite(file).probes] == ["new", "language"]


@pytest.mark.parametrize(
    ("probe", "line", "key", "reason"),
    [
        ('id = "a"\nquestion = "q"', 1, "probes[1].expected", "is missing"),
        ('id = "a"\nquestion = ""\nexpected = "x"', 1, "probes[1].question", "something in it"),
        ('question = "q"\nexpected = "x"', 1, "probes[1].id", "is missing"),
        ('id = "a"\nquestion = "q"\nexpected.regex = "("', 1, "probes[1].expected.regex", ""),
        ('id = "a"\nquestion = "q"\nexpected.color = "red"', 1, "probes[1].expected.color", "known are"),
        ('id = "a"\nquestion = "q"\nexpected.json = "x"', 1, "probes[1].expected.path", "key path"),
        ('id = "a"\nquestion = "q"\nexpected = "x"\nkind = "quiz"', 1, "probes[1].kind", "kinds are"),
        ('id = "a"\nquestion = "q"\nexpected = {text="x", scorer="vibes"}', 1, "probes[1].expected.scorer", "scorers"),
        ('id = "a"\nquestion = "q"\nexpected = {text="x", must_abstain=true}', 1, "probes[1].expected", "abstain"),
        ('id = "a"\nquestion = "q"\nexpected = "x"\ndue_from = 1.5', 1, "probes[1].due_from", "no turn"),
    ],
)
def test_an_error_names_file_line_key_and_reason(probe: str, line: int, key: str, reason: str, tmp_path: Path) -> None:
    """Whoever wrote the suite can go to the place."""
    file = write(tmp_path / "s.toml", f"[[probes]]\n{probe}\n")
    with pytest.raises(SuiteError) as raised:
        load_suite(file)
    error = raised.value

    assert (error.file, error.line, error.key) == (file, line, key)
    assert reason in error.reason
    assert str(file) in error.message
    assert error.reason in error.message


def test_an_id_stands_for_one_probe(tmp_path: Path) -> None:
    """The second one is refused and the first one named."""
    table = '[[probes]]\nid = "a"\nquestion = "q"\nexpected = "x"\n'
    with pytest.raises(SuiteError, match="line 1") as raised:
        load_suite(write(tmp_path / "s.toml", table + table))

    assert raised.value.line == 5


def test_a_bad_line_of_jsonl_is_named(tmp_path: Path) -> None:
    """By its number in the file, empty lines counted."""
    good = '{"id": "a", "question": "q", "expected": "x"}'
    with pytest.raises(SuiteError) as raised:
        load_suite(write(tmp_path / "s.jsonl", f"{good}\n\n{{broken\n"))

    assert raised.value.line == 3


@pytest.mark.parametrize("text", ["", "name = 'x'\n", "probes = 3\n", "= broken", "colour = 1\n"])
def test_a_file_that_is_no_suite_is_refused(text: str, tmp_path: Path) -> None:
    """In words, not with a traceback."""
    with pytest.raises(SuiteError):
        load_suite(write(tmp_path / "s.toml", text))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    """As an error of the suite."""
    with pytest.raises(SuiteError, match="cannot be read"):
        load_suite(tmp_path / "none.toml")


def test_a_turn_may_be_written_as_tables_show_it(tmp_path: Path) -> None:
    """``t3`` is turn 3; another name stays a name."""
    text = '[[probes]]\nid = "a"\nquestion = "q"\nexpected = "x"\ndue_from = "t3"\ndue_until = "closing"\n'
    (probe,) = load_suite(write(tmp_path / "s.toml", text)).probes

    assert (probe.due_from, probe.due_until) == (3, "closing")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_written(kind: str, tmp_path: Path) -> None:
    """The kinds of the glossary are those of the file."""
    text = f'[[probes]]\nid = "a"\nquestion = "q"\nexpected = "x"\nkind = "{kind}"\n'

    assert load_suite(write(tmp_path / "s.toml", text)).probes[0].kind == kind


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_scorer_can_be_named(scorer: str, tmp_path: Path) -> None:
    """The scorers of the field are those of the file."""
    text = f'[[probes]]\nid = "a"\nquestion = "q"\nexpected = {{ text = "x", scorer = "{scorer}" }}\n'

    assert load_suite(write(tmp_path / "s.toml", text)).probes[0].expected.scorer == scorer


HEAD = '{"suite": "desk", "session": "s"}\n'
LINE = '{"id": "order", "question": "Which?", "expected": {"id": "ORD-1"}}\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEAD + LINE.replace('"id": "order"', '"suite": "x", "id": "order"'), "suite"),
        (LINE.replace('"id": "order"', '"suite": "x", "id": "order"'), "suite"),
        (HEAD + LINE + '{"suite": "another"}\n', "suite"),
        ('{"suite": "desk", "sesion": "s"}\n' + LINE, "sesion"),
        (HEAD + LINE.replace('"question"', '"question": "How?", "question"'), "question"),
        (HEAD + LINE.replace('{"id": "ORD-1"}', '{"id": "ORD-1", "id": "ORD-2"}'), "id"),
        ('{"suite": "desk", "suite": "other"}\n' + LINE, "suite"),
    ],
)
def test_a_line_that_cannot_be_meant_so_is_refused(text: str, says: str, tmp_path: Path) -> None:
    """A stray key drops no probe, an unknown one is not passed over, and of two that are alike none wins."""
    with pytest.raises(SuiteError) as caught:
        load_suite(write(tmp_path / "suite.jsonl", text))

    assert (caught.value.key or "").split(".")[-1] == says
    assert caught.value.line is not None


def test_a_turn_of_many_digits_is_a_name(tmp_path: Path) -> None:
    """No turn has such a number."""
    text = HEAD + LINE.replace('"expected"', f'"due_from": "t{"9" * 5000}", "expected"')
    (probe,) = load_suite(write(tmp_path / "suite.jsonl", text)).probes

    assert isinstance(probe.due_from, str)
