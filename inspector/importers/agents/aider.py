"""aider's ``.aider.llm.history``: every prompt as text, and every answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedSession, Problem, Report, reporting
from inspector.importers.reading.documents import Document
from inspector.importers.reading.moments import moment

MISSING: Final = ("model", "parameters")
"""What the history does not hold."""

_SEPARATOR: Final = "-------"
"""Stands before every message of a prompt."""

_TITLE: Final = re.compile(r"(TO LLM|LLM RESPONSE) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\s*")
_BEGIN: Final = re.compile(rb"TO LLM \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\r?\n")
_SPOKEN: Final = re.compile(r"(SYSTEM|USER|ASSISTANT|TOOL|FUNCTION)(?: (.*))?", re.DOTALL)
"""A line of a message: who says it, and the line. Blank lines end in the space after the role."""

_LINE: Final = re.compile(
    rb"\s*|-------\r?|(?:TO LLM|LLM RESPONSE) \S+\s*|(?:SYSTEM|USER|ASSISTANT|TOOL|FUNCTION)(?: .*)?", re.DOTALL
)
"""A line of a history."""

_FEWEST_LINES: Final = 8
"""Lines that have to be a history's, where it does not begin as one."""


@dataclass
class _Block:
    """A prompt or an answer."""

    line: int
    title: str | None
    """``TO LLM``, ``LLM RESPONSE``; None: it stands before the first of them."""
    time: datetime | None
    messages: list[dict[str, Any]] = field(default_factory=list)
    odd: list[int] = field(default_factory=list)
    """Lines that nobody says."""

    @property
    def prompt(self) -> bool:
        """It was sent."""
        return self.title == "TO LLM"


class Aider:
    """One history is one session, one prompt a call."""

    name = "aider"
    title = "aider's LLM history (`.aider.llm.history`): text that begins with `TO LLM` and a time"

    def recognises(self, sample: Any) -> bool:
        """Never: the history is no JSON."""
        return False

    def recognises_head(self, head: bytes) -> bool:
        """Look for the first prompt's title, or, where the beginning is lost, for lines that all begin with a role."""
        if _BEGIN.match(head) is not None:
            return True
        lines = head.split(b"\n")[1:-1]  # the first and the last may be cut
        return len(lines) >= _FEWEST_LINES and all(map(_LINE.fullmatch, lines))

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each history into a session."""
        for document in documents:
            with reporting(document.path, report):
                for block in _blocks(document):
                    if block.title is None:
                        reason = "the end of a prompt or an answer whose beginning is lost, left out"
                        report(Problem(str(document.path), reason, block.line))
                    elif block.odd:
                        reason = f"{len(block.odd)} line(s) that no role says, left out"
                        report(Problem(str(document.path), reason, block.odd[0]))
                yield ImportedSession(
                    session=_name(document),
                    format=self.name,
                    source=document.path.name,
                    digest=document.digest,
                    logs=(document,),
                    calls=lambda document=document: _calls(document),  # type: ignore[misc]
                    agent="aider",
                )


def _name(document: Document) -> str:
    """Name the session after the file, or after its folder where the file has aider's own name."""
    stem = document.path.name.removesuffix(".llm.history").strip(".")
    return stem if stem not in ("", "aider") else document.path.resolve().parent.name or "aider"


def _calls(document: Document) -> Iterator[ImportedCall]:
    """Pair each prompt with the answer after it."""
    prompt: _Block | None = None
    for block in _blocks(document):
        if block.title is None:
            continue
        if prompt is not None:
            yield _call(prompt, None if block.prompt else block)
        prompt = block if block.prompt else None
    if prompt is not None:
        yield _call(prompt, None)


def _call(prompt: _Block, answer: _Block | None) -> ImportedCall:
    return ImportedCall(
        request={"messages": prompt.messages},
        exact="rebuilt",
        missing=MISSING,
        api="openai.chat",
        time=prompt.time,
        answer=None if answer is None else ImportedAnswer(None, tuple(answer.messages), answer.time),
    )


def _blocks(document: Document) -> Iterator[_Block]:
    r"""Cut the history at its titles; lines end at ``\n`` only, as aider writes them."""
    block: _Block | None = None
    role: str | None = None
    lines: list[str] = []

    def end_message() -> None:
        if block is not None and role is not None:
            block.messages.append({"role": role.lower(), "content": "\n".join(lines)})
        lines.clear()

    with document.path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
        for number, line in enumerate((raw.rstrip("\r\n") for raw in file), start=1):
            title = _TITLE.fullmatch(line)
            spoken = _SPOKEN.fullmatch(line)
            if block is None and title is None and line:
                block = _Block(number, None, None)
            if title is not None:
                end_message()
                role = None
                if block is not None:
                    yield block
                block = _Block(number, title[1], moment(title[2]))
            elif line == _SEPARATOR:
                end_message()
                role = None
            elif spoken is not None:
                if role not in (None, spoken[1]):
                    end_message()
                role = spoken[1]
                lines.append(spoken[2] or "")
            elif block is not None and line:
                block.odd.append(number)
    end_message()
    if block is not None:
        yield block
