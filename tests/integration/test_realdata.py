"""Real logs of other agents, imported and indexed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from inspector.importers import import_paths
from inspector.index import Index, open_index

pytestmark = [pytest.mark.realdata, pytest.mark.xdist_group("realdata")]


@pytest.fixture(scope="module")
def index(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Import the SWE-agent and OpenHands files and index them."""
    out = tmp_path_factory.mktemp("imported")
    import_paths([realdata / "swe-agent", realdata / "openhands"], out)
    index = open_index(out)
    index.refresh()
    yield index
    index.close()


def test_swe_agent_grows_by_two_messages_a_call(index: Index) -> None:
    """The trajectory has 13 snapshots of 4, 6, …, 28 messages, and says what it lacks."""
    calls = index.calls("marshmallow-code__marshmallow-1867")

    assert [call.messages for call in calls] == list(range(4, 29, 2))
    assert {call.exact for call in calls} == {"rebuilt"}
    assert all("tools" in call.missing for call in calls)


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
