"""A body that begins like the one before: only what is new is cut, and it reads back all the same."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snapshot_sdk import Recorder, _encoder, read_requests
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
