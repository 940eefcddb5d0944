"""The scripted agent: a tool loop as everybody writes it, recorded by hand with the SDK."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sample_data.memory import Everything, Memory
from sample_data.provider import Answer, Model
from sample_data.script import Retrieval, Script, Step, ToolUse, Turn
from sample_data.wire import Block, Message, Tool, Wanted, Wire
from sample_data.world import World
from snapshot_sdk import Recorder

_SUMMARY_PROMPT = (
    "Summarise the conversation for the assistant that continues it. Keep the goal, facts and what is open."
)
_TITLE_PROMPT = "Give this conversation a title of at most eight words. Answer with the title only."


class StateKeeper(Protocol):
    """Derives the task state from what was said; without one the agent's code does, as the script has it."""

    def read(self, turn: Turn) -> dict[str, Any] | None:
        """Return the state after a turn; None: it is left as it was."""


@dataclass
class FixedLayer:
    """The part of the prompt that stands before the history."""

    blocks: list[Block]
    """Instructions and profile; they do not change."""
    state: dict[str, Any] = field(default_factory=dict)
    """The task state; empty: nothing is shown of it."""
    rules: list[str] | None = None
    """The user's rules, word for word; None: this agent keeps none."""
    retrieved: Retrieval | None = None
    """What was found for the running turn."""

    def render(self) -> list[Block]:
        """Return all blocks, those that change least first."""
        blocks = list(self.blocks)
        if self.rules:
            lines = "\n".join(f"- {rule}" for rule in self.rules)
            blocks.append(Block("memory", f"Rules of the user, word for word:\n{lines}", "rules of this session"))
        if self.state:
            lines = "\n".join(f"{key}: {value}" for key, value in self.state.items())
            blocks.append(Block("state", f"<task_state>\n{lines}\n</task_state>", "task state"))
        if self.retrieved:
            documents = [d for d in self.retrieved.documents if d.sent]
            texts = [f'<doc id="{d.id}" score="{d.score}">\n{d.text}\n</doc>' for d in documents]
            blocks.append(Block("retrieved", "\n".join(texts)))
        return blocks


@dataclass(frozen=True)
class Asked:
    """A side call under way."""

    call: str
    """Id of its snapshot."""
    request: dict[str, Any]
    at_ns: int
    """When it went out."""


class Agent:
    """One line of thought: asks the model, runs the tools it wants, asks again until it has nothing left to do."""

    def __init__(
        self,
        recorder: Recorder,
        world: World,
        model: Model,
        wire: Wire,
        tools: Sequence[Tool],
        fixed: FixedLayer,
        memory: Memory | None = None,
    ) -> None:
        self.recorder = recorder
        self.world = world
        self.model = model
        self.wire = wire
        self.tools = tools
        self.fixed = fixed
        self.memory: Memory = memory or Everything()
        self.history: list[Message] = []
        self.sub_agents: dict[str, Agent] = {}
        self.state_keeper: StateKeeper | None = None
        self.where: dict[str, Any] = {"api": wire.api, "endpoint": wire.endpoint, "model": model.name}
        self._labelled: set[str] = set()
        self._summaries: list[str] = []

    def run(self, script: Script) -> None:
        """Have the whole conversation."""
        self._summaries = list(script.summaries)
        for number, turn in enumerate(script.turns, 1):
            self.world.sleep(turn.after_s)
            with self.recorder.turn(number):
                self.take(number, turn)
                if number == 1 and script.title:
                    self.side_call("title", _TITLE_PROMPT, self.history, script.title)

    def take(self, number: int, turn: Turn) -> None:
        """Take one message of the user and answer it."""
        self.history.append(self.wire.user(turn.user))
        self._labelled.clear()  # a label given inside a turn ends with it
        for pin in turn.pins:
            self.recorder.pin(pin.text, reason=pin.reason, scope="main")
            if self.fixed.rules is not None:
                self.fixed.rules.append(pin.text)
        self.fixed.retrieved = turn.retrieval
        if turn.retrieval:
            candidates = [
                {"id": d.id, "score": d.score, "sent": d.sent, "why": d.why} for d in turn.retrieval.documents
            ]
            self.recorder.event("retrieval", query=turn.retrieval.query, candidates=candidates)
        for step in turn.steps:
            self.step(step)
        state = self.state_keeper.read(turn) if self.state_keeper else turn.state
        if state is not None:
            self.update_state({**state, "last_updated": f"turn_{number}"})

    def step(self, step: Step) -> str:
        """Ask the model once and run the tools it wants; return what it said."""
        self.history = self.memory.fit(self.history)
        blocks = self.fixed.render()
        self.label(blocks)
        request = self.wire.request(self.model.name, blocks, self.history, self.tools)
        call = self.recorder.snapshot(request, **self.where)
        for n in range(1, step.refused + 1):
            self.world.sleep(0.21)
            self.recorder.attempt(call, n=n, status=429, error="rate_limit_exceeded: try again in 1.2 s")
            self.world.sleep(1.2)
        if step.refused:
            self.recorder.attempt(call, n=step.refused + 1, status=200)
        answer = self.model.answer(request, step.say, [(use.tool, use.arguments) for use in step.uses])
        self.recorder.response(call, answer.body, duration_ms=answer.duration_ms)
        self.history.append(answer.message)
        if step.uses:
            self.history += self.wire.results(self.run_tools(answer, step.uses))
        return step.say or ""

    def run_tools(self, answer: Answer, uses: Sequence[ToolUse]) -> list[tuple[Wanted, str]]:
        """Run the tools and return the result of each with the call that wanted it."""
        results = []
        for wanted, use in zip(answer.wanted, uses, strict=True):
            self.world.sleep(use.seconds)
            result = use.result if use.result is not None else self.delegate(use)
            milliseconds = round(use.seconds * 1_000)
            self.recorder.event("tool", name=use.tool, call_id=wanted.id or None, ms=milliseconds, ok=True)
            results.append((wanted, result))
        return results

    def delegate(self, use: ToolUse) -> str:
        """Let a sub-agent find it out, in its own lane; return its last words."""
        sub_agent = self.sub_agents[use.tool]
        sub_agent.history = [self.wire.user(str(use.arguments["topic"]))]
        with self.recorder.lane(use.lane or use.tool):
            return [sub_agent.step(step) for step in use.steps][-1]

    def side_call(
        self,
        purpose: str,
        prompt: str,
        messages: Sequence[Message],
        say: str,
        tools: Sequence[Tool] = (),
        lane: str | None = None,
    ) -> str:
        """Ask the model something about the conversation, in a lane of its own, named by its purpose unless told."""
        return self.finish(self.ask(purpose, prompt, messages, tools, lane), say)

    def ask(
        self,
        purpose: str,
        prompt: str,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        lane: str | None = None,
    ) -> Asked:
        """Send off a side call without waiting for its answer."""
        question = [*messages, self.wire.user(prompt)]
        request = self.wire.request(self.model.name, self.fixed.blocks[:1], question, tools)
        with self.recorder.lane(lane or purpose, purpose=purpose):
            return Asked(self.recorder.snapshot(request, **self.where), request, self.world.mono_ns())

    def finish(self, asked: Asked, say: str) -> str:
        """Take the answer of a side call, whenever it comes."""
        answer = self.model.answer(asked.request, say, ())
        duration_ms = (self.world.mono_ns() - asked.at_ns) / 1e6
        self.recorder.response(asked.call, answer.body, duration_ms=round(duration_ms, 1))
        return say

    def summarise(self, messages: Sequence[Message], prompt: str = _SUMMARY_PROMPT, lane: str | None = None) -> str:
        """Have messages summarised by the model."""
        # The tools go along: providers refuse tool results in a request that defines no tools.
        return self.side_call("summary", prompt, messages, self.next_summary(), self.tools, lane)

    def next_summary(self) -> str:
        """Return what the summariser answers next."""
        return self._summaries.pop(0)

    def update_state(self, state: dict[str, Any]) -> None:
        """Replace the task state, and say so."""
        before, self.fixed.state = self.fixed.state, state
        self.recorder.event("state", before=before, after=state, accepted=True, error=None)

    def label(self, blocks: Sequence[Block]) -> None:
        """Tell the recorder which layer each new block belongs to."""
        for block in blocks:
            # Of passages each has its own source; the longest label wins, so the block around them gets none.
            if block.layer != "retrieved" and block.text not in self._labelled:
                self._labelled.add(block.text)
                self.recorder.label(block.text, layer=block.layer, source=block.source)
        for document in self.fixed.retrieved.documents if self.fixed.retrieved else ():
            if document.sent and document.text not in self._labelled:
                self._labelled.add(document.text)
                source, score = f"kb:{document.id}", document.score
                self.recorder.label(document.text, layer="retrieved", source=source, score=score)
