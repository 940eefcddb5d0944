"""Facts about inspect_ai's logs: their forms, samples as sessions, and what is broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inspect_ai_logs as logs
import pytest
from importing import calls_of as calls
from importing import read_as

from inspector.importers.base import ImportedSession, Problem
from inspector.importers.evaluations.inspect_ai import InspectAI
from inspector.importers.reading.documents import Document
from inspector.importers.run import import_paths
from inspector.index import open_index


def read(*paths: Path) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as the format does."""
    return read_as(InspectAI(), *paths)


def texts(session: ImportedSession) -> list[list[Any]]:
    """Give the contents of the messages of each call."""
    found = []
    for call in calls(session):
        assert isinstance(call.request, dict)
        found.append([message["content"] for message in call.request["messages"]])
    return found


def test_json_log(tmp_path: Path) -> None:
    """A sample is a session, named as inspect_ai names it; long texts are back in their places."""
    path = logs.json_log(tmp_path / "log.json", logs.sample(logs.model_event()))
    [session], problems = read(path)

    assert (session.session, session.agent, problems) == ("E1/s_epoch_1", "files", [])
    assert texts(session) == [[logs.LONG]]


@pytest.mark.parametrize("zstd", [False, True])
def test_archive(tmp_path: Path, zstd: bool) -> None:
    """The same sample in an archive, deflated or compressed with Zstandard, is the same session."""
    path = logs.eval_log(tmp_path / "log.eval", logs.sample(logs.model_event()), zstd=zstd)
    [session], problems = read(path)

    assert (session.session, problems, texts(session)) == ("E1/s_epoch_1", [], [[logs.LONG]])


def test_epochs_are_sessions(tmp_path: Path) -> None:
    """Each epoch of each sample is a session of its own, with a digest of its own."""
    samples = [logs.sample(logs.model_event(), id=name, epoch=epoch) for name in ("a", "b") for epoch in (1, 2)]
    for path in (logs.json_log(tmp_path / "l.json", *samples), logs.eval_log(tmp_path / "l.eval", *samples)):
        sessions, _ = read(path)

        assert {s.session for s in sessions} == {f"E1/{name}_epoch_{epoch}" for name in "ab" for epoch in (1, 2)}
        assert len({s.digest for s in sessions}) == 4
        assert all(len(calls(session)) == 1 for session in sessions)


def test_chunked_sample(tmp_path: Path) -> None:
    """A sample kept in parts: pools, attachments by number, and events of several files in their order."""
    events = [logs.model_event(input=[], input_refs=[[0, end]]) for end in (1, 2, 3)]
    pool = [{**logs.USER, "content": "attachment://1"}, logs.CALLING, logs.RESULT]
    folder = "samples/s_epoch_1"
    path = logs.archive(
        tmp_path / "log.eval",
        {
            "header.json": {"eval": logs.EVAL},
            f"{folder}/sample.json": {"id": "s", "epoch": 1},
            f"{folder}/events/2.json": events[2:],
            f"{folder}/events/0.json": events[:2],
            f"{folder}/events/stats.json": {"types": {}},
            f"{folder}/messages/0.json": pool,
            f"{folder}/attachments/0.json": ["other"],
            f"{folder}/attachments/1.json": [logs.LONG],
        },
    )
    [session], problems = read(path)

    assert problems == []
    assert texts(session) == [[logs.LONG], [logs.LONG, ""], [logs.LONG, "", "a.txt"]]


@pytest.mark.parametrize("where", ["message_pool", "events_data"])
def test_pools(tmp_path: Path, where: str) -> None:
    """Inputs and raw requests that only refer to messages kept once are whole again."""
    raw = {"request": {"model": "m"}, "call_refs": [[0, 1], [1, 2]], "call_key": "messages"}
    messages, sent = [logs.USER, logs.RESULT], [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    pools: dict[str, Any] = {"events_data": {"messages": messages, "calls": sent}}
    if where == "message_pool":
        pools = {"message_pool": messages, "call_pool": sent}
    first, second = logs.model_event(input=[], input_refs=[[1, 2], [0, 1]]), logs.model_event(call=raw)
    [session], _ = read(logs.json_log(tmp_path / "l.json", logs.sample(first, second, **pools)))

    assert texts(session) == [["a.txt", logs.LONG], ["a", "b"]]


def test_transcript_of_2024(tmp_path: Path) -> None:
    """Events and long texts once stood in a ``transcript``."""
    transcript = {"events": [logs.model_event()], "content": {logs.DIGEST: logs.LONG}}
    [session], _ = read(logs.json_log(tmp_path / "l.json", {"id": "s", "epoch": 1, "transcript": transcript}))

    assert texts(session) == [[logs.LONG]]


def test_references_without_their_text(tmp_path: Path) -> None:
    """A text whose attachment is gone stays as it is, and is said; one that only looks like it is a text."""
    gone = {**logs.USER, "content": "attachment://" + "f" * 32}
    alike = {**logs.USER, "content": "attachment://see the file"}
    sample = logs.sample(logs.model_event(input=[gone]), logs.model_event(input=[alike]))
    [session], _ = read(logs.json_log(tmp_path / "l.json", sample))
    first, second = calls(session)

    assert (first.missing, second.missing) == (("attachments", "wire form"), ("wire form",))
    assert texts(session) == [["attachment://" + "f" * 32], ["attachment://see the file"]]


@pytest.mark.parametrize("refs", [[[0, 3]], [[0]], [[-2, -1]], [["a", "b"]]])
def test_references_out_of_the_pool(tmp_path: Path, refs: Any) -> None:
    """Messages that the pool does not have are missing; the others are there."""
    event = logs.model_event(input=[], input_refs=[[0, 1], *refs])
    [session], _ = read(logs.json_log(tmp_path / "l.json", logs.sample(event, message_pool=[logs.USER])))

    assert calls(session)[0].missing == ("messages", "wire form")
    assert texts(session) == [[logs.LONG]]


def test_retries_of_a_sample_are_lanes(tmp_path: Path) -> None:
    """Tries of a sample that broke off come first, each in a lane of its own."""
    retry = {"message": "boom", "events": [logs.model_event()]}
    sample = logs.sample(logs.model_event(), error_retries=[retry, {"message": "again"}])
    [session], _ = read(logs.json_log(tmp_path / "l.json", sample))

    assert [call.lane for call in calls(session)] == ["try 1", None]


def test_how_a_sample_ended_is_kept(tmp_path: Path) -> None:
    """Error, limit and scores of a sample are facts of its session."""
    sample = logs.sample(
        logs.model_event(),
        error={"message": "boom", "traceback": "…"},
        limit={"type": "token", "limit": 500},
        scores={"includes": {"value": "C", "history": []}},
    )
    [session], _ = read(logs.json_log(tmp_path / "l.json", sample))

    assert session.meta == {
        "task": "files", "model": "openai/m", "sample": "s", "epoch": 1, "error": "boom",
        "limit": {"type": "token", "limit": 500}, "scores": {"includes": "C"},
    }  # fmt: skip


def test_samples_without_calls(tmp_path: Path) -> None:
    """They are passed over and counted; an evaluation without samples is refused."""
    path = logs.json_log(tmp_path / "l.json", logs.sample({"event": "info"}, id="a"))
    empty = logs.json_log(tmp_path / "e.json")
    sessions, problems = read(path, empty)

    assert sessions == []
    assert [(Path(p.source).name, p.lost) for p in problems] == [("l.json", False), ("e.json", True)]


def test_json_that_breaks_off(tmp_path: Path) -> None:
    """Samples before the break are imported; the one within it is said with its number."""
    path = logs.json_log(tmp_path / "l.json", *(logs.sample(logs.model_event(), id=name) for name in "abc"))
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index('"id": "c"') + 200], encoding="utf-8")
    sessions, [problem] = read(path)

    assert [session.session for session in sessions] == ["E1/a_epoch_1", "E1/b_epoch_1"]
    assert problem.reason.startswith("sample 3 and what follows it cannot be read: not JSON")


def test_archive_without_end(tmp_path: Path) -> None:
    """An archive that was cut says so."""
    path = logs.eval_log(tmp_path / "l.eval", logs.sample(logs.model_event()))
    path.write_bytes(path.read_bytes()[:-30])
    sessions, [problem] = read(path)

    assert (sessions, problem.lost) == ([], True)
    assert "no end" in problem.reason


@pytest.mark.parametrize("zstd", [False, True])
def test_damaged_entry_costs_its_sample(tmp_path: Path, zstd: bool) -> None:
    """Bytes that do not unfold cost one sample; the others are imported."""
    samples = [logs.sample(logs.model_event(), id=name) for name in "ab"]
    path = logs.eval_log(tmp_path / "l.eval", *samples, zstd=zstd)
    data = bytearray(path.read_bytes())
    start = data.index(b"samples/a_epoch_1.json") + 60
    data[start : start + 60] = b"\xff" * 60
    path.write_bytes(bytes(data))
    sessions, [problem] = read(path)

    assert [session.session for session in sessions] == ["E1/b_epoch_1"]
    assert problem.reason.startswith("samples/a_epoch_1.json")


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ({"version": 2, "status": "error", "eval": {"task": "t"}, "plan": {}}, True),
        ({"plan": {}, "samples": [], "eval": {}}, True),
        ({"eval": "loss", "samples": []}, False),
        ({"version": 2, "samples": []}, False),
        ([], False),
    ],
)
def test_recognised_by_value(value: Any, known: bool) -> None:
    """An evaluation with a task or samples is one, in whichever order its members stand."""
    assert InspectAI().recognises(value) is known


def test_recognised_by_first_bytes(tmp_path: Path) -> None:
    """Archives are known by their first entry; another program's archive is none."""
    path = logs.eval_log(tmp_path / "l.eval", logs.sample(logs.model_event()))
    other = logs.archive(tmp_path / "o.zip", {"word/document.json": {}})
    text = logs.json_log(tmp_path / "l.json", logs.sample())

    assert [InspectAI().recognises_head(Document(p).head()) for p in (path, text, other)] == [True, True, False]


def test_auto(tmp_path: Path, requests_in: Callable[[Path], list[tuple[dict[str, Any], Any]]]) -> None:
    """A folder of both forms is imported without being told what they are."""
    logs.eval_log(tmp_path / "in" / "a.eval", logs.sample(logs.model_event(), id="a"))
    logs.json_log(tmp_path / "in" / "b.json", logs.sample(logs.model_event(), id="b"))
    summary = import_paths([tmp_path / "in"], tmp_path / "out")

    assert (summary.recognised, summary.problems) == ({"inspect-ai": 2}, ())
    assert [body["messages"][0]["content"] for _, body in requests_in(tmp_path / "out")] == [logs.LONG] * 2


def test_surrogates_and_nul(tmp_path: Path) -> None:
    r"""A lone ``\ud83d`` and ``\u0000`` in an attachment, as binary tool output leaves them, are imported."""
    sample = logs.sample(logs.model_event(), attachments={logs.DIGEST: "\ud83d|\x00|\u2028|" + logs.LONG})
    path = logs.json_log(tmp_path / "l.json", sample)
    import_paths([path], tmp_path / "out")
    index = open_index(tmp_path / "out")
    index.refresh()

    assert "\u2028" in index.call("E1/s_epoch_1", 1).messages[-1].message.text
    assert index.line_errors() == ()


def test_bom_and_nan(tmp_path: Path) -> None:
    """A byte order mark and a ``NaN`` score, which no strict JSON has, hide nothing."""
    sample = logs.sample(logs.model_event(), scores={"x": {"value": float("nan")}})
    path = logs.json_log(tmp_path / "l.json", sample)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    summary = import_paths([path], tmp_path / "out")

    assert (summary.calls, summary.problems) == (1, ())


def test_large_attachments_lie_on_disk(tmp_path: Path) -> None:
    """A sample with more text than is held in memory gives it back all the same."""
    names = [f"{number:032d}" for number in range(5)]
    attachments = {name: name * 300_000 for name in names}
    inputs = [{**logs.USER, "content": f"attachment://{name}"} for name in names]
    sample = logs.sample(logs.model_event(input=inputs), attachments=attachments)
    [session], _ = read(logs.eval_log(tmp_path / "l.eval", sample))

    assert texts(session) == [list(attachments.values())]


def test_same_log_gives_the_same_bytes(tmp_path: Path) -> None:
    """Ids and times derive from the log."""
    path = logs.json_log(tmp_path / "l.json", logs.sample(logs.model_event(), logs.model_event()))
    for name in ("one", "two"):
        import_paths([path], tmp_path / name)
    one, two = ([f.read_bytes() for f in (tmp_path / name).glob("*/*.jsonl")] for name in ("one", "two"))

    assert one == two
    assert json.loads(one[0].splitlines()[0])["imported"]["times"] == "log"


def test_log_that_breaks_off_gives_the_samples_before(tmp_path: Path) -> None:
    """Of a JSON log that is cut in its second sample the first is read, and the rest is said."""
    samples = [logs.sample(logs.model_event(), id=name) for name in ("a", "b")]
    path = logs.json_log(tmp_path / "l.json", *samples)
    path.write_bytes(path.read_bytes()[:-400])
    sessions, problems = read(path)

    assert [session.session for session in sessions] == ["E1/a_epoch_1"]
    assert texts(sessions[0]) == [[logs.LONG]]
    assert problems[0].reason.startswith("sample 2 and what follows it cannot be read")


def test_bad_byte_costs_itself(tmp_path: Path) -> None:
    """A byte that is no UTF-8 becomes U+FFFD in its sample, which says so; the next sample is where it was."""
    samples = [logs.sample(logs.model_event(), id=name) for name in ("a", "b")]
    path = logs.json_log(tmp_path / "l.json", *samples)
    path.write_bytes(path.read_bytes().replace(b"a.txt", b"a.t\xfft").replace(b"long long", b"l\xffng long", 1))
    (first, second), problems = read(path)

    assert (first.replaced, second.replaced, problems) == (True, False, [])
    assert "\ufffd" in texts(first)[0][0]
    assert texts(second) == [[logs.LONG]]
