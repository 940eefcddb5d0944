"""The check of tool calls and results, by the rules by which providers refuse a request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from snapshot_sdk._fixture_checks_words import Verdict, listing
from snapshot_sdk._fixture_prompt import Prompt, PromptMessage
from snapshot_sdk._fixture_prompt_blocks import Piece

Rule = Literal["next message", "at once", "later"]
"""Where a result must stand. ``next message``: in the very next one (Anthropic, Bedrock, Gemini). ``at once``: in the
messages right behind the call, before any other (OpenAI's chat and the APIs made after it). ``later``: anywhere behind
the call (OpenAI's Responses)."""

_NEXT_MESSAGE: Final = ("anthropic", "bedrock", "gemini", "vertex")
_LATER: Final = ("openai.responses", "responses")


@dataclass
class _Group:
    """A run of messages of one role, which the APIs of ``next message`` merge; else one message."""

    messages: list[PromptMessage] = field(default_factory=list)


def rule_of(prompt: Prompt) -> Rule:
    """Says by which rule a prompt is read: by its dialect, else by the shape of its calls.

    Args:
        prompt: The prompt.
    """
    api = prompt.api or ""
    if api.startswith(_LATER) or (prompt.messages and prompt.messages[0].member == "input"):
        return "later"
    if api.startswith(_NEXT_MESSAGE) or (prompt.messages and prompt.messages[0].member == "contents"):
        return "next message"
    # Results in a user's message: Anthropic's shape, whatever the body is called.
    in_user = any(message.role == "user" and message.results for message in prompt.messages)
    return "next message" if in_user else "at once"


def judge_pairing(prompt: Prompt) -> Verdict:
    """Looks whether every tool result follows its call, and every call has its result.

    Args:
        prompt: The prompt.
    """
    rule = rule_of(prompt)
    faults = [*_twice(prompt.messages)]
    match rule:
        case "next message":
            faults += _in_next(prompt.messages)
        case "at once":
            faults += _at_once(prompt.messages)
        case _:
            faults += _later(prompt.messages)
    if faults:
        return Verdict(False, f"{listing(faults)}; providers refuse such a request")
    count = sum(len(message.calls) for message in prompt.messages)
    return Verdict(True, f"all {count} tool calls have their results" if count else "there are no tool calls")


def _twice(messages: Sequence[PromptMessage]) -> Iterator[str]:
    calls: dict[str, PromptMessage] = {}
    results: dict[str, PromptMessage] = {}
    for message in messages:
        for seen, pieces, what in ((calls, message.calls, "tool call"), (results, message.results, "result of")):
            for piece in pieces:
                if piece.id is None:
                    continue
                if piece.id in seen:
                    yield f"the {what} {piece.id} stands in {seen[piece.id].place} and again in {message.place}"
                seen.setdefault(piece.id, message)


def _in_next(messages: Sequence[PromptMessage]) -> Iterator[str]:
    groups: list[_Group] = []
    for message in messages:
        if groups and groups[-1].messages[-1].role == message.role:
            groups[-1].messages.append(message)
        else:
            groups.append(_Group([message]))
    waiting: list[tuple[Piece, PromptMessage]] = []
    for group in groups:
        results = [(piece, message) for message in group.messages for piece in message.results]
        place = group.messages[0].place
        yield from _settle(waiting, results, f"{place} follows without it")
        waiting = [(piece, message) for message in group.messages for piece in message.calls]
    yield from _settle(waiting, [], "the prompt ends there")


def _at_once(messages: Sequence[PromptMessage]) -> Iterator[str]:
    waiting: list[tuple[Piece, PromptMessage]] = []
    results: list[tuple[Piece, PromptMessage]] = []
    for message in messages:
        if message.results and not message.calls:
            results += [(piece, message) for piece in message.results]
            continue
        yield from _settle(waiting, results, f"{message.place} follows before it")
        waiting, results = [(piece, message) for piece in message.calls], []
    yield from _settle(waiting, results, "the prompt ends there")


def _later(messages: Sequence[PromptMessage]) -> Iterator[str]:
    waiting: list[tuple[Piece, PromptMessage]] = []
    for message in messages:
        for piece in message.results:
            # Ids are the only tie here; a second result of a call is named by its id already.
            made = next((call for call in waiting if _fits(call[0], piece)), None)
            if made is not None:
                waiting.remove(made)
            else:
                yield _orphan(piece, message)
        waiting += [(piece, message) for piece in message.calls]
    yield from _settle(waiting, [], "no message behind it holds it")


def _settle(
    calls: Sequence[tuple[Piece, PromptMessage]], results: Sequence[tuple[Piece, PromptMessage]], follows: str
) -> Iterator[str]:
    """Ties calls to results: by their ids, those without by their names, else by their order."""
    left = list(calls)
    for piece, message in results:
        made = next((call for call in left if _fits(call[0], piece)), None)
        if made is None:
            yield _orphan(piece, message)
        else:
            left.remove(made)
    for piece, message in left:
        yield f"the result of {_named(piece)} is missing: {message.place} calls it, {follows}"


def _fits(call: Piece, result: Piece) -> bool:
    if call.id is not None and result.id is not None:
        return call.id == result.id
    return call.name is None or result.name is None or call.name == result.name


def _orphan(piece: Piece, message: PromptMessage) -> str:
    return f"{message.place} holds the result of {_named(piece)}, but its tool call does not stand right before it"


def _named(piece: Piece) -> str:
    return " ".join(filter(None, (piece.name, piece.id))) or "a tool call"
