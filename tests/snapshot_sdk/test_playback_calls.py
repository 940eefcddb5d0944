"""What becomes of a single request while answers are played back."""

from __future__ import annotations

import gzip
import json
from typing import Any, Final

import pytest

from snapshot_sdk._fixture_values import Fixture, Origin, PlayedCall
from snapshot_sdk._playback_calls import Calls
from snapshot_sdk._playback_values import BrokenError, PlaybackStop, RefusedError
from snapshot_sdk.adapters._exchange import Outgoing

URL: Final = "https://api.openai.com/v1/chat/completions"
BODY: Final = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
ANSWER: Final = {"role": "assistant", "content": "good day"}


def calls(*endpoints: str | None, status: int | None = 200, answer: tuple[Any, ...] = (ANSWER,)) -> Calls:
    """A call for each address, and the fixture's own."""
    played = [
        PlayedCall(number, "main", "openai.chat", endpoint, status, answer, None, None, None)
        for number, endpoint in enumerate(endpoints, 1)
    ]
    origin = Origin("s", len(played) + 1, None, "main", "id", "f", 1)
    return Calls(Fixture("n", "t", origin, "openai.chat", None, None, None, BODY, (), (), played=tuple(played)))


def post(url: str = URL, body: Any = BODY, method: str = "POST", encoding: str | None = None) -> Outgoing:
    """A request."""
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    return Outgoing(method, url, data, None, encoding)


def test_answered_and_kept() -> None:
    """The answer comes, and what was sent is kept with the call it stands for."""
    one = calls(URL)
    answer = one.answer(post())
    assert answer is not None
    assert json.loads(answer.body)["choices"][0]["message"] == ANSWER
    assert [(captured.call.call, captured.body) for captured in one.captured] == [(1, BODY)]


def test_a_compressed_request() -> None:
    """What is checked is what it says."""
    one = calls(URL)
    one.answer(post(body=gzip.compress(json.dumps(BODY).encode()), encoding="gzip"))
    assert one.captured[0].body == BODY


@pytest.mark.parametrize(
    "request_",
    [
        post("https://api.openai.com/v1/embeddings"),
        post("https://api.anthropic.com/v1/messages/count_tokens"),
        post("https://api.openai.com/v1/models", None, "GET"),
        post(body=b"no JSON"),
        post(body=None),
    ],
    ids=["embeddings", "count", "models", "no JSON", "no body"],
)
def test_what_is_no_model_call_is_refused(request_: Outgoing) -> None:
    """It is named without its query, counted, and nothing of the recording is used up."""
    one = calls(URL)
    with pytest.raises(RefusedError, match=r"nothing leaves the machine"):
        one.answer(request_)
    assert list(one.refused) == [f"{request_.method} {request_.url}"]
    assert one.captured == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/tool", "http://localhost/tool", "http://[::1]:80/tool"])
def test_this_machine_may_be_asked(url: str) -> None:
    """A server of the user's own goes on as it would."""
    assert calls(URL).answer(post(url)) is None


def test_a_model_on_this_machine_is_played() -> None:
    """A recorded call to a local model is not asked of it again."""
    assert calls("http://127.0.0.1:11434/v1/chat/completions").answer(
        post("http://127.0.0.1:11434/v1/chat/completions")
    )


def test_a_masked_address_is_none() -> None:
    """An export may have taken a part of an address out; calls are told apart by the rest."""
    one = calls("https://[name 1].example.com/v1/chat/completions", "https://[name 1]/ask")
    assert one.answer(post())
    assert one.answer(post())


def test_the_last_request_ends_the_agent() -> None:
    """The fixture's own call gets no answer, and nothing after it."""
    one = calls(URL)
    one.answer(post())
    for _ in range(2):
        with pytest.raises(PlaybackStop):
            one.answer(post())
    assert (one.reached, len(one.captured)) == (True, 2)


def test_no_answer_is_a_connection_that_failed() -> None:
    """It is remembered, in case the agent does not get over it."""
    one = calls(URL, status=None, answer=())
    with pytest.raises(BrokenError, match="call 1 of lane main has no recorded answer"):
        one.answer(post())
    assert "played as a connection that failed: call 1 of lane main" in one.remarks()


def test_many_refusals_are_not_all_named() -> None:
    """Five are, and how often; the rest is counted."""
    one = calls(URL)
    for number in (0, 0, 1, 2, 3, 4, 5, 6):
        one.refuse(f"GET https://t.example.com/{number}")
    assert one.remarks() == (
        " Refused, for nothing leaves the machine: GET https://t.example.com/0 (2 times),"
        " GET https://t.example.com/1, GET https://t.example.com/2, GET https://t.example.com/3,"
        " GET https://t.example.com/4 and 2 more."
    )
