"""Every run of a prompt has a layer and a reason: labels, rules, marks, then role and place."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.labels import Label
from inspector.model.layering import Place, PlacedLabel, Segment, places_of, segment_message
from inspector.model.layers import Layer
from inspector.model.request import Element, Message, Part
from inspector.model.settings import LayerRule
from inspector.model.spans import find_texts


def cut(element: Element, segments: tuple[Segment, ...]) -> list[tuple[str, str, str]]:
    """Return text, layer and reason of each segment."""
    return [(element.message.parts[s.part].text[s.start : s.end], s.layer.value, s.why) for s in segments]


def elements_of(*messages: Message) -> list[Element]:
    """Return messages as elements."""
    return [Element("messages", index, message) for index, message in enumerate(messages)]


def say(role: str | None, text: str) -> Message:
    """Return a message with one text."""
    return Message(role, (Part("text", text),))


@pytest.mark.parametrize(
    ("role", "part", "layer"),
    [
        ("system", Part("text", "x"), "system"),
        ("developer", Part("text", "x"), "system"),
        ("user", Part("text", "x"), "history"),
        ("assistant", Part("text", "x"), "history"),
        ("assistant", Part("reasoning", "x"), "reasoning"),
        ("assistant", Part("tool_call", "x", "f", "c"), "tool_calls"),
        ("tool", Part("tool_result", "x", call_id="c"), "tool_results"),
        ("user", Part("tool_result", "x", call_id="c"), "tool_results"),
        ("user", Part("image", "", call_id="c"), "tool_results"),
        ("user", Part("image", ""), "attachments"),
        ("user", Part("file", "x"), "attachments"),
        ("user", Part("text", "x", "search_result"), "retrieved"),
        ("assistant", Part("text", "x", "compaction"), "summary"),
        (None, Part("tool_definition", "{}"), "tools"),
    ],
)
def test_role_and_kind(role: str | None, part: Part, layer: str) -> None:
    """Without anything else, role and kind decide."""
    (segment,) = segment_message(Element("messages", 0, Message(role, (part,))))
    assert (segment.layer.value, segment.why) == (layer, "role")


def test_unknown_member_that_instructs() -> None:
    """Instructions of other APIs are system text."""
    (segment,) = segment_message(Element("instructions", None, say(None, "Be brief.")))
    assert segment.layer is Layer.SYSTEM


CALL = Message("assistant", (Part("tool_call", "{}", "f", "c"),))
RESULT = Message("tool", (Part("tool_result", "42", call_id="c"),))


@pytest.mark.parametrize(
    ("messages", "current"),
    [
        ([say("system", "s"), say("user", "a")], 1),
        ([say("user", "a"), say("assistant", "b"), say("user", "c")], 2),
        ([say("user", "context"), say("user", "question")], 1),
        ([say("user", "a"), CALL, RESULT], 0),
        ([say("user", "a"), CALL, Message("user", (Part("tool_result", "42", call_id="c"),))], 0),
        ([say("user", "a"), say("assistant", "pre")], 0),
        ([say("user", "a"), say("assistant", "b"), say("system", "note")], None),
        ([say("user", "a"), Message("user", (Part("image", ""),))], 0),
        ([say("system", "s")], None),
        ([], None),
    ],
)
def test_current_input(messages: list[Message], current: int | None) -> None:
    """The last user message with text is the input until an assistant has answered it."""
    places = places_of(elements_of(*messages))
    assert [number for number, place in enumerate(places) if place.is_input] == ([] if current is None else [current])


def test_marks_divide_a_joined_string(user: Callable[[str], Element]) -> None:
    """Tags in one string are segments, tags included; the rest stays what it was."""
    element = user("Hi <memory>tea</memory> and <state>cart</state>.")
    assert cut(element, segment_message(element, Place(is_input=True))) == [
        ("Hi ", "input", "place"),
        ("<memory>tea</memory>", "memory", "marker:memory"),
        (" and ", "input", "place"),
        ("<state>cart</state>", "state", "marker:state"),
        (".", "input", "place"),
    ]


def test_the_inner_tag_wins(user: Callable[[str], Element]) -> None:
    """Of nested marks the inner one is the more particular."""
    element = user("<context>a<memory>b</memory>c</context>")
    assert [(text, layer) for text, layer, _ in cut(element, segment_message(element))] == [
        ("<context>a", "retrieved"),
        ("<memory>b</memory>", "memory"),
        ("c</context>", "retrieved"),
    ]


def test_summary_opening_takes_the_whole_text(user: Callable[[str], Element]) -> None:
    """A text that opens like a known summary is one, but for marks inside it."""
    element = user("Here is a summary of the conversation to date:\nx <memory>y</memory>")
    assert [layer for _, layer, _ in cut(element, segment_message(element))] == ["summary", "memory"]


def test_marks_in_tool_results_are_other_peoples() -> None:
    """A tool result that holds a tag stays a tool result."""
    message = Message("tool", (Part("tool_result", "<memory>x</memory>", call_id="c"),))
    (segment,) = segment_message(Element("messages", 0, message))
    assert segment.layer is Layer.TOOL_RESULTS


def place(message: Message, *labels: Label) -> list[PlacedLabel]:
    """Find every place of some labels in a message."""
    hits = [find_texts(part.text, [label.text or "" for label in labels]) for part in message.parts]
    return [
        PlacedLabel(
            label, tuple((part, start) for part, found in enumerate(hits) for start in found.get(label.text, ()))
        )
        for label in labels
    ]


def segments_of(
    message: Message, *labels: Label, whole: Label | None = None, rules: tuple[LayerRule, ...] = ()
) -> tuple[Segment, ...]:
    """Cut a message that stands alone."""
    element = Element("messages", 0, message)
    (where,) = places_of([element], rules)
    return segment_message(element, where, labels=place(message, *labels), message_label=whole, rules=rules)


def labelled(text: str, *labels: Label, rules: tuple[LayerRule, ...] = ()) -> list[tuple[str, str]]:
    """Cut one system message under labels."""
    message = say("system", text)
    segments = segments_of(message, *labels, rules=rules)
    return [(piece, layer) for piece, layer, _ in cut(Element("messages", 0, message), segments)]


def test_a_label_marks_every_occurrence() -> None:
    """A labelled text is its layer wherever it stands."""
    assert labelled("tea, tea", Label(0, Layer.MEMORY, "tea")) == [
        ("tea", "memory"),
        (", ", "system"),
        ("tea", "memory"),
    ]


def test_the_longest_label_wins() -> None:
    """Of overlapping labels the longest wins; the shorter keeps what is left."""
    labels = (Label(0, Layer.RETRIEVED, "abcd"), Label(1, Layer.STATE, "cde"))
    assert labelled("abcde", *labels) == [("abcd", "retrieved"), ("e", "state")]


def test_the_latest_of_equal_length_wins() -> None:
    """Of overlapping labels of one length the later wins."""
    labels = (Label(0, Layer.RETRIEVED, "abc"), Label(1, Layer.STATE, "bcd"))
    assert labelled("abcd", *labels) == [("a", "retrieved"), ("bcd", "state")]


def test_a_label_of_a_message_covers_all_its_parts() -> None:
    """A whole message may be labelled, pictures and all; a labelled text in it is more particular."""
    message = Message("user", (Part("text", "see tea"), Part("image", "")))
    whole = Label(0, Layer.RETRIEVED, message="a", source="kb:7")
    segments = segments_of(message, Label(1, Layer.MEMORY, "tea"), whole=whole)
    assert [(s.part, s.layer.value, s.source) for s in segments] == [
        (0, "retrieved", "kb:7"),
        (0, "memory", None),
        (1, "retrieved", "kb:7"),
    ]


def test_labels_win_over_rules_and_rules_over_marks() -> None:
    """What the agent says outweighs the user's rule, and that the built-in mark."""
    rule = LayerRule("r", Layer.STATE, tag="memory")
    text = "<memory>tea</memory>"
    assert labelled(text) == [(text, "memory")]
    assert labelled(text, rules=(rule,)) == [(text, "state")]
    assert labelled(text, Label(0, Layer.SUMMARY, "tea"), rules=(rule,))[1] == ("tea", "summary")


def test_rules_by_regex_role_and_position() -> None:
    """A regex marks its group 1; role and position choose messages; the first rule wins."""
    rules = (
        LayerRule("id", Layer.STATE, regex=re.compile(r"order (\d+)"), role="user"),
        LayerRule("first", Layer.MEMORY, position=0),
        LayerRule("never", Layer.SUMMARY, role="user", position=7),
        LayerRule("last", Layer.RETRIEVED, position=-1),
    )
    elements = elements_of(say("system", "order 1"), say("user", "order 22!"), say("assistant", "order 3"))
    places = places_of(elements, rules)
    answer = [segment_message(e, where, rules=rules) for e, where in zip(elements, places, strict=True)]
    assert [cut(e, s) for e, s in zip(elements, answer, strict=True)] == [
        [("order 1", "memory", "rule:first")],
        [("order ", "input", "place"), ("22", "state", "rule:id"), ("!", "input", "place")],
        [("order 3", "retrieved", "rule:last")],
    ]


pieces = st.sampled_from(["<memory>", "</memory>", "<doc>", "</doc>", "tea", " ", "[对话摘要]", "\n", "你好", "\ud800"])


@given(texts=st.lists(st.lists(pieces, max_size=12).map("".join), max_size=3), data=st.data())
def test_segments_cover_every_part(texts: list[str], data: st.DataObject) -> None:
    """Whatever the text and the labels: the segments of a part meet, and cover it whole."""
    parts = tuple(Part("text", text) for text in texts)
    labels = data.draw(st.lists(st.builds(Label, st.integers(0, 9), st.just(Layer.STATE), pieces), max_size=4))
    segments = segments_of(Message("user", parts), *labels)
    for number, part in enumerate(parts):
        own = [segment for segment in segments if segment.part == number]
        assert (own[0].start, own[-1].end) == (0, len(part.text))
        assert all(before.end == after.start for before, after in pairwise(own))
        assert all(segment.start < segment.end for segment in own) or not part.text


def test_four_megabytes_with_thousands_of_tags_and_labels() -> None:
    """A text of 4 MB with 20,000 tags under 5,000 labels is cut, and adds up."""
    text = "".join(f"<doc id={n}>fact {n:06d} of the customer</doc>{'.' * 160}" for n in range(20_000))
    labels = tuple(Label(n, Layer.MEMORY, f"fact {n:06d} of the customer") for n in range(5_000))
    segments = segments_of(say("user", text), *labels)
    assert sum(segment.end - segment.start for segment in segments) == len(text)
    assert sum(segment.layer is Layer.MEMORY for segment in segments) == 5_000
