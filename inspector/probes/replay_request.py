"""Makes the request that asks a stored call's exact context a question, or says why it cannot be asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inspector.model.dialects import read_request
from inspector.probes.replay_convert import to_openai_chat
from inspector.probes.replay_convert_to import from_openai_chat
from inspector.probes.replay_dialects import NoPlaceError, add_question
from inspector.probes.replay_obstacles import Obstacle, find_obstacles
from inspector.probes.replay_path import is_bedrock
from inspector.probes.replay_place import fit_place
from inspector.probes.replay_target import Address, Target, address_of


@dataclass(frozen=True)
class StoredCall:
    """A call as it was recorded, with all that a replay needs of it."""

    session: str
    number: int
    id: str
    """Snapshot id."""
    api: str
    """Dialect of the body."""
    model: str | None
    endpoint: str | None
    """Where it went, without query; None: not recorded."""
    body: bytes | None = field(repr=False)
    """Its bytes; None: a part of it is lost."""
    exact: str = "bytes"
    missing: tuple[str, ...] = ()
    purpose: str | None = None
    tokens: int | None = None
    """Size of its prompt; None: unknown."""


@dataclass(frozen=True)
class ReplayRequest:
    """A question put to the context of a call, ready to be sent."""

    address: Address
    body: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    """What differs from the stored request beside the question, in words."""

    @property
    def digest(self) -> str:
        """Tagged hash of what is asked where; the same question is not paid for twice."""
        text = json.dumps([self.address.url, self.address.api, self.body], ensure_ascii=True, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        text = json.dumps(self.body, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace" if _has_surrogate(text) else "strict")


@dataclass(frozen=True)
class NotReplayable:
    """A call whose context cannot be asked."""

    reasons: tuple[Obstacle, ...]
    """At least one."""

    @property
    def why(self) -> str:
        """The reasons, in words."""
        said = (f"{one.path}: {one.why}" if one.path else one.why for one in self.reasons[:3])
        more = f" (and {len(self.reasons) - 3} more)" if len(self.reasons) > 3 else ""
        return "; ".join(said) + more


Edit = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Changes a body before the question is added: given dialect and body, returns the body to ask."""


def make_replay(
    call: StoredCall, question: str, target: Target, edit: Edit | None = None
) -> ReplayRequest | NotReplayable:
    """Make the request that asks a call's context a question.

    Args:
        call: The call.
        question: What is asked.
        target: Where.
        edit: Changes the context first, for a control; None: it is asked as it was sent.

    Raises:
        ProbeError: No address to send it to is known.
    """
    if call.body is None:
        return _refuse("a part of the request is lost")
    if call.purpose in ("compaction", "cache"):
        return _refuse(f"the call makes a {call.purpose}, it asks no model")
    try:
        body = json.loads(call.body)
    except (ValueError, RecursionError) as error:
        return _refuse(f"its body is no JSON that can be changed: {error}")
    if not isinstance(body, dict):
        return _refuse("its body is no JSON object")
    if call.api == "unknown":
        return _refuse("its dialect is not known")
    obstacles = find_obstacles(body, exact=call.exact, missing=call.missing)
    address = address_of(target, call.api, call.endpoint, call.model)
    blocking = tuple(
        one for one in obstacles if one.blocks == "always" or (one.blocks == "elsewhere" and not address.own)
    )
    if blocking:
        return NotReplayable(blocking)
    notes = [f"{one.path}: {one.why}" if one.path else one.why for one in obstacles if one.blocks == "never"]
    try:
        if edit is not None:
            body = edit(call.api, body)
        if address.api != call.api:
            chat = to_openai_chat(read_request(body, call.api, call.endpoint))
            written = from_openai_chat(address.api, chat.body)
            body, notes = written.body, [*chat.notes, *written.notes, *_of_another_server(notes)]
        placed = fit_place(body, address, target.model)
        asked = add_question(address.api, placed.body, question, at_bedrock=is_bedrock(address.url))
    except NoPlaceError as error:
        return _refuse(str(error))
    return ReplayRequest(address, asked.body, (*notes, *placed.notes, *asked.notes))


def _refuse(why: str) -> NotReplayable:
    return NotReplayable((Obstacle("", why, "always"),))


def _of_another_server(notes: list[str]) -> list[str]:
    """Thinking is not carried over, so neither are its signatures; a guardrail stays where it is."""
    return [note for note in notes if "thinking" not in note and "guardrail" not in note]


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
