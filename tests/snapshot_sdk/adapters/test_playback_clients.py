"""Recorded answers played back to every real client, whole and streamed, with nothing but the client in between."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path
from typing import Any, Final

import pytest

from snapshot_sdk import Recorder
from snapshot_sdk._fixture_values import Fixture, Origin, PlayedCall
from snapshot_sdk._playback import play_back
from snapshot_sdk.reading import read_requests

HOST: Final = "https://models.example.com"
"""No such machine: what is answered was not asked of it."""

TEXT: Final = "Booked: 4 nights at Hotel Mirador, €612.40 in all, ref. LX-20418. 已确认。 " * 3
ARGUMENTS: Final = '{"city": "里斯本", "nights": 4}'
INPUT: Final = {"city": "里斯本", "nights": 4}

CHAT: Final = {
    "role": "assistant",
    "content": TEXT,
    "tool_calls": [{"id": "call_12345", "type": "function", "function": {"name": "find", "arguments": ARGUMENTS}}],
}
ANSWERS: Final[dict[str, tuple[Any, ...]]] = {
    "openai.chat": (CHAT,),
    "openai.responses": (
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0"},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": TEXT, "annotations": [], "logprobs": []}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "find",
            "arguments": ARGUMENTS,
            "status": "completed",
        },
    ),
    "anthropic.messages": (
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Four nights.", "signature": "c2ln"},
                {"type": "text", "text": TEXT},
                {"type": "tool_use", "id": "toolu_1", "name": "find", "input": INPUT},
            ],
        },
    ),
    "gemini.generate_content": (
        {
            "role": "model",
            "parts": [{"text": TEXT}, {"functionCall": {"name": "find", "args": INPUT}, "thoughtSignature": "c2ln"}],
        },
    ),
    "ollama.chat": (
        {"role": "assistant", "content": TEXT, "tool_calls": [{"function": {"name": "find", "arguments": INPUT}}]},
    ),
}
STOPS: Final = {
    "openai.chat": "tool_calls",
    "openai.responses": "completed",
    "anthropic.messages": "tool_use",
    "gemini.generate_content": "STOP",
    "ollama.chat": "stop",
}
USAGES: Final[dict[str, dict[str, int]]] = {
    "openai.chat": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    "anthropic.messages": {"input_tokens": 11, "output_tokens": 3},
    "gemini.generate_content": {"promptTokenCount": 11, "candidatesTokenCount": 3, "totalTokenCount": 14},
    "ollama.chat": {"prompt_eval_count": 11, "eval_count": 3},
}
RESPONSES_USAGE: Final = {
    "input_tokens": 11,
    "output_tokens": 3,
    "total_tokens": 14,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens_details": {"reasoning_tokens": 0},
}


def _call(number: int, api: str, **given: Any) -> PlayedCall:
    fields: dict[str, Any] = {
        "lane": "main",
        "endpoint": None,
        "status": 200,
        "answer": ANSWERS[api],
        "stop_reason": STOPS[api],
        "usage": USAGES.get(api, RESPONSES_USAGE),
        "model": None,
    }
    return PlayedCall(call=number, api=api, **(fields | given))


def _fixture(api: str, request: dict[str, Any], *played: PlayedCall) -> Fixture:
    number = len({call.call for call in played}) + 1
    origin = Origin("s", number, None, "main", "id", "f.jsonl", 1)
    fields = (api, None, None, None, request, (), ())
    return Fixture("trip", "title", origin, *fields, played=played, inputs=("go",))


def test_answered_as_recorded(
    driver: Any, name: str, streamed: bool, recorder: Recorder, records: Any, tmp_path: Path
) -> None:
    """The client reads the recorded messages, stop reason and usage; the next request is the one that is wanted."""
    content = next(iter(driver.contents.values()))

    def agent(inputs: list[str]) -> None:
        driver.send(recorder, HOST, content, streamed)
        driver.send(recorder, HOST, content, streamed)
        raise AssertionError("the second request was answered")

    prompts = play_back(_fixture(driver.api, content, _call(1, driver.api)), agent)

    assert len(prompts) == 2
    bodies = [found.request.body() for path in sorted(tmp_path.rglob("*.jsonl")) for found in read_requests(path)]
    assert [prompt.body for prompt in prompts] == bodies
    (response, *_) = records("response")
    assert (response["status"], response["error"], response["complete"]) == (200, None, True)
    said = [blob["value"] for blob in response["blobs"]]
    compact = name.endswith("compact")
    assert _plain(said) == _plain(ANSWERS[driver.api])
    assert response["stop_reason"] == (None if compact else STOPS[driver.api])
    usage = USAGES.get(driver.api, RESPONSES_USAGE)
    # Anthropic's stream counts what was written at its start and again at its end.
    uncounted = streamed and driver.api == "openai.chat" and "include_usage" not in str(prompts[0].body)
    assert response["usage"] == (None if uncounted else usage)


def _plain(messages: Any) -> list[Any]:
    """Without what says the same in a longer way."""
    return [
        {name: value for name, value in message.items() if value is not None}
        for message in messages
        if isinstance(message, dict)
    ]


@pytest.mark.parametrize("library", ["httpx", "httpx2", "requests"])
def test_a_request_that_is_no_model_call_stays_here(library: str) -> None:
    """It is refused with the library's own error for a connection that fails, and named when the agent ends."""
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    raised: list[Any] = []

    def agent(inputs: list[str]) -> None:
        with (module.Session if library == "requests" else module.Client)() as client:
            try:
                client.get("https://tools.example.com/weather?key=1")
            except Exception as error:
                raised.append(error)

    with pytest.raises(AssertionError, match=r"Refused.*: GET https://tools.example.com/weather\."):
        play_back(_fixture("openai.chat", {"messages": []}), agent)
    assert isinstance(raised[0], getattr(module, "ConnectError", None) or module.ConnectionError)


def test_a_request_of_aiohttp_that_is_no_model_call_stays_here() -> None:
    """It is refused with the library's own error for a connection that fails."""
    aiohttp = pytest.importorskip("aiohttp", reason="aiohttp is not installed")

    async def agent(inputs: list[str]) -> None:
        async with aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.ClientConnectionError, match="nothing leaves the machine"):
                await session.get("https://tools.example.com/weather")

    with pytest.raises(AssertionError, match=r"Refused.*: GET https://tools.example.com/weather\."):
        play_back(_fixture("openai.chat", {"messages": []}), agent)


@pytest.mark.parametrize("library", ["httpx", "httpx2", "requests"])
def test_a_server_on_this_machine_is_asked(library: str, server: Any) -> None:
    """Tools of the agent may be served here."""
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    got: list[int] = []

    def agent(inputs: list[str]) -> None:
        with (module.Session if library == "requests" else module.Client)() as client:
            got.append(client.get(f"{server.url}/weather").status_code)

    with pytest.raises(AssertionError, match="was not reached"):
        play_back(_fixture("openai.chat", {"messages": []}), agent)
    assert got == [200]
    assert [one.path for one in server.received] == ["/weather"]


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_a_transport_of_the_test_is_asked(library: str) -> None:
    """A tool whose client has a MockTransport goes on answering."""
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    got: list[str] = []

    def agent(inputs: list[str]) -> None:
        transport = module.MockTransport(lambda request: module.Response(200, text="sunny"))
        with module.Client(transport=transport) as client:
            got.append(client.get("https://tools.example.com/weather").text)

    with pytest.raises(AssertionError, match="was not reached"):
        play_back(_fixture("openai.chat", {"messages": []}), agent)
    assert got == ["sunny"]


def test_a_recorded_refusal_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a call that was refused once, the client gets the status, waits a moment and gets the answer."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    refused = _call(1, "openai.chat", status=429, answer=(), stop_reason=None, usage=None)
    got: list[Any] = []

    def agent(text: str) -> None:
        client = openai.OpenAI()
        ask = {"model": "m", "messages": [{"role": "user", "content": text}]}
        got.append(client.chat.completions.create(**ask))
        client.chat.completions.create(**ask)

    prompts = play_back(_fixture("openai.chat", {"messages": []}, refused, _call(1, "openai.chat")), agent)

    assert len(prompts) == 2
    assert got[0].choices[0].message.tool_calls[0].id == "call_12345"
    assert waited == [0.001]


def test_a_call_without_an_answer_fails_as_a_connection() -> None:
    """The client raises its own error; what the agent does then is its own affair."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    lost = _call(1, "openai.chat", status=None, answer=(), stop_reason=None, usage=None)

    def agent(text: str) -> None:
        client = openai.OpenAI(max_retries=0)
        ask = {"model": "m", "messages": [{"role": "user", "content": text}]}
        with pytest.raises(openai.APIConnectionError):
            client.chat.completions.create(**ask)
        client.chat.completions.create(**ask)

    assert len(play_back(_fixture("openai.chat", {"messages": []}, lost), agent)) == 2


def test_a_call_too_many_is_named_though_the_client_would_retry() -> None:
    """The client's retries do not hide that nothing was recorded: the agent ends at once."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    tried: list[int] = []
    fixture = _fixture("openai.chat", {"messages": [{"role": "system", "content": "Plan."}]}, _call(1, "openai.chat"))

    def agent(text: str) -> None:
        client = openai.OpenAI(max_retries=5)
        while True:
            tried.append(1)
            client.responses.create(model="m", input=text)

    with pytest.raises(AssertionError, match=r"request 1 is of openai.responses; the recorded calls are of openai"):
        play_back(fixture, agent)
    assert tried == [1]


def test_bedrock_converse() -> None:
    """boto3 reads an answer, and a stream in Amazon's framing."""
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    message = {
        "role": "assistant",
        "content": [{"text": TEXT}, {"toolUse": {"toolUseId": "t1", "name": "find", "input": INPUT}}],
    }
    usage = {"inputTokens": 11, "outputTokens": 3, "totalTokens": 14}
    given = {"answer": (message,), "stop_reason": "tool_use", "usage": usage}
    api = "bedrock.converse"
    calls = [PlayedCall(n, "main", api, None, 200, model=None, **given) for n in (1, 2)]  # type: ignore[arg-type]
    got: list[Any] = []
    ask = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "q"}]}]}

    def agent(inputs: list[str]) -> None:
        client = boto3.client("bedrock-runtime")
        got.append(client.converse(**ask))
        got.extend(client.converse_stream(**ask)["stream"])
        client.converse(**ask)

    assert len(play_back(_fixture(api, {"messages": []}, *calls), agent)) == 3
    whole, *events = got
    assert (whole["output"]["message"], whole["stopReason"], whole["usage"]) == (message, "tool_use", usage)
    texts = [event["contentBlockDelta"]["delta"].get("text", "") for event in events if "contentBlockDelta" in event]
    assert "".join(texts) == TEXT
    assert events[-1]["metadata"]["usage"] == usage


def test_everything_is_as_before() -> None:
    """Classes, sockets and keys hold the very values they held, after an end, an error and a stop."""
    owners: list[tuple[Any, str]] = [(socket.socket, "connect"), (socket, "getaddrinfo")]
    for name, attribute in (("httpx", "send"), ("httpx2", "send"), ("requests", "send"), ("aiohttp", "_request")):
        library = pytest.importorskip(name, reason=f"{name} is not installed")
        kinds = ("Client", "AsyncClient") if name.startswith("httpx") else ("Session", "ClientSession")
        owners += [(getattr(library, kind), attribute) for kind in kinds if hasattr(library, kind)]
    before = [vars(owner).get(attribute) for owner, attribute in owners]

    def fails(inputs: list[str]) -> None:
        assert [vars(owner).get(attribute) for owner, attribute in owners] != before
        raise ValueError("broken")

    async def fails_later(inputs: list[str]) -> None:
        await asyncio.sleep(0)
        raise ValueError("broken")

    for agent in (fails, fails_later, lambda inputs: None):
        with pytest.raises(AssertionError, match="was not reached"):
            play_back(_fixture("openai.chat", {"messages": []}), agent)
        assert [vars(owner).get(attribute) for owner, attribute in owners] == before


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_a_thread_that_is_left_keeps_nobody_else_in(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a thread of an earlier playback lives, other code asks the library itself, and nothing of ours is run."""
    from snapshot_sdk import _playback_clients

    module = pytest.importorskip(library, reason=f"{library} is not installed")
    gate = threading.Event()
    left = threading.Thread(target=gate.wait, args=(60,), daemon=True)

    with pytest.raises(AssertionError, match="was not reached"):
        play_back(_fixture("openai.chat", {"messages": []}), lambda inputs: left.start())

    monkeypatch.setattr(_playback_clients, "_ask_httpx", None)  # would fail if it were called
    transport = module.MockTransport(lambda request: module.Response(200, text="sunny"))
    with module.Client(transport=transport) as client:
        assert client.get("https://api.openai.com/v1/models").text == "sunny"
    gate.set()
    left.join(60)
