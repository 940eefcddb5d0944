"""Codex rollouts: JSONL of what a session sent and got, rebuilt call by call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.importers.agents.codex_calls import Rollout, is_output, last_usage
from inspector.importers.base import ImportedRecord, ImportedSession, Problem, Report, reporting
from inspector.importers.reading.documents import Document
from inspector.importers.reading.records import read_values, survey

_TYPES: Final = frozenset(
    {
        "compacted", "event_msg", "inter_agent_communication_metadata", "response_item", "session_meta",
        "turn_context", "world_state",
    }
)  # fmt: skip


def is_line(value: Any) -> bool:
    """Say whether an object is a line of a rollout, and not a part of one."""
    return isinstance(value, dict) and value.get("type") in _TYPES and isinstance(value.get("payload"), dict)


@dataclass
class _Survey:
    """What is known of a rollout after it was read once."""

    meta: Mapping[str, Any] | None = None
    """Of the session itself; those after it belong to a session it was forked from."""
    metas: int = 0
    window: int | None = None
    answers: bool = False
    """An answer of the model stands in it: there is a call to rebuild."""
    counted: bool = False
    """The tokens of each answer are reported."""


class Codex:
    """One rollout is one session."""

    name = "codex"
    title = "Codex rollout: JSONL of objects with `timestamp`, `type` and `payload`, the first a `session_meta`"

    def recognises(self, sample: Any) -> bool:
        """Look for a line of a rollout."""
        return is_line(sample) and "timestamp" in sample

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each rollout into a session; one without an answer has no call to show."""
        for document in documents:
            repairs: list[str] = []
            with reporting(document.path, report):
                found = _survey(document, report, repairs)
                if not found.answers:
                    reason = (
                        "a Codex rollout without any answer of the model (`response_item`): no request can be rebuilt"
                    )
                    report(Problem(str(document.path), reason))
                    continue
                if found.metas > 1:
                    repairs.append(f"{found.metas} `session_meta` lines: the first is the session's own")
                meta = found.meta or {}
                yield ImportedSession(
                    session=str(meta.get("id") or meta.get("session_id") or document.path.stem),
                    format=self.name,
                    source=document.path.name,
                    digest=document.digest,
                    logs=(document,),
                    calls=lambda document=document, found=found: _records(document, found),  # type: ignore[misc]
                    agent="Codex",
                    window=found.window,
                    repairs=tuple(repairs),
                    meta={key: meta[key] for key in ("cli_version", "forked_from_id", "source") if meta.get(key)},
                    one_lane=True,
                )


def _survey(document: Document, report: Report, repairs: list[str]) -> _Survey:
    found = _Survey()
    for _, line in survey(document.path, is_line, "line of a rollout", report, repairs):
        kind, payload = line["type"], line["payload"]
        if kind == "session_meta":
            found.metas += 1
            found.meta = found.meta or payload
        elif kind == "response_item":
            found.answers |= is_output(payload)
        elif kind == "event_msg":
            info = payload.get("info")
            window = info.get("model_context_window") if isinstance(info, dict) else None
            found.window = window if isinstance(window, int) and window > 0 else found.window
            found.counted |= last_usage(payload) is not None
    return found


def _records(document: Document, found: _Survey) -> Iterator[ImportedRecord]:
    rollout = Rollout(found.meta or {}, counted=found.counted)
    for _, line in read_values(document.path, is_line):
        yield from rollout.feed(line)
    yield from rollout.finish()
