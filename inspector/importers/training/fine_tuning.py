"""Fine-tuning data: OpenAI's (supervised, preference, reinforcement) and TRL's (prompt and completion, DPO, KTO)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.importers.base import ImportedSession, Report
from inspector.importers.reading.documents import Document
from inspector.importers.training.training_rows import Message, Row, read_rows

_EXPECTED: Final = "row of fine-tuning data (`messages` that end with an answer, or `prompt`/`input` beside answers)"

_CHOSEN: Final = ("preferred_output", "chosen", "completion")
_REJECTED: Final = ("non_preferred_output", "rejected")

_REQUEST_MEMBERS: Final = frozenset({"model", "request", "max_tokens", "response", "choices", "trajectory", "info"})
"""A row has none of these: what has them is a request, or another program's record."""

_TRAINING: Final = frozenset({"weight", "loss_weight"})
"""Members of messages that steer training and are never sent."""

_PARAMETERS: Final = ("parallel_tool_calls", "functions")
"""Members of a row that are parameters of the request."""


class FineTuning:
    """One row is one session."""

    name = "fine-tuning"
    title = (
        "fine-tuning data: rows with `messages` that end with the assistant's, `input` with `preferred_output`, or "
        "`prompt` with `completion` or `chosen`"
    )

    def recognises(self, sample: Any) -> bool:
        """Look for a row in the value or in the first items of an array; the first may be damaged."""
        return any(_read_row(item) is not None for item in (sample[:10] if isinstance(sample, list) else [sample]))

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each row into a session."""
        yield from read_rows(self.name, _EXPECTED, _read_any_row, documents, report)


def _read_row(value: Any) -> Row | None:
    """Read a row that is one for certain: a prompt beside its answers, or a conversation that ends with one."""
    if not isinstance(value, dict) or _REQUEST_MEMBERS & value.keys():
        return None
    chosen, rejected = _first(value, _CHOSEN), _first(value, _REJECTED)
    if chosen is not None or rejected is not None:
        return _preference(value, chosen, rejected)
    messages = _conversation(value.get("messages"))
    return _row(value, messages) if messages and messages[-1]["role"] == "assistant" else None


def _read_any_row(value: Any) -> Row | None:
    """Read a row; among others one may end without an answer (reinforcement: a grader judges what comes)."""
    row = _read_row(value)
    if row is not None or not isinstance(value, dict):
        return row
    messages = _conversation(value.get("messages"))
    return _row(value, messages) if messages else None


def _preference(value: Mapping[str, Any], chosen: Any, rejected: Any) -> Row | None:
    """Read a prompt with its answers. Where there is no prompt both answers hold it: it is how they begin alike."""
    asked = value.get("input", value.get("prompt"))
    outer = asked if isinstance(asked, dict) else value
    better, worse = _answer(chosen), _answer(rejected)
    if better is None or worse is None:
        return None
    if asked is None:
        if not (better and worse):
            return None
        alike = next((place for place, pair in enumerate(zip(better, worse, strict=False)) if pair[0] != pair[1]), 0)
        return _row(value, better[:alike], better[alike:], worse[alike:]) if alike else None
    texts = isinstance(asked, str)
    prompt = [{"role": "user", "content": asked}] if texts else _conversation(_listed(asked))
    return _row(outer, prompt, better, worse, wire_form=not texts) if prompt else None


def _row(
    outer: Mapping[str, Any],
    messages: list[Message],
    chosen: Sequence[Message] = (),
    rejected: Sequence[Message] = (),
    *,
    wire_form: bool = True,
) -> Row:
    tools = outer.get("tools")
    parameters = {name: outer[name] for name in _PARAMETERS if name in outer}
    listed = tools if isinstance(tools, list) else []
    return Row(messages, list(chosen), list(rejected), listed, parameters, wire_form)


def _listed(asked: Any) -> Any:
    return asked.get("messages") if isinstance(asked, dict) else asked


def _answer(told: Any) -> list[Message] | None:
    """Read an answer: messages, a message, or its text; None: it is no answer."""
    if told is None:
        return []
    if isinstance(told, str):
        return [{"role": "assistant", "content": told}]
    return _conversation([told] if isinstance(told, dict) else told)


def _conversation(told: Any) -> list[Message] | None:
    """Read messages; None where they are none."""
    if not isinstance(told, list) or not all(isinstance(message, dict) and message.get("role") for message in told):
        return None
    return [
        {name: _content(part) if name == "content" else part for name, part in message.items() if name not in _TRAINING}
        for message in told
    ]


def _content(content: Any) -> Any:
    """Read content; LLaMA-Factory's blocks have their text in ``value``."""
    if not isinstance(content, list):
        return content
    return [
        {"type": "text", "text": block["value"]}
        if isinstance(block, dict) and isinstance(block.get("value"), str) and "text" not in block
        else block
        for block in content
    ]


def _first(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)
