"""Controls of a probe: the same context with the fact taken out, and with the fact put last.

Taken out: does the model guess? Put last: is it the position? A probe whose model answers right without the fact
proves nothing, however often it is right with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from inspector.analysis.answers import SENTENCE
from inspector.analysis.distinct_blocks import distinct_blocks
from inspector.model.context import CallContext
from inspector.model.dialects import read_request
from inspector.probes.draft_questions import is_chinese
from inspector.probes.probe import Probe
from inspector.probes.replay_dialects import NoPlaceError
from inspector.probes.replay_request import Edit
from snapshot_sdk.facts import Fact, Matcher

GAP: Final = "[…]"
"""Stands where a fact was taken out."""
PROMPT_MEMBERS: Final = frozenset(
    {"messages", "system", "input", "instructions", "contents", "systemInstruction", "system_instruction", "prompt"}
    | {"documents"}  # of Cohere
)
"""Members of a body that facts are taken out of; tool definitions say what tools do, not what was agreed."""
_NAMES: Final = frozenset(
    {"role", "type", "id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "name", "signature"}
)
"""Keys whose values hold a body together."""
_LONGEST: Final = 300
"""Characters of a statement that is put last."""


def without_facts(facts: Sequence[Fact]) -> Edit:
    """Return the edit that takes facts out of a context: each place where one stands becomes a gap.

    Args:
        facts: What to take out.
    """
    matchers = [Matcher(fact) for fact in facts]

    def edit(api: str, body: dict[str, Any]) -> dict[str, Any]:
        changed = {name: _without(value, matchers) if name in PROMPT_MEMBERS else value for name, value in body.items()}
        left = [
            matcher.fact.text
            for matcher in matchers
            for element in read_request(changed, api).elements
            if element.member in PROMPT_MEMBERS and matcher.match(element.message.text).sightings
        ]
        if left:
            raise NoPlaceError(f"“{left[0]}” cannot be taken out of its context: it is put together from several parts")
        return changed

    return edit


def _without(value: Any, matchers: Sequence[Matcher]) -> Any:
    if isinstance(value, str):
        return _without_in_text(value, matchers)
    if isinstance(value, list):
        return [_without(one, matchers) for one in value]
    if isinstance(value, Mapping):
        return {key: one if key in _NAMES else _without(one, matchers) for key, one in value.items()}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return GAP if any(matcher.match(str(value)).sightings for matcher in matchers) else value
    return value


def _without_in_text(text: str, matchers: Sequence[Matcher]) -> str:
    """Arguments of a tool call are JSON in a text, which must stay JSON."""
    if text[:1] in ("{", "["):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None
        if isinstance(data, dict | list):
            changed = _without(data, matchers)
            if changed != data:
                return json.dumps(changed, ensure_ascii=False)
    for matcher in matchers:
        for sighting in reversed(matcher.match(text).sightings):
            text = f"{text[: sighting.start]}{GAP}{text[sighting.end :]}"
    return text


def put_last(probe: Probe, contexts: Sequence[CallContext]) -> str | None:
    """Return the question of a probe with what it asks for said right before it; None: no prompt said it.

    Args:
        probe: The probe.
        contexts: The calls of the session, in order.
    """
    statements = [statement_of(fact, contexts) for fact in probe.looked_for]
    said = [one for one in dict.fromkeys(statements) if one is not None]
    if not said or len(statements) != len([one for one in statements if one is not None]):
        return None
    if is_chinese(probe.question):
        return f"前面说过：{''.join(f'“{one}”' for one in said)}\n\n{probe.question}"
    return f"It was said earlier: {' '.join(f'“{one}”' for one in said)}\n\n{probe.question}"


def statement_of(fact: Fact, contexts: Sequence[CallContext]) -> str | None:
    """Return the sentence that says a fact first; None: none does.

    Args:
        fact: The fact.
        contexts: The calls, in order.
    """
    matcher = Matcher(fact)
    for _, block in distinct_blocks(contexts):
        sightings = matcher.match(block.text).sightings
        if sightings:
            return _sentence_at(block.text, sightings[0].start, sightings[0].end)
    return None


def _sentence_at(text: str, start: int, end: int) -> str:
    begin = max(text.rfind("\n", 0, start) + 1, start - _LONGEST // 2)
    stop = text.find("\n", end)
    line = text[begin : min(stop if stop >= 0 else len(text), end + _LONGEST // 2)]
    at = start - begin
    inside = (one for one in SENTENCE.finditer(line) if one.start() <= at < one.end() and end - begin <= one.end())
    return next((one[0].strip() for one in inside), line.strip())
