"""Helpers to read JSON of any shape without ever raising."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.model.dialects.media import read_media
from inspector.model.request import Part, PartKind

LEAST_DATA: Final = 256
"""Characters from which a string of base64 letters alone is data: no word of any language is so long."""

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_\-\s]+={0,2}\s*")
_TEXT_KEYS: Final = frozenset({"text", "content", "arguments", "input", "prompt", "output"})
_DEEPEST: Final = 100


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Write any value as JSON text; what JSON cannot carry is written as its ``str``.

    Args:
        value: Any value.
        indent: Spaces per level; None: on one line.
    """
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    except (TypeError, ValueError, RecursionError):
        # Keys that are no strings, cycles, nesting beyond the recursion limit.
        try:
            return str(value)
        except (ValueError, RecursionError):
            # str() of an integer over the digit limit, or of a value nested beyond the recursion limit.
            return f"<{type(value).__name__} that cannot be shown>"


def text_or_json(value: Any) -> str:
    """Return a string as it is, nothing for None, and any other value as JSON."""
    if value is None:
        return ""
    # str() of a subclass of str (source text kept by the reader) gives the plain text.
    return str(value) if isinstance(value, str) else json_text(value)


def opt_str(value: Any) -> str | None:
    """Return the value if it is a string, else None."""
    return str(value) if isinstance(value, str) else None


def opt_int(value: Any) -> int | None:
    """Return the value if it is a whole number of zero or more (and no boolean), else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    if isinstance(value, float) and value.is_integer() and value >= 0:
        return int(value)
    return None


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def plus(*figures: int | None) -> int | None:
    """Add figures; None where none of them is known."""
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None


def other_parts(value: Any) -> Iterator[Part]:
    """Yield what is not understood as its JSON, so that nothing of a prompt is hidden.

    Long base64 in it is not text to a model: each such string is named in the JSON by its size and follows as a
    part of its own, a file, an image, or opaque where it is encrypted.
    """
    found: list[Part] = []
    yield Part("other", json_text(_without_data(value, None, None, found, 0)))
    yield from found


def _without_data(value: Any, key: str | None, mime: str | None, found: list[Part], depth: int) -> Any:
    if isinstance(value, str):
        if len(value) < LEAST_DATA or key in _TEXT_KEYS or not (_BASE64.fullmatch(value) or value.startswith("data:")):
            return value
        if key is not None and ("encrypted" in key.lower() or "signature" in key.lower()):
            found.append(Part("other", "", name=key, opaque=True))
            return f"<{key}, {len(value)} characters>"
        media = read_media(mime=mime, url=value) if value.startswith("data:") else read_media(mime=mime, data=value)
        found.append(Part("image" if media.width else "file", "", media=media))
        return f"<data, {media.size} bytes>"
    if depth > _DEEPEST:
        return value
    if isinstance(value, Mapping):
        named = (value.get(name) for name in ("media_type", "mimeType", "mime_type"))
        mime = next((str(name) for name in named if isinstance(name, str)), None)
        return {k: _without_data(v, str(k), mime, found, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_data(item, key, mime, found, depth + 1) for item in value]
    return value


def media_part(kind: PartKind, name: str | None, **source: Any) -> Part:
    """Return an image or file part; see :func:`inspector.model.dialects.media.read_media` for ``source``."""
    return Part(kind, "", name=name, media=read_media(**source))
