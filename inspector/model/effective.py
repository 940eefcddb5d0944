"""What the model really saw, where that is not what was sent.

Servers keep conversations, compact them, clear tool results and cut what does not fit. What they did is put together
here from the request, its answer and the calls recorded before. What cannot be known is said, never guessed at.
``docs/dialects.md`` tells the rules of each provider for users.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inspector.model.dialects.responses_items import COMPACTION
from inspector.model.effective_edits import apply_edits
from inspector.model.effective_stored import (
    Stored,
    compaction_part,
    is_compaction,
    resolve_references,
)
from inspector.model.effective_values import (
    Answer,
    Draft,
    EffectiveContext,
    EffectiveElement,
    Exchange,
    Origin,
    RemovedElement,
)
from inspector.model.fates import Certainty
from inspector.model.request import Element, Message, Part, Request
from inspector.model.views import CallView

__all__ = [
    "Answer",
    "EffectiveContext",
    "EffectiveElement",
    "Exchange",
    "Origin",
    "RemovedElement",
    "Stored",
    "effective_context",
    "exchange_of",
]

_STATEFUL = frozenset({"openai.responses", "anthropic.messages", "gemini.generate_content", "ollama.chat"})


def exchange_of(view: CallView) -> Exchange:
    """Make a recorded call of what the index says of one: ``place`` of an element is then a row of ``view.messages``.

    Args:
        view: The call. Its tool definitions stay the one row they are there.
    """
    elements = tuple(Element(row.member, row.index, row.message) for row in view.messages)
    request = Request(view.call.api, view.call.model, elements, view.parameters)
    answer = view.answer
    known = answer is not None and answer.status in ("answered", "incomplete")
    return Exchange(
        view.call.id,
        request,
        Answer(answer.messages, answer.response_id, answer.usage_raw, answer.context) if answer and known else None,
        view.endpoint,
    )


def effective_context(
    request: Request, earlier: Sequence[Exchange] | Stored = (), answer: Answer | None = None
) -> EffectiveContext:
    """Say what the model saw when it wrote the answer to a request.

    Pure, and cheap where nothing can differ: a chat completion is returned as it was sent.

    Args:
        request: The request, decoded.
        earlier: Calls recorded before it, oldest first: of the same session, or of all (ids are the provider's). Who
            asks for call after call hands over one :class:`Stored` that grows.
        answer: What came back; None: nothing did, so that what the server did is unknown.
    """
    rows = [EffectiveElement(element, "sent", place) for place, element in enumerate(request.elements)]
    draft = Draft(rows)
    if request.api not in _STATEFUL:
        return draft.finish()
    stored = earlier if isinstance(earlier, Stored) else Stored(earlier)
    _insert(draft, stored.before(request, draft))
    resolve_references(draft, stored)
    _compact(draft, stored, anthropic=request.api == "anthropic.messages")
    if request.api == "anthropic.messages":
        apply_edits(draft, request.parameters, None if answer is None else answer.context)
        _say_thinking(draft, request)
    if answer is not None:
        _compact_in_call(draft, answer, anthropic=request.api == "anthropic.messages")
    _say_unknown(draft, request, answer)
    return draft.finish()


def _insert(draft: Draft, before: list[EffectiveElement]) -> None:
    """Put stored entries where they are read: instructions first, then earlier conversation, then what was sent."""
    if not before:
        return
    spoken = (n for n, row in enumerate(draft.rows) if row.is_conversation or row.message.role == "user")
    first = next(spoken, len(draft.rows))
    settings = [row for row in before if not row.is_conversation]
    draft.rows = [*settings, *draft.rows[:first], *(row for row in before if row.is_conversation), *draft.rows[first:]]


def _compact(draft: Draft, stored: Stored, *, anthropic: bool) -> None:
    """Take out everything before the last compaction block or item."""
    marks = [number for number, row in enumerate(draft.rows) if row.is_conversation and is_compaction(row.message)]
    if not marks:
        return
    last = marks[-1]
    kept = _window(draft, stored, last)
    reason = f"stands before the last compaction {'block' if anthropic else 'item'}"
    rows: list[EffectiveElement] = []
    for number, row in enumerate(draft.rows):
        if number == last:
            rows += _from_mark(draft, number)
            if any(part.opaque for part in row.message.parts if part.name == COMPACTION):
                draft.note("The compaction is encrypted: the model can read it, nobody else can.")
        elif number > last or not row.is_conversation or number in kept:
            rows.append(row)
        else:
            draft.remove(number, reason, _sure(row.message, anthropic=anthropic))
    draft.rows = rows
    if not anthropic and draft.removed:
        draft.note(
            "OpenAI carries what stands before a compaction item in the item; whether it also reads messages of the "
            "user and the developer there is not documented.",
            "likely",
        )


def _sure(message: Message, *, anthropic: bool) -> Certainty:
    """How sure it is that a message before a compaction is not seen.

    Anthropic documents it. OpenAI's prompt is shorter than what was sent by more than the answers before the item
    (shared cassette: 552 of 1,261 tokens), but its own compacted windows keep what the user said.
    """
    if anthropic:
        return "certain"
    return "a guess" if message.role in ("user", "system", "developer") else "likely"


def _window(draft: Draft, stored: Stored, last: int) -> set[int]:
    """Rows before a compaction item that belong to the window ``/responses/compact`` returned with it."""
    mark = draft.rows[last]
    kept = {number for number, row in enumerate(draft.rows[:last]) if row.window and row.source == mark.source}
    window = stored.window(mark.message.item_id)[:-1]
    for number, message in zip(range(last - 1, -1, -1), reversed(window), strict=False):
        if not _alike(draft.rows[number].message, message):
            break
        kept.add(number)
    left = len(window) - len(kept)
    if left > 0:
        draft.note(
            f"The window that /responses/compact returned has {left:,} more message{'s' if left > 1 else ''} than "
            "came with its compaction item; OpenAI says to pass it on as it is."
        )
    return kept


def _alike(one: Message, other: Message) -> bool:
    return one.role == other.role and one.text == other.text


def _from_mark(draft: Draft, number: int) -> list[EffectiveElement]:
    """Cut what stands in the same message before its compaction block, and tell that from what follows it."""
    row = draft.rows[number]
    parts = row.message.parts
    at = compaction_part(row.message) or 0
    mark = replace(row, origin="compaction", why=row.why or "stands for everything before it")
    if len(parts) == 1:
        return [mark]
    if at:
        draft.remove(number, "stands before the last compaction block", "certain", range(at))
    rows = [_with_parts(mark, parts[at : at + 1])]
    return [*rows, _with_parts(row, parts[at + 1 :])] if parts[at + 1 :] else rows


def _with_parts(row: EffectiveElement, parts: Sequence[Part]) -> EffectiveElement:
    message = replace(row.message, parts=tuple(parts))
    return replace(row, element=replace(row.element, message=message), whole=row.whole or row.message)


def _compact_in_call(draft: Draft, answer: Answer, *, anthropic: bool) -> None:
    """See whether the server compacted in this very call, and wrote the answer from what was left."""
    parts = [(message, number) for message in answer.messages for number in range(len(message.parts))]
    marks = [at for at, (message, number) in enumerate(parts) if number == compaction_part(message)]
    if not marks:
        return
    message, number = parts[marks[-1]]
    if marks[-1] == len(parts) - 1:
        window = any(one.role == "user" for one in answer.messages)
        draft.note(
            "This call compacted the conversation: its answer is the window to go on with."
            if window
            else "The server compacted the conversation behind this answer, or paused before writing one: that "
            "counts from the next call on."
        )
        return
    for index, row in enumerate(draft.rows):
        if row.is_conversation:
            reason = "compacted by the server in this call, before it wrote the answer"
            draft.remove(index, reason, _sure(row.message, anthropic=anthropic))
    made = message if len(message.parts) == 1 else replace(message, parts=(message.parts[number],))
    mark = Element("messages" if anthropic else "input", None, made)
    draft.rows = [row for row in draft.rows if not row.is_conversation]
    whole = message if len(message.parts) > 1 else None
    draft.rows.append(EffectiveElement(mark, "compaction", why="made by the server in this call", whole=whole))
    draft.note(
        "Two passes ran in this call: the first read all that was sent and compacted it, the second wrote the answer "
        "from the compaction. The usage of each is in the response where the provider tells it."
    )


def _say_thinking(draft: Draft, request: Request) -> None:
    """Say that thinking of earlier turns may not be read: it depends on the model, and no response tells."""
    last = next((n for n in range(len(draft.rows) - 1, -1, -1) if _is_question(draft.rows[n].element.message)), 0)
    earlier = any(part.kind == "reasoning" for row in draft.rows[:last] for part in row.element.message.parts)
    edits = request.parameters.get("context_management")
    if earlier and "clear_thinking" not in str(edits):
        draft.note(
            "Thinking of earlier turns is in the body; models before Claude Opus 4.5 are not shown it, and no response "
            "says whether it was.",
            "likely",
        )


def _is_question(message: Message) -> bool:
    return message.role == "user" and any(part.kind == "text" for part in message.parts)


def _say_unknown(draft: Draft, request: Request, answer: Answer | None) -> None:
    parameters = request.parameters
    if parameters.get("truncation") == "auto":
        draft.note(
            "truncation is auto: had the conversation not fitted the window, its oldest items would be missing here. "
            "No response says whether any are.",
            "likely",
        )
    if any(part.name == "prompt" and part.opaque for row in draft.rows for part in row.message.parts):
        draft.note("A prompt template of the server stands before the input; the body has its id, not its text.")
    servers = parameters.get("mcp_servers")
    if isinstance(servers, list | tuple) and servers:
        draft.note("Tools of MCP servers were added by the provider; their definitions are not in the body.")
    if request.api == "ollama.chat":
        _say_ollama(draft, request, answer)
    gaps = [row.why for row in draft.rows if row.origin == "stored" and row.certainty != "certain"]
    for why in gaps:
        draft.note(f"Not readable: {why}.", "likely")


def _say_ollama(draft: Draft, request: Request, answer: Answer | None) -> None:
    options = request.parameters.get("options")
    window = options.get("num_ctx") if isinstance(options, dict) else None
    read = (answer.usage or {}).get("prompt_eval_count") if answer is not None else None
    if not isinstance(window, int) or isinstance(window, bool):
        draft.note(
            "The request sets no num_ctx: Ollama leaves out the oldest messages of a prompt that does not fit its "
            "default window, without a word.",
            "likely",
        )
    elif isinstance(read, int) and read >= window - 1:
        draft.note(
            f"{read:,} tokens were read and num_ctx is {window:,}: Ollama seems to have left out the oldest messages.",
            "a guess",
        )
