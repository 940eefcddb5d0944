"""What the shared cassettes say: every provider, opened as a user opens them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from importing import index_of

from inspector.importers.run import ImportSummary
from inspector.index import Index

pytestmark = pytest.mark.realdata

COUNT_TOKENS = "test_anthropic_count_tokens_with_tool_search_replay.yaml"


@pytest.fixture
def imported(realdata: Path, tmp_path: Path) -> tuple[ImportSummary, Index]:
    """All shared cassettes, imported and indexed."""
    return index_of(tmp_path / "out", realdata / "vcr")


@pytest.fixture
def opened(realdata: Path, tmp_path: Path) -> Callable[[str], Index]:
    """Import one cassette, by its name, and index it."""

    def open_one(name: str) -> Index:
        return index_of(tmp_path / "out", *(path for path in (realdata / "vcr").rglob("*.yaml") if path.stem == name))[
            1
        ]

    return open_one


def test_every_cassette_is_imported_or_refused_with_reason(imported: tuple[ImportSummary, Index]) -> None:
    """One file holds nothing but a count of tokens; all others are sessions, byte for byte."""
    summary, _ = imported
    refused = {Path(p.source).name: p.reason for p in summary.problems if "only" in p.reason}

    assert refused == {COUNT_TOKENS: "no call of a model in it, only: POST /v1/messages/count_tokens"}
    assert summary.lost == 0
    assert len(summary.sessions) == summary.files - 1
    assert {exact for session in summary.sessions for exact in session.exact} == {"imported"}


def test_every_call_has_dialect_model_and_outcome(imported: tuple[ImportSummary, Index]) -> None:
    """No provider's body is a stranger, and no answer is unread."""
    _, index = imported
    calls = [call for session in index.sessions() for call in index.calls(session.session)]

    assert {call.api for call in calls} == {
        "anthropic.messages", "bedrock.converse", "cohere.chat", "gemini.generate_content", "mistral.chat",
        "openai.chat", "openai.responses",
    }  # fmt: skip
    assert all(call.model for call in calls)
    failed = [(call.http_status, call.error) for call in calls if call.status != "answered"]
    assert sorted(status or 0 for status, _ in failed) == [400, 404]


def test_bodies_are_the_cassettes_own_text(realdata: Path, opened: Callable[[str], Index]) -> None:
    """Where the cassette has a body as text, the trace gives back those bytes."""
    name = "test_gemini_test_function_calling"
    index = opened(name)
    cassette = yaml.safe_load((realdata / "vcr" / "gemini" / f"{name}.yaml").read_text(encoding="utf-8"))

    assert index.request_bytes(name, 1) == cassette["interactions"][0]["request"]["body"].encode()


def test_anthropic_compaction_is_the_size_it_was(opened: Callable[[str], Index]) -> None:
    """The top-level count says 229; the pass that read the prompt had 55,196."""
    index = opened("test_anthropic_compaction_usage_with_cache")
    call = index.call("test_anthropic_compaction_usage_with_cache", 1).call
    effective = index.effective("test_anthropic_compaction_usage_with_cache", 1)

    assert call.usage_raw is not None
    assert call.usage_raw["input_tokens"] == 229
    assert call.usage.input_tokens == 55_196
    assert len(effective.removed) == 1


def test_openai_compactions_are_known(opened: Callable[[str], Index]) -> None:
    """``/responses/compact`` is a call of that purpose; the item it gives stands for what came before."""
    name = "test_openai_responses_compact_messages"
    index = opened(name)
    purposes = [call.purpose for call in index.calls(name)]
    last = index.effective(name, 4)

    assert purposes == [None, None, "compaction", None]
    assert "compaction" in [row.origin for row in last.elements]


def test_chain_of_responses_is_followed(opened: Callable[[str], Index]) -> None:
    """A request that sends one message and names the response before it is read with both turns."""
    name = "test_openai_responses_compact_with_auto_previous_response_id_chain"
    index = opened(name)
    sent = index.call(name, 2)
    read = index.effective(name, 2)

    assert len(sent.messages) == 1
    assert [row.origin for row in read.elements] == ["stored", "stored", "sent"]


def test_server_side_compaction_takes_out_earlier_turns(opened: Callable[[str], Index]) -> None:
    """In stateful mode the fourth request sends eight entries, of which six are not read any more."""
    index = opened("test_openai_responses_compact_stateful_mode")
    read = index.effective("test_openai_responses_compact_stateful_mode", 4)

    assert (len(read.elements), len(read.removed)) == (2, 6)


def test_groq_refusal_shows_what_the_model_wrote(opened: Callable[[str], Index]) -> None:
    """The refused tool call is the answer of a call that failed."""
    index = opened("test_tool_use_failed_error")
    view = index.call("test_tool_use_failed_error", 1)

    assert view.call.error is not None
    assert view.call.error.endswith("(tool_use_failed)")
    assert view.answer is not None
    assert "get_something_by_name" in view.answer.messages[0].text


def test_gemini_cache_is_part_of_the_prompt(opened: Callable[[str], Index]) -> None:
    """The cache that was made first is read by both calls that name it, 3,512 of 3,520 tokens."""
    name = "test_google_model_cached_content"
    index = opened(name)

    assert [len(index.effective(name, number).elements) for number in (2, 3)] == [3, 3]
    assert index.call(name, 2).call.usage.cached_read == 3_512


def test_bedrock_stream_is_put_together(opened: Callable[[str], Index]) -> None:
    """Amazon's event stream, kept as bytes, is an answer with thinking and text."""
    index = opened("test_bedrock_model_thinking_part_stream")
    answer = index.call("test_bedrock_model_thinking_part_stream", 1).answer

    assert answer is not None
    assert [part.kind for part in answer.messages[0].parts] == ["reasoning", "text"]


@pytest.fixture
def texts(realdata: Path) -> Iterator[bytes]:
    """Every cassette's bytes."""
    return (path.read_bytes() for path in (realdata / "vcr").rglob("*.yaml"))


def test_no_header_is_stored(texts: Iterator[bytes], tmp_path: Path, imported: tuple[ImportSummary, Index]) -> None:
    """Cookies stand in the cassettes, and in no trace."""
    assert any(b"__cf_bm=" in text for text in texts)
    written = b"".join(file.read_bytes() for file in (tmp_path / "out").glob("*/*.jsonl"))

    assert b"__cf_bm=" not in written
