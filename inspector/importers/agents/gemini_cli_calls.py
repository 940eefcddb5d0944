"""Rebuilds the requests of Gemini CLI, as bodies of ``generateContent``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedCompaction, ImportedRecord
from inspector.importers.reading.moments import milliseconds, moment

Content = dict[str, Any]

API: Final = "gemini.generate_content"

MISSING: Final = ("system", "tools", "parameters")
"""What neither form holds."""

SESSION_MISSING: Final = (*MISSING, "session context")
"""Saved sessions also lack the opening message about the workspace: they are the log of what was shown."""

SNAPSHOT: Final = "<state_snapshot>"
"""How the summary begins that a compression puts in the place of the history."""

OPENING: Final = ("<session_context>", "This is the Gemini CLI.")
"""How the message about the workspace begins that opens every conversation."""

ACKNOWLEDGED: Final = "Got it. Thanks for the additional context!"
"""What Gemini CLI itself answers to a summary, in the model's name."""

_USAGE: Final = {
    "input": "promptTokenCount",
    "output": "candidatesTokenCount",
    "cached": "cachedContentTokenCount",
    "thoughts": "thoughtsTokenCount",
    "tool": "toolUsePromptTokenCount",
    "total": "totalTokenCount",
}
"""The API's names of a session's token counts; ``input`` includes what was cached."""


def calls_of_session(messages: Sequence[Any]) -> Iterator[ImportedCall]:
    """Make a call of each answer in a saved session: what was said before it is its prompt."""
    contents: list[Content] = []
    turn = 0
    last: datetime | None = None
    for message in messages:
        if not isinstance(message, dict):
            continue
        time = moment(message.get("timestamp"))
        if message.get("type") == "user":
            turn += 1
            _add(contents, {"role": "user", "parts": _parts(message.get("content"))})
        elif message.get("type") == "gemini":
            answer = _answer(message)
            yield _session_call(message, contents, answer, turn or None, last, time)
            if answer["parts"]:
                _add(contents, answer)
            results = _results(message)
            if results:
                _add(contents, {"role": "user", "parts": results})
        else:
            continue  # shown to the user only
        last = time or last


def _session_call(
    message: Mapping[str, Any],
    contents: list[Content],
    answer: Content,
    turn: int | None,
    sent: datetime | None,
    ended: datetime | None,
) -> ImportedCall:
    model = message.get("model")
    body: dict[str, Any] = {"candidates": [{"content": {**answer, "parts": [*_thoughts(message), *answer["parts"]]}}]}
    usage = _usage(message.get("tokens"))
    return ImportedCall(
        request={**({"model": model} if isinstance(model, str) else {}), "contents": list(contents)},
        exact="rebuilt",
        missing=SESSION_MISSING,
        api=API,
        turn=turn,
        time=sent or ended,
        answer=ImportedAnswer(
            {**body, "usageMetadata": usage} if usage else body,
            time=ended,
            duration_ms=milliseconds(sent, ended),
        ),
    )


def calls_of_contents(contents: Sequence[Content]) -> Iterator[ImportedRecord]:
    """Make a call of each turn of the model in a list of contents: those before it are its prompt."""
    turn = 0
    begin = _after_snapshot(contents)
    if begin:
        yield ImportedCompaction(strategy="summary", after=contents[:begin], policy="compress")
    for place, content in enumerate(contents):
        if content["role"] == "user":
            turn += place >= begin and _is_prompt(content)
        elif place >= begin:
            yield ImportedCall(
                request={"contents": list(contents[:place])},
                exact="rebuilt",
                missing=(*MISSING, "model"),
                api=API,
                turn=turn or None,
                answer=ImportedAnswer({"candidates": [{"content": content}]}),
            )


def _is_prompt(content: Content) -> bool:
    """Say whether a content of the user's role is what the user wrote, and not a result or the opening."""
    if any("functionResponse" in part for part in content["parts"] if isinstance(part, dict)):
        return False
    return not _text(content).lstrip().startswith(OPENING)


def _after_snapshot(contents: Sequence[Content]) -> int:
    """Count the contents up to a summary and the canned answer to it; 0: there is no summary."""
    for place, content in enumerate(contents):
        if content["role"] == "user" and _text(content).lstrip().startswith(SNAPSHOT):
            answered = place + 1 < len(contents) and _text(contents[place + 1]) == ACKNOWLEDGED
            return place + 2 if answered else place + 1
    return 0


def _text(content: Content) -> str:
    return "".join(str(part.get("text", "")) for part in content["parts"] if isinstance(part, dict))


def _add(contents: list[Content], content: Content) -> None:
    """Append a content; a following one of the user's role is one with it, as the API wants turns to alternate."""
    if contents and contents[-1]["role"] == content["role"]:
        contents[-1] = {**contents[-1], "parts": [*contents[-1]["parts"], *content["parts"]]}
    else:
        contents.append(content)


def _parts(content: Any) -> list[Any]:
    if isinstance(content, list):
        return [{"text": part} if isinstance(part, str) else part for part in content]
    return [{"text": content}] if isinstance(content, str) and content else []


def _answer(message: Mapping[str, Any]) -> Content:
    calls = [
        {"functionCall": {key: call[key] for key in ("id", "name", "args") if key in call}}
        for call in _tool_calls(message)
    ]
    return {"role": "model", "parts": [*_parts(message.get("content")), *calls]}


def _results(message: Mapping[str, Any]) -> list[Any]:
    """Give the results of an answer's tools, which stand with the call in the log."""
    return [part for call in _tool_calls(message) for part in _parts(call.get("result"))]


def _thoughts(message: Mapping[str, Any]) -> list[Any]:
    thoughts = message.get("thoughts")
    said = [thought for thought in thoughts if isinstance(thought, dict)] if isinstance(thoughts, list) else []
    return [{"text": f"**{one.get('subject')}**\n{one.get('description')}", "thought": True} for one in said]


def _tool_calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = message.get("toolCalls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def _usage(tokens: Any) -> dict[str, Any] | None:
    """Give the counts; all zero means that none were reported."""
    if not isinstance(tokens, dict) or not any(tokens.get(own) for own in _USAGE):
        return None
    return {name: tokens[own] for own, name in _USAGE.items() if own in tokens}
