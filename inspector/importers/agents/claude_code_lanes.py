"""Which line of thought a record of a Claude Code transcript belongs to: the conversation or a sub-agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.importers.agents.claude_code_calls import Lane
from inspector.importers.agents.claude_code_context import blocks


def sub_agent(agent: str, kind: Any = None, task: Any = None) -> Lane:
    """Open the lane of a sub-agent.

    Args:
        agent: Its id.
        kind: Its type, where a text says so.
        task: What it was asked to do, in a few words, where a text says so.
    """
    name = f"{kind}-{agent}" if isinstance(kind, str) and kind else f"agent-{agent}"
    return Lane(name, task if isinstance(task, str) and task else None)


class SubAgents:
    """The sub-agents whose records stand in the conversation's own file."""

    def __init__(self) -> None:
        self.lanes: dict[str, Lane] = {}
        """By agent."""
        self._tasks: dict[str, Mapping[str, Any]] = {}
        """What a tool call handed to a sub-agent, by the call's id."""
        self._agents: dict[str, str] = {}
        """Whose a sidechain record is, by the record's id."""
        self._last: dict[str, str] = {}
        """Id of the last record of each agent: progress records name no parent."""

    def learn(self, record: Mapping[str, Any]) -> None:
        """Remember the calls of tools that start sub-agents."""
        message = record.get("message")
        for block in blocks(message.get("content")) if isinstance(message, dict) else ():
            given = block.get("input")
            if block.get("type") == "tool_use" and isinstance(given, dict) and "prompt" in given:
                self._tasks[str(block.get("id"))] = given

    def of(self, record: Mapping[str, Any], main: Lane) -> tuple[Lane, Mapping[str, Any]]:
        """Give the lane a record belongs to, and the record itself, taken out of its wrapping.

        Args:
            record: As it stands in the file.
            main: The lane of the conversation.
        """
        wrapped = _wrapped(record)
        if wrapped is not None:
            tool = str(record.get("parentToolUseID"))
            agent = str(wrapped.get("agentId") or tool)
            wrapped = {"parentUuid": self._last.get(agent), **wrapped}
            self._last[agent] = str(wrapped.get("uuid"))
            return self._lane(agent, self._tasks.get(tool, {})), wrapped
        if record.get("isSidechain") is not True:
            return main, record
        parent = str(record.get("parentUuid"))
        agent = str(record.get("agentId") or self._agents.get(parent) or f"{len(self.lanes) + 1}")
        self._agents[str(record.get("uuid"))] = agent
        return self._lane(agent, {}), record

    def _lane(self, agent: str, task: Mapping[str, Any]) -> Lane:
        if agent not in self.lanes:
            self.lanes[agent] = sub_agent(agent, task.get("subagent_type"), task.get("description"))
        return self.lanes[agent]


def _wrapped(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Take a sub-agent's record out of the progress record it is reported in."""
    data = record.get("data")
    if record.get("type") != "progress" or not isinstance(data, dict) or data.get("type") != "agent_progress":
        return None
    inner = data.get("message")
    if not isinstance(inner, dict) or not isinstance(inner.get("message"), dict):
        return None
    found = {key: inner[key] for key in ("type", "uuid", "timestamp", "message") if key in inner}
    found.setdefault("uuid", record.get("uuid"))
    found["agentId"] = data.get("agentId")
    return found
