"""A fixture: one bad call as a self-contained regression case, as values. ``docs/fixtures.md`` describes the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from snapshot_sdk.facts import Fact

FIXTURE_FORMAT: Final = "context-inspector/fixture"
"""What ``format`` says in every fixture: how one is told from any other JSON."""

FIXTURE_VERSION: Final = 1
"""Version that is written; a newer one is refused, an older one goes through named upgrades."""

HEAD_CHARACTERS: Final = 200
"""How much of a text a played call keeps: prompts of one lane begin alike, those of two seldom."""

CheckKind = Literal[
    "pin", "fact", "protected", "pairing", "system", "cut", "budget", "reserve", "summaries", "head",
]  # fmt: skip
"""What a check looks at, see :class:`Check`."""
CHECK_KINDS: Final[tuple[CheckKind, ...]] = get_args(CheckKind)


@dataclass(frozen=True)
class Check:
    """One thing that must hold of the prompt which a builder makes from the history.

    ========== =================================================================================
    pin        ``text`` (or ``regex``) stands in the prompt, word for word
    fact       every one of ``facts`` is kept or restated, and nothing else stands in its place
    protected  the texts of ``layer`` in the history stand in the prompt word for word, not retold
    pairing    every tool result follows its tool call, and every tool call has its result
    system     the system prompt (``text``) comes first and is whole
    cut        no message of the prompt is one of the history with a part cut off
    budget     the prompt, or its ``layer``, holds at most ``limit`` tokens
    reserve    ``limit`` tokens of the window are left for the answer
    summaries  at most one summary of the conversation stands in the prompt
    head       system prompt and tools are the same as one call earlier: the cached prefix holds
    ========== =================================================================================
    """

    id: str
    """Unique in its fixture, stable, fit for a test's name: ``pin_1``."""
    kind: CheckKind
    title: str
    """What must hold, in one line for a reader."""
    text: str | None = None
    """Of ``pin``: what must stand there; of ``system``: the system prompt."""
    regex: str | None = None
    """Of ``pin``, in place of ``text``."""
    facts: tuple[Fact, ...] = ()
    """Of ``fact``."""
    layer: str | None = None
    """Of ``protected`` and ``budget``; None in ``budget``: the whole prompt."""
    limit: int | None = None
    """Of ``budget`` and ``reserve``, in tokens."""
    failed: bool | None = None
    """Whether the recorded prompt failed it; None: unknown."""
    reason: str | None = None
    """Why it failed at the time: what went, at which call, what took it."""


@dataclass(frozen=True)
class HistoryMessage:
    """A message that stood in the lane at any time up to the call, whatever became of it."""

    message: Any
    """As it stands in the request, one element of ``member``."""
    member: str
    """Member of the body it is an element of: ``messages``, ``input``, ``contents``."""
    hash: str
    """Content hash of the message before redaction."""
    layer: str
    """Its layer (the largest, where parts of it differ)."""
    call: int
    """First call whose prompt held it, or whose answer it was."""
    turn: int | str | None
    """Turn of that call; None: unknown."""
    tokens: int | None
    """As counted in the index; None: unknown."""
    answer: bool
    """It was the model's answer, whether or not it was ever sent again."""
    summary: bool
    """A compaction wrote it: no part of the conversation itself. Builders do not get it."""


@dataclass(frozen=True)
class Origin:
    """Where a fixture came from."""

    session: str
    call: int
    """Number of the call in its session."""
    turn: int | str | None
    lane: str
    snapshot: str
    """Id of the snapshot."""
    file: str
    """Trace file, from the directory of traces on."""
    line: int | None


@dataclass(frozen=True)
class RecordedCompaction:
    """What shortened the lane before the call."""

    call: int | None
    """First call after it."""
    strategy: str | None
    reason: str | None
    recorded: bool
    """The agent said so; else it was inferred."""
    before: tuple[str, ...] | None
    """Content hashes of the context before it; None: unknown."""
    after: tuple[str, ...] | None
    tokens_before: int | None
    tokens_after: int | None


@dataclass(frozen=True)
class PlayedCall:
    """A call of the session whose answer is played back to the real agent."""

    call: int
    lane: str
    api: str
    endpoint: str | None
    status: int | None
    """HTTP status; None: unknown, played as 200; without an answer, as a connection that failed."""
    answer: tuple[Any, ...]
    """Messages of the answer, as recorded."""
    stop_reason: str | None
    usage: Mapping[str, Any] | None
    model: str | None
    purpose: str | None = None
    """What the call was for, as recorded: ``summarise``."""
    heads: tuple[str, ...] | None = None
    """Beginnings (``HEAD_CHARACTERS`` each) of the first two texts of the request that was answered, the system prompt
    before the messages: by them a request of the agent is told from those of other lanes. None: unknown."""
    tail: str | None = None
    """Beginning of the last text of that request: a call that summarises a conversation is often the conversation
    itself, and says only there what it wants. None: unknown."""
    tools: tuple[str, ...] | None = None
    """Names of the tools which that request offered; empty: none. None: unknown."""


@dataclass(frozen=True)
class TokenRule:
    """How tokens of a text that is not in the history are estimated."""

    per_cjk_character: float
    """Tokens for each Chinese, Japanese or Korean character."""
    per_other_character: float
    """Tokens for each other character."""
    origin: str
    """Where the figures come from: ``fitted on 42 messages counted with tokenizer:o200k_base``."""


@dataclass(frozen=True)
class Fixture:
    """One bad call, and what must hold of the prompt of that call."""

    name: str
    """Fit for a file name and a Python identifier: ``order_4711_call13``."""
    title: str
    """What went wrong, in one line."""
    origin: Origin
    api: str
    """Dialect of the request: ``openai.chat``, ``anthropic.messages`` …"""
    model: str | None
    window: int | None
    """Hard limit of the model, in tokens; None: unknown."""
    budget: int | None
    """What the agent allows itself, in tokens."""
    request: Mapping[str, Any]
    """The whole body of the call, as sent."""
    history: tuple[HistoryMessage, ...]
    """Every message that stood in the lane up to the call, in order, the newest user input included."""
    checks: tuple[Check, ...]
    compactions: tuple[RecordedCompaction, ...] = ()
    response: Any = None
    """The recorded answer, its messages; None: there is none."""
    probes: tuple[Mapping[str, Any], ...] = ()
    """Questions with the expected answers, as in a suite's JSONL file."""
    played: tuple[PlayedCall, ...] = ()
    """Answers up to the call, for the mode that plays them back to the real agent."""
    inputs: tuple[str, ...] = ()
    """What the user said, in order: what the real agent is given when answers are played back."""
    spans: tuple[tuple[str, str], ...] = ()
    """Texts and their layers, for prompts that join several layers in one string."""
    tokens: TokenRule | None = None
    """None: only messages of the history have a count."""
    removed: Mapping[str, int] | None = None
    """What was masked, by kind: ``{"email": 2}``."""
    left_out: tuple[str, ...] = ()
    """What was left out by choice, in words: images, long tool results."""
    shrunk: Mapping[str, Any] | None = None
    """What shrinking dropped; None: it was not shrunk."""
    previous_head: Mapping[str, Any] | None = None
    """Of the body one call earlier in the lane: its system prompt and tools (in ``messages`` only the leading
    instructions). None: unknown."""
    made_by: str | None = None
    """Program and version that wrote it."""
    extra: Mapping[str, Any] | None = None
    """Members of the file this version does not know; kept when written again."""
