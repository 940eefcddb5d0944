"""Sorts spans into conversations, lanes and calls, holding no more of them than their text."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall
from inspector.importers.reading.moments import milliseconds
from inspector.importers.traces.otel_spans import Span
from snapshot_sdk.adapters.genai_spans import (
    SpanCall,
    agent_run_of,
    conversation_of,
    is_model_call,
    read_span_call,
)

Key = tuple[str, str]
"""Trace and span."""

_LATEST: Final = datetime.max.replace(tzinfo=UTC)
_DEEPEST: Final = 1_000
"""Spans in spans that are looked through: ids that go round in a circle would not end."""

_NAMED: Final = 8
"""Digits of a trace's id in the name of a session that has no other."""


@dataclass(frozen=True)
class _Place:
    """What is kept of every span, to know where the calls below it belong."""

    parent: Key | None
    agent: str | None
    """Name of the agent whose run the span is."""
    conversation: str | None


@dataclass(frozen=True)
class HeldCall:
    """A span of a model call, packed."""

    key: Key
    path: Path
    start: datetime | None
    end: datetime | None
    packed: bytes
    """Its attributes and events, as JSON."""
    dropped: int | None
    failure: str | None
    service: str | None
    readable: bool
    """It holds messages."""
    problems: tuple[str, ...] = ()
    own_agent: str | None = None
    opening: str = ""
    """Digest of the messages before the first answer."""
    last: str = ""
    """Digest of what the last message says."""
    wrappers: int = 0
    """Spans of other instrumentations around it, which tell of the same call."""

    @property
    def digest(self) -> str:
        """Of what the call is read from."""
        return hashlib.sha256(repr(self.key).encode() + self.packed).hexdigest()


@dataclass
class Traces:
    """Spans, as they are read."""

    _places: dict[Key, _Place] = field(default_factory=dict)
    _held: dict[Key, HeldCall] = field(default_factory=dict)
    _logs: dict[Key, list[bytes]] = field(default_factory=dict)
    """Events that were logged beside their span, packed."""
    _models: Counter[Path] = field(default_factory=Counter)
    _sizes: Counter[str] = field(default_factory=Counter)
    """Spans of each trace."""

    def add(self, span: Span, path: Path) -> None:
        """Take a span; one that was taken before is replaced."""
        key = (span.trace, span.span)
        if span.is_log:
            self._logs.setdefault(key, []).append(_pack([span.name, span.attributes]))
            self._models[path] += span.name.startswith("gen_ai.")
            return
        parent = (span.trace, span.parent) if span.parent else None
        call = is_model_call(span.attributes)
        told = read_span_call(span.attributes, span.events, dropped=span.dropped) if call else None
        agent = agent_run_of(span.attributes, span.name)
        self._sizes[span.trace] += key not in self._places
        self._places[key] = _Place(parent, agent, conversation_of(span.attributes))
        if not call:
            return
        self._models[path] += 1
        self._held[key] = HeldCall(
            key,
            path,
            span.start,
            span.end,
            _pack([span.attributes, span.events]),
            span.dropped,
            span.failure,
            span.service,
            readable=told is not None,
            problems=told.problems if told else (),
            own_agent=told.agent if told else None,
            opening=_opening(told.request) if told else "",
            last=_last(told.request) if told else "",
        )

    def models_in(self, path: Path) -> int:
        """Count what a file told of calls."""
        return self._models[path]

    def without_content(self) -> Counter[Path]:
        """Count the calls of each file of which nothing can be shown, and that are in no call that can."""
        self._hear_logs()
        self._adopt()
        inside = {ancestor for call in self._held.values() if call.readable for ancestor in self._above(call.key)}
        covered = {
            key
            for key, call in self._held.items()
            if not call.readable
            and (key in inside or any(above in self._held and self._held[above].readable for above in self._above(key)))
        }
        return Counter(call.path for key, call in self._held.items() if not call.readable and key not in covered)

    def sessions(self) -> Iterator[tuple[str, list[HeldCall]]]:
        """Give the conversations by their first call, each with its calls in order.

        Of a span in a span that both tell of one call, as where two instrumentations see it, the inner is nearer
        to what was sent.
        """
        wrapped: Counter[Key] = Counter()
        for call in self._held.values():
            if call.readable:
                wrapped.update(above for above in self._above(call.key) if above in self._held)
        found: dict[str, list[HeldCall]] = {}
        names = self._names()
        for key, call in self._held.items():
            if call.readable and key not in wrapped:
                around = sum(above in self._held and self._held[above].readable for above in self._above(key))
                name = self._conversation(key) or names[key]
                found.setdefault(name, []).append(replace(call, wrappers=around))
        for calls in found.values():
            calls.sort(key=lambda call: call.start or _LATEST)
        yield from sorted(found.items(), key=lambda one: one[1][0].start or _LATEST)

    def calls(self, held: Sequence[HeldCall]) -> Iterator[ImportedCall]:
        """Read the calls of a conversation; each trace of several is a turn."""
        lanes = self._lanes(held)
        traces = {call.key: [call.key, *self._above(call.key)][-1][0] for call in held}
        turns = {trace: number for number, trace in enumerate(dict.fromkeys(traces.values()), start=1)}
        for call in held:
            told = self._told(call)
            if told is not None:
                turn = turns[traces[call.key]] if len(turns) > 1 else None
                yield _call(call, told, lanes[call.key], turn)

    def main_agent(self, held: Sequence[HeldCall]) -> str | None:
        """Name the agent of the first call that has one."""
        for call in held:
            runs = self._runs(call)
            if runs or call.own_agent:
                return runs[-1][1] if runs else call.own_agent
        return None

    def _lanes(self, held: Sequence[HeldCall]) -> dict[Key, str | None]:
        """Give each call a lane: the first agent is the main one, another is its own, each run of a sub-agent too."""
        names: dict[tuple[Any, ...], str | None] = {}
        taken: Counter[str] = Counter()
        lanes = {}
        for call in held:
            runs = self._runs(call)
            agent = runs[0][1] if runs else call.own_agent
            identity: tuple[Any, ...] = (agent,) if len(runs) < 2 else (agent, runs[0][0])
            if identity not in names:
                name = agent or "no agent"
                taken[name] += 1
                lane = name if taken[name] == 1 else f"{name} {taken[name]}"
                names[identity] = lane if names else None
            lanes[call.key] = names[identity]
        return lanes

    def _runs(self, call: HeldCall) -> list[tuple[Key, str]]:
        """Give the runs of agents around a call, the innermost first."""
        found = [(above, self._places[above].agent) for above in self._above(call.key) if above in self._places]
        return [(key, agent) for key, agent in found if agent is not None]

    def _above(self, key: Key) -> Iterator[Key]:
        for _ in range(_DEEPEST):
            place = self._places.get(key)
            if place is None or place.parent is None:
                return
            key = place.parent
            yield key

    def _conversation(self, key: Key) -> str | None:
        """Name the conversation of a call: its own, or the nearest around it."""
        for one in (key, *self._above(key)):
            place = self._places.get(one)
            if place is not None and place.conversation is not None:
                return place.conversation
        return None

    def _names(self) -> dict[Key, str]:
        """Name the session of each call that names none itself.

        It is what another span of its trace names, else it is named by its file and the trace's id. Calls that are
        all there is of their traces go by their opening.
        """
        named = {key[0]: place.conversation for key, place in self._places.items() if place.conversation}
        alone = len({key[0] for key in self._held}) == 1
        openings: dict[tuple[str, str], None] = {}
        names: dict[Key, str] = {}
        for key, call in sorted(self._held.items(), key=lambda one: one[1].start or _LATEST):
            stem = call.path.name.split(".")[0]
            if self._sizes[key[0]] == 1:
                openings.setdefault((stem, call.opening))
                number = [opening for of, opening in openings if of == stem].index(call.opening)
                names[key] = stem if number == 0 else f"{stem} {number + 1}"
            else:
                names[key] = named.get(key[0]) or (stem if alone else f"{stem} {key[0][:_NAMED]}")
        return names

    def _hear_logs(self) -> None:
        """Read calls again whose messages were logged beside their span."""
        for key in self._logs.keys() & self._held.keys():
            call = self._held[key]
            told = self._told(call)
            if told is not None:
                opening = _opening(told.request)
                last = _last(told.request)
                self._held[key] = replace(call, readable=True, problems=told.problems, opening=opening, last=last)

    def _adopt(self) -> None:
        """Put a call that is all there is of its trace below one that lasted around it and asked the same.

        An instrumentation of a framework need not hand its span on to that of the client below it.
        """
        around: dict[str, list[HeldCall]] = {}
        for call in self._held.values():
            if self._sizes[call.key[0]] > 1 and call.readable:
                around.setdefault(call.last, []).append(call)
        for key, call in self._held.items():
            if self._sizes[key[0]] > 1 or not call.readable or call.start is None or call.end is None:
                continue
            for outer in around.get(call.last, ()):
                if outer.start and outer.end and outer.start <= call.start and call.end <= outer.end:
                    self._places[key] = replace(self._places[key], parent=outer.key)
                    break

    def _told(self, call: HeldCall) -> SpanCall | None:
        attributes, events = json.loads(call.packed)
        logged = [json.loads(one) for one in self._logs.get(call.key, ())]
        listed = [(str(name), details) for name, details in [*events, *logged]]
        return read_span_call(attributes, listed, dropped=call.dropped, failure=call.failure)


def _call(call: HeldCall, told: SpanCall, lane: str | None, turn: int | None) -> ImportedCall:
    answer = None
    if told.answer is not None or told.error is not None:
        answer = ImportedAnswer(
            told.answer,
            time=call.end,
            duration_ms=milliseconds(call.start, call.end),
            error=told.error,
        )
    return ImportedCall(
        request=told.request,
        exact="imported" if told.whole else "rebuilt",
        missing=told.missing,
        api=told.api,
        turn=turn,
        lane=lane,
        time=call.start,
        answer=answer,
    )


def _messages(request: Mapping[str, Any]) -> list[Any]:
    messages = next((request[name] for name in ("messages", "input", "contents") if name in request), None)
    return messages if isinstance(messages, list) else [messages]


def _last(request: Mapping[str, Any]) -> str:
    """Digest the texts of the last message, whatever blocks they stand in."""
    found: list[str] = []
    waiting = _messages(request)[-1:]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += [value[name] for name in ("content", "parts", "text", "output") if name in value]
    return hashlib.sha256(_pack(sorted(found))).hexdigest()


def _opening(request: Mapping[str, Any]) -> str:
    """Digest what a conversation begins with, whatever was compacted behind it."""
    listed = _messages(request)
    roles = [message.get("role") if isinstance(message, dict) else None for message in listed]
    end = next((place for place, role in enumerate(roles) if role in ("assistant", "model")), len(listed))
    return hashlib.sha256(_pack(listed[:end])).hexdigest()


def _pack(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode(errors="surrogatepass")
