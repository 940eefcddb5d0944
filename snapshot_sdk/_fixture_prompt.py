"""A prompt as the checks see it, whatever API it was written for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from snapshot_sdk._fixture_prompt_blocks import Piece, json_text, listed, mapping
from snapshot_sdk._fixture_prompt_compacted import seen_messages
from snapshot_sdk._fixture_prompt_layers import Run, input_place, largest_layer, split_layers
from snapshot_sdk._fixture_prompt_pieces import Entry, read_entry
from snapshot_sdk._fixture_prompt_plain import plain_message, plain_value
from snapshot_sdk._fixture_values import Fixture
from snapshot_sdk.canonical import content_hash

CONVERSATION: Final = ("messages", "contents", "input", "prompt")
"""Members that hold the conversation, one in each API."""
SYSTEM: Final = ("system", "instructions", "systemInstruction", "system_instruction")
"""Members that hold the system prompt, where it is no message."""
TOOLS: Final = ("tools", "functions", "toolConfig")
INSTRUCTION_ROLES: Final = ("system", "developer")
_BESIDE: Final = ("documents",)
"""Members that a model reads beside the conversation: Cohere's documents."""
_STORED: Final = ("previous_response_id", "conversation", "cachedContent", "cached_content")
"""Members that refer to a part of the prompt which the server keeps."""
_OWN_SYSTEM: Final = frozenset({"messages", "contents"})
"""Conversations whose API takes the system prompt apart, or as a message: not both."""


@dataclass(frozen=True)
class PromptMessage:
    """One entry of a prompt."""

    role: str | None
    """``system``, ``developer``, ``user``, ``assistant``, ``tool``; None: it has none."""
    pieces: tuple[Piece, ...]
    """What it says, in order."""
    runs: tuple[Run, ...]
    """Its text by layers."""
    hash: str
    """Content hash."""
    raw: Any
    """As it stands in the body."""
    member: str
    """Member of the body it stands in."""
    number: int
    """Its place in that member, from 1."""

    @cached_property
    def text(self) -> str:
        """All its text, with the arguments of tool calls and the results of tools: what pins are looked for in."""
        return "\n".join(f"{p.name}({p.text})" if p.kind == "tool_call" else p.text for p in self.pieces)

    @cached_property
    def layer(self) -> str:
        """Its layer, the largest where parts of it differ."""
        return largest_layer(self.runs)

    @cached_property
    def calls(self) -> tuple[Piece, ...]:
        """Its tool calls whose results the agent owes."""
        return tuple(piece for piece in self.pieces if piece.kind == "tool_call" and not piece.served)

    @cached_property
    def results(self) -> tuple[Piece, ...]:
        """Results of tools, one a call: a result of several blocks is one."""
        found: dict[object, Piece] = {}
        for place, piece in enumerate(self.pieces):
            if not piece.served and (piece.kind == "tool_result" or (piece.kind == "media" and piece.id is not None)):
                found.setdefault(place if piece.id is None else piece.id, piece)
        return tuple(found.values())

    @property
    def opaque(self) -> bool:
        """Whether a part of it cannot be read."""
        return any(piece.opaque for piece in self.pieces)

    @property
    def place(self) -> str:
        """Where it stands, for a reader: ``message 3 (user)``, ``the system prompt``."""
        if self.member in SYSTEM:
            return "the system prompt"
        if self.member in TOOLS:
            return f"tool definition {self.number}"
        return f"message {self.number} ({self.role or 'no role'})"


@dataclass(frozen=True)
class Prompt:
    """What a model would read."""

    messages: tuple[PromptMessage, ...]
    """The conversation, with the system prompt where that is a message; without what stands before a compaction block,
    which the provider's server drops."""
    head: tuple[PromptMessage, ...]
    """The system prompt where it stands apart from the conversation."""
    tools: tuple[PromptMessage, ...]
    """Tool definitions."""
    api: str | None
    """Dialect; None: unknown."""
    body: Mapping[str, Any]
    """The whole body."""

    @property
    def elements(self) -> tuple[PromptMessage, ...]:
        """Everything the model reads: tools, system prompt, conversation."""
        return (*self.tools, *self.head, *self.messages)

    @property
    def leading(self) -> tuple[PromptMessage, ...]:
        """What stands before the first message that is no instruction."""
        leading = list(self.head)
        for message in self.messages:
            if message.role not in INSTRUCTION_ROLES:
                break
            leading.append(message)
        return tuple(leading)

    @property
    def system(self) -> str | None:
        """The system prompt: all instructions before the conversation; None: there are none."""
        return "\n".join(message.text for message in self.leading) if self.leading else None

    @property
    def unseen(self) -> str | None:
        """Which part of it cannot be read here, in words; None: all of it can."""
        for member in _STORED:
            if self.body.get(member):
                return f"a part of the prompt is kept by the server ({member})"
        hidden = next((message for message in self.messages if any(_hides(piece) for piece in message.pieces)), None)
        return None if hidden is None else f"{hidden.place} cannot be read: only the provider can"


def _hides(piece: Piece) -> bool:
    """Whether a piece may stand for messages; reasoning that is kept secret stands for none."""
    return piece.opaque and piece.kind != "reasoning"


def prompt_of(value: Any, fixture: Fixture | None = None, api: str | None = None) -> Prompt:
    """Reads a prompt.

    Args:
        value: A list of messages, or a body. Messages that are no plain values (of pydantic, of LangChain) are
            made so. With a fixture, what a list of messages or a body of prompt members alone does not say is taken
            from the recorded body: its tools, its system prompt, its parameters.
        fixture: The fixture it is made for.
        api: Dialect, where there is no fixture.

    Raises:
        TypeError: It is neither, or one of its messages is no message.
    """
    request: Mapping[str, Any] = {} if fixture is None else fixture.request
    body = _body_of(value, request, fixture)
    spans = () if fixture is None else fixture.spans
    known: dict[str, str] = {}
    for message in () if fixture is None else fixture.history:
        known[message.hash] = known[content_hash(message.message)] = message.layer
    head, tools, talk = (tuple(_entries(body, names)) for names in (SYSTEM, TOOLS, (*CONVERSATION, *_BESIDE)))
    current = input_place([entry for _, _, _, entry in talk])

    def read(entries: Sequence[tuple[str, int, Any, Entry]], current: int | None = None) -> tuple[PromptMessage, ...]:
        found = []
        for place, (member, number, raw, entry) in enumerate(entries):
            digest = content_hash(raw)
            runs = split_layers(entry, is_input=place == current, known=known.get(digest), spans=spans)
            found.append(PromptMessage(entry.role, entry.pieces, runs, digest, raw, member, number))
        return tuple(found)

    return Prompt(read(talk, current), read(head), read(tools), api or (fixture.api if fixture else None), body)


def recorded_prompt(fixture: Fixture) -> Prompt:
    """Reads the prompt that was recorded.

    Args:
        fixture: The fixture.
    """
    return prompt_of(dict(fixture.request), fixture)


def history_messages(fixture: Fixture) -> tuple[PromptMessage, ...]:
    """Reads the messages of a fixture's history, one for each.

    Args:
        fixture: The fixture.
    """
    found = []
    for place, message in enumerate(fixture.history):
        entry = read_entry(message.member, message.message)
        runs = split_layers(entry, is_input=False, known=message.layer, spans=fixture.spans)
        digest = content_hash(message.message)
        found.append(PromptMessage(entry.role, entry.pieces, runs, digest, message.message, message.member, place + 1))
    return tuple(found)


def _body_of(value: Any, request: Mapping[str, Any], fixture: Fixture | None) -> dict[str, Any]:
    value = plain_value(value)
    if isinstance(value, Mapping):
        body = dict(value)
        config = body.pop("config", None)
        body.update({key: item for key, item in mapping(config).items() if key not in body})  # google-genai's arguments
        if not any(member in body for member in CONVERSATION):
            shown = json_text(value)
            raise TypeError(f"a body must have one of {', '.join(CONVERSATION)}; it is {shown[:200]}")
        parameters = request.keys() - {*CONVERSATION, *SYSTEM, *TOOLS}
        body = {**request, **body} if not parameters & body.keys() else body
        for member in CONVERSATION:
            if isinstance(body.get(member), list | tuple):
                body[member] = [plain_message(item, place) for place, item in enumerate(body[member])]
        return body
    if not isinstance(value, list | tuple):
        raise TypeError(f"a prompt is a list of messages or a whole body, not {_kind(value)}")
    messages = [plain_message(item, place) for place, item in enumerate(value)]
    member = _member(messages, request, fixture)
    body = {**request, member: messages}
    if member in _OWN_SYSTEM and any(mapping(message).get("role") in INSTRUCTION_ROLES for message in messages):
        # The builder wrote a system prompt of its own: the recorded one must not stand in for what it lost.
        body = {key: item for key, item in body.items() if key not in SYSTEM}
    return body


def _member(messages: Sequence[Any], request: Mapping[str, Any], fixture: Fixture | None) -> str:
    """The member of the body that a list of messages is."""
    recorded = next((message.member for message in fixture.history), None) if fixture else None
    if recorded is not None and recorded in request:
        return recorded
    named = next((member for member in CONVERSATION if member in request), None)
    if named is not None:
        return named
    if any("parts" in mapping(message) for message in messages):
        return "contents"
    items = ("function_call", "function_call_output", "reasoning")
    return "input" if any(mapping(message).get("type") in items for message in messages) else "messages"


def _entries(body: Mapping[str, Any], members: Sequence[str]) -> Iterator[tuple[str, int, Any, Entry]]:
    for member in members:
        value = body.get(member)
        # A system prompt of blocks, and Bedrock's tools, are one element: what they say belongs together.
        whole = member in SYSTEM or member == "toolConfig"
        items = (value,) if whole and value else listed(value)
        for place, item in seen_messages(items) if member == "messages" else enumerate(items):
            yield member, place + 1, item, read_entry(member, item)


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    return "a text" if isinstance(value, str) else f"a {type(value).__name__}"
