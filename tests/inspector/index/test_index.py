"""The index as pages and commands see it: rows of sessions, calls, one call."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import CallNotFoundError, NoTracesError, SessionNotFoundError
from inspector.index import Index, open_index
from inspector.model.layers import Layer
from snapshot_sdk import Recorder

Agent = Callable[..., Any]
Open = Callable[..., Index]


def test_a_growing_chat_gives_its_calls_in_order(traces: Path, opened: Open, agent: Agent) -> None:
    """Numbers, turns, rows and predecessors follow the record."""
    with Recorder(traces, session="s", window=1000, budget=500, threshold=0.7) as recorder:
        chat = agent(recorder)
        ids = [chat.ask(f"question {n}") for n in range(3)]
    calls = opened().calls("s")

    assert [call.id for call in calls] == ids
    assert [call.number for call in calls] == [1, 2, 3]
    assert [call.turn_label for call in calls] == ["t1", "t2", "t3"]
    assert [call.messages for call in calls] == [2, 4, 6]
    assert [call.previous for call in calls] == [None, *ids[:2]]
    assert {(call.window, call.budget, call.threshold) for call in calls} == {(1000, 500, 350)}
    assert {call.status for call in calls} == {"answered"}


def test_the_session_row_sums_its_calls(traces: Path, opened: Open, agent: Agent) -> None:
    """Peak, fill, lanes and what was recorded."""
    with Recorder(traces, session="s", budget=100, agent="seller") as recorder:
        chat = agent(recorder)
        chat.ask("one", tokens=20)
        chat.ask("two", tokens=40)
        with recorder.lane("helper", purpose="title"):
            agent(recorder).ask("Give it a title.", tokens=900)
    row = opened().session("s")

    assert (row.agent, row.calls, row.models) == ("seller", 3, ("gpt-4.1",))
    assert (row.peak.count, row.peak.origin) == (40, "provider")
    assert row.fill == (0.2, 0.4)
    assert row.lanes == (("main", 2), ("helper", 1))
    assert row.origin == "recorded"


def test_one_call_shows_what_was_sent(traces: Path, opened: Open, agent: Agent) -> None:
    """Messages with layer and tokens; the parameters; the answer; the digest of the bytes."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        chat.ask("first")
        chat.ask("second", "Of course.", temperature=0.5)
    index = opened()
    view = index.call("s", 2)

    assert [row.layer for row in view.messages] == [Layer.SYSTEM, Layer.HISTORY, Layer.HISTORY, Layer.INPUT]
    assert [row.index for row in view.messages] == [0, 1, 2, 3]
    assert view.messages[-1].message.text == "second"
    assert view.messages[-1].tokens.count == 1
    assert view.parameters == {"model": "gpt-4.1", "temperature": 0.5}
    assert view.answer is not None
    assert [message.text for message in view.answer.messages] == ["Of course."]
    body = index.request_bytes("s", 2)
    assert json.loads(body)["messages"][3] == {"role": "user", "content": "second"}
    assert (view.sha256, view.body_size) == (sha256(body).hexdigest(), len(body))


def test_exact_bytes_come_back_as_they_were(traces: Path, opened: Open) -> None:
    """Whatever the order of keys, the spacing and the escapes."""
    body = '{"messages": [{"role": "user", "content": "caf\\u00e9 \\ud83d\\ude00", "x": 1.0}], "model": "m", "n": 2e5}'
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot(body, api="openai.chat")

    assert opened().request_bytes("s", 1) == body.encode()


def test_the_composition_is_the_sum_of_the_messages(traces: Path, opened: Open, agent: Agent) -> None:
    """Counted incrementally over the calls, it equals what the rows of each call say."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
        for n in range(6):
            recorder.label("bicycle 3", layer="memory")
            chat.ask(f"tell me about bicycle {n}", tools=tools)
            if n == 3:
                del chat.messages[1:4]
            if n == 4:
                chat.messages.insert(1, {"role": "user", "content": "<memory>likes red</memory> go on"})
    index = opened()
    for call in index.calls("s"):
        view = index.call("s", call.number)
        sums: dict[Layer, int] = {}
        for row in view.messages:
            for segment in row.segments:
                sums[segment.layer] = sums.get(segment.layer, 0) + (segment.tokens.count or 0)
        composition = {layer: count for layer, count in call.composition.items() if layer is not Layer.OVERHEAD}

        assert composition == {layer: count for layer, count in sums.items() if count}
        assert call.counted.count == sum(call.composition.values())
        assert set(call.origins) == set(call.composition)


def test_tools_stand_behind_the_instructions_as_one_row(traces: Path, opened: Open, agent: Agent) -> None:
    """OpenAI renders them into the system text; they are one entry with a part a tool."""
    tools = [{"type": "function", "function": {"name": name}} for name in ("look", "buy")]
    with Recorder(traces, session="s") as recorder:
        agent(recorder).ask("hello", tools=tools)
    rows = opened().call("s", 1).messages

    assert [row.member for row in rows] == ["messages", "tools", "messages"]
    assert [part.name for part in rows[1].message.parts] == ["look", "buy"]
    assert (rows[1].layer, rows[1].index) == (Layer.TOOLS, None)


def test_anthropic_system_and_tools_come_first(traces: Path, opened: Open) -> None:
    """In the order in which that provider renders them, wherever they stand in the body."""
    request = {
        "model": "claude-sonnet-4-5",
        "messages": [{"role": "user", "content": "hi"}],
        "system": "Be brief.",
        "tools": [{"name": "look", "input_schema": {"type": "object"}}],
        "max_tokens": 10,
    }
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot(request, api="anthropic.messages")
    view = opened().call("s", 1)

    assert [row.member for row in view.messages] == ["tools", "system", "messages"]
    assert [row.index for row in view.messages] == [None, None, 0]
    assert view.parameters == {"model": "claude-sonnet-4-5", "max_tokens": 10}


@pytest.mark.parametrize("request_", [{"foo": "x" * 300, "bar": [1, 2]}, {"contents": ["hi"]}, {}, {"messages": []}])
def test_a_body_of_an_unknown_api_is_shown(request_: dict[str, object], traces: Path, opened: Open) -> None:
    """By its members, never refused; its bytes come back."""
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot(request_)
    index = opened()

    assert json.loads(index.request_bytes("s", 1)) == request_
    assert len(index.call("s", 1).messages) == sum(len(v) if isinstance(v, list) else 1 for v in request_.values())


def test_a_moving_cache_marker_makes_no_new_message(traces: Path, opened: Open) -> None:
    """Content decides what a message is; the marker stands in the bytes only."""
    with Recorder(traces, session="s") as recorder:
        for last in range(3):
            blocks = [
                {"type": "text", "text": f"part {n}", **({"cache_control": {"type": "ephemeral"}} if n == last else {})}
                for n in range(3)
            ]
            messages = [{"role": "user", "content": [block]} for block in blocks]
            recorder.snapshot({"model": "claude-x", "messages": messages, "max_tokens": 1}, api="anthropic.messages")
    index = opened()

    contents = [[row.content for row in index.call("s", n).messages] for n in (1, 2, 3)]
    assert contents == [contents[0]] * 3
    assert [call.turn_label for call in index.calls("s")] == ["t3", "t3", "t3"]


def test_equal_user_messages_are_turns_of_their_own(traces: Path, opened: Open, agent: Agent) -> None:
    """The second "go on" begins another turn than the first."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        for _ in range(3):
            chat.ask("go on", "Done.")
    index = opened()

    assert [len(index.call("s", n).messages) for n in (1, 2, 3)] == [2, 4, 6]
    assert [call.turn_label for call in index.calls("s")] == ["t1", "t2", "t3"]


def test_usage_stands_beside_the_counted_figure(traces: Path, opened: Open, agent: Agent) -> None:
    """The rest is unattributed, never hidden; a steady ratio calibrates later calls."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        counted = []
        for n in range(6):
            chat.ask(f"question number {n}")
            counted.append(n)
    plain = [call.counted.count or 0 for call in opened().calls("s")]
    with Recorder(traces, session="t") as recorder:
        chat = agent(recorder)
        for n in range(5):
            chat.ask(f"question number {n}", tokens=plain[n] * 2)
        chat.messages.append({"role": "user", "content": "question number 5"})
        recorder.snapshot(chat.request(), api="openai.chat")
    calls = opened().calls("t")

    assert [call.unattributed for call in calls[:5]] == [call.counted.count for call in calls[:5]]
    assert calls[0].calibrated.count is None
    assert calls[5].calibrated.count == calls[5].tokens.count == 2 * plain[5]
    assert calls[5].provider.count is None
    assert calls[5].unattributed is None


def test_sessions_that_are_not_there_are_named_with_close_ones(traces: Path, opened: Open, agent: Agent) -> None:
    """A typing error is answered by what was meant."""
    with Recorder(traces, session="order-4711") as recorder:
        agent(recorder).ask("one")
    index = opened()

    with pytest.raises(SessionNotFoundError) as caught:
        index.session("order-4771")
    assert caught.value.close == ("order-4711",)
    with pytest.raises(CallNotFoundError):
        index.call("order-4711", 2)
    with pytest.raises(SessionNotFoundError):
        index.call("nothing like it", 1)


def test_a_directory_that_is_not_there_is_an_error_of_the_user(tmp_path: Path) -> None:
    """Named, not a traceback from below."""
    with pytest.raises(NoTracesError):
        open_index(tmp_path / "none")


def test_an_empty_directory_has_no_sessions(opened: Open) -> None:
    """And no errors."""
    index = opened()

    assert index.sessions() == ()
    assert index.line_errors() == ()


@pytest.mark.parametrize("name", ["'; DROP TABLE store.calls; --", '"', "会话 1", "a\x00b", "x" * 5000, "\ud800"])
def test_hostile_session_names_are_values(name: str, traces: Path, opened: Open, agent: Agent) -> None:
    """Bound, never pasted; lone surrogates are replaced."""
    with Recorder(traces, session=name) as recorder:
        agent(recorder).ask(name)
    index = opened()
    (row,) = index.sessions()

    assert row.session == name.encode("utf-8", "replace").decode()
    assert len(index.calls(name)) == 1
    assert index.search("bicycles", session=name).places == 1


def test_values_json_cannot_carry_are_shown(traces: Path, opened: Open) -> None:
    """Lone surrogates, NaN, long integers and deep nesting neither stop the reading nor get lost."""
    deep: list[object] = []
    for _ in range(3000):
        deep = [deep]
    with Recorder(traces, session="s") as recorder:
        for odd in ("\ud800 lone", float("nan"), 10**5000, deep, "\x00", {"a": [1, None]}):
            messages = [{"role": "user", "content": [{"type": "odd", "value": odd}]}]
            recorder.snapshot({"model": "m", "messages": messages}, api="openai.chat")
    index = opened()

    assert index.line_errors() == ()
    assert [len(index.call("s", n).messages) for n in range(1, 7)] == [1] * 6
    assert all(index.request_bytes("s", n) for n in range(1, 7))


def test_parameters_are_the_other_members_arrays_included(traces: Path, opened: Open) -> None:
    """In the order of the body."""
    request = {"stop": ["a", "b"], "model": "m", "messages": [{"role": "user", "content": "x"}], "logit_bias": {}}
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot(request, api="openai.chat")

    assert list(opened().call("s", 1).parameters.items()) == [("stop", ["a", "b"]), ("model", "m"), ("logit_bias", {})]
