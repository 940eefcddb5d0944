"""An agent may be async, or yield its steps, and a test may run in an event loop."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest

from snapshot_sdk._fixture_values import Fixture, Origin, PlayedCall
from snapshot_sdk._playback import play_back

httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed")

URL: Final = "https://api.openai.com/v1/chat/completions"
SYSTEM: Final = {"role": "system", "content": "You are the travel desk."}
FIXTURE: Final = Fixture(
    name="trip",
    title="title",
    origin=Origin("s", 2, None, "main", "id", "f.jsonl", 1),
    api="openai.chat",
    model="m",
    window=None,
    budget=None,
    request={"model": "m", "messages": [SYSTEM, {"role": "user", "content": "two"}]},
    history=(),
    checks=(),
    played=(
        PlayedCall(1, "main", "openai.chat", URL, 200, ({"role": "assistant", "content": "first"},), "stop", None, "m"),
    ),
    inputs=("one", "two"),
)
TWO: Final = [[SYSTEM["content"], "one"], [SYSTEM["content"], "one", "first", "two"]]


class Agent:
    """Keeps every message."""

    def __init__(self) -> None:
        self.messages: list[Any] = [SYSTEM]

    def take(self, text: str) -> None:
        """Takes one input."""
        self.messages.append({"role": "user", "content": text})
        with httpx2.Client() as client:
            answer = client.post(URL, json={"model": "m", "messages": self.messages}).json()
        self.messages.append(answer["choices"][0]["message"])


def texts(prompts: tuple[Any, ...]) -> list[list[str]]:
    """What the prompts say."""
    return [[message.text for message in prompt.messages] for prompt in prompts]


async def _ask_later(client: Any, messages: list[Any]) -> str:
    answer = await client.post(URL, json={"model": "m", "messages": messages})
    text: str = answer.json()["choices"][0]["message"]["content"]
    return text


async def _later(inputs: list[str]) -> None:
    messages: list[Any] = [SYSTEM]
    async with httpx2.AsyncClient() as client:
        for text in inputs:
            messages.append({"role": "user", "content": text})
            messages.append({"role": "assistant", "content": await _ask_later(client, messages)})


def test_an_async_agent() -> None:
    """It is awaited."""
    assert texts(play_back(FIXTURE, _later)) == TWO


def test_an_async_agent_that_takes_one_input() -> None:
    """All its inputs come in one event loop."""
    loops = set()
    messages: list[Any] = [SYSTEM]

    async def agent(text: str) -> None:
        loops.add(asyncio.get_running_loop())
        messages.append({"role": "user", "content": text})
        async with httpx2.AsyncClient() as client:
            messages.append({"role": "assistant", "content": await _ask_later(client, messages)})

    assert texts(play_back(FIXTURE, agent)) == TWO
    assert len(loops) == 1


def test_inside_an_event_loop() -> None:
    """An async test may play back as well."""

    async def test() -> tuple[Any, ...]:
        return play_back(FIXTURE, _later)

    assert texts(asyncio.run(test())) == TWO


def test_an_agent_that_yields_its_steps() -> None:
    """A generator is run to its end, as its own caller would."""

    def agent(inputs: list[str]) -> Any:
        desk = Agent()
        for text in inputs:
            desk.take(text)
            yield text

    assert texts(play_back(FIXTURE, agent)) == TWO


def test_an_async_agent_that_yields_its_steps() -> None:
    """Likewise an async one."""

    async def agent(inputs: list[str]) -> Any:
        yield "start"
        await _later(inputs)

    assert texts(play_back(FIXTURE, agent)) == TWO


def test_an_agent_that_starts_its_own_loop_inside_one() -> None:
    """A test may be async itself: the agent gets a thread without a loop."""

    def agent(inputs: list[str]) -> None:
        asyncio.run(_later(inputs))

    async def test() -> Any:
        return play_back(FIXTURE, agent)

    assert texts(asyncio.run(test())) == TWO
