"""What an agent leaves running reaches no provider when its playback is over."""

from __future__ import annotations

import threading
from typing import Any, Final

import pytest

from snapshot_sdk._fixture_values import Fixture, Origin, PlayedCall
from snapshot_sdk._playback import play_back

httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed")

URL: Final = "https://api.openai.com/v1/chat/completions"
REQUEST: Final[dict[str, Any]] = {"model": "m", "messages": [{"role": "user", "content": "one"}]}
FIXTURE: Final = Fixture(
    name="trip",
    title="title",
    origin=Origin("s", 1, None, "main", "id", "f.jsonl", 1),
    api="openai.chat",
    model="m",
    window=None,
    budget=None,
    request=REQUEST,
    history=(),
    checks=(),
    played=(PlayedCall(1, "main", "openai.chat", URL, 200, (), None, None, "m"),),
    inputs=("one",),
)


def ask() -> None:
    """Asks the model."""
    with httpx2.Client() as client:
        client.post(URL, json=REQUEST)


def test_a_thread_that_outlives_the_agent_asks_no_provider() -> None:
    """It is refused by its client, before a name is looked up, and the clients of all others go on as before."""
    over, said = threading.Event(), list[str]()

    def ask_later() -> None:
        over.wait(10)
        try:
            ask()
        except httpx2.ConnectError as error:
            said.append(str(error))

    late = threading.Thread(target=ask_later, name="prefetch")

    def agent(inputs: list[str]) -> None:
        late.start()
        ask()

    send = httpx2.Client.send
    play_back(FIXTURE, agent)
    over.set()
    late.join()
    (reason,) = said
    assert "the thread prefetch was begun while answers were played back: nothing of it leaves the machine" in reason
    transport = httpx2.MockTransport(lambda request: httpx2.Response(204))
    with httpx2.Client(transport=transport) as client:
        assert client.get(URL).status_code == 204
    play_back(FIXTURE, lambda inputs: ask())
    assert httpx2.Client.send is send
