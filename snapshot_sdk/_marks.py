"""What an agent says beside its requests: labels, pins, compactions, events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from snapshot_sdk._blobs import Batch
from snapshot_sdk._context import Turn
from snapshot_sdk._core import DEFAULT_LANE, Core, as_fields
from snapshot_sdk._json import dumps
from snapshot_sdk._session import SessionTrace
from snapshot_sdk._targets import PIN_ID, Pointed, as_occurrence, describe_target, excerpt, target_key
from snapshot_sdk._targets import pin_id as name_pin
from snapshot_sdk._values import copy_items, copy_list
from snapshot_sdk.canonical import content_hash
from snapshot_sdk.schema import Run


class Marks(Core):
    """The half of the recorder that writes marks on the timeline."""

    def label(
        self,
        target: str | Mapping[str, Any],
        *,
        layer: str | None = None,
        pinned: bool | None = None,
        turn_id: Turn = None,
        task: str | None = None,
        source: str | None = None,
        score: float | None = None,
        within: Mapping[str, Any] | None = None,
        occurrence: int | None = None,
    ) -> None:
        """Says what a piece of content is; holds until replaced, inside ``turn()`` until that ends.

        Args:
            target: A message, or a text wherever it stands in one.
            layer: Its layer (``memory``, ``state``, ``retrieved`` …).
            pinned: It must stay in every later context: also pins it. False releases it.
            turn_id: The turn it is from.
            task: The task it belongs to.
            source: Where it came from: a RAG id, a profile key.
            score: How well it matched, for retrieved content.
            within: Only inside this message.
            occurrence: Only the n-th place, from 1; what is no such number is left out.
        """
        with self._recording() as trace:
            scope = self._scopes.current()
            content = describe_target(target, self._clean)
            if within is not None:
                content["within"] = content_hash(self._clean(within))
            if occurrence is not None:
                content |= as_occurrence(occurrence)
            values = as_fields(
                {
                    "layer": layer,
                    "pinned": pinned,
                    "turn_id": self._clean_turn(turn_id),
                    "task": self._clean(task),
                    "source": self._clean(source),
                    "score": score,
                }
            )
            key = target_key(content)
            until = scope.turn if scope.in_turn else None
            said = dumps(values)
            before = trace.labels.get(key)
            if before is None or before[0] != said or before[1] not in (None, until):
                ends = {"until_turn_ends": scope.in_turn, "turn": scope.turn}
                trace.write("label", {"target": content, **values, **ends})
                trace.labels[key] = (said, until)
        if pinned is True:
            self.pin(target)
        elif pinned is False:
            self.unpin(target)

    def pin(
        self,
        target: Pointed,
        *,
        reason: str | None = None,
        scope: str | None = None,
    ) -> str:
        """Says that something must be in every later context, verbatim. Saying it twice changes nothing.

        Args:
            target: A text, a message, or a pattern that must match.
            reason: Why.
            scope: Lane it holds for; None: every lane, side calls (those with a purpose) excepted.

        Returns:
            Id of the pin.
        """
        pin_id = ""
        with self._recording() as trace:
            content = describe_target(target, self._clean)
            scope = self._clean_text(scope)  # as the names of lanes
            key = target_key([content, scope])
            known = trace.pins.get(key)
            if known is not None:
                return known
            pin_id = name_pin(key, trace.released.get(key, 0))
            fields = {
                "pin": pin_id,
                "target": content,
                "excerpt": excerpt(target, self._clean),
                "reason": self._clean(reason),
                "scope": scope,
                "caller": self._caller(),
            }
            trace.write("pin", as_fields(fields))
            trace.pins[key] = pin_id
        return pin_id

    def unpin(
        self,
        target: Pointed,
        *,
        reason: str | None = None,
        scope: str | None = None,
    ) -> None:
        """Releases a pin, also one of an earlier run of the session. Without one, nothing happens.

        Args:
            target: Id of the pin, or what was pinned.
            reason: Why.
            scope: The scope it was pinned with.
        """
        with self._recording() as trace:
            by_id = {pin: key for key, pin in trace.pins.items()}
            if isinstance(target, str) and (target in by_id or PIN_ID.fullmatch(target)):
                pin_id, key = target, by_id.get(target)
            else:
                key = target_key([describe_target(target, self._clean), self._clean_text(scope)])
                pin_id = trace.pins.get(key) or name_pin(key, trace.released.get(key, 0))
                if key not in trace.pins and key in trace.released:
                    return
            trace.write("unpin", {"pin": pin_id, "reason": self._clean(reason)})
            if key is not None:
                trace.pins.pop(key, None)
                trace.released[key] = trace.released.get(key, 0) + 1

    def compaction(
        self,
        before: Any = None,
        after: Any = None,
        *,
        strategy: Literal["summary", "edit", "trim"] | None = None,
        policy: str | None = None,
        reason: str | None = None,
        state: Literal["pending", "running", "done", "failed"] = "done",
        tokens_before: int | None = None,
        tokens_after: int | None = None,
        duration_ms: float | None = None,
        error: BaseException | str | None = None,
        id: str | None = None,  # noqa: A002 - the word users look for
    ) -> str:
        """Records an event that shortens the context.

        Args:
            before: Messages before, or a request that holds them.
            after: Messages after.
            strategy: What was done.
            policy: Name of the rule that did it.
            reason: Why now.
            state: How far it is.
            tokens_before: If known.
            tokens_after: If known.
            duration_ms: How long it took.
            error: Why it failed.
            id: Of an earlier record of the same compaction, for a change of state.

        Returns:
            Its id.
        """
        compaction_id = id or self._seam.uuid7()
        scope = self._scopes.current()
        with self._recording() as trace:
            trace.ready()
            batch = trace.encoder.batch()
            fields = {
                "compaction": compaction_id,
                "state": state,
                "strategy": strategy,
                "policy": self._clean(policy),
                "reason": self._clean(reason),
                "lane": scope.lane or DEFAULT_LANE,
                "turn": scope.turn,
                "before": self._side(trace, before, batch, "before"),
                "after": self._side(trace, after, batch, "after"),
                "tokens_before": tokens_before,
                "tokens_after": tokens_after,
                "duration_ms": duration_ms,
                "error": self._error(error),
                "caller": self._caller(),
            }
            trace.write("compaction", as_fields(fields), raw={"blobs": batch.blobs}, batch=batch)
        return compaction_id

    def event(self, kind: str, /, **data: Any) -> None:
        """Records anything else: a state update, a retrieval with its candidates, a tool that ran.

        Args:
            kind: ``state``, ``retrieval``, ``tool``, ``probe``, or a word of your own.
            data: What is to be known about it.
        """
        scope = self._scopes.current()
        with self._recording() as trace:
            fields = {
                "kind": kind,
                "lane": scope.lane or DEFAULT_LANE,
                "turn": scope.turn,
                "data": self._clean_mapping(data),
                "caller": self._caller(),
            }
            trace.write("event", as_fields(fields))

    def _side(self, trace: SessionTrace, side: Any, batch: Batch, name: str) -> list[Run] | None:
        if side is None:
            return None
        if isinstance(side, Mapping):
            side = next((value for key, value in copy_items(side) if key == "messages"), side)
        messages = copy_list(side) if isinstance(side, list | tuple) else [side]
        return trace.encoder.messages(messages, batch, name)
