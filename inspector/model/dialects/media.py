"""Images and files in a request: type, size and pixels from the first bytes, without decoding the picture."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

from inspector.model.request import Media

HEADER_BYTES: Final = 96 * 1024
"""How much of an image is decoded at most. JPEGs carry EXIF previews of up to 64 KB before their frame header."""

_DATA_URI: Final = re.compile(r"data:([^;,\s]{0,200})((?:;[^;,\s]{0,200}){0,8}),", re.IGNORECASE)
_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/]+")
_PNG_MAGIC: Final = b"\x89PNG\r\n\x1a\n"
# Start-of-frame markers that carry the picture's size: all of C0–CF but DHT (C4), JPG (C8) and DAC (CC).
_JPEG_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class Pixels(NamedTuple):
    """Size of a picture in pixels."""

    width: int
    height: int


def read_media(
    *, mime: str | None = None, data: str | None = None, url: str | None = None, detail: str | None = None
) -> Media:
    """Describe an image or file of a request. Nothing is fetched.

    Args:
        mime: Media type as the body says.
        data: Base64 text, if the content is inline.
        url: ``data:`` URI, address, or another reference (a file id).
        detail: OpenAI's ``detail``.
    """
    if data is None and url is not None and (uri := _DATA_URI.match(url)):
        mime = mime or uri[1] or None
        if ";base64" in uri[2].lower():
            data, url = url[uri.end() :], None
        else:
            return Media(mime, len(unquote_to_bytes(url[uri.end() :].encode("utf-8", "replace"))), detail=detail)
    if data is None:
        return Media(mime, None, detail=detail, url=url)
    pixels = pixels_of(decode_head(data))
    width, height = pixels if pixels else (None, None)
    return Media(mime, decoded_size(data), width, height, detail, url)


def decoded_size(data: str) -> int:
    """Return how many bytes a base64 text stands for, from its length alone."""
    length = len(data)
    if "\n" in data or "\r" in data or " " in data:
        length -= data.count("\n") + data.count("\r") + data.count(" ")
    padding = 2 if data.endswith("==") else 1 if data.endswith("=") else 0
    return (length - padding) * 3 // 4


def decode_head(data: str, limit: int = HEADER_BYTES) -> bytes:
    """Decode the beginning of a base64 text (standard or URL-safe); empty where it is none.

    Args:
        data: Base64 text; line breaks are skipped.
        limit: Bytes wanted at most.
    """
    head = data[: limit * 4 // 3 + 4].replace("-", "+").replace("_", "/")
    head = _NOT_BASE64.sub("", head)
    head = head[: len(head) // 4 * 4] if len(head) >= 4 else ""
    try:
        return base64.b64decode(head)[:limit]
    except (binascii.Error, ValueError):
        return b""


def pixels_of(head: bytes) -> Pixels | None:
    """Read the size of a PNG, JPEG, GIF or WebP from its first bytes; None for anything else."""
    pixels: Pixels | None = None
    if head.startswith(_PNG_MAGIC) and head[12:16] == b"IHDR" and len(head) >= 24:
        pixels = Pixels(int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big"))
    elif head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        pixels = Pixels(int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little"))
    elif head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        pixels = _webp(head)
    elif head.startswith(b"\xff\xd8"):
        pixels = _jpeg(head)
    return pixels if pixels and pixels.width and pixels.height else None


def _webp(head: bytes) -> Pixels | None:
    chunk = head[12:16]
    if chunk == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        return Pixels(int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF)
    if chunk == b"VP8L" and head[20] == 0x2F:
        bits = int.from_bytes(head[21:25], "little")
        return Pixels((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if chunk == b"VP8X":
        return Pixels(int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1)
    return None


def _jpeg(head: bytes) -> Pixels | None:
    at = 2
    while at + 9 <= len(head):
        if head[at] != 0xFF:
            return None
        marker = head[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
        elif marker in _JPEG_FRAMES:
            return Pixels(int.from_bytes(head[at + 7 : at + 9], "big"), int.from_bytes(head[at + 5 : at + 7], "big"))
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:  # markers without a segment
            at += 2
        else:
            at += 2 + max(2, int.from_bytes(head[at + 2 : at + 4], "big"))
    return None
