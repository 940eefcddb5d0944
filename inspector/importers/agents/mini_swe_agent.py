"""mini-swe-agent trajectories: one list of messages, of which every request is a beginning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedSession, Problem, Report, reporting
from inspector.importers.exchanges.exchange import CLIENT_OPTIONS
from inspector.importers.reading.documents import Document
from inspector.importers.reading.moments import milliseconds, moment
from inspector.importers.reading.values import as_object

_OWN: Final = frozenset({"extra", "timestamp", "cost"})
"""Members of messages that mini-swe-agent keeps for itself."""

_NOT_SENT: Final = "exit"
"""Role of the message that says how the run ended."""


class MiniSweAgent:
    """One trajectory is one session, one answer a call."""

    name = "mini-swe-agent"
    title = 'mini-swe-agent trajectory: an object with `trajectory_format` "mini-swe-agent-…", or `messages` and `info`'

    def recognises(self, sample: Any) -> bool:
        """Look for the format's name; before there was one, for the members and the version."""
        if not isinstance(sample, dict) or not isinstance(sample.get("messages"), list):
            return False
        if str(sample.get("trajectory_format", "")).startswith("mini-swe-agent"):
            return True
        return "mini_version" in as_object(sample.get("info"))

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each trajectory into a session."""
        for document in documents:
            with reporting(document.path, report):
                parsed = document.whole()
                run: Mapping[str, Any] = parsed.value
                messages = _messages(document, run["messages"], report)
                model = as_object(as_object(as_object(run.get("info")).get("config")).get("model"))
                yield ImportedSession(
                    session=str(
                        run.get("instance_id") or document.path.name.removesuffix(".json").removesuffix(".traj")
                    ),
                    format=self.name,
                    source=document.path.name,
                    digest=document.digest,
                    calls=lambda messages=messages, model=model: _calls(messages, model),  # type: ignore[misc]
                    agent="mini-swe-agent",
                    repairs=parsed.repairs,
                    meta=_meta(as_object(run.get("info"))),
                )


def _messages(document: Document, items: Sequence[Any], report: Report) -> list[Mapping[str, Any]]:
    messages: list[Mapping[str, Any]] = [item for item in items if isinstance(item, dict) and "role" in item]
    if len(messages) < len(items):
        report(Problem(str(document.path), f"{len(items) - len(messages)} item(s) of `messages` have no role"))
    return messages


def _calls(messages: Sequence[Mapping[str, Any]], model: Mapping[str, Any]) -> Iterator[ImportedCall]:
    """Make a call of each answer: its prompt is every message before it."""
    arguments = {key: value for key, value in as_object(model.get("model_kwargs")).items() if key not in CLIENT_OPTIONS}
    name = model.get("model_name")
    with_tools = any(message.get("tool_calls") for message in messages)
    sent: list[dict[str, Any]] = []
    last: datetime | None = None
    for message in messages:
        as_sent = {key: value for key, value in message.items() if key not in _OWN}
        extra = as_object(message.get("extra"))
        time = moment(extra.get("timestamp", message.get("timestamp")))
        if message["role"] == "assistant":
            response = as_object(extra.get("response"))
            begun = last or moment(response.get("created"))
            yield ImportedCall(
                request={**({"model": name} if isinstance(name, str) else {}), "messages": list(sent), **arguments},
                exact="rebuilt" if with_tools or not isinstance(name, str) else "imported",
                missing=(("tools",) if with_tools else ()) + (() if isinstance(name, str) else ("model", "parameters")),
                api="openai.chat",
                time=begun,
                answer=ImportedAnswer(
                    body=response or None,
                    messages=() if response else (as_sent,),
                    time=time,
                    duration_ms=milliseconds(begun, time),
                ),
            )
        if message["role"] != _NOT_SENT:
            sent.append(as_sent)
        last = time


def _meta(info: Mapping[str, Any]) -> dict[str, Any]:
    names = ("exit_status", "model_stats", "mini_version")
    return {name: info[name] for name in names if info.get(name) is not None}
