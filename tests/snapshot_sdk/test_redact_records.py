"""Redaction of everything the recorder writes, not only of prompts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder

Records = Callable[..., list[dict[str, Any]]]
Files = Callable[[], list[Path]]


def test_redaction(tmp_path: Path, requests: Callable[[], list[Any]], files: Files) -> None:
    """What the redactor changed is stored changed and told by place; the secret is nowhere on disk."""

    def redact(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: redact(item) for key, item in value.items()}
        if isinstance(value, list):
            return [redact(item) for item in value]
        return value.replace("SECRET", "***") if isinstance(value, str) else value

    body = {"model": "m", "user": "SECRET", "messages": [{"content": "a"}, {"content": "my SECRET"}]}
    with Recorder(tmp_path, session="s", meta={"key": "SECRET"}, redact=redact) as recorder:
        recorder.snapshot(body)
        recorder.snapshot(str(body).replace("'", '"').encode())
        recorder.response(messages=["SECRET"], usage={"x": "SECRET"}, error="SECRET", stop_reason="SECRET")
        recorder.label("SECRET", source="SECRET")
        recorder.pin({"content": "SECRET"}, reason="SECRET")
        recorder.compaction(["SECRET"], reason="SECRET", policy="SECRET")
        recorder.event("state", x="SECRET")
        recorder.snapshot({"messages": []})
    one, two, three = requests()
    clean = {"model": "m", "user": "***", "messages": [{"content": "a"}, {"content": "my ***"}]}
    assert one.request.body() == two.request.body() == clean
    assert one.record["exact"] == two.record["exact"] == "redacted"
    assert sorted(one.record["redactions"]) == sorted(two.record["redactions"]) == [["/messages/1", 1], ["/user", 1]]
    assert three.record["exact"] == "values"
    assert b"SECRET" not in b"".join(path.read_bytes() for path in files())


def test_a_redactor_that_fails_drops_the_value(tmp_path: Path, requests: Callable[[], list[Any]], files: Files) -> None:
    """Its value is dropped, not the mask; not even the message of its error is stored."""

    def redact(value: Any) -> Any:
        if "SECRET" in str(value):
            raise ValueError(f"cannot mask {value}")
        return value

    with Recorder(tmp_path, session="s", redact=redact) as recorder:
        recorder.snapshot({"messages": [{"a": 1}, {"a": "SECRET"}]})
    ((record, request),) = requests()
    assert request.body()["messages"] == [{"a": 1}, "[dropped: the redactor failed with ValueError]"]
    assert record["redactions"] == [["/messages/1", 1]]
    assert b"SECRET" not in files()[0].read_bytes()


def _mask(value: str) -> str:
    """A rule for strings only: it fails on every other value."""
    return value.replace("SECRET", "***")


def test_rules_see_no_limits(tmp_path: Path, records: Records) -> None:
    """A function for strings only neither makes the constructor fail nor loses limits or the object of ``meta``."""
    limits: dict[str, Any] = {"window": 1000, "budget": 900, "threshold": 0.5, "budgets": {"memory": 10}}
    with Recorder(tmp_path, session="s", meta={"k": "my SECRET", "n": 5}, redact=_mask, **limits) as recorder:
        recorder.event("start")
    (header,) = records("header")
    assert {name: header[name] for name in limits} == limits
    assert header["meta"] == {"k": "my ***", "n": "[dropped: the redactor failed with AttributeError]"}


def test_rules_see_no_limits_of_a_session(tmp_path: Path, records: Records) -> None:
    """The same for what session() says."""
    with (
        Recorder(tmp_path, session="s", redact=_mask) as recorder,
        recorder.session("t", window=50, meta={"SECRET": "SECRET"}),
    ):
        recorder.event("start")
    (header,) = records("header")
    assert (header["window"], header["meta"]) == (50, {"***": "***"})


def test_wrong_arguments_are_named_as_given(tmp_path: Path) -> None:
    """An error of the constructor shows what was passed, not what a rule made of it."""
    with pytest.raises(TypeError, match="window must be a number of tokens, not 'big'"):
        Recorder(tmp_path, window="big", redact=_mask)  # type: ignore[arg-type]


def test_meta_is_seen_as_a_whole_first(tmp_path: Path, records: Records) -> None:
    """A function that goes by names sees the names of ``meta`` and of an event's data."""

    def by_name(value: Any) -> Any:
        return {k: "***" if k == "password" else v for k, v in value.items()} if isinstance(value, dict) else value

    with Recorder(tmp_path, session="s", meta={"password": "x"}, redact=by_name) as recorder:
        recorder.event("tool", password="x")
    assert records("header")[0]["meta"] == records("event")[0]["data"] == {"password": "***"}


def _say(recorder: Recorder, text: str) -> None:
    with recorder.turn(text), recorder.lane(text, purpose=text):
        call = recorder.snapshot({"model": text, "messages": [text]}, endpoint=f"https://host/{text}/v1")
        recorder.snapshot({"messages": []}, lane=text, turn=text, purpose=text, model=text)
        recorder.response(call, messages=[text], usage={text: text}, stop_reason=text, error=text)
        recorder.attempt(call, error=text)
        recorder.label(text, turn_id=text, task=text, source=text, within={"content": text})
        recorder.pin(text, scope=text, reason=text)
        recorder.pin(re.compile(f"a {text}"))
        recorder.unpin(text, scope=text, reason=text)
        recorder.compaction([text], [text], policy=text, reason=text, error=text)
        recorder.event("state", **{text: text})


def test_every_free_text_is_redacted(tmp_path: Path, files: Files) -> None:
    """No name, reason, place or text that an agent says reaches the disk as it was."""
    with Recorder(tmp_path, session="s", agent="SECRET", meta={"SECRET": "SECRET"}, redact=_mask, caller=False) as one:
        _say(one, "SECRET")
    assert b"SECRET" not in b"".join(path.read_bytes() for path in files())


def test_the_reason_of_a_loss_is_redacted(
    tmp_path: Path, swallowing: None, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message of an exception may quote what had to go."""
    with Recorder(tmp_path, session="s", redact=_mask) as recorder:
        recorder.event("start")

        def fail(*_: Any, **__: Any) -> None:
            raise OSError("no SECRET here")

        with monkeypatch.context() as patch:
            patch.setattr(recorder._trace("s"), "write", fail)
            recorder.event("lost")
        recorder.event("end")
    assert [record["reason"] for record in records("loss")] == ["OSError: no *** here"]


def test_lanes_and_scopes_are_redacted_alike(tmp_path: Path, records: Records) -> None:
    """A pin still holds for its lane, and a lane goes on from its last snapshot."""
    with Recorder(tmp_path, session="s", redact=_mask) as recorder, recorder.lane("SECRET"):
        first = recorder.snapshot({"messages": []})
        recorder.snapshot({"messages": []}, lane="SECRET")
        recorder.pin("a", scope="SECRET")
    assert {record["lane"] for record in records("snapshot")} == {records("pin")[0]["scope"]} == {"***"}
    assert records("snapshot")[1]["previous"] == first


def test_words_and_ids_of_the_format_are_kept(tmp_path: Path, records: Records) -> None:
    """What docs/format.md says is never redacted goes past a function that replaces everything."""
    with Recorder(tmp_path, session="s", redact=lambda _: "***") as recorder:
        recorder.snapshot({"user": "x"}, api="openai.chat", previous="p", missing=["tools"], exact="rebuilt")
        recorder.response(response_id="r")
        recorder.label("x", layer="memory")
        recorder.compaction(strategy="trim", state="failed", id="c")
        recorder.event("probe")
    snapshot, response, label, compaction, event = records()[1:]
    assert (snapshot["api"], snapshot["previous"], snapshot["missing"]) == ("openai.chat", "p", ["tools"])
    assert snapshot["body"] == {"user": {"value": "***"}}
    assert (response["response_id"], label["layer"], event["kind"]) == ("r", "memory", "probe")
    assert (compaction["strategy"], compaction["state"], compaction["compaction"]) == ("trim", "failed", "c")
