"""What the shared logs of inspect_ai say, opened as a user opens them."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing import index_of

from inspector.importers.run import ImportSummary
from inspector.index import Index

pytestmark = pytest.mark.realdata

BROWSER = "ZB2vu5GNujYaBdPSReCeop/1_epoch_1"
GUESSING = "gsM63GyMBKgA3p4sHAMAfG/0_epoch_1"


@pytest.fixture
def imported(realdata: Path, tmp_path: Path) -> tuple[ImportSummary, Index]:
    """Both logs, imported and indexed."""
    return index_of(tmp_path / "out", realdata / "inspect_ai")


def test_both_are_imported(imported: tuple[ImportSummary, Index]) -> None:
    """One has raw bodies, the other has not; that is said of each."""
    summary, _ = imported

    assert summary.problems == ()
    assert {s.session: (s.calls, s.exact, s.missing) for s in summary.sessions} == {
        BROWSER: (5, ("imported",), ()),
        GUESSING: (6, ("rebuilt",), ("wire form",)),
    }


def test_prompts_grow_as_the_log_says(imported: tuple[ImportSummary, Index]) -> None:
    """The browser's inputs have 1, 3, 5, 7 and 9 messages, each beside the row of its tools."""
    _, index = imported
    rows = [
        [row.member for row in index.call(BROWSER, number).messages].count("messages") for number in (1, 2, 3, 4, 5)
    ]

    assert rows == [1, 3, 5, 7, 9]


def test_usage_adds_up_to_the_evaluations_own(imported: tuple[ImportSummary, Index]) -> None:
    """The log's totals over the five calls: 15,235 in, of which 9,088 from the cache, 281 out."""
    _, index = imported
    usages = [call.usage for call in index.calls(BROWSER)]

    assert [sum(figure or 0 for figure in figures) for figures in zip(
        *((u.input_tokens, u.cached_read, u.output_tokens) for u in usages), strict=True
    )] == [15_235, 9_088, 281]  # fmt: skip


def test_no_reference_is_left(imported: tuple[ImportSummary, Index], tmp_path: Path) -> None:
    """Every long text is back in its place, and no header of the client is stored."""
    assert imported[0].calls == 11
    written = b"".join(file.read_bytes() for file in (tmp_path / "out").glob("*/*.jsonl"))

    assert b"attachment://" not in written
    assert b"x-irid" not in written


def test_what_is_counted_is_near_what_was_billed(imported: tuple[ImportSummary, Index]) -> None:
    """Had references been counted in the place of texts, the count would be a fraction of the provider's."""
    _, index = imported
    for call in index.calls(BROWSER):
        assert call.counted.count is not None
        assert call.usage.input_tokens is not None
        assert abs(call.counted.count - call.usage.input_tokens) < 0.06 * call.usage.input_tokens


def test_pooled_messages_are_whole(imported: tuple[ImportSummary, Index]) -> None:
    """The deduplicated log gives each of the six calls its own prompt, two messages more each time."""
    _, index = imported

    rows = [[row.member for row in index.call(GUESSING, n).messages].count("messages") for n in range(1, 7)]
    assert rows == [1, 3, 5, 7, 9, 11]
