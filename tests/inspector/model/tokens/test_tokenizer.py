"""Text is counted as the model counts it, whatever the text, and spans add up."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import SettingsError
from inspector.model.settings import Settings, TokenizerFile
from inspector.model.tokens import Tokenizer, tokenizer_for
from inspector.model.tokens.engines import LONGEST_SAFE_WHITESPACE, RuleEngine
from inspector.model.tokens.tokenizer import ModelTokenizer, plain
from inspector.model.tokens.vocabulary import load_encoding


def o200k() -> Tokenizer:
    """Return the tokenizer of GPT-4o. No module of tests loads a vocabulary before its fixtures are up."""
    return tokenizer_for("gpt-4o")


def cl100k() -> Tokenizer:
    """Return the tokenizer of GPT-4."""
    return tokenizer_for("gpt-4")


def rule() -> Tokenizer:
    """Return the rule of thumb."""
    return ModelTokenizer(RuleEngine(), None, exact=False)


TEXTS = [
    "",
    "hello world",
    "用户要求把订单退货,并在三天之内退款。",
    "日本語とEnglishの混在 👩‍👩‍👧‍👦 🇩🇪",
    "<|endoftext|><|im_start|>system",
    "\u0000\u2028\u200d\ufeff",
    "    def f(x):\r\n\t\treturn x ** 2  \n\n\n",
    "e\u0301" * 50,
    json.dumps({"id": "f47ac10b-58cc-4372-a567-0e02b2c3d479", "n": [1, 2.5, None]}),
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("model", "encoding"), [("gpt-4o", "o200k_base"), ("gpt-4", "cl100k_base")])
def test_counts_are_tiktokens(model: str, encoding: str, text: str) -> None:
    """The count is tiktoken's, special tokens taken as plain text."""
    tokenizer = tokenizer_for(model)
    assert tokenizer.origin == f"tokenizer:{encoding}"
    assert tokenizer.count(text) == len(load_encoding(encoding).encode_ordinary(text))


def test_cjk_is_not_a_quarter_of_its_characters() -> None:
    """Chinese costs about a token per character or two, not one per four."""
    assert 50 <= o200k().count("你好世界" * 25) <= 150


def cut_up(draw: st.DataObject, text: str) -> list[int]:
    """Draw ends of spans."""
    inner = draw.draw(st.lists(st.integers(0, len(text)), max_size=6))
    return [*sorted(inner), len(text)]


@pytest.mark.parametrize("choose", [o200k, cl100k, rule])
@given(text=st.text(max_size=60) | st.sampled_from(TEXTS), data=st.data())
def test_spans_add_up(choose: Callable[[], Tokenizer], text: str, data: st.DataObject) -> None:
    """However a text is cut, its spans have the tokens of the whole, none less than none."""
    tokenizer = choose()
    shares = tokenizer.count_spans(text, cut_up(data, text))
    assert sum(shares) == tokenizer.count(text)
    assert min(shares) >= 0


def test_a_token_belongs_where_it_begins() -> None:
    """A token that crosses a cut is counted before it."""
    (token,) = load_encoding("o200k_base").encode_ordinary(" international")
    assert token
    assert o200k().count_spans(" international", [3, 14]) == (1, 0)


def test_spans_of_wide_characters() -> None:
    """Cuts are characters, not bytes."""
    text = "茶" * 10 + "tea " * 10
    first, second = o200k().count_spans(text, [10, len(text)])
    assert first == o200k().count("茶" * 10)
    assert second == o200k().count("tea " * 10)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00", "x" * 10 + "\udc80" * 3])
def test_lone_surrogates_are_counted(text: str) -> None:
    """A lone surrogate is counted as the replacement character, a pair as its character."""
    tokenizer_count = o200k().count(text)
    assert tokenizer_count == o200k().count(plain(text)) > 0
    assert "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16") == plain("\ud83d\ude00")
    assert sum(o200k().count_spans(text, [1, len(text)])) == tokenizer_count


def test_a_million_of_one_character() -> None:
    """A run of a million letters is counted (it is quadratic in tiktoken before 0.13)."""
    assert o200k().count("a" * 1_000_000) == 125_000


@pytest.mark.parametrize("choose", [o200k, cl100k])
def test_a_million_spaces(choose: Callable[[], Tokenizer]) -> None:
    """Whitespace runs over which tiktoken panics are counted the safe way."""
    tokenizer = choose()
    text = " " * 1_200_000 + "x"
    first, second = tokenizer.count_spans(text, [1_200_000, len(text)])
    assert first > 5_000
    assert first + second == tokenizer.count(text)


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("text", [*TEXTS, "x" + " " * 3_000 + "y\n\n z", "\t \n" * 500])
def test_the_safe_way_gives_the_same_tokens(encoding: str, text: str) -> None:
    """Tiktoken's private splitter in Python, used for such runs, still exists and agrees."""
    engine = load_encoding(encoding)
    assert engine._encode_only_native_bpe(text) == engine.encode_ordinary(text)
    assert LONGEST_SAFE_WHITESPACE < 999_689


def test_estimates_say_so() -> None:
    """A borrowed vocabulary is an estimate, with its measured error in words."""
    tokenizer = tokenizer_for("claude-opus-4-7")
    assert tokenizer.origin == "estimate:o200k_base"
    assert tokenizer.note is not None
    assert "-37 % to -27 %" in tokenizer.note
    assert tokenizer_for("acme-1").note is not None
    assert o200k().note is None


def words_file(path: Path) -> Path:
    """Write a small ``tokenizer.json``: words and a special token."""
    import tokenizers
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = tokenizers.Tokenizer(WordLevel({"tea": 0, "cake": 1, "?": 2, "<|im_start|>": 3}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens(["<|im_start|>"])
    tokenizer.enable_truncation(max_length=2)
    tokenizer.save(str(path))
    return path


def settings_for(file: Path, pattern: str | None = None) -> Settings:
    """Return settings that name a tokenizer for ``acme*``."""
    return Settings(tokenizers={"acme*": TokenizerFile(file, pattern)})


def test_the_users_tokenizer_json(tmp_path: Path) -> None:
    """A named file counts for its models: whole texts, and special tokens as text."""
    tokenizer = tokenizer_for("acme/acme-1", settings_for(words_file(tmp_path / "acme.json")))
    assert tokenizer.origin == "tokenizer:acme.json"
    assert tokenizer.count("tea cake tea cake") == 4
    assert tokenizer.count("<|im_start|>") > 1
    assert tokenizer.count("tea \ud800") == 2
    assert tokenizer.count_spans("tea 茶 cake", [4, 6, 10]) == (1, 1, 1)
    assert tokenizer_for("gpt-4o", settings_for(tmp_path / "acme.json")).origin == "tokenizer:o200k_base"


def test_a_changed_file_counts_anew(tmp_path: Path) -> None:
    """The key of counts follows the content of the file."""
    file = words_file(tmp_path / "acme.json")
    before = tokenizer_for("acme-1", settings_for(file)).key
    file.write_text(file.read_text(encoding="utf-8").replace('"cake"', '"cakes"'), encoding="utf-8")
    after = tokenizer_for("acme-1", settings_for(file))
    assert after.key != before
    assert after.count("cakes") == 1


def test_the_users_ranks(tmp_path: Path) -> None:
    """A list of ranks counts with its own, or the usual, splitting pattern."""
    file = tmp_path / "acme.tiktoken"
    tokens = [bytes([byte]) for byte in range(256)] + [b"te", b"tea"]
    file.write_bytes(b"\n".join(base64.b64encode(t) + b" %d" % rank for rank, t in enumerate(tokens)))
    tokenizer = tokenizer_for("acme-1", settings_for(file))
    assert tokenizer.count("tea") == 1
    assert tokenizer.count("茶") == 3
    assert tokenizer_for("acme-1", settings_for(file, r"\w|\W")).count("tea") == 3


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "holds no tokens"),
        (b"{}", "cannot be used as a tokenizer"),
        (b"{broken", "cannot be used as a tokenizer"),
        (b"dGVh 0", "has no token for the byte 0x00"),
        (b"not ranks at all", "has no token and rank in line 1"),
    ],
)
def test_unusable_files_are_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    """A file that is no tokenizer is told by name and reason."""
    file = tmp_path / "acme.bin"
    file.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        tokenizer_for("acme-1", settings_for(file))
    assert caught.value.file == file
    assert reason in caught.value.reason


def test_an_unusable_file_is_told_by_where_it_is_named(tmp_path: Path) -> None:
    """The error names inspector.toml and the key in it, and says which file it means and why."""
    (tmp_path / "acme.bin").write_bytes(b"dGVh 0")
    settings = tmp_path / "inspector.toml"
    settings.write_text("[tokenizers]\n'acme*' = 'acme.bin'\n")
    with pytest.raises(SettingsError) as caught:
        tokenizer_for("acme-1", Settings.load(settings))
    assert (caught.value.file, caught.value.key) == (settings, "tokenizers.acme*")
    assert caught.value.reason == f"{tmp_path / 'acme.bin'} has no token for the byte 0x00"


@pytest.mark.parametrize("text", [text for text in TEXTS if len(text) > 10])
def test_the_rule_of_thumb_is_near(text: str) -> None:
    """Without any vocabulary counts are within a half of the right size, Chinese too."""
    assert 0.5 < rule().count(text * 20) / o200k().count(text * 20) < 2.0


def test_tiktoken_is_new_enough() -> None:
    """The versions that are quadratic on one repeated character are not used."""
    assert tuple(int(number) for number in tiktoken.__version__.split(".")[:2]) >= (0, 13)
