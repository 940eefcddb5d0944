"""Content codings: what can be undone is, what cannot is said."""

from __future__ import annotations

import gzip
import sys
import zlib

import pytest

from snapshot_sdk.adapters._codings import decode

DATA = b'{"q": 1}' * 40


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("packed", "coding"),
    [
        (DATA, ""),
        (DATA, "identity"),
        (gzip.compress(DATA), "gzip"),
        (gzip.compress(DATA), " X-GZIP "),
        (zlib.compress(DATA), "deflate"),
        (_raw_deflate(DATA), "deflate"),
        (gzip.compress(zlib.compress(DATA)), "deflate, gzip"),
    ],
    # Not of the bytes: gzip has the time in them, and two processes would name the tests differently.
    ids=["none", "identity", "gzip", "gzip by its old name", "deflate", "deflate, raw", "deflate, then gzip"],
)
def test_undone(packed: bytes, coding: str) -> None:
    """Each coding of the standard library, several in their order."""
    assert decode(packed, coding) == DATA


def test_zstd() -> None:
    """Where the process has the package for it."""
    zstandard = pytest.importorskip("zstandard", reason="the package zstandard is not installed")

    assert decode(zstandard.compress(DATA), "zstd") == DATA


def test_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the body is not known."""
    monkeypatch.delitem(sys.modules, "zstandard", raising=False)

    assert decode(b"\x28\xb5\x2f\xfd", "zstd") is None


@pytest.mark.parametrize(("packed", "coding"), [(DATA, "gzip"), (DATA, "deflate"), (DATA, "secret")])
def test_not_undone(packed: bytes, coding: str) -> None:
    """Damaged bytes and unknown codings are None, never wrong bytes."""
    assert decode(packed, coding) is None


def test_cut() -> None:
    """Of a body that was cut the beginning is there."""
    packed = gzip.compress(DATA * 100)

    assert (decode(packed[: len(packed) - 12], "gzip") or b"").startswith(DATA)
