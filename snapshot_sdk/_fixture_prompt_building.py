"""Runs the user's own context builder on the history of a fixture."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

from snapshot_sdk._fixture_checks_words import all_lost, place_of
from snapshot_sdk._fixture_prompt import SYSTEM, TOOLS, Prompt, prompt_of, recorded_prompt
from snapshot_sdk._fixture_values import Fixture, HistoryMessage


class NoPromptError(AssertionError):
    """A context builder made no prompt: whatever should have been in it is lost."""


Builder = Callable[..., Any]
"""``history, window → messages`` or a whole body; further parameters named as in :data:`OFFERED` are given, too."""

OFFERED: Final = ("budget", "fixture", "pins", "system", "tools")
"""Parameters that a builder may have besides the history and the window."""

_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NAMED: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def build_prompt(fixture: Fixture, builder: Builder) -> Prompt:
    """Lets a builder make the prompt of the fixture's call from its history.

    Args:
        fixture: The fixture.
        builder: Sync or async. Called with the messages of the history (copies) and the window; parameters it has
            besides, named ``system``, ``tools``, ``pins``, ``budget`` or ``fixture``, are given, too.

    Raises:
        AssertionError: It raised, or returned nothing.
        TypeError: It cannot be called so, or returned what is no prompt.
    """
    __tracebackhide__ = True
    return _build(fixture, builder, [message for message in fixture.history if not message.summary])


def build_previous(fixture: Fixture, builder: Builder) -> Prompt | None:
    """Lets a builder make the prompt one call earlier in the lane; None: there was none.

    What it leaves out stands there as it was recorded one call earlier: a builder that does not make the head has the
    recorded one, with what was wrong with it.

    Args:
        fixture: The fixture.
        builder: As in :func:`build_prompt`.
    """
    __tracebackhide__ = True
    calls = [message.call for message in fixture.history if message.call < fixture.origin.call]
    if not calls:
        return None
    before = max(calls)
    earlier = [
        message
        for message in fixture.history
        if not message.summary and (message.call < before or (message.call == before and not message.answer))
    ]
    return _build(_one_call_earlier(fixture), builder, earlier) if earlier else None


def _one_call_earlier(fixture: Fixture) -> Fixture:
    """The fixture with the recorded head of one call earlier in its request, where that is known."""
    if fixture.previous_head is None:
        return fixture
    rest = {name: value for name, value in fixture.request.items() if name not in (*SYSTEM, *TOOLS)}
    return replace(fixture, request={**rest, **fixture.previous_head})


def previous_recorded(fixture: Fixture) -> Prompt | None:
    """Gives the head of the prompt one call earlier as it was recorded; None: unknown.

    Args:
        fixture: The fixture.
    """
    if fixture.previous_head is None:
        return None
    conversation: dict[str, Any] = {fixture.history[0].member if fixture.history else "messages": []}
    return prompt_of({**conversation, **fixture.previous_head}, api=fixture.api)


def _build(fixture: Fixture, builder: Builder, history: Sequence[HistoryMessage]) -> Prompt:
    __tracebackhide__ = True
    name = getattr(builder, "__qualname__", type(builder).__name__)
    messages = [copy.deepcopy(message.message) for message in history]
    arguments, named = _arguments(fixture, builder, messages, name)
    try:
        made = _outside_loops(lambda: _call(builder, arguments, named))
    except (Exception, asyncio.CancelledError) as error:
        raise NoPromptError(
            f"the context builder {name} failed on {len(messages)} messages of history: {type(error).__name__}: {error}"
        ) from error
    if made is None:
        raise NoPromptError(f"the context builder {name} returned None: every message is lost{_newest(fixture)}")
    try:
        prompt = prompt_of(made, fixture)
    except TypeError as error:
        raise TypeError(f"the context builder {name} made no prompt: {error}") from None
    if all_lost(prompt, fixture):
        held = "only instructions" if prompt.messages else "nothing"
        raise NoPromptError(
            f"the context builder {name} returned {held}: all {len(messages)} messages of the history are lost"
            f"{_newest(fixture)}"
        )
    return prompt


def _newest(fixture: Fixture) -> str:
    """What a builder that returns nothing often stumbled over: a newest turn that alone is larger than its budget."""
    said = [message for message in fixture.history if not message.summary]
    newest = next((message for message in reversed(said) if not message.answer), None)
    if newest is None:
        return ""
    alone = [message for message in said if newest.turn is not None and message.turn == newest.turn] or [newest]
    counted = [message.tokens for message in alone if message.tokens is not None]
    if not counted:
        return ""
    named = (
        f"the newest turn, t{newest.turn}," if newest.turn is not None else f"the newest message, {place_of(newest)},"
    )
    many = f" in {len(alone)} messages" if len(alone) > 1 else ""
    size = f"{'' if len(counted) == len(alone) else 'at least '}{sum(counted):,} tokens"
    limit = fixture.budget or fixture.window
    beside = "" if limit is None else f", and the {'budget' if fixture.budget else 'window'} is {limit:,}"
    return f" ({named} has {size}{many}{beside})"


def _arguments(
    fixture: Fixture, builder: Builder, messages: list[Any], name: str
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a builder is called with, by its own signature."""
    __tracebackhide__ = True
    try:
        parameters = list(inspect.signature(builder).parameters.values())
    except (TypeError, ValueError):
        return (messages, fixture.window), {}
    offered = {**_offered(fixture), "history": messages, "window": fixture.window}
    positional = [one for one in parameters if one.kind in _POSITIONAL and one.name not in OFFERED][:2]
    given: tuple[Any, ...] = (messages, fixture.window)[: len(positional)]
    if any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters):
        given = (messages, fixture.window)
    rest = [one for one in parameters if one not in positional and one.kind not in _VARIADIC]
    named = {one.name: offered[one.name] for one in rest if one.name in offered and one.kind in _NAMED}
    wanted = [one.name for one in rest if one.default is inspect.Parameter.empty and one.name not in named]
    if wanted:
        raise TypeError(
            f"the context builder {name} needs {', '.join(wanted)}; it is given the history, the window and,"
            f" by these names, {', '.join(OFFERED)}: wrap it in a function that sets the rest"
        )
    if not given and "history" not in named:
        raise TypeError(f"the context builder {name} takes no history: it needs at least that parameter")
    return given, named


def _offered(fixture: Fixture) -> Mapping[str, Any]:
    request = fixture.request
    return {
        "budget": fixture.budget,
        "fixture": fixture,
        "pins": [check.text or check.regex for check in fixture.checks if check.kind == "pin"],
        "system": copy.deepcopy(next((request[name] for name in SYSTEM if request.get(name)), _system(fixture))),
        "tools": copy.deepcopy(next((request[name] for name in TOOLS if request.get(name)), None)),
    }


def _system(fixture: Fixture) -> str | None:
    return recorded_prompt(fixture).system


def _call(builder: Builder, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    made = builder(*arguments, **named)

    async def wait() -> Any:
        return await made

    return asyncio.run(wait()) if inspect.isawaitable(made) else made


def _outside_loops(call: Callable[[], Any]) -> Any:
    """Runs a call where it may start an event loop: in a thread of its own, where one is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return call()
    context = contextvars.copy_context()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(context.run, call).result()
