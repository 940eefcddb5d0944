"""What the Call page sends: lists, documents, windows."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.model.layers import LAYER_STYLES, Layer
from inspector.model.request import Media, Message, Part, Usage
from inspector.model.views import AnswerView, CallView, PinRow, SegmentRow, TokenCount
from inspector.ui.call_docs import Asked
from inspector.ui.call_effective import Reading
from inspector.ui.call_fates import CallFates, read_fates
from inspector.ui.call_payload import FIRST_EXCERPTS, REPLY_CHARS, call_payload, excerpt, first_want, pack, reply
from inspector.ui.call_text import CallTexts
from snapshot_sdk.errors import HoleError

MakeView = Callable[..., CallView]
MakeChanges = Callable[..., SessionChanges]
TEN = TokenCount(10, "tokenizer:o200k_base")


def text(value: str) -> tuple[Part, ...]:
    """One text part."""
    return (Part("text", value),)


def answered_with(value: str) -> AnswerView:
    """Build an answer of one text."""
    usage = Usage(1, 0, 0, 1, 0)
    return AnswerView((Message("assistant", text(value)),), usage, None, "stop", None, "answered", 200, 1.0, None)


NOTHING = CallFates({}, frozenset(), ())


def asked(view: CallView, body: Callable[[], bytes], changes: SessionChanges | None = None) -> Asked:
    """A call and what is known around it."""
    known = changes or trace_session(())
    fates = read_fates(known, view) if changes is not None else NOTHING
    return Asked(CallTexts(view, body), known, Reading(view, fates), lambda call: f"turn {call}", lambda ghost: None)


def ask(view: CallView, body: bytes = b"{}", changes: SessionChanges | None = None, **want: Any) -> dict[str, Any]:
    """Answer a question about a call."""
    return reply(asked(view, lambda: body, changes), "k", want)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (text("a\n\nb"), "a ⏎ b"),
        ((Part("tool_call", '{"a":1}', name="f"),), 'f({"a":1})'),
        ((Part("image", "", media=Media("image/png", 9, 640, 480)),), "[image 640 × 480]"),
        ((Part("reasoning", "xxxx", opaque=True), Part("text", "so")), "[reasoning: cannot be read] ⏎ so"),
        (
            (Part("tool_definition", "{}", name="f"), Part("tool_definition", "{}", name="g")),
            "2 tool definitions: f, g",
        ),
        ((), ""),
    ],
)
def test_excerpt(parts: tuple[Part, ...], said: str) -> None:
    """A row says on one line what the message is."""
    assert excerpt(Message("user", parts)) == said


def test_excerpt_of_two_megabytes_is_short() -> None:
    """The list never carries a text."""
    assert len(excerpt(Message("user", text("x" * 2_000_000)))) < 250


def test_a_hole_says_its_reason() -> None:
    """Lost content is visible where it stood."""
    assert excerpt(Message("user", ()), "line 7 is damaged") == "content lost: line 7 is damaged"


def test_the_list_of_a_thousand_long_messages_is_small(make_view: MakeView) -> None:
    """Four megabytes of prompt are a list of under 200 kB."""
    view = make_view(*[("user", text(f"{i} 订单 " * 500)) for i in range(1_000)])
    packed = pack(call_payload(Reading(view, NOTHING), 500))
    assert len(packed) < 200_000


def test_excerpts_come_around_the_selected_row(make_view: MakeView) -> None:
    """A link to a message far down shows its surroundings at once."""
    view = make_view(*[("user", text(str(i))) for i in range(1_000)])
    window = call_payload(Reading(view, NOTHING), selected=11 + 700)["excerpts"][0]
    assert window["start"] <= 700 < window["start"] + len(window["items"])
    assert len(window["items"]) == FIRST_EXCERPTS
    assert window["items"][700 - window["start"]] == "700"


def test_the_key_is_that_of_the_call_not_of_the_selection(make_view: MakeView) -> None:
    """Moving through the rows is no new call for the browser; a new answer is."""
    view = make_view(*[("user", text(str(i))) for i in range(1_000)])
    assert call_payload(Reading(view, NOTHING), 12)["key"] == call_payload(Reading(view, NOTHING), 900)["key"]
    answer = AnswerView(
        (Message("assistant", text("a")),), view.call.usage, None, "stop", None, "answered", 200, 1, None
    )
    answered = CallView(view.call, view.messages, {}, answer, (), view.sha256, view.body_size)
    assert call_payload(Reading(answered, NOTHING))["key"] != call_payload(Reading(view, NOTHING))["key"]


def test_mixed_layers_are_listed_for_the_window_column(make_view: MakeView) -> None:
    """A message of several layers is a block of several colours."""
    segments = (SegmentRow(0, 0, 2, Layer.SYSTEM, TEN), SegmentRow(0, 2, 4, Layer.MEMORY, TEN))
    payload = call_payload(Reading(make_view(("system", text("abcd")), segments={0: segments}), NOTHING))
    names = list(LAYER_STYLES)
    assert payload["rows"]["mixed"] == {"0": [[names.index("system"), 10], [names.index("memory"), 10]]}


def test_a_call_without_an_answer_says_so(make_view: MakeView) -> None:
    """The last row is the answer, also where there is none."""
    view = make_view(("user", text("a")), status="no answer")
    assert call_payload(Reading(view, NOTHING))["answer"]["text"] == "no answer recorded"


def test_header_names_the_trace_line_and_the_whole_hash(make_view: MakeView) -> None:
    """Evidence can be copied: hash, file and line."""
    facts = call_payload(Reading(make_view(("user", text("a")), caller="agent/chat.py:41"), NOTHING))["facts"]
    copies = [fact["copy"] for fact in facts if fact["copy"]]
    assert copies == ["ab" * 32, "agent/chat.py:41", "a/b.jsonl:4"]


def test_a_document_has_edges_in_units_of_the_browser(make_view: MakeView) -> None:
    """Segments of a joined string become edges; an emoji counts two."""
    segments = (
        SegmentRow(0, 0, 2, Layer.SYSTEM, TEN, None, "role"),
        SegmentRow(0, 2, 4, Layer.MEMORY, TEN, "profile:1", "label"),
    )
    doc = ask(make_view(("system", text("😀abc")), segments={0: segments}), docs=["p1"])["docs"]["p1"]
    assert [edge[:2] for edge in doc["sections"][0]["edges"]] == [[0, 3], [3, 5]]
    assert "layer by label · source profile:1" in doc["sections"][0]["edges"][1][3]
    assert doc["why"] == [["system", "role"], ["memory", "label (profile:1)"]]


def test_white_space_between_two_layers_is_no_edge(make_view: MakeView) -> None:
    """The line break that joins two layers goes with the layer before it."""
    segments = tuple(
        SegmentRow(0, start, end, layer, TEN)
        for start, end, layer in [(0, 2, Layer.MEMORY), (2, 3, Layer.SYSTEM), (3, 5, Layer.STATE)]
    )
    doc = ask(make_view(("system", text("ab\ncd")), segments={0: segments}), docs=["p1"])["docs"]["p1"]
    assert [edge[:2] for edge in doc["sections"][0]["edges"]] == [[0, 3], [3, 5]]


def test_a_body_with_a_hole_says_what_is_lost(make_view: MakeView) -> None:
    """The body is not shown as if it were whole, and cannot be copied or sent again."""

    def lost() -> bytes:
        raise HoleError(("messages[3]: line 7 is damaged",))

    answered = reply(asked(make_view(("user", text("a"))), lost), "k", {"docs": ["j"], "body": "curl"})
    assert "messages[3]: line 7 is damaged" in answered["docs"]["j"]["sections"][0]["hole"]
    assert "body" not in answered


def test_edges_of_a_tool_call_count_from_its_arguments(make_view: MakeView) -> None:
    """Segments are offsets into the arguments; the name stands before them."""
    part = Part("tool_call", "abcd", name="fn", call_id="c")
    segments = (SegmentRow(0, 0, 2, Layer.TOOL_CALLS, TEN), SegmentRow(0, 2, 4, Layer.MEMORY, TEN))
    doc = ask(make_view(("assistant", (part,)), segments={0: segments}), docs=["p1"])["docs"]["p1"]
    assert [edge[:2] for edge in doc["sections"][0]["edges"]] == [[0, 5], [5, 8]]


def test_a_message_says_its_life(make_view: MakeView, make_changes: MakeChanges) -> None:
    """When it came, and who pinned it."""
    pin = PinRow("p", "Answer in Chinese", "user constraint", "agent/chat.py:41", 1, None, ())
    calls = ["Answer in Chinese only."], ["Answer in Chinese only."], ["Answer in Chinese only."]
    view = make_view(("user", text("Answer in Chinese only.")), rows={0: {"number": 1}})
    doc = ask(view, changes=make_changes(*calls, pin_rows=[pin]), docs=["p1"])["docs"]["p1"]
    said = [f"{line['symbol']} {line.get('where', '')} {line['text']}" for line in doc["life"]]
    assert said == [
        "+ call 1 · turn 1 added",
        "⚲  pinned at call 1 · turn 1: “Answer in Chinese” (“user constraint”, agent/chat.py:41)",
    ]


def test_json_parts_come_indented_and_as_sent(make_view: MakeView) -> None:
    """Arguments can be read, and seen exactly."""
    view = make_view(("assistant", (Part("tool_call", '{"a":"\\u4f60"}', name="f", call_id="c"),)))
    answered = ask(view, docs=["p1"], blocks=[["p1.0", 0], ["p1.0~", 0]])
    assert [block[2] for block in answered["blocks"]] == ['f({"a":"\\u4f60"})', 'f({\n  "a": "你"\n})']


def test_an_image_is_a_frame_with_size_and_rule(make_view: MakeView) -> None:
    """An image shows what is known of it and what its tokens come from."""
    part = Part("image", "", media=Media("image/png", 48_213, 1_024, 768, "high"))
    rule = TokenCount(765, "formula:openai-tiles")
    view = make_view(("user", (part,)), segments={0: (SegmentRow(0, 0, 0, Layer.ATTACHMENTS, rule),)})
    (section,) = ask(view, docs=["p1"])["docs"]["p1"]["sections"]
    assert section["frame"] == [
        "image/png · 1,024 × 768 pixels · 48.2 kB · detail high",
        "765 tokens by formula:openai-tiles",
    ]


def test_tool_definitions_fold_one_by_one(make_view: MakeView) -> None:
    """Many tools are a list of names; a single one is open."""
    several = (Part("tool_definition", "{}", name="f"), Part("tool_definition", "{}", name="g"))
    doc = ask(make_view((None, several), (None, several[:1])), docs=["p1", "p2"])["docs"]
    assert [section.get("fold") for section in doc["p1"]["sections"]] == [True, True]
    assert "fold" not in doc["p2"]["sections"][0]


def test_the_stream_holds_every_message_the_holes_and_the_answer(make_view: MakeView) -> None:
    """The prompt as one text, lost content in its place, the answer at the end."""
    answer = AnswerView(
        (Message("assistant", text("z")),), Usage(1, 0, 0, 1, 0), None, "stop", None, "answered", 200, 1, None
    )
    view = make_view(("user", text("a")), ("user", ()), ("user", text("c")), rows={1: {"hole": "lost"}}, answer=answer)
    sections = ask(view, docs=["t"])["docs"]["t"]["sections"]
    assert [section["id"] for section in sections] == ["p1.0", "p2.hole", "p3.0", "a0.0"]
    assert sections[1]["hole"] == "lost"


def test_what_does_not_exist_is_left_out(make_view: MakeView) -> None:
    """A browser with an old page gets what there is."""
    answered = ask(
        make_view(("user", text("a"))), docs=["p9", "g5", "x", "p1", "p"], blocks=[["p7.0", 0]], rows=[[5, 9]]
    )
    assert (list(answered["docs"]), answered["blocks"], answered["rows"]) == (["p1"], [], [[5, []]])


def test_one_reply_has_a_limit_and_still_brings_the_first_block(make_view: MakeView) -> None:
    """Blocks beyond the limit are asked for again."""
    view = make_view(("user", text("x" * 3 * REPLY_CHARS)))
    answered = ask(view, blocks=[["p1.0", i] for i in range(100)])
    assert 0 < sum(len(block[2]) for block in answered["blocks"]) <= REPLY_CHARS


def test_a_link_to_a_message_brings_its_text_and_its_neighbours(make_view: MakeView) -> None:
    """The first picture needs no second question."""
    view = make_view(*[("user", text(str(i))) for i in range(10)])
    answered = ask(view, **first_want(view, NOTHING, 15, "list"))
    assert next(iter(answered["docs"])) == "p5"
    assert ["p5.0", 0, "4"] in answered["blocks"]
    assert {"p2", "p8"} <= set(answered["docs"])


@pytest.mark.parametrize(("shown", "section"), [("text", "p1.0"), ("json", "j"), ("list", "p1.0")])
def test_each_view_brings_its_first_screen(make_view: MakeView, shown: str, section: str) -> None:
    """Text and JSON come with their first blocks as well."""
    view = make_view(("user", text("a")))
    assert section in [block[0] for block in ask(view, **first_want(view, NOTHING, None, shown))["blocks"]]


def copied(view: CallView, body: bytes, form: str, of: str = "") -> dict[str, Any]:
    """Ask for something to copy."""
    want = {"body": form, "of": of}
    made: dict[str, Any] = reply(asked(view, lambda: body), "k", want)["body"]
    return made


def test_the_downloaded_file_is_the_body_byte_for_byte(make_view: MakeView) -> None:
    """Any bytes survive, even those that are no text."""
    body = bytes(range(256))
    assert base64.b64decode(copied(make_view(), body, "file")["base64"]) == body


def test_the_copied_body_is_the_stored_text(make_view: MakeView) -> None:
    """Nothing is indented or unescaped on the way to the clipboard."""
    assert copied(make_view(), rb'{"a": "\u4f60"}', "text")["text"] == r'{"a": "\u4f60"}'


def test_a_copied_message_is_its_whole_text(make_view: MakeView) -> None:
    """Copy takes the text of the record, not of the screen, and of one message only."""
    others = [("user", text(str(i))) for i in range(12)]
    view = make_view(("user", (Part("text", "a" * 50_000), Part("text", "b"))), *others)
    assert copied(view, b"", "message", "p1")["text"] == "a" * 50_000 + "\nb"


def test_a_lone_surrogate_survives_packing(make_view: MakeView) -> None:
    """A payload with half a character is written in ASCII and read as it was."""
    packed = pack({"key": "k", "seq": 3, "text": "\ud800 你"})
    head, _, body = packed.partition(b"\n")
    assert (head, json.loads(body)["text"]) == (b"k.3", "\ud800 你")


def told(payload: dict[str, Any]) -> list[str]:
    """The messages that are gone, and what is said of them."""
    ghosts = payload["ghosts"]
    return [f"m{number} {words}" for number, words in zip(ghosts["number"], ghosts["words"], strict=True)]


def test_what_is_gone_comes_with_the_list(make_view: MakeView, make_changes: MakeChanges) -> None:
    """Each with its old place, and its excerpt after the answer's row."""
    changes = make_changes(["a one", "b two", "c three"], ["a one", "b two", "c three"], ["a one", "c three", "d four"])
    view = make_view(*[("user", text(word)) for word in ("a one", "c three", "d four")])
    payload = call_payload(Reading(view, read_fates(changes, view)))
    assert told(payload) == ["m2 taken out"]
    assert payload["ghosts"]["after"] == [0]
    assert payload["happened"] == {"2": ["+", "here", "new", ""]}
    assert payload["excerpts"][1] == {"start": 4, "items": ["b two"]}
    assert ask(view, changes=changes, rows=[[2, 9]])["rows"] == [[2, ["d four", "", "b two"]]]


def test_a_link_to_a_gone_message_brings_its_last_text(make_view: MakeView, make_changes: MakeChanges) -> None:
    """It is a document like any other."""
    changes = make_changes(["a one", "b two"], ["a one", "b two"], ["a one"])
    view = make_view(("user", text("a one")), rows={0: {"number": 1}})
    answered = ask(view, changes=changes, **first_want(view, read_fates(changes, view), 2, "list"))
    doc = answered["docs"]["g2"]
    assert doc["title"] == "gone · history · user · m2"
    assert ["g2.0", 0, "b two"] in answered["blocks"]
    assert "nothing in this call says it: no copy" in [line["text"] for line in doc["life"]]


def test_a_message_that_comes_later_says_when(make_view: MakeView, make_changes: MakeChanges) -> None:
    """A number that the call does not have is no dead end."""
    changes = make_changes(["a one"], ["a one"], ["a one"], ["a one", "b two"])
    view = make_view(("user", text("a one")))
    doc = ask(view, changes=changes, docs=["x2"])["docs"]["x2"]
    assert (doc["title"], doc["go"]) == ("m2 is not in call 3", 4)
    assert doc["absent"] == ["It comes in call 4 · turn 4.", "“b two”"]


def test_a_message_that_no_call_has_says_so(make_view: MakeView, make_changes: MakeChanges) -> None:
    """Whatever number the address holds gets an answer, so that nobody asks again and again."""
    asked_for = ["x0", "x99"]
    docs = ask(make_view(("user", text("a one"))), changes=make_changes(["a one"]), docs=asked_for)["docs"]
    assert [docs[name]["absent"] for name in asked_for] == [["The messages of this session are m1 to m1."]] * 2


def test_the_stream_says_where_messages_were(make_view: MakeView, make_changes: MakeChanges) -> None:
    """A line in their old place, their texts behind it, and no search looks there."""
    changes = make_changes(["a one", "b two", "c three"], ["a one", "b two", "c three"], ["a one"])
    view = make_view(("user", text("a one")))
    answered = ask(view, changes=changes, docs=["t"], find={"q": "two", "scope": "prompt"})
    sections = answered["docs"]["t"]["sections"]
    assert [section["id"] for section in sections] == ["p1.0", "gap0", "G2.0", "G3.0"]
    assert sections[1]["gap"] == "2 messages were here until call 2"
    assert {section.get("inside") for section in sections[2:]} == {"gap0"}
    assert answered["find"]["total"] == 0


def test_text_after_reasoning_has_its_own_heading(make_view: MakeView) -> None:
    """Else the answer reads as if it belonged to the thoughts; text alone needs none."""
    thought = Message("assistant", (Part("reasoning", "hm"), Part("text", "It is 42."), Part("text", "Really.")))
    answer = AnswerView((thought,), Usage(None, None, None, None, None), None, None, None, "answered", 200, None, None)
    view = make_view(("assistant", (Part("reasoning", "ah"), Part("text", "yes"))), ("user", text("a")), answer=answer)

    docs = ask(view, docs=["a", "p1", "p2"])["docs"]

    assert [section.get("head") for section in docs["a"]["sections"]] == ["reasoning", "text", None]
    assert [section.get("head") for section in docs["p1"]["sections"]] == ["reasoning", "text"]
    assert [section.get("head") for section in docs["p2"]["sections"]] == [None]


def test_a_call_that_overlaps_others_says_so(make_view: MakeView) -> None:
    """In its header; one that ran alone says nothing."""
    reading = Reading(make_view(("user", text("a"))), NOTHING)
    chips = [fact["text"] for fact in call_payload(reading, None, (7, 9))["facts"]]

    assert "overlaps calls 7 and 9" in chips
    assert not any("overlaps" in fact["text"] for fact in call_payload(reading)["facts"])
