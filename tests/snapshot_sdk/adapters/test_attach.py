"""attach(): the client stays what it was; retries, lanes, sessions, and what is no call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, iter_records

openai = pytest.importorskip("openai", reason="the client package openai is not installed")

Records = Callable[..., list[dict[str, Any]]]

ASK: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "q"}]}


def _new(server: Any, kind: str = "OpenAI", **given: Any) -> Any:
    return getattr(openai, kind)(**({"api_key": "k", "base_url": f"{server.url}/v1", "max_retries": 0} | given))


def test_the_client_is_the_same(recorder: Recorder, server: Any, records: Records) -> None:
    """The same object comes back; its HTTP client, pool and hooks are the ones it had; copies are recorded."""
    seen: list[str] = []
    library = pytest.importorskip("httpx2", reason="httpx2 is not installed")
    http = library.Client(event_hooks={"request": [lambda request: seen.append("request")]})
    client = _new(server, http_client=http)
    pool, state = http._transport, set(vars(http))
    assert recorder.attach(client) is client
    assert (client._client, http._transport, set(vars(http)) - state) == (http, pool, {"send"})
    client.with_options(timeout=5).chat.completions.create(**ASK)
    assert seen == ["request"]
    assert len(records("snapshot")) == 1


@pytest.mark.parametrize("package", ["openai", "anthropic", "groq"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_a_copy_with_another_http_client(
    package: str, asynchronous: bool, recorder: Recorder, server: Any, records: Records
) -> None:
    """with_options(http_client=…), and a copy of that copy, are recorded as the client is, each call once."""
    module = pytest.importorskip(package, reason=f"the client package {package} is not installed")
    kind = {"openai": "OpenAI", "anthropic": "Anthropic", "groq": "Groq"}[package]
    client = getattr(module, f"Async{kind}" if asynchronous else kind)(api_key="k", base_url=server.url, max_retries=0)
    other = f"Default{'Async' if asynchronous else ''}HttpxClient"
    recorder.attach(recorder.attach(client))
    copy = client.with_options(http_client=getattr(module, other)()).copy(timeout=5)
    again = client.copy(http_client=getattr(module, other)())
    for one in (copy, again, client):
        asked = one.post("/v1/chat/completions", body=ASK, cast_to=object)
        if asynchronous:
            asyncio.run(_closing(asked, one))
    assert [record["type"] for record in records()][1:] == ["snapshot", "attempt", "response"] * 3


async def _closing(asked: Any, client: Any) -> None:
    await asked
    await client.close()


def test_attaching_twice_records_once(recorder: Recorder, server: Any, records: Records) -> None:
    """A second attach() of the same recorder changes nothing."""
    client = recorder.attach(recorder.attach(_new(server)))
    recorder.attach(client.with_options(timeout=5))
    client.chat.completions.create(**ASK)
    assert [record["type"] for record in records()] == ["header", "snapshot", "attempt", "response"]


def test_two_recorders(recorder: Recorder, server: Any, tmp_path: Path) -> None:
    """Two recorders on one client both record."""
    with Recorder(tmp_path / "other", session="o") as other:
        other.attach(recorder.attach(_new(server))).chat.completions.create(**ASK)
    for name in ("traces", "other"):
        (path,) = (tmp_path / name).rglob("*.jsonl")
        assert [record["type"] for record in iter_records(path)] == ["header", "snapshot", "attempt", "response"]


def test_a_dropped_client_is_freed(recorder: Recorder, server: Any) -> None:
    """Nothing of ours keeps an HTTP client alive."""
    import gc
    import weakref

    library = pytest.importorskip("httpx2", reason="httpx2 is not installed")
    gc.disable()
    try:
        client = recorder.attach(library.Client())
        client.post(f"{server.url}/v1/chat/completions", json=ASK)
        gone = weakref.ref(client)
        client.close()
        del client
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("wrong", [None, 5, object(), {"a": 1}, "client"])
def test_what_is_no_client_is_refused(wrong: Any, recorder: Recorder) -> None:
    """attach() says what it did not find."""
    with pytest.raises(TypeError, match="found no HTTP client in"):
        recorder.attach(wrong)


@pytest.mark.parametrize(("wrong", "error"), [("no url", ValueError), ("ftp://x/v1", ValueError), (5, TypeError)])
def test_wrong_endpoints_are_refused(wrong: Any, error: type[Exception], recorder: Recorder, server: Any) -> None:
    """An endpoint is an http or https URL."""
    with pytest.raises(error):
        recorder.attach(_new(server), endpoints=[wrong])


def test_retries_of_the_client_are_attempts(
    recorder: Recorder, server: Any, loopback: Any, records: Records, stored: Any
) -> None:
    """Tries that the client makes by itself are attempts of one snapshot; the last answer counts."""
    wait = {"retry-after-ms": "1"}
    server.replies = [
        loopback.Reply({"error": {"message": "slow"}}, status=429, headers=wait),
        loopback.Reply({"error": {"message": "down"}}, status=503, headers=wait),
        loopback.Reply(loopback.CHAT),
    ]
    _new_client = recorder.attach(_new(server, max_retries=2))
    _new_client.chat.completions.create(**ASK)
    _new_client.chat.completions.create(**ASK)
    first, second = records("snapshot")
    tries = [(one["n"], one["status"]) for one in records("attempt") if one["snapshot"] == first["id"]]
    assert tries == [(1, 429), (2, 503), (3, 200)]
    assert [one["n"] for one in records("attempt") if one["snapshot"] == second["id"]] == [1]
    assert [one["complete"] for one in records("response")] == [False, False, True, True]
    assert stored() == [server.bodies()[0], server.bodies()[3]]
    assert server.bodies()[0] == server.bodies()[1] == server.bodies()[2]


@pytest.mark.parametrize("library", ["httpx", "httpx2", "requests"])
def test_retries_without_a_count(
    library: str, recorder: Recorder, server: Any, loopback: Any, records: Records
) -> None:
    """Without a count, equal bytes right after a failed try are its next attempt; after success a new call."""
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    server.replies = [loopback.Reply({}, status=500), loopback.Reply(loopback.CHAT)]
    with recorder.attach(module.Session() if library == "requests" else module.Client()) as client:
        for _ in range(3):
            client.post(f"{server.url}/v1/chat/completions", json=ASK)
    assert [one["n"] for one in records("attempt")] == [1, 2, 1]
    assert len(records("snapshot")) == 2


def test_what_is_no_call(recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """Embeddings, counting tokens, batches, files, moderation and models are not recorded."""
    library = pytest.importorskip("httpx2", reason="httpx2 is not installed")
    server.replies = [loopback.Reply({})]
    with recorder.attach(library.Client(base_url=server.url)) as client:
        for path in (
            "/v1/embeddings",
            "/v1/messages/count_tokens",
            "/v1/messages/batches",
            "/v1/batches",
            "/v1/moderations",
            "/v1/threads/t/messages",
            "/v1beta/models/gemini-x:countTokens",
            "/v1beta/models/gemini-x:embedContent",
            "/v1beta/models/gemini-x:batchGenerateContent",
            "/model/anthropic.x/count-tokens",
        ):
            client.post(path, json={"input": "x"})
        client.request("PUT", "/v1/chat/completions", json=ASK)
    assert records() == []


def test_named_endpoint(recorder: Recorder, server: Any, loopback: Any, records: Records) -> None:
    """What is posted to a named address is recorded, whatever its path."""
    library = pytest.importorskip("httpx2", reason="httpx2 is not installed")
    url = f"{server.url}/my/model"
    with recorder.attach(library.Client(), endpoints=[url]) as client:
        client.post(f"{url}?key=secret", json={"prompt": "x"})
        client.post(f"{url}/feedback", json={"good": True})
    (snapshot,) = records("snapshot")
    assert (snapshot["endpoint"], snapshot["api"]) == (url, None)


def test_lanes_follow_tasks(recorder: Recorder, server: Any, records: Records) -> None:
    """Session, turn and lane follow asyncio tasks that run at once; a side call has its own lane."""

    async def agent(client: Any, name: str) -> None:
        with recorder.session(name), recorder.turn(1):
            await client.chat.completions.create(**ASK)
            with recorder.lane("title", purpose="title"):
                await client.chat.completions.create(**ASK)

    async def run() -> None:
        async with recorder.attach(_new(server, "AsyncOpenAI")) as client:
            await asyncio.gather(*(agent(client, f"s{n}") for n in range(5)))

    asyncio.run(run())
    headers = {record["session"] for record in records("header")}
    assert headers == {f"s{n}" for n in range(5)}
    lanes = [(one["turn"], one["lane"], one["lane_origin"], one["purpose"]) for one in records("snapshot")]
    assert sorted(lanes, key=str) == sorted([(1, "main", "default", None), (1, "title", "given", "title")] * 5, key=str)


def test_two_sessions_are_two_files(recorder: Recorder, server: Any, tmp_path: Path) -> None:
    """Calls of one client in two sessions at once go to a file each, with their answers, whoever ends first."""
    meet = threading.Barrier(2)

    def talk(session: str) -> None:
        with recorder.session(session), recorder.turn(1):
            for number in range(5):
                meet.wait()
                client.chat.completions.create(model="m", messages=[{"role": "user", "content": f"{session} {number}"}])

    client = recorder.attach(_new(server))
    threads = [threading.Thread(target=talk, args=(session,)) for session in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = {}
    for path in tmp_path.rglob("*.jsonl"):
        header, *rest = iter_records(path)
        found[header["session"]] = [record["type"] for record in rest]
        assert all(header["session"] in str(record["blobs"]) for record in rest if record["type"] == "snapshot")
    assert found == dict.fromkeys(("a", "b"), ["snapshot", "attempt", "response"] * 5)


def test_a_side_call_has_its_own_line(recorder: Recorder, server: Any, records: Records) -> None:
    """A summariser's call in the middle of a session neither continues the main lane nor is continued by it."""
    client = recorder.attach(_new(server))
    client.chat.completions.create(**ASK)
    with recorder.lane("summariser", purpose="summary"):
        client.chat.completions.create(**ASK)
    client.chat.completions.create(**ASK)
    first, side, second = records("snapshot")
    assert [(one["lane"], one.get("purpose"), one["lane_origin"]) for one in (first, side, second)] == [
        ("main", None, "default"),
        ("summariser", "summary", "given"),
        ("main", None, "default"),
    ]
    assert (side["previous"], second["previous"]) == (None, first["id"])


def test_threads_see_no_context(recorder: Recorder, server: Any, records: Records) -> None:
    """A thread takes the default lane, and the record says so; ``wrap`` carries the lane into it."""
    client = recorder.attach(_new(server))

    def call() -> None:
        client.chat.completions.create(**ASK)

    with recorder.lane("judge"):
        for function in (call, recorder.wrap(call)):
            thread = threading.Thread(target=function)
            thread.start()
            thread.join()
    assert [(one["lane"], one["lane_origin"]) for one in records("snapshot")] == [
        ("main", "default"),
        ("judge", "given"),
    ]


def test_async_caller(recorder: Recorder, server: Any, records: Records) -> None:
    """The user's own line is named, through the client's frames and the event loop's."""

    async def run() -> None:
        async with recorder.attach(_new(server, "AsyncOpenAI")) as client:
            await client.chat.completions.create(**ASK)

    asyncio.run(run())
    assert records("snapshot")[0]["caller"].startswith("adapters/test_attach.py:")
