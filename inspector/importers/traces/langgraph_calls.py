"""Turns the checkpoints of a LangGraph thread into calls: each new message of the model, and what stood before it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedCompaction, ImportedRecord
from inspector.importers.reading.moments import moment
from inspector.importers.traces.langchain_messages import fields_of, to_openai_message
from inspector.importers.traces.langgraph_db import Checkpoint, Database, Write
from inspector.importers.traces.traced_usage import usage_of_langchain, write_usage

API: Final = "openai.chat"

_INPUT_CHANNEL: Final = "__start__"
"""Holds what was put in until the graph takes it."""

_ERROR_CHANNEL: Final = "__error__"
_PREPARED_CHANNEL: Final = "llm_input_messages"
"""What ``create_react_agent`` sends in place of the state's messages, where a hook prepared it."""

_OTHER_APIS: Final = frozenset(
    {"anthropic", "google_genai", "google_vertexai", "bedrock", "bedrock_converse", "ollama"}
)
"""Providers (``model_provider``) whose own message shape is another."""


Key = tuple[str, str]
"""Namespace and checkpoint."""

Raw = Mapping[str, Any]
"""A message as LangChain wrote it."""


@dataclass(frozen=True)
class _State:
    """What is kept of a checkpoint while the next may follow it."""

    checkpoint: Checkpoint
    channels: Mapping[str, list[Raw]]
    """Lists of messages, by channel."""
    lane: str | None
    turn: int

    @property
    def key(self) -> Key:
        """Where it is."""
        return self.checkpoint.namespace, self.checkpoint.checkpoint


@dataclass
class Thread:
    """The calls of one thread, checkpoint by checkpoint.

    A message of the model that a checkpoint has and its parent has not was asked for with the parent's messages. What
    a person put in or changed (``input``, ``update``) is no answer; what a graph inside has said already is none of
    the graph around it.
    """

    database: Database
    thread: str
    _newest: dict[str, _State] = field(default_factory=dict)
    """Of each namespace; a fork reads its parent again."""
    _places: dict[Key, tuple[str | None, int]] = field(default_factory=dict)
    """Lane and turn of every checkpoint."""
    _continued: set[Key] = field(default_factory=set)
    """Checkpoints that have a child."""
    _heard: set[str] = field(default_factory=set)
    """Ids of answers."""
    _models: set[str] = field(default_factory=set)
    """Nodes that have answered."""
    _lanes: Counter[str] = field(default_factory=Counter)
    """How often a name was given to a lane."""

    def take(self, checkpoint: Checkpoint) -> Iterator[ImportedRecord]:
        """Take the next checkpoint, oldest first."""
        parent = self._parent(checkpoint)
        state = _State(
            checkpoint,
            _message_lists(checkpoint.values),
            self._lane(checkpoint, parent),
            self._turn(checkpoint, parent),
        )
        if parent is not None:
            if parent.key not in self._continued:
                yield from self._failures(parent)
            self._continued.add(parent.key)
            yield from self._answers(parent, state)
            yield from self._removals(parent, state)
        self._places[state.key] = state.lane, state.turn
        self._newest[checkpoint.namespace] = state

    def finish(self) -> Iterator[ImportedRecord]:
        """Tell of tasks that failed, behind which no checkpoint came."""
        for state in self._newest.values():
            if state.key not in self._continued:
                yield from self._failures(state)

    def _parent(self, checkpoint: Checkpoint) -> _State | None:
        if checkpoint.parent is None:
            return None
        newest = self._newest.get(checkpoint.namespace)
        if newest is not None and newest.checkpoint.checkpoint == checkpoint.parent:
            return newest
        found = self.database.checkpoint(self.thread, checkpoint.namespace, checkpoint.parent)
        if found is None:
            return None
        return _State(
            found, _message_lists(found.values), *self._places.get((found.namespace, found.checkpoint), (None, 0))
        )

    def _lane(self, checkpoint: Checkpoint, parent: _State | None) -> str | None:
        """Name the lane: the outermost graph's is the main one; a graph inside, and each fork, has its own.

        A second child of one checkpoint is where someone went back in time.
        """
        if parent is not None:
            forked = parent.key in self._continued
            return self._named(f"{parent.lane} fork" if parent.lane else "fork") if forked else parent.lane
        if not checkpoint.namespace:
            return None
        return self._named("/".join(part.partition(":")[0] for part in checkpoint.namespace.split("|")))

    def _named(self, name: str) -> str:
        self._lanes[name] += 1
        return name if self._lanes[name] == 1 else f"{name} {self._lanes[name]}"

    def _turn(self, checkpoint: Checkpoint, parent: _State | None) -> int:
        """Count what was put in; a graph inside is in the turn of the one around."""
        if checkpoint.namespace:
            around = checkpoint.namespace.rpartition("|")[0]
            return self._places.get((around, checkpoint.outer or ""), (None, 0))[1]
        return (parent.turn if parent is not None else 0) + (checkpoint.source == "input")

    def _answers(self, parent: _State, state: _State) -> Iterator[ImportedCall]:
        answered = state.checkpoint.source == "loop" and _INPUT_CHANNEL not in parent.checkpoint.values
        writes: list[Write] | None = None
        for channel, messages in state.channels.items():
            before = parent.channels.get(channel, [])
            known = {_identity(message) for message in before}
            fresh = [message for message in messages if _identity(message) not in known]
            for place, message in enumerate(fresh):
                identity = _identity(message)
                if _role(message) != "assistant" or identity in self._heard:
                    continue
                self._heard.add(identity)
                if not answered:
                    continue
                if writes is None:
                    writes = self.database.writes(self.thread, *parent.key)
                node, same_task = _task_of(message, writes, fresh[:place])
                node = node or next(iter(state.checkpoint.writers), None)
                if node is not None:
                    self._models.add(node)
                context = parent.channels.get(_PREPARED_CHANNEL) or before
                yield _call([*context, *same_task], message, parent, state, node)

    def _removals(self, parent: _State, state: _State) -> Iterator[ImportedCompaction]:
        """Tell where messages of the state went: removed, or replaced by a summary."""
        if state.checkpoint.source == "fork":
            return
        for channel, before in parent.channels.items():
            after = state.channels.get(channel, [])
            if channel == _PREPARED_CHANNEL or not before:
                continue
            there, were = ({_identity(message) for message in messages} for messages in (after, before))
            gone = were - there
            if not gone:
                continue
            texts = [name for name, value in state.checkpoint.values.items() if isinstance(value, str) and value]
            told = [name for name in texts if state.checkpoint.values[name] != parent.checkpoint.values.get(name)]
            summed = bool(told) or any(_identity(one) not in were and _is_told(one) for one in after)
            writes = self.database.writes(self.thread, *parent.key)
            node = next((write.node for write in writes if write.channel == channel and write.node), None)
            beside = f"; its text stands in `{told[0]}`" if told else ""
            yield ImportedCompaction(
                strategy="summary" if summed else "trim",
                before=_context(before),
                after=_context(after),
                policy=node,
                reason=f"{len(gone)} message(s) left `{channel}`{beside}",
                lane=state.lane,
                turn=state.turn or None,
                time=moment(state.checkpoint.time),
            )

    def _failures(self, state: _State) -> Iterator[ImportedCall]:
        """Tell of tasks of a checkpoint that failed, if their node is one that asks a model."""
        writes = self.database.writes(self.thread, *state.key)
        for write in writes:
            messages = next((listed for name, listed in state.channels.items() if name != _PREPARED_CHANNEL), None)
            if write.channel == _ERROR_CHANNEL and write.node in self._models and messages:
                context = state.channels.get(_PREPARED_CHANNEL) or messages
                yield _call(context, None, state, state, write.node, error=str(write.value))


def _call(
    context: Sequence[Raw],
    answer: Raw | None,
    before: _State,
    after: _State,
    node: str | None,
    error: str | None = None,
) -> ImportedCall:
    said = fields_of(answer) if answer is not None else {}
    about = said.get("response_metadata")
    about = about if isinstance(about, dict) else {}
    model = next((about[name] for name in ("model_name", "model") if isinstance(about.get(name), str)), None)
    messages = _context(context)
    lacks = {
        "system": all(message["role"] not in ("system", "developer") for message in messages),
        "tools": True,
        "parameters": True,
        "model": model is None,
        "wire form": about.get("model_provider") in _OTHER_APIS,
    }
    came = None
    if answer is not None:
        reason = about.get("finish_reason") or about.get("stop_reason")
        body: dict[str, Any] = {
            "choices": [{"index": 0, "message": to_openai_message(answer), "finish_reason": reason}],
            "usage": write_usage(usage_of_langchain(said.get("usage_metadata")), API),
        }
        if isinstance(about.get("id"), str):
            body["id"] = about["id"]
        came = ImportedAnswer(body, time=moment(after.checkpoint.time))
    elif error is not None:
        came = ImportedAnswer(None, error=error)
    return ImportedCall(
        request={**({"model": model} if model else {}), "messages": messages},
        exact="rebuilt",
        missing=tuple(part for part, lacking in lacks.items() if lacking),
        api=API,
        turn=after.turn or None,
        lane=after.lane,
        time=_sent(before, after),
        answer=came,
    )


def _sent(before: _State, after: _State) -> datetime | None:
    """A step begins when the checkpoint before it was written; of a fork that may have been days before."""
    if before.lane != after.lane or after.checkpoint.parent != before.checkpoint.checkpoint:
        return moment(after.checkpoint.time)
    return moment(before.checkpoint.time)


def _context(messages: Sequence[Raw]) -> list[dict[str, Any]]:
    return [read for message in messages if (read := to_openai_message(message)) is not None]


def _message_lists(values: Mapping[str, Any]) -> dict[str, list[Raw]]:
    """Find the channels that are lists of messages, whatever they are named."""
    return {
        str(name): value
        for name, value in values.items()
        if isinstance(value, list) and value and _is_message(value[0]) and all(map(_may_be_message, value))
    }


def _is_message(value: Any) -> bool:
    return _may_be_message(value) and to_openai_message(value) is not None


def _may_be_message(value: Any) -> bool:
    """Look at the form only: every checkpoint holds all messages again."""
    if not isinstance(value, dict):
        return False
    fields = fields_of(value)
    return "content" in fields and ("type" in fields or value.get("type") == "constructor")


def _is_told(message: Raw) -> bool:
    """Say whether a message may be a summary: no result of a tool, and not the model's next answer."""
    return _role(message) in ("system", "user", "developer")


def _role(message: Raw) -> str | None:
    return (to_openai_message(message) or {}).get("role")


def _identity(message: Raw) -> str:
    """Give the id that LangGraph gave a message; what it says, where it has none."""
    identity = fields_of(message).get("id")
    return identity if isinstance(identity, str) else json.dumps(to_openai_message(message), default=repr)


def _task_of(message: Raw, writes: Sequence[Write], fresh: Sequence[Raw]) -> tuple[str | None, list[Raw]]:
    """Find the node that wrote a message, and what the same task wrote before it.

    Ids are given when writes are taken into the state, so a write may have none: then what it says decides.
    """
    wanted = json.dumps(to_openai_message(message), default=repr)
    identity = fields_of(message).get("id")
    for write in writes:
        listed = write.value if isinstance(write.value, list) else [write.value]
        written = [one for one in listed if _is_message(one)]
        for place, one in enumerate(written):
            same = fields_of(one).get("id") == identity if fields_of(one).get("id") else False
            if same or json.dumps(to_openai_message(one), default=repr) == wanted:
                return write.node, [one for one in written[:place] if _may_be_sent(one)]
    return None, [one for one in fresh if _may_be_sent(one)]


def _may_be_sent(message: Raw) -> bool:
    return fields_of(message).get("type") != "remove"
