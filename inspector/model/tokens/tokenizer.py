"""Counting the tokens of text as a model would, or as near as can be had offline, saying which of both."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final, Protocol

import tiktoken

from inspector.errors import SettingsError
from inspector.model.settings import Settings, TokenizerFile
from inspector.model.tokens.engines import Engine, HuggingFaceEngine, RuleEngine, TiktokenEngine
from inspector.model.tokens.families import Family, family_of
from inspector.model.tokens.vocabulary import NoVocabularyError, load_encoding

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Tokenizer(Protocol):
    """Counts the tokens of text. Thread-safe."""

    @property
    def name(self) -> str:
        """Name of the vocabulary: ``o200k_base``, or the file the user named."""

    @property
    def origin(self) -> str:
        """Origin of its counts: ``tokenizer:<name>`` or ``estimate:<name>``."""

    @property
    def note(self) -> str | None:
        """How wrong an estimate is, measured; None where the tokenizer is the model's own."""

    @property
    def key(self) -> str:
        """Two tokenizers of equal key count alike: what a stored count belongs to."""

    @property
    def model(self) -> str | None:
        """Model it was chosen for: rules for images and overhead go by it."""

    def count(self, text: str) -> int:
        """Count the tokens of a text, taken as plain text (no special tokens)."""

    def count_spans(self, text: str, cuts: Sequence[int]) -> tuple[int, ...]:
        """Count a text once and share its tokens out over its spans; a token belongs where its first byte stands.

        Args:
            text: The whole text.
            cuts: End of each span in characters, ascending; the last is the length of the text.

        Returns:
            Tokens of each span; their sum is ``count(text)``.
        """


@dataclass(frozen=True)
class ModelTokenizer:
    """A vocabulary, chosen for a model."""

    engine: Engine
    """Does the work."""
    model: str | None
    """The model; None: the body names none."""
    exact: bool
    """True where the vocabulary is the model's own."""
    note: str | None = None
    """How wrong it is, where it is not."""

    @property
    def name(self) -> str:
        """Name of the vocabulary."""
        return self.engine.name

    @property
    def key(self) -> str:
        """Identity of vocabulary and origin."""
        return f"{'tokenizer' if self.exact else 'estimate'}:{self.engine.key}"

    @property
    def origin(self) -> str:
        """Origin of the counts."""
        return f"{'tokenizer' if self.exact else 'estimate'}:{self.engine.name}"

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        return self.engine.count(plain(text)) if text else 0

    def count_spans(self, text: str, cuts: Sequence[int]) -> tuple[int, ...]:
        """Count a text once and share its tokens out over its spans."""
        if len(cuts) <= 1:
            return (self.count(text),) * len(cuts)
        starts = self.engine.starts(plain(text))
        edges = accumulate(
            self.engine.measure(plain(text[start:end])) for start, end in zip((0, *cuts), cuts, strict=False)
        )
        before = [bisect_left(starts, edge) for edge in edges]
        before[-1] = len(starts)
        return tuple(after - upto for upto, after in zip((0, *before), before, strict=False))


def plain(text: str) -> str:
    """Replace lone surrogates by U+FFFD, as providers and tiktoken do; pairs of them become their character."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def tokenizer_for(model: str | None, settings: Settings | None = None) -> Tokenizer:
    """Choose the tokenizer of a model: the user's file, OpenAI's vocabulary, or the nearest one as an estimate.

    Args:
        model: Model as the body names it, provider prefixes and all; None: not known.
        settings: The user's settings.

    Raises:
        SettingsError: The file the user named for this model cannot be used.
    """
    own = settings.tokenizer_of(model) if settings is not None else None
    if own is not None:
        return ModelTokenizer(_load_file(own, _stamp(own)), model, exact=True)
    family = family_of(model)
    try:
        encoding = load_encoding(family.encoding)
    except NoVocabularyError as error:
        return ModelTokenizer(RuleEngine(), model, exact=False, note=f"counted by a rule of thumb, because {error}")
    engine = TiktokenEngine(encoding, family.encoding, family.encoding)
    return ModelTokenizer(engine, model, family.exact, note_of(family))


def note_of(family: Family) -> str | None:
    """Say in words how far a family's counts are off; None where they are not."""
    if family.exact:
        return None
    if family.error is None:
        return f"the tokenizer of this model is not known; counted with {family.encoding}"
    low, high = family.error
    return f"counted with {family.encoding}: measured {low:+d} % to {high:+d} % against the tokenizer of {family.name}"


def _stamp(own: TokenizerFile) -> tuple[int, int]:
    try:
        status = own.file.stat()
    except OSError as error:
        raise own.refuse(f"cannot be read: {error.strerror}") from error
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=16)
def _load_file(own: TokenizerFile, stamp: tuple[int, int]) -> Engine:
    """Load a tokenizer of the user; ``stamp`` makes a changed file a new one."""
    try:
        data = own.file.read_bytes()
        key = f"{own.file.name}@{hashlib.sha256(data).hexdigest()[:16]}"
        load = _load_json if data.lstrip()[:1] == b"{" else _load_ranks
        return load(data, own, key)
    except SettingsError:
        raise
    except Exception as error:
        # Two foreign parsers on a foreign file: `tokenizers` raises bare Exception.
        raise own.refuse(f"cannot be used as a tokenizer: {error}") from error


def _load_json(data: bytes, own: TokenizerFile, key: str) -> Engine:
    import tokenizers  # costs 40 ms, and few name a file of their own

    tokenizer = tokenizers.Tokenizer.from_buffer(data)
    tokenizer.encode_special_tokens = True  # "<|im_start|>" in a prompt's text is text
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return HuggingFaceEngine(tokenizer, own.file.name, key)


def _load_ranks(data: bytes, own: TokenizerFile, key: str) -> Engine:
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error) as error:
            raise own.refuse(f"has no token and rank in line {number}: {error}") from error
    if not ranks:
        raise own.refuse("holds no tokens")
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    if missing is not None:
        # tiktoken would panic on text with this byte.
        raise own.refuse(f"has no token for the byte {missing:#04x}")
    pattern = own.pattern or CL100K_PATTERN
    encoding = tiktoken.Encoding(own.file.name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return TiktokenEngine(encoding, own.file.name, f"{key}:{hashlib.sha256(pattern.encode()).hexdigest()[:8]}")


CL100K_PATTERN: Final = "|".join(
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
"""The splitting pattern of Llama 3's and most other published rank lists (Qwen splits digits one by one)."""
