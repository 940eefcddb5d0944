"""A generation of Langfuse as a call: its prompt, what is known besides, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall
from inspector.importers.exchanges.exchange import CLIENT_OPTIONS
from inspector.importers.reading.moments import milliseconds, moment
from inspector.importers.traces.langfuse_observations import member
from inspector.importers.traces.traced_answers import api_of_answer, read_answer
from inspector.importers.traces.traced_attributes import (
    input_in,
    number,
    output_in,
    parameters_in,
    system_in,
    tools_in,
)
from inspector.importers.traces.traced_messages import RESPONSES
from inspector.importers.traces.traced_prompts import Noted, read_prompt
from inspector.importers.traces.traced_usage import usage_of_langfuse
from inspector.importers.traces.traced_values import mapping_in, structure, unwrap
from inspector.model.dialects import find_dialect
from inspector.model.request import Usage

_ECHOED: Final = (
    "temperature", "top_p", "top_logprobs", "tool_choice", "parallel_tool_calls", "max_output_tokens",
    "max_tool_calls", "truncation", "reasoning", "text", "service_tier", "store", "background",
    "previous_response_id", "conversation", "prompt", "prompt_cache_key", "safety_identifier", "user",
)  # fmt: skip
"""What an answer of OpenAI's Responses repeats of its request."""

_NO_PARAMETERS: Final = CLIENT_OPTIONS | {
    "billing", "created_at", "finishReason", "id", "input", "instructions", "maxRetries", "maxSteps", "messages",
    "mode", "model", "object", "output", "status", "system", "tools", "usage",
}  # fmt: skip
"""What exporters put among a generation's parameters that is none, or stands elsewhere in the body."""

_OLD_COUNTS: Final = {
    "input": ("input", "promptTokens"), "output": ("output", "completionTokens"), "total": ("total", "totalTokens"),
}  # fmt: skip
"""Counts in ``usage``, where older exports have costs besides."""


def call_of(observation: Mapping[str, Any]) -> ImportedCall | None:
    """Read a generation; None where it holds no prompt.

    Args:
        observation: In the spelling of the API or of the export to a bucket.
    """
    attributes = attributes_of(observation)
    given = observation.get("output")
    output = given if given not in (None, "") else output_in(attributes)
    noted = _noted(observation, attributes, output)
    prompt = read_prompt(observation.get("input"), noted) or read_prompt(input_in(attributes), noted)
    if prompt is None:
        return None
    api = prompt.api or find_dialect(None, prompt.body).name
    start, end = moment(member(observation, "startTime")), moment(member(observation, "endTime"))
    error = _error(observation)
    body = read_answer(output, api, _usage(observation)) if error is None or output not in (None, "") else None
    answered = body is not None or error is not None
    return ImportedCall(
        request=prompt.body,
        exact="imported" if prompt.whole else "rebuilt",
        missing=prompt.missing,
        api=api,
        model=None if "model" in prompt.body else noted.model,
        time=start,
        answer=ImportedAnswer(
            body,
            time=end,
            duration_ms=milliseconds(start, end),
            error=error,
        )
        if answered
        else None,
    )


def attributes_of(observation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the attributes of the span that an observation was made from; none where it was not made from one."""
    return mapping_in(mapping_in(observation.get("metadata")).get("attributes"))


def _noted(observation: Mapping[str, Any], attributes: Mapping[str, Any], output: Any) -> Noted:
    metadata = mapping_in(observation.get("metadata"))
    api = api_of_answer(output)
    answer = mapping_in(output) if api == RESPONSES else {}
    models = (
        attributes.get("gen_ai.request.model"),
        observation.get("model"),
        member(observation, "providedModelName"),
        attributes.get("llm.model_name"),
        metadata.get("ls_model_name"),
    )
    providers = (metadata.get("ls_provider"), attributes.get("gen_ai.system"), attributes.get("llm.system"))
    system = answer.get("instructions") or system_in(attributes)
    if answer:
        parameters = {name: answer[name] for name in _ECHOED if answer.get(name) is not None}
    else:
        parameters = {**parameters_in(attributes), **mapping_in(member(observation, "modelParameters"))}
    return Noted(
        model=next((model for model in models if isinstance(model, str) and model), None),
        tools=_tools(observation, attributes, answer),
        system=system,
        parameters={
            key: _value(one) for key, one in parameters.items() if key not in _NO_PARAMETERS and one is not None
        },
        provider=next((name for name in providers if isinstance(name, str)), None),
        api=api,
    )


def _tools(
    observation: Mapping[str, Any], attributes: Mapping[str, Any], answer: Mapping[str, Any]
) -> list[Any] | None:
    """Give the definitions of tools; None: not noted."""
    if isinstance(answer.get("tools"), list):
        return list(answer["tools"])
    found = tools_in(attributes)
    if found is not None:
        return found
    # Langfuse's own list, by name; it is empty, too, for what was noted before there was such a list.
    defined = mapping_in(member(observation, "toolDefinitions"))
    tools = [{"name": name, **mapping_in(one)} for name, one in defined.items()]
    return [{"type": "function", "function": tool} for tool in tools] or None


def _value(value: Any) -> Any:
    """Give a parameter as it was before an exporter made it a text."""
    inner = unwrap(value)
    if isinstance(inner, str):
        return {"true": True, "false": False}.get(inner, number(inner))
    return inner


def _usage(observation: Mapping[str, Any]) -> Usage | None:
    found = usage_of_langfuse(mapping_in(member(observation, "usageDetails")))
    if found is not None:
        return found
    old = mapping_in(observation.get("usage"))
    if old.get("unit") not in (None, "TOKENS"):
        return None
    sources = (old, observation)
    return usage_of_langfuse(
        {
            name: next((one[key] for one in sources for key in keys if isinstance(one.get(key), int)), None)
            for name, keys in _OLD_COUNTS.items()
        }
    )


def _error(observation: Mapping[str, Any]) -> str | None:
    if observation.get("level") != "ERROR":
        return None
    said = structure(member(observation, "statusMessage"))
    if isinstance(said, dict):
        said = said.get("message") or str(said)
    return str(said) if said else "failed; Langfuse has no message"
