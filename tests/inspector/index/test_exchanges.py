"""Recorded calls with their answers, and what the model saw of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import CallNotFoundError, SessionNotFoundError
from inspector.index import Index
from inspector.model.effective import EffectiveContext, exchange_of
from snapshot_sdk import Recorder

Open = Callable[..., Index]

RESPONSES = "https://api.openai.com/v1/responses"
CLEAR = "clear_tool_uses_20250919"


def responses(
    recorder: Recorder, text: str, answer: str | None, identity: str, previous: str | None = None, **more: Any
) -> str:
    """Record a call of OpenAI's Responses API; an answer of None: none came."""
    body: dict[str, Any] = {"model": "gpt-5", "input": text, **more}
    if previous is not None:
        body["previous_response_id"] = previous
    snapshot = recorder.snapshot(body, endpoint=RESPONSES)
    if answer is not None:
        item = {
            "type": "message",
            "id": f"msg_{identity}",
            "role": "assistant",
            "content": [{"type": "output_text", "text": answer}],
        }
        usage = {"input_tokens": 9, "output_tokens": 2}
        recorder.response(snapshot, {"id": identity, "output": [item], "usage": usage, "status": "completed"})
    return snapshot


def anthropic(recorder: Recorder, messages: list[Any], answer: list[Any], **more: Any) -> str:
    """Record a call of Anthropic's Messages API; ``context_management`` of the answer as ``applied``."""
    applied = more.pop("applied", None)
    body = {"model": "claude-opus-4-5", "max_tokens": 99, "system": "Be brief.", "messages": messages, **more}
    snapshot = recorder.snapshot(body, api="anthropic.messages")
    reply: dict[str, Any] = {"id": "msg_1", "role": "assistant", "content": answer, "stop_reason": "end_turn"}
    if applied is not None:
        reply["context_management"] = {"applied_edits": applied}
    recorder.response(snapshot, reply)
    return snapshot


def texts(context: EffectiveContext) -> list[str]:
    """The texts of a context, an unreadable one as ``?``."""
    return [row.message.text or "?" for row in context.elements]


def test_a_chain_of_responses_is_seen_whole(traces: Path, opened: Open) -> None:
    """What was only referred to stands before the input, each entry with the call it comes from."""
    with Recorder(traces, session="s") as recorder:
        first = responses(recorder, "2+2?", "4", "r1", instructions="Old.")
        second = responses(recorder, "3+3?", "6", "r2", "r1", instructions="New.")
        responses(recorder, "and?", "7", "r3", "r2", instructions="New.")
    context = opened().effective("s", 3)

    assert texts(context) == ["New.", "2+2?", "4", "3+3?", "6", "and?"]
    assert [row.source for row in context.elements] == [None, first, first, second, second, None]
    assert [row.place for row in context.elements] == [0, None, None, None, None, 1]
    assert (context.certainty, context.differs) == ("certain", True)


def test_a_chain_goes_on_in_another_session(traces: Path, opened: Open) -> None:
    """The ids are the provider's: a session that goes on with another's response reads what that one held."""
    with Recorder(traces, session="monday") as recorder:
        responses(recorder, "2+2?", "4", "r1")
        responses(recorder, "3+3?", "6", "r2", "r1")
    with Recorder(traces, session="tuesday") as recorder:
        responses(recorder, "where were we?", "At 6.", "r3", "r2")

    assert texts(opened().effective("tuesday", 1)) == ["2+2?", "4", "3+3?", "6", "where were we?"]


def test_an_unrecorded_response_is_opaque(traces: Path, opened: Open) -> None:
    """What cannot be resolved is an entry nobody can read, with the reason."""
    with Recorder(traces, session="s") as recorder:
        responses(recorder, "3+3?", "6", "r2", "resp_lost")
    context = opened().effective("s", 1)
    gap = context.elements[0]

    assert context.opaque
    assert (gap.origin, gap.message.parts[0].opaque, gap.message.text) == ("stored", True, "resp_lost")
    assert "not recorded" in gap.why
    assert context.certainty == "likely"


def test_a_call_without_an_answer_is_not_in_the_chain(traces: Path, opened: Open) -> None:
    """A refused call answered nothing that could be referred to."""
    with Recorder(traces, session="s") as recorder:
        refused = responses(recorder, "lost", None, "r1")
        recorder.response(refused, {"id": "r1", "error": {"message": "no"}}, status=500, error="no", complete=False)
        responses(recorder, "next", "yes", "r2", "r1")
    index = opened()

    assert [exchange.answer is None for exchange in index.exchanges("s")] == [True, False]
    assert index.effective("s", 2).opaque


def test_what_stands_before_a_compaction_block_is_not_seen(traces: Path, opened: Open) -> None:
    """Anthropic ignores everything before the last compaction block; the system prompt stays."""
    messages = [
        {"role": "user", "content": "order 4711"},
        {"role": "assistant", "content": [{"type": "compaction", "content": "The user asked for order 4711."}]},
        {"role": "user", "content": "and now?"},
    ]
    with Recorder(traces, session="s") as recorder:
        anthropic(recorder, messages, [{"type": "text", "text": "It is on its way."}])
    context = opened().effective("s", 1)

    assert texts(context) == ["Be brief.", "The user asked for order 4711.", "and now?"]
    assert [(one.element.message.text, one.place) for one in context.removed] == [("order 4711", 1)]
    assert [row.origin for row in context.elements] == ["sent", "compaction", "sent"]
    assert context.certainty == "certain"


def test_results_that_the_server_cleared_are_not_seen(traces: Path, opened: Open) -> None:
    """``applied_edits`` of the answer says how many; the oldest are gone."""
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for n in range(5):
        call = {"type": "tool_use", "id": f"t{n}", "name": "find", "input": {"n": n}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"result {n}"}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    edits = {"edits": [{"type": CLEAR}]}
    applied = [{"type": CLEAR, "cleared_tool_uses": 2, "cleared_input_tokens": 900}]
    with Recorder(traces, session="s") as recorder:
        answer = [{"type": "text", "text": "ok"}]
        anthropic(recorder, messages, answer, context_management=edits, applied=applied)
    index = opened()
    context = index.effective("s", 1)
    view = index.call("s", 1)

    assert view.answer is not None
    assert view.answer.context == {"applied_edits": applied}
    assert [one.element.message.text for one in context.removed] == ["result 0", "result 1"]
    assert [view.messages[one.place].message.text for one in context.removed if one.place is not None] == [
        "result 0",
        "result 1",
    ]
    assert context.certainty == "certain"


def test_edits_that_were_not_recorded_remove_nothing(traces: Path, opened: Open) -> None:
    """Without the server's word it is said that nothing can be known."""
    edits = {"edits": [{"type": CLEAR}]}
    with Recorder(traces, session="s") as recorder:
        anthropic(recorder, [{"role": "user", "content": "go"}], [], context_management=edits)
    index = opened()
    context = index.effective("s", 1)
    answer = index.call("s", 1).answer

    assert answer is not None
    assert answer.context is None
    assert (context.removed, context.certainty) == ((), "a guess")


def test_exchanges_are_the_calls_as_their_views_say(traces: Path, opened: Open) -> None:
    """Loaded at once or call by call: elements, parameters, answers and addresses are the same."""
    schema = {"type": "object", "properties": {"text": {"type": "string", "description": "x" * 400}}}
    tools = [{"type": "function", "name": f"f{n}", "parameters": schema} for n in range(2)]
    listed = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    with Recorder(traces, session="s") as recorder:
        responses(recorder, "2+2?", "4", "r1", tools=tools, metadata={"note": "n" * 400}, include=["a", "b"])
        responses(recorder, "long " * 100, "6", "r2", "r1", tools=tools, reasoning={"format": schema})
        responses(recorder, "", None, "r3", input=listed, include=["a"], temperature=0.5)
        anthropic(recorder, [{"role": "user", "content": "go"}], [{"type": "text", "text": "ok"}], applied=[])
        refused = recorder.snapshot(b"[1, 2]")
        recorder.response(refused, {"error": "no"}, status=400, error="no", complete=False)
    index = opened()
    exchanges = index.exchanges("s")

    assert len(exchanges) == 5
    assert list(exchanges) == [exchange_of(index.call("s", number)) for number in range(1, 6)]


def test_a_message_of_two_calls_is_decoded_once(traces: Path, opened: Open) -> None:
    """Equal messages of a session are one value."""
    messages = [{"role": "user", "content": "go"}]
    with Recorder(traces, session="s") as recorder:
        anthropic(recorder, messages, [])
        anthropic(recorder, [*messages, {"role": "assistant", "content": "gone"}], [])
    first, second = opened().exchanges("s")

    assert first.request.elements[1].message is second.request.elements[1].message


def test_what_is_not_there_is_refused(traces: Path, opened: Open, agent: Callable[..., Any]) -> None:
    """An unknown session or call is an error, not an empty context."""
    with Recorder(traces, session="s") as recorder:
        agent(recorder).ask("one")
    index = opened()

    with pytest.raises(SessionNotFoundError):
        index.exchanges("nobody")
    with pytest.raises(SessionNotFoundError):
        index.effective("nobody", 1)
    with pytest.raises(CallNotFoundError):
        index.effective("s", 2)
