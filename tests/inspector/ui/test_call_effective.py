"""The two readings of a call on the Call page, and what is said where they differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges, number_rows, trace_session
from inspector.index import Index, open_index
from inspector.model.views import CallView, ServerEffect, TokenCount
from inspector.ui.call_docs import Asked, document
from inspector.ui.call_effective import Reading, effect_words, effective_json, read_call, server_lines
from inspector.ui.call_payload import LAYER_NAMES, call_payload
from inspector.ui.call_text import CallTexts
from inspector.ui.frame_data import server_tag
from inspector.ui.session_words import server_words
from snapshot_sdk import Recorder

CLEAR = "clear_tool_uses_20250919"
Read = Callable[..., Reading]


def record(directory: Path) -> None:
    """Two calls: in the second the server clears the first tool result, half of the next, and keeps the rest."""
    uses = [{"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"n": n}} for n in range(4)]
    results = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": f"Result {n}."} for n in range(4)]
    before: list[Any] = [
        {"role": "user", "content": "Read all."},
        {"role": "assistant", "content": uses[:1]},
        {"role": "user", "content": results[:1]},
    ]
    after = [
        *before,
        {"role": "assistant", "content": uses[1:3]},
        {"role": "user", "content": results[1:3]},
        {"role": "assistant", "content": uses[3:]},
        {"role": "user", "content": results[3:]},
    ]
    with Recorder(directory, session="s", window=9_000) as recorder:
        for messages in (before, after):
            body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages}
            keep = {"edits": [{"type": CLEAR, "keep": {"type": "tool_uses", "value": 2}}]}
            snapshot = recorder.snapshot({**body, "context_management": keep}, api="anthropic.messages")
            reply: dict[str, Any] = {"id": "a", "role": "assistant", "content": [{"type": "text", "text": "ok"}]}
            if messages is after:
                reply["context_management"] = {"applied_edits": [{"type": CLEAR, "cleared_tool_uses": 2}]}
            recorder.response(snapshot, reply)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """The traces, read."""
    directory = tmp_path_factory.mktemp("traces")
    record(directory)
    opened = open_index(directory)
    opened.refresh()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def changes(index: Index) -> SessionChanges:
    """What changed in the session."""
    return trace_changes(index, "s")


@pytest.fixture
def read(index: Index, changes: SessionChanges) -> Read:
    """Reads a call, as sent or as seen."""

    def build(number: int = 2, *, effective: bool) -> Reading:
        view = number_rows(index.call("s", number), changes)
        notes = () if view.seen is not None else index.effective("s", number).notes
        return read_call(view, changes, notes, effective=effective)

    return build


def shown(reading: Reading, changes: SessionChanges, name: str) -> dict[str, Any]:
    """A document of a reading."""
    asked = Asked(CallTexts(reading.view, lambda: b"{}"), changes, reading, lambda _: None, lambda _: None)
    found = document(asked, name, LAYER_NAMES)
    assert found is not None
    return found


def test_what_was_sent_is_marked_where_the_model_did_not_see_it(read: Read) -> None:
    """The rows are those of the body; what the server took wholly or in part says so, with the reason."""
    reading = read(effective=False)
    payload = call_payload(reading)
    marks = {at: (mark[0], mark[2]) for at, mark in payload["happened"].items()}

    assert payload["effective"]["on"] is False
    assert (marks["2"], marks["4"]) == (("✕", "not seen"), ("✂", "seen in part"))
    assert "cleared by the server" in payload["happened"]["2"][3]
    assert payload["rows"]["unseen"] == [2]
    assert payload["ghosts"]["number"] == []


def test_what_the_model_saw_has_the_rest_as_ghosts(read: Read) -> None:
    """The cleared message stands in its old place, and the half one has only what was left."""
    reading = read(effective=True)
    payload = call_payload(reading)

    assert payload["effective"] | {"said": "", "notes": []} == {"on": True, "differs": True, "said": "", "notes": []}
    assert payload["effective"]["said"].startswith("7 sent, 6 seen by the model: 2 messages not seen")
    assert [part.text for part in reading.view.messages[3].message.parts] == ["", "Result 2."]
    assert (payload["ghosts"]["words"], payload["ghosts"]["after"]) == (["not seen"], [1])
    assert payload["ghosts"]["unseen"] == [0]


def test_a_message_has_one_number_in_both_readings(read: Read) -> None:
    """A link to a message leads to it, whichever reading is shown."""
    sent = {row.message.text: row.number for row in read(effective=False).view.messages}
    effective = read(effective=True)
    ghost = effective.fates.ghosts[0].ghost

    assert sent["Result 0."] == ghost.number
    assert {row.number for row in effective.view.messages} | {ghost.number} == set(sent.values())


def test_the_reader_says_what_the_server_did(read: Read, changes: SessionChanges) -> None:
    """In the life of the message, at this call."""
    sent = read(effective=False)
    lines = server_lines(sent, sent.view.messages[2])

    assert [line["symbol"] for line in lines] == ["✕"]
    assert lines[0]["text"].startswith("the model did not see it: cleared by the server")
    assert lines[0]["text"].endswith("(certain)")
    assert shown(sent, changes, "p3")["life"][0] == lines[0]


def test_a_ghost_of_the_server_was_sent(read: Read, changes: SessionChanges) -> None:
    """Its heading says that it was sent with this call, unlike what is gone from it."""
    reading = read(effective=True)
    doc = shown(reading, changes, f"g{reading.fates.ghosts[0].ghost.number}")

    assert doc["title"].startswith("sent, not seen · tool results")
    assert "the model did not see it" in doc["life"][0]["text"]


def test_the_stream_obeys_the_reading(read: Read, changes: SessionChanges) -> None:
    """As sent, what was not seen is marked; as seen, it stands in a gap."""
    sent = shown(read(effective=False), changes, "t")["sections"]
    seen = shown(read(effective=True), changes, "t")["sections"]

    assert [section["id"] for section in sent if section.get("unseen")] == ["p3.0", "p5.0"]
    assert [section["gap"] for section in seen if section.get("gap")] == [
        "1 message was sent here and taken out by the server before the model read the prompt"
    ]


def test_the_effective_prompt_as_json_is_no_body(index: Index) -> None:
    """It says what it is, what was seen and what was not."""
    view = index.call("s", 2)
    written = json.loads(effective_json(view, ("A note.",)))

    assert written["notes"] == ["A note."]
    assert "no body that was sent" in written["what"]
    assert len(written["messages"]) == 6
    assert [[part["text"] for part in one["message"]["parts"]] for one in written["not seen"]] == [
        ["Result 0."],
        ["Result 1.", "Result 2."],
    ]
    assert [one["not seen"] for one in written["not seen"]] == [[0], [0]]


def test_nothing_differs_in_a_call_the_server_left_alone(read: Read) -> None:
    """Both readings are the same rows, and it is said plainly."""
    sent, effective = read(1, effective=False), read(1, effective=True)
    said = call_payload(effective)

    assert sent.view.messages == effective.view.messages
    assert said["effective"]["said"].startswith("sent = effective")
    assert "sent = effective" in [fact["text"] for fact in said["facts"]]


def test_what_may_have_happened_is_said_too(make_view: Callable[..., CallView]) -> None:
    """Notes come along where the readings are the same."""
    reading = read_call(make_view(), trace_session(()), ("truncation is auto",), effective=False)

    assert call_payload(reading)["effective"]["notes"] == ["truncation is auto"]


def test_an_effect_in_one_line() -> None:
    """Messages sent and seen, what is missing and what was added, and how sure that is."""
    effect = ServerEffect(("stored",), 1_200, 3, None, 2, "likely", TokenCount(9, "tokenizer:x"))

    assert effect_words(effect, 12, 11) == (
        "12 sent, 11 seen by the model: 3 messages not seen, 1,200 tokens, 2 messages added, tokens unknown "
        "· likely that it was so"
    )


def test_the_strip_has_a_tag(make_call: Callable[..., Any]) -> None:
    """What the server did, and in the tooltip that all figures are of what the model saw."""
    effect = ServerEffect(("edit",), 41_200, 3, 0, 0, "certain", TokenCount(50_000, "tokenizer:x"))
    tag, title = server_tag(effect)

    assert tag == "the server removed 41,200 tokens"
    assert "all other figures are of what the model saw" in title
    assert server_words(make_call(1, server=effect)) == (
        "the server removed 41,200 tokens; 50,000 counted as sent. What the server did is certain"
    )
    assert server_words(make_call(1)) == ""
