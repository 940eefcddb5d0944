"""The finished rows of one session: calls, the session itself, pins, compactions and events."""

from __future__ import annotations

import json
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.index.derive import Prompt, SessionState, model_of
from inspector.index.effects import effect_columns, largest_read, size_seen
from inspector.index.store import clean
from inspector.index.sums import total_of
from inspector.model.dialects import dialect_named
from inspector.model.settings import Settings
from inspector.model.tokens import calibrate
from inspector.model.tokens.calibrate import RECENT
from inspector.model.usage import UsageReport
from inspector.model.views import CallStatus, TokenCount

MAIN: Final = "main"
NO_COUNT: Final = TokenCount(None, "unknown")


@dataclass(frozen=True)
class Outcome:
    """What came of a call: its last response and its attempts."""

    response: Mapping[str, Any] | None
    contents: Sequence[int] | None
    """Messages of the answer."""
    place: str | None
    """Where the response record stands."""
    attempts: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Source:
    """Where records of a section come from."""

    path: str
    header: Mapping[str, Any]


def status_of(outcome: Outcome) -> CallStatus:
    """Say how a call ended."""
    response = outcome.response
    if response is None:
        failed = bool(outcome.attempts) and outcome.attempts[-1].get("error") is not None
        return "failed" if failed else "no answer"
    code = response.get("status")
    if (isinstance(code, int) and code >= 400) or (response.get("error") is not None and not outcome.contents):
        return "failed"
    return "answered" if response.get("complete", True) and response.get("error") is None else "incomplete"


class SessionRows:
    """Builds the rows of a session from its state and what came back."""

    def __init__(
        self,
        state: SessionState,
        outcomes: Mapping[str, Outcome],
        sources: Mapping[int, Source],
        span: tuple[str, str],
        sample: bool,
    ) -> None:
        self._state = state
        self._outcomes = outcomes
        self._sources = sources
        self._span = span
        self._sample = sample
        self._lanes = _name_lanes(state.prompts)
        self._turns = list(_turns(state.prompts, self._lanes))
        self.calls = list(self._call_rows())
        self.pins_gone = state.pins.gone({call: seen.pins_gone for call, seen in state.seen.items()})
        """Calls that lack each pin."""

    def _call_rows(self) -> Iterable[dict[str, Any]]:
        # Calibration looks at the latest calls that have both figures; keeping no others spares it a long search.
        history: dict[str | None, deque[tuple[int, int]]] = defaultdict(lambda: deque(maxlen=RECENT))
        ids = [prompt.record["id"] for prompt in self._state.prompts]
        for prompt, (lane, lane_origin), (turn, inferred) in zip(
            self._state.prompts, self._lanes, self._turns, strict=True
        ):
            record = prompt.record
            outcome = self._outcomes.get(clean(record["id"]), Outcome(None, None, None, ()))
            response = outcome.response or {}
            last = outcome.attempts[-1] if outcome.attempts else {}
            usage_raw = response.get("usage")
            report = dialect_named(prompt.api).usage_report(usage_raw)
            usage = report.context
            seen = self._state.seen.get(prompt.ordinal)
            layers = prompt.layers if seen is None else seen.layers
            counted = total_of(layers.values())
            # A figure that may leave out a cached part, or add up several passes, is no size of this prompt.
            size = usage.input_tokens if seen is None else size_seen(report)
            exact = size is not None and report.input_is == "exact"
            provider = TokenCount(size, "provider") if exact else NO_COUNT
            model = _text(model_of(record))
            ratio = calibrate(history[model])
            calibrated = NO_COUNT
            if ratio is not None and counted.count is not None:
                calibrated = TokenCount(round(counted.count * ratio), f"estimate:calibrated ×{ratio:.3f}")
            if counted.count and provider.count:
                history[model].append((counted.count, provider.count))
            shown = next(figure for figure in (provider, calibrated, counted) if figure.count is not None)
            source = self._sources[prompt.key[2]]
            limits = limits_of(source.header, self._state.settings, model)
            previous = ids[prompt.previous - 1] if prompt.previous is not None else None
            yield {
                "session": self._state.session,
                "call": prompt.ordinal,
                "id": clean(record["id"]),
                "turn": None if turn is None else json.dumps(turn),
                "turn_label": "t?" if turn is None else clean(f"t{turn}"),
                "turn_inferred": inferred,
                "lane": lane,
                "lane_origin": lane_origin,
                "purpose": _text(record.get("purpose")),
                "previous": previous and clean(previous),
                "api": prompt.api,
                "model": model,
                "time": record["time"],
                "duration_ms": _number(response.get("duration_ms")),
                "status": status_of(outcome),
                "http_status": _int(response.get("status", last.get("status"))),
                "error": _text(response.get("error", last.get("error"))),
                "attempts": max(len(outcome.attempts), 1),
                "stop_reason": _text(response.get("stop_reason")),
                "input_tokens": usage.input_tokens,
                "cached_read": usage.cached_read,
                "cached_write": usage.cached_write,
                "output_tokens": usage.output_tokens,
                "reasoning_tokens": usage.reasoning_tokens,
                "input_is": report.input_is,
                "provider": provider.count,
                "usage": json.dumps(usage_raw) if usage_raw is not None else None,
                "usage_problems": [clean(f"{one.field} = {one.value}: {one.reason}") for one in report.problems],
                "usage_notes": [clean(note) for note in (*_bound(report), *report.notes)],
                **effect_columns(None if seen is None else seen.effect, counted),
                "layers": list(layers),
                "layer_tokens": [count for count, _ in layers.values()],
                "layer_origins": [origin for _, origin in layers.values()],
                "counted": counted.count,
                "counted_origin": counted.origin,
                "calibrated": calibrated.count,
                "calibrated_origin": calibrated.origin,
                "unattributed": None
                if provider.count is None or counted.count is None
                else provider.count - counted.count,
                "tokens": shown.count,
                "tokens_origin": shown.origin,
                "window_size": limits.window,
                "budget": limits.budget,
                "threshold": limits.threshold,
                "messages": prompt.rows,
                "exact": record["exact"],
                "missing": [clean(str(part)) for part in record.get("missing") or ()],
                "caller": _text(record.get("caller")),
                "file": source.path,
                "line": prompt.key[3],
                "pins_gone": prompt.pins_gone if seen is None else list(seen.pins_gone),
                "response_id": _text(response.get("response_id")),
                "answer": list(outcome.contents) if outcome.contents is not None else None,
                "section": prompt.key[2],
                "place": prompt.key[4],
                "answer_key": outcome.place,
            }

    def session(self) -> dict[str, Any]:
        """Return the session's own row."""
        calls = self.calls
        lanes = Counter(call["lane"] for call in calls)
        main = next(iter(_main_first(lanes)), MAIN)
        of_main = [call for call in calls if call["lane"] == main]
        peak = max(of_main, key=largest_read, default=None)
        headers = [source.header for source in self._sources.values()]
        limits = of_main[-1] if of_main else limits_of(headers[-1] if headers else {}, self._state.settings, None).row
        imported = any(header.get("imported") for header in headers)
        changed = [call for call in calls if call["server"]]
        compactions = {record["compaction"] for _, _, record in self._state.marks if record["type"] == "compaction"}
        return {
            "session": self._state.session,
            "agent": next((_text(h.get("agent")) for h in headers if h.get("agent") is not None), None),
            "models": list(dict.fromkeys(call["model"] for call in calls if call["model"] is not None)),
            "calls": len(calls),
            "turns": len({call["turn"] for call in calls if call["turn"] is not None}),
            "started": self._span[0],
            "ended": self._span[1],
            "peak": largest_read(peak) or None if peak else None,
            "peak_origin": peak["tokens_origin"] if peak else "unknown",
            "window_size": limits["window_size"],
            "budget": limits["budget"],
            "threshold": limits["threshold"],
            "compactions": len(compactions),
            "pins": len(self._state.pins.pins),
            "pins_gone": sum(map(bool, self.pins_gone.values())),
            "failed_calls": sum(call["status"] == "failed" for call in calls),
            "server_calls": len(changed),
            "server_removed": max((call["server_removed"] or 0 for call in changed), default=0) or None,
            "fill": [_fill(call, peak) for call in of_main],
            "lanes": _main_first(lanes),
            "lane_calls": [lanes[lane] for lane in _main_first(lanes)],
            "origin": "imported" if imported else "sample" if self._sample else "recorded",
            "exact": sorted({call["exact"] for call in calls}),
        }

    def compactions(self) -> list[dict[str, Any]]:
        """Return the rows of compactions, in order of their first record."""
        rows: dict[str, dict[str, Any]] = {}
        for before, _, record in self._state.marks:
            if record["type"] != "compaction":
                continue
            lane = clean(record["lane"])
            row = rows.setdefault(clean(record["compaction"]), {"first": before})
            found = {
                "state": record["state"],
                "strategy": _text(record.get("strategy")),
                "policy": _text(record.get("policy")),
                "reason": _text(record.get("reason")),
                "lane": lane,
                "time": record["time"],
                "tokens_before": _int(record.get("tokens_before")),
                "tokens_after": _int(record.get("tokens_after")),
                "duration_ms": _number(record.get("duration_ms")),
                "error": _text(record.get("error")),
                "caller": _text(record.get("caller")),
                "before_messages": _length(record.get("before")),
                "after_messages": _length(record.get("after")),
            }
            # A change of state repeats the id and says only what is new.
            row.update({name: value for name, value in found.items() if value is not None or name not in row})
            row["call"] = self._call_after(before, lane)
        return [
            {"session": self._state.session, "compaction": id_, **{k: v for k, v in row.items() if k != "first"}}
            for id_, row in rows.items()
        ]

    def events(self) -> list[dict[str, Any]]:
        """Return the rows of events."""
        events = [(before, record) for before, _, record in self._state.marks if record["type"] == "event"]
        return [
            {
                "session": self._state.session,
                "event": number,
                "kind": clean(record["kind"]),
                "lane": clean(record["lane"]),
                "time": record["time"],
                "data": json.dumps(record["data"]),
                "caller": _text(record.get("caller")),
                "call": before + 1 if before < len(self._state.prompts) else None,
            }
            for number, (before, record) in enumerate(events, start=1)
        ]

    def _call_after(self, before: int, lane: str) -> int | None:
        """The first call of a lane after so many calls of the session."""
        return next((prompt.ordinal for prompt in self._state.prompts[before:] if prompt.record["lane"] == lane), None)


def _bound(report: UsageReport) -> Iterable[str]:
    """Say what a figure is worth that is not exactly the size of the prompt."""
    if report.input_is != "exact" and report.context.input_tokens is not None:
        yield f"the prompt had {report.input_is} the {report.context.input_tokens:,} tokens that the provider counted"


@dataclass(frozen=True)
class Limits:
    """What bounds a context, in tokens."""

    window: int | None
    budget: int | None
    threshold: int | None

    @property
    def row(self) -> dict[str, int | None]:
        """As columns."""
        return {"window_size": self.window, "budget": self.budget, "threshold": self.threshold}


def limits_of(header: Mapping[str, Any], settings: Settings, model: str | None) -> Limits:
    """Resolve window, budget and threshold of a call: what the agent told, else what the settings say."""
    window = _int(header.get("window")) or settings.window_of(model)
    budget = _int(header.get("budget")) or settings.budgets.get("total")
    threshold = _number(header.get("threshold"))
    base = budget or window
    if threshold is not None and threshold <= 1:
        threshold = None if base is None else threshold * base
    return Limits(window, budget, None if threshold is None else round(threshold))


def _name_lanes(prompts: Sequence[Prompt]) -> list[tuple[str, str]]:
    """Name the lane of each call, and who says so.

    A lane nobody named holds every call of the recorder's default. Where some of these have nothing in common with
    the rest (a summariser, a title), they are side calls: the largest thread keeps the name.
    """
    sizes: dict[str, Counter[int]] = defaultdict(Counter)
    for prompt in prompts:
        if prompt.record.get("lane_origin") != "given":
            sizes[prompt.record["lane"]][prompt.thread] += 1
    names: dict[int, str] = {}
    for lane, threads in sizes.items():
        # Counter keeps the order of first use, and max takes the first of equals.
        main = max(threads, key=lambda thread, counts=threads: counts[thread])  # type: ignore[misc]
        side = 0
        for thread in threads:
            if thread != main:
                side += 1
                names[thread] = f"{clean(lane)} · side {side}"
    answer = []
    for prompt in prompts:
        lane = clean(prompt.record["lane"])
        if prompt.record.get("lane_origin") == "given":
            answer.append((lane, "given"))
        elif prompt.thread in names:
            answer.append((names[prompt.thread], "inferred"))
        else:
            answer.append((lane, "default"))
    return answer


def _turns(prompts: Sequence[Prompt], lanes: Sequence[tuple[str, str]]) -> Iterable[tuple[int | str | None, bool]]:
    """Number the turns: as recorded, else by user messages with text in the main lane.

    What a helper does belongs to the turn in which the main lane called it.
    """
    main = next(iter(_main_first(Counter(lane for lane, _ in lanes))), MAIN)
    current: int | str | None = None
    for prompt, (lane, _) in zip(prompts, lanes, strict=True):
        recorded = prompt.record.get("turn")
        if isinstance(recorded, int | str) and not isinstance(recorded, bool):
            current = recorded
            yield current, False
            continue
        if lane == main and prompt.new_turns and not isinstance(current, str):
            current = (current or 0) + prompt.new_turns
        yield current, True


def _main_first(lanes: Counter[str]) -> list[str]:
    """Order lanes: ``main`` first, else the one with most calls; the others by first use."""
    if not lanes:
        return []
    first = MAIN if MAIN in lanes else max(lanes, key=lambda lane: lanes[lane])
    return [first, *(lane for lane in lanes if lane != first)]


def _fill(call: Mapping[str, Any], peak: Mapping[str, Any] | None) -> float | None:
    whole = call["budget"] or call["window_size"] or (peak["tokens"] if peak else None)
    return call["tokens"] / whole if call["tokens"] is not None and whole else None


def _length(runs: Any) -> int | None:
    return None if runs is None else sum(run[-1] for run in runs)


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return clean(value) if isinstance(value, str) else clean(json.dumps(value))


def _int(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else int(number)


def _number(value: Any) -> float | int | None:
    """A number that fits a column."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -(1 << 62) < value < 1 << 62 else None
