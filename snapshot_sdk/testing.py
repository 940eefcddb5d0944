"""What a regression test in an agent's own repository imports: fixtures, and an assertion for each thing to hold.

```python
from snapshot_sdk.testing import assert_check, load_fixture
from my_agent.memory import build_context

FIXTURE = load_fixture("order_4711_call13.json", beside=__file__)


def test_pin_1() -> None:
    assert_check("pin_1", FIXTURE, build_context)
```

Standard library only; the assertions work in any test runner. Each takes a list of messages or a whole body, in the
shapes of OpenAI, Anthropic, Google, Amazon, Cohere, Mistral and Ollama.
"""

from __future__ import annotations

import re
import unittest
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from snapshot_sdk._fixture_checks import Outcome, run_check, told_then
from snapshot_sdk._fixture_checks_cuts import judge_cuts
from snapshot_sdk._fixture_checks_facts import judge_facts
from snapshot_sdk._fixture_checks_pairing import judge_pairing
from snapshot_sdk._fixture_checks_shape import judge_head, judge_summaries
from snapshot_sdk._fixture_checks_texts import judge_pin, judge_system, judge_texts
from snapshot_sdk._fixture_checks_tokens import Count, judge_budget, judge_reserve, measure
from snapshot_sdk._fixture_checks_words import Verdict, visible
from snapshot_sdk._fixture_file import read_fixture
from snapshot_sdk._fixture_prompt import Prompt, prompt_of, recorded_prompt
from snapshot_sdk._fixture_prompt_building import (
    Builder,
    NoPromptError,
    build_previous,
    build_prompt,
    previous_recorded,
)
from snapshot_sdk._fixture_values import Check, Fixture, TokenRule
from snapshot_sdk._playback import Agent, play_back
from snapshot_sdk.facts import Fact, FactKind, guess_kind

__all__ = [
    "assert_check",
    "assert_fact",
    "assert_nothing_cut",
    "assert_one_summary",
    "assert_output_reserve",
    "assert_pinned",
    "assert_protected",
    "assert_same_head",
    "assert_system_first",
    "assert_tool_calls_paired",
    "assert_within_budget",
    "build_prompt",
    "load_fixture",
    "play_back",
]

ROUGH_RULE: Final = TokenRule(1.0, 0.3, "1 token a Chinese, Japanese or Korean character, 0.3 any other; name count=")
"""Where there is neither a fixture nor a counter; rather too many than too few."""

RED: Final = (
    "checked against the recorded prompt: it shows the bug as it was and stays red;"
    " name your context builder to test a mended agent"
)
"""Said where a check fails and nobody named anything to test."""


def load_fixture(path: str | Path, *, beside: str | Path | None = None) -> Fixture:
    """Reads a fixture.

    Args:
        path: The file.
        beside: A file in whose folder ``path`` starts: ``__file__`` of the test.

    Raises:
        FixtureError: It cannot be read, or is no fixture.
    """
    return read_fixture(path if beside is None else Path(beside).parent / path)


def assert_check(
    check_id: str,
    fixture: Fixture,
    builder: Builder | None = None,
    *,
    agent: Agent | None = None,
    count: Count | None = None,
) -> None:
    """Fails if a check of a fixture does not hold.

    Args:
        check_id: Id of the check.
        fixture: The fixture.
        builder: Makes the prompt from the history: ``history, window → messages`` or a whole body; sync or async.
        agent: The real agent, where it has no such function: it is given the inputs, its model answers as recorded,
            and the prompts it sends are checked. Without both, the recorded prompt is checked.
        count: Counts the tokens of a text; None: as counted in the fixture, else by its rule.

    Raises:
        AssertionError: It does not hold, or the builder or the agent failed.
        unittest.SkipTest: It cannot be told whether it holds; pytest shows the test as skipped.
        LookupError: The fixture has no such check.
        TypeError: The builder cannot be called so, or made no prompt.
    """
    __tracebackhide__ = True
    check = _find(check_id, fixture)
    previous: Prompt | None = None
    if builder is not None and agent is not None:
        raise TypeError("name a builder or an agent, not both")
    if builder is not None:
        try:
            prompt = build_prompt(fixture, builder)
            previous = build_previous(fixture, builder) if check.kind == "head" else None
        except NoPromptError as error:
            lines = [f"{check.id} fails: {error}", f"it must hold: {check.title}", *told_then(check, fixture)]
            raise AssertionError(visible("\n  ".join(lines))) from error.__cause__
    elif agent is not None:
        prompts = play_back(fixture, agent)
        prompt, previous = prompts[-1], prompts[-2] if len(prompts) > 1 else None
    else:
        prompt, previous = recorded_prompt(fixture), previous_recorded(fixture)
    outcome = run_check(check, prompt, fixture, previous, count=count)
    _settle(outcome, recorded=builder is None and agent is None)


def _find(check_id: str, fixture: Fixture) -> Check:
    found = next((check for check in fixture.checks if check.id == check_id), None)
    if found is None:
        ids = ", ".join(check.id for check in fixture.checks) or "none"
        raise LookupError(f"the fixture {fixture.name} has no check {check_id!r}; its checks: {ids}")
    return found


def _settle(outcome: Outcome, *, recorded: bool) -> None:
    __tracebackhide__ = True
    if outcome.ok:
        return
    # What failed at the time stays red, also where the recorded prompt alone no longer tells.
    if outcome.ok is False or (recorded and outcome.check.failed):
        raise AssertionError(f"{outcome.message}\n  {RED}" if recorded else outcome.message)
    raise unittest.SkipTest(outcome.message)


def assert_pinned(messages: Any, text: str | re.Pattern[str]) -> None:
    """Fails if a text does not stand in a prompt word for word.

    Args:
        messages: A list of messages, or a whole body.
        text: The text, or a compiled pattern.

    Raises:
        ValueError: The text is empty: it stands in everything.
    """
    __tracebackhide__ = True
    if not (text if isinstance(text, str) else text.pattern):
        raise ValueError("the pinned text is empty: every prompt holds it")
    pinned = (text, None) if isinstance(text, str) else (None, text)
    prompt = _read(messages)
    _hold(judge_pin(prompt, *pinned), prompt)


def assert_fact(messages: Any, value: str | Fact, kind: FactKind | None = None) -> None:
    """Fails if a prompt does not say a value, or says another in its place.

    Args:
        messages: A list of messages, or a whole body.
        value: The value (￥8,500 is 八千五百元), or a fact with its anchors.
        kind: What it is; None: guessed from its writing.
    """
    __tracebackhide__ = True
    fact = value if isinstance(value, Fact) else Fact(kind or guess_kind(value), value)
    prompt = _read(messages)
    _hold(judge_facts(prompt, [fact]), prompt)


def assert_protected(messages: Any, texts: Iterable[str]) -> None:
    """Fails if one of several texts does not stand in a prompt word for word.

    Args:
        messages: A list of messages, or a whole body.
        texts: What must not be shortened or retold.

    Raises:
        ValueError: There is none, or they are empty.
    """
    __tracebackhide__ = True
    wanted = [texts] if isinstance(texts, str) else list(texts)
    if not any(text.strip() for text in wanted):
        raise ValueError("there is no text that must stand in the prompt: every prompt holds none")
    prompt = _read(messages)
    _hold(judge_texts(prompt, [("", text) for text in wanted]), prompt)


def assert_tool_calls_paired(messages: Any) -> None:
    """Fails if a tool call lacks its result, a result its call, or an id is used twice.

    Args:
        messages: A list of messages, or a whole body.
    """
    __tracebackhide__ = True
    prompt = _some(messages)
    _hold(judge_pairing(prompt), prompt)


def assert_system_first(messages: Any, text: str | None = None) -> None:
    """Fails if the system prompt is gone, does not come first, or is not whole.

    Args:
        messages: A list of messages, or a whole body.
        text: The system prompt; lines may differ in dates and times. None: any will do.
    """
    __tracebackhide__ = True
    prompt = _read(messages)
    _hold(judge_system(prompt, text), prompt)


def assert_nothing_cut(messages: Any, history: Sequence[Any]) -> None:
    """Fails if a message of a prompt is one of the history with a part cut off.

    Args:
        messages: A list of messages, or a whole body.
        history: The messages as they were first said.
    """
    __tracebackhide__ = True
    told = _some(history).messages
    _hold(judge_cuts(_some(messages), told, [one.place.replace("message", "history message") for one in told]))


def assert_within_budget(messages: Any, tokens: int, *, count: Count | None = None) -> None:
    """Fails if a prompt holds more tokens than allowed.

    Args:
        messages: A list of messages, or a whole body.
        tokens: The limit.
        count: Counts the tokens of a text; None: a rough estimate, rather too high.
    """
    __tracebackhide__ = True
    _hold(judge_budget(measure(_some(messages), {}, ROUGH_RULE, count), tokens))


def assert_output_reserve(messages: Any, window: int, reserve: int, *, count: Count | None = None) -> None:
    """Fails if a prompt leaves too little of the window for the answer.

    Args:
        messages: A list of messages, or a whole body.
        window: What the model takes, in tokens.
        reserve: What must be left.
        count: Counts the tokens of a text; None: a rough estimate, rather too high.
    """
    __tracebackhide__ = True
    _hold(judge_reserve(measure(_some(messages), {}, ROUGH_RULE, count), window, reserve))


def assert_one_summary(messages: Any) -> None:
    """Fails if a prompt holds more than one summary of the conversation.

    Args:
        messages: A list of messages, or a whole body.
    """
    __tracebackhide__ = True
    _hold(judge_summaries(_some(messages)))


def assert_same_head(before: Any, after: Any) -> None:
    """Fails if tools or system prompt of two prompts differ, so that the second reads nothing from the cache.

    Args:
        before: A list of messages, or a whole body: the earlier call.
        after: The later one.
    """
    __tracebackhide__ = True
    _hold(judge_head(_read(after), _read(before)))


def _read(messages: Any) -> Prompt:
    return messages if isinstance(messages, Prompt) else prompt_of(messages)


def _some(messages: Any) -> Prompt:
    """Reads a prompt that must hold something: of one without a message everything else would hold."""
    __tracebackhide__ = True
    prompt = _read(messages)
    if not prompt.messages:
        raise AssertionError("the prompt holds no messages")
    return prompt


def _hold(verdict: Verdict, partly: Prompt | None = None) -> None:
    """Raises what does not hold; what cannot be told, because a part of the prompt is not at hand, is a skip."""
    __tracebackhide__ = True
    instead = "" if verdict.instead is None else f"\n  the prompt holds instead: {verdict.instead}"
    unseen = partly.unseen if partly is not None else None
    if verdict.ok is None or (verdict.ok is False and unseen is not None):
        because = "" if unseen is None else f"; but {unseen}, so it may stand there"
        raise unittest.SkipTest(visible(f"cannot be told: {verdict.what}{because}"))
    if not verdict.ok:
        raise AssertionError(visible(f"{verdict.what}{instead}"))
