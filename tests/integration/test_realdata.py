"""Every shared real file: imported, indexed and opened, or refused with the reason it deserves."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.importers import import_paths
from inspector.importers.seam import LogSeam
from inspector.index import Index, open_index
from inspector.model.views import CallView
from snapshot_sdk import read_requests

pytestmark = [pytest.mark.realdata, pytest.mark.xdist_group("realdata")]

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("CONTEXT_INSPECTOR_REALDATA") or ROOT.parent / "shared" / "realdata")
MANIFEST = "MANIFEST.tsv"

REFUSED: dict[str, str] = {
    "bfcl-memory/BFCL_v4_memory.json": "questions of the Berkeley function-calling benchmark",
    "bfcl-memory/conversation-*.json": "questions of the Berkeley function-calling benchmark",
    "bfcl-memory/answers-*.json": "expected answers of a benchmark",
    "bfcl-memory/memory_*.json": "definitions of tools, and no request",
    # What another program made of the trace beside it, by the ids of its observations: the tests of the Langfuse
    # importer compare with it.
    "langfuse/*.chatml.json": "what Langfuse shows of a trace's observations",
    "codex/codex_051_usage.jsonl": "without any answer of the model",
    # Every session once: the longest of its states.
    "gemini-cli/sessions/9c-*.jsonl": "an earlier state of session",
    "vcr/anthropic/test_anthropic_count_tokens_*.yaml": "no call of a model in it, only: POST /v1/messages/count",
}
"""Files that hold no call of a model, or none that another file does not hold, and what is said of each."""


def manifest() -> list[Any]:
    """Give the files that the shared folder should hold; where it is absent, one that is skipped with the reason."""
    path = SHARED / MANIFEST
    if not path.is_file():
        reason = f"no real files: {path} is absent (set CONTEXT_INSPECTOR_REALDATA)"
        return [pytest.param("", id="none", marks=pytest.mark.skip(reason=reason))]
    return [line.split("\t")[0] for line in path.read_text("utf-8").splitlines()[1:] if line]


def refusal_of(name: str) -> str | None:
    """Say why a file is refused; None: it is to be read."""
    return next((reason for pattern, reason in REFUSED.items() if fnmatch(name, pattern)), None)


@pytest.fixture(scope="module")
def imported(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Import the whole folder at once, and give what was said of each file."""
    out = tmp_path_factory.mktemp("imported")
    summary = import_paths([realdata], out)
    sessions: dict[str, list[str]] = defaultdict(list)
    for session in summary.sessions:
        sessions[session.source].append(session.session)
    problems = {Path(problem.source): problem.reason for problem in summary.problems}
    return SimpleNamespace(out=out, sessions=sessions, problems=problems, summary=summary)


@pytest.fixture(scope="module")
def index(imported: SimpleNamespace) -> Iterator[Index]:
    """The index of all of it."""
    index = open_index(imported.out)
    index.refresh()
    yield index
    index.close()


def first_and_last(index: Index, session: str) -> Iterator[CallView]:
    """Open two calls of a session as the Call page does."""
    numbers = [call.number for call in index.calls(session)]
    for number in sorted({numbers[0], numbers[-1]}):
        yield index.call(session, number)


@pytest.mark.parametrize("name", manifest())
def test_every_file_is_read_or_refused(name: str, realdata: Path, imported: SimpleNamespace, index: Index) -> None:
    """A file's calls have messages with layers and counts of tokens (unless encrypted); or it is said why not."""
    path = realdata / name
    if not path.is_file():
        pytest.skip(f"the shared folder has no {name}")
    sessions = imported.sessions.get(path.name) or imported.sessions.get(path.parent.name, [])
    refused = refusal_of(name)
    if refused is not None:
        assert refused in imported.problems[path]
        assert path.name not in imported.sessions
        return

    assert sessions, imported.problems.get(path)
    for session in {sessions[0], sessions[-1]}:  # a file may hold hundreds
        for view in first_and_last(index, session):
            assert view.messages
            assert all(row.hole is None for row in view.messages)
            sealed = b'"encrypted_content":' in index.request_bytes(session, view.call.number)
            assert all(row.segments for row in view.messages)
            assert sealed or all(row.tokens.count is not None for row in view.messages)
            assert view.call.counted.count
            assert sum(view.call.composition.values()) > 0


def test_nothing_is_damaged_on_the_way(imported: SimpleNamespace, index: Index) -> None:
    """No line of the traces is unreadable, and every call that was written is there."""
    assert index.line_errors() == ()
    assert index.state().calls == imported.summary.calls
    assert sum(row.calls for row in index.sessions()) == imported.summary.calls


@pytest.mark.parametrize(
    "name",
    ["claude-code/ee-*.jsonl", "pi/compact.jsonl", "mini-swe-agent/*.json", "sharegpt/dpo_*.json", "aider/*"],
)
def test_importing_takes_no_more_than_four_times_the_file(name: str, realdata: Path, tmp_path: Path) -> None:
    """What Python holds at most while a log is imported; ``benchmarks/imports.py`` measures the whole process."""
    [path] = realdata.glob(name)
    import_paths([realdata / "openhands"], tmp_path / "warm")
    tracemalloc.start()
    try:
        import_paths([path], tmp_path / "out")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak <= 4 * path.stat().st_size


def test_again_nothing_is_new(realdata: Path, imported: SimpleNamespace) -> None:
    """A second import of the folder finds every log in the traces."""
    again = import_paths([realdata], imported.out)

    assert {session.outcome for session in again.sessions} == {"already imported"}
    assert len(again.sessions) == len(imported.summary.sessions)


def test_messages_are_never_changed_after_they_were_given(
    realdata: Path, imported: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where every message is written out anew at each call, the prompts are the same.

    The recorder takes an importer's word that it does not change what it has given away, and writes each message
    once. An importer that breaks it would show messages as they were before.
    """
    monkeypatch.setattr(LogSeam, "values_are_final", False)
    import_paths([realdata], tmp_path)
    files = sorted(path.relative_to(imported.out) for path in imported.out.glob("*/*.jsonl"))

    assert sorted(path.relative_to(tmp_path) for path in tmp_path.glob("*/*.jsonl")) == files
    for file in files:
        kept, fresh = (list(read_requests(folder / file)) for folder in (imported.out, tmp_path))
        assert len(kept) == len(fresh)
        for place in {*range(0, len(kept), 20), len(kept) - 1}:  # a message stands in many prompts
            assert kept[place].request.body_bytes() == fresh[place].request.body_bytes()


def test_claude_code_has_one_microcompaction(index: Index) -> None:
    """Of session ``d5`` an edit of tool results is recorded, once, and no size is made up."""
    [compaction] = index.compactions("0cd9edf7-459c-4900-af40-cf2c64dea525")

    assert (compaction.strategy, compaction.policy) == ("edit", "microcompact")
    assert compaction.tokens_before is None


def test_claude_code_glued_line_and_compaction(imported: SimpleNamespace, index: Index) -> None:
    """Session ``ee`` has a line of two records, of which neither is lost, and one compaction to a summary."""
    [session] = imported.sessions["ee-cf21d297fe-0.jsonl"]
    repairs = {problem.reason for problem in imported.summary.problems if problem.source == "ee-cf21d297fe-0.jsonl"}

    assert "line 300: 2 records on one line" in repairs
    assert [one.strategy for one in index.compactions(session)] == ["summary"]
    assert len(index.calls(session)) == 98


def test_second_compaction_of_pi_keeps_nothing(index: Index) -> None:
    """The first keeps 96 messages beside its summary, the second nothing but the summary; no call follows it."""
    first, second = index.compactions("2638daee-0588-4baa-bd33-68b4c002818e")

    assert (first.after_messages, second.after_messages) == (97, 1)
    assert (first.tokens_before, second.tokens_before) == (184_525, 131_140)
    assert (first.call, second.call) == (334, None)


def test_swe_agent_prompts_are_exact(realdata: Path, index: Index) -> None:
    """Each prompt of the trajectory is the log's own list of messages, text for text."""
    [path] = (realdata / "swe-agent").rglob("*.traj")
    # ``messages`` of a step stands in the log after it, and is the prompt of the next one.
    logged = [step["messages"] for step in json.loads(path.read_bytes())["trajectory"] if step.get("messages")]
    sent = [json.loads(index.request_bytes(path.stem, n + 1))["messages"] for n in range(len(index.calls(path.stem)))]

    assert [len(prompt) for prompt in sent] == [*range(4, 29, 2)]
    assert len(logged) == len(sent)
    for prompt, original in zip(sent, logged, strict=True):
        for message, logs in zip(prompt, original, strict=True):
            ids = {"tool_call_id": logs["tool_call_ids"][0]} if logs.get("tool_call_ids") else {}
            assert message == {key: value for key, value in {**logs, **ids}.items() if key in message}
            assert message["content"] == logs["content"]
            assert ("tool_calls" in message) == bool(logs.get("tool_calls"))


def test_aider_prompts_are_exact(realdata: Path, index: Index) -> None:
    """From the prompts and answers in the index the very bytes of the history are written again."""
    written = ""
    for call in index.calls("aider"):
        view = index.call("aider", call.number)
        assert view.answer is not None
        written += f"TO LLM {call.time[:19]}\n"
        for message in json.loads(index.request_bytes("aider", call.number))["messages"]:
            lines = message["content"].split("\n")
            written += "-------\n" + "".join(f"{message['role'].upper()} {line}\n" for line in lines)
        answer = "".join(part.text or "" for message in view.answer.messages for part in message.parts)
        written += "LLM RESPONSE \n" + "".join(f"ASSISTANT {line}\n" for line in answer.split("\n"))
    history = (realdata / "aider" / "aider.llm.history").read_text("utf-8")
    # When an answer came is not in the index; everything else is compared.
    expected = "".join(
        "LLM RESPONSE \n" if line.startswith("LLM RESPONSE ") else line for line in history.splitlines(keepends=True)
    )

    assert written == expected


def test_openhands_prompts_are_nested(index: Index) -> None:
    """Each of the six prompts begins with the whole of the one before."""
    contents = [[m.content for m in index.call("llm-logs", n).messages] for n in range(1, 7)]

    assert len(index.calls("llm-logs")) == 6
    assert all(after[: len(before)] == before for before, after in pairwise(contents))
    assert all(len(after) > len(before) for before, after in pairwise(contents))


def test_openhands_calls_are_counted_and_billed(index: Index) -> None:
    """Each call has a counted figure and the provider's, with their origins; the difference is what is shown."""
    for call in index.calls("llm-logs"):
        assert call.counted.count is not None
        assert call.provider.count is not None
        assert call.provider.origin == "provider"
        assert call.counted.origin.startswith("estimate:")
        assert call.unattributed == call.provider.count - call.counted.count
