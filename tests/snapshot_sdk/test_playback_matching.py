"""Which lane a request of the agent belongs to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from snapshot_sdk._fixture_values import HEAD_CHARACTERS, PlayedCall
from snapshot_sdk._playback_matching import Lane, find_lane
from snapshot_sdk._playback_signs import Signs, request_signs
from snapshot_sdk._playback_values import Asked

URL: Final = "https://api.openai.com/v1/chat/completions"
MAIN: Final = Signs(("You are the travel desk.", "I need a hotel."), "I need a hotel.", ("book", "find"))
SUMMARY: Final = Signs(("Summarise the conversation.", "user: I need a hotel."), "user: I need a hotel.", ())


def lane(name: str, signs: Signs | None = None, **given: Any) -> Lane:
    """A lane whose first call is next."""
    number = given.pop("number", 1)
    over, last = given.pop("over", False), given.pop("last", None)
    fields: dict[str, Any] = {"api": "openai.chat", "endpoint": URL, "model": "m", "answer": ()}
    call = PlayedCall(number, name, status=200, stop_reason=None, usage=None, **(fields | given))
    return Lane(name, call, over, last, signs)


def asked(system: str, user: str = "I need a hotel.", tools: tuple[str, ...] = (), **given: Any) -> Asked:
    """A request of the agent."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    offered = [{"type": "function", "function": {"name": name}} for name in tools]
    body = {"messages": [*messages, *given.pop("more", ())], "tools": offered}
    fields: dict[str, Any] = {"method": "POST", "url": URL, "api": "openai.chat", "model": "m"} | given
    return Asked(body=body, **fields)


def chosen(lanes: list[Lane], request: Asked) -> str | None:
    """The name of the lane that was found."""
    found = find_lane(lanes, request)
    return None if found is None else found.name


def test_by_its_beginning() -> None:
    """A side call that comes between calls of the main lane is known by its own system prompt."""
    lanes = [lane("main", MAIN), lane("summary", SUMMARY, number=2)]
    assert chosen(lanes, asked("You are the travel desk.", tools=("find", "book"))) == "main"
    assert chosen(lanes, asked("Summarise the conversation.", "user: something else")) == "summary"


def test_unlike_the_one_lane_that_is_known() -> None:
    """What is unlike the fixture's own lane belongs to the one of which nothing is known."""
    lanes = [lane("main", MAIN), lane("side", number=2)]
    assert chosen(lanes, asked("You are the travel desk.", tools=("find", "book"))) == "main"
    assert chosen(lanes, asked("Name this conversation in five words.", "user: hello")) == "side"


def test_by_its_end() -> None:
    """A call that shortens a conversation is often the whole conversation, and a last message that says so."""
    wish = "Summarise the conversation so far for whoever goes on with it."
    answered = PlayedCall(
        1, "main", "openai.chat", URL, 200, ({"role": "assistant", "content": "Which week?"},), None, None, "m"
    )
    lanes = [lane("main", MAIN._replace(tail="In May."), number=3, last=answered), lane("s", MAIN._replace(tail=wish))]
    for text, name in (("In May.", "main"), (wish, "s")):
        more = [*answered.answer, {"role": "user", "content": text}]
        assert chosen(lanes, asked("You are the travel desk.", tools=("find", "book"), more=more)) == name


def test_an_end_that_is_not_known() -> None:
    """The beginning decides then."""
    lanes = [lane("main", MAIN._replace(tail=None)), lane("summary", SUMMARY._replace(tail=None), number=2)]
    assert chosen(lanes, asked("Summarise the conversation.", "user: x")) == "summary"


def test_by_the_answer_that_it_carries() -> None:
    """Two helpers that begin alike are told apart by what they were answered before."""
    before = [
        PlayedCall(number, name, "openai.chat", URL, 200, ({"role": "assistant", "content": text},), None, None, "m")
        for number, name, text in ((1, "a", "The north wing is closed."), (2, "b", "The south wing is open."))
    ]
    lanes = [lane(call.lane, MAIN, number=call.call + 2, last=call) for call in before]
    for call in before:
        request = asked("You are the travel desk.", more=[*call.answer, {"role": "user", "content": "go on"}])
        assert chosen(lanes, request) == call.lane


def _at_home(**given: Any) -> list[Lane]:
    """The agent is in the main lane; a summariser of the same beginning, whose end is known, was recorded earlier."""
    sent = MAIN._replace(tail="{}")
    main = lane("main", MAIN._replace(tail="Room 12 is free."), number=22, **given)
    side = lane("summary", MAIN._replace(tail="Summarise this for whoever goes on."), number=19, model="small")
    return [replace(main, sent=sent, own=True), side]


@pytest.mark.parametrize("end", ["{}", "Sure, and the second week?", "Summer, please."])
@pytest.mark.parametrize("model", ["m", "small"])
def test_the_lane_in_which_the_agent_is(end: str, model: str) -> None:
    """Tools that answer something else, or another model, lead to no side call: it has a mark of its own."""
    more = [{"role": "tool", "tool_call_id": "c1", "content": "{}"}, {"role": "user", "content": end}]
    request = asked("You are the travel desk.", tools=("find", "book"), more=more, model=model)
    assert chosen(_at_home(), request) == "main"


def test_an_agent_that_keeps_what_was_dropped() -> None:
    """It begins as the recorded side call did, and no more as its own lane, in which a summary had come there."""
    main, side = _at_home()
    shortened = replace(main, signs=main.signs and main.signs._replace(heads=("You are the travel desk.", "So far:")))
    more = [{"role": "user", "content": "{}"}, {"role": "user", "content": "And then?"}]
    request = asked("You are the travel desk.", tools=("find", "book"), more=more, model="small")
    assert chosen([shortened, side], request) == "main"


def test_a_side_call_by_its_own_end() -> None:
    """What only the side call asks for leads to it, also from within another lane."""
    more = [{"role": "user", "content": "{}"}, {"role": "user", "content": "Summarise this for whoever goes on."}]
    request = asked("You are the travel desk.", tools=("find", "book"), more=more)
    assert chosen(_at_home(), request) == "summary"


def test_back_from_a_side_call() -> None:
    """The lane of the last request is not the one in which the agent is, where that was a side call."""
    lanes = [replace(one, sent=one.signs) if one.name == "summary" else one for one in _at_home()]
    more = [{"role": "user", "content": "{}"}, {"role": "user", "content": "And then?"}]
    assert chosen(lanes, asked("You are the travel desk.", tools=("find", "book"), more=more)) == "main"


def test_an_answer_inside_a_transcript_is_not_carried() -> None:
    """A summariser is sent the conversation as one text: that makes it none of the main lane's calls."""
    text = "The north wing is closed until Monday."
    answered = PlayedCall(
        1, "main", "openai.chat", URL, 200, ({"role": "assistant", "content": text},), None, None, "m"
    )
    lanes = [lane("main", number=3, last=answered), lane("side", number=2)]
    assert chosen(lanes, asked("Shorten this.", f"user: a hotel\nassistant: {text}")) == "side"
    assert chosen(lanes, asked("You are the desk.", more=answered.answer)) == "main"


@pytest.mark.parametrize(
    "own",
    [{"model": "small"}, {"endpoint": "https://api.openai.com/v1/other"}, {"purpose": "title"}],
    ids=["model", "endpoint", "purpose"],
)
def test_by_what_else_is_known(own: dict[str, Any]) -> None:
    """Model, address and purpose decide where nothing else does."""
    lanes = [lane("main"), lane("side", number=2, **own)]
    given = {"url": own["endpoint"]} if "endpoint" in own else own
    assert chosen(lanes, asked("x")) == "main"
    assert chosen(lanes, asked("x", **given)) == "side"


def test_by_the_lane_that_the_agent_names() -> None:
    """What the agent's own recorder says comes before every likeness."""
    lanes = [lane("main", MAIN), lane("side", SUMMARY, number=2, model="small")]
    assert chosen(lanes, asked("You are the travel desk.", tools=("find", "book"), lane="side")) == "side"


def test_the_earliest_of_equals() -> None:
    """Where nothing tells two lanes apart, the recorded order does."""
    assert chosen([lane("b", number=5), lane("a", number=4)], asked("x")) == "a"


def test_a_lane_that_goes_on_before_one_that_is_over() -> None:
    """Of lanes that look the same, one with an answer left is taken."""
    assert chosen([lane("a", over=True), lane("b", number=4)], asked("x")) == "b"


def test_a_lane_that_is_over_and_unknown() -> None:
    """Nothing speaks for it: the one that goes on is taken, though it is not much alike."""
    assert chosen([lane("a", over=True), lane("b", MAIN, number=4)], asked("You are the desk.")) == "b"


def test_a_lane_that_is_over_is_still_the_one() -> None:
    """A request that clearly belongs to a lane gets no answer of another."""
    lanes = [lane("main", MAIN, over=True), lane("summary", SUMMARY, number=9)]
    assert chosen(lanes, asked("You are the travel desk.", tools=("find", "book"))) == "main"


def test_no_lane_of_another_dialect() -> None:
    """An answer is of the dialect in which it was given."""
    assert find_lane([lane("main", MAIN, api="anthropic.messages")], asked("You are the travel desk.")) is None


def test_a_dialect_that_says_nothing_fits() -> None:
    """Where the address, or the recording, names no dialect, the other's holds."""
    assert chosen([lane("main", api="my.own")], asked("x")) == "main"
    assert chosen([lane("main")], asked("x", api=None)) == "main"


BODIES: Final[dict[str, dict[str, Any]]] = {
    "openai.chat": {
        "messages": [
            {"role": "system", "content": "S"},
            {"role": "user", "content": [{"type": "text", "text": "U"}]},
            {"role": "tool", "tool_call_id": "c1", "content": "W"},
        ],
        "tools": [{"type": "function", "function": {"name": "find"}}],
    },
    "openai.responses": {
        "instructions": "S",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "U"}]},
            {"type": "function_call_output", "call_id": "c1", "output": "W"},
        ],
        "tools": [{"type": "function", "name": "find"}],
    },
    "anthropic.messages": {
        "system": [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": "U"},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "V"},
                    {"type": "text", "text": "W"},
                ],
            },
        ],
        "tools": [{"name": "find", "input_schema": {}}],
    },
    "gemini.generate_content": {
        "systemInstruction": {"parts": [{"text": "S"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "U"}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "find", "response": {"output": "W"}}}]},
        ],
        "tools": [{"functionDeclarations": [{"name": "find"}]}],
    },
    "bedrock.converse": {
        "system": [{"text": "S"}],
        "messages": [
            {"role": "user", "content": [{"text": "U"}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "W"}]}}]},
        ],
        "toolConfig": {"tools": [{"toolSpec": {"name": "find"}}]},
    },
}


@pytest.mark.parametrize("api", BODIES)
def test_signs_of_every_dialect(api: str) -> None:
    """The same request is known by the same signs, however it is written."""
    assert request_signs(BODIES[api]) == Signs(("S", "U"), "W", ("find",))


def test_signs_are_short() -> None:
    """A fixture keeps the beginnings only."""
    body = {"instructions": "x" * 5_000, "input": "y" * 5_000}
    assert request_signs(body).heads == ("x" * HEAD_CHARACTERS, "y" * HEAD_CHARACTERS)


def test_signs_of_an_empty_request() -> None:
    """Nothing is known, and nothing fails."""
    assert request_signs({"messages": [], "tools": None, "toolConfig": {}}) == Signs((), "", ())
