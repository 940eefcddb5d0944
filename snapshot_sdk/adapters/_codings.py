"""Undoes the content codings of HTTP bodies: gzip, deflate, and brotli and zstd where the process has them."""

from __future__ import annotations

import sys
import zlib
from typing import Final

MAX_DECODED: Final = 256 * 1024 * 1024
"""Bytes a body may unfold to."""


def decode(data: bytes, encoding: str) -> bytes | None:
    """Undoes what ``Content-Encoding`` names; never raises.

    Args:
        data: The body, perhaps not all of it.
        encoding: Value of the header; empty: not coded at all.

    Returns:
        None: a coding nobody here knows, or bytes that are not coded that way.
    """
    for coding in reversed([one.strip().lower() for one in encoding.split(",") if one.strip()]):
        decoder = _DECODERS.get(coding)
        if decoder is None:
            return None
        try:
            data = decoder(data)
        except Exception:  # damaged, cut in a way the decoder does not take, or its package is not there
            return None
    return data


def _zlib(data: bytes, bits: int) -> bytes:
    return zlib.decompressobj(bits).decompress(data, MAX_DECODED)


def _deflate(data: bytes) -> bytes:
    try:
        return _zlib(data, zlib.MAX_WBITS)
    except zlib.error:
        return _zlib(data, -zlib.MAX_WBITS)  # raw, as some servers send it


def _brotli(data: bytes) -> bytes:
    """With the package the client decodes with: it asked for this coding because it has one."""
    module = sys.modules.get("brotli") or sys.modules["brotlicffi"]
    decompressor = module.Decompressor()
    step = getattr(decompressor, "decompress", None) or decompressor.process
    decoded: bytes = step(data)
    return decoded


def _zstd(data: bytes) -> bytes:
    module = sys.modules["zstandard"]
    decoded: bytes = module.ZstdDecompressor().decompressobj().decompress(data)
    return decoded


_DECODERS: Final = {
    "identity": lambda data: data,
    "gzip": lambda data: _zlib(data, zlib.MAX_WBITS | 16),
    "x-gzip": lambda data: _zlib(data, zlib.MAX_WBITS | 16),
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
