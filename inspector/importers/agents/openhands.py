"""OpenHands completion logs: a folder of JSON files, one per call, as its LLM layer writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedSession, Report, reporting
from inspector.importers.exchanges.exchange import CLIENT_OPTIONS
from inspector.importers.reading.documents import Document, digest_of
from inspector.importers.reading.values import as_object
from snapshot_sdk.canonical import content_hash

_FILE_NAME: Final = re.compile(r"(?P<model>.+)-\d+(\.\d+)?\.json")
"""``<model, / written as __>-<unix time>.json``."""


@dataclass(frozen=True)
class _Entry:
    """What is kept of a log while its folder is put in order."""

    document: Document
    time: float
    opening: tuple[str, ...]
    """Content hashes of the messages before the first answer."""
    messages: int
    window: int | None
    repairs: tuple[str, ...]


class OpenHands:
    """The logs of a folder, by time; those of one conversation are one session."""

    name = "openhands"
    title = "OpenHands completion log: an object with `messages`, `response` and `kwargs` (or `args`)"

    def recognises(self, sample: Any) -> bool:
        """Look for the three members that every version of the log has."""
        if not isinstance(sample, dict) or not isinstance(sample.get("messages"), list):
            return False
        return isinstance(sample.get("response"), dict) and ("kwargs" in sample or "args" in sample)

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Order the logs by their time and split them into conversations."""
        entries = []
        for document in documents:
            with reporting(document.path, report):
                entries.append(_entry(document))
        entries.sort(key=lambda entry: (entry.time, entry.document.path.name))
        conversations = _conversations(entries)
        for number, conversation in enumerate(conversations, start=1):
            folder = conversation[0].document.path.resolve().parent.name or "openhands"
            yield ImportedSession(
                session=folder if len(conversations) == 1 else f"{folder}-{number}",
                format=self.name,
                source=folder,
                digest=digest_of(entry.document.digest for entry in conversation),
                calls=lambda conversation=conversation: map(_call, conversation),  # type: ignore[misc]
                agent="OpenHands",
                window=next((entry.window for entry in conversation if entry.window), None),
                repairs=tuple(f"{e.document.path.name}: {r}" for e in conversation for r in e.repairs),
                meta={"files": [entry.document.path.name for entry in conversation]},
            )


def _conversations(entries: Sequence[_Entry]) -> list[list[_Entry]]:
    """Split logs, ordered by time, into conversations.

    A conversation keeps its opening (all before the first answer) from call to call, also when OpenHands
    condenses what follows. A call that is only an opening begins a new one, unless it repeats the call before.
    """
    conversations: list[list[_Entry]] = []
    current: dict[tuple[str, ...], list[_Entry]] = {}
    for entry in entries:
        known = current.get(entry.opening)
        begins_anew = entry.messages == len(entry.opening) and known is not None and known[-1].messages > entry.messages
        if known is None or begins_anew:
            known = current[entry.opening] = []
            conversations.append(known)
        known.append(entry)
    return conversations


def _entry(document: Document) -> _Entry:
    parsed = document.whole()
    log: Mapping[str, Any] = parsed.value
    messages = [message for message in log["messages"] if isinstance(message, dict)]
    answered = next((i for i, message in enumerate(messages) if message.get("role") == "assistant"), len(messages))
    window = log.get("context_window")
    return _Entry(
        document=document,
        time=_seconds(log.get("timestamp")) or 0.0,
        opening=tuple(content_hash(message) for message in messages[:answered]),
        messages=len(messages),
        window=window if type(window) is int and window > 0 else None,
        repairs=parsed.repairs,
    )


def _call(entry: _Entry) -> ImportedCall:
    """Put the body together as it was sent: ``messages`` (never ``raw_messages``) and the arguments of the call."""
    log: Mapping[str, Any] = entry.document.whole().value
    arguments = {key: value for key, value in as_object(log.get("kwargs")).items() if key not in CLIENT_OPTIONS}
    # The client merges `extra_body` into the body; it never stands there under that name.
    arguments = {**as_object(arguments.pop("extra_body", None)), **arguments}
    model = arguments.pop("model", None) or _model_of(entry.document.path, log)
    request: dict[str, Any] = {} if model is None else {"model": model}
    request |= {"messages": log["messages"], **{k: v for k, v in arguments.items() if k != "messages"}}
    logged = _seconds(log.get("timestamp"))
    took = _seconds(log.get("latency_sec"))
    answered = datetime.fromtimestamp(logged, UTC) if logged is not None else None
    return ImportedCall(
        request=request,
        missing=() if model is not None else ("model",),
        api="openai.chat",
        # The log is written, and stamped, when the answer is there.
        time=answered - timedelta(seconds=took or 0.0) if answered is not None else None,
        answer=ImportedAnswer(
            body=_answer_of(log), time=answered, duration_ms=took * 1000.0 if took is not None else None
        ),
    )


def _answer_of(log: Mapping[str, Any]) -> dict[str, Any]:
    """Take what the provider answered.

    Where OpenHands emulates tool calls in text, ``response`` is its own conversion and ``raw_response`` the
    answer; ``usage`` stands in either. A raw answer whose tool calls were lost in the log (``[{}]``) is passed
    over for the conversion.
    """
    response, raw = as_object(log.get("response")), as_object(log.get("raw_response"))
    choices = raw.get("choices")
    if isinstance(choices, list) and choices and all(_is_whole(choice) for choice in choices):
        return {**response, **raw}
    return dict(response)


def _is_whole(choice: Any) -> bool:
    message = as_object(as_object(choice).get("message"))
    return bool(message) and all(isinstance(call, dict) and call for call in message.get("tool_calls") or ())


def _model_of(path: Path, log: Mapping[str, Any]) -> str | None:
    """Name the model by the file's name (``/`` is written ``__`` there), else by the answer."""
    match = _FILE_NAME.fullmatch(path.name)
    if match:
        return match["model"].replace("__", "/")
    model = as_object(log.get("response")).get("model")
    return model if isinstance(model, str) else None


def _seconds(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None
