"""SWE-agent trajectories whose steps carry the prompt: ``query`` (since 1.1.0) or ``messages`` (before)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedSession, Problem, Report, reporting
from inspector.importers.reading.documents import Document

MISSING: Final = ("tools", "parameters")
"""What a trajectory never holds of a request."""

_SENT_MEMBERS: Final = ("role", "content", "tool_calls", "thinking_blocks", "cache_control", "name")
"""Members of a history item that SWE-agent sends on; the rest (``thought``, ``action``, ``agent`` …) is its own
bookkeeping (``_history_to_messages`` in its ``sweagent/agent/models.py``)."""


class SweAgent:
    """One trajectory is one session, one step one call."""

    name = "swe-agent"
    title = "SWE-agent trajectory: an object with `trajectory`, a list of steps that carry `messages` or `query`"

    def recognises(self, sample: Any) -> bool:
        """Look for steps with a prompt; older trajectories without one hold nothing to import."""
        steps = sample.get("trajectory") if isinstance(sample, dict) else None
        return isinstance(steps, list) and any(_prompt_of(step) is not None for step in steps)

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each trajectory into a session."""
        for document in documents:
            with reporting(document.path, report):
                parsed = document.whole()
                trajectory = parsed.value
                steps: list[Any] = trajectory["trajectory"]
                model = _model_of(trajectory)
                bare = [number for number, step in enumerate(steps, start=1) if _prompt_of(step) is None]
                if bare:
                    report(
                        Problem(str(document.path), f"{len(bare)} step(s) carry no prompt, the first is step {bare[0]}")
                    )
                name = document.path.name
                yield ImportedSession(
                    session=document.path.stem.removesuffix(".traj"),
                    format=self.name,
                    source=name,
                    digest=document.digest,
                    calls=lambda steps=steps, model=model: _calls(steps, model),  # type: ignore[misc]
                    agent="SWE-agent",
                    repairs=parsed.repairs,
                    meta=_meta_of(trajectory),
                )


def _calls(steps: Sequence[Any], model: str | None) -> Iterator[ImportedCall]:
    """Turn steps into calls; each is paired with the answer that was given to *its* prompt.

    ``query`` of a step is what that step's answer was given to. ``messages``, its predecessor, was stored
    after the step: it is what the *next* step's answer was given to (SWE-agent, ``docs/usage/trajectories.md``),
    so the last one has no answer.
    """
    for place, step in enumerate(steps):
        prompt = _prompt_of(step)
        if prompt is None:
            continue
        answered_by = step if "query" in step else (steps[place + 1] if place + 1 < len(steps) else None)
        messages = [_as_sent(item) for item in prompt]
        request: dict[str, Any] = {"messages": messages} if model is None else {"model": model, "messages": messages}
        yield ImportedCall(
            request=request,
            exact="rebuilt",
            missing=(*MISSING, "model") if model is None else MISSING,
            api="openai.chat",
            answer=_answer_of(answered_by),
        )


def _prompt_of(step: Any) -> list[Mapping[str, Any]] | None:
    """Give a step's prompt, if it carries one."""
    if not isinstance(step, dict):
        return None
    prompt = step.get("query", step.get("messages"))
    whole = isinstance(prompt, list) and bool(prompt) and all(isinstance(m, dict) and "role" in m for m in prompt)
    return prompt if whole else None


def _as_sent(item: Mapping[str, Any]) -> dict[str, Any]:
    """Reduce a history item to the message SWE-agent makes of it."""
    message = {
        key: item[key]
        for key in _SENT_MEMBERS
        if item.get(key) is not None or (key in ("role", "content") and key in item)
    }
    ids = item.get("tool_call_ids")
    if item["role"] == "tool" and isinstance(ids, list) and ids:
        message["tool_call_id"] = ids[0]  # SWE-agent makes one observation per call
    return message


def _answer_of(step: Any) -> ImportedAnswer | None:
    """Take the answer a step holds: its text, and the tool calls its prompt's successor shows."""
    if not isinstance(step, dict) or not isinstance(step.get("response"), str):
        return None
    message: dict[str, Any] = {"role": "assistant", "content": step["response"]}
    calls = _tool_calls_of(step)
    if calls:
        message["tool_calls"] = calls
    return ImportedAnswer(body=None, messages=(message,))


def _tool_calls_of(step: Mapping[str, Any]) -> list[Any] | None:
    """Find the tool calls of a step's answer: its ``messages`` end with that answer and the observation."""
    if "query" in step:
        return None
    for item in reversed(_prompt_of(step) or []):
        if item["role"] == "assistant":
            calls = item.get("tool_calls")
            return calls if item.get("content") == step["response"] and isinstance(calls, list) else None
    return None


def _model_of(trajectory: Mapping[str, Any]) -> str | None:
    """Find the model's name in the recorded configuration; a replay or a human is no model."""
    config = trajectory.get("replay_config")
    agent = config.get("agent") if isinstance(config, dict) else None
    model = agent.get("model") if isinstance(agent, dict) else None
    name = model.get("name") if isinstance(model, dict) else None
    stand_ins = {"replay", "human", "human_thought", "instant_empty_submit"}
    return name if isinstance(name, str) and name not in stand_ins else None


def _meta_of(trajectory: Mapping[str, Any]) -> dict[str, Any]:
    """Keep what the log says of the whole run."""
    info = trajectory.get("info")
    info = info if isinstance(info, dict) else {}
    meta = {"environment": trajectory.get("environment"), "exit_status": info.get("exit_status")}
    if isinstance(info.get("model_stats"), dict):
        meta["model_stats"] = info["model_stats"]
    return {key: value for key, value in meta.items() if value is not None}
