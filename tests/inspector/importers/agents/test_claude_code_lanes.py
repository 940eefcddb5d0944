"""Facts about sub-agents of Claude Code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from importing import calls_of

from inspector.importers.agents.claude_code import ClaudeCode
from inspector.importers.base import ImportedCall, ImportedSession, Problem
from inspector.importers.reading.documents import Document

Write = Callable[..., Path]


class Log:
    """Writes records as Claude Code does: each with an id, its parent the one before."""

    def __init__(self, session: str = "s1") -> None:
        self.session = session
        self.lines: list[dict[str, Any]] = []
        self.last: str | None = None

    def add(self, record: dict[str, Any], **fields: Any) -> str:
        """Append a record."""
        uuid = f"{self.session}-{len(self.lines)}"
        common = {
            "uuid": uuid, "parentUuid": self.last, "sessionId": self.session, "isSidechain": False,
            "timestamp": f"2026-01-01T00:00:{len(self.lines):02}.000Z",
        }  # fmt: skip
        self.lines.append({**common, **record, **fields})
        self.last = str(self.lines[-1]["uuid"])
        return self.last

    def user(self, content: Any, **fields: Any) -> str:
        """Append a message of the user."""
        return self.add({"type": "user", "message": {"role": "user", "content": content}}, **fields)

    def answer(self, key: str, *blocks: dict[str, Any], output: int = 1, **fields: Any) -> str:
        """Append one record for each block of an answer, the count of its output growing."""
        for number, block in enumerate(blocks or ({"type": "text", "text": key},)):
            usage = {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": output + number}
            message = {"id": key, "role": "assistant", "model": "claude", "content": [block], "usage": usage}
            self.add({"type": "assistant", "message": message}, **fields)
        return str(self.last)


def use(key: str, **given: Any) -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": key, "name": "Task", "input": given}


def result(key: str, text: str = "out") -> list[dict[str, Any]]:
    """The result of a call."""
    return [{"type": "tool_result", "tool_use_id": key, "content": text}]


def read(paths: Sequence[Path]) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as the format does."""
    problems: list[Problem] = []
    return list(ClaudeCode().read([Document(path) for path in paths], problems.append)), problems


def request(call: ImportedCall) -> list[dict[str, Any]]:
    """Give the messages of a call."""
    assert isinstance(call.request, dict)
    return list(call.request["messages"])


def test_agent_progress_is_a_lane(write_lines: Write) -> None:
    """What a sub-agent does is reported in progress records: its requests are calls of a lane of its own."""
    log = Log()
    log.user("hi")
    start = log.answer("m1", use("t1", prompt="look", subagent_type="Explore", description="find it"))
    for number, (kind, message) in enumerate(
        [
            ("user", {"role": "user", "content": "look"}),
            ("assistant", {"id": "x1", "role": "assistant", "model": "h", "content": [], "usage": {"input_tokens": 7}}),
        ]
    ):
        inner = {"type": kind, "uuid": f"p{number}", "timestamp": "2026-01-01T00:00:03Z", "message": message}
        data = {"type": "agent_progress", "agentId": "a1b2", "message": inner}
        log.add({"type": "progress", "data": data, "parentToolUseID": "t1"}, parentUuid=start)
    log.user(result("t1"), parentUuid=start)
    log.answer("m2")
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])
    calls = calls_of(session)
    [sub] = [call for call in calls if call.lane is not None]

    assert (sub.lane, sub.purpose, sub.turn) == ("Explore-a1b2", "find it", 1)
    assert request(sub) == [{"role": "user", "content": "look"}]
    assert len(request(calls[-1] if calls[-1].lane is None else calls[-2])) == 3


def test_sub_agent_with_a_file_of_its_own_is_a_lane(write_lines: Write) -> None:
    """A file in the session's folder of sub-agents belongs to the session, at its time, also when named itself."""
    main, sub = Log(), Log()
    main.user("hi")
    main.answer("m1")
    sub.user("look", isSidechain=True, agentId="a9", timestamp="2026-01-01T00:00:01.100Z")
    sub.answer("x1", isSidechain=True, agentId="a9", timestamp="2026-01-01T00:00:01.200Z")
    for record in sub.lines:
        record["uuid"] = f"sub-{record['uuid']}"
        record["parentUuid"] = record["parentUuid"] and f"sub-{record['parentUuid']}"
    main.user("more")
    main.answer("m2")
    path = write_lines("s1.jsonl", *main.lines)
    agent = write_lines("s1/subagents/agent-a9.jsonl", *sub.lines)

    for sessions, _ in (read([path]), read([agent])):
        [session] = sessions
        assert session.session == "s1"
        assert [(call.lane, call.turn) for call in calls_of(session)] == [(None, 1), ("agent-a9", 1), (None, 2)]


def test_sidechain_in_the_same_file_is_a_lane(write_lines: Write) -> None:
    """Older versions wrote a sub-agent's records among the others, marked as a sidechain."""
    log = Log()
    main = log.user("hi")
    side = log.user("look", isSidechain=True, parentUuid=None)
    log.answer("x1", isSidechain=True, parentUuid=side)
    log.answer("m1", parentUuid=main)
    [session], _ = read([write_lines("s1.jsonl", *log.lines)])

    assert {call.lane: request(call) for call in calls_of(session)} == {
        "agent-1": [{"role": "user", "content": "look"}],
        None: [{"role": "user", "content": "hi"}],
    }
