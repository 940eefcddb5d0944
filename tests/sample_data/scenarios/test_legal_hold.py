"""A rule that the server's compaction takes: it is in the bytes of ``storage-review``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sample_data.provider_editing import CLEAR_TOOL_USES, COMPACT, LEAST_TRIGGER
from sample_data.scenarios.legal_hold import RULE


@pytest.fixture
def shown(sample: Callable[[str], Any]) -> Any:
    """The session."""
    return sample("storage-review")


def compactions(call: Any) -> list[tuple[int, str]]:
    """Place and text of the compaction blocks in a prompt."""
    return [
        (place, block["content"])
        for place, message in enumerate(call.messages)
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "compaction"
    ]


def test_every_request_of_the_main_lane_still_holds_the_rule(shown: Any) -> None:
    """What was sent does not show the loss: the client sends everything, to the end."""
    assert all(call.says(RULE) for call in shown.main())
    assert all(call.body["context_management"]["edits"][0]["type"] == COMPACT for call in shown.main())


def test_one_call_is_compacted_and_says_so_in_its_usage_only(shown: Any) -> None:
    """Its two passes are in ``iterations``; the top level knows the second one alone."""
    (compacted,) = [call for call in shown.main() if len(call.usage["iterations"]) == 2]
    first, second = compacted.usage["iterations"]

    assert (first["type"], second["type"]) == ("compaction", "message")
    assert first["cache_read_input_tokens"] + first["cache_creation_input_tokens"] > LEAST_TRIGGER
    assert compacted.usage["cache_creation_input_tokens"] == second["cache_creation_input_tokens"] < 2_000
    assert shown.main().index(compacted) == 10


def test_the_summary_does_not_have_the_rule(shown: Any) -> None:
    """The block stands in every later prompt; before it nothing is read, and after it nobody says the rule again."""
    later = shown.main()[11:]

    for call in later:
        ((place, summary),) = compactions(call)
        after = str(call.messages[place:])
        assert "legal hold" not in summary
        assert (RULE in after) == (call.turn == 5)
    assert not any(compactions(call) for call in shown.main()[:11])


def test_the_first_scouts_are_told_and_the_last_one_is_not(shown: Any) -> None:
    """Each scout knows what its task says; the task of the third was written after the compaction."""
    told = {call.lane: call.says(RULE) for call in shown.calls if call.lane != "main"}

    assert told == {"scout web_logs": True, "scout exports": True, "scout billing": False}


def test_tables_under_hold_are_proposed(shown: Any) -> None:
    """The main lane's next call but one proposes three of them."""
    uses = [block for block in shown.main()[12].messages[-2]["content"] if block["type"] == "tool_use"]

    assert [use["name"] for use in uses] == ["propose_drop"]
    assert sum(table.startswith("billing_2023.") for table in uses[0]["input"]["tables"]) == 3


def test_old_pages_of_a_scout_are_cleared_by_the_server(shown: Any) -> None:
    """The answer says how many; the request still holds them all."""
    applied = {
        response["snapshot"]: response["context"]["applied_edits"]
        for response in shown.of("response")
        if response["context"]["applied_edits"]
    }

    assert [(edit["type"], edit["cleared_tool_uses"]) for (edit,) in applied.values()] == [(CLEAR_TOOL_USES, 2)] * 2
    assert all(edit["cleared_input_tokens"] > 500 for (edit,) in applied.values())


def test_the_pin_is_for_every_lane(shown: Any) -> None:
    """Scouts must have it too."""
    (pin,) = shown.of("pin")

    assert pin["target"]["text"] == RULE
    assert pin["scope"] is None
