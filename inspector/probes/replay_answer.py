"""Reads what a server answered to a question: the text, or why it is no answer that could be judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from inspector.model.dialects import dialect_named
from inspector.model.request import Part
from inspector.probes.replay_reply import Reply
from snapshot_sdk.gateway import read_answer, read_body

CUT: Final = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "incomplete"}
)
"""Reasons to stop by which an answer ends at a limit of tokens, in every dialect; Gemini's in lower case."""
BLOCKED: Final = frozenset(
    {"content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety"}
    | {"content_filtered", "guardrail_intervened"}  # Bedrock
)
"""Reasons by which a filter of the provider stopped it."""
UNFINISHED: Final = frozenset(
    {"in_progress", "queued", "pause_turn", "failed", "cancelled", "error"}
    | {"timeout", "malformed_model_output"}  # Cohere, Bedrock
)
"""Reasons and states by which the server itself says that it has not ended."""
_CALLED: Final = frozenset(
    {"malformed_function_call", "unexpected_tool_call", "tool_calls", "tool_use", "tool_call", "malformed_tool_use"}
)
"""Reasons by which the model wanted to call a tool though that was forbidden."""
_ANSWER_MEMBERS: Final[Mapping[str, str]] = {"openai.responses": "input", "gemini.generate_content": "contents"}
_STREAMS: Final = frozenset(
    {"text/event-stream", "application/x-ndjson", "application/jsonl", "application/vnd.amazon.eventstream"}
)
"""Types of streamed answers: some gateways stream whatever is asked."""
_QUOTED: Final = 80
"""Characters of an answer that are shown where it is none."""


def read_reply(api: str, status: int, headers: Mapping[str, str], content: bytes, clean: Callable[[str], str]) -> Reply:
    """Read one answer.

    Args:
        api: Dialect of the question.
        status: Of HTTP.
        headers: Of the answer.
        content: Its bytes, decoded.
        clean: Takes secrets out of what is shown.
    """
    # The client has undone the coding; the type tells whether it was streamed after all.
    body = read_body(content, headers.get("content-type", ""), "")
    if status >= 300:
        said = clean(_refusal(body.body) or body.refusal or "")
        return Reply(None, error=f"HTTP {status}{f': {said}' if said else ''}")
    usage, counted, parts, stop = _parts(api, body.body)
    text = "\n".join(part.text for part in parts if part.kind == "text" and part.text)
    ended = body.ended and not (isinstance(body.body, Mapping) and body.body.get("done") is False)
    calls = [part.name or "?" for part in parts if part.kind == "tool_call"]
    broke_off = not ended and (isinstance(body.body, Mapping) or _is_stream(headers))
    why = body.error
    if why is None and not broke_off and not isinstance(body.body, Mapping):
        why = "the answer is no JSON object"
    if why is None:
        why = _no_answer(text, calls, stop, ended=ended)
    if why is not None:
        return Reply(None, usage, counted, clean(why), broke_off=broke_off, unmetered=int(counted is None))
    return Reply(text, usage, counted)


def _is_stream(headers: Mapping[str, str]) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() in _STREAMS


def _parts(api: str, body: Any) -> tuple[dict[str, Any] | None, Any, list[Part], str]:
    """Usage, the same normalised, the parts of the answer, and why it stopped in lower case."""
    if not isinstance(body, Mapping):
        return None, None, [], ""
    answer = read_answer(body)
    dialect = dialect_named(api)
    member = _ANSWER_MEMBERS.get(api, "messages")
    parts = [part for message in answer.messages for part in dialect.decode(member, message).parts]
    counted = dialect.usage(answer.usage) if answer.usage is not None else None
    return answer.usage, counted, parts, _stop_of(body, answer.stop_reason)


def _stop_of(body: Mapping[str, Any], stop: str | None) -> str:
    feedback = body.get("promptFeedback")
    blocked = feedback.get("blockReason") if isinstance(feedback, Mapping) else None
    return str(stop or blocked or "").lower()


def _no_answer(text: str, calls: list[str], stop: str, *, ended: bool) -> str | None:
    """Say why what came is no answer; None: it is one."""
    quoted = f": “{' '.join(text.split())[:_QUOTED]}”" if text.strip() else ""
    if not ended:
        return f"the answer broke off before its end{quoted}"
    if stop in UNFINISHED:
        return f"the answer did not end ({stop}){quoted}"
    if stop in CUT:
        return f"the answer was cut at its limit of tokens ({stop}){quoted}"
    if stop in BLOCKED:
        return f"a filter of the provider stopped the answer ({stop}){quoted}"
    if calls or stop in _CALLED:
        return f"it called a tool ({', '.join(calls) or stop}) instead of answering, though that was forbidden{quoted}"
    if not text.strip():
        return f"it answered nothing{f' ({stop})' if stop else ''}"
    return None


def _refusal(body: Any) -> str | None:
    if not isinstance(body, Mapping):
        return None
    error = body.get("error")
    message = error.get("message") if isinstance(error, Mapping) else error
    found = (message, body.get("message"), body.get("Message"))  # the latter two of Cohere and AWS
    return next((one for one in found if isinstance(one, str) and one), None)
