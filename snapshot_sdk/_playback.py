"""Runs the user's real agent while the models it asks answer from a recording, and takes the prompts it builds."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from typing import Any, Final

from snapshot_sdk._fixture_prompt import Prompt, prompt_of
from snapshot_sdk._fixture_values import Fixture
from snapshot_sdk._playback_calls import Calls
from snapshot_sdk._playback_clients import PlayedClients
from snapshot_sdk._playback_guard import nothing_leaves
from snapshot_sdk._playback_values import PlaybackStop

Agent = Callable[[Any], Any]
"""``agent(inputs)``, or ``agent(text)`` for each input; what it returns is awaited where that can be."""

_ONE_INPUT: Final = frozenset({"text", "message", "input"})
"""Names of the one parameter of an agent that takes its inputs one by one."""

_KEYS: Final = (
    ("OPENAI_API_KEY",),
    ("AZURE_OPENAI_API_KEY",),
    ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    ("MISTRAL_API_KEY",),
    ("GROQ_API_KEY",),
    ("CO_API_KEY", "COHERE_API_KEY"),
    ("OPENROUTER_API_KEY",),
    ("DEEPSEEK_API_KEY",),
    ("AWS_ACCESS_KEY_ID",),
    ("AWS_SECRET_ACCESS_KEY",),
    ("AWS_DEFAULT_REGION", "AWS_REGION"),
)
"""Variables without which clients cannot be built; of each row one is enough, and the first is set."""
_NO_KEY: Final = "none-needed-answers-are-played-back"

_running: Final = threading.Lock()


def play_back(fixture: Fixture, agent: Agent) -> tuple[Prompt, ...]:
    """Runs an agent on the inputs of a fixture; the models it asks answer as recorded, and nothing leaves the machine.

    The agent ends with the request that stands for the fixture's own call: what it would do with the answer is no
    part of the test.

    Args:
        fixture: Whose inputs and answers.
        agent: Takes all inputs as a list; or each in turn, where its one parameter is named ``text``, ``message`` or
            ``input``. Sync or async.

    Returns:
        The prompts of the calls of the fixture's lane, in order; the last is that of the fixture's own call.

    Raises:
        AssertionError: The agent failed, ended before that call, or made one that was not recorded.
        RuntimeError: Another playback is running in this process.
    """
    __tracebackhide__ = True
    calls = Calls(fixture)
    error = _run(calls, agent, fixture.inputs)
    number = len(calls.captured)
    if calls.failure is not None:
        raise AssertionError(f"{calls.name} was not reached: {calls.failure}.{calls.remarks()}") from None
    if not calls.reached:
        if error is not None:
            first = next(iter(str(error).splitlines()), "")
            said = f"{type(error).__name__}: {first}".removesuffix(": ").rstrip(".")
            why = f"the agent failed with {said} (requests it sent: {number})"
            raise AssertionError(f"{calls.name} was not reached: {why}.{calls.remarks()}") from error
        made = f"requests it sent: {number}, in that lane {len(calls.in_lane())} of {calls.expected_in_lane()}"
        raise AssertionError(f"{calls.name} was not reached: the agent ended ({made}).{calls.remarks()}")
    return tuple(prompt_of(one.body, fixture, fixture.api) for one in calls.in_lane())


def _run(calls: Calls, agent: Agent, inputs: Sequence[str]) -> BaseException | None:
    """Runs the agent and returns what it raised, but for what ends the whole program."""
    if not _running.acquire(blocking=False):
        raise RuntimeError("another playback is running in this process: its clients can answer for one at a time")
    try:
        with ExitStack() as stack:
            stack.enter_context(placeholder_keys())
            stack.enter_context(nothing_leaves(calls.refuse))
            stack.enter_context(PlayedClients(calls))
            _outside_loops(lambda: _start(agent, list(inputs)))
    except PlaybackStop:
        return None
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # an agent may also end the process, or a group of tasks: then it has failed
        return None if calls.reached else error
    finally:
        _running.release()
    return None


@contextmanager
def placeholder_keys() -> Iterator[None]:
    """Sets the keys that clients ask for when they are built, where none is set; takes them out again."""
    missing = [names[0] for names in _KEYS if not any(os.environ.get(name) for name in names)]
    before = {name: os.environ.get(name) for name in missing}
    os.environ.update(dict.fromkeys(missing, _NO_KEY))
    if "AWS_DEFAULT_REGION" in missing:
        os.environ["AWS_DEFAULT_REGION"] = "us-east-1"  # a part of the address: only a name of that form is taken
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _start(agent: Agent, inputs: list[str]) -> None:
    if not _takes_one(agent):
        result = _running_on(agent(inputs))
        if inspect.isawaitable(result):
            _finish(result)
        return
    for place, text in enumerate(inputs):
        result = _running_on(agent(text))
        if inspect.isawaitable(result):
            _finish(_rest(agent, result, inputs[place + 1 :]))
            return


def _running_on(result: Any) -> Any:
    """Runs an agent that yields what it does, step by step, to its end; of an async one, gives what does so."""
    if inspect.isgenerator(result):
        deque(result, maxlen=0)
        return None
    return _all_steps(result) if inspect.isasyncgen(result) else result


async def _all_steps(steps: AsyncIterator[Any]) -> None:
    async for _ in steps:
        pass


def _takes_one(agent: Agent) -> bool:
    try:
        parameters = list(inspect.signature(agent).parameters.values())
    except (TypeError, ValueError):  # a builtin without a signature
        return False
    return len(parameters) == 1 and parameters[0].name in _ONE_INPUT


async def _rest(agent: Agent, first: Awaitable[Any], inputs: Sequence[str]) -> None:
    """All inputs in one event loop: clients belong to the loop they were first used in."""
    await first
    for text in inputs:
        await _running_on(agent(text))


def _finish(result: Awaitable[Any]) -> None:
    """Runs to the end what an agent gave to be awaited."""

    async def wait() -> None:
        await result

    asyncio.run(wait())


def _outside_loops(run: Callable[[], None]) -> None:
    """Runs an agent where it may start an event loop: in a thread of its own inside a running one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        run()
        return
    errors: list[BaseException] = []

    def catching() -> None:
        try:
            run()
        except BaseException as error:  # of another thread: raised where the caller waits
            errors.append(error)

    thread = threading.Thread(target=copy_context().run, args=(catching,))
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
