"""Facts about reading JSON as it is found in the wild."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.importers.reading import limits
from inspector.importers.reading.documents import SAMPLED_ITEMS, Document, digest_of
from inspector.importers.reading.mending import parse
from inspector.importers.reading.unreadable import UnreadableError


def document(tmp_path: Path, content: bytes) -> Document:
    """Write a file and give it as a document."""
    path = tmp_path / "log"
    path.write_bytes(content)
    return Document(path)


def test_sound_json_needs_no_repair() -> None:
    """Sound JSON is read as it is."""
    parsed = parse('{"a": "\\u00e9\\\\d"}')

    assert parsed.value == {"a": "é\\d"}
    assert parsed.repairs == ()


def test_stray_backslash_is_a_backslash_and_said() -> None:
    """A backslash that begins no escape is kept as one, with the place of the first."""
    parsed = parse(r'{"a": "\d and \\d and \q"}')

    assert parsed.value == {"a": r"\d and \d and \q"}
    assert parsed.repairs == ("2 stray backslash(es) read as themselves, the first at character 7",)


def test_half_unicode_escape_is_kept_as_text() -> None:
    r"""``\\u12`` without its four digits is text."""
    assert parse(r'{"a": "\u12"}').value == {"a": r"\u12"}


def test_raw_controls_are_kept_and_said() -> None:
    """A raw newline inside a string is kept."""
    parsed = parse('{"a": "x\ny"}')

    assert parsed.value == {"a": "x\ny"}
    assert parsed.repairs == ("raw control characters inside strings kept as they are",)


def test_both_repairs_are_said() -> None:
    """A text with both faults says both."""
    assert len(parse('{"a": "x\n\\d"}').repairs) == 2


@pytest.mark.parametrize("text", ["", "{", "{'a': 1}", '{"a": 1} x', "[" * 200_000])
def test_what_is_no_json_says_so(text: str) -> None:
    """Text that no repair makes JSON is an error of ours, deep nesting too."""
    with pytest.raises(UnreadableError):
        parse(text)


@pytest.mark.parametrize(
    ("content", "by_lines"),
    [
        (b'{"a":1}\n{"a":2}\n', True),
        (b'\n\n{"a":1}\r\n{"a":2}', True),
        (b'\xef\xbb\xbf{"a":1}\n{"a":2}\n', True),
        (b'{"a":\n{"a":2}\n{"a":3}\n', True),  # a damaged first line does not hide the rest
        (b'{"a":1}\n{"a":\n', True),
        (b'{"a":1}\n', False),
        (b'{\n  "a": 1\n}\n', False),
        (b'[\n{"a":1}\n]\n', False),
        (b"[1]\n[2]\n", True),
        (b"[\n[1]\n]\n", False),
        (b"", False),
    ],
)
def test_lines_are_told_from_one_value(tmp_path: Path, content: bytes, by_lines: bool) -> None:
    """A file of lines is told from one value, by content."""
    assert document(tmp_path, content).by_lines is by_lines


def test_bad_lines_are_entries_with_an_error(tmp_path: Path) -> None:
    """A bad line is data: it is numbered and has a reason, and the others are read."""
    entries = list(document(tmp_path, b'{"a":1}\n\n{"a":\n\xff\xfe\n{"a":4}\n').entries())

    assert [(entry.line, entry.value, entry.error is not None) for entry in entries] == [
        (1, {"a": 1}, False),
        (3, None, True),
        (4, None, True),
        (5, {"a": 4}, False),
    ]


def test_line_separators_inside_strings_end_no_line(tmp_path: Path) -> None:
    """U+2028 and U+0085 stand inside strings of one line."""
    text = '{"a":"x\u2028y\u0085z"}\n{"a":2}\n'

    assert [entry.value for entry in document(tmp_path, text.encode()).entries()] == [
        {"a": "x\u2028y\u0085z"},
        {"a": 2},
    ]


def test_source_text_is_given_where_the_value_stands_for_itself(tmp_path: Path) -> None:
    """A line keeps its text; an item of an array, and a mended line, have none of their own."""
    lines = list(document(tmp_path, b'{"a": 1.0}\n{"a": "\\d"}\n').entries())
    items = list(document(tmp_path, b'[{"a": 1.0}]').entries())

    assert [entry.text for entry in (*lines, *items)] == ['{"a": 1.0}', None, None]


def test_utf16_is_read_and_latin1_is_said(tmp_path: Path) -> None:
    """A file with a UTF-16 mark is read; other bytes that are no UTF-8 are replaced, and said with their place."""
    assert document(tmp_path, '{"a":"é"}'.encode("utf-16")).whole().value == {"a": "é"}
    latin1 = document(tmp_path, b'{"a":"\xe9"}').whole()

    assert latin1.value == {"a": "\ufffd"}
    assert latin1.repairs == ("bytes that are no UTF-8, the first at byte 6, read as U+FFFD",)


def test_glued_line_gives_each_value_with_its_text(tmp_path: Path) -> None:
    """Two bodies on one line, the end of the first lost, are both there, which is said once."""
    entries = list(document(tmp_path, b'{"a":1}{"b": 2}\n{"c":3}\n').entries())

    assert [(entry.line, entry.text) for entry in entries] == [(1, '{"a":1}'), (1, '{"b": 2}'), (2, '{"c":3}')]
    assert [entry.repairs for entry in entries] == [("2 values on one line",), (), ()]


def test_file_of_one_glued_line_is_read_by_lines(tmp_path: Path) -> None:
    """Where the only end of a line got lost the values are still there; one value with such a text in it is one."""
    assert document(tmp_path, b'{"a":1}{"b":2}\n').by_lines
    assert not document(tmp_path, b'{"a":"}{"}\n').by_lines


def test_what_follows_glued_values_is_said(tmp_path: Path) -> None:
    """A last value that breaks off costs only itself."""
    entries = list(document(tmp_path, b'{"a":1}{"b":2}{"c\n{"d":4}\n').entries())

    assert [entry.value for entry in entries] == [{"a": 1}, {"b": 2}, None, {"d": 4}]
    assert entries[2].error == "what follows 2 whole value(s) of the line cannot be read"


@pytest.mark.parametrize("first", ["42", '":1}', '{"a', "# exported"])
def test_odd_first_line_does_not_hide_the_rest(tmp_path: Path, first: str) -> None:
    """A first line that is no object leaves a file of lines one; its samples are the sound values."""
    found = document(tmp_path, f'{first}\n{{"a":1}}\n{{"b":2}}\n'.encode())

    assert found.by_lines
    assert [value for value in found.samples() if isinstance(value, dict)] == [{"a": 1}, {"b": 2}]


def test_line_that_is_too_long_costs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that would fill the memory is named and passed over, the next is read."""
    monkeypatch.setattr(limits, "LARGEST_VALUE", 100)
    entries = list(document(tmp_path, b'{"a":1}\n{"b":"' + b"x" * 500 + b'"}\n{"c":3}\n').entries())

    assert [entry.value for entry in entries] == [{"a": 1}, None, {"c": 3}]
    assert (entries[1].line, "larger than" in str(entries[1].error)) == (2, True)


def test_document_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One value that has to be parsed whole has a limit as well."""
    monkeypatch.setattr(limits, "LARGEST_DOCUMENT", 5)
    with pytest.raises(UnreadableError, match="larger than"):
        document(tmp_path, b'{"a": 1}').whole()


def test_array_that_breaks_off_behind_a_bad_byte(tmp_path: Path) -> None:
    """Two faults in one array: the items before the end are read, the replaced byte is said."""
    entries = list(document(tmp_path, b'[{"a": "\xff"}, {"a": 2}, {"a').entries())

    assert [entry.value for entry in entries] == [{"a": "\ufffd"}, {"a": 2}, None]
    assert entries[0].repairs == ("bytes that are no UTF-8, the first at byte 8, read as U+FFFD",)


def test_over_long_integer_is_read(tmp_path: Path) -> None:
    """An integer of 6,000 digits is an integer, in a line, in an array and alone."""
    number = "9" * 6_000
    texts = [f'{{"a":{number}}}', f'[{{"a":{number}}}]', f'{{"a":{number}}}\n{{"a":1}}\n']

    for text in texts:
        assert next(document(tmp_path, text.encode()).entries()).value == {"a": 10**6000 - 1}


def test_digest_is_of_the_bytes(tmp_path: Path) -> None:
    """The digest is tagged SHA-256 of the bytes, cut to 128 bits."""
    assert document(tmp_path, b"abc").digest == "sha256:ba7816bf8f01cfea414140de5dae2223"


def test_combined_digest_depends_on_the_order() -> None:
    """Digests combine by order."""
    assert digest_of(["a", "b"]) != digest_of(["b", "a"])


def test_sample_of_an_array_is_its_beginning(tmp_path: Path) -> None:
    """To know what an array is, its first items are enough."""
    values = [{"n": n} for n in range(1_000)]
    found = document(tmp_path, json.dumps(values).encode())

    assert found.sample() == values[:SAMPLED_ITEMS]
    assert [entry.value for entry in found.entries()] == values


def test_array_that_breaks_off_gives_its_sound_items(tmp_path: Path) -> None:
    """What stands before the damage is read; the rest is one entry that says so."""
    entries = list(document(tmp_path, b'[{"a": 1}, {"a": 2}, {"a').entries())

    assert [entry.value for entry in entries] == [{"a": 1}, {"a": 2}, None]
    assert entries[-1].error is not None
    assert entries[-1].error.startswith("the array breaks off after 2 whole item(s): not JSON")


def test_mended_array_gives_every_item_once(tmp_path: Path) -> None:
    """Items before a stray backslash are not given again when the array is mended."""
    entries = list(document(tmp_path, rb'[{"a": "1"}, {"a": "\d"}, {"a": "3"}]').entries())

    assert [entry.value for entry in entries] == [{"a": "1"}, {"a": r"\d"}, {"a": "3"}]
    assert [bool(entry.repairs) for entry in entries] == [False, True, True]


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "é ü",
        "订单已确认",
        "one — dash in a long text " * 9,
        "rare 🚀 " + "x" * 400,
        "𝒳 and \\ and — " + "y" * 900,
    ],
)
def test_whole_value_is_the_same_however_wide(tmp_path: Path, text: str) -> None:
    """Wide characters, rare or not, and beside backslashes, are read as they are."""
    value = {"text": text, text: [text]}
    found = document(tmp_path, json.dumps(value, ensure_ascii=False).encode())

    assert found.whole().value == json.loads(json.dumps(value, ensure_ascii=False))


def test_backslash_before_a_wide_character_is_still_a_stray_one(tmp_path: Path) -> None:
    """Such a file is mended, and the repair is said."""
    parsed = document(tmp_path, ('{"a": "\\—", "b": "' + "x" * 900 + '"}').encode()).whole()

    assert parsed.value["a"] == "\\—"
    assert len(parsed.repairs) == 1


@pytest.mark.parametrize(
    ("content", "by_lines"),
    [
        (b'{"a":1}\n', False),
        (b'\n\n{"a":1}\n \n', False),
        (b'{"a":1}\n\n{"b":2}', True),
        (b'{"a":1}', False),
        (b"", False),
    ],
)
def test_one_line_is_no_file_of_lines(tmp_path: Path, content: bytes, by_lines: bool) -> None:
    """Blank lines make no second value."""
    assert document(tmp_path, content).by_lines is by_lines
