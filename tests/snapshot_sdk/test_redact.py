"""Redaction: built-in patterns, key paths, functions; before the disk, counted, never skipped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder
from snapshot_sdk._redact import compile_rules

KEYS = [
    "sk-proj-0123456789abcdefABCDEF",
    "sk-ant-api03-0123456789_abcdef-AA",
    "gsk_0123456789abcdefghij0123",
    "AIzaSyA0123456789abcdefghijklmnopqrstuv",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_0123456789abcdefghij0123456789abcdef",
    "github_pat_0123456789abcdefghij0123",
    "glpat-0123456789abcdefghij",
    "hf_0123456789abcdefghijABCDEFGHIJ",
    "xoxb-0123456789-abcdef",
    "xai-0123456789abcdefghij0123",
    "pplx-0123456789abcdefghij0123",
    "ya29.0123456789abcdefghij0123",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
]


def _redacted(rules: Any, value: Any) -> Any:
    redaction = compile_rules(rules)
    assert redaction is not None
    if not redaction.touches(json.dumps(value), "messages"):
        return value
    return redaction.apply(value, "messages", element=True).value


@pytest.mark.parametrize("key", KEYS)
def test_keys_are_removed_by_default(key: str, tmp_path: Path) -> None:
    """Without a word, no known kind of key reaches the disk, as a value, a name, or inside JSON text."""
    content = {"a": f"use {key}.", key: 1, "b": json.dumps({"key": key})}
    with Recorder(tmp_path, session="s", meta={"key": key}) as recorder:
        recorder.snapshot({"messages": [content], "user": key})
        recorder.snapshot(json.dumps({"messages": [content]}).encode())
        recorder.response(body={"content": f"here is {key}"}, error=f"bad key {key}")
        recorder.event("tool", key=key)
    text = "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
    secret = key.split("\n")[1] if "\n" in key else key[-12:]
    assert secret not in text
    assert "[redacted:keys]" in text


@pytest.mark.parametrize(
    "text",
    [
        "a task-list of the risk-averse",
        "sk-",
        "disk-usage",
        "the bearer of bad news",
        "Bearer token",
        "gh",
        "eyJ",
        "xoxo",
    ],
)
def test_what_is_no_key_stays(text: str) -> None:
    """Words that only look like the beginning of a key are left."""
    assert _redacted("keys", {"t": text}) == {"t": text}


def test_bearer_tokens() -> None:
    """Of a bearer token the word stays."""
    assert (
        _redacted("keys", "Authorization: Bearer abcdef0123456789abcdef==") == "Authorization: Bearer [redacted:keys]"
    )


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("email", "write to jo.do+x@mail.example.co.uk, please", "write to [redacted:email], please"),
        ("email", "联系 张@例子 or zhang@example.cn。", "联系 张@例子 or [redacted:email]。"),
        ("phone", "call +49 (0)30 1234567-8", "call [redacted:phone]"),
        ("phone", "手机 13812345678。", "手机 [redacted:phone]。"),
        ("phone", "(415) 555-2671 or 415-555-2671", "[redacted:phone] or [redacted:phone]"),
        ("card", "pay 4111 1111 1111 1111 now", "pay [redacted:card] now"),
        ("card", "pay 4111-1111-1111-1112 now", "pay 4111-1111-1111-1112 now"),
        ("card", "id 1764512345678901234567", "id 1764512345678901234567"),
        ("phone", "2026-11-30 15:18:24 version 3.11.7 is 1234567", "2026-11-30 15:18:24 version 3.11.7 is 1234567"),
    ],
)
def test_patterns(name: str, text: str, expected: str) -> None:
    """What each pattern takes and leaves."""
    assert _redacted([name], {"t": [text]}) == {"t": [expected]}


def test_an_escaped_marker_is_found() -> None:
    """A letter written as an escape does not hide a key from the quick look at the source text."""
    source = '{"t":"\\u0073k-0123456789abcdef0123"}'
    redaction = compile_rules("keys")
    assert redaction is not None
    assert redaction.touches(source, "messages")
    assert redaction.apply(json.loads(source)).value == {"t": "[redacted:keys]"}


@pytest.mark.parametrize(
    ("rule", "value", "expected", "count"),
    [
        (
            "messages[*].content.secret",
            {"content": {"secret": 1, "b": 2}},
            {"content": {"secret": "[redacted]", "b": 2}},
            1,
        ),
        ("messages[*].content.secret", {"content": [{"secret": 1}, {"secret": 2}]}, None, 2),
        ("messages.content[*].secret", {"content": [{"secret": [1]}]}, None, 1),
        (
            "messages[*].content.*",
            {"content": {"a": 1, "b": 2}},
            {"content": {"a": "[redacted]", "b": "[redacted]"}},
            2,
        ),
        ("messages[*].content.secret", {"content": "secret"}, {"content": "secret"}, 0),
        ("messages[*].missing.secret", {"content": {"secret": 1}}, {"content": {"secret": 1}}, 0),
        ("tools[*].name", {"name": "x"}, {"name": "x"}, 0),
    ],
)
def test_key_paths(rule: str, value: Any, expected: Any, count: int) -> None:
    """A path names a value; names lead through arrays."""
    redaction = compile_rules([rule])
    assert redaction is not None
    got = redaction.apply(value, "messages", element=True)
    assert got.removed == count
    if expected is not None:
        assert got.value == expected


def test_key_paths_lead_into_arguments(tmp_path: Path, requests: Callable[[], list[Any]]) -> None:
    """The arguments of a tool call are JSON in a string: a path leads into them, in values and in bytes alike."""
    call = {"function": {"name": "f", "arguments": '{"password": "hunter2", "user": "茶"}'}}
    body = {"messages": [{"role": "assistant", "tool_calls": [call]}], "tools": [call]}
    rule = "messages[*].tool_calls[*].function.arguments.password"
    with Recorder(tmp_path, session="s", redact=[rule]) as recorder:
        recorder.snapshot(body)
        recorder.snapshot(json.dumps(body).encode())
    for record, request in requests():
        assert (record["exact"], record["redactions"]) == ("redacted", [["/messages/0", 1]])
        (message,) = request.body()["messages"]
        arguments = message["tool_calls"][0]["function"]["arguments"]
        assert json.loads(arguments) == {"password": "[redacted]", "user": "茶"}
        assert "hunter2" in json.dumps(request.body()["tools"])


@pytest.mark.parametrize("form", ["indented", "repeated name", "no json", "over-deep"])
def test_odd_bodies_do_not_escape(form: str, tmp_path: Path) -> None:
    """A body in a form that only its source text keeps is redacted, or dropped where rules cannot look into it."""
    secret = {"messages": [{"content": {"secret": "hunter2", "mail": "a@example.com"}}]}
    bodies = {
        "indented": json.dumps(secret, indent=1),
        "repeated name": json.dumps(secret)[:-1] + ', "messages": ' + json.dumps(secret["messages"]) + "}",
        "no json": json.dumps(secret) + "x",
        "over-deep": '{"messages": [' + "[" * 5000 + json.dumps(secret["messages"][0]) + "]" * 5000 + "]}",
    }
    with Recorder(tmp_path, session="s", redact=["messages[*].content.secret", "email"]) as recorder:
        recorder.snapshot(bodies[form].encode())
    text = "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
    assert "hunter2" not in text
    assert "a@example.com" not in text
    assert '"redactions"' in text


def test_odd_bodies_without_secrets_stay_exact(tmp_path: Path, requests: Callable[[], list[Any]]) -> None:
    """A body in an odd form in which nothing is found keeps its bytes."""
    body = json.dumps({"messages": ["a", "b"], "model": "m"}, indent=2).encode()
    with Recorder(tmp_path, session="s", redact=["messages[*].content.secret", "email"]) as recorder:
        recorder.snapshot(body)
        recorder.snapshot({"messages": ["a"]})
    (one, _) = requests()
    assert (one.request.body_bytes(), one.record["exact"]) == (body, "bytes")


def test_a_failing_function_drops_the_value(tmp_path: Path) -> None:
    """A function that fails in any way, also by recursion, drops the value; the call goes on."""

    def endless(value: Any) -> Any:
        return endless(value)

    with Recorder(tmp_path, session="s", redact=["keys", endless]) as recorder:
        recorder.snapshot(b'{"messages":["hunter2"]}')
    text = "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
    assert "hunter2" not in text
    assert "[dropped: the redactor failed with RecursionError]" in text


def test_off(tmp_path: Path, requests: Callable[[], list[Any]]) -> None:
    """An empty list of rules removes nothing; so does an import of a log that is on disk already."""
    body = json.dumps({"messages": [KEYS[0]]}).encode()
    for given in ({"redact": ()}, {"imported": {"format": "x"}}):
        with Recorder(tmp_path, session=str(given), **given) as recorder:  # type: ignore[arg-type]
            recorder.snapshot(body)
    assert [one.request.body_bytes() for one in requests()] == [body, body]


@pytest.mark.parametrize(
    ("rules", "error"),
    [
        ("emails", ValueError),
        (["keys", 5], TypeError),
        (5, TypeError),
        ("a..b", ValueError),
        ("[*].a", ValueError),
        ("a[0].b", ValueError),
    ],
)
def test_wrong_rules_are_refused(rules: Any, error: type[Exception], tmp_path: Path) -> None:
    """A rule that is none is refused when the recorder is built, not when the secret is already stored."""
    with pytest.raises(error):
        Recorder(tmp_path, redact=rules)


def test_labels_are_found_in_redacted_prompts(tmp_path: Path, records: Callable[..., Any]) -> None:
    """What labels and pins point at is redacted as the prompt is."""
    with Recorder(tmp_path, session="s", redact="email") as recorder:
        recorder.label("mail a@example.com", layer="memory")
        recorder.pin("mail a@example.com")
    assert records("label")[0]["target"] == {"text": "mail [redacted:email]"}
    assert records("pin")[0]["excerpt"] == "mail [redacted:email]"


def test_addresses_lose_their_secrets(tmp_path: Path, records: Callable[..., Any]) -> None:
    """Neither user and password nor query of an address is stored."""
    with Recorder(tmp_path, session="s") as recorder:
        recorder.snapshot({"a": 1}, endpoint="https://user:pass@host/v1/messages?key=1#x")
    assert records("snapshot")[0]["endpoint"] == "https://host/v1/messages"
