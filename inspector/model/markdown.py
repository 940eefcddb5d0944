"""Text of a prompt inside a Markdown document: only ever as code, which nothing renders."""

from __future__ import annotations

import re
from typing import Final

_TICKS: Final = re.compile("`+")
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
"""What a reader cannot see or what turns the reading direction; a lone surrogate cannot be written at all."""


def code_span(text: str) -> str:
    """Write a text on one line as a code span, fit for the cell of a table.

    Args:
        text: Any text.
    """
    line = " ".join(shown(text).split()).replace("|", "\\|") or " "
    fence = "`" * (_longest(line) + 1)
    pad = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def code_block(text: str, language: str = "") -> str:
    """Write a text as a fenced block.

    Args:
        text: Any text.
        language: What a viewer may colour it as.
    """
    body = shown(text)
    fence = "`" * max(3, _longest(body) + 1)
    return f"{fence}{language}\n{body}\n{fence}\n"


def shown(text: str) -> str:
    r"""Write out what cannot be seen: ``\u202e`` as these six characters."""
    return _HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\r\n", "\n"))


def _longest(text: str) -> int:
    """The longest run of backticks: a fence must be longer (CommonMark 0.31, 4.5 and 6.1)."""
    return max((len(run) for run in _TICKS.findall(text)), default=0)
