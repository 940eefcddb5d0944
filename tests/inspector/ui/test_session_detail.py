"""The words of one call: what the user asked, what the model answered, how it is proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from inspector.model.layers import Layer
from inspector.model.request import Message, Part, Usage
from inspector.model.views import AnswerView, CallRow, CallView, MessageRow, SegmentRow, TokenCount
from inspector.ui.session_detail import QUOTE, detail_payload, turn_start

NO_USAGE = Usage(None, None, None, None, None)
COUNT = TokenCount(5, "tokenizer:o200k_base")
CALL = CallRow(
    id="a",
    number=30,
    turn=14,
    turn_label="t14",
    turn_inferred=False,
    lane="main",
    lane_origin="given",
    purpose=None,
    previous=None,
    api="openai.chat",
    model="gpt-4.1",
    time="2026-11-28T14:02:00Z",
    duration_ms=1_800.0,
    status="answered",
    http_status=200,
    error=None,
    attempts=1,
    stop_reason="stop",
    usage=NO_USAGE,
    usage_raw=None,
    composition={},
    origins={},
    counted=COUNT,
    provider=TokenCount(None, "unknown"),
    calibrated=TokenCount(None, "unknown"),
    unattributed=None,
    tokens=COUNT,
    window=None,
    budget=None,
    threshold=None,
    messages=2,
    exact="bytes",
    missing=(),
    caller="agent/chat.py:41",
    file="a.jsonl",
    line=1_200,
)


def row(role: str, *parts: Part, segments: tuple[SegmentRow, ...] = ()) -> MessageRow:
    """Return one entry of a prompt."""
    return MessageRow(
        1, 1, "messages", 0, Message(role, parts), Layer.HISTORY, segments, COUNT, "sha256:0", (), born_call=1
    )


def view(*messages: MessageRow, answer: tuple[Part, ...] | None = None, **changes: Any) -> CallView:
    """Return a call with these messages and this answer."""
    answered = None
    if answer is not None:
        answered = AnswerView((Message("assistant", answer),), NO_USAGE, None, "stop", None, "answered", 200, 1.0, None)
    return CallView(replace(CALL, **changes), messages, {}, answered, (), "0" * 64, 10)


def facts(payload: dict[str, Any]) -> dict[str, str]:
    """Return the facts of a payload by name."""
    return {fact["name"]: fact["value"] for fact in payload["facts"]}


def test_asked_is_the_last_words_of_the_user() -> None:
    """A message of tool results only is no question."""
    sent = detail_payload(
        view(
            row("user", Part("text", "when?")),
            row("assistant", Part("text", "…")),
            row("user", Part("tool_result", "42")),
        )
    )
    assert sent["asked"] == {"text": "when?", "more": 0}


def test_memory_put_into_the_users_message_is_not_what_the_user_asked() -> None:
    """Segments of other layers are left out of the question."""
    text = "<memory>likes SMS</memory>when?"
    segments = (SegmentRow(0, 0, 26, Layer.MEMORY, COUNT), SegmentRow(0, 26, 31, Layer.INPUT, COUNT))
    sent = detail_payload(view(row("user", Part("text", text), segments=segments)))
    assert sent["asked"]["text"] == "when?"


def test_a_prompt_without_a_user_has_no_question() -> None:
    """Nothing is made up where nobody asked."""
    assert detail_payload(view(row("system", Part("text", "be brief"))))["asked"] is None


def test_tool_calls_of_an_answer_are_shown_as_calls() -> None:
    """An answer may be words, tool calls or both."""
    sent = detail_payload(view(answer=(Part("text", "Let me look."), Part("tool_call", '{"id":1}', name="query"))))
    assert sent["answered"]["text"] == 'Let me look.\n→ query({"id":1})'


def test_no_answer_is_none() -> None:
    """No answer is not an empty answer."""
    assert detail_payload(view())["answered"] is None


def test_a_long_answer_is_cut_and_says_by_how_much() -> None:
    """The pane holds a head; the Call page holds the whole."""
    sent = detail_payload(view(answer=(Part("text", "长" * (QUOTE + 7)),)))
    assert sent["answered"] == {"text": "长" * QUOTE, "more": 7}


def test_a_refused_call_says_why_in_place_of_an_answer() -> None:
    """Where no answer stands, its reason does."""
    sent = detail_payload(view(status="failed", http_status=400, error="context too long"))
    assert (sent["answered"], sent["status"]) == (None, "refused: 400, context too long")


def test_facts_name_caller_ending_tokens_proof_and_place() -> None:
    """Every line of the facts has its source."""
    named = facts(detail_payload(view()))
    assert named["caller"] == "agent/chat.py:41"
    assert named["ended"] == "1.8 s · stop reason: stop"
    assert named["tokens"] == "5 counted (o200k_base)"
    assert named["bytes"] == "exact bytes"
    assert named["file"] == "a.jsonl, line 1,200"


def test_a_fact_that_is_not_known_has_no_line() -> None:
    """No empty line, no dash."""
    assert "caller" not in facts(detail_payload(view(caller=None)))


def test_what_the_turn_began_with_is_asked_although_the_prompt_lost_it() -> None:
    """A place-holder in its stead was said by nobody."""
    begun = view(row("user", Part("text", "read the logs, roll nothing back")), number=28)
    later = view(row("user", Part("text", "(Earlier messages were removed to save space.)")))

    sent = detail_payload(later, begun)

    assert (sent["asked"]["text"], sent["asked_gone"]) == ("read the logs, roll nothing back", True)


def test_a_word_in_between_is_what_was_asked_last() -> None:
    """The prompt has what the turn began with."""
    begun = view(row("user", Part("text", "read the logs")), number=28)
    later = view(row("user", Part("text", "read the logs")), row("user", Part("text", "only of today")))

    sent = detail_payload(later, begun)

    assert (sent["asked"]["text"], sent["asked_gone"]) == ("only of today", False)


def test_a_turn_starts_at_its_first_call_of_the_lane() -> None:
    """Side calls and other lanes aside."""
    side = replace(CALL, number=27, purpose="title", lane="title")
    scout = replace(CALL, number=28, lane="scout")
    first, own = replace(CALL, number=29), CALL

    assert turn_start(own, (side, scout, first, own)) == 29
    assert turn_start(first, (side, scout, first, own)) is None


def test_an_inferred_turn_has_no_start() -> None:
    """It begins with whatever message of the user is left."""
    first, own = replace(CALL, number=29, turn_inferred=True), replace(CALL, turn_inferred=True)

    assert turn_start(own, (first, own)) is None
