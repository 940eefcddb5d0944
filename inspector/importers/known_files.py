"""Files that lie beside logs, or are taken for one, and hold no prompt: what each is, and what to import instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

_SHOWN: Final = "what its user was shown, and no request: the prompt is put together by the service"

_BY_MEMBERS: Final[tuple[tuple[frozenset[str], str], ...]] = (
    (
        frozenset({"trajectory", "history"}),
        "a SWE-agent trajectory whose steps carry no prompt (`messages` or `query`)",
    ),
    (
        frozenset({"custom_id", "response"}),
        "the output of an OpenAI batch, which holds answers but no requests: import the batch input",
    ),
    (
        frozenset({"question", "involved_classes"}),
        "questions of the Berkeley function-calling benchmark (BFCL): what its user will say, and no request; "
        "system prompt, memory and answers come into being when it is run",
    ),
    (frozenset({"ground_truth"}), "expected answers of a benchmark, and no request"),
    (frozenset({"name", "description", "parameters"}), "definitions of tools, and no request"),
    (frozenset({"mapping", "current_node"}), f"conversations exported from ChatGPT: {_SHOWN}"),
    (frozenset({"uuid", "chat_messages"}), f"conversations exported from Claude: {_SHOWN}"),
    (
        frozenset({"display", "pastedContents"}),
        "what was typed into Claude Code, and no request: import the transcripts in `projects`",
    ),
    (
        frozenset({"session_id", "ts", "text"}),
        "what was typed into Codex, and no request: import the rollouts in `sessions`",
    ),
    (
        frozenset({"sessionId", "messageId", "message", "type"}),
        "what was typed into Gemini CLI, and no request: import the sessions in `chats`",
    ),
)
"""Members by which a file is known, the first that fits; and what it is."""


def _is_trace(value: Mapping[str, Any]) -> bool:
    return value.get("type") == "header" and "v" in value


def _is_langfuse_view(value: Mapping[str, Any]) -> bool:
    """Look for ``{id: {"input": {"success", "data"}, "output": …}}``."""
    sides = [side for one in value.values() for side in (one.values() if isinstance(one, dict) else (None,))]
    named = all(isinstance(one, dict) and one.keys() <= {"input", "output"} for one in value.values())
    return bool(sides) and named and all(isinstance(side, dict) and "success" in side for side in sides)


_BY_SHAPE: Final[tuple[tuple[Callable[[Mapping[str, Any]], bool], str], ...]] = (
    (_is_trace, "a trace file of snapshot_sdk, which needs no import: open its directory"),
    (
        _is_langfuse_view,
        "what Langfuse shows of a trace's observations, by their ids, and no request: import the trace itself",
    ),
)
"""Files that are known by more than the names of their members."""


def known_for(sample: Any) -> str | None:
    """Say what a file is that is known to hold no prompt, or to need no import; None: it is none of these.

    Args:
        sample: The file's first value; of an array its first item counts.
    """
    first = sample[0] if isinstance(sample, list) and sample else sample
    if not isinstance(first, dict):
        return None
    shapes = (words for fits, words in _BY_SHAPE if fits(first))
    members = (words for names, words in _BY_MEMBERS if names <= first.keys())
    return next(shapes, None) or next(members, None)
