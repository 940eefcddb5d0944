"""Spans of the real OpenTelemetry SDK, by hand and from real instrumentations, as snapshots."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from snapshot_sdk import Recorder
from snapshot_sdk.adapters.otel import SnapshotSpanProcessor

trace = pytest.importorskip("opentelemetry.sdk.trace", reason="the package opentelemetry-sdk is not installed")

Records = Callable[..., list[dict[str, Any]]]
Bodies = Callable[[], list[bytes]]

ASKED = [{"role": "user", "parts": [{"type": "text", "content": "你好"}]}]
SAID = [{"role": "assistant", "parts": [{"type": "text", "content": "hi"}], "finish_reason": "stop"}]
CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4.1",
    "gen_ai.request.temperature": 0.3,
    "gen_ai.input.messages": json.dumps(ASKED),
    "gen_ai.output.messages": json.dumps(SAID),
    "gen_ai.usage.input_tokens": 11,
    "gen_ai.usage.output_tokens": 3,
}


@pytest.fixture
def provider(recorder: Recorder) -> Iterator[Any]:
    """A tracer provider whose spans are recorded."""
    provider = trace.TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SnapshotSpanProcessor(recorder))
    yield provider
    provider.shutdown()


@pytest.fixture
def tracer(provider: Any) -> Any:
    """A tracer of that provider."""
    return provider.get_tracer("tests")


def test_a_call(tracer: Any, records: Records, stored: Bodies) -> None:
    """Messages, parameters, answer and usage are there; what the span lacks is named."""
    with tracer.start_as_current_span("chat gpt-4.1", attributes=CHAT):
        assert records("snapshot") == []  # it is written when the span ends

    (snapshot,) = records("snapshot")
    assert (snapshot["exact"], snapshot["api"], snapshot["model"]) == ("values", "openai.chat", "gpt-4.1")
    assert {"system", "tools"} <= {*snapshot["missing"]}
    assert json.loads(stored()[0])["messages"] == [{"role": "user", "content": "你好"}]
    assert json.loads(stored()[0])["temperature"] == 0.3
    (response,) = records("response")
    assert (response["complete"], response["error"], response["status"]) == (True, None, None)
    assert (response["usage"]["prompt_tokens"], response["usage"]["completion_tokens"]) == (11, 3)
    assert response["blobs"][0]["value"]["content"] == "hi"
    assert response["duration_ms"] >= 0


def test_attributes_set_on_the_way(tracer: Any, records: Records) -> None:
    """What an instrumentation adds until the end of the span counts."""
    with tracer.start_as_current_span("chat") as span:
        span.set_attributes(CHAT)

    assert len(records("snapshot")) == 1


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"http.request.method": "POST"},
        CHAT | {"gen_ai.operation.name": "embeddings"},
        CHAT | {"gen_ai.operation.name": "execute_tool"},
        {name: value for name, value in CHAT.items() if "messages" not in name},
    ],
)
def test_what_is_no_call(attributes: dict[str, Any], tracer: Any, records: Records) -> None:
    """Other spans, and calls whose content was not captured, leave nothing."""
    with tracer.start_as_current_span("x", attributes=attributes):
        pass

    assert records() == []


def test_a_call_that_fails(tracer: Any, records: Records) -> None:
    """The exception of the span is the error of the call."""
    with pytest.raises(TimeoutError), tracer.start_as_current_span("chat", attributes=_without_answer()):
        raise TimeoutError("no answer")

    (response,) = records("response")
    assert (response["complete"], response["error"]) == (False, "TimeoutError: no answer")
    assert len(records("snapshot")) == 1


def _without_answer() -> dict[str, Any]:
    return {name: value for name, value in CHAT.items() if "output" not in name and "usage" not in name}


def test_sessions(tracer: Any, records: Records) -> None:
    """The conversation of the call, else that of a span around it, else the recorder's session."""
    with tracer.start_as_current_span("chat", attributes=CHAT | {"gen_ai.conversation.id": "c1"}):
        pass
    with (
        tracer.start_as_current_span("request", attributes={"session.id": "c2"}),
        tracer.start_as_current_span("chain"),
        tracer.start_as_current_span("chat", attributes=CHAT),
    ):
        pass
    with tracer.start_as_current_span("chat", attributes=CHAT):
        pass

    assert sorted(record["session"] for record in records("header")) == ["c1", "c2", "s"]


def test_turns(tracer: Any, records: Records) -> None:
    """What is traced as a whole is a turn; a call that is traced alone is of none."""
    for calls in (2, 1):
        with tracer.start_as_current_span("request"):
            for _ in range(calls):
                with tracer.start_as_current_span("chat", attributes=CHAT):
                    pass
    with tracer.start_as_current_span("chat", attributes=CHAT):
        pass

    assert [record["turn"] for record in records("snapshot")] == [1, 1, 2, None]


def test_lanes(tracer: Any, records: Records) -> None:
    """A run of an agent inside that of another one is a lane; the outermost has the main one."""
    main = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}
    sub = {"openinference.span.kind": "AGENT", "agent.name": "critic"}
    with tracer.start_as_current_span("clerk", attributes=main):
        with tracer.start_as_current_span("chat", attributes=CHAT):
            pass
        with (
            tracer.start_as_current_span("critic", attributes=sub),
            tracer.start_as_current_span("chat", attributes=CHAT),
        ):
            pass

    assert [(one["lane"], one["lane_origin"]) for one in records("snapshot")] == [
        ("main", "default"),
        ("critic", "given"),
    ]


def test_a_call_that_is_reported_twice(tracer: Any, records: Records) -> None:
    """Of a framework's span and the client's inside it, the inner one is the call."""
    with (
        tracer.start_as_current_span("ChatOpenAI", attributes=CHAT),
        tracer.start_as_current_span("chat", attributes=CHAT | {"gen_ai.request.model": "inner"}),
    ):
        pass

    assert [one["model"] for one in records("snapshot")] == ["inner"]


def test_odd_values_do_no_harm(tracer: Any, records: Records) -> None:
    """What is no JSON where JSON belongs is no reason to fail the agent."""
    with tracer.start_as_current_span("chat", attributes=CHAT | {"gen_ai.output.messages": "{"}):
        pass

    assert len(records("snapshot")) == 1


@pytest.mark.usefixtures("swallowing")
def test_a_fault_of_ours_does_not_reach_the_agent(recorder: Recorder) -> None:
    """A span that is none is counted as a loss."""
    processor = SnapshotSpanProcessor(recorder)
    processor.on_start(object())
    processor.on_end(object())

    assert recorder.losses == 2
    assert processor.force_flush()


# -- real instrumentations


def _ask(server: Any, messages: list[dict[str, Any]], stream: bool = False) -> None:
    import openai

    with openai.OpenAI(api_key="k", base_url=f"{server.url}/v1") as client:
        answer = client.chat.completions.create(
            model="gpt-4.1",
            temperature=0.3,
            messages=messages,
            **({"stream": True} if stream else {}),  # type: ignore[arg-type]
        )
        if stream:
            list(answer)


TALK = [{"role": "system", "content": "s"}, {"role": "user", "content": "你好 👩‍👩‍👧"}]


@pytest.fixture
def openinference(provider: Any) -> Iterator[None]:
    """OpenInference's instrumentation of the OpenAI client."""
    pytest.importorskip("openai", reason="the client package openai is not installed")
    module = pytest.importorskip("openinference.instrumentation.openai", reason="OpenInference is not installed")
    instrumentor = module.OpenAIInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    yield
    instrumentor.uninstrument()


@pytest.fixture
def conventions(provider: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """OpenTelemetry's own instrumentation of the OpenAI client, told to put content into spans."""
    pytest.importorskip("openai", reason="the client package openai is not installed")
    monkeypatch.setenv("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental")
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
    module = pytest.importorskip("opentelemetry.instrumentation.openai_v2", reason="it is not installed")
    # The variable is read once in a process, by whichever instrumentation comes first.
    stability = "opentelemetry.instrumentation._semconv._OpenTelemetrySemanticConventionStability._initialized"
    monkeypatch.setattr(stability, False)
    instrumentor = module.OpenAIInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    yield
    instrumentor.uninstrument()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("which", ["openinference", "conventions"])
def test_real_spans(
    which: str,
    stream: bool,
    request: pytest.FixtureRequest,
    server: Any,
    loopback: Any,
    records: Records,
    stored: Bodies,
) -> None:
    """The messages are those that were sent, the answer and its usage those that came."""
    request.getfixturevalue(which)
    if stream:
        server.replies = [loopback.stream(loopback.sse(*loopback.CHAT_EVENTS, done=True))]
    _ask(server, TALK, stream)

    sent, kept = json.loads(server.bodies()[0]), json.loads(stored()[0])
    assert kept["messages"] == sent["messages"]
    assert (kept["model"], kept["temperature"]) == (sent["model"], sent["temperature"])
    (snapshot,) = records("snapshot")
    assert snapshot["exact"] == "values"
    (response,) = records("response")
    assert (response["complete"], response["error"]) == (True, None)
    assert response["blobs"][0]["value"]["content"] == "hi"
    assert response["usage"]["prompt_tokens"] == 11


@pytest.mark.parametrize("which", ["openinference", "conventions"])
def test_a_real_failure(
    which: str, request: pytest.FixtureRequest, server: Any, loopback: Any, records: Records
) -> None:
    """A refused call is there, with the client's error."""
    import openai

    request.getfixturevalue(which)
    server.replies = [loopback.Reply({"error": {"message": "no"}}, status=400)]
    with pytest.raises(openai.BadRequestError):
        _ask(server, TALK)

    (response,) = records("response")
    assert response["complete"] is False
    assert "BadRequestError" in response["error"]


@pytest.mark.usefixtures("openinference")
def test_dropped_attributes_are_said(server: Any, records: Records, stored: Bodies) -> None:
    """Of a long prompt OpenTelemetry's 128 attributes hold the end; the record says that the beginning is gone."""
    talk = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"message {n}"} for n in range(201)]
    _ask(server, talk)

    (snapshot,) = records("snapshot")
    kept = json.loads(stored()[0])["messages"]
    assert len(kept) < len(talk)
    assert kept[-1] == talk[-1]
    assert "earlier messages" in snapshot["missing"]
    (event,) = records("event")
    assert event["data"]["snapshot"] == snapshot["id"]
    assert any("dropped" in problem for problem in event["data"]["problems"])
