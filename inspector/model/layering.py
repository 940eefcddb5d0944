"""Which layer every run of a prompt belongs to, and why.

In order of say: labels of the agent, rules of the user, marks in the text (:mod:`inspector.model.markers`), then
role, kind and place. ``docs/layers.md`` tells it for users.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from inspector.model.labels import Label
from inspector.model.layers import Layer
from inspector.model.markers import HEADINGS, TAGS, find_headings, find_tags, opens_as_summary
from inspector.model.request import Element, Message, Part
from inspector.model.settings import LayerRule
from inspector.model.spans import Span, paint

_LABEL, _MESSAGE_LABEL, _RULE, _WHOLE_RULE, _MARK = 5, 4, 3, 2, 1
_INSTRUCTION_ROLES: Final = frozenset({"system", "developer"})
_MARKED_ROLES: Final = frozenset({"system", "developer", "user", None})
_SYSTEM_MEMBERS: Final = frozenset({"system", "systemInstruction", "system_instruction", "instructions"})
_BY_KIND: Final[Mapping[str, Layer]] = {
    "tool_definition": Layer.TOOLS,
    "reasoning": Layer.REASONING,
    "tool_call": Layer.TOOL_CALLS,
    "tool_result": Layer.TOOL_RESULTS,
}
_BY_BLOCK: Final[Mapping[str, Layer]] = {"compaction": Layer.SUMMARY, "search_result": Layer.RETRIEVED}


@dataclass(frozen=True)
class Segment:
    """A run of a part with one layer."""

    part: int
    """Which part of the message, from 0."""
    start: int
    """Characters into the part's text."""
    end: int
    """Character after the last. Segments of a part meet without gap; a part without text has one empty segment."""
    layer: Layer
    why: str
    """Which rule decided: ``label``, ``rule:<name>``, ``marker:<name>``, ``role`` (and kind), ``place``."""
    source: str | None = None
    """Label's source."""


@dataclass(frozen=True)
class Place:
    """What the surroundings of a message say about it."""

    is_input: bool = False
    """It is the user's current input."""
    rules: tuple[int, ...] = ()
    """Numbers of the user's rules whose role and position fit it."""


@dataclass(frozen=True)
class PlacedLabel:
    """A label of text and the places where it holds in one message."""

    label: Label
    places: tuple[tuple[int, int], ...]
    """Part and first character of each place."""


def places_of(elements: Sequence[Element], rules: Sequence[LayerRule] = ()) -> tuple[Place, ...]:
    """Say for each element what its surroundings decide.

    The current input is the last user message with text, unless an assistant has answered it already: an
    assistant message that calls tools is a step on the way to an answer, and one that ends the prompt is the
    beginning of the answer to come (a prefill).

    Args:
        elements: The whole prompt, in order.
        rules: The user's rules. Positions count conversation messages, not tool definitions.
    """
    current = _input_place(elements)
    spoken = [number for number, element in enumerate(elements) if element.message.role is not None]
    ordinal = {number: at for at, number in enumerate(spoken)}
    return tuple(
        Place(
            number == current,
            tuple(n for n, rule in enumerate(rules) if _fits(rule, element, ordinal.get(number), len(spoken)))
            if rules
            else (),
        )
        for number, element in enumerate(elements)
    )


def _input_place(elements: Sequence[Element]) -> int | None:
    for number in range(len(elements) - 1, -1, -1):
        element, message = elements[number], elements[number].message
        if message.role == "user" and any(part.kind == "text" and part.text.strip() for part in message.parts):
            return number
        if message.role is None and element.index is None and element.member in ("input", "prompt"):
            return number
        answered = message.role == "assistant" and not any(part.kind == "tool_call" for part in message.parts)
        if answered and number < len(elements) - 1:
            return None
    return None


def _fits(rule: LayerRule, element: Element, ordinal: int | None, count: int) -> bool:
    if rule.role is not None and rule.role != element.message.role:
        return False
    if rule.position is None:
        return True
    wanted = count + rule.position if rule.position < 0 else rule.position
    return ordinal == wanted


def segment_message(
    element: Element,
    place: Place = Place(),  # frozen and empty
    *,
    labels: Sequence[PlacedLabel] = (),
    message_label: Label | None = None,
    rules: Sequence[LayerRule] = (),
) -> tuple[Segment, ...]:
    """Cut a message into segments, each with its layer and the rule that decided it.

    Pure: equal arguments give equal segments, so answers can be kept per content.

    Args:
        element: The message.
        place: From :func:`places_of`.
        labels: Labels of text with their places in this message.
        message_label: Label of the whole message, if there is one.
        rules: The user's rules (all of them; ``place`` says which fit).
    """
    segments: list[Segment] = []
    for number, part in enumerate(element.message.parts):
        layer, why = _base(element, part, place)
        claims = [
            *_label_spans(number, part, labels, message_label),
            *_rule_spans(part, place, rules),
            *(_mark_spans(part, element.message) if part.kind == "text" else ()),
        ]
        if not part.text:
            # Nothing to cut (an image): whoever claims the whole decides.
            claims = [Span(0, 1, s.layer, s.why, s.priority, s.source) for s in claims if s.start == 0]
        base = Span(0, 0, layer, why, (0,))
        for run in paint(len(part.text) or (1 if claims else 0), base, claims):
            end = run.end if part.text else 0
            segments.append(Segment(number, run.start, end, run.layer, run.why, run.source))
    return tuple(segments)


def _base(element: Element, part: Part, place: Place) -> tuple[Layer, str]:
    role = element.message.role
    if part.kind in _BY_KIND:
        return _BY_KIND[part.kind], "role"
    if role in ("tool", "function") or part.call_id is not None:
        return Layer.TOOL_RESULTS, "role"
    if part.kind in ("image", "file"):
        return Layer.ATTACHMENTS, "role"
    if part.kind == "text" and part.name is not None and part.name in _BY_BLOCK:
        return _BY_BLOCK[part.name], "role"
    if role in _INSTRUCTION_ROLES or (role is None and element.member in _SYSTEM_MEMBERS):
        return Layer.SYSTEM, "role"
    if place.is_input:
        return Layer.INPUT, "place"
    return Layer.HISTORY, "role"


def _label_spans(number: int, part: Part, labels: Sequence[PlacedLabel], message_label: Label | None) -> Iterator[Span]:
    if message_label is not None and message_label.layer is not None:
        yield Span(
            0,
            len(part.text) or 1,
            message_label.layer,
            "label",
            (_MESSAGE_LABEL, message_label.order),
            message_label.source,
        )
    for placed in labels:
        label = placed.label
        if label.layer is None or label.text is None:
            continue
        length = len(label.text)
        for where, start in placed.places:
            if where == number:
                yield Span(start, start + length, label.layer, "label", (_LABEL, length, label.order), label.source)


def _rule_spans(part: Part, place: Place, rules: Sequence[LayerRule]) -> Iterator[Span]:
    tags: dict[str, tuple[int, LayerRule]] = {}
    for number in place.rules:
        rule = rules[number]
        if rule.whole:
            yield Span(0, len(part.text) or 1, rule.layer, f"rule:{rule.name}", (_WHOLE_RULE, -number))
        elif rule.tag is not None:
            tags.setdefault(rule.tag.lower(), (number, rule))
        elif rule.regex is not None:
            group = 1 if rule.regex.groups else 0
            for match in rule.regex.finditer(part.text):
                start, end = match.span(group)
                if start < end:
                    yield Span(start, end, rule.layer, f"rule:{rule.name}", (_RULE, -number, start))
    for mark in find_tags(part.text, frozenset(tags)):
        number, rule = tags[mark.name]
        yield Span(mark.start, mark.end, rule.layer, f"rule:{rule.name}", (_RULE, -number, mark.start))


_TAG_NAMES: Final = frozenset(TAGS)


def _mark_spans(part: Part, message: Message) -> Iterator[Span]:
    text = part.text
    if opens_as_summary(text) and message.role in (*_MARKED_ROLES, "assistant"):
        yield Span(0, len(text), Layer.SUMMARY, "marker:opening", (_MARK, 0, 0))
    if message.role not in _MARKED_ROLES:
        return
    for mark in find_headings(text):
        yield Span(mark.start, mark.end, HEADINGS[mark.name], f"marker:{mark.name}", (_MARK, 1, mark.start))
    for mark in find_tags(text, _TAG_NAMES):
        # The inner of two nested tags is the more particular one: it starts later.
        yield Span(mark.start, mark.end, TAGS[mark.name], f"marker:{mark.name}", (_MARK, 2, mark.start))
