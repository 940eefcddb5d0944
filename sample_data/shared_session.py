"""An agent that serves several people in one session, each message as it comes, without a lock.

Every handler loads the whole session, works on its own copy and writes the whole session back. Nothing is wrong with
that until two messages come within a few seconds: who writes last wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from sample_data.agent import FixedLayer
from sample_data.provider import Answer, Model
from sample_data.script import Script, Step, Turn
from sample_data.wire import Block, Message, Tool, Wire
from snapshot_sdk import Recorder

_STORE_SECONDS: Final = 0.03  # a round trip to the store


@dataclass
class Session:
    """What is kept between messages."""

    history: list[Message] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)


class SessionStore:
    """A key-value store with one key: it keeps what was written last."""

    def __init__(self) -> None:
        self._kept = Session()

    async def load(self) -> Session:
        """Return a copy of the session."""
        await asyncio.sleep(_STORE_SECONDS)
        return deepcopy(self._kept)

    async def save(self, session: Session) -> None:
        """Replace the session."""
        await asyncio.sleep(_STORE_SECONDS)
        self._kept = deepcopy(session)


class SharedDesk:
    """Answers whoever writes; a task for each message."""

    def __init__(
        self, recorder: Recorder, model: Model, wire: Wire, tools: Sequence[Tool], blocks: Sequence[Block]
    ) -> None:
        self._recorder = recorder
        self._model = model
        self._wire = wire
        self._tools = tools
        self._blocks = list(blocks)
        self._store = SessionStore()

    async def run(self, script: Script) -> None:
        """Take the messages as they come; ``after_s`` counts from the message before, not from its answer."""
        async with asyncio.TaskGroup() as handlers:
            for number, turn in enumerate(script.turns, 1):
                await asyncio.sleep(turn.after_s)
                handlers.create_task(self.take(number, turn))

    async def take(self, number: int, turn: Turn) -> None:
        """Answer one message."""
        with self._recorder.turn(number):
            session = await self._store.load()
            session.history.append(self._wire.user(turn.user))
            for step in turn.steps:
                await self._step(session, step)
            if turn.state is not None:
                before, session.state = session.state, {**session.state, **turn.state}
                self._recorder.event("state", before=before, after=session.state, accepted=True, error=None)
            for pin in turn.pins:
                self._recorder.pin(pin.text, reason=pin.reason, scope="main")
            await self._store.save(session)

    async def _step(self, session: Session, step: Step) -> None:
        """Ask the model once and run the tools it wants."""
        blocks = FixedLayer(self._blocks, session.state).render()
        for block in blocks:
            self._recorder.label(block.text, layer=block.layer, source=block.source)
        request = self._wire.request(self._model.name, blocks, session.history, self._tools)
        call = self._recorder.snapshot(request, api=self._wire.api, endpoint=self._wire.endpoint)
        answer = self._model.answer(request, step.say, [(use.tool, use.arguments) for use in step.uses])
        await asyncio.sleep(answer.duration_ms / 1_000)
        self._recorder.response(call, answer.body, duration_ms=answer.duration_ms)
        session.history.append(answer.message)
        if step.uses:
            session.history += await self._run_tools(answer, step)

    async def _run_tools(self, answer: Answer, step: Step) -> list[Message]:
        results = []
        for wanted, use in zip(answer.wanted, step.uses, strict=True):
            await asyncio.sleep(use.seconds)
            self._recorder.event(
                "tool", name=use.tool, call_id=wanted.id, ms=round(use.seconds * 1_000), ok=use.result is not None
            )
            results.append((wanted, use.result or ""))
        return self._wire.results(results)
