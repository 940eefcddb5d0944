"""What is recorded reads back as it was."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snapshot_sdk import Recorder, SourceText, read_requests
from snapshot_sdk.reading import StoredRequest

# Surrogates included; a high one followed by a low one is one character in any JSON, so pairs are joined.
text = st.text(st.characters(exclude_categories=()), max_size=40).map(lambda s: json.loads(json.dumps(s)))
numbers = st.one_of(
    st.integers(),
    st.integers(min_value=-(2**80), max_value=2**80),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1, 1.0, True, 1e22, 1e-7, 2**70, 5e-324]),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, text, text.map(lambda s: s * 30)),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(text, inner, max_size=5)),
    max_leaves=12,
)
bodies = st.dictionaries(text, values, max_size=5)
styles = st.sampled_from(
    [
        {"separators": (",", ":"), "ensure_ascii": False},
        {"separators": (",", ":"), "ensure_ascii": True},
        {"ensure_ascii": False},
        {"ensure_ascii": True},
        {"indent": 2},
    ]
)
relaxed = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])


def record_all(given: list[Any]) -> list[StoredRequest]:
    """Records requests in one session and reads them back."""
    with tempfile.TemporaryDirectory() as folder:
        # Without rules: among the words that hypothesis tries are those of this code, and some make the shape of a key.
        with Recorder(folder, session="s", redact=()) as recorder:
            for request in given:
                recorder.snapshot(request)
        (path,) = Path(folder).rglob("*.jsonl")
        return [request for _, request in read_requests(path)]


def same(left: Any, right: Any) -> bool:
    """Equal in type, order and sign: as the strictest JSON writer sees it."""
    return json.dumps(left) == json.dumps(right)


@relaxed
@given(st.lists(bodies, min_size=1, max_size=4))
def test_mappings_read_back(requests: list[dict[str, Any]]) -> None:
    """Any JSON object reads back with its keys in order, its numbers and its strings."""
    stored = record_all(requests)
    assert all(same(request.body(), body) for request, body in zip(stored, requests, strict=True))


@relaxed
@given(st.lists(st.tuples(bodies, styles), min_size=1, max_size=4))
def test_bytes_read_back(requests: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """A body in any style reads back byte for byte."""
    sent = [json.dumps(body, **style).encode("utf-8", "surrogatepass") for body, style in requests]
    assert [request.body_bytes() for request in record_all(sent)] == sent


@relaxed
@given(st.lists(st.one_of(st.binary(max_size=60), text.map(lambda s: s.encode("utf-8", "replace"))), min_size=1))
def test_any_bytes_read_back(sent: list[bytes]) -> None:
    """What is no JSON, or not even text, reads back byte for byte."""
    assert [request.body_bytes() for request in record_all(sent)] == sent


@relaxed
@given(st.lists(st.text(alphabet='ab\\"é\ud800', min_size=200, max_size=600), min_size=2, max_size=6))
def test_edited_texts_read_back(texts: list[str]) -> None:
    """Texts stored as deltas of each other read back."""
    bodies = [{"messages": [{"role": "user", "content": texts[0] + one + texts[-1]}]} for one in texts]
    assert [request.body() for request in record_all(bodies)] == bodies


BODY_TEXTS = {
    "empty object": b"{}",
    "empty": b"",
    "empty array": b'{"messages":[]}',
    "repeated key": b'{"a":1,"a":2}',
    "repeated key inside": b'{"messages":[{"a":1,"a":2}]}',
    "no object": b"[1, 2]",
    "number": b"17",
    "BOM": b'\xef\xbb\xbf{"a":1}',
    "no UTF-8": b'{"a":"\xff\xfe"}',
    "cut": b'{"messages":[{"role":"us',
    "spaces before": b' {"a":1}',
    "newline after": b'{"a":1}\n',
    "mixed separators": b'{"a":1, "b":2}',
    "mixed inside": b'{"messages":[{"a": 1},{"a":1}]}',
    "exponent": b'{"a":1e22,"messages":[1e400,1E5,-0.0,1.50]}',
    "not a number": b'{"a":NaN,"messages":[NaN,-Infinity]}',
    "escaped slash": b'{"messages":["a\\/b"]}',
    "upper-case escape": b'{"messages":["\\u00E9"]}',
    "escaped pair": b'{"messages":["\\ud83d\\ude00"]}',
    "lone surrogate": b'{"messages":["\\ud83d", "x"]}',
    "long integer": b'{"messages":[' + b"9" * 5000 + b"]}",
    "deep": b'{"messages":[' + b"[" * 10_000 + b"]" * 10_000 + b',{"role":"user"}]}',
    "deep member": b'{"a":' + b'{"a":' * 300 + b"1" + b"}" * 300 + b"}",
    "looks like a reference": b'{"messages":[{"blob":0},[-1,0,1]],"x":{"items":[[0,1]]}}',
    "NUL": b'{"messages":["\\u0000","\\u007f\\u2028"]}',
    "prefix of a number": b'{"messages":[12]}',
}


@pytest.mark.parametrize("body", BODY_TEXTS.values(), ids=BODY_TEXTS.keys())
def test_hostile_bodies_read_back(body: bytes) -> None:
    """A body of hostile form reads back byte for byte, also when it is sent again and after a similar one."""
    sent = [b'{"messages":[1]}', body, body, b'{"messages":[1,2]}', body]
    assert [request.body_bytes() for request in record_all(sent)] == sent


def test_text_reads_back() -> None:
    """A body given as text is taken as the bytes it makes."""
    assert record_all(['{"a": "é"}'])[0].body_bytes() == '{"a": "é"}'.encode()


def test_text_with_a_lone_surrogate_is_escaped() -> None:
    """A text that no wire can carry is stored with the surrogate escaped."""
    assert record_all(['{"a":"\ud800"}'])[0].body_bytes() == b'{"a":"\\ud800"}'


def test_numbers_that_json_lacks_read_back() -> None:
    """NaN, the infinities, 2**70 and a 5,000-digit integer are the same numbers afterwards."""
    long = 10**5000 - 1
    body = record_all([{"n": math.nan, "messages": [math.inf, -math.inf, 2**70, long, -long, {"x": long}]}])[0].body()
    assert math.isnan(body["n"])
    assert body["messages"] == [math.inf, -math.inf, 2**70, long, -long, {"x": long}]


def test_nesting_of_thousands_of_levels_keeps_its_text() -> None:
    """A value 10,000 levels deep is stored as source text, its neighbours as ever."""
    deep: Any = "core"
    for _ in range(10_000):
        deep = {"in": [deep]}
    request = record_all([{"messages": [{"role": "user"}, deep]}])[0]
    first, second = request.body()["messages"]
    assert first == {"role": "user"}
    assert isinstance(second, SourceText)
    assert second == '{"in":[' * 10_000 + '"core"' + "]}" * 10_000


def test_nesting_below_the_limit_is_a_value() -> None:
    """A value some hundred levels deep reads back as a value."""
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    assert same(record_all([{"messages": [deep]}])[0].body(), {"messages": [deep]})


def test_later_changes_do_not_reach_the_record() -> None:
    """A request that is changed after the call was recorded as it was."""
    messages: list[Any] = [{"role": "user", "content": ["a"]}]
    with tempfile.TemporaryDirectory() as folder:
        with Recorder(folder, session="s") as recorder:
            for letter in "bcd":
                recorder.snapshot({"messages": messages})
                messages[0]["content"].append(letter)
                messages[0]["role"] = letter
        (path,) = Path(folder).rglob("*.jsonl")
        stored = [request.body()["messages"][0] for _, request in read_requests(path)]
    assert stored == [
        {"role": "user", "content": ["a"]},
        {"role": "b", "content": ["a", "b"]},
        {"role": "c", "content": ["a", "b", "c"]},
    ]


def test_recursion_limit_and_digit_limit_are_left_alone() -> None:
    """Recording hostile values changes no setting of the host."""
    before = sys.getrecursionlimit(), sys.get_int_max_str_digits()
    record_all([{"messages": [10**5000]}])
    assert (sys.getrecursionlimit(), sys.get_int_max_str_digits()) == before
