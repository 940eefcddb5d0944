r"""The trace format: what one line of a trace file holds, field by field.

Writer and reader share this one definition. A trace file is JSONL: one record, one line, UTF-8,
``\n`` only. The first record of a file is a :class:`Header`. See ``docs/format.md`` for a
worked example.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NotRequired, TypedDict

FORMAT_VERSION: Final = 1
"""The version this package writes. A reader refuses a larger one and upgrades a smaller one."""

Exactness = Literal["bytes", "values", "redacted", "imported", "rebuilt"]
"""How far the stored request is proved to be what the model was sent.

``bytes``: it reproduces the body byte for byte. ``values``: it was handed over as Python values,
nothing was on a wire. ``redacted``: parts were removed before writing. ``imported``: from a log
that carries the whole body. ``rebuilt``: put together from a log that lacks parts (``missing``).
"""

Style = Literal["compact", "compact-ascii", "default", "default-ascii"]
"""How the JSON of a body was written: compact (``,`` ``:``) or with spaces (``, `` ``: ``), UTF-8 or ASCII-escaped."""

Run = list[int]
"""A run of array elements. ``[first, count]``: blobs ``first … first+count-1`` of this file.
``[-1, first, count]``: elements ``first …`` of the same member of the snapshot ``base``."""


class Blob(TypedDict):
    """One element of a body, stored once per file; exactly one of ``value``, ``text``, ``delta`` is there."""

    n: int
    """Number in this file, from 0, increasing by one per stored blob."""
    wire: str
    """Tagged hash of the element's source text (``sha256:`` and 32 hex digits)."""
    value: NotRequired[Any]
    """The element as JSON; its source text is this value written in the snapshot's ``style``."""
    text: NotRequired[str]
    """The element's source text, where no style reproduces it (NaN, 1e400, long integers, deep nesting)."""
    delta: NotRequired[list[list[int] | str]]
    """The source text as pieces: ``[start, length]`` copies that many characters of the source
    text of blob ``base``, a string stands for itself."""
    base: NotRequired[int]
    """The blob that ``delta`` copies from."""


class Member(TypedDict, total=False):
    """How one top-level member of a body is stored; exactly one key."""

    value: Any
    """The member itself, small (under 256 characters of JSON)."""
    blob: int
    """The whole member is this blob."""
    items: list[Run]
    """The member is an array; its elements are these runs."""


class Envelope(TypedDict):
    """What every record carries."""

    v: int
    """Format version."""
    type: str
    """Which record this is."""
    seq: int
    """Number of the record in its file, from 0. In one file line order beats clocks."""
    time: str
    """Wall time, UTC, ISO 8601 with microseconds and ``Z``."""
    mono_ns: int
    """Monotonic clock of the writing process, nanoseconds."""


class Header(Envelope):
    """First record of a file."""

    session: str
    """The session all records of this file belong to."""
    writer: str
    """Which process wrote: ``<pid>-<random>``."""
    part: int
    """Rotation count: 0 for the first file of a writer in this session."""
    sdk: str
    """Version of the SDK."""
    agent: str | None
    """Name of the agent, as the user gave it."""
    window: int | None
    """The model's hard limit in tokens, if told."""
    budget: int | None
    """Tokens the agent allows itself, if told."""
    threshold: int | float | None
    """What triggers compaction: tokens, or a fraction (0–1) of the budget (else of the window)."""
    budgets: dict[str, int]
    """Budget per layer, tokens."""
    meta: dict[str, Any]
    """Free metadata of the user."""
    imported: NotRequired[dict[str, Any]]
    """For imported files: ``format``, ``source`` (file name only) and ``digest``."""


class Snapshot(Envelope):
    """One request to a model, written before it goes out."""

    id: str
    """UUIDv7; the identity of this call everywhere."""
    turn: int | str | None
    """The agent's own number of the turn, if told."""
    lane: str
    """Line of thought: ``main``, a sub-agent's name, a side call's name."""
    lane_origin: Literal["given", "default"]
    """Whether the lane was set by the agent or is the recorder's default."""
    purpose: str | None
    """What a side call is for (``summary``, ``title``, ``judge`` …)."""
    previous: str | None
    """Id of the lane's snapshot before this one, in this session and process."""
    api: str | None
    """Dialect of the request, e.g. ``openai.chat``, ``anthropic.messages``; None: to be recognised."""
    endpoint: str | None
    """URL or path, without query."""
    model: str | None
    """Model as the body names it."""
    caller: str | None
    """First frame of the user's own code: ``agent/memory.py:118``."""
    exact: Exactness
    missing: NotRequired[list[str]]
    """Parts the source lacked (``system``, ``tools`` …), for ``imported`` and ``rebuilt``, and for ``values`` that a
    tracing span told."""
    replaced: NotRequired[list[list[str]]]
    """``[path, type]`` of each value that was no JSON and was stored as JSON or as its repr."""
    redactions: NotRequired[list[list[Any]]]
    """``[path, count]`` of what was removed."""
    style: Style
    base: NotRequired[int]
    """``seq`` of the snapshot in this file that ``[-1, first, count]`` runs point into."""
    keyframe: NotRequired[bool]
    """All blobs this snapshot needs are stored in this very record; later ones refer to nothing older."""
    body: dict[str, Member] | None
    """The members of the body in order. None: the body is no object, or has a form that only its
    source text keeps: ``whole`` holds it."""
    whole: NotRequired[int]
    """The blob that is the whole body; a reader may take its text apart to show it."""
    blobs: list[Blob]
    """Content first stored by this record."""


class Attempt(Envelope):
    """One try of a call on the wire."""

    snapshot: str
    n: int
    """From 1."""
    status: int | None
    """HTTP status, if one came."""
    error: str | None


class Response(Envelope):
    """The answer to a call."""

    snapshot: str
    response_id: str | None
    """The provider's own id."""
    status: int | None
    usage: dict[str, Any] | None
    """Token usage as the provider gave it."""
    stop_reason: str | None
    context: NotRequired[dict[str, Any]]
    """What the provider says it did to the prompt (``context_management`` of Anthropic), where it says anything."""
    messages: list[Run]
    """The answer's messages, as runs of blobs (in the request dialect's message shape)."""
    blobs: list[Blob]
    duration_ms: float | None
    complete: bool
    """The protocol's own end was seen."""
    error: str | None


class Target(TypedDict, total=False):
    """What a label or a pin is about; exactly one of ``text``, ``message``, ``regex``."""

    text: str
    """This exact text, wherever it stands."""
    message: str
    """The message with this content hash."""
    regex: str
    """Whatever this pattern matches (pins only)."""
    within: str
    """Labels: only inside the message with this content hash."""
    occurrence: int
    """Labels: only the n-th place where the text stands, from 1."""


class Label(Envelope):
    """Says what a piece of content is."""

    target: Target
    layer: str | None
    pinned: bool | None
    turn_id: int | str | None
    task: str | None
    source: str | None
    """Where it came from: a RAG id, a profile key."""
    score: float | None
    until_turn_ends: bool
    """True: holds only for snapshots of turn ``turn``; False: until replaced."""
    turn: int | str | None


class Pin(Envelope):
    """From now on this must be in every context, verbatim."""

    pin: str
    """Id of the pin."""
    target: Target
    excerpt: str
    """The pinned text (of a message: its text), cut to 2,000 characters, for display."""
    reason: str | None
    scope: str | None
    """Lane the pin holds for; None: every lane, side calls (those with a purpose) excepted."""
    caller: str | None


class Unpin(Envelope):
    """Releases a pin."""

    pin: str
    reason: str | None


class Compaction(Envelope):
    """An event that shortened the context."""

    compaction: str
    """Id; a state change repeats it."""
    state: Literal["pending", "running", "done", "failed"]
    strategy: Literal["summary", "edit", "trim"] | None
    policy: str | None
    reason: str | None
    lane: str
    turn: int | str | None
    before: list[Run] | None
    """Messages before, as runs of blobs."""
    after: list[Run] | None
    blobs: list[Blob]
    tokens_before: int | None
    tokens_after: int | None
    duration_ms: float | None
    error: str | None
    caller: str | None


class Event(Envelope):
    """Anything else worth a mark on the timeline."""

    kind: str
    """``state``, ``retrieval``, ``tool``, ``probe``, or the user's own word."""
    lane: str
    turn: int | str | None
    data: dict[str, Any]
    caller: str | None


class Loss(Envelope):
    """Written when writing works again: records that could not be written."""

    lost: int
    reason: str


RECORD_TYPES: Final = frozenset(
    {"header", "snapshot", "attempt", "response", "label", "pin", "unpin", "compaction", "event", "loss"}
)
