"""Values of effective contexts: recorded calls that go in, and what the model really saw, which comes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from inspector.model.fates import Certainty
from inspector.model.request import Element, Message, Part, Request

Origin = Literal["sent", "stored", "compaction"]
"""``sent``: it stands in this body. ``stored``: the server had it from an earlier call, or keeps it under a name.
``compaction``: it stands for a part of the conversation that it replaced."""

CONVERSATION: Final = frozenset({"messages", "contents", "input"})
"""Members that hold the conversation; instructions and tools are never compacted."""

_ORDER: Final[Mapping[Certainty, int]] = {"certain": 0, "likely": 1, "a guess": 2}


@dataclass(frozen=True)
class Answer:
    """What came back to a call."""

    messages: tuple[Message, ...]
    """Decoded by the request's dialect, in order (OpenAI Responses: its output items)."""
    response_id: str | None = None
    """The provider's id, by which later calls may refer to it (of a Gemini cache: its name)."""
    usage: Mapping[str, Any] | None = None
    """As the provider gave it."""
    context: Mapping[str, Any] | None = None
    """The response's ``context_management``, as the provider gave it; None: not recorded."""


@dataclass(frozen=True)
class Exchange:
    """A recorded call with its answer."""

    id: str
    """Snapshot id."""
    request: Request
    """The body, decoded."""
    answer: Answer | None
    """None: none came, or it was refused."""
    endpoint: str | None = None
    """URL or path."""


@dataclass(frozen=True)
class EffectiveElement:
    """One entry of the prompt as the model saw it."""

    element: Element
    """With the parts the model saw; a part whose content was taken out, or that nobody can read, is ``opaque``."""
    origin: Origin
    place: int | None = None
    """Its place in ``request.elements``; None: it is not in the body."""
    source: str | None = None
    """Snapshot id of the earlier call it comes from; None: this call."""
    certainty: Certainty = "certain"
    """How sure it is that the model saw it so."""
    why: str = ""
    """Where it comes from, or why it cannot be read, in words; empty for what was sent and seen as it is."""
    whole: Message | None = None
    """The message before parts of it were taken out or replaced; None: it is whole."""
    window: bool = False
    """It belongs to a window that ``/responses/compact`` returned: the compaction item in it does not replace it."""

    @property
    def message(self) -> Message:
        """The decoded content."""
        return self.element.message

    @property
    def is_conversation(self) -> bool:
        """It is a message of the conversation, not instructions or tools."""
        return self.element.member in CONVERSATION


@dataclass(frozen=True)
class RemovedElement:
    """Something of the body, or of the stored conversation, that the model did not see."""

    element: Element
    """As it was before."""
    parts: tuple[int, ...]
    """Which of its parts; all of them: the whole element is gone."""
    reason: str
    """What took it out, in words."""
    certainty: Certainty
    place: int | None = None
    """Its place in ``request.elements``; None: it was in the stored conversation."""
    source: str | None = None
    """Snapshot id of the earlier call it came from; None: this call."""

    @property
    def whole(self) -> bool:
        """Nothing of the element is left."""
        return len(self.parts) == len(self.element.message.parts)


@dataclass(frozen=True)
class EffectiveContext:
    """What the model really saw when it wrote its answer."""

    elements: tuple[EffectiveElement, ...]
    """In the order of the prompt."""
    removed: tuple[RemovedElement, ...] = ()
    """In the order in which it stood."""
    notes: tuple[str, ...] = ()
    """What happened and what cannot be known, in sentences for the reader."""
    certainty: Certainty = "certain"
    """The weakest of all that is said here."""

    @property
    def differs(self) -> bool:
        """The model saw something else than what was sent, as far as can be told."""
        return bool(self.removed) or any(row.origin != "sent" or row.why for row in self.elements)

    @property
    def opaque(self) -> bool:
        """The model saw something nobody else can read."""
        return any(part.opaque for row in self.elements for part in row.message.parts)


@dataclass
class Draft:
    """An effective context in the making."""

    rows: list[EffectiveElement]
    removed: list[RemovedElement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    certainty: Certainty = "certain"

    def note(self, sentence: str, certainty: Certainty = "certain") -> None:
        """Say something to the reader, and how sure the whole is after it."""
        if sentence not in self.notes:
            self.notes.append(sentence)
        self.certainty = weakest((self.certainty, certainty))

    def remove(self, index: int, reason: str, certainty: Certainty, parts: Iterable[int] | None = None) -> None:
        """Note that parts of a row were not seen; the caller takes them out of ``rows``."""
        row = self.rows[index]
        gone = tuple(range(len(row.message.parts))) if parts is None else tuple(parts)
        self.removed.append(RemovedElement(row.element, gone, reason, certainty, row.place, row.source))

    def replace_parts(self, index: int, parts: Sequence[Part], why: str) -> None:
        """Put other parts in the place of a row's."""
        row = self.rows[index]
        message = row.message
        # Not `replace`: a long conversation has thousands of cleared results at every call.
        element = Element(
            row.element.member, row.element.index, Message(message.role, tuple(parts), message.name, message.item_id)
        )
        whole = row.whole or message
        self.rows[index] = EffectiveElement(
            element, row.origin, row.place, row.source, row.certainty, why, whole, row.window
        )

    def finish(self) -> EffectiveContext:
        """Return the context."""
        said = [*(one.certainty for one in self.removed), *(row.certainty for row in self.rows)]
        return EffectiveContext(
            tuple(self.rows), tuple(self.removed), tuple(self.notes), weakest((self.certainty, *said))
        )


def weakest(certainties: Sequence[Certainty]) -> Certainty:
    """Return the certainty that says least."""
    return max(certainties, key=lambda certainty: _ORDER[certainty], default="certain")
