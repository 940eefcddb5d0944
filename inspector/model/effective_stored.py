"""What a request only refers to: earlier responses, conversations, items and caches the server keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from inspector.model.dialects.endpoints import path_of
from inspector.model.dialects.openai_responses import reference_of
from inspector.model.dialects.responses_items import COMPACTION, ITEM_REFERENCE
from inspector.model.effective_values import Draft, EffectiveElement, Exchange
from inspector.model.request import Element, Message, Part, Request

_COMPACT: Final = "/responses/compact"


class Stored:
    """What the server has kept, as far as it was recorded."""

    def __init__(self, earlier: Sequence[Exchange] = ()) -> None:
        """Take the calls recorded before, oldest first."""
        self._earlier: list[Exchange] = []
        self._by_response: dict[str, Exchange] = {}
        self._turns: dict[str, tuple[EffectiveElement, ...]] = {}
        """What each answered call left in the stored conversation, by the id of its answer."""
        self._chains: dict[str, tuple[EffectiveElement, ...]] = {}
        """The whole conversation up to an answer, where no gap and no other conversation is in it."""
        for exchange in earlier:
            self.add(exchange)

    def add(self, exchange: Exchange) -> None:
        """Take a call that came after all others."""
        self._earlier.append(exchange)
        answer = exchange.answer
        if answer is not None and answer.response_id is not None:
            self._by_response[answer.response_id] = exchange
            self._turns.pop(answer.response_id, None)
            self._chains.pop(answer.response_id, None)

    def answered(self, response_id: str) -> Exchange | None:
        """Return the call that was answered with this id."""
        return self._by_response.get(response_id)

    def item(self, item_id: str) -> tuple[str, Message] | None:
        """Find an item by its id; the newest call first.

        Returns:
            Snapshot id of the call that had it, and the item.
        """
        for exchange in reversed(self._earlier):
            sent = (element.message for element in exchange.request.elements)
            for message in (*(exchange.answer.messages if exchange.answer else ()), *sent):
                if message.item_id == item_id and not is_reference(message):
                    return exchange.id, message
        return None

    def window(self, item_id: str | None) -> tuple[Message, ...]:
        """Return the window that ``/responses/compact`` made, whose compaction item has this id; else nothing."""
        for exchange in self._earlier if item_id is not None else ():
            messages = exchange.answer.messages if exchange.answer is not None else ()
            if any(message.item_id == item_id for message in messages) and is_compact(exchange):
                return messages
        return ()

    def before(self, request: Request, draft: Draft) -> list[EffectiveElement]:
        """Return what stands before the request's own conversation, oldest first; gaps as opaque entries.

        Args:
            request: The request.
            draft: Where notes go.
        """
        rows = self._caches(request.parameters)
        previous = _text(request.parameters.get("previous_response_id"))
        conversation = reference_of(request.parameters.get("conversation"))
        if previous is not None:
            rows += self._chain(previous, draft)
        elif conversation is not None:
            rows += self._conversation(conversation, self._earlier, draft)
        return rows

    def _chain(self, response_id: str, draft: Draft) -> list[EffectiveElement]:
        """Follow ``previous_response_id`` back to where the conversation begins, or to where the trace ends."""
        path: list[str] = []
        seen: set[str] = set()
        base: Sequence[EffectiveElement] = ()
        wanted: str | None = response_id
        is_whole = True
        while wanted is not None:
            if wanted in self._chains:
                base = self._chains[wanted]
                break
            exchange = self._by_response.get(wanted)
            if exchange is None or wanted in seen:
                base = [_opaque("previous_response_id", wanted, _gap(wanted, looped=wanted in seen))]
                is_whole = False
                break
            seen.add(wanted)
            path.append(wanted)
            if is_compact(exchange):
                break
            parameters = exchange.request.parameters
            wanted = _text(parameters.get("previous_response_id"))
            conversation = reference_of(parameters.get("conversation"))
            if wanted is None and conversation is not None:
                until = next(n for n, one in enumerate(self._earlier) if one is exchange)
                base = self._conversation(conversation, self._earlier[:until], draft)
                is_whole = False
        rows = [*base, *(row for name in reversed(path) for row in self._turn(name))]
        if is_whole:
            self._chains[response_id] = tuple(rows)
        return rows

    def _turn(self, response_id: str) -> tuple[EffectiveElement, ...]:
        if response_id not in self._turns:
            self._turns[response_id] = tuple(_turn(self._by_response[response_id]))
        return self._turns[response_id]

    def _conversation(self, conversation: str, earlier: Iterable[Exchange], draft: Draft) -> list[EffectiveElement]:
        """Put together a stored conversation from the calls that named it."""
        rows = [_opaque("conversation", conversation, f"what {conversation} held before its first recorded call")]
        for exchange in earlier:
            if reference_of(exchange.request.parameters.get("conversation")) != conversation:
                continue
            if exchange.answer is None:
                draft.note(f"A call of {conversation} has no recorded answer; it is left out.", "likely")
                continue
            rows += _turn(exchange)
        draft.note(
            f"{conversation} is put together from its recorded calls; what was added to it or deleted from it "
            "otherwise is not known.",
            "likely",
        )
        return rows

    def _caches(self, parameters: Mapping[str, Any]) -> list[EffectiveElement]:
        name = _text(parameters.get("cachedContent", parameters.get("cached_content")))
        if name is not None:
            exchange = self._by_response.get(name)
            if exchange is None:
                return [_opaque("cachedContent", name, f"the call that made {name} is not recorded")]
            why = f"kept by the server as {name}"
            return [
                EffectiveElement(element, "stored", source=exchange.id, why=why)
                for element in exchange.request.elements
            ]
        context = parameters.get("context")
        if isinstance(context, list | tuple) and context:
            return [_opaque("context", f"{len(context):,} token ids", "earlier conversation, sent as token ids")]
        return []


def resolve_references(draft: Draft, stored: Stored) -> None:
    """Put items in the place of references to them."""
    for index, row in enumerate(draft.rows):
        if not is_reference(row.message):
            continue
        item_id = row.message.parts[0].text
        found = stored.item(item_id)
        if found is None:
            draft.rows[index] = replace(row, why=f"item {item_id} is kept by the server and was not recorded")
            continue
        source, message = found
        element = replace(row.element, message=message)
        draft.rows[index] = replace(row, element=element, origin="stored", source=source, why=f"item {item_id}")


def is_compact(exchange: Exchange) -> bool:
    """Say whether a call was ``/responses/compact``: its output is the whole conversation from then on.

    Without an endpoint its answer tells: only there does a model's output hold messages of the user.
    """
    if exchange.endpoint is not None:
        return path_of(exchange.endpoint).endswith(_COMPACT)
    messages = exchange.answer.messages if exchange.answer is not None else ()
    return any(map(is_compaction, messages)) and any(message.role == "user" for message in messages)


def is_compaction(message: Message) -> bool:
    """Say whether a message is, or holds, what stands for earlier ones; a failed compaction stands for nothing."""
    return compaction_part(message) is not None


def compaction_part(message: Message) -> int | None:
    """Return which part of a message stands for everything before it (the last such); None: none does."""
    found = None
    for number, part in enumerate(message.parts):
        if part.name == COMPACTION and part.kind == "text" and (part.text or part.opaque):
            found = number
    return found


def is_reference(message: Message) -> bool:
    """Say whether a message is an ``item_reference``."""
    return len(message.parts) == 1 and message.parts[0].name == ITEM_REFERENCE


def refers_to_server(message: Message) -> bool:
    """Say whether a message stands for others that a server keeps or replaced: a compaction, a reference."""
    return is_reference(message) or is_compaction(message)


def _turn(exchange: Exchange) -> list[EffectiveElement]:
    """Return what a call left in the stored conversation: its input and its output, or its output alone."""
    answer = exchange.answer.messages if exchange.answer is not None else ()
    compact = is_compact(exchange)
    rows = (
        []
        if compact
        else [
            EffectiveElement(element, "stored", source=exchange.id, why="sent with an earlier call")
            for element in exchange.request.elements
            if element.member == "input"
        ]
    )
    for message in answer:
        why = "window returned by /responses/compact" if compact else "answer of an earlier call"
        rows.append(
            EffectiveElement(
                Element("input", None, message),
                "compaction" if is_compaction(message) else "stored",
                source=exchange.id,
                why=why,
                window=compact,
            )
        )
    return rows


def _opaque(name: str, text: str, why: str) -> EffectiveElement:
    message = Message(None, (Part("other", text, name=name, opaque=True),))
    return EffectiveElement(Element("input", None, message), "stored", certainty="likely", why=why)


def _gap(response_id: str, *, looped: bool) -> str:
    if looped:
        return f"the chain of responses comes back to {response_id}: what is before it cannot be told"
    return f"the call answered as {response_id} is not recorded here: what the conversation held up to it is unknown"


def _text(value: Any) -> str | None:
    return str(value) if isinstance(value, str) and value else None
