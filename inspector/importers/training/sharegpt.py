"""ShareGPT and Alpaca data sets, as LLaMA-Factory and others read them: chats, calls of tools, preferences, KTO."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.importers.base import ImportedSession, Report
from inspector.importers.reading.documents import Document
from inspector.importers.reading.values import spaced, tool_call
from inspector.importers.training.training_rows import Message, Row, read_rows

_CONVERSATIONS: Final = ("conversations", "conversation", "items")

_ROLES: Final = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "model": "assistant",
    "system": "system",
    "function_call": "assistant",
    "observation": "tool",
    "tool": "tool",
    "function_response": "tool",
}
"""``from`` of a message → role."""

_EXPECTED: Final = "row of ShareGPT (`conversations` of `from` and `value`) or Alpaca (`instruction`, `output`)"


class ShareGPT:
    """One row is one session."""

    name = "sharegpt"
    title = (
        "ShareGPT or Alpaca data set: rows with `conversations` of `from` and `value` (also `chosen`, `rejected`, "
        "`tools`), or with `instruction` and `output`"
    )

    def recognises(self, sample: Any) -> bool:
        """Look for a row in the value or in the first items of an array; the first may be damaged."""
        return any(_read_row(item) is not None for item in (sample[:10] if isinstance(sample, list) else [sample]))

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each row into a session."""
        yield from read_rows(self.name, _EXPECTED, _read_row, documents, report)


def _read_row(value: Any) -> Row | None:
    if not isinstance(value, dict):
        return None
    listed = next((value[name] for name in _CONVERSATIONS if isinstance(value.get(name), list)), None)
    if listed is not None:
        return _sharegpt(value, listed)
    answers = any(isinstance(value.get(name), str) for name in ("output", "chosen", "rejected"))
    return _alpaca(value) if answers and isinstance(value.get("instruction"), str) else None


def _sharegpt(row: Mapping[str, Any], listed: Sequence[Any]) -> Row | None:
    reader = _Reader()
    for said in listed:
        if not reader.take(said):
            return None
    chosen, rejected = (reader.answer(row.get(name)) for name in ("chosen", "rejected"))
    messages = reader.messages
    if isinstance(row.get("system"), str) and row["system"] and not (messages and messages[0]["role"] == "system"):
        messages = [{"role": "system", "content": row["system"]}, *messages]
    if not messages:
        return None
    return Row(messages, chosen, rejected, _tools(row.get("tools")))


class _Reader:
    """Turns ``from`` and ``value`` into messages; calls of tools get ids, which ShareGPT has none of."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._calls = 0
        self._open: list[str] = []
        """Ids of calls whose results have not come."""

    def take(self, said: Any) -> bool:
        """Take the next message; False: it is none."""
        message = self._message(said)
        if message is not None:
            self.messages.append(message)
        return message is not None

    def answer(self, said: Any) -> list[Message]:
        """Read an answer that stands apart."""
        message = self._message(said) if said is not None else None
        return [message] if message is not None else []

    def _message(self, said: Any) -> Message | None:
        if not isinstance(said, dict) or not isinstance(said.get("value"), str):
            return None
        speaker, value = said.get("from"), said["value"]
        role = _ROLES.get(str(speaker))
        if role is None:
            return None
        if speaker == "function_call" and (calls := self._tool_calls(value)):
            return {"role": role, "content": None, "tool_calls": calls}
        if role == "tool" and self._open:
            return {"role": role, "tool_call_id": self._open.pop(0), "content": value}
        return {"role": role, "content": value}

    def _tool_calls(self, value: str) -> list[dict[str, Any]]:
        """Read one call, or a list of them; none where it is other text."""
        try:
            told = json.loads(value)
        except (ValueError, RecursionError):
            return []
        calls: list[dict[str, Any]] = []
        for call in told if isinstance(told, list) else [told]:
            if not isinstance(call, dict) or not isinstance(call.get("name"), str):
                return []
            self._calls += 1
            identity = f"call_{self._calls}"
            arguments = call.get("arguments", {})
            text = arguments if isinstance(arguments, str) else spaced(arguments)
            calls.append(tool_call(identity, call["name"], text))
        self._open = [call["id"] for call in calls]
        return calls


def _tools(told: Any) -> list[Any]:
    """Read definitions, which are JSON inside a string; flat ones get OpenAI's shape."""
    if isinstance(told, str):
        try:
            told = json.loads(told)
        except (ValueError, RecursionError):
            return []
    listed = told if isinstance(told, list) else []
    return [
        {"type": "function", "function": tool} if isinstance(tool, dict) and "function" not in tool else tool
        for tool in listed
    ]


def _alpaca(row: Mapping[str, Any]) -> Row:
    """Join instruction and input by a line, as LLaMA-Factory does; Stanford's template around them is not in a row."""
    messages: list[Message] = []
    if isinstance(row.get("system"), str) and row["system"]:
        messages.append({"role": "system", "content": row["system"]})
    for pair in row["history"] if isinstance(row.get("history"), list) else []:
        if isinstance(pair, list) and len(pair) == 2:
            messages += [{"role": "user", "content": str(pair[0])}, {"role": "assistant", "content": str(pair[1])}]
    query = "\n".join(part for part in (row["instruction"], row.get("input")) if isinstance(part, str) and part)
    messages.append({"role": "user", "content": query})
    output, chosen, rejected = (_said(row.get(name)) for name in ("output", "chosen", "rejected"))
    return Row(messages, chosen or output, rejected, wire_form=False)


def _said(text: Any) -> list[Message]:
    return [{"role": "assistant", "content": text}] if isinstance(text, str) else []
