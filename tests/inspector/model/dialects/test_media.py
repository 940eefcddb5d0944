"""Images tell their size from their first bytes."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.dialects.media import decode_head, decoded_size, pixels_of, read_media

HEADERS = {
    "gif": b"GIF89a" + (640).to_bytes(2, "little") + (480).to_bytes(2, "little") + b"\0" * 8,
    "jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF\0" + b"\0" * 9 + b"\xff\xff\xc0\x00\x11\x08\x01\xe0\x02\x80\x03" + b"\0" * 9,
    "webp lossy": b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01",
    "webp lossless": b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (639 | 479 << 14).to_bytes(4, "little") + b"\0" * 8,
    "webp extended": b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0"
    + (639).to_bytes(3, "little")
    + (479).to_bytes(3, "little"),
}


@pytest.mark.parametrize("form", HEADERS)
def test_size_from_the_header(form: str) -> None:
    """Each format's header gives 640 × 480."""
    assert pixels_of(HEADERS[form]) == (640, 480)


@pytest.mark.parametrize(("form", "extra"), [("PNG", {}), ("JPEG", {"exif": b"Exif\0\0" + b"\0" * 60_000}), ("GIF", {}),
                                             ("WEBP", {}), ("WEBP", {"lossless": True})])  # fmt: skip
def test_size_of_real_pictures(form: str, extra: dict[str, object]) -> None:
    """Pictures written by Pillow, a JPEG with a long EXIF part among them, give their size."""
    image = pytest.importorskip("PIL.Image", reason="Pillow writes the pictures")
    stream = io.BytesIO()
    image.new("RGB", (321, 123)).save(stream, form, **extra)
    media = read_media(data=base64.b64encode(stream.getvalue()).decode())
    assert (media.width, media.height, media.size) == (321, 123, len(stream.getvalue()))


def test_only_the_head_is_decoded(png: Callable[[int, int], bytes]) -> None:
    """Of ten megabytes only the head is decoded."""
    data = base64.b64encode(png(8, 8) + bytes(10_000_000)).decode()
    assert len(decode_head(data, 1_000)) == 1_000


@given(data=st.binary(max_size=80))
def test_any_bytes_are_survived(data: bytes) -> None:
    """No header, however broken, raises."""
    for magic in (b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n\0\0\0\0IHDR", b"RIFF\0\0\0\0WEBP", b"GIF89a"):
        pixels = pixels_of(magic + data)
        assert pixels is None or min(pixels) > 0


@given(text=st.text(max_size=40))
def test_any_text_is_survived(text: str) -> None:
    """Text that is no base64 gives a description without pixels."""
    assert read_media(data=text).width is None
    assert read_media(url="data:" + text).width is None


@given(data=st.binary(max_size=100))
def test_decoded_size(data: bytes) -> None:
    """The size follows from the length alone, line breaks or not."""
    assert decoded_size(base64.b64encode(data).decode()) == len(data)
    assert decoded_size(base64.encodebytes(data).decode().rstrip("\n")) == len(data)


def test_data_uri_that_is_no_base64() -> None:
    """A percent-encoded ``data:`` URI tells its type and its decoded size."""
    media = read_media(url="data:image/svg+xml,%3Csvg%3E")
    assert (media.mime, media.size, media.width) == ("image/svg+xml", 5, None)
