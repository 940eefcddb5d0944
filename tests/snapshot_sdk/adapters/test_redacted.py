"""Rules of the user at an attached client: the server gets everything, the disk what the rules leave."""

from __future__ import annotations

import gzip
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, iter_records, read_requests

httpx = pytest.importorskip("httpx", reason="httpx is not installed")

SECRET = "the number of the safe"
BODY: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": {"text": "hi", "secret": SECRET}, "mail": "ann@example.com"},
    ],
}


def _call(directory: Path, server: Any, rules: Any, body: dict[str, Any] = BODY, calls: int = 1) -> str:
    """Makes calls; returns what is on disk."""
    with Recorder(directory, session="s", redact=rules) as recorder, recorder.attach(httpx.Client()) as client:
        for _ in range(calls):
            assert client.post(f"{server.url}/v1/chat/completions", json=body).status_code == 200
        assert recorder.losses == 0
    return "".join(path.read_text(encoding="utf-8") for path in directory.rglob("*.jsonl"))


def _fails(value: Any) -> Any:
    raise RuntimeError(f"no rule for {value}")


@pytest.mark.parametrize(
    ("rules", "gone", "stays"),
    [
        ("email", "ann@example.com", SECRET),
        ("messages[*].content.secret", SECRET, "ann@example.com"),
        (lambda value: "all gone", SECRET, "all gone"),
        (_fails, SECRET, "the redactor failed with RuntimeError"),
    ],
    ids=["pattern", "path", "function", "failing"],
)
def test_the_server_gets_what_the_disk_does_not(rules: Any, gone: str, stays: str, server: Any, tmp_path: Path) -> None:
    """What a rule removes is in the bytes that were sent and not in the trace, where it is counted by place."""
    text = _call(tmp_path, server, rules)
    (sent,) = server.bodies()
    assert gone in json.dumps(json.loads(sent), ensure_ascii=False)
    assert (gone in text, stays in text) == (False, True)
    (snapshot,) = (record for record in map(json.loads, text.splitlines()) if record["type"] == "snapshot")
    assert snapshot["exact"] == "redacted"
    assert ["/messages/1", 1] in snapshot["redactions"]


def test_answers_are_redacted(server: Any, loopback: Any, tmp_path: Path) -> None:
    """A key in an answer is removed too."""
    key = "sk-abcdefghijklmnopqrstuvwxyz"
    message = {"role": "assistant", "content": f"it is {key}"}
    server.replies = [
        loopback.Reply({**loopback.CHAT, "choices": [{**loopback.CHAT["choices"][0], "message": message}]})
    ]
    text = _call(tmp_path, server, "keys")
    assert key not in text
    assert "it is [redacted:keys]" in text


def test_a_session_with_a_secret_goes_on_cheaply(server: Any, tmp_path: Path) -> None:
    """Of a body that only grows, what was removed before is named again, and the rest is the body's."""
    key = "sk-abcdefghijklmnopqrstuvwxyz"
    messages = [{"role": "user", "content": f"my key is {key}"}]
    with Recorder(tmp_path, session="s") as recorder, recorder.attach(httpx.Client()) as client:
        for number in range(5):
            client.post(f"{server.url}/v1/chat/completions", json={"messages": messages, "model": "m"})
            messages.append({"role": "user", "content": f"and {number}"})
    (path,) = tmp_path.rglob("*.jsonl")
    snapshots = [record for record in iter_records(path) if record["type"] == "snapshot"]
    assert [record["redactions"] for record in snapshots] == [[["/messages/0", 1]]] * 5
    assert [one.request.body_bytes().decode().replace("[redacted:keys]", key) for one in read_requests(path)] == [
        body.decode() for body in server.bodies()
    ]


def test_failing_rules_are_no_warning_of_the_host(
    server: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rule that fails at each call costs the host nothing: no loss, no log, no output."""
    with caplog.at_level(logging.WARNING):
        _call(tmp_path, server, _fails, calls=3)
    assert [one.message for one in caplog.records if one.name == "snapshot_sdk"] == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("library", "name"), [("httpx", "Client"), ("httpx2", "Client"), ("requests", "Session")])
def test_a_compressed_request(library: str, name: str, server: Any, tmp_path: Path) -> None:
    """A body that the agent compresses is stored as what it says, and rules look into it."""
    client = getattr(pytest.importorskip(library, reason=f"{library} is not installed"), name)()
    body = json.dumps({"model": "m", "messages": ["sk-abcdefghijklmnopqrstuvwxyz", "你好"]}).encode()
    coded = gzip.compress(body)
    with Recorder(tmp_path, session="s") as recorder, recorder.attach(client):
        client.post(
            f"{server.url}/v1/chat/completions",
            **{"data" if library == "requests" else "content": coded},
            headers={"content-encoding": "gzip"},
        )
        assert recorder.losses == 0
    assert server.bodies() == [coded]
    ((record, request),) = [one for path in tmp_path.rglob("*.jsonl") for one in read_requests(path)]
    assert record["exact"] == "redacted"
    assert request.body()["messages"][1] == "你好"
    assert "sk-abcdef" not in request.body_text()


@pytest.mark.parametrize("coding", ["gzip", "unheard-of"])
def test_a_request_nobody_can_decode(coding: str, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What no rule could look into is not stored: a loss, and the call goes through."""
    monkeypatch.delenv("SNAPSHOT_SDK_RAISE")
    with Recorder(tmp_path, session="s") as recorder, recorder.attach(httpx.Client()) as client:
        answer = client.post(
            f"{server.url}/v1/chat/completions", content=b"opaque", headers={"content-encoding": coding}
        )
        assert (answer.status_code, recorder.losses) == (200, 1)
    assert "opaque" not in "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
