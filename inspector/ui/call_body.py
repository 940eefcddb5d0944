"""The stored body as text, indented without touching a character of its values."""

from __future__ import annotations

import re
from typing import Final

INDENT: Final = "  "
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|"', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\.")
_FIRST_READABLE: Final = 0xA1
"""Escapes below it (controls, ASCII, the C1 block, the no-break space) stay escaped."""
_OPENING: Final = {"{": "}", "[": "]"}


def body_text(body: bytes) -> str:
    r"""Decode a body; bytes that are no UTF-8 become a visible ``\xNN``."""
    return body.decode("utf-8", errors="backslashreplace")


def _unescape(match: re.Match[str]) -> str:
    high, low, single = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if single:
        code = int(single, 16)
        character = chr(code)
        if code >= _FIRST_READABLE and not 0xD800 <= code < 0xE000 and character.isprintable():
            return character
    return match[0]


def indent_json(text: str) -> str:
    r"""Indent JSON by its tokens, so that no number or string is parsed and written anew.

    Works at any depth and on any number. The one thing it rewrites: an escape of a printable
    character beyond ASCII (``\u4f60``) becomes that character; a lone surrogate, a control
    character and every other escape stay as they are.
    """
    out: list[str] = []
    depth = 0
    tokens = [match[0] for match in _TOKEN.finditer(text)]
    for at, token in enumerate(tokens):
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token in _OPENING:
            out.append(token)
            if following != _OPENING[token]:
                depth += 1
                out.append("\n" + INDENT * depth)
        elif token in ("}", "]"):
            if at and tokens[at - 1] not in _OPENING:
                depth = max(0, depth - 1)
                out.append("\n" + INDENT * depth)
            out.append(token)
        elif token == ",":
            out.append(",\n" + INDENT * depth)
        elif token == ":":
            out.append(": ")
        else:
            out.append(_ESCAPE.sub(_unescape, token) if "\\" in token else token)
    return "".join(out)
