"""The stored body as text: indentation that changes nothing, a command that sends the same bytes."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.ui.call_body import body_text, curl_command, indent_json

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON_VALUES, st.booleans())
def test_indented_json_has_the_same_value(value: object, ascii_only: bool) -> None:
    """Indenting moves white space only."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert json.loads(indent_json(text)) == value


@given(JSON_VALUES)
def test_indentation_is_that_of_the_standard_library(value: object) -> None:
    """Indented JSON looks as every reader expects it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    assert indent_json(text) == json.dumps(value, indent=2, ensure_ascii=False)


@pytest.mark.parametrize("number", ["1e400", "NaN", "-0.0", "1.50", "9" * 5_000, "1E5"])
def test_numbers_stay_as_written(number: str) -> None:
    """No number is parsed, so none is rounded or refused."""
    assert indent_json(f'{{"n":{number}}}') == f'{{\n  "n": {number}\n}}'


def test_nesting_of_ten_thousand_is_indented() -> None:
    """Depth is a counter, not a recursion."""
    assert indent_json("[" * 10_000 + "1" + "]" * 10_000).replace(" ", "").replace("\n", "").count("[") == 10_000


def test_escaped_chinese_becomes_readable() -> None:
    """A body written in ASCII shows its characters, the pair of an emoji too."""
    assert indent_json(r'"\u4f60\u597d \ud83d\ude00"') == '"你好 😀"'


@pytest.mark.parametrize("escape", [r"\u0000", r"\ud800", r"\u001b", r"\u202e", r"\n", r"\"", r"\\u4f60", r"\u0041"])
def test_other_escapes_stay(escape: str) -> None:
    """What cannot be seen, is no character, or was escaped on purpose stays escaped."""
    assert indent_json(f'"{escape}"') == f'"{escape}"'


@pytest.mark.parametrize("text", ['{"a":"unclosed', "plain words", '"', "{]}", ""])
def test_what_is_no_json_never_raises(text: str) -> None:
    """A body of another kind is shown too."""
    assert indent_json(text).replace("\n", "").replace(" ", "") == text.replace(" ", "")


def test_bytes_that_are_no_utf8_are_shown() -> None:
    """A stray byte is visible, not replaced."""
    assert body_text(b'{"a":"\xff"}') == '{"a":"\\xff"}'


def run_command(command: str, shell: str, folder: Path) -> tuple[bytes, list[str]]:
    """Run a cURL command with a curl that writes down its arguments and what it gets."""
    curl = folder / "curl"
    curl.write_text(f'#!/bin/sh\nfor a in "$@"; do printf "%s\\n" "$a"; done > {folder}/args\ncat > {folder}/body\n')
    curl.chmod(0o700)
    env = {"PATH": f"{folder}:/usr/bin:/bin", "API_KEY": "k3y", "URL": "http://own"}
    script = folder / "command.sh"  # an argument of a program may not be 3 MB; what is pasted may
    script.write_text(command, encoding="utf-8")
    subprocess.run([shell, str(script)], check=True, env=env, cwd=folder)
    return (folder / "body").read_bytes(), (folder / "args").read_text().splitlines()


BODIES = {
    "quotes": b"""{"a":"it's \\"quoted\\" $HOME `id` $(id) \\\\ !x %s"}""",
    "lines": b'{\n "a": 1\n}\n\n',
    "chinese": '{"a":"以后请只用中文回答 😀"}'.encode(),
    "mark": b'{"a":1}\nBODY_' + hashlib.sha256(b"x").hexdigest()[:12].encode() + b"\n",
    "large": b'{"a":"' + b"x" * 3_000_000 + b'"}',
}


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("name", BODIES)
def test_the_command_sends_the_recorded_bytes(name: str, shell: str, tmp_path: Path) -> None:
    """Pasted into a shell, the command sends the body byte for byte."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    sent, _ = run_command(curl_command("openai.chat", BODIES[name], hashlib.sha256(b"x").hexdigest()), shell, tmp_path)
    assert sent == BODIES[name]


@pytest.mark.parametrize(
    ("api", "header"),
    [("openai.chat", "Authorization: Bearer k3y"), ("anthropic.messages", "x-api-key: k3y"), ("unknown", "http://own")],
)
def test_each_dialect_has_its_header_and_address(api: str, header: str, tmp_path: Path) -> None:
    """The key comes from the reader's environment, in the header the provider wants."""
    _, arguments = run_command(curl_command(api, b"{}", "00" * 32), "sh", tmp_path)
    assert header in arguments


def test_a_hostile_endpoint_is_one_argument(tmp_path: Path) -> None:
    """A recorded address cannot run anything."""
    address = "https://x/'; touch owned; '"
    _, arguments = run_command(curl_command("openai.chat", b"{}", "00" * 32, address), "sh", tmp_path)
    assert arguments[0] == address
    assert not (tmp_path / "owned").exists()
