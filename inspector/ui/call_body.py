"""The stored body as text: indented without touching a character of its values, and as a cURL command."""

from __future__ import annotations

import re
from dataclasses import dataclass
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


@dataclass(frozen=True)
class _Target:
    url: str
    headers: tuple[str, ...]


_TARGETS: Final = {
    "openai.chat": _Target("https://api.openai.com/v1/chat/completions", ("Authorization: Bearer $API_KEY",)),
    "anthropic.messages": _Target(
        "https://api.anthropic.com/v1/messages", ("x-api-key: $API_KEY", "anthropic-version: 2023-06-01")
    ),
}
_UNKNOWN_TARGET: Final = _Target("$URL", ("Authorization: Bearer $API_KEY",))


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def curl_command(api: str, body: bytes, sha256: str, endpoint: str | None = None) -> str:
    """Write a POSIX shell command that sends exactly these bytes again.

    The body stands in a quoted heredoc, where the shell expands nothing; ``head -c`` cuts the
    newline that a heredoc adds, so what is sent has the recorded hash. No key is in it.

    Args:
        api: Dialect, decides address and headers.
        body: The recorded body.
        sha256: Its hash, hex; names the heredoc's end mark.
        endpoint: Recorded URL, used where it is absolute.
    """
    target = _TARGETS.get(api, _UNKNOWN_TARGET)
    absolute = endpoint is not None and endpoint.startswith(("http://", "https://"))
    url = _quote(endpoint) if absolute and endpoint else ('"$URL"' if target.url == "$URL" else _quote(target.url))
    text = body_text(body)
    mark = f"BODY_{sha256[:12]}"
    while mark in text:
        mark += "_"
    headers = "".join(f' \\\n  -H "{header}"' for header in target.headers)
    send = f"curl {url} \\\n  -H 'content-type: application/json'{headers} \\\n  --data-binary @-"
    return f"head -c {len(body)} <<'{mark}' | {send}\n{text}\n{mark}\n"
