"""What a test in an agent's own repository sees: passes, failures, skips, and messages that say what to do."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import testing
from snapshot_sdk._fixture_file import dump_fixture
from snapshot_sdk._fixture_values import Fixture
from snapshot_sdk.errors import FixtureError
from snapshot_sdk.facts import Fact

USER = {"role": "user", "content": "Answer in Chinese only. The budget is 8500元."}
RULES = {"role": "system", "content": "Be brief."}
CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}


def whole(history: list[Any], window: int | None) -> list[Any]:
    """Takes nothing out."""
    return history


def newest(history: list[Any], window: int | None) -> list[Any]:
    """Forgets all but the newest message."""
    return [history[0], history[-1]]


def test_members_are_sorted_and_all_there_is() -> None:
    """``__all__`` is sorted and names every public function."""
    tree = ast.parse(Path(testing.__file__).read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) if not node.name.startswith("_")}
    assert testing.__all__ == sorted(testing.__all__)
    assert defined <= set(testing.__all__)
    assert set(testing.__all__) - defined == {"build_prompt", "play_back"}


def test_standard_library_only() -> None:
    """Importing it brings nothing but Python's own modules and this package."""
    code = (
        "import sys; before = set(sys.modules); import snapshot_sdk.testing;"
        "own = {name.split('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names;"
        # Python's own constants of the machine it was built on; their name differs from machine to machine.
        "print(sorted(name for name in own - {'snapshot_sdk'} if not name.startswith('_sysconfigdata')))"
    )
    root = Path(testing.__file__).parents[1]
    run = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_load_beside_the_test(trip: Fixture, tmp_path: Path) -> None:
    """A path starts in the folder of the test."""
    (tmp_path / "trip.json").write_text(dump_fixture(trip), encoding="utf-8")
    assert testing.load_fixture("trip.json", beside=tmp_path / "test_trip.py") == trip
    assert testing.load_fixture(tmp_path / "trip.json") == trip
    with pytest.raises(FixtureError, match=r"none\.json: cannot be read"):
        testing.load_fixture("none.json", beside=tmp_path / "test_trip.py")


@pytest.mark.parametrize("check", ["pin_1", "fact_1", "protected", "pairing", "system", "cut", "budget", "head"])
def test_mended_builder_passes(trip: Fixture, check: str) -> None:
    """A builder that keeps what matters passes every check."""
    testing.assert_check(check, trip, whole)


def test_faulty_builder_fails(trip: Fixture) -> None:
    """And the message says what is lost; it does not call the recorded prompt the tested one."""
    with pytest.raises(AssertionError, match="pin_1 fails: “Answer in Chinese only” is gone") as caught:
        testing.assert_check("pin_1", trip, newest)
    assert testing.RED not in str(caught.value)


def test_without_a_builder_it_stays_red(trip: Fixture) -> None:
    """The recorded prompt is checked, and the message says how to go on."""
    with pytest.raises(AssertionError) as caught:
        testing.assert_check("pin_1", trip)
    assert str(caught.value).endswith(
        "checked against the recorded prompt: it shows the bug as it was and stays red;"
        " name your context builder to test a mended agent"
    )
    testing.assert_check("system", trip)


def test_what_failed_then_stays_red_where_it_cannot_be_told_any_more(trip: Fixture) -> None:
    """A head whose predecessor is not in the fixture."""
    head = replace(trip.checks[9], failed=True, reason="the time stands in it")
    with pytest.raises(AssertionError, match="the time stands in it"):
        testing.assert_check("head", replace(trip, previous_head=None, checks=(head,)))


def test_what_cannot_be_told_is_skipped(trip: Fixture) -> None:
    """Neither green nor red."""
    with pytest.raises(unittest.SkipTest, match="the window of the model is unknown"):
        testing.assert_check("reserve", replace(trip, window=None), whole)


def test_builder_that_returns_nothing(trip: Fixture) -> None:
    """Every check fails, and each says what it would have held and why it failed at the time."""

    def trim(history: list[Any], window: int | None) -> list[Any]:
        return []

    for check in trip.checks:
        with pytest.raises(AssertionError, match="returned nothing: all 6 messages") as caught:
            testing.assert_check(check.id, trip, trim)
        assert f"it must hold: {check.title}" in str(caught.value)


def test_head_of_a_builder(trip: Fixture) -> None:
    """The builder is run for the call before, too: a counter in the system prompt breaks the cache."""

    def stamp(history: list[Any], window: int | None) -> list[Any]:
        return [{**history[0], "content": f"{history[0]['content']}\n{len(history)} messages"}, *history[1:]]

    with pytest.raises(AssertionError, match=r"message 1 \(system\) changed: .*4 messages.* became .*6 messages"):
        testing.assert_check("head", trip, stamp)


def test_count_of_the_user(trip: Fixture) -> None:
    """A counter of one's own decides about budgets."""
    with pytest.raises(AssertionError, match="budget fails"):
        testing.assert_check("budget", trip, whole, count=lambda text: 1000)


def test_unknown_check(trip: Fixture) -> None:
    """A wrong id is an error that names the right ones."""
    with pytest.raises(LookupError, match="no check 'pin_7'; its checks: pin_1, fact_1"):
        testing.assert_check("pin_7", trip, whole)


def test_builder_or_agent(trip: Fixture) -> None:
    """Not both."""
    with pytest.raises(TypeError, match="not both"):
        testing.assert_check("pin_1", trip, whole, agent=lambda inputs: None)


Assertion = Callable[[], None]

HOLDS: dict[str, Assertion] = {
    "pinned": lambda: testing.assert_pinned([USER], "Chinese only"),
    "pattern": lambda: testing.assert_pinned([USER], re.compile(r"Chinese\s+only")),
    "fact": lambda: testing.assert_fact([USER], "￥8,500"),
    "fact with anchors": lambda: testing.assert_fact([USER], Fact("money", "8500元", ("budget",))),
    "protected": lambda: testing.assert_protected([USER], ["Answer in Chinese only."]),
    "paired": lambda: testing.assert_tool_calls_paired([CALL, {"role": "tool", "tool_call_id": "a", "content": "r"}]),
    "system": lambda: testing.assert_system_first([RULES, USER], "Be brief."),
    "any system": lambda: testing.assert_system_first({"system": "x", "messages": [USER]}),
    "nothing cut": lambda: testing.assert_nothing_cut([USER], [RULES, USER]),
    "budget": lambda: testing.assert_within_budget([USER], 60),
    "counted budget": lambda: testing.assert_within_budget([USER], 8, count=lambda text: len(text.split())),
    "reserve": lambda: testing.assert_output_reserve([USER], 200, 100),
    "one summary": lambda: testing.assert_one_summary([{"role": "user", "content": "<summary>x</summary>"}]),
    "same head": lambda: testing.assert_same_head([RULES, USER], [RULES, USER, USER]),
}

FAILS: dict[str, tuple[Assertion, str]] = {
    "pinned": (lambda: testing.assert_pinned([USER], "German only"), "“German only” is gone"),
    "pattern": (lambda: testing.assert_pinned([USER], re.compile("German")), "/German/ is gone"),
    "fact": (lambda: testing.assert_fact([USER], "9500元"), r"“9500元” \(money\) is"),
    "fact of a kind": (lambda: testing.assert_fact([USER], "9", "number"), r"“9” \(number\) is"),
    "protected": (lambda: testing.assert_protected([USER], "Answer in German."), "1 of 1 texts are gone"),
    "paired": (lambda: testing.assert_tool_calls_paired([CALL, USER]), "the result of f a is missing"),
    "system": (lambda: testing.assert_system_first([USER, RULES]), "does not come first"),
    "nothing cut": (
        lambda: testing.assert_nothing_cut([{**USER, "content": "Answer in Chinese…"}], [USER]),
        r"message 1 \(user\) is a message of history message 1 \(user\) cut from 44 to 17 characters",
    ),
    "budget": (lambda: testing.assert_within_budget([USER], 3), "more than its 3"),
    "reserve": (lambda: testing.assert_output_reserve([USER], 100, 99), "99 are needed"),
    "one summary": (
        lambda: testing.assert_one_summary([{"role": "user", "content": f"<summary>{n}</summary>"} for n in "ab"]),
        "2 summaries stand in the prompt",
    ),
    "same head": (
        lambda: testing.assert_same_head([RULES], [{**RULES, "content": "Be long."}]),
        "brief.* became .*long",
    ),
}


@pytest.mark.parametrize("assertion", HOLDS.values(), ids=HOLDS.keys())
def test_assertion_holds(assertion: Assertion) -> None:
    """Each on its own, without a fixture."""
    assertion()


@pytest.mark.parametrize(("assertion", "reason"), FAILS.values(), ids=FAILS.keys())
def test_assertion_fails(assertion: Assertion, reason: str) -> None:
    """And says what is lost."""
    with pytest.raises(AssertionError, match=reason):
        assertion()


def test_assertions_take_built_prompts(trip: Fixture) -> None:
    """What ``build_prompt`` and ``play_back`` give goes into any assertion."""
    prompt = testing.build_prompt(trip, whole)
    testing.assert_pinned(prompt, "Answer in Chinese only")
    testing.assert_nothing_cut(prompt, [message.message for message in trip.history])


def test_part_that_the_server_keeps() -> None:
    """What may stand there cannot be called lost."""
    with pytest.raises(unittest.SkipTest, match="kept by the server"):
        testing.assert_pinned({"previous_response_id": "r", "input": [USER]}, "German only")


def test_short_traceback(trip: Fixture, tmp_path: Path) -> None:
    """Pytest shows the line of the user's test and the message, nothing of this package."""
    (tmp_path / "trip.json").write_text(dump_fixture(trip), encoding="utf-8")
    (tmp_path / "test_trip.py").write_text(
        "from snapshot_sdk.testing import assert_check, load_fixture\n"
        "FIXTURE = load_fixture('trip.json', beside=__file__)\n"
        "def test_pin_1():\n"
        "    assert_check('pin_1', FIXTURE, lambda history, window: history[-1:])\n",
        encoding="utf-8",
    )
    root = Path(testing.__file__).parents[1]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-c", "/dev/null", "--rootdir", "."]
    run = subprocess.run(
        [*command, "test_trip.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "pin_1 fails: “Answer in Chinese only” is gone" in run.stdout
    assert "snapshot_sdk/testing.py" not in run.stdout


EMPTY: dict[str, Callable[[], None]] = {
    "pairing": lambda: testing.assert_tool_calls_paired([]),
    "cut": lambda: testing.assert_nothing_cut([], [USER]),
    "cut, no history": lambda: testing.assert_nothing_cut([USER], []),
    "summaries": lambda: testing.assert_one_summary([]),
    "budget": lambda: testing.assert_within_budget([], 10),
    "reserve": lambda: testing.assert_output_reserve([], 10, 1),
}


@pytest.mark.parametrize("ask", EMPTY.values(), ids=EMPTY.keys())
def test_a_prompt_without_messages_fails(ask: Callable[[], None]) -> None:
    """Of nothing everything would hold."""
    with pytest.raises(AssertionError, match="no messages"):
        ask()


@pytest.mark.parametrize("text", ["", re.compile("")], ids=["text", "pattern"])
def test_an_empty_pin_is_refused(text: Any) -> None:
    """It stands in everything."""
    with pytest.raises(ValueError, match="the pinned text is empty"):
        testing.assert_pinned([USER], text)


@pytest.mark.parametrize("texts", [[], "", [" "]], ids=["none", "empty", "blank"])
def test_no_protected_text_is_refused(texts: Any) -> None:
    """There would be nothing to fail."""
    with pytest.raises(ValueError, match="no text that must stand"):
        testing.assert_protected([USER], texts)
