"""What is common to files of request bodies: finding the body, its answer, its time and its session in a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall
from inspector.importers.reading.line_values import Entry
from inspector.importers.reading.moments import moment

PARAMETERS: Final = frozenset(
    {
        "cache_control", "context_management", "frequency_penalty", "function_call", "functions", "logit_bias",
        "logprobs", "max_completion_tokens", "max_tokens", "metadata", "n", "parallel_tool_calls",
        "presence_penalty", "response_format", "seed", "stop", "stop_sequences", "stream", "stream_options",
        "system", "temperature", "thinking", "tool_choice", "tools", "top_k", "top_p", "user",
    }
)  # fmt: skip
"""What may stand beside ``messages`` in a body that names no model; any other member makes it something else
(an agent's own record of its run has ``messages`` too)."""

CLIENT_OPTIONS: Final = frozenset(
    {
        "api_base", "api_key", "api_version", "aws_access_key_id", "aws_region_name", "aws_secret_access_key",
        "base_url", "client", "custom_llm_provider", "drop_params", "extra_headers", "headers", "max_retries",
        "mock_response", "num_retries", "request_timeout", "timeout", "vertex_credentials",
    }
)  # fmt: skip
"""Arguments of litellm's ``completion`` that steer its client and never stand in a body; some are secrets."""

ANSWER_MEMBERS: Final = frozenset({"choices", "output", "candidates", "completion"})
"""Members of answers: an object that has one is no request, whatever else it holds."""

SESSION_KEYS: Final = ("session", "session_id", "conversation_id", "thread_id")
"""Where an object with ``request`` may name its session."""

TIME_KEYS: Final = ("timestamp", "time", "ts", "created_at", "start_time")
"""Where an object with ``request`` may give its time: ISO 8601, or seconds or milliseconds since 1970."""

DURATION_KEYS: Final = ("duration_ms", "latency_ms")
"""Where an object with ``request`` may give the milliseconds it took."""


def is_body(value: Any) -> bool:
    """Say whether ``value`` is a request body."""
    if not isinstance(value, dict) or ANSWER_MEMBERS & value.keys():
        return False
    named = isinstance(value.get("model"), str)
    if _all_have(value.get("messages"), "role"):  # OpenAI chat, Anthropic
        return named or value.keys() - {"messages"} <= PARAMETERS
    if _all_have(value.get("contents"), "parts"):  # Gemini, whose model stands in the URL
        return True
    # OpenAI Responses and plain completions: words so common that only a model's name makes them a prompt.
    return named and any(isinstance(value.get(member), list | str) for member in ("input", "prompt"))


def _all_have(items: Any, member: str) -> bool:
    """Say whether ``items`` is a list of objects that all have ``member``."""
    return isinstance(items, list) and all(isinstance(item, dict) and member in item for item in items)


def body_of(value: Any) -> dict[str, Any] | None:
    """Give the body in ``value``: of its ``request``, itself; None where there is none."""
    if not isinstance(value, dict):
        return None
    request = value.get("request")
    if isinstance(request, dict):
        inner = request.get("body", request)
        return inner if is_body(inner) else None
    return value if is_body(value) else None


def session_of(value: Mapping[str, Any]) -> str | None:
    """Name the session an object with ``request`` gives; a bare body gives none."""
    if "request" not in value:
        return None
    return next((str(value[key]) for key in SESSION_KEYS if isinstance(value.get(key), str | int)), None)


def call_of(entry: Entry) -> ImportedCall:
    """Read a call from an entry for which :func:`body_of` gives a body."""
    value: dict[str, Any] = entry.value
    body = body_of(value)
    if body is None:
        raise ValueError("the entry holds no request body")
    if body is value:
        return ImportedCall(entry.text if entry.text is not None else body)
    request = value["request"]
    turn, lane = value.get("turn"), value.get("lane")
    return ImportedCall(
        request=body,
        endpoint=next((str(request[key]) for key in ("url", "uri") if body is not request and key in request), None),
        turn=turn if isinstance(turn, str | int) else None,
        lane=lane if isinstance(lane, str) else None,
        time=next((time for key in TIME_KEYS if (time := moment(value.get(key))) is not None), None),
        answer=answer_of(value),
    )


def answer_of(value: Mapping[str, Any]) -> ImportedAnswer | None:
    """Read the answer beside a request: a body, an envelope of one (``status``, ``body``), or an error."""
    response, error = value.get("response"), value.get("error")
    status = value.get("status")
    body = response
    if isinstance(response, dict) and isinstance(response.get("body"), dict):
        body = response["body"]
        status = response.get("status_code", response.get("status", status))
    failure = body.get("error", error) if isinstance(body, dict) else error
    if failure is None and not isinstance(body, dict):
        return None
    duration = next((value[key] for key in DURATION_KEYS if isinstance(value.get(key), int | float)), None)
    return ImportedAnswer(
        body=body if isinstance(body, dict) and failure is None else None,
        duration_ms=float(duration) if duration is not None else None,
        status=status if isinstance(status, int) and not isinstance(status, bool) else None,
        error=error_text(failure),
    )


def error_text(error: Any) -> str | None:
    """Word an error as a provider gives it: a text, or an object with ``message`` and ``type`` or ``code``."""
    if error is None or isinstance(error, str):
        return error
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        kind = error.get("type") or error.get("code")
        return f"{kind}: {error['message']}" if kind else str(error["message"])
    return str(error)
