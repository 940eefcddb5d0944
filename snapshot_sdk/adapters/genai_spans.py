"""Reads what a tracing span says of a model call: the request it stands for, what it lacks of it, and the answer.

Pure functions of a span's attributes and events, for every generation of conventions: GenAI semantic conventions
(messages as attributes, as events, as one event), OpenLLMetry's numbered attributes, OpenInference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from snapshot_sdk.adapters._span_bodies import Family, family_of, is_redacted, made_answer, own_answer, own_body
from snapshot_sdk.adapters._span_messages import chat_messages as chat_messages
from snapshot_sdk.adapters._span_prompts import EARLIER, LATER, Found, SpanEvent, answer_of, prompt_of
from snapshot_sdk.adapters._span_settings import model_of, parameters_of, provider_of, tools_of, usage_of
from snapshot_sdk.adapters._span_values import get, load, text

REDACTED_PART: Final = "redacted content"
"""Missing where the instrumentation was told to hide something."""

WIRE_FORM: Final = "wire form"
"""Missing where the messages were sent in another provider's shape than the one they are written in here."""

_MODEL_OPERATIONS: Final = frozenset({"chat", "text_completion", "generate_content", "completion"})
_OTHER_KINDS: Final = frozenset({"workflow", "task", "agent", "tool"})
_PROMPTS: Final = ("gen_ai.prompt", "gen_ai.input.messages", "llm.input_messages", "llm.prompts", "ai.prompt.messages")

_CONVERSATIONS: Final = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.conversation_id",
    "ai.telemetry.metadata.sessionId",
)
_AGENTS: Final = ("gen_ai.agent.name", "agent.name", "agent_name")
_DETAILS_EVENT: Final = "gen_ai.client.inference.operation.details"
_CHAT_SPEAKERS: Final = ("openai", "azure", "az.ai", "groq", "deepseek", "x_ai", "xai", "mistral", "perplexity",
                         "openrouter", "together", "fireworks", "moonshot", "litellm")  # fmt: skip
"""Providers whose API is OpenAI's chat completions."""


@dataclass(frozen=True)
class SpanCall:
    """A model call, as a span tells of it."""

    request: dict[str, Any]
    """The body: the provider's own where the span holds it, else one of OpenAI's chat completions."""
    api: str
    """Dialect of the body."""
    whole: bool
    """The span holds the body as the client was given it; False: it was put together and lacks ``missing``."""
    missing: tuple[str, ...] = ()
    """Parts the span lacks or lost: ``system``, ``tools``, ``parameters``, ``earlier messages`` …"""
    problems: tuple[str, ...] = ()
    """What was lost on the way into the span, in words."""
    answer: dict[str, Any] | None = None
    """The provider's answer, or one in the request's dialect made of what the span says, with ``usage`` where it
    says that; None: nothing of it is known."""
    error: str | None = None
    """What went wrong, in the span's words."""
    conversation: str | None = None
    """Id of the conversation or session."""
    agent: str | None = None
    """Name of the agent that made the call."""


def is_model_call(attributes: Mapping[str, Any]) -> bool:
    """Tells whether a span is a call of a model, and no run of an agent, tool, chain or embedding.

    Args:
        attributes: The span's, flat (``gen_ai.prompt.0.role``) or nested.
    """
    kind = text(attributes, "openinference.span.kind")
    if kind is not None:
        return kind.upper() == "LLM"
    operation = text(attributes, "gen_ai.operation.name")
    if operation is not None:
        return operation in _MODEL_OPERATIONS
    if text(attributes, "traceloop.span.kind") in _OTHER_KINDS:
        return False
    asked = text(attributes, "llm.request.type")
    if asked is not None:
        return asked in ("chat", "completion")
    vercel = text(attributes, "ai.operationId", "operation.name")
    if vercel is not None and vercel.startswith("ai."):
        return vercel.split(" ")[0].endswith((".doGenerate", ".doStream"))
    if any(name.startswith(_PROMPTS) for name in attributes) or get(attributes, *_PROMPTS) is not None:
        return True
    return own_body(attributes) is not None


def conversation_of(attributes: Mapping[str, Any]) -> str | None:
    """Returns the id of the conversation or session a span belongs to; agents' spans name it too.

    Args:
        attributes: The span's.
    """
    return text(attributes, *_CONVERSATIONS)


def agent_run_of(attributes: Mapping[str, Any], name: str) -> str | None:
    """Returns the name of the agent whose run a span is; None: it is no run of one.

    Args:
        attributes: The span's.
        name: The span's name, for an agent that is not named otherwise.
    """
    kind = (text(attributes, "openinference.span.kind") or "").upper()
    if kind == "AGENT" or text(attributes, "gen_ai.operation.name") == "invoke_agent":
        return text(attributes, *_AGENTS) or name
    if text(attributes, "traceloop.span.kind") == "agent":
        return text(attributes, "traceloop.entity.name") or name
    return None


def read_span_call(
    attributes: Mapping[str, Any],
    events: Sequence[SpanEvent] = (),
    *,
    dropped: int | None = None,
    failure: str | None = None,
) -> SpanCall | None:
    """Reads the call a span stands for; never raises on odd values.

    Args:
        attributes: The span's, flat (``gen_ai.prompt.0.role``) or nested.
        events: Its events, in order.
        dropped: Attributes the tracing library says it dropped; None: it does not say.
        failure: Description of the span's status, where that is an error.

    Returns:
        None: the span is no model call (see :func:`is_model_call`), or holds no message of one: its content was
        not captured.
    """
    if not is_model_call(attributes):
        return None
    for name, details in events:
        if name == _DETAILS_EVENT:
            attributes = {**details, **attributes}
    events = [*events, *_told_events(attributes)]
    provider = provider_of(attributes)
    body = own_body(attributes)
    if body is not None:
        family = family_of(body, provider)
        request, whole, missing, problems = _own_request(body, attributes)
    else:
        family = "openai.chat"
        prompt = prompt_of(attributes, events)
        if not prompt.messages:
            return None
        whole = False
        request, missing, problems = _made_request(attributes, prompt, provider)
        if dropped:
            problems = (*problems, f"{dropped} attribute(s) of the span were dropped")
            missing = (*missing, *_lost(prompt, answer_of(attributes, events)))
    answer, odd = _answer(attributes, events, family)
    return SpanCall(
        request=request,
        api=family,
        whole=whole,
        missing=tuple(dict.fromkeys(missing)),
        problems=(*problems, *odd),
        answer=answer,
        error=_error(events, attributes, failure),
        conversation=conversation_of(attributes),
        agent=text(attributes, *_AGENTS),
    )


def _own_request(
    body: dict[str, Any], attributes: Mapping[str, Any]
) -> tuple[dict[str, Any], bool, tuple[str, ...], tuple[str, ...]]:
    """A body the span holds; where it names no model it holds the messages only, and the rest is added."""
    missing: list[str] = []
    hidden = is_redacted(body)
    whole = "model" in body and not hidden
    if "model" not in body and "contents" not in body:
        parameters, all_of_them = parameters_of(attributes)
        tools = tools_of(attributes)
        model = model_of(attributes)
        body = {**({"model": model} if model else {}), **parameters, **({"tools": tools} if tools else {}), **body}
        missing += [*(() if model else ("model",)), *(() if tools else ("tools",))]
        missing += () if all_of_them else ("parameters",)
    problems = ("the instrumentation hid parts of the request",) if hidden else ()
    return body, whole, (*missing, *((REDACTED_PART,) if hidden else ())), problems


def _made_request(
    attributes: Mapping[str, Any], prompt: Found, provider: str | None
) -> tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]:
    """A chat completion made of what the span tells."""
    parameters, all_of_them = parameters_of(attributes)
    tools, model = tools_of(attributes), model_of(attributes)
    request: dict[str, Any] = {"model": model} if model else {}
    request.update({"messages": prompt.messages, **({"tools": tools} if tools else {}), **parameters})
    said = {
        "model": bool(model or parameters.get("model")),
        "system": any(message["role"] in ("system", "developer") for message in prompt.messages),
        "tools": bool(tools),
        "parameters": all_of_them,
        WIRE_FORM: provider is None or provider.lower().startswith(_CHAT_SPEAKERS),
    }
    hidden = is_redacted(request)
    missing = (*(part for part, there in said.items() if not there), *((REDACTED_PART,) if hidden else ()))
    if request.get("previous_response_id"):
        missing = (*missing, EARLIER)  # they are kept by the provider
    problems = (*prompt.problems, *(("the instrumentation hid parts of the request",) if hidden else ()))
    return request, (*missing, *prompt.missing), problems


def _lost(prompt: Found, answer: Found) -> tuple[str, ...]:
    """Tells what dropped attributes may have cost a list of messages that shows no gap.

    Python drops the oldest attributes, which leaves a gap at the beginning; JavaScript, Java and Go drop the
    newest, which leaves a prompt without its end, and no answer.
    """
    if not prompt.numbered or prompt.missing:
        return ()
    return () if answer.messages else (LATER,)


def _answer(
    attributes: Mapping[str, Any], events: Sequence[SpanEvent], family: Family
) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    own = own_answer(attributes, family)
    if own is not None:
        return own, ()
    usage, odd = usage_of(attributes)
    found = answer_of(attributes, events)
    messages = [message for message in found.messages if message["role"] == "assistant"]
    reasons = [reason for message, reason in zip(found.messages, found.reasons, strict=True) if message in messages]
    if not messages and (said := _plain_output(attributes)) is not None:
        messages, reasons = [{"role": "assistant", "content": said}], [None]
    if not messages and usage is None:
        return None, ()
    told = load(get(attributes, "gen_ai.response.finish_reasons")).value
    listed = list(told) if isinstance(told, list | tuple) else [text(attributes, *_REASONS)]
    reasons = [reason or (listed[index] if index < len(listed) else None) for index, reason in enumerate(reasons)]
    identity = text(attributes, "gen_ai.response.id", "llm.response.id", "ai.response.id")
    model = text(attributes, "gen_ai.response.model", "llm.response.model_name", "llm.response.model")
    body = made_answer(family, messages, reasons, usage, identity, model)
    return body, (*found.problems, *((odd,) if odd else ()))


_REASONS: Final = ("gen_ai.response.finish_reason", "gen_ai.response.stop_reason", "llm.finish_reason",
                   "llm.response.finish_reason", "llm.response.stop_reason")  # fmt: skip


def _plain_output(attributes: Mapping[str, Any]) -> str | None:
    """OpenInference's ``output.value`` where it is the text of the answer and no JSON."""
    said = text(attributes, "output.value")
    kind = text(attributes, "output.mime_type")
    is_json = kind == "application/json" or isinstance(load(said).value, Mapping)
    return None if is_json else said


def _told_events(attributes: Mapping[str, Any]) -> list[SpanEvent]:
    """Events that pydantic-ai keeps in one attribute, as JSON."""
    told = load(get(attributes, "events")).value
    return [
        (str(event["event.name"]), {name: value for name, value in event.items() if name != "event.name"})
        for event in (told if isinstance(told, list) else ())
        if isinstance(event, Mapping) and "event.name" in event
    ]


def _error(events: Sequence[SpanEvent], attributes: Mapping[str, Any], failure: str | None) -> str | None:
    for name, details in events:
        if name == "exception":
            kind, said = text(details, "exception.type"), text(details, "exception.message")
            return ": ".join(one for one in (kind, said) if one) or kind or "exception"
    kind, said = text(attributes, "error.type"), text(attributes, "error.message", "exception.message") or failure
    if kind is None and said is None:
        return None
    return ": ".join(one for one in (kind, said) if one)
