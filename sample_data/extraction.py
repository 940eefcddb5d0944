"""A task state that a model reads off the conversation after every turn."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sample_data.agent import Agent
from sample_data.script import Turn


@dataclass
class ExtractedState:
    """Asks the model for the values of the slots and takes what it answers.

    It is shown the last turns and not the state as it was, so it cannot tell what the user decided from what was only
    mentioned; and nothing checks whether the user asked for a change.
    """

    agent: Agent
    prompt: str
    turns: int
    """Turns that the model is shown."""

    def read(self, turn: Turn) -> dict[str, Any] | None:
        """Return the old state with everything overwritten that the model names."""
        if turn.state is None:
            return None
        agent = self.agent
        starts = [place for place, message in enumerate(agent.history) if agent.wire.starts_turn(message)]
        shown = agent.history[starts[-min(self.turns, len(starts))] :]
        answer = json.dumps(turn.state, ensure_ascii=False)
        agent.side_call("state", self.prompt, shown, answer, agent.tools, lane="state")
        return {**agent.fixed.state, **json.loads(answer)}
