"""install() and uninstall(): clients out of reach, known endpoints only, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import snapshot_sdk
from snapshot_sdk import Recorder

Records = Callable[..., list[dict[str, Any]]]

ASK: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "q"}]}


@pytest.fixture(params=["httpx", "httpx2"])
def library(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Both libraries, as they are."""
    yield pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    snapshot_sdk.uninstall()


def test_clients_out_of_reach(library: Any, recorder: Recorder, server: Any, records: Records, stored: Any) -> None:
    """Clients that are there and clients that come are recorded, for the server that is named."""
    before = library.Client()
    snapshot_sdk.install(recorder, endpoints=[f"{server.url}/v1"])
    with before, library.Client() as after:
        for client in (before, after):
            client.post(f"{server.url}/v1/chat/completions", json=ASK)
    assert stored() == server.bodies()
    assert len(records("response")) == 2


def test_restored_exactly(library: Any, recorder: Recorder, server: Any, records: Records) -> None:
    """After uninstall() the classes hold the very functions they held, and nothing is recorded."""
    kinds = (library.Client, library.AsyncClient)
    before = [dict(vars(kind)) for kind in kinds]
    snapshot_sdk.install(recorder, endpoints=[server.url])
    snapshot_sdk.install(recorder, endpoints=[server.url])
    assert [vars(kind)["send"] for kind in kinds] != [members["send"] for members in before]
    snapshot_sdk.uninstall()
    snapshot_sdk.uninstall()
    assert [dict(vars(kind)) for kind in kinds] == before
    with library.Client() as client:
        client.post(f"{server.url}/v1/chat/completions", json=ASK)
    assert records() == []


def test_other_servers_are_not_recorded(library: Any, recorder: Recorder, server: Any, records: Records) -> None:
    """A server that is neither known nor named may have the same paths: it is none of ours."""
    snapshot_sdk.install(recorder, endpoints=["http://127.0.0.1:9/v1", f"{server.url}/v2"])
    with library.Client() as client:
        client.post(f"{server.url}/v1/chat/completions", json=ASK)
        client.post(f"{server.url}/v2x/chat/completions", json=ASK)
        assert records() == []
        client.post(f"{server.url}/v2/chat/completions", json=ASK)
    assert len(records("snapshot")) == 1


def test_known_providers_are_recorded(library: Any, recorder: Recorder, loopback: Any, records: Records) -> None:
    """Calls to the providers' own addresses are recorded without a word."""
    snapshot_sdk.install(recorder)
    answer = library.MockTransport(lambda request: library.Response(200, json=loopback.CHAT))
    with library.Client(transport=answer) as client:
        client.post("https://api.openai.com/v1/chat/completions?x=1", json=ASK)
        client.post("https://example.com/v1/chat/completions", json=ASK)
        client.post("https://api.openai.com.example.com/v1/chat/completions", json=ASK)
    (snapshot,) = records("snapshot")
    assert snapshot["endpoint"] == "https://api.openai.com/v1/chat/completions"


def test_attached_and_installed_records_once(library: Any, recorder: Recorder, server: Any, records: Records) -> None:
    """A client that is attached is not recorded twice when everything is."""
    snapshot_sdk.install(recorder, endpoints=[server.url])
    with recorder.attach(library.Client()) as client:
        client.post(f"{server.url}/v1/chat/completions", json=ASK)
    assert len(records("snapshot")) == len(records("response")) == 1


def test_a_patch_on_top_stays(library: Any, recorder: Recorder, server: Any, records: Records) -> None:
    """What somebody else patched after us keeps working after uninstall(); ours lets everything pass."""
    original = vars(library.Client)["send"]
    snapshot_sdk.install(recorder, endpoints=[server.url])
    ours = library.Client.send
    calls: list[int] = []

    def theirs(self: Any, request: Any, **kwargs: Any) -> Any:
        calls.append(1)
        return ours(self, request, **kwargs)

    library.Client.send = theirs
    try:
        snapshot_sdk.uninstall()
        assert library.Client.send is theirs
        with library.Client() as client:
            client.post(f"{server.url}/v1/chat/completions", json=ASK)
    finally:
        library.Client.send = original
    assert calls == [1]
    assert records() == []


def test_what_is_no_recorder_is_refused() -> None:
    """install() takes a recorder."""
    with pytest.raises(TypeError, match="takes a Recorder"):
        snapshot_sdk.install("snapshots")  # type: ignore[arg-type]


def test_a_library_that_is_imported_later(library: Any, server: Any, tmp_path: Path, records: Records) -> None:
    """install() imports nothing; a library the agent imports afterwards is recorded, and put back."""
    name = library.__name__
    program = f"""
        import sys
        import snapshot_sdk
        recorder = snapshot_sdk.Recorder(sys.argv[1], session="s")
        snapshot_sdk.install(recorder, endpoints=[sys.argv[2]])
        assert not {{"httpx", "httpx2"}} & set(sys.modules)
        import {name}
        ours = {name}.Client.send
        {name}.Client().post(sys.argv[2] + "/v1/chat/completions", json={ASK})
        snapshot_sdk.uninstall()
        assert {name}.Client.send is not ours
        {name}.Client().post(sys.argv[2] + "/v1/chat/completions", json={ASK})
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path), server.url]
    subprocess.run(command, env=environment, check=True, timeout=60)
    assert len(server.bodies()) == 2
    assert len(records("response")) == 1
