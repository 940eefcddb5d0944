"""Facts about sub-agents of Claude Code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from claude_code_logs import Log, read, request, result, use
from importing import calls_of

Write = Callable[..., Path]


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
