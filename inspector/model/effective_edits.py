"""Anthropic's context editing: which tool results and thinking the server took out of a prompt.

The response says how many (``applied_edits``), never which; the documented order, oldest first, says the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from inspector.model.effective_values import Draft
from inspector.model.fates import Certainty
from inspector.model.request import Part, PartKind

CLEAR_TOOL_USES: Final = "clear_tool_uses"
CLEAR_THINKING: Final = "clear_thinking"
"""Beginnings of the edits' types; a date follows."""

KEPT_TOOL_USES: Final = 3
"""Tool uses kept where the request does not say (documented default)."""
KEPT_THINKING: Final = 1
"""Turns whose thinking is kept where the request does not say (documented default)."""


def apply_edits(draft: Draft, parameters: Mapping[str, Any], context: Mapping[str, Any] | None) -> None:
    """Take out what the server says it took out.

    Args:
        draft: The conversation as it stands; changed in place.
        parameters: The request's other members; ``context_management`` matters.
        context: The response's ``context_management``; None: not recorded.
    """
    asked = [edit for edit in _list(_mapping(parameters.get("context_management")).get("edits")) if _kind(edit)]
    if context is None:
        if asked:
            kinds = " and ".join(sorted({_kind(edit) for edit in asked}))
            draft.note(f"The request allows {kinds}; whether the server did so is not in the trace.", "a guess")
        return
    for edit in _list(context.get("applied_edits")):
        kind = _kind(edit)
        settings: Mapping[str, Any] = next((one for one in asked if _kind(one) == kind), {})
        if kind == CLEAR_TOOL_USES:
            _clear_tool_uses(draft, settings, edit)
        elif kind == CLEAR_THINKING:
            _clear_thinking(draft, settings, edit)
        elif isinstance(_mapping(edit).get("type"), str):
            draft.note(
                f"The server applied {edit['type']}, which is not known here: what it took out is unknown.", "a guess"
            )


def _kind(edit: Any) -> str:
    name = _mapping(edit).get("type")
    known = (CLEAR_TOOL_USES, CLEAR_THINKING)
    return next((kind for kind in known if isinstance(name, str) and name.startswith(kind)), "")


def _clear_tool_uses(draft: Draft, settings: Mapping[str, Any], edit: Mapping[str, Any]) -> None:
    count = _whole(edit.get("cleared_tool_uses"))
    if count is None:
        draft.note("The server cleared tool results and does not say how many.", "a guess")
        return
    spared = {str(name) for name in _list(settings.get("exclude_tools"))}
    eligible = [call for call, name in _tool_uses(draft) if name not in spared]
    kept = _kept(settings.get("keep"), KEPT_TOOL_USES)
    certainty: Certainty = "certain" if kept is not None and count == max(0, len(eligible) - kept) else "likely"
    if count > len(eligible):
        certainty = "a guess"
        draft.note(f"The server cleared {count:,} tool uses; only {len(eligible):,} that may be cleared are here.")
    cleared = frozenset(eligible[:count])
    reason = f"cleared by the server: one of the oldest {count:,} of {len(eligible):,} tool results that may be"
    _blank(draft, lambda part: part.kind != "tool_call" and part.call_id in cleared, "tool_result", reason, certainty)
    inputs = settings.get("clear_tool_inputs")
    if inputs:
        named = None if inputs is True else {str(name) for name in _list(inputs)}
        _blank(
            draft,
            lambda part: part.kind == "tool_call" and part.call_id in cleared and (named is None or part.name in named),
            "tool_call",
            f"{reason}, with what its tool was called with",
            certainty,
        )
    tokens = _whole(edit.get("cleared_input_tokens"))
    size = "" if tokens is None else f", {tokens:,} tokens by its own count"
    draft.note(
        f"The server cleared {count:,} tool result{'' if count == 1 else 's'} before the model saw the prompt{size}; "
        "in the place of each stands a line of its own whose text is not documented.",
        certainty,
    )


def _tool_uses(draft: Draft) -> list[tuple[str, str | None]]:
    """Return id and tool of every call that has a result, oldest first."""
    parts = [part for row in draft.rows for part in row.element.message.parts if part.call_id is not None]
    answered = {part.call_id for part in parts if part.kind != "tool_call"}
    return [
        (part.call_id, part.name)
        for part in parts
        if part.kind == "tool_call" and part.call_id is not None and part.call_id in answered
    ]


def _clear_thinking(draft: Draft, settings: Mapping[str, Any], edit: Mapping[str, Any]) -> None:
    count = _whole(edit.get("cleared_thinking_turns"))
    if count is None:
        draft.note("The server cleared thinking and does not say of how many turns.", "a guess")
        return
    keep = _kept(settings.get("keep"), KEPT_THINKING)
    readings = [_thinking(draft, by_turn=by_turn) for by_turn in (True, False)]
    fits = [groups for groups in readings if keep is not None and len(groups) - keep == count]
    groups = (fits or readings)[0]
    gone = {place for group in groups[:count] for place in group}
    # Whether a turn is an answer or all answers between two user messages is not documented.
    agree = all({place for group in one[:count] for place in group} == gone for one in readings)
    certainty: Certainty = "certain" if fits and agree else "likely" if agree or len(fits) == 1 else "a guess"
    reason = f"thinking of the oldest {count:,} of {len(groups):,} assistant turns, cleared by the server"
    _drop(draft, gone, reason, certainty)
    draft.note(f"The server cleared the thinking of {count:,} assistant turns before the model saw it.", certainty)


def _thinking(draft: Draft, *, by_turn: bool) -> list[list[tuple[int, int]]]:
    """Group places of thinking by assistant turn: up to the next user message with text, or message by message."""
    groups: list[list[tuple[int, int]]] = []
    fresh = True
    for number, row in enumerate(draft.rows):
        if row.message.role == "user" and any(part.kind == "text" and part.text for part in row.message.parts):
            fresh = True
        places = [(number, at) for at, part in enumerate(row.message.parts) if part.kind == "reasoning"]
        if not places:
            continue
        if fresh or not by_turn:
            groups.append([])
            fresh = False
        groups[-1] += places
    return groups


def _blank(draft: Draft, wanted: Callable[[Part], bool], kind: PartKind, reason: str, certainty: Certainty) -> None:
    """Put an unreadable part in the place of what was cleared: one for all parts of a result."""
    for number, row in enumerate(draft.rows):
        parts = row.element.message.parts
        if len(parts) == 1 and not wanted(parts[0]):
            continue
        gone = [at for at, part in enumerate(parts) if wanted(part)]
        if not gone:
            continue
        draft.remove(number, reason, certainty, gone)
        left: list[Part] = []
        blanked: set[str | None] = set()
        for at, part in enumerate(parts):
            if at not in gone:
                left.append(part)
            elif part.call_id not in blanked:
                blanked.add(part.call_id)
                left.append(Part(kind, "", part.name, part.call_id, opaque=True))
        draft.replace_parts(number, left, reason)


def _drop(draft: Draft, gone: set[tuple[int, int]], reason: str, certainty: Certainty) -> None:
    emptied = set()
    for number in sorted({number for number, _ in gone}):
        parts = draft.rows[number].message.parts
        places = [at for at in range(len(parts)) if (number, at) in gone]
        draft.remove(number, reason, certainty, places)
        draft.replace_parts(number, [part for at, part in enumerate(parts) if at not in places], reason)
        if len(places) == len(parts):
            emptied.add(number)
    draft.rows = [row for number, row in enumerate(draft.rows) if number not in emptied]


def _kept(keep: Any, default: int) -> int | None:
    """Return how many are kept; None where that is no number (``all``, or a shape of tomorrow)."""
    if keep is None:
        return default
    return _whole(_mapping(keep).get("value"))


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()
