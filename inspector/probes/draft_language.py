"""Which language a question is drafted in: that of the message it is about, not that of an id or a key in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.probes.draft_doubts import is_result

_CJK: Final = re.compile(r"[㐀-鿿]")
_WORD: Final = re.compile(r"(?<![\w./@#&=-])(?:[A-Z]?[a-z]+(?:['’][a-z]+)?|I|A)(?![\w/@#&=_-]|\.\w)")
"""A word of running text: no id, no path, no key in ``snake_case``, no abbreviation in capitals."""
_CLEAR: Final = 3
"""Words, or pairs of Chinese characters, from which a text has a language of its own."""
_READ: Final = 20_000
"""Characters of a text that are looked at."""
_SPOKEN: Final = frozenset({"user", "assistant", "system", "developer"})


def language_is_chinese(text: str) -> bool | None:
    """Tell whether running text is Chinese, or English; None: there is too little of it to tell.

    Args:
        text: Any text.
    """
    text = text[:_READ]
    pairs, words = len(_CJK.findall(text)) / 2, len(_WORD.findall(text))
    return pairs >= words if max(pairs, words) >= _CLEAR else None


class Languages:
    """The languages of the messages of a session."""

    def __init__(self, contexts: Sequence[CallContext]) -> None:
        """Take the messages in.

        Args:
            contexts: The calls.
        """
        self._blocks: Final[dict[str, Block]] = {}
        for context in contexts:
            for block in context.blocks:
                self._blocks.setdefault(block.content, block)
        spoken = (one.text for one in self._blocks.values() if one.role == "user" and one.layer in _TALK)
        talk = "\n".join(spoken)
        self._talk: Final = language_is_chinese(talk) if talk.strip() else None
        self._any: Final = bool(_CJK.search(talk))

    def is_chinese(self, content: str | None, said: str) -> bool:
        """Tell in which language to ask about what was said: Chinese, or else English.

        A result of a tool has none of its own: what it says is asked about in the language of the talk around it.

        Args:
            content: Content hash of the message; None: it is not known.
            said: What is asked about.
        """
        block = self._blocks.get(content) if content is not None else self._holder(said)
        spoken = block is not None and block.role in _SPOKEN and not is_result(block)
        own = language_is_chinese(block.text) if block is not None and spoken else None
        for found in (own, self._talk, language_is_chinese(said)):
            if found is not None:
                return found
        return self._any or bool(_CJK.search(said))

    def _holder(self, said: str) -> Block | None:
        return next((one for one in self._blocks.values() if said in one.text), None)


_TALK: Final = (Layer.INPUT, Layer.HISTORY)
