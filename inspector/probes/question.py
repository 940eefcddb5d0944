"""A question that is put to the context of one call, and who sends it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from inspector.model.dialects import model_in_endpoint
from inspector.model.prices import Price
from inspector.probes.probe import Probe
from inspector.probes.replay_reply import Reply
from inspector.probes.replay_request import ReplayRequest, StoredCall
from inspector.probes.results import Arm

PriceOf = Callable[[str | None], Price | None]
"""Gives the price of a model; None: it is not known."""


class Sender(Protocol):
    """Sends one question."""

    def ask(self, request: ReplayRequest, cancelled: threading.Event) -> Reply:
        """Send a question and wait for the answer.

        Args:
            request: The question.
            cancelled: Set: no further try is made.
        """


@dataclass(frozen=True)
class Question:
    """One question to be put to the context of one call."""

    probe: Probe
    call: StoredCall
    request: ReplayRequest
    arm: Arm = "as sent"
    replicate: int = 1
    """From 1."""
    judged: str | None = None
    """Of a question to a judge: hash of what is judged."""

    @property
    def model(self) -> str | None:
        """Model that is asked."""
        named = self.request.body.get("model")
        if isinstance(named, str) and named:
            return named
        return model_in_endpoint(self.request.address.url) or self.call.model

    @property
    def key(self) -> tuple[str, int]:
        """What its answer is kept under."""
        return self.request.digest, self.replicate
