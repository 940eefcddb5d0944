"""Values the index answers with: rows of tables and the whole of one call. Plain and frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from inspector.model.fates import Certainty
from inspector.model.layers import Layer
from inspector.model.request import Message, Usage

if TYPE_CHECKING:
    from inspector.model.seen import SeenContext

CallStatus = Literal["answered", "incomplete", "failed", "no answer"]
Severity = Literal["error", "warning", "info"]
ServerKind = Literal["stored", "summary", "edit"]
"""``stored``: the server put in what it keeps. ``summary``: a compaction stands for a part. ``edit``: parts were
cleared."""


@dataclass(frozen=True)
class TokenCount:
    """A number of tokens and who says so."""

    count: int | None
    """None: unknown."""
    origin: str
    """``provider``, ``tokenizer:<name>``, ``formula:<name>``, ``estimate:<rule>``, ``unknown``."""


def is_estimate(origin: str) -> bool:
    """Return whether the figures of an origin are shown with ``≈``: estimates (a calibrated one is), not counts."""
    return origin.startswith("estimate")


@dataclass(frozen=True)
class Sentence:
    """One sentence of the story of a session."""

    severity: Severity
    kind: str
    """Which rule of the story said it (``failed_call``, ``over_budget``, ``pin_gone``, ``compaction`` …)."""
    text: str
    """Plain words; may quote the user's text, so it is never rendered as markdown."""
    call: int | None
    """Number of the call it points to."""
    message: int | None = None
    """Number of the message that is its evidence."""
    compaction: int | None = None
    """Number of the compaction that is its evidence or its cause."""
    page: Literal["call", "compare", "session"] = "call"
    """Where the evidence is seen best."""
    fact: str | None = None
    """Text of the fact it is about, to be followed over all calls; None: it is about none."""


@dataclass(frozen=True)
class ServerEffect:
    """What a server made of a prompt before the model read it."""

    kinds: tuple[ServerKind, ...]
    removed: int | None
    """Counted tokens of the body that the model did not see; None: unknown."""
    removed_messages: int
    """Messages of the body that it did not see, or not wholly."""
    added: int | None
    """Counted tokens it saw that are not in the body; None: unknown, as some of it cannot be read."""
    added_messages: int
    """Messages it saw that are not in the body."""
    certainty: Certainty
    """How sure all this is."""
    sent: TokenCount
    """Counted tokens of the prompt as it was sent."""


@dataclass(frozen=True)
class SessionRow:
    """One session, for the table and the strip."""

    session: str
    agent: str | None
    models: tuple[str, ...]
    calls: int
    turns: int
    started: str
    """ISO UTC."""
    ended: str
    peak: TokenCount
    """Largest context of any call of the main lane."""
    window: int | None
    budget: int | None
    threshold: int | None
    """Tokens, resolved from the header's fraction."""
    compactions: int
    pins: int
    pins_gone: int
    failed_calls: int
    fill: tuple[float | None, ...]
    """Per call of the main lane: tokens ÷ budget (else window, else peak); None: unknown."""
    lanes: tuple[tuple[str, int], ...]
    """Lane and its number of calls, main first."""
    origin: Literal["recorded", "imported", "sample"]
    exact: tuple[str, ...]
    """Every exactness that occurs."""
    story: tuple[Sentence, ...] = ()
    """Worst first."""
    first_error: int | None = None
    """Call to open at: first call with an error; None: there is none."""
    incident: str | None = None
    """Of a sample: what went wrong in it, on one line, as its header says; None: it is no sample."""
    server_calls: int = 0
    """Calls whose prompt a server changed before the model read it."""
    server_removed: int | None = None
    """Most tokens that a server took out of one prompt; None: none, or unknown."""
    compactions_found: int | None = None
    """Compactions recorded, inferred from the prompts and made by servers; None: the prompts were not compared yet."""


@dataclass(frozen=True)
class CallRow:
    """One call of a session, without its messages: what charts and the strip need."""

    id: str
    number: int
    """From 1, in display order over the whole session."""
    turn: int | str | None
    turn_label: str
    """``t14``; ``t?`` when it cannot be known."""
    turn_inferred: bool
    lane: str
    lane_origin: str
    purpose: str | None
    previous: str | None
    api: str
    model: str | None
    time: str
    duration_ms: float | None
    status: CallStatus
    http_status: int | None
    error: str | None
    attempts: int
    stop_reason: str | None
    usage: Usage
    usage_raw: dict[str, Any] | None
    composition: dict[Layer, int]
    """Counted tokens by layer, overhead included, of what the model saw (``server`` says how that differs)."""
    origins: dict[Layer, str]
    """Origin of each figure of ``composition`` (the weakest, where segments differ)."""
    counted: TokenCount
    """Sum of the composition."""
    provider: TokenCount
    """``usage.input_tokens`` where that is the size of this prompt; unknown where none came, and where it is only a
    bound (``usage_notes`` says so then)."""
    calibrated: TokenCount
    """Counted × the steady ratio of past calls of this model; unknown where none is steady."""
    unattributed: int | None
    """Provider − counted; None where either is unknown."""
    tokens: TokenCount
    """The figure to show: provider, else calibrated, else counted."""
    window: int | None
    budget: int | None
    threshold: int | None
    messages: int
    """Rows of the prompt (elements), tool definitions counted as one."""
    exact: str
    missing: tuple[str, ...]
    caller: str | None
    file: str
    """Path below the traces directory."""
    line: int
    """From 1."""
    pins_gone: tuple[str, ...] = ()
    """Ids of pins whose text the model did not see in this prompt."""
    usage_problems: tuple[str, ...] = ()
    """Figures of the provider's usage that cannot be true, each with its path and why; they are used nowhere."""
    usage_notes: tuple[str, ...] = ()
    """What a reader of the usage should know: passes that were added up, parts that may be left out."""
    server: ServerEffect | None = None
    """What a server changed before the model read the prompt; None: as far as is known, it saw what was sent."""


@dataclass(frozen=True)
class SegmentRow:
    """A run of a part with one layer."""

    part: int
    """Which part of the message."""
    start: int
    """Characters into the part's text."""
    end: int
    layer: Layer
    tokens: TokenCount
    source: str | None = None
    """Label's source, if any."""
    why: str = ""
    """Which rule decided the layer: ``label``, ``rule:<name>``, ``role``, ``place``."""


@dataclass(frozen=True)
class MessageRow:
    """One entry of a prompt as the Call page lists it."""

    place: int
    """From 1: the ``#`` column. All tool definitions are one entry."""
    number: int
    """``m67``: number of this message in the whole session, kept from call to call; 0 until the analysis
    of its changes has numbered it."""
    member: str
    index: int | None
    message: Message
    """Of tool definitions: one message with a part per tool."""
    layer: Layer
    """Layer with the most tokens."""
    segments: tuple[SegmentRow, ...]
    tokens: TokenCount
    """Overhead of the message not included."""
    content: str
    """Content hash."""
    pinned: tuple[str, ...]
    """Ids of the pins this message carries."""
    born_call: int | None
    """First call that had it; None until it is numbered."""
    hole: str | None = None
    """Why its content is lost, where it is."""


@dataclass(frozen=True)
class AnswerView:
    """What came back."""

    messages: tuple[Message, ...]
    usage: Usage
    usage_raw: dict[str, Any] | None
    stop_reason: str | None
    response_id: str | None
    status: CallStatus
    http_status: int | None
    duration_ms: float | None
    error: str | None
    context: dict[str, Any] | None = None
    """What the provider says it did to the prompt (Anthropic's ``context_management``); None: nothing recorded."""


@dataclass(frozen=True)
class CallView:
    """The whole of one call."""

    call: CallRow
    messages: tuple[MessageRow, ...]
    parameters: dict[str, Any]
    answer: AnswerView | None
    replaced: tuple[tuple[str, str], ...]
    """Path and type of values that were no JSON."""
    sha256: str
    """Of the reproduced body, hex."""
    body_size: int
    """Bytes of the reproduced body."""
    endpoint: str | None = None
    """URL or path the request went to, without query; None: not recorded."""
    seen: SeenContext | None = None
    """What the model saw; None: as far as is known, it saw ``messages``."""


@dataclass(frozen=True)
class CompactionRow:
    """A recorded compaction."""

    id: str
    state: str
    strategy: str | None
    policy: str | None
    reason: str | None
    lane: str
    time: str
    tokens_before: int | None
    tokens_after: int | None
    duration_ms: float | None
    error: str | None
    caller: str | None
    before_messages: int | None
    after_messages: int | None
    call: int | None
    """Number of the first call of its lane after it; None: none came."""


@dataclass(frozen=True)
class PinRow:
    """A pin and how it fared, verbatim, over the calls of its scope."""

    id: str
    excerpt: str
    reason: str | None
    caller: str | None
    since_call: int | None
    """First call after the pin."""
    released_call: int | None
    """First call after its release; None: still pinned."""
    gone: tuple[int, ...]
    """Numbers of the calls that lack it."""
    target: dict[str, Any] = field(default_factory=dict)
    """What is looked for: ``text``, ``regex`` or ``message`` (a content hash). Empty: the excerpt, as text."""
    scope: str | None = None
    """Lane whose calls must have it; None: all."""


@dataclass(frozen=True)
class EventRow:
    """An event of a session."""

    kind: str
    lane: str
    time: str
    data: dict[str, Any]
    caller: str | None
    call: int | None
    """First call after it."""


@dataclass(frozen=True)
class LineErrorRow:
    """A line that could not be read as it stands."""

    file: str
    line: int
    """From 1."""
    byte: int
    """Where the trouble starts, from the start of the file."""
    reason: str
    recovered: int
    """Records recovered from the line."""


@dataclass(frozen=True)
class Hit:
    """Where a searched text lives, in one call."""

    call: int
    places: int
    """Messages of the prompt that hold it."""
    in_answer: bool


@dataclass(frozen=True)
class SessionHits:
    """Where a searched text lives, in one session."""

    session: str
    calls: int
    hits: tuple[Hit, ...]
    """Only calls that hold it, in prompt or answer; by call number."""
    first_where: str | None
    """Layer or role of the first place (``user``, ``answer`` …)."""
    excerpt: str
    """Text around the first place, one line."""


@dataclass(frozen=True)
class SearchResult:
    """Answer to a search over all sessions."""

    query: str
    kind: Literal["text", "regex", "id"]
    places: int
    """Messages over all prompts that hold it."""
    answers: int
    """Answers that hold it."""
    sessions: tuple[SessionHits, ...]
    """Only sessions with a hit; most calls first."""
    error: str | None = None
    """Why the query cannot be run (a bad pattern), in words."""


@dataclass(frozen=True)
class IndexState:
    """How the index stands."""

    version: int
    """Grows with every change of the data; pages cache by it."""
    files: int
    files_done: int
    bytes: int
    bytes_done: int
    calls: int
    running: bool
    note: str | None = None
    """A line for the frame: locked by another process, read-only …"""
    messages: tuple[str, ...] = field(default_factory=tuple)
