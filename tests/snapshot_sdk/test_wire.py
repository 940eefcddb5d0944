"""A body that begins like the one before: only what is new is cut, and it reads back all the same."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snapshot_sdk import Recorder, _encoder, _writer, read_requests
from snapshot_sdk._blobs import Wire
from snapshot_sdk._wire import same_elements

STYLES: list[dict[str, Any]] = [
    {"separators": (",", ":"), "ensure_ascii": False},
    {"separators": (",", ":")},
    {"ensure_ascii": False},
    {},
]


def _message(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **fields}


def _bodies(path: Path) -> list[bytes]:
    return [one.request.body_bytes() for file in sorted(path.rglob("*.jsonl")) for one in read_requests(file)]


@pytest.fixture
def whole_cuts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Lengths of the texts that were cut as a whole."""
    lengths: list[int] = []
    split = _encoder.split

    def counting(text: str, known: Any) -> Any:
        lengths.append(len(text))
        return split(text, known)

    monkeypatch.setattr(_encoder, "split", counting)
    return lengths


@pytest.mark.parametrize("style", range(4))
@pytest.mark.parametrize("text", ["plain", "茶 😀 é"])
@pytest.mark.parametrize("order", [("model", "messages", "tools"), ("tools", "messages", "model"), ("messages",)])
def test_growing_bodies_are_cut_once(
    style: int, text: str, order: tuple[str, ...], tmp_path: Path, whole_cuts: list[int]
) -> None:
    """Of a session that only grows, the first body alone is cut as a whole, in any style and order of members."""
    sent = []
    members: dict[str, Any] = {"model": "m", "tools": [{"name": text}], "messages": []}
    with Recorder(tmp_path, session="s") as recorder:
        for number in range(40):
            members["messages"].append(_message(f"{text} {number}"))
            sent.append(json.dumps({name: members[name] for name in order}, **STYLES[style]).encode())
            recorder.snapshot(sent[-1])
    assert _bodies(tmp_path) == sent
    assert len(whole_cuts) == 1


def test_a_marker_that_moves(tmp_path: Path, whole_cuts: list[int]) -> None:
    """Anthropic's moving cache marker changes the last elements: only they are cut again."""
    messages = [_message(f"message {number} " * 20) for number in range(30)]
    sent = []
    with Recorder(tmp_path, session="s") as recorder:
        for count in range(3, 30):
            marked = [*messages[: count - 1], {**messages[count - 1], "cache_control": {"type": "ephemeral"}}]
            sent.append(json.dumps({"messages": marked, "max_tokens": count}, separators=(",", ":")).encode())
            recorder.snapshot(sent[-1])
    assert _bodies(tmp_path) == sent
    assert len(whole_cuts) == 1


def test_a_number_that_goes_on(tmp_path: Path) -> None:
    """``[1]`` followed by ``[12]`` shares its beginning, but not its element."""
    sent = [b'{"a":[1],"b":[1]}', b'{"a":[12],"b":[1]}', b'{"a":[12,3],"b":[1]}', b'{"a":[12,35.0],"b":[1]}']
    with Recorder(tmp_path, session="s") as recorder:
        for body in sent:
            recorder.snapshot(body)
    assert _bodies(tmp_path) == sent


def test_what_follows_is_no_json(tmp_path: Path) -> None:
    """A body that begins like the one before and then breaks off is kept as it is."""
    good = b'{"messages":["a","b"],"model":"m"}'
    sent = [good, good[:20], b'{"messages":["a","b"]', good + b"x", b'{"messages":["a","b"],"messages":[]}', good]
    with Recorder(tmp_path, session="s") as recorder:
        for body in sent:
            recorder.snapshot(body)
    assert _bodies(tmp_path) == sent


def test_another_style_in_the_rest(tmp_path: Path, requests: Callable[[], list[Any]]) -> None:
    """When escapes appear for the first time the style is found anew, so that values stay values."""
    messages = [_message("plain")]
    with Recorder(tmp_path, session="s") as recorder:
        recorder.snapshot(json.dumps({"messages": messages}).encode())
        messages.append(_message("茶"))
        recorder.snapshot(json.dumps({"messages": messages}).encode())
    record, request = requests()[1]
    assert record["style"] == "default-ascii"
    assert "value" in record["blobs"][0]
    assert request.body() == {"messages": messages}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), style=st.integers(0, 3))
def test_any_history(seed: int, style: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Bodies that grow, shrink, are edited, reordered and change their members reproduce byte for byte."""
    chance = random.Random(seed)
    words = ["a", "茶" * 30, "x" * 300, "\\u00e9", "é\n", "1", "😀", '"', "]}"]
    messages: list[Any] = []
    body: dict[str, Any] = {"model": "m", "messages": messages}
    sent = []
    path = tmp_path_factory.mktemp("wire")
    with Recorder(path, session="s") as recorder:
        for _ in range(25):
            action = chance.random()
            if action < 0.6 or not messages:
                messages.append(chance.choice([_message(chance.choice(words)), chance.choice(words), 1, 12, 1.5, None]))
            elif action < 0.7:
                del messages[chance.randrange(len(messages)) :]
            elif action < 0.8:
                messages[chance.randrange(len(messages))] = _message(chance.choice(words))
            elif action < 0.9:
                body.pop("tools", None) or body.update(tools=[{"n": chance.choice(words)}])
            else:
                body["model"] = chance.choice(["m", "n" * 300])
            sent.append(json.dumps(body, **STYLES[style]).encode())
            recorder.snapshot(sent[-1], lane=chance.choice(["main", "main", "side"]))
    assert _bodies(path) == sent


def test_same_elements() -> None:
    """The count stops at the first element that differs, wherever it does."""
    before = b'{"m":["aa","bb","cc"]}'
    wire = Wire(bytearray(before), "compact", "m", [10, 15, 20], b"]}", None)
    bodies = [before, b'{"m":["aa","bb","c', b'{"m":["aa","bX"]}', b"{}", b""]
    assert [same_elements(body, wire) for body in bodies] == [3, 2, 1, 0, 0]


def test_another_array_becomes_the_longest(tmp_path: Path, whole_cuts: list[int]) -> None:
    """Tools that were longer than the first messages do not keep the messages from being followed."""
    tools = [{"name": "t" * 3000}]
    messages: list[Any] = []
    sent = []
    with Recorder(tmp_path, session="s") as recorder:
        for _ in range(60):
            messages.append(_message("m" * 200))
            sent.append(json.dumps({"tools": tools, "messages": messages}).encode())
            recorder.snapshot(sent[-1])
    assert _bodies(tmp_path) == sent
    assert len(whole_cuts) == 2


def test_redactions_are_told_again(tmp_path: Path, requests: Callable[[], list[Any]]) -> None:
    """What was removed from the part that repeats is named in every snapshot that holds it."""
    messages = [_message("mail a@example.com"), _message("x")]
    with Recorder(tmp_path, session="s", redact=["email"]) as recorder:
        for number in range(4):
            messages.append(_message(f"{number}"))
            recorder.snapshot(json.dumps({"user": "b@example.com", "messages": messages}).encode())
    for record, request in requests():
        assert sorted(record["redactions"]) == [["/messages/0", 1], ["/user", 1]]
        assert record["exact"] == "redacted"
        assert request.body()["messages"][0]["content"] == "mail [redacted:email]"


@pytest.mark.usefixtures("swallowing")
def test_bodies_after_one_that_could_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a lost body would have stored is stored by the next one, whether that goes on with it or takes it back."""
    write = os.write
    chance = random.Random(3)
    messages: list[dict[str, Any]] = []
    kept = []
    with Recorder(tmp_path, session="s") as recorder:
        for number in range(120):
            messages.append(_message(f"message {number} " * 5))
            if number % 7 == 6:
                del messages[-2:]
            if number % 11 == 10:
                messages[-1] = _message("an edit", cache_control={"type": "ephemeral"})
            body = json.dumps({"messages": messages, "model": "m"}, separators=(",", ":")).encode()
            fails = chance.random() < 0.3

            def writing(fd: int, data: bytes, fails: bool = fails) -> int:
                if fails:
                    raise OSError(28, "No space left on device")
                return write(fd, data)

            monkeypatch.setattr(_writer.os, "write", writing)
            recorder.snapshot(body)
            kept += [] if fails else [body]
        monkeypatch.undo()
    assert recorder.losses == 120 - len(kept)
    assert _bodies(tmp_path) == kept


def test_the_memory_of_a_body_is_the_recorder_s_own(tmp_path: Path) -> None:
    """Bytes that were handed over are not held: the client frees them when it likes."""
    with Recorder(tmp_path, session="s") as recorder:
        for count in (1, 2, 3):
            recorder.snapshot(json.dumps({"messages": [_message("q")] * count}, separators=(",", ":")).encode())
        (trace,) = recorder._traces.values()
        wire = trace.encoder._lanes["main"].wire
    assert wire is not None
    assert (type(wire.data), len(wire.data)) == (bytearray, wire.ends[-1])
    assert wire.tail == b"]}"


@pytest.mark.parametrize("tail", [b"]}", b'],"model":"m"}', b'],"z":[[1]],"tools":[{"name":"t"}]}'])
@pytest.mark.parametrize("rest", [b"", b",[1]", b", [1]", b",1 ", b",]", b"]", b',2],"more":[3', b"2", b",\xff"])
def test_what_follows_the_known_part(rest: bytes, tail: bytes, tmp_path: Path) -> None:
    """Whatever stands between the known elements and the known end, the body reads back as it was."""
    bodies = [b'{"m":[[1],1' + tail, b'{"m":[[1],1' + rest + tail, b'{"m":[[1],1,5' + tail]
    with Recorder(tmp_path, session="s") as recorder:
        for body in bodies:
            recorder.snapshot(body)
    assert _bodies(tmp_path) == bodies
