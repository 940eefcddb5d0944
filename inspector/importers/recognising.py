"""Finds out by its content which format a file has; of one that nobody knows, says what it looks like."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import Any, Final

from inspector.importers.base import HeadImporter, Importer
from inspector.importers.known_files import known_for
from inspector.importers.reading.describing import looks_like
from inspector.importers.reading.documents import SAMPLED_ITEMS, Document
from inspector.importers.reading.unreadable import MALFORMED, reason_of

_SIGNATURES: Final = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"%PDF", "a PDF document"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "a file packed with gzip twice: unpack it once"),
    (b"\x28\xb5\x2f\xfd", "a file packed with Zstandard"),
    (b"BZh", "a file packed with bzip2"),
    (b"\xfd7zXZ\x00", "a file packed with xz"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
)
"""First bytes of files that people have beside their logs."""


def recognise(document: Document, importers: Sequence[Importer], *, named: bool) -> Importer | str | None:
    """Find who reads a file.

    Args:
        document: The file.
        importers: Who is asked, in this order: first by the file's first bytes, then by its first value.
        named: It was asked for by name; others are passed over where they cannot be a log.

    A file of lines is known by the first of its lines that anybody knows: those before it may be damaged, or be none
    of its format.

    Returns:
        Who reads it; why nobody does, in words; None where it is passed over.
    """
    tried = f"(tried: {', '.join(importer.name for importer in importers)})"
    try:
        head = document.head()
        for importer in importers:
            if isinstance(importer, HeadImporter) and importer.recognises_head(head):
                return importer
        begins_as_json = head.lstrip().startswith((b"{", b"["))
        if not begins_as_json and (_is_binary(head) or not head.strip() or not document.by_lines):
            return f"not recognised: {_kind(head)}, {_size(document)} {tried}" if named else None
        samples = document.samples()
        found, known = _known(samples, importers)
        if found is not None:
            return found
        if not begins_as_json and not named:
            return None
        form = "JSON, one value a line" if document.by_lines else "JSON"
        looks = known or looks_like(samples[0], sampled=SAMPLED_ITEMS)
        return f"not recognised: {form}, {_size(document)}: {looks} {tried}"
    except MALFORMED as error:
        return reason_of(error)


def _known(samples: Sequence[Any], importers: Sequence[Importer]) -> tuple[Importer | None, str | None]:
    """Find who knows one of the first values of a file, or what is known of it though nobody reads it."""
    for sample in samples:
        found = next((importer for importer in importers if importer.recognises(sample)), None)
        known = None if found is not None else known_for(sample)
        if found is not None or known is not None:
            return found, known
    return None, None


def _is_binary(head: bytes) -> bool:
    return b"\x00" in head or any(head.startswith(signature) for signature, _ in _SIGNATURES)


def _kind(head: bytes) -> str:
    """Say what a file that is no JSON looks like by its first bytes."""
    if not head:
        return "an empty file"
    if not head.strip():
        return "a file with nothing but blank space"
    for signature, words in _SIGNATURES:
        if head.startswith(signature):
            return words
    if b"\x00" in head:
        return "binary data"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character may be cut at the end
    except UnicodeDecodeError:
        return "binary data, or text that is no UTF-8"
    return "text that is no JSON"


def _size(document: Document) -> str:
    size = document.path.stat().st_size
    for unit, bytes_of in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= bytes_of:
            return f"{size / bytes_of:.1f} {unit}"
    return f"{size} bytes"
