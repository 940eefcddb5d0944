"""What the documents promise is there: commands, code, files, words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from inspector.cli.root import cli
from inspector.index import open_index
from inspector.model.layers import LAYER_STYLES, UNATTRIBUTED
from inspector.model.settings import SETTINGS_FILE, Settings
from sample_data import TRACES
from sample_data.generate import SCENARIOS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# The words of the project, as its design fixed them: `docs/glossary.md` defines these, and no others.
WORDS = {
    *("session", "turn", "call", "snapshot", "lane", "purpose", "previous", "attempt", "message", "part", "segment"),
    *("layer", "composition", "window", "budget", "threshold", "utilization", "compaction", "pinned", "watch"),
    *("caller", "evicted", "fate", "recorded", "inferred", "sent", "effective", "probe", "probe run", "finding"),
    *("fixture", "check", "builder", "gate", "trace file", "record", "index", "fact", "carrier"),
}


def fences(text: str) -> Iterator[tuple[str, str]]:
    """Yield language and content of every fenced block."""
    language: str | None = None
    lines: list[str] = []
    for line in text.splitlines():
        if language is None and line.startswith("```"):
            language, lines = line[3:].strip(), []
        elif line == "```":
            yield language or "", "".join(f"{one}\n" for one in lines)
            language = None
        else:
            lines.append(line)


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of one language."""
    return [content for one, content in fences(text) if one == language]


def table(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the table that follows a heading line."""
    section = text.partition(f"{heading}\n")[2].split("\n#")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def commands(text: str) -> list[list[str]]:
    """Return every call of context-inspector in the shell blocks and overviews, as words after the program's name."""
    lines = [line for one, block in fences(text) if one in ("", "sh") for line in block.splitlines()]
    found = [re.split(r"(?:^|&& |\$ |\.venv/bin/)context-inspector ", line)[1:] for line in lines]
    return [re.findall(r"[^\s\[\]]+", re.split(r"   |#", part)[0]) for parts in found for part in parts]


def test_the_code_of_the_readme_records_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of the README run as they stand, and the index finds what they recorded by hand."""
    monkeypatch.chdir(tmp_path)
    attached, first, second, _ = blocks(README, "python")
    compile(attached, "README.md", "exec")  # tests/snapshot_sdk/adapters runs it with the real clients
    names: dict[str, Any] = {"profile": "Wang Min", "shorter": [{"role": "user", "content": "go on"}]}
    exec(compile(first, "README.md", "exec"), names)
    reply = {"role": "assistant", "content": "Which order?"}
    names["chat"](1, "Hello", lambda _: {"id": "r1", "choices": [{"message": reply, "finish_reason": "stop"}]})
    exec(compile(second, "README.md", "exec"), names)
    names["recorder"].close()
    index = open_index(Path("snapshots"))
    index.refresh()
    calls = index.calls("order-4711")
    answer = index.call("order-4711", 1).answer
    index.close()

    assert [(call.lane, call.turn) for call in calls] == [("main", 1), ("summary", 1)]
    assert answer is not None
    assert [message.text for message in answer.messages] == ["Which order?"]
    assert names["recorder"].losses == 0


def test_the_test_of_the_readme_is_what_is_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command runs as it stands, and the test it writes holds what is shown; lines of the samples may move."""
    (words,) = (words for words in commands(README) if words[0] == "export" and "sample_data/traces" in words)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, [str(TRACES) if word == "sample_data/traces" else word for word in words])
    (written,) = tmp_path.rglob("test_*.py")
    shown = blocks(README, "python")[3]

    assert done.exit_code == 0, done.output
    for part in shown.split("\n\n\n"):
        assert re.sub(r"py:\d+", "py:0", part.strip()) in re.sub(r"py:\d+", "py:0", written.read_text("utf-8"))


def test_the_readme_has_the_two_commands() -> None:
    """One block sets up and opens the app, one sets up and runs the tests; each is a single line."""
    setups = [block for block in blocks(README, "sh") if "-m venv" in block]

    assert len(setups) == 2
    assert [block.count("\n") for block in setups] == [1, 1]
    assert "context-inspector ui" in setups[0]
    assert setups[1].rstrip().endswith("pytest")


def test_the_layer_rules_of_the_readme_are_valid(tmp_path: Path) -> None:
    """The TOML of the README loads as settings."""
    (block,) = blocks(README, "toml")
    (tmp_path / SETTINGS_FILE).write_text(block, "utf-8")
    settings = Settings.load(tmp_path / SETTINGS_FILE)

    assert len(settings.layers) == len(tomllib.loads(block)["layers"])
    assert settings.window_of("my-model-7b") == 32_768


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_commands_of_the_documents_exist(document: Path) -> None:
    """Every context-inspector command that a document shows is one, with the options it shows."""
    for words in commands(document.read_text("utf-8")):
        if words[0].startswith("-"):
            continue
        command = cli.commands.get(words[0])
        assert command is not None, f"{document.name}: {words}"
        known = {name for p in command.params for name in p.opts if isinstance(p, click.Option)} | {"--help"}
        shown = {word for word in words[1:] if word.startswith("--")}
        assert shown <= known, f"{document.name}: {words}"


def test_every_command_is_in_the_readme() -> None:
    """The README's overview names each command."""
    assert {words[0] for words in commands(README)} >= set(cli.commands)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    """Every relative link and image of a document is a file of the repository."""
    targets = re.findall(r"\]\(([^)#\s]+)", document.read_text("utf-8"))
    local = [target for target in targets if "://" not in target]

    assert [target for target in local if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_files_that_documents_name_exist(document: Path) -> None:
    """Every path of the project in code marks is there; a renamed module is found out."""
    named = re.findall(
        r"`((?:inspector|snapshot_sdk|sample_data|tests|benchmarks|docs)/[\w./-]*)`", document.read_text()
    )

    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_glossary_defines_the_words() -> None:
    """The glossary defines exactly the words of the project, each with a sentence."""
    rows = table((ROOT / "docs" / "glossary.md").read_text("utf-8"), "# Glossary")

    assert {word.strip("*") for word, _ in rows} == WORDS
    assert [word for word, meaning in rows if not meaning.endswith((".", "`.", ")."))] == []


def test_the_glossary_lists_the_layers() -> None:
    """The glossary has every layer with its two letters, in stack order."""
    rows = table((ROOT / "docs" / "glossary.md").read_text("utf-8"), "## Layers")
    layers = [(str(name), style.code) for name, style in LAYER_STYLES.items() if name != UNATTRIBUTED]

    assert [(layer.strip("`"), code) for layer, code, _ in rows] == layers


def test_the_readme_lists_the_samples() -> None:
    """The table of samples names each session."""
    rows = table(README, "## Two commands")

    assert {re.findall("`(.+?)`", cells[0])[0] for cells in rows} == {scenario.SESSION for scenario in SCENARIOS}
