"""Checks of how a prompt is built: one summary at most, and a head that stays as it was."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from snapshot_sdk._fixture_checks_words import Verdict, excerpt, listing
from snapshot_sdk._fixture_prompt import TOOLS, Prompt, PromptMessage
from snapshot_sdk.layer_marks import HEADINGS, TAGS, find_headings, find_tags, opens_as_summary

_SUMMARY_TAGS: Final = frozenset(name for name, layer in TAGS.items() if layer == "summary")
_CACHE_MARKS: Final = frozenset({"cache_control", "cachePoint", "prompt_cache_breakpoint"})
_CLAIM: Final = re.compile(
    r"\W{0,8}(?:(?:here|this|below|the following) is )?(?:an? |the )?(?:(?:latest|updated|running|rolling|current) )?"
    r"(?:(?:(?:previous|earlier|prior) )?(?:conversation|chat|session|history) summary"
    r"|summary of (?:the|our|this|all|previous|earlier|prior)\b[^\n:：]{0,20}"
    r"(?:conversation|dialogue|discussion|chat|session|messages|context))[^\n:：]{0,40}[\n:：]"
    r"|\W{0,3}[\[【(](?:(?:earlier|previous|prior|running) )?(?:(?:context|conversation|chat|session|history) )?summary"
    r"(?: of [^\]】)\n]{1,40})?[\]】)]"
    r"|\W{0,8}(?:以下是|这是|下面是)?(?:之前|前面|此前|目前|至今|历史|更早)?的?(?:对话|会话|聊天)(?:历史|记录)?的?(?:摘要|总结|概要)"
    r"[^\n:：]{0,20}[\n:：]",
    re.IGNORECASE,
)
"""First lines by which a message claims to be the summary: ``Summary of the conversation so far:``,
``[Context summary]``, ``以下是之前对话的总结：``."""
_AROUND: Final = 60
"""Characters quoted around the first difference."""


def judge_summaries(prompt: Prompt, written: Collection[str] = (), told: Collection[str] = ()) -> Verdict:
    """Looks for more than one summary that claims to be the one of the conversation.

    Args:
        prompt: The prompt.
        written: Content hashes of messages that a compaction wrote as a whole.
        told: Content hashes of messages of the conversation itself: their first lines claim nothing.
    """
    found = [
        (message, text)
        for message in (*prompt.head, *prompt.messages)
        for text in _summaries(message, written, claims=message.hash not in told)
    ]
    if len(found) <= 1:
        return Verdict(True, "one summary stands in the prompt" if found else "no summary stands in the prompt")
    what = f"{len(found)} summaries stand in the prompt, each as if it were the latest"
    places = Counter(message.place for message, _ in found)
    several = [f"{place} holds {count} of them" for place, count in places.items() if count > 1]
    return Verdict(
        False,
        "; ".join([what, *several]),
        listing([f"{message.place}: {excerpt(text, 100)}" for message, text in found]),
    )


def _summaries(message: PromptMessage, written: Collection[str], *, claims: bool) -> Iterator[str]:
    """Texts of a message that claim to be a summary; one within another is not a second one."""
    texts = [piece.text for piece in message.pieces if piece.kind == "text"]
    if message.role == "tool":
        return
    claimed = []
    for text in texts:
        spans = [] if message.role == "assistant" else _marked(text)
        # Opening words head the whole text; a second heading in it begins a second summary.
        if opens_as_summary(text) and not any(start <= len(text) - len(text.lstrip()) for start, _ in spans):
            spans.append((0, min([start for start, _ in spans], default=len(text))))
        claimed += [text[start:end] for start, end in _outer(spans)]
    if not claimed and (message.hash in written or any(piece.name == "compaction" for piece in message.pieces)):
        claimed = ["\n".join(texts)]
    if not claimed:
        claimed = [run.text for run in message.runs if run.layer == "summary" and run.text.strip()]
    if not claimed and claims and message.role in ("system", "developer", "user"):
        claimed = [part for text in texts for part in _claims(text)]
    yield from claimed


def _claims(text: str) -> Iterator[str]:
    """The summaries in a text whose first line claims to be one: of a summary that was summarised again, both."""
    if not _CLAIM.match(text):
        return
    lines = text.splitlines(keepends=True)
    starts = [place for place, line in enumerate(lines) if line.strip() and _CLAIM.match(line.rstrip() + "\n")]
    for start, end in zip([0, *starts[1:]], [*starts[1:], len(lines)], strict=True):
        yield "".join(lines[start:end])


def _marked(text: str) -> list[tuple[int, int]]:
    spans = [(mark.start, mark.end) for mark in find_tags(text, _SUMMARY_TAGS)]
    return spans + [(mark.start, mark.end) for mark in find_headings(text) if HEADINGS[mark.name] == "summary"]


def _outer(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that lie in no other one."""
    return sorted(
        span
        for span in set(spans)
        if not any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in spans)
    )


def judge_head(prompt: Prompt, previous: Prompt | None) -> Verdict:
    """Compares tools and system prompt with those one call earlier, element by element, as they are written.

    Args:
        prompt: The prompt.
        previous: The prompt one call earlier; None: unknown.
    """
    if previous is None:
        return Verdict(None, "the prompt one call earlier is unknown, so nothing can be compared with it")
    before, after = _head(previous), _head(prompt)
    for was, now in zip(before, after, strict=False):
        if was[1] != now[1]:
            what = f"{now[0] if was[0] == now[0] else f'{was[0]} (now {now[0]})'} changed: {_changed(was[1], now[1])}"
            return Verdict(False, f"{what}; from there on nothing is read from the cache", _around(was[1], now[1])[1])
    if len(before) != len(after):
        gone = before[len(after) :]
        named = f"{gone[0][0]} is gone" if gone else f"{after[len(before)][0]} is new"
        text = gone[0][1] if gone else after[len(before)][1]
        return Verdict(False, f"{named}, {excerpt(text)}; from there on nothing is read from the cache")
    return Verdict(True, f"tools and system prompt are as one call earlier ({len(after)} elements)")


def _head(prompt: Prompt) -> list[tuple[str, str]]:
    """Name and source of each element of the head, in the order in which they are rendered."""
    elements = []
    for message in (*prompt.tools, *prompt.leading):
        whole = message.member in TOOLS or not isinstance(message.raw, list | tuple)
        for number, item in enumerate((message.raw,) if whole else message.raw, 1):
            named = message.place if whole else f"{message.place}, block {number}"
            elements.append((named, json.dumps(_unmarked(item), ensure_ascii=False, default=str)))
    return elements


def _unmarked(value: Any) -> Any:
    """A value without marks for the cache: they move, and the model does not read them."""
    if isinstance(value, Mapping):
        return {key: _unmarked(item) for key, item in value.items() if key not in _CACHE_MARKS}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_unmarked(item) for item in value if not (isinstance(item, Mapping) and set(item) <= _CACHE_MARKS)]
    return value


def _changed(was: str, now: str) -> str:
    before, after = _around(was, now)
    return f"{before} became {after}"


def _around(was: str, now: str) -> tuple[str, str]:
    """Excerpts of both around the first difference."""
    shorter = min(len(was), len(now))
    at = next((place for place in range(shorter) if was[place] != now[place]), shorter)
    start = max(0, at - _AROUND)
    before, after = (text[start : at + _AROUND] for text in (was, now))
    return excerpt(before), excerpt(after)
