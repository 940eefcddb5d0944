"""A budget that drifts in the task state: it is in the bytes of ``sanya-trip``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def shown(sample: Callable[[str], Any]) -> Any:
    """The session."""
    return sample("sanya-trip")


def state_of(call: Any) -> str:
    """The task state in a prompt; empty: there is none yet."""
    texts = [part["text"] for part in call.body["systemInstruction"]["parts"]]
    return next((text for text in texts if text.startswith("<task_state>")), "")


def budgets(shown: Any) -> dict[int, str | None]:
    """The budget in the state of the first prompt of each turn."""
    found = {}
    for call in shown.main():
        lines = state_of(call).splitlines()
        found.setdefault(call.turn, next((line for line in lines if line.startswith("budget: ")), None))
    return found


def test_the_budget_drifts_after_turn_5(shown: Any) -> None:
    """The state says 8000元 from turn 3 to turn 5 and 8500元 from turn 6 on; the model corrects it at turn 8's end."""
    old, new = "budget: 8000元", "budget: 8500元"

    assert budgets(shown) == {1: None, 2: None, 3: old, 4: old, 5: old, 6: new, 7: new, 8: new}


def test_no_user_said_the_new_budget(shown: Any) -> None:
    """No message of the user before turn 8 holds 8500; the first to say it is the assistant, as a price, at turn 5."""
    said = [part["text"] for call in shown.main() for m in call.messages if m["role"] == "user" for part in m["parts"]
            if "text" in part]  # fmt: skip
    first = next(call for call in shown.main() if "8500" in call.answer)

    assert not any("8500" in text for text in said)
    assert (first.turn, "合计约8500元" in first.answer) == (5, True)


def test_the_extractor_sees_two_turns_and_not_the_state(shown: Any) -> None:
    """The call that drifts holds the price and neither the user's budget nor the state as it was."""
    (drifted,) = shown.lane("state", 5)

    assert drifted.purpose == "state"
    assert drifted.says("合计约8500元")
    assert not drifted.says("8000元")
    assert json.loads(drifted.answer)["budget"] == "8500元"


def test_the_change_was_taken_without_a_question(shown: Any) -> None:
    """The state event of turn 5 goes from 8000元 to 8500元, and was accepted."""
    changes = [
        (n, e["data"]["before"].get("budget"), e["data"]["after"].get("budget"))
        for n, e in shown.events
        if e["type"] == "event" and e["kind"] == "state" and e["data"]["accepted"]
    ]
    drifts = [change for change in changes if change[1:] == ("8000元", "8500元")]

    assert len(drifts) == 1
    assert shown.calls[drifts[0][0] - 1].turn == 5


def test_the_agent_books_over_the_budget(shown: Any) -> None:
    """At turn 7 it books for 8460 元 and calls that within the budget; at turn 8 the user objects."""
    assert "合计 8460 元，在您 8500元 的预算之内" in shown.main(7)[-1].answer
    assert shown.main(8)[0].says("我的预算不是8000元吗")


def test_the_budget_is_pinned_and_gone_while_the_state_is_wrong(shown: Any) -> None:
    """The pinned amount is in every prompt of turns 2 to 5, in none of 6 and 7, and back when the user repeats it."""
    holds = {turn: [call.says("8000元") for call in shown.main(turn)] for turn in range(2, 9)}

    assert [pin["target"]["text"] for pin in shown.of("pin")] == ["8000元"]
    assert {turn for turn, found in holds.items() if all(found)} == {2, 3, 4, 5, 8}
    assert not any(holds[6] + holds[7])


def test_it_is_gemini(shown: Any) -> None:
    """Every call is generateContent: the model in the address, tool calls without ids, the state labelled as such."""
    snapshots = shown.of("snapshot")

    assert {(call.api, call.model) for call in shown.calls} == {("gemini.generate_content", "gemini-2.5-flash")}
    assert all(record["endpoint"].endswith("/gemini-2.5-flash:generateContent") for record in snapshots)
    wanted = [part["functionCall"] for m in shown.main(4)[1].messages for part in m["parts"] if "functionCall" in part]
    assert not any("model" in call.body for call in shown.calls)
    assert {tuple(one) for one in wanted} == {("name", "args")}
    assert {label["layer"] for label in shown.of("label")} == {"system", "memory", "state"}


def test_the_usage_has_the_cache_where_it_was_hit(shown: Any) -> None:
    """Prompts that begin like the one before, by 1,024 tokens or more, read from the cache; the others name none."""
    hits = [call.usage["cachedContentTokenCount"] for call in shown.calls if "cachedContentTokenCount" in call.usage]

    assert 0 < len(hits) < len(shown.calls)
    assert min(hits) >= 1_024
