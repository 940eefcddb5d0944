"""``inspector.toml`` is read strictly: an error names file, key and reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.errors import SettingsError
from inspector.model.layers import Layer
from inspector.model.settings import Settings, matches_model

Load = Callable[[str], Settings]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loader of settings from text."""

    def load_text(text: str) -> Settings:
        file = tmp_path / "inspector.toml"
        file.write_text(text, encoding="utf-8")
        return Settings.load(file)

    return load_text


GOOD = """
[[layers]]
name = "profile"
tag = "UserCard"
layer = "memory"

[[layers]]
regex = "(?s)## Docs(.*?)##"
role = "system"
position = "first"
layer = "retrieved"

[windows]
"gpt-4.1*" = 1_000_000
"*" = 8_000

[budgets]
memory = 2_000
"""


def test_everything_is_read(load: Load) -> None:
    """Rules keep their order; positions become numbers; unnamed rules are named by their place."""
    settings = load(GOOD)
    first, second = settings.layers
    assert (first.name, first.tag, first.layer, first.whole) == ("profile", "UserCard", Layer.MEMORY, False)
    assert (second.name, second.role, second.position, second.layer) == ("layers[2]", "system", 0, Layer.RETRIEVED)
    assert settings.window_of("openai/GPT-4.1-mini") == 1_000_000
    assert settings.window_of("qwen3") == 8_000
    assert settings.budgets == {"memory": 2_000}


def test_no_file_is_no_settings(tmp_path: Path) -> None:
    """Without a file there is nothing to obey."""
    assert Settings.load(tmp_path / "inspector.toml") == Settings()


def test_a_bom_is_no_trouble(tmp_path: Path) -> None:
    """A file that Windows' Notepad wrote is read."""
    file = tmp_path / "inspector.toml"
    file.write_text(GOOD, encoding="utf-8-sig")
    assert len(Settings.load(file).layers) == 2


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("x = ", None, "no valid TOML"),
        ("layer = 1", "layer", "is not known; known are layers"),
        ("layers = 1", "layers", "must be an array"),
        ("layers = [1]", "layers[1]", "must be a table"),
        ("[[layers]]\ntag = 'a'", "layers[1].layer", "is missing"),
        ("[[layers]]\ntag = 'a'\nlayer = 'kitchen'", "layers[1].layer", "'kitchen' is no layer; layers are system"),
        ("[[layers]]\ntag = 'a'\nlayer = 'overhead'", "layers[1].layer", "is no layer"),
        ("[[layers]]\nlayer = 'state'", "layers[1]", "needs one of tag, regex"),
        ("[[layers]]\nlayer = 'state'\ntag = '<a>'", "layers[1].tag", "is no tag name"),
        ("[[layers]]\nlayer = 'state'\nregex = '('", "layers[1].regex", "no valid regular expression"),
        ("[[layers]]\nlayer = 'state'\nregex = 'a'\ntag = 'b'", "layers[1]", "both tag and regex"),
        ("[[layers]]\nlayer = 'state'\nposition = 'middle'", "layers[1].position", "neither first, last nor a number"),
        ("[[layers]]\nlayer = 'state'\nrole = 3", "layers[1].role", "must be a string"),
        ("[[layers]]\nlayer = 'state'\nplace = 3", "layers[1].place", "is not known"),
        ("[[layers]]\nlayer = 'state'\nregex = ''", "layers[1].regex", "is empty"),
        ("[[layers]]\nlayer = 'state'\nrole = ''", "layers[1].role", "is empty"),
        ("[[layers]]\nlayer = 'state'\nposition = 99999999999999999999", "layers[1].position", "at most 1,000,000"),
        ("[[layers]]\nlayer = 'state'\nposition = -1000001", "layers[1].position", "at most 1,000,000"),
        ("[windows]\n'gpt*' = 10000000000000000000000", "windows.gpt*", "at most 1,000,000,000,000"),
        ("[budgets]\nmemory = 10000000000000000000000", "budgets.memory", "at most 1,000,000,000,000"),
        (f"[budgets]\nmemory = {'9' * 5000}", None, "no valid TOML"),
        ("[[watches]]\ntext = 'a'\nsince_call = 3000000000", "watches[1].since_call", "is no number of a call"),
        ("[windows]\n'gpt*' = '8k'", "windows.gpt*", "is no number of tokens"),
        ("[windows]\n'gpt*' = 0", "windows.gpt*", "is no number of tokens"),
        ("[budgets]\nkitchen = 5", "budgets.kitchen", "is no layer"),
        ("[tokenizers]\nqwen = 'none.json'", "tokenizers.qwen", "there is no file"),
        ("[tokenizers]\nqwen = 3", "tokenizers.qwen", "must be a file name or a table"),
    ],
)
def test_errors_name_key_and_reason(load: Load, tmp_path: Path, text: str, key: str, reason: str) -> None:
    """Each mistake is told by its place."""
    with pytest.raises(SettingsError) as caught:
        load(text)
    assert (caught.value.file, caught.value.key) == (tmp_path / "inspector.toml", key)
    assert reason in caught.value.reason


def test_the_fingerprint_tells_what_counts(load: Load, tmp_path: Path) -> None:
    """It changes with rules and with the content of tokenizer files, not with windows or budgets."""
    plain = load("").fingerprint
    assert load("[windows]\n'*' = 5\n[budgets]\nmemory = 5").fingerprint == plain
    assert load("[[layers]]\ntag = 'a'\nlayer = 'state'").fingerprint != plain
    file = tmp_path / "t.json"
    file.write_text("{}")
    first = load("[tokenizers]\nqwen = 't.json'").fingerprint
    file.write_text("{ }")
    assert plain != first != load("[tokenizers]\nqwen = 't.json'").fingerprint


@pytest.mark.parametrize(
    ("pattern", "model", "fits"),
    [
        ("gpt-4*", "gpt-4.1", True),
        ("gpt-4*", "openai/gpt-4.1", True),
        ("*/gpt-4*", "openai/gpt-4.1", True),
        ("GPT-4*", "gpt-4o", True),
        ("gpt-4", "gpt-4o", False),
    ],
)
def test_model_patterns(pattern: str, model: str, fits: bool) -> None:
    """Patterns are the shell's; a provider's prefix may be left out."""
    assert matches_model(pattern, model) is fits
