"""The header of a comparison in plain words: parameters, tools, layers, the common beginning, the compaction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from inspector.analysis.compactions import CompactionChange
from inspector.analysis.rewriting import common_head
from inspector.model.layers import LAYER_STYLES, Layer
from inspector.model.request import Part
from inspector.ui.compare_sides import Side, SideRow
from inspector.ui.format import format_change, format_count, format_duration, format_estimate, format_tokens

VALUE_CHARS: Final = 2_000
"""Characters of a parameter's value that are sent; the whole stands in the body on the Call page."""
LAYERS_NAMED: Final = 6
"""Layers whose change is named in the header; the others are in its tooltip."""
NAMED: Final = 6
"""Names of tools in a line; more are counted."""


@dataclass(frozen=True)
class Changed:
    """A parameter or a tool that is not the same on both sides."""

    name: str
    old: str | None
    """None: only the second call has it."""
    new: str | None
    """None: only the first call has it."""


def written(value: Any) -> str:
    """Write a value as JSON would, strings in quotes, so that ``1`` and ``"1"`` differ."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a value nested too deep
        return "a value that cannot be shown here (see JSON on the Call page)"


def changed_parameters(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Changed, ...]:
    """List what differs in two sets of parameters, in the order of the first."""
    names = [*old, *(name for name in new if name not in old)]
    pairs = [(name, _value(old, name), _value(new, name)) for name in names]
    return tuple(Changed(*pair) for pair in pairs if pair[1] != pair[2])


def same_parameters(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """List the parameters that are the same, with their value."""
    values = ((name, _value(old, name), _value(new, name)) for name in old)
    return tuple((name, value) for name, value, other in values if value is not None and value == other)


def _value(parameters: Mapping[str, Any], name: str) -> str | None:
    return written(parameters[name]) if name in parameters else None


def tools_of(side: Side) -> dict[str, str]:
    """Return the tool definitions of a call by name; equal names are told apart by a count."""
    tools: dict[str, str] = {}
    for part in _definitions(side):
        name = part.name or "?"
        number = sum(known == name or known.startswith(f"{name} (") for known in tools)
        tools[f"{name} ({number + 1})" if number else name] = part.text
    return tools


def _definitions(side: Side) -> list[Part]:
    messages = (row.message for row in side.rows if row.message is not None)
    return [part for message in messages for part in message.parts if part.kind == "tool_definition"]


def changed_tools(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[Changed, ...]:
    """List the tool definitions that differ."""
    names = [*old, *(name for name in new if name not in old)]
    return tuple(Changed(n, old.get(n), new.get(n)) for n in names if old.get(n) != new.get(n))


def tools_line(changed: tuple[Changed, ...], old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Say how the tools differ: ``tools: same``, ``tools: + search · ≈ query_order``."""
    if not old and not new:
        return "tools: none"
    if not changed:
        reordered = list(old) != list(new)
        return "tools: in another order" if reordered else "tools: same"
    signs = {(True, False): "+", (False, True): "✕", (False, False): "≈"}
    names = [f"{signs[one.old is None, one.new is None]} {one.name}" for one in changed[:NAMED]]
    more = [f"and {len(changed) - NAMED} more"] if len(changed) > NAMED else []
    return f"tools: {' · '.join([*names, *more])}"


def layer_changes(before: Side, after: Side) -> list[tuple[str, int]]:
    """Return by how many tokens each layer grew or shrank, the largest change first."""
    old, new = _by_layer(before), _by_layer(after)
    changes = [(str(layer), new.get(layer, 0) - old.get(layer, 0)) for layer in LAYER_STYLES]
    return sorted(((layer, change) for layer, change in changes if change), key=lambda item: -abs(item[1]))


def _by_layer(side: Side) -> dict[str, int]:
    if side.view is not None:
        return {str(layer): tokens for layer, tokens in side.view.call.composition.items()}
    layers: dict[str, int] = {}
    for row in side.rows:
        layers[str(row.layer)] = layers.get(str(row.layer), 0) + (row.tokens or 0)
    return layers


def layers_line(changes: list[tuple[str, int]]) -> str:
    """Say how the layers changed: ``tool results −2,326 · summary +604``."""
    named = [f"{layer.replace('_', ' ')} {format_change(change)}" for layer, change in changes[:LAYERS_NAMED]]
    return " · ".join(named) if named else "every layer as large as before"


@dataclass(frozen=True)
class Beginning:
    """How far two prompts are the same from their start: what a prompt cache can reuse."""

    tokens: int | None
    """Tokens of the whole messages before the first difference; None: unknown."""
    of: int | None
    """Tokens of all messages of the second prompt."""
    place: int | None
    """Place in the second prompt, from 0, of the message with the first difference; None: there is none."""
    layer: Layer | None
    """Its layer."""
    byte: int | None
    """UTF-8 bytes of its text that are still the same; None: it is not its text that differs."""
    ends: bool = False
    """The second prompt ends there: it is a beginning of the first."""


def same_beginning(before: Side, after: Side) -> Beginning:
    """Find the first difference of two prompts in the order in which they are rendered."""
    rows = list(zip(before.rows, after.rows, strict=False))
    place = next((at for at, (old, new) in enumerate(rows) if not _is_same(old, new)), len(rows))
    tokens = _sum(after.rows[:place])
    of = _sum(after.rows)
    if place == len(after.rows):
        ends = len(before.rows) > place
        return Beginning(tokens, of, None, None, None, ends)
    if place == len(before.rows):
        return Beginning(tokens, of, place, after.rows[place].layer, 0)
    old, new = before.rows[place], after.rows[place]
    byte = None
    if old.text != new.text:
        byte = len(old.text[: common_head(old.text, new.text)].encode("utf-8", "surrogatepass"))
    return Beginning(tokens, of, place, new.layer, byte)


def _sum(rows: tuple[SideRow, ...]) -> int | None:
    return None if any(row.tokens is None for row in rows) else sum(row.tokens or 0 for row in rows)


def _is_same(old: SideRow, new: SideRow) -> bool:
    """Whether two messages are rendered alike: content and ids; not the layer, which is the reader's word."""
    if old.message is not None and new.message is not None:
        return old.message == new.message
    return old.content == new.content and old.text == new.text


def beginning_line(beginning: Beginning) -> str:
    """Say it: ``same beginning: 2,816 of 11,320 tokens, then ST at byte 41``."""
    if beginning.place is None and not beginning.ends:
        return "same beginning: the whole prompt"
    size = f"same beginning: {format_tokens(beginning.tokens)} of {format_tokens(beginning.of)} tokens"
    if beginning.ends:
        return f"{size}: all of it, the prompt before went on"
    code = LAYER_STYLES[beginning.layer].code if beginning.layer is not None else "?"
    if beginning.byte is None:
        return f"{size}, then {code}: the same text in another form"
    if beginning.byte == 0:
        return f"{size}, then {code}"
    return f"{size}, then {code} at byte {format_tokens(beginning.byte)}"


def compaction_facts(change: CompactionChange) -> list[tuple[str, str]]:
    """Return what is known of a compaction, a phrase each with its tooltip."""
    facts: list[tuple[str, str]] = []
    if change.strategy:
        facts.append((change.strategy, "strategy"))
    if change.said_by == "recorded":
        facts.append((f"recorded by {change.caller}" if change.caller else "recorded by the agent", "who says so"))
    elif change.said_by == "server":
        facts.append((f"by the server: {change.certainty}", change.evidence))
    else:
        facts.append((f"inferred: {change.certainty}", change.evidence))
    if change.policy:
        facts.append((f"policy “{change.policy}”", "policy, as the agent recorded it"))
    if change.reason:
        facts.append((f"reason “{change.reason}”", "reason, as the agent recorded it"))
    if change.said_by == "recorded":
        took = f" in {format_duration(change.duration_ms)}" if change.duration_ms is not None else ""
        facts.append((f"{change.state}{took}", "state of the compaction"))
    if change.tokens_taken is not None:
        write = format_estimate if change.estimated else format_tokens
        left = f" → {write(change.tokens_left)}" if change.tokens_left is not None else ""
        what = "tokens of the messages it took, and of what stands for them; their framing is not counted"
        what += f"; {change.unseen:,} of them were new in this call, so that no call saw them" if change.unseen else ""
        facts.append((f"{write(change.tokens_taken)}{left} tokens", what))
    if change.error:
        facts.append((f"error: {change.error}", "as the agent recorded it"))
    return facts


def identical_line(messages: int, whole: bool = True) -> str:
    """Say that nothing differs; ``whole``: parameters and tools are known."""
    return f"No difference in {format_count(messages, 'message')}{', parameters and tools' if whole else ''}."
