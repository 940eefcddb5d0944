"""Finds the messages a span holds, whichever convention wrote them, and says which of them it lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from snapshot_sdk.adapters._span_messages import Message, chat_messages, openinference_messages
from snapshot_sdk.adapters._span_values import REDACTED, get, items, load

SpanEvent = tuple[str, Mapping[str, Any]]
"""Name and attributes of an event of a span."""

EARLIER: Final = "earlier messages"
"""Missing where the first messages of a list are gone: Python's tracing drops the oldest attributes first."""

BETWEEN: Final = "messages"
"""Missing where messages inside a list are gone."""

LATER: Final = "later messages"
"""Missing where a list breaks off."""

CONTENTS: Final = "message contents"
"""Missing where a message is there and what it said is not: some instrumentations keep no content of several parts."""

_CHOICE: Final = "gen_ai.choice"
_EVENT_ROLES: Final = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool", "developer")}


class Found(NamedTuple):
    """Messages of one direction."""

    messages: list[Message]
    reasons: list[str | None]
    """Why the answer ended, for each of the messages of an answer."""
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    numbered: bool = False
    """Each message is some attributes of its own, of which any may have been dropped."""


NOTHING: Final = Found([], [])


def prompt_of(attributes: Mapping[str, Any], events: Sequence[SpanEvent]) -> Found:
    """Returns the messages of the request, from the first convention that has any.

    Args:
        attributes: The span's.
        events: Its events, in order.
    """
    told = (
        _listed(attributes, "gen_ai.input.messages"),
        _openinference(attributes, "llm.input_messages"),
        _numbered(attributes, "gen_ai.prompt"),
        _numbered(attributes, "llm.prompts"),
        _of_events(events, answers=False),
        _listed(attributes, "ai.prompt.messages"),
        _listed(attributes, "gen_ai.prompt"),
    )
    found = next((one for one in told if one.messages), NOTHING)
    hollow = sum(message["role"] != "assistant" and message["content"] is None for message in found.messages)
    if hollow:
        said = f"{hollow} message(s) came into the span without what they say"
        found = found._replace(missing=(*found.missing, CONTENTS), problems=(*found.problems, said))
    system = _system(attributes)
    if system and not any(message["role"] in ("system", "developer") for message in found.messages):
        found = found._replace(messages=[*system, *found.messages])
    return found


def answer_of(attributes: Mapping[str, Any], events: Sequence[SpanEvent]) -> Found:
    """Returns the messages of the answer, with the reasons why they ended.

    Args:
        attributes: The span's.
        events: Its events, in order.
    """
    told = (
        _listed(attributes, "gen_ai.output.messages", "assistant"),
        _openinference(attributes, "llm.output_messages"),
        _numbered(attributes, "gen_ai.completion", "assistant"),
        _numbered(attributes, "llm.completions", "assistant"),
        _of_events(events, answers=True),
        _vercel_answer(attributes),
        _listed(attributes, "gen_ai.completion", "assistant"),
    )
    return next((one for one in told if one.messages), NOTHING)


def _system(attributes: Mapping[str, Any]) -> list[Message]:
    told = load(get(attributes, "gen_ai.system_instructions")).value
    if told is None or told == REDACTED:
        return []
    return chat_messages({"role": "system", "content": told})


def _listed(attributes: Mapping[str, Any], path: str, role: str = "user") -> Found:
    """Messages in one attribute: a list, its JSON, or a text."""
    told = get(attributes, path)
    loaded = load(told)
    value = get(loaded.value, "messages") or loaded.value
    if value is None or value == REDACTED:
        return NOTHING
    listed = value if isinstance(value, list | tuple) else [value]
    found = _collect(((index, load(message).value) for index, message in enumerate(listed)), role)
    if loaded.cut:
        said = f"`{path}` breaks off after {len(found.messages)} whole messages: a limit of length applied"
        return found._replace(missing=(LATER,), problems=(said,))
    return found


def _openinference(attributes: Mapping[str, Any], path: str) -> Found:
    told = items(attributes, path)
    messages: list[Message] = []
    reasons: list[str | None] = []
    for index, message in told:
        read = openinference_messages([(index, message)])
        messages += read
        reasons += [_reason(attributes, message, index)] * len(read)
    return _with_gaps(Found(messages, reasons, numbered=get(attributes, path) is None), told, path, "message.role")


def _numbered(attributes: Mapping[str, Any], path: str, role: str = "user") -> Found:
    """OpenLLMetry's ``gen_ai.prompt.0.content``; what is no message (``prompt_filter_results``) is passed over."""
    told = [
        (index, message)
        for index, message in items({k: v for k, v in attributes.items() if k != path}, path)
        if isinstance(message, Mapping) and message.keys() - {"finish_reason"}
    ]
    return _with_gaps(_collect(told, role)._replace(numbered=True), told, path, "role")


def _collect(told: Iterable[tuple[int, Any]], role: str) -> Found:
    messages: list[Message] = []
    reasons: list[str | None] = []
    for _, message in told:
        read = chat_messages(message, role)
        reason = get(message, "finish_reason")
        messages += read
        reasons += [reason if isinstance(reason, str) and reason else None] * len(read)
    return Found(messages, reasons)


def _with_gaps(found: Found, told: Sequence[tuple[int, Any]], path: str, role: str) -> Found:
    """Says which messages of a numbered list are gone, wholly or in part."""
    if not told:
        return found
    indexes = [index for index, _ in told]
    missing: list[str] = []
    problems: list[str] = []
    first_torn = isinstance(told[0][1], Mapping) and get(told[0][1], role) is None and len(told) > 1
    if indexes[0] > 0 or (first_torn and found.numbered):
        missing.append(EARLIER)
        problems.append(f"`{path}` begins with message {indexes[0]}{', torn' if first_torn else ''}: "
                        "the attributes before it were dropped")  # fmt: skip
    if indexes[-1] - indexes[0] + 1 > len(indexes):
        missing.append(BETWEEN)
        problems.append(f"`{path}` has {len(indexes)} of {indexes[-1] - indexes[0] + 1} messages")
    return found._replace(missing=tuple(missing), problems=tuple(problems))


def _of_events(events: Sequence[SpanEvent], *, answers: bool) -> Found:
    """Messages told by events: one each, or all in one."""
    told: list[tuple[int, Any]] = []
    role, whole = ("assistant", "completion") if answers else ("user", "prompt")
    for name, attributes in events:
        if name == f"gen_ai.content.{whole}":
            listed = _listed(attributes, f"gen_ai.{whole}", role)
            if listed.messages:
                return listed
        elif name == _CHOICE and answers:
            told.append((len(told), _choice(_event_body(attributes))))
        elif name in _EVENT_ROLES and not answers:
            told.append((len(told), {"role": _EVENT_ROLES[name], **_event_body(attributes)}))
    return _collect(told, role)


def _event_body(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """What an event says, as attributes, or as JSON in one of them (Azure, Strands, pydantic-ai)."""
    whole = load(get(attributes, "gen_ai.event.content", "event_body", "body")).value
    body = dict(whole) if isinstance(whole, Mapping) else {}
    for name, value in attributes.items():
        if not name.startswith(("gen_ai.", "event")):
            body[name] = load(value).value if name in ("message", "tool_calls") else value
    return body


def _choice(body: Mapping[str, Any]) -> dict[str, Any]:
    message = body.get("message")
    inner = dict(message) if isinstance(message, Mapping) else {"content": body.get("content", message)}
    if "tool_calls" in body and "tool_calls" not in inner:
        inner["tool_calls"] = body["tool_calls"]
    return {"role": "assistant", **inner, "finish_reason": body.get("finish_reason")}


def _vercel_answer(attributes: Mapping[str, Any]) -> Found:
    said = get(attributes, "ai.response.text")
    calls = load(get(attributes, "ai.response.toolCalls")).value
    blocks = [
        {"type": "tool-call", **call} if isinstance(call, Mapping) else call
        for call in (calls if isinstance(calls, list | tuple) else ())
    ]
    if not said and not blocks:
        return NOTHING
    reason = get(attributes, "ai.response.finishReason")
    message = {"content": [*([said] if said else []), *blocks], "finish_reason": reason}
    return _collect([(0, message)], "assistant")


def _reason(attributes: Mapping[str, Any], message: Any, index: int) -> str | None:
    reason = get(message, "message.finish_reason") or get(attributes, "llm.finish_reason")
    return reason if isinstance(reason, str) else None
