"""The calls of an inspect_ai sample: raw requests where the log has them, else put together from its own messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.importers.base import (
    ImportedAnswer,
    ImportedAttempt,
    ImportedCall,
    ImportedCompaction,
    ImportedRecord,
)
from inspector.importers.evaluations.inspect_ai_messages import answer_of, request_of
from inspector.importers.evaluations.inspect_ai_samples import Pools, Sample
from inspector.importers.evaluations.inspect_ai_spans import Lane, Spans
from inspector.importers.reading.moments import milliseconds, moment

_REFERENCES: Final = ("attachment://", "tc://")
"""What stands in the place of a long text; the second until 2024."""

_REMOVED: Final = "<base64-data-removed>"
"""What stands in the place of an image that was not to be logged."""

_CLIENT: Final = frozenset({"betas", "extra_headers", "extra_query", "timeout"})
"""Arguments for the provider's client that are no members of the body: headers, mostly."""

_APIS: Final = {
    "anthropic": "anthropic.messages",
    "bedrock": "bedrock.converse",
    "google": "gemini.generate_content",
    "mistral": "mistral.chat",
}
"""Provider in a model's name → dialect of its raw requests; all others speak OpenAI's."""

_CONVERTED: Final = "gemini.generate_content"
"""Of this one the log has the arguments of Google's client, which words them otherwise on the wire."""

_RETRIED: Final = "it failed and was tried again; the log does not say why"


def records_of(sample: Sample) -> Iterator[ImportedRecord]:
    """Read the calls and compactions of a sample, in the order of its events; earlier tries of it come first.

    Args:
        sample: The sample.

    Raises:
        UnreadableError: It is broken.
        OSError: Its log cannot be read.
    """
    with sample.pools() as pools:
        reader = _Reader(pools)
        for number, retry in enumerate(pools.retries, start=1):
            events = retry.get("events") if isinstance(retry, dict) else None
            yield from reader.read(events or (), Lane(f"try {number}"))
        yield from reader.read(sample.events())


class _Reader:
    """Reads events, one at a time."""

    def __init__(self, pools: Pools) -> None:
        self._pools = pools
        self._spans = Spans()

    def read(self, events: Iterable[Any], lane: Lane | None = None) -> Iterator[ImportedRecord]:
        """Read events in their order.

        Args:
            events: The events.
            lane: Where they all belong; None: where their spans say.
        """
        for event in events:
            if not isinstance(event, dict):
                continue
            self._spans.take(event)
            kind = event.get("event")
            if kind == "model":
                yield self._call(event, lane or self._spans.lane(event.get("span_id")))
            elif kind == "compaction":
                yield _compaction(event, lane or self._spans.lane(event.get("span_id")))
            elif event.get("events"):  # a tool or subtask, before there were spans
                name = str(event.get("name") or event.get("function") or kind)
                yield from self._nested(event["events"], name)

    def _nested(self, events: Sequence[Any], name: str) -> Iterator[ImportedRecord]:
        if any(isinstance(event, dict) and (event.get("event") == "model" or event.get("events")) for event in events):
            yield from self.read(events, Lane(self._spans.apart(name)))

    def _call(self, event: dict[str, Any], lane: Lane) -> ImportedCall:
        lost: set[str] = set()
        call = event.get("call")
        raw = call.get("request") if isinstance(call, dict) else None
        model = event["model"] if isinstance(event.get("model"), str) else None
        api: str | None = "openai.chat"
        if isinstance(call, dict) and isinstance(raw, dict):
            request = self._raw_request(raw, call, lost)
            api = _api_of(model, request)
            if api == _CONVERTED:
                lost.add("wire form")
        else:
            rest = {name: value for name, value in event.items() if name in ("config", "model", "tool_choice", "tools")}
            request = request_of(self._resolve(rest, lost), self._resolve(self._input(event, lost), lost))
            lost.add("wire form")
        role = event.get("role")
        retries = event.get("retries")
        return ImportedCall(
            request=request,
            exact="rebuilt" if lost else "imported",
            missing=tuple(sorted(lost)),
            api=api,
            model=model,
            lane=lane.name or (role if isinstance(role, str) else None),
            purpose=lane.purpose,
            time=moment(event.get("timestamp")),
            attempts=(ImportedAttempt(error=_RETRIED),) * (retries if isinstance(retries, int) else 0),
            answer=self._answer(event, api),
        )

    def _raw_request(self, raw: dict[str, Any], call: Mapping[str, Any], lost: set[str]) -> dict[str, Any]:
        """Give the body: without what is for the client, with ``extra_body`` merged in, as the client does."""
        request = {name: self._resolve(value, lost) for name, value in raw.items() if name not in _CLIENT}
        if call.get("call_refs"):
            key = str(call.get("call_key") or "messages")
            request[key] = self._resolve(_taken(call["call_refs"], self._pools.calls, lost), lost)
        extra = request.pop("extra_body", None)
        return {**request, **extra} if isinstance(extra, dict) else request

    def _input(self, event: Mapping[str, Any], lost: set[str]) -> list[Any]:
        if event.get("input_refs") and not event.get("input"):
            return _taken(event["input_refs"], self._pools.messages, lost)
        found = event.get("input")
        return found if isinstance(found, list) else []

    def _answer(self, event: Mapping[str, Any], api: str | None) -> ImportedAnswer | None:
        """Read what came back; of a call that was pending, or of which the log says nothing, None."""
        call, output = event.get("call"), event.get("output")
        call = call if isinstance(call, dict) else {}
        output = self._resolve(output, set()) if isinstance(output, dict) else {}
        error = event.get("error") or output.get("error")
        failed = bool(error) or bool(call.get("error"))
        body: dict[str, Any] | None = None
        if not failed and isinstance(call.get("response"), dict) and call["response"]:
            body = self._resolve(call["response"], set())
            body = _in_json(body) if api == _CONVERTED else body
        elif not failed or not event.get("error"):
            body = answer_of(output)
        if event.get("pending") or (body is None and not failed):
            return None
        seconds = next((one for one in (call.get("time"), output.get("time")) if isinstance(one, int | float)), None)
        sent, came = moment(event.get("timestamp")), moment(event.get("completed"))
        return ImportedAnswer(
            body=body,
            time=came,
            duration_ms=seconds * 1000.0 if seconds is not None else milliseconds(sent, came),
            error=str(error) if error else ("the call failed" if failed else None),
        )

    def _resolve(self, value: Any, lost: set[str]) -> Any:
        """Put long texts back in the place of their references; a text that only looks like one stays."""
        if isinstance(value, str):
            if value.startswith(_REFERENCES):
                name = value.partition("://")[2]
                text = self._pools.attachments.get(name)
                if text is None and len(name) == 32 and name.isalnum():  # as a digest is written
                    lost.add("attachments")
                return value if text is None else text
            if value == _REMOVED:
                lost.add("images")
            return value
        if isinstance(value, list):
            return [self._resolve(item, lost) for item in value]
        if isinstance(value, dict):
            return {name: self._resolve(item, lost) for name, item in value.items()}
        return value


def _taken(ranges: Any, pool: Sequence[Any], lost: set[str]) -> list[Any]:
    """Take ranges, each from a place up to but without another, out of a pool."""
    found: list[Any] = []
    for one in ranges if isinstance(ranges, list) else ():
        start, end = one if isinstance(one, list) and len(one) == 2 else (None, None)
        if isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= len(pool):
            found += pool[start:end]
        else:
            lost.add("messages")
    return found


def _compaction(event: Mapping[str, Any], lane: Lane) -> ImportedCompaction:
    metadata = event.get("metadata")
    facts = metadata if isinstance(metadata, dict) else {}
    kind = event.get("type")
    before, after = (event.get(f"tokens_{name}") for name in ("before", "after"))
    return ImportedCompaction(
        strategy=kind if kind in ("summary", "edit", "trim") else None,
        policy=str(facts.get("strategy") or event.get("source") or "") or None,
        reason=str(facts["trigger"]) if facts.get("trigger") else None,
        lane=lane.name,
        time=moment(event.get("timestamp")),
        tokens_before=before if isinstance(before, int) else None,
        tokens_after=after if isinstance(after, int) else None,
    )


def _api_of(model: str | None, request: Mapping[str, Any]) -> str | None:
    """Name the dialect of a raw request; None: its members are to tell."""
    provider = (model or "").partition("/")[0]
    if "contents" in request:
        return "gemini.generate_content"
    if "input" in request and "messages" not in request:
        return "openai.responses"
    if "messages" not in request:
        return None
    found = _APIS.get(provider, "openai.chat")
    return found if found != _CONVERTED else None


def _in_json(body: Mapping[str, Any]) -> dict[str, Any]:
    """Word an answer of Google's Python client as its API does, where the reader looks: usage, reasons, ids."""
    found = {_camel(name): value for name, value in body.items()}
    usage, candidates = found.get("usageMetadata"), found.get("candidates")
    if isinstance(usage, dict):
        found["usageMetadata"] = {_camel(name): value for name, value in usage.items() if value is not None}
    if isinstance(candidates, list):
        found["candidates"] = [
            {_camel(name): value for name, value in one.items()} if isinstance(one, dict) else one for one in candidates
        ]
    return found


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
