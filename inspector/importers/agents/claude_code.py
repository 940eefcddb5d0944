"""Claude Code transcripts: the JSONL of a session, with its sub-agents, rebuilt call by call."""

from __future__ import annotations

import heapq
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from inspector.importers.agents.claude_code_calls import Lane
from inspector.importers.agents.claude_code_lanes import SubAgents, sub_agent
from inspector.importers.base import ImportedRecord, ImportedSession, Problem, Report, reporting
from inspector.importers.reading.documents import Document, digest_of
from inspector.importers.reading.moments import moment
from inspector.importers.reading.records import read_values, survey

_IN_TREE: Final = frozenset({"user", "assistant", "system", "progress", "attachment"})
"""Types of records that have a place in the tree of the conversation."""

_BESIDE: Final = frozenset(
    {
        "ai-title", "agent-name", "custom-title", "file-history-snapshot", "last-prompt", "mode", "permission-mode",
        "pr-link", "queue-operation", "summary", "tag",
    }
)  # fmt: skip
"""Types of records beside the conversation; newer versions have more, so others pass for one too."""

_SUBAGENTS: Final = "subagents"
"""Folder, beside a transcript and in one named like it, of the transcripts of its sub-agents."""

_UNKNOWN: Final = datetime.min.replace(tzinfo=UTC)


def is_record(value: Any) -> bool:
    """Say whether an object is a record of a transcript, and not a part of one."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    if value["type"] in _IN_TREE:
        return "uuid" in value and "sessionId" in value
    return value["type"] in _BESIDE or "sessionId" in value


@dataclass
class _Transcript:
    """What is known of a transcript after it was read once."""

    document: Document
    sessions: dict[str, None] = field(default_factory=dict)
    """Sessions that its records name, in order."""
    answers: set[int] = field(default_factory=set)
    """Hashes of the ids of its answers."""
    agent: str | None = None
    """Id of the sub-agent, where it is one's."""
    version: str | None = None
    started: datetime = _UNKNOWN
    repairs: list[str] = field(default_factory=list)
    replayed: frozenset[int] = frozenset()
    """Answers that are another session's."""

    @property
    def session(self) -> str:
        """Its own session: the one its file is named for, else the last that its records name."""
        stem = self.document.path.stem
        return stem if self.agent is not None or stem in self.sessions or self.belongs_to is None else self.belongs_to

    @property
    def belongs_to(self) -> str | None:
        """The session that the last of its records names; of a sub-agent the one it works for."""
        return next(reversed(self.sessions), None)


class ClaudeCode:
    """One transcript is one session; sub-agents are its lanes, also those with files of their own."""

    name = "claude-code"
    title = "Claude Code transcript: JSONL of records with `type`, `uuid`, `parentUuid` and `sessionId`"

    def recognises(self, sample: Any) -> bool:
        """Look for a record of the conversation, or one of those that may stand before it."""
        if not isinstance(sample, dict) or "payload" in sample:
            return False
        kind = sample.get("type")
        if kind in _IN_TREE:
            return {"uuid", "sessionId", "parentUuid"} <= sample.keys()
        if kind == "summary":
            return "leafUuid" in sample
        if kind == "file-history-snapshot":
            return "snapshot" in sample
        return kind in _BESIDE and "sessionId" in sample

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read transcripts of a folder, the earliest first: what a later one repeats is no call of its own."""
        transcripts = []
        for document in documents:
            with reporting(document.path, report):
                transcripts.append(_survey(document, report))
        mains = _with_mains(transcripts, report)
        known: dict[int, str] = {}
        for main in sorted(mains, key=lambda one: (one.started, one.document.path.name)):
            main.replayed = frozenset(
                answer for answer in main.answers if known.get(answer, main.session) != main.session
            )
            known.update(dict.fromkeys(main.answers - main.replayed, main.session))
            yield self._session(main, _agents_of(main, transcripts, report))

    def _session(self, main: _Transcript, agents: Sequence[_Transcript]) -> ImportedSession:
        repairs = [*main.repairs, *(f"{one.document.path.name}: {r}" for one in agents for r in one.repairs)]
        if main.replayed:
            repairs.append(f"{len(main.replayed)} answer(s) replayed from another session are its history, no calls")
        logs = tuple(one.document for one in (main, *agents))
        return ImportedSession(
            session=main.session,
            format=self.name,
            source=main.document.path.name,
            digest=main.document.digest if not agents else digest_of(log.digest for log in logs),
            logs=logs,
            calls=lambda: _merged(main, agents),
            agent="Claude Code",
            repairs=tuple(repairs),
            meta={"version": main.version} if main.version else {},
            one_lane=True,
        )


def _survey(document: Document, report: Report) -> _Transcript:
    """Read a transcript once: its sessions, its answers, and what is wrong with it."""
    found = _Transcript(document)
    uuids: set[str] = set()
    dangling = replays = 0
    in_tree = aside = 0
    for _, record in survey(document.path, is_record, "record of a transcript", report, found.repairs):
        uuid = record.get("uuid")
        if isinstance(record.get("sessionId"), str):
            found.sessions[record["sessionId"]] = found.sessions.pop(record["sessionId"], None)
        found.version = record.get("version") or found.version
        if found.started is _UNKNOWN:
            found.started = moment(record.get("timestamp")) or _UNKNOWN
        if record["type"] == "assistant" and isinstance(record.get("message"), dict):
            found.answers.add(hash(record["message"].get("id")))
        parent = record.get("logicalParentUuid")
        dangling += parent is not None and parent not in uuids
        if isinstance(uuid, str):
            replays += uuid in uuids
            uuids.add(uuid)
            in_tree += 1
            aside += record.get("isSidechain") is True
            if record.get("isSidechain") is True and isinstance(record.get("agentId"), str):
                found.agent = record["agentId"]
    if aside < in_tree:
        found.agent = None
    if replays:
        found.repairs.append(f"{replays} record(s) repeat an earlier one and are read once")
    if dangling:
        found.repairs.append(
            f"{dangling} compaction(s) name a record that is not here (logicalParentUuid): "
            "what stands before is taken to be what was compacted"
        )
    return found


def _with_mains(transcripts: Sequence[_Transcript], report: Report) -> list[_Transcript]:
    """Give the transcripts that are sessions: of states of one only the longest, of a sub-agent its session's."""
    mains: dict[Path, _Transcript] = {}
    for one in transcripts:
        path = one.document.path
        owner = _main_of(one)
        if owner is None:
            mains[path] = one
        elif owner not in mains and all(other.document.path != owner for other in transcripts):
            mains[owner] = _survey(Document(owner), report)
    return [one for one in mains.values() if not _superseded(one, mains.values(), report)]


def _main_of(agent: _Transcript) -> Path | None:
    """Find the transcript that a sub-agent's belongs to; None: there is none, or it is a session's own."""
    if agent.agent is None or not agent.sessions:
        return None
    folder = agent.document.path.parent
    session = f"{agent.belongs_to}.jsonl"
    places = (folder.parent.with_name(f"{folder.parent.name}.jsonl"), folder.parent / session, folder / session)
    return next((place for place in places if place.is_file() and place != agent.document.path), None)


def _superseded(one: _Transcript, others: Collection[_Transcript], report: Report) -> bool:
    """Say whether another file is a later state of the same transcript: one that begins with all of it."""
    size = one.document.path.stat().st_size
    for other in others:
        if other is one or other.session != one.session or other.document.path.stat().st_size <= size:
            continue
        if other.document.digest_to(size) == one.document.digest:
            reason = f"an earlier state of {other.document.path.name}, which is imported instead"
            report(Problem(str(one.document.path), reason, lost=False))
            return True
    return False


def _agents_of(main: _Transcript, read: Sequence[_Transcript], report: Report) -> list[_Transcript]:
    """Find the transcripts of a session's sub-agents: beside it, or in the folder named like it."""
    path = main.document.path
    known = {one.document.path: one for one in read}
    agents = []
    for place in [*path.with_suffix("").glob(f"{_SUBAGENTS}/agent-*.jsonl"), *path.parent.glob("agent-*.jsonl")]:
        one = known.get(place) or _survey(Document(place), report)
        if one.agent is not None and main.session in one.sessions and _main_of(one) == path:
            agents.append(one)
    return sorted(agents, key=lambda one: (one.started, one.document.path.name))


def _merged(main: _Transcript, agents: Sequence[_Transcript]) -> Iterator[ImportedRecord]:
    """Put the calls of sub-agents with files of their own between those of the conversation, by their times."""
    if not agents:
        yield from _records(main)
        return
    streams = [_timed(number, _records(one)) for number, one in enumerate((main, *agents))]
    turn: int | str | None = None
    for _, number, record in heapq.merge(*streams, key=lambda item: item[:2]):
        if number == 0:
            turn = record.turn
        yield record if number == 0 else replace(record, turn=turn)


def _timed(number: int, records: Iterator[ImportedRecord]) -> Iterator[tuple[datetime, int, ImportedRecord]]:
    """Give records with a clock that never goes back, as those of transcripts do."""
    clock = _UNKNOWN
    for record in records:
        clock = max(clock, record.time or clock)
        yield clock, number, record


def _records(transcript: _Transcript) -> Iterator[ImportedRecord]:
    """Read a transcript into calls and compactions, in the order in which they were complete."""
    own = transcript.session if transcript.agent is None else transcript.belongs_to
    main = _lane_of(transcript)
    sub_agents = SubAgents()
    for _, record in read_values(transcript.document.path, is_record):
        sub_agents.learn(record)
        lane, inner = (main, record) if transcript.agent is not None else sub_agents.of(record, main)
        message = inner.get("message")
        answer = message.get("id") if isinstance(message, dict) else None
        replayed = answer is not None and hash(answer) in transcript.replayed
        for found in lane.feed(inner, history=replayed or inner.get("sessionId", own) != own):
            yield found if lane is main else replace(found, turn=main.turn)
    for lane in (main, *sub_agents.lanes.values()):
        for found in lane.finish():
            yield found if lane is main else replace(found, turn=main.turn)


def _lane_of(transcript: _Transcript) -> Lane:
    """Open the lane of a file: the main one, or that of the sub-agent whose file it is."""
    if transcript.agent is None:
        return Lane(None)
    described: Any = None
    with suppress(OSError, ValueError):  # only newer versions write it
        described = json.loads(transcript.document.path.with_suffix(".meta.json").read_bytes())
    described = described if isinstance(described, dict) else {}
    return sub_agent(transcript.agent, described.get("agentType"), described.get("description"))
