"""The real agent runs, its models answer from the recording, and the prompts it builds come back."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from snapshot_sdk import Recorder
from snapshot_sdk._fixture_values import Fixture, Origin, PlayedCall
from snapshot_sdk._playback import play_back

httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed")

URL: Final = "https://api.openai.com/v1/chat/completions"
SYSTEM: Final = {"role": "system", "content": "You are the travel desk."}
SUMMARISE: Final = {"role": "system", "content": "Summarise the conversation in two sentences."}


def said(text: str) -> dict[str, Any]:
    """A message of the model."""
    return {"role": "assistant", "content": text}


def call(number: int, text: str | None = None, lane: str = "main", **given: Any) -> PlayedCall:
    """A recorded call."""
    fields: dict[str, Any] = {"endpoint": URL, "status": 200, "stop_reason": "stop", "usage": None, "model": "m"}
    answer = () if text is None else (said(text),)
    return PlayedCall(number, lane, "openai.chat", answer=answer, **(fields | given))


def fixture(*played: PlayedCall, number: int, inputs: tuple[str, ...] = ("one", "two"), **given: Any) -> Fixture:
    """A fixture of the call of the given number."""
    fields: dict[str, Any] = {
        "name": "trip",
        "title": "title",
        "origin": Origin("s", number, None, "main", "id", "f.jsonl", 1),
        "api": "openai.chat",
        "model": "m",
        "window": None,
        "budget": None,
        "request": {"model": "m", "messages": [SYSTEM, {"role": "user", "content": inputs[-1]}]},
        "history": (),
        "checks": (),
    }
    return Fixture(played=played, inputs=inputs, **(fields | given))


def ask(messages: list[Any], client: Any = None) -> str:
    """Asks the model."""
    body = {"model": "m", "messages": messages}
    if client is None:
        with httpx2.Client() as client:
            answer = client.post(URL, json=body)
    else:
        answer = client.post(URL, json=body)
    answer.raise_for_status()
    text: str = answer.json()["choices"][0]["message"]["content"]
    return text


class Agent:
    """Keeps every message."""

    def __init__(self) -> None:
        self.messages: list[Any] = [SYSTEM]

    def __call__(self, inputs: list[str]) -> None:
        for text in inputs:
            self.take(text)

    def take(self, text: str) -> None:
        """Takes one input."""
        self.messages.append({"role": "user", "content": text})
        self.messages.append(said(ask(self.messages)))


def texts(prompts: tuple[Any, ...]) -> list[list[str]]:
    """What the prompts say."""
    return [[message.text for message in prompt.messages] for prompt in prompts]


TWO: Final = [[SYSTEM["content"], "one"], [SYSTEM["content"], "one", "first", "two"]]


def test_prompts_of_the_lane() -> None:
    """All calls of the fixture's lane, in order, its own last."""
    assert texts(play_back(fixture(call(1, "first"), number=2), Agent())) == TWO


def test_own_answer_is_not_played() -> None:
    """The agent ends with the request of the fixture's call, though its answer was recorded."""
    reached: list[str] = []

    def agent(inputs: list[str]) -> None:
        Agent()(inputs)
        reached.append("after")

    assert len(play_back(fixture(call(1, "first"), call(2, "second"), call(3, "third"), number=2), agent)) == 2
    assert reached == []


def test_one_input_at_a_time() -> None:
    """An agent whose one parameter is named so is called once for each; a bound method, too."""
    for name in ("text", "message", "input"):
        scope: dict[str, Any] = {"agent": Agent()}
        exec(f"def take({name}):\n    agent.take({name})", scope)
        assert texts(play_back(fixture(call(1, "first"), number=2), scope["take"])) == TWO
    assert texts(play_back(fixture(call(1, "first"), number=2), Agent().take)) == TWO


def test_an_agent_that_asks_in_threads() -> None:
    """The end of a thread is the end of the agent that waits for it."""

    def agent(inputs: list[str]) -> None:
        one = Agent()
        with ThreadPoolExecutor() as pool:
            for text in inputs:
                pool.submit(one.take, text).result()

    assert texts(play_back(fixture(call(1, "first"), number=2), agent)) == TWO


def test_an_agent_that_catches_everything() -> None:
    """One that goes on after its end gets nothing more, and its prompts count all the same."""

    def agent(inputs: list[str]) -> None:
        one = Agent()
        for text in (*inputs, "three", "four"):
            try:
                one.take(text)
            except BaseException:
                one.messages.append(said("sorry"))

    assert texts(play_back(fixture(call(1, "first"), number=2), agent)) == TWO


def test_side_calls_between() -> None:
    """A summariser has its own queue: its call comes at another place than it was recorded, or never."""
    played = (
        call(1, "first"),
        call(2, "A hotel was looked for.", "summary", heads=(SUMMARISE["content"],), tools=()),
        call(3, "second"),
    )
    inputs = ("one", "two", "three")

    def summarises_first(given: list[str]) -> None:
        summary = ask([SUMMARISE, {"role": "user", "content": "nothing yet"}])
        one = Agent()
        one.messages.append(said(summary))
        one(given)

    plain = play_back(fixture(*played, number=4, inputs=inputs), Agent())
    other = play_back(fixture(*played, number=4, inputs=inputs), summarises_first)
    assert texts(plain)[-1] == [SYSTEM["content"], "one", "first", "two", "second", "three"]
    assert texts(other)[-1] == [SYSTEM["content"], "A hotel was looked for.", *texts(plain)[-1][1:]]


def test_lanes_that_the_agent_names(tmp_path: Any) -> None:
    """Calls that look the same go to the lanes which the agent's recorder names, in whatever order."""
    played = (call(1, "of a", "a"), call(2, "of b", "b"), call(3, "of main"))
    heard: list[str] = []

    def agent(inputs: list[str]) -> None:
        with Recorder(tmp_path, session="s") as recorder:
            for lane in ("b", "a"):
                with recorder.lane(lane):
                    heard.append(ask([SYSTEM, {"role": "user", "content": "x"}]))
        Agent()(inputs)

    assert len(play_back(fixture(*played, number=4), agent)) == 2
    assert heard == ["of b", "of a"]


def test_a_request_too_many_is_named() -> None:
    """A second summary, where one was recorded, gets no other call's answer."""
    summary = call(2, "Short.", "summary", heads=(SUMMARISE["content"], "x"), tools=())

    def agent(inputs: list[str]) -> None:
        for _ in range(2):
            ask([SUMMARISE, {"role": "user", "content": "x"}])
        Agent()(inputs)

    with pytest.raises(AssertionError) as caught:
        play_back(fixture(call(1, "first"), summary, number=3), agent)
    assert str(caught.value) == (
        "call 3 of lane main was not reached: request 2 to https://api.openai.com/v1/chat/completions has no recorded"
        " answer: it belongs to lane summary, whose calls up to call 3 are all played (1; the last was call 2)."
        " Calls that its requests stood for: 0 of 2 of lane main, 1 of 1 of lane summary."
    )


def test_an_agent_that_ends_early() -> None:
    """How far it came is said."""
    with pytest.raises(AssertionError) as caught:
        play_back(fixture(call(1, "first"), call(2, "second"), number=3), lambda inputs: Agent()(inputs[:1]))
    sent = "the agent ended (requests it sent: 1, in that lane 1 of 3)."
    assert str(caught.value) == f"call 3 of lane main was not reached: {sent}"


def test_an_agent_that_fails() -> None:
    """What it raised is said, and is the cause."""

    def agent(inputs: list[str]) -> None:
        Agent()(inputs[:1])
        raise KeyError("hotel")

    with pytest.raises(AssertionError, match=r"failed with KeyError: 'hotel' \(requests it sent: 1\)\.$") as caught:
        play_back(fixture(call(1, "first"), number=2), agent)
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_agent_that_ends_the_process() -> None:
    """That is a failure of the agent, not the end of the tests."""
    with pytest.raises(AssertionError, match="the agent failed with SystemExit: 2"):
        play_back(fixture(call(1, "first"), number=2), lambda inputs: sys.exit(2))


def test_recorded_refusals() -> None:
    """Each try of a call gets its own status; the prompt of the call counts once."""
    refused = [call(1, status=status, stop_reason=None) for status in (429, 500)]
    statuses: list[int] = []

    def agent(inputs: list[str]) -> None:
        with httpx2.Client() as client:
            for _ in range(4):
                body = {"model": "m", "messages": [SYSTEM, {"role": "user", "content": "one"}]}
                statuses.append(client.post(URL, json=body).status_code)

    assert len(play_back(fixture(*refused, call(1, "first"), number=2), agent)) == 2
    assert statuses == [429, 500, 200]


def test_own_address_of_a_gateway() -> None:
    """A recorded address is a model's, whatever its path; the dialect is that of the recording."""
    url = "https://gateway.example.com/ask"
    got: list[Any] = []

    def agent(inputs: list[str]) -> None:
        with httpx2.Client() as client:
            while True:
                got.append(client.post(url, json={"model": "m", "messages": [SYSTEM]}).json())

    assert len(play_back(fixture(call(1, "first", endpoint=url), number=2), agent)) == 2
    assert got[0]["choices"][0]["message"] == said("first")


def test_a_library_that_is_imported_later(tmp_path: Any) -> None:
    """An agent that imports its client when it runs is answered as well."""
    import subprocess
    import textwrap

    program = """
        import sys
        from pathlib import Path
        from snapshot_sdk._fixture_values import Fixture, Origin, PlayedCall
        from snapshot_sdk._playback import play_back
        assert not {"httpx2", "httpx", "requests", "aiohttp"} & set(sys.modules)
        URL = "https://api.openai.com/v1/chat/completions"
        def agent(inputs):
            import httpx2
            while True:
                httpx2.post(URL, json={"messages": []})
        call = PlayedCall(1, "main", "openai.chat", URL, 200, (), None, None, None)
        origin = Origin("s", 2, None, "main", "id", "f", 1)
        one = Fixture("n", "t", origin, "openai.chat", None, None, None, {}, (), (), played=(call,), inputs=("x",))
        print(len(play_back(one, agent)))
        import httpx2
        assert httpx2.Client.send.__module__ == "httpx2._client", httpx2.Client.send
        assert not hasattr(httpx2.Client.send, "__wrapped__")
        assert not any(type(one).__name__ == "WhenImported" for one in sys.meta_path)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "2\n", "")


def test_other_clients_are_kept_here_too() -> None:
    """What none of the known libraries sends is refused one level below, and named."""

    def agent(inputs: list[str]) -> None:
        with pytest.raises(ConnectionRefusedError), socket.socket() as own:
            own.connect(("192.0.2.1", 80))

    with pytest.raises(AssertionError, match=r"Refused, for nothing leaves the machine: 192.0.2.1:80\."):
        play_back(fixture(call(1, "first"), number=2), agent)


def test_keys_are_lent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client can be built without a key of the user's; one that is set stays, and none is left behind."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "mine")
    seen: dict[str, str] = {}
    before = dict(os.environ)
    with pytest.raises(AssertionError):
        play_back(fixture(call(1, "first"), number=2), lambda inputs: seen.update(os.environ))
    assert seen["OPENAI_API_KEY"]
    assert seen["ANTHROPIC_API_KEY"] == "mine"
    assert dict(os.environ) == before


def _state() -> list[Any]:
    kinds: tuple[Any, ...] = (httpx2.Client, httpx2.AsyncClient)
    return [*(vars(kind)["send"] for kind in kinds), dict(vars(socket.socket)), socket.getaddrinfo, list(sys.meta_path)]


def _raises(inputs: list[str]) -> None:
    raise ValueError


async def _asks_and_raises_later(inputs: list[str]) -> None:
    async with httpx2.AsyncClient() as client:
        await client.post(URL, json={"model": "m", "messages": [SYSTEM, {"role": "user", "content": inputs[0]}]})
    raise ValueError


@pytest.mark.parametrize("agent", [Agent(), _raises, _asks_and_raises_later, lambda inputs: None, sys.exit])
def test_nothing_stays_changed(agent: Callable[..., Any]) -> None:
    """Whatever becomes of the agent, classes, sockets, importers and threads are as before."""
    before, threads = _state(), threading.active_count()
    with contextlib.suppress(AssertionError):
        play_back(fixture(call(1, "first"), number=2), agent)
    assert _state() == before
    assert threading.active_count() == threads


def test_an_interrupt_goes_through() -> None:
    """The user's own Ctrl-C ends the tests, and nothing stays changed."""
    before = _state()

    def agent(inputs: list[str]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_back(fixture(call(1, "first"), number=2), agent)
    assert _state() == before


def test_one_at_a_time() -> None:
    """Clients of one process can answer from one recording only."""
    inner = fixture(call(1, "first"), number=2)

    def agent(inputs: list[str]) -> None:
        with pytest.raises(RuntimeError, match="another playback is running"):
            play_back(inner, Agent())
        Agent()(inputs)

    assert len(play_back(fixture(call(1, "first"), number=2), agent)) == 2
