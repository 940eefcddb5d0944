"""What the model really saw is put together from the request, its answer and the calls before."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model.dialects import ALL, dialect_named, read_request
from inspector.model.effective import Answer, EffectiveContext, Exchange, effective_context, exchange_of
from inspector.model.layering import segment_message
from inspector.model.layers import Layer
from inspector.model.request import Element, Message, Part, Usage
from inspector.model.tokens import count_message, message_overhead, prompt_overhead, tokenizer_for
from inspector.model.views import AnswerView, CallRow, CallView, MessageRow, TokenCount

RESPONSES = "https://api.openai.com/v1/responses"
MESSAGES = "https://api.anthropic.com/v1/messages"


def answer_of(api: str, body: Mapping[str, Any] | None) -> Answer | None:
    """Decode an answer, as the trace would give it."""
    if not body:
        return None
    dialect = dialect_named(api)
    if "output" in body:
        items: Sequence[Any] = body["output"]
    elif "candidates" in body:
        items = [candidate["content"] for candidate in body["candidates"]]
    else:
        items = [body] if "content" in body else []
    messages = tuple(dialect.decode("messages", item) for item in items)
    identity = body.get("id") or body.get("responseId") or body.get("name")
    return Answer(messages, identity, body.get("usage"), body.get("context_management"))


def exchange(
    body: Mapping[str, Any], answer: Mapping[str, Any] | None = None, endpoint: str = RESPONSES, snapshot: str = "s"
) -> Exchange:
    """Make a recorded call."""
    request = read_request(body, endpoint=endpoint)
    return Exchange(snapshot, request, answer_of(request.api, answer), endpoint)


def see(calls: Sequence[Exchange]) -> EffectiveContext:
    """Return what the model saw in the last of these calls."""
    *earlier, last = calls
    return effective_context(last.request, earlier, last.answer)


def texts(context: EffectiveContext) -> list[str]:
    """Return the texts of a context, an unreadable one as ``?``."""
    return [row.message.text or "?" for row in context.elements]


def said(text: str) -> dict[str, Any]:
    """Make a user's item."""
    return {"role": "user", "content": text}


def answered(text: str, response: str = "r1") -> dict[str, Any]:
    """Make an answer of the Responses API."""
    content = [{"type": "output_text", "text": text}]
    item = {"type": "message", "id": f"msg_{response}", "role": "assistant", "content": content}
    return {"id": response, "output": [item]}


def test_a_chat_completion_is_seen_as_sent() -> None:
    """Where nothing is kept by a server, sent and seen are one."""
    call = exchange({"model": "gpt-4.1", "messages": [said("hi")]}, endpoint="/v1/chat/completions")
    context = see([call])
    assert not context.differs
    assert (context.certainty, context.removed, context.notes) == ("certain", (), ())


def test_previous_response_is_read_before_the_input() -> None:
    """A chain gives back what was said; instructions and tools are those of the last request only."""
    first = exchange({"input": [said("2+2?")], "instructions": "Old."}, answered("4"), snapshot="a")
    second = exchange(
        {"input": "3+3?", "previous_response_id": "r1", "instructions": "New."}, answered("6", "r2"), snapshot="b"
    )
    context = see([first, second])
    assert texts(context) == ["New.", "2+2?", "4", "3+3?"]
    assert [row.origin for row in context.elements] == ["sent", "stored", "stored", "sent"]
    assert [row.source for row in context.elements] == [None, "a", "a", None]
    assert (context.certainty, context.differs) == ("certain", True)


def test_a_chain_is_followed_to_its_start() -> None:
    """Each link brings its input and its answer, oldest first."""
    calls = [exchange({"input": "q0"}, answered("a0", "r0"))]
    calls += [
        exchange({"input": f"q{n}", "previous_response_id": f"r{n - 1}"}, answered(f"a{n}", f"r{n}"))
        for n in range(1, 200)
    ]
    context = see(calls)
    assert texts(context) == [text for n in range(199) for text in (f"q{n}", f"a{n}")] + ["q199"]


def test_an_unrecorded_response_is_opaque() -> None:
    """What cannot be resolved stands as an entry nobody can read, with the reason."""
    context = see([exchange({"input": "3+3?", "previous_response_id": "resp_lost"}, answered("6"))])
    gap = context.elements[0]
    assert (gap.origin, gap.message.parts[0].opaque, gap.message.text) == ("stored", True, "resp_lost")
    assert "not recorded" in gap.why
    assert context.opaque
    assert context.certainty == "likely"
    assert any("resp_lost" in note for note in context.notes)


def test_a_chain_that_bites_its_tail_ends() -> None:
    """Ids that refer to each other do not hang."""
    one = exchange({"input": "a", "previous_response_id": "r2"}, answered("x", "r1"))
    two = exchange({"input": "b", "previous_response_id": "r1"}, answered("y", "r2"))
    context = see([one, two, exchange({"input": "c", "previous_response_id": "r2"})])
    assert texts(context)[1:] == ["a", "x", "b", "y", "c"]
    assert "comes back" in context.elements[0].why


@pytest.mark.parametrize("reference", ["conv_1", {"id": "conv_1"}])
def test_a_conversation_is_put_together(reference: Any) -> None:
    """Calls of a conversation follow each other; what it held before is unknown."""
    first = exchange({"input": "a", "conversation": reference}, answered("x", "r1"))
    other = exchange({"input": "no", "conversation": "conv_2"}, answered("no", "r2"))
    refused = exchange({"input": "lost", "conversation": reference})
    context = see([first, other, refused, exchange({"input": "b", "conversation": reference})])
    assert texts(context) == ["conv_1", "a", "x", "b"]
    assert context.elements[0].message.parts[0].opaque
    assert context.certainty == "likely"


def test_item_references_are_resolved() -> None:
    """A reference is the item of the call that had it; one that nobody had stays opaque."""
    first = exchange({"input": [said("q")]}, answered("yes", "r1"), snapshot="a")
    items = [{"type": "item_reference", "id": "msg_r1"}, {"type": "item_reference", "id": "msg_lost"}, said("more")]
    context = see([first, exchange({"input": items})])
    assert texts(context) == ["yes", "msg_lost", "more"]
    assert (context.elements[0].origin, context.elements[0].source) == ("stored", "a")
    assert "not recorded" in context.elements[1].why


COMPACTION = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}


def test_items_before_a_compaction_item_are_not_seen() -> None:
    """They are gone, the answers likely, the user's words perhaps; the item cannot be read."""
    items = [said("a"), {"role": "assistant", "content": "b"}, COMPACTION, said("c")]
    context = see([exchange({"input": items, "instructions": "I."})])
    assert texts(context) == ["I.", "?", "c"]
    assert [(one.element.message.text, one.certainty, one.place) for one in context.removed] == [
        ("a", "a guess", 1),
        ("b", "likely", 2),
    ]
    assert context.elements[1].origin == "compaction"
    assert context.opaque


def test_only_the_last_compaction_item_counts() -> None:
    """An earlier one is among what the last one replaced."""
    context = see([exchange({"input": [said("a"), COMPACTION, said("b"), {**COMPACTION, "id": "cmp_2"}, said("c")]})])
    assert texts(context) == ["?", "c"]
    assert context.elements[0].message.item_id == "cmp_2"
    assert [one.element.message.text for one in context.removed] == ["a", "", "b"]


def test_a_compact_window_is_kept_whole() -> None:
    """The messages that ``/responses/compact`` returned before its item are part of the new prompt."""
    output = [{**said("a"), "type": "message", "id": "m1"}, COMPACTION]
    compact = exchange({"input": [said("a"), said("b")]}, {"id": "r1", "output": output}, f"{RESPONSES}/compact")
    context = see([compact, exchange({"input": [*output, said("c")]})])
    assert texts(context) == ["a", "?", "c"]
    assert context.removed == ()
    assert not any("/responses/compact" in note for note in context.notes)


def test_a_compact_response_starts_the_chain() -> None:
    """After ``/responses/compact`` the conversation is its output, not its input."""
    output = [{**said("a"), "type": "message", "id": "m1"}, COMPACTION]
    first = exchange({"input": "a"}, answered("b", "r0"))
    compact = exchange(
        {"input": [], "previous_response_id": "r0"}, {"id": "r1", "output": output}, f"{RESPONSES}/compact"
    )
    context = see([first, compact, exchange({"input": "c", "previous_response_id": "r1"})])
    assert texts(context) == ["a", "?", "c"]
    assert context.removed == ()


def test_compaction_in_a_call_of_openai() -> None:
    """An answer behind a compaction item was written from it; one before it was not."""
    message = answered("yes")["output"][0]
    before = see([exchange({"input": "a"}, {"id": "r", "output": [message, COMPACTION]})])
    after = see([exchange({"input": "a"}, {"id": "r", "output": [COMPACTION, message]})])
    assert (texts(before), before.removed) == (["a"], ())
    assert texts(after) == ["?"]
    assert [one.element.message.text for one in after.removed] == ["a"]


def test_truncation_auto_cannot_be_known() -> None:
    """It is said, and lowers the certainty."""
    context = see([exchange({"input": "a", "truncation": "auto"}, answered("x"))])
    assert context.certainty == "likely"
    assert any("truncation" in note for note in context.notes)


def test_gemini_cache_is_read_before_the_contents() -> None:
    """A cached prefix whose making was recorded is part of the prompt; else it is opaque."""
    endpoint = "/v1beta/models/gemini-2.5-flash:generateContent"
    made = exchange(
        {"contents": [{"parts": [{"text": "long"}]}], "systemInstruction": {"parts": [{"text": "Be brief."}]}},
        {"name": "cachedContents/1"},
        "/v1beta/cachedContents",
    )
    asked = exchange({"cachedContent": "cachedContents/1", "contents": [{"parts": [{"text": "q"}]}]}, endpoint=endpoint)
    assert texts(see([made, asked])) == ["Be brief.", "long", "q"]
    alone = see([asked])
    assert texts(alone) == ["cachedContents/1", "q"]
    assert alone.opaque


def test_ollama_context_and_window() -> None:
    """Token ids are an unreadable part of the prompt; a full window is said to have cost messages."""
    body = {"model": "llama3", "prompt": "hi", "context": [1, 2, 3], "options": {"num_ctx": 2048}}
    request = read_request(body, "ollama.chat")
    context = effective_context(request, (), Answer((), usage={"prompt_eval_count": 2048}))
    assert texts(context) == ["3 token ids", "hi"]
    assert any("2,048" in note for note in context.notes)
    assert context.certainty == "a guess"


WORDS = """
type role content id text name input output summary encrypted_content compaction message item_reference user
assistant tool_use tool_result thinking tool_use_id previous_response_id conversation context_management edits
applied_edits cleared_tool_uses cleared_thinking_turns keep value exclude_tools clear_tool_inputs options num_ctx
context clear_tool_uses_20250919 clear_thinking_20251015 cachedContent truncation auto r1 messages contents parts
"""
words = st.sampled_from(WORDS.split())
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=5),
    max_leaves=20,
)
bodies = st.dictionaries(words, values, max_size=7)


@given(
    body=bodies, before=bodies, answer=bodies, context=st.none() | bodies, api=st.sampled_from([d.name for d in ALL])
)
def test_no_call_makes_it_raise(
    body: dict[str, Any], before: dict[str, Any], answer: dict[str, Any], context: dict[str, Any] | None, api: str
) -> None:
    """Any request after any call with any answer has an effective context, and nothing of it is both seen and not."""
    message = dialect_named(api).decode("messages", answer)
    earlier = [Exchange("s", read_request(before, api), Answer((message,), "r1"))]
    request = read_request(body, api)
    found = effective_context(request, earlier, Answer((message,), "r2", answer, context))
    assert isinstance(found, EffectiveContext)
    whole = {one.place for one in found.removed if one.whole and not any(p.opaque for p in one.element.message.parts)}
    kept = {row.place for row in found.elements if row.origin == "sent" and not row.why}
    assert not (whole & kept) - {None}


def read(directory: Path, name: str) -> list[Exchange]:
    """Read a cassette as recorded calls."""
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the shared cassettes")
    (file,) = directory.glob(f"vcr/*/{name}.yaml")
    calls = []
    for number, one in enumerate(yaml.safe_load(file.read_text(encoding="utf-8"))["interactions"]):
        body, answer = one["request"].get("parsed_body"), one["response"].get("parsed_body")
        if isinstance(body, dict):
            calls.append(exchange(body, answer, one["request"]["uri"], str(number)))
    return calls


def tokens(messages: Sequence[Message], model: str = "gpt-4.1") -> int:
    """Count messages by the template of OpenAI."""
    tokenizer = tokenizer_for(model)
    total = prompt_overhead("openai.responses", {}, tokenizer).count or 0
    for message in messages:
        segments = segment_message(Element("input", 0, message))
        total += sum(count.count or 0 for count in count_message("openai.responses", message, segments, tokenizer))
        total += message_overhead("openai.responses", message, tokenizer).count or 0
    return total


@pytest.mark.realdata
def test_real_chain_counts_to_the_token(realdata: Path) -> None:
    """What the chain of the cassette gives back is, to the token, what the API billed: 36, where 13 were sent."""
    calls = read(realdata, "test_openai_responses_compact_with_auto_previous_response_id_chain")
    context = see(calls[:2])
    assert texts(context) == ["What is 2+2?", "2 + 2 = **4**", "And 3+3?"]
    billed = calls[1].answer.usage["input_tokens"]  # type: ignore[union-attr,index]
    assert (tokens([row.message for row in context.elements]), billed) == (36, 36)
    assert tokens([element.message for element in calls[1].request.elements]) == 13


@pytest.mark.realdata
def test_real_compact_call_reads_the_chain(realdata: Path) -> None:
    """The compact call of the cassette sends nothing and reads the conversation of its previous response."""
    calls = read(realdata, "test_openai_responses_compact_with_auto_previous_response_id_chain")
    assert calls[2].request.elements == ()
    assert texts(see(calls[:3])) == ["What is 2+2?", "2 + 2 = **4**", "And 3+3?", "3 + 3 = **6**"]
    # The second compaction stands on the first, which nobody can read.
    assert texts(see(calls[:5])) == ["?", "And 4+4?", "4 + 4 = 8"]


@pytest.mark.realdata
def test_real_calls_after_a_compaction_see_it_and_the_question(realdata: Path) -> None:
    """Each call after a compaction of the cassette sees an unreadable item and its own question."""
    calls = read(realdata, "test_openai_responses_compact_with_auto_previous_response_id_chain")
    asked = (
        (3, "And 4+4?", "2 more messages"),
        (5, "91 - 16?", "1 more message"),
        (7, "What's your", "1 more message"),
    )
    for number, question, left in asked:
        context = see(calls[: number + 1])
        assert len(context.elements) == 2
        assert texts(context)[1].startswith(question)
        assert context.elements[0].origin == "compaction"
        # The client passed on the item alone, without the user's messages that came with it.
        assert any(f"{left} than" in note for note in context.notes)


@pytest.mark.realdata
def test_real_items_before_a_compaction_item_were_not_read(realdata: Path) -> None:
    """1,261 tokens were sent before the item and 552 read: the answers before it cannot be among them."""
    calls = read(realdata, "test_openai_responses_compact_stateful_mode")
    context = see(calls)
    assert texts(context) == ["?", "What is 2+2?"]
    assert len(context.removed) == 6
    likely = [one.element.message for one in context.removed if one.certainty == "likely"]
    billed = calls[-1].answer.usage["input_tokens"]  # type: ignore[union-attr,index]
    assert tokens([element.message for element in calls[-1].request.elements]) > 1200
    assert tokens(likely) > billed == 552
    assert see(calls[:3]).removed == ()  # compaction came behind that answer


@pytest.mark.realdata
def test_real_anthropic_compaction(realdata: Path) -> None:
    """55,196 tokens were read and compacted; the answer was written from system text and summary, 229 tokens."""
    (call,) = read(realdata, "test_anthropic_compaction_usage_with_cache")
    context = see([call])
    usage = dialect_named(call.request.api).usage_report(call.answer.usage if call.answer else None)
    assert usage.context.input_tokens == 55_196
    assert [one.usage.input_tokens for one in usage.passes] == [55_196, 229]
    assert [row.origin for row in context.elements] == ["sent", "compaction"]
    assert context.elements[1].message.text.startswith("The user provided a very long context")
    assert [one.certainty for one in context.removed] == ["certain"]


@pytest.mark.realdata
def test_real_anthropic_compaction_block_hides_what_is_before_it(realdata: Path) -> None:
    """Of the round trip's body the model does not see the greeting before the block."""
    (call,) = read(realdata, "test_anthropic_compaction_round_trip")
    context = see([call])
    assert texts(context)[1].startswith("Summary: user said hello.")
    assert [one.element.message.text for one in context.removed] == ["Hello!"]
    assert context.certainty == "certain"


@pytest.mark.realdata
def test_real_gemini_cache(realdata: Path, count_body: Callable[..., Any]) -> None:
    """The cached prefix of the cassette is what was sent to make it."""
    calls = read(realdata, "test_google_model_cached_content")
    context = see(calls[:2])
    assert [row.origin for row in context.elements] == ["stored", "stored", "sent"]
    assert sum(len(text) for text in texts(context)) > 15_000
    assert json.dumps(context.notes) == "[]"


@pytest.mark.parametrize(("status", "known"), [("answered", True), ("incomplete", True), ("failed", False)])
def test_a_call_of_the_index_is_a_recorded_call(status: Any, known: bool) -> None:
    """Rows of the call page are the elements; a refused call has no answer."""
    nothing = Usage(None, None, None, None, None)
    count = TokenCount(None, "unknown")
    message = Message("user", (Part("text", "hi"),))
    row = MessageRow(1, 0, "input", 0, message, Layer.INPUT, (), count, "sha256:0", (), None)
    call = CallRow(
        id="s", number=1, turn=None, turn_label="t?", turn_inferred=True, lane="main", lane_origin="default",
        purpose=None, previous=None, api="openai.responses", model="m", time="", duration_ms=None, status=status,
        http_status=None, error=None, attempts=1, stop_reason=None, usage=nothing, usage_raw=None, composition={},
        origins={}, counted=count, provider=count, calibrated=count, unattributed=None, tokens=count, window=None,
        budget=None, threshold=None, messages=1, exact="bytes", missing=(), caller=None, file="f", line=1,
    )  # fmt: skip
    answer = AnswerView((message,), nothing, {"a": 1}, None, "r1", status, 200, None, None, {"applied_edits": []})
    found = exchange_of(CallView(call, (row,), {"truncation": "auto"}, answer, (), "", 0, RESPONSES))
    assert found.request.elements == (Element("input", 0, message),)
    assert (found.request.api, found.request.parameters, found.endpoint) == (
        "openai.responses",
        {"truncation": "auto"},
        RESPONSES,
    )
    expected = Answer((message,), "r1", {"a": 1}, {"applied_edits": []})
    assert found.answer == (expected if known else None)
