"""Facts about VCR cassettes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import vcr_cassettes as tapes

from inspector.importers.base import ImportedAttempt
from inspector.importers.exchanges.vcr import Vcr
from inspector.importers.run import import_paths
from inspector.index import open_index


@pytest.mark.parametrize(
    "head",
    [
        b"interactions:\n- request:\n    body: ''\n",
        b"version: 1\ninteractions:\n- request:\n",
        b"---\nversion: 2\ninteractions:\n    - id: 0\n",
        b"---\nhttp_interactions:\n- request:\n",
        b"# made by a test\ninteractions:\n- request:\n",
        b'{"version": 1, "interactions": [{"request"',
        b'{"http_interactions": [{',
        b'{\n  "interactions": [\n',
    ],
)
def test_recognised(head: bytes) -> None:
    """The list of interactions is known in every recorder's file, YAML or JSON."""
    assert Vcr().recognises_head(head)


@pytest.mark.parametrize(
    "head",
    [
        b"interactions of agents:\n- a\n",
        b"name: ci\njobs:\n  interactions:\n  - a\n",
        b'{"messages": [], "interactions": 3}',
        b'{"model": "m", "messages": [{"content": "interactions:"}]}',
        b"",
    ],
)
def test_not_recognised(head: bytes) -> None:
    """A word is no cassette."""
    assert not Vcr().recognises_head(head)


def test_recognised_by_value() -> None:
    """JSON in which the list stands late is known by its value."""
    assert Vcr().recognises({"meta": {"a": [1]}, "interactions": [{}]})
    assert not Vcr().recognises({"interactions": "many"})


def test_retry_is_one_call(tmp_path: Path, records_in: Callable[..., list[dict[str, Any]]]) -> None:
    """The same request right after it failed is another try of the same call."""
    overloaded = tapes.entry(
        response={"parsed_body": {"error": {"message": "busy", "type": "overloaded_error"}}}, status=529
    )
    path = tapes.cassette(tmp_path, overloaded, overloaded, tapes.entry())
    [call] = tapes.calls(path)
    import_paths([path], tmp_path / "out")
    tries = records_in(tmp_path / "out", "attempt")

    assert call.attempts == (ImportedAttempt(529, "overloaded_error: busy"),) * 2
    assert [(one["n"], one["status"]) for one in tries] == [(1, 529), (2, 529), (3, 200)]
    assert len(records_in(tmp_path / "out", "response")) == 1


def test_equal_requests_that_were_answered_are_calls(tmp_path: Path) -> None:
    """A test that asks the same twice made two calls."""
    assert len(tapes.calls(tapes.cassette(tmp_path, tapes.entry(), tapes.entry()))) == 2


def test_failure_before_another_request_is_a_call(tmp_path: Path) -> None:
    """A request that failed and was changed is not tried again: both are calls."""
    other = {"parsed_body": {**tapes.BODY, "model": "n"}}
    first, second = tapes.calls(tapes.cassette(tmp_path, tapes.entry(status=500), tapes.entry(other)))

    assert first.answer is not None
    assert first.answer.status == 500
    assert second.attempts == ()


def test_what_is_no_call_is_said(tmp_path: Path) -> None:
    """Other requests are passed over, and named once with their number."""
    count = tapes.entry(url="https://api.anthropic.com/v1/messages/count_tokens?beta=true")
    file = {"request": {"method": "DELETE", "uri": "https://h/v1/files/file_011CcaGqp49CHWC9QwfT9KUR"}, "response": {}}
    socket = {"kind": "websocket", "direction": "send", "data": "{}"}
    embed = tapes.entry(url="https://h/v1beta/models/gemini-embedding-001:embedContent")
    sessions, [problem] = tapes.read(tapes.cassette(tmp_path, count, tapes.entry(), count, file, socket, embed))

    assert len(list(sessions[0].calls())) == 1
    assert not problem.lost
    assert problem.reason == (
        "no calls of a model, passed over: POST /v1/messages/count_tokens ×2, DELETE /v1/files/…, "
        "entries that are no HTTP exchange, POST /v1beta/models/…:embedContent"
    )


def test_cassette_without_calls(tmp_path: Path) -> None:
    """Nothing is imported of it, and nothing was lost."""
    sessions, [problem] = tapes.read(tapes.cassette(tmp_path, tapes.entry(url="https://h/v1/embeddings")))

    assert (sessions, problem.lost) == ([], False)
    assert problem.reason == "no call of a model in it, only: POST /v1/embeddings"


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"body": None}, "no body of the request"),
        ({"body": "a=1&b=2"}, "no JSON"),
        ({"body": "[1]"}, "no JSON object"),
        ({"body": {"base64_string": "%%%"}}, "no body of the request"),
    ],
)
def test_request_that_cannot_be_read(tmp_path: Path, request_: dict[str, Any], said: str) -> None:
    """One request without a readable body costs only itself, and its number is said."""
    sessions, [problem] = tapes.read(tapes.cassette(tmp_path, tapes.entry(request_), tapes.entry()))

    assert len(list(sessions[0].calls())) == 1
    assert problem.reason.startswith("interaction 1, POST /v1/chat/completions: ")
    assert said in problem.reason


def test_damaged_cassette(tmp_path: Path) -> None:
    """What stands before the damage is imported, and the damage is said once, with its line."""
    path = tapes.cassette(tmp_path, tapes.entry())
    path.write_text(path.read_text(encoding="utf-8").replace("version: 1", "- request: 'cut"), encoding="utf-8")
    sessions, [problem] = tapes.read(path)

    assert len(list(sessions[0].calls())) == 1
    assert problem.reason.startswith("not YAML")
    assert "line" in problem.reason


def test_headers_are_never_stored(tmp_path: Path) -> None:
    """Keys and cookies stand in headers and in addresses: none of them reaches the traces."""
    secret = {"authorization": ["Bearer sk-secret"], "cookie": ["c=secret"]}
    one = tapes.entry(
        {"body": tapes.TEXT, "headers": secret}, {"parsed_body": tapes.ANSWER, "headers": {"set-cookie": ["secret"]}}
    )
    one["request"]["uri"] = "https://user:secret@h/v1/chat/completions?key=secret"
    import_paths([tapes.cassette(tmp_path, one)], tmp_path / "out")
    written = b"".join(file.read_bytes() for file in (tmp_path / "out").glob("*/*.jsonl"))

    assert b"secret" not in written
    assert b"https://h/v1/chat/completions" in written


def test_cache_is_a_lane_of_its_own(tmp_path: Path) -> None:
    """Gemini's cache is read where later calls name it, and is no turn of theirs."""
    base = "https://generativelanguage.googleapis.com/v1beta"
    contents = [{"role": "user", "parts": [{"text": "long"}]}]
    made = tapes.entry(
        {"parsed_body": {"model": "models/g", "contents": contents}},
        {"parsed_body": {"name": "cachedContents/x"}},
        url=f"{base}/cachedContents",
    )
    asked = tapes.entry(
        {
            "parsed_body": {
                "contents": [{"role": "user", "parts": [{"text": "q"}]}],
                "cachedContent": "cachedContents/x",
            }
        },
        {"parsed_body": {"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}]}},
        url=f"{base}/models/g:generateContent",
    )
    import_paths([tapes.cassette(tmp_path, made, asked)], tmp_path / "out")
    index = open_index(tmp_path / "out")
    index.refresh()
    cache, call = index.calls("c")

    assert [(one.lane, one.purpose) for one in (cache, call)] == [("cache", "cache"), ("main", None)]
    assert [row.element.message.text for row in index.effective("c", 2).elements] == ["long", "q"]


def test_lone_surrogate_and_nul(tmp_path: Path) -> None:
    r"""What binary tool output leaves behind is imported: ``\ud83d`` alone, ``\u0000``, and six characters of text."""
    text = '{"model":"m","messages":[{"role":"user","content":"\\ud83d|\\u0000|\\\\u0000"}]}'
    import_paths([tapes.cassette(tmp_path, tapes.entry({"body": text}))], tmp_path / "out")
    index = open_index(tmp_path / "out")
    index.refresh()

    assert index.request_bytes("c", 1) == text.encode()


def test_tool_call_without_content_is_kept(tmp_path: Path) -> None:
    """An assistant message whose content is null keeps its tool calls."""
    call = {"id": "t", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    messages = [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": "t"}]
    import_paths(
        [tapes.cassette(tmp_path, tapes.entry({"parsed_body": {"model": "m", "messages": messages}}))], tmp_path / "out"
    )
    index = open_index(tmp_path / "out")
    index.refresh()

    assert [part.kind for part in index.call("c", 1).messages[0].message.parts] == ["tool_call"]


def test_image_is_not_counted_as_text(tmp_path: Path) -> None:
    """An image of 3 MB of base64 costs what the provider's rule says, not a token a few characters."""
    url = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" + "A" * 3_000_000
    block = {"type": "image_url", "image_url": {"url": url, "detail": "low"}}
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": [block]}]}
    import_paths([tapes.cassette(tmp_path, tapes.entry({"body": json.dumps(body)}))], tmp_path / "out")
    index = open_index(tmp_path / "out")
    index.refresh()
    counted = index.call("c", 1).call.counted.count

    assert counted is not None
    assert counted < 2_000


def test_same_cassette_gives_the_same_bytes(tmp_path: Path) -> None:
    """Ids and times derive from the cassette."""
    path = tapes.cassette(tmp_path, tapes.entry())
    for name in ("one", "two"):
        import_paths([path], tmp_path / name)
    one, two = ([f.read_bytes() for f in (tmp_path / name).glob("*/*.jsonl")] for name in ("one", "two"))

    assert one == two


def test_auto_recognises_cassettes(tmp_path: Path, write_json: Callable[..., Path]) -> None:
    """YAML in a folder is a cassette by its content; other YAML there is passed over."""
    path = tapes.cassette(tmp_path, tapes.entry())
    (path.parent / "ci.yaml").write_text("jobs:\n- a\n", encoding="utf-8")
    write_json("body.json", tapes.BODY)
    summary = import_paths([path.parent], tmp_path / "out")

    assert summary.recognised == {"bodies": 1, "vcr": 1}
    assert (summary.passed_over, summary.problems) == (1, ())
