"""What spans tell beside the messages: tool definitions, parameters, tokens, who was asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from snapshot_sdk.adapters._span_values import get, items, load, text

_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "max_tokens": ("gen_ai.request.max_tokens", "llm.request.max_tokens"),
    "max_completion_tokens": ("gen_ai.request.max_completion_tokens",),
    "temperature": ("gen_ai.request.temperature", "llm.temperature"),
    "top_p": ("gen_ai.request.top_p", "llm.top_p"),
    "top_k": ("gen_ai.request.top_k", "llm.top_k"),
    "frequency_penalty": ("gen_ai.request.frequency_penalty", "llm.frequency_penalty"),
    "presence_penalty": ("gen_ai.request.presence_penalty", "llm.presence_penalty"),
    "stop": ("gen_ai.request.stop_sequences", "llm.chat.stop_sequences"),
    "seed": ("gen_ai.request.seed", "gen_ai.openai.request.seed"),
    "n": ("gen_ai.request.choice.count", "gen_ai.request.n"),
    "reasoning_effort": ("gen_ai.request.reasoning_effort", "llm.request.reasoning_effort"),
    "service_tier": ("openai.request.service_tier", "gen_ai.openai.request.service_tier"),
    "stream": ("gen_ai.request.stream", "gen_ai.is_streaming", "llm.is_streaming"),
}
"""Parameter of a chat completion → where the conventions keep it."""

_MODELS: Final = (
    "gen_ai.request.model",
    "llm.request.model",
    "llm.request.model_name",
    "llm.model_name",
    "ai.model.id",
)
_PROVIDERS: Final = (
    "gen_ai.provider.name",
    "gen_ai.system",
    "llm.provider",
    "llm.system",
    "llm.vendor",
    "ai.model.provider",
)

_INPUT: Final = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
)
_OUTPUT: Final = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
)
_TOTAL: Final = ("llm.usage.total_tokens", "gen_ai.usage.total_tokens", "llm.token_count.total", "ai.usage.totalTokens")
_CACHE_READ: Final = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.details.cache_read_tokens",
    "gen_ai.usage.details.cache_read_input_tokens",
    "llm.token_count.prompt_details.cache_read",
    "ai.usage.cachedInputTokens",
)
_CACHE_WRITE: Final = (
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.details.cache_write_tokens",
    "gen_ai.usage.details.cache_creation_input_tokens",
    "llm.token_count.prompt_details.cache_write",
)
_REASONING: Final = (
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.reasoning_tokens",
    "gen_ai.usage.details.reasoning_tokens",
    "llm.usage.reasoning_tokens",
    "llm.token_count.completion_details.reasoning",
    "ai.usage.reasoningTokens",
)


def model_of(attributes: Mapping[str, Any]) -> str | None:
    """Returns the model that was asked for; the one that answered where nothing else is told."""
    return text(attributes, *_MODELS, "gen_ai.response.model", "llm.response.model")


def provider_of(attributes: Mapping[str, Any]) -> str | None:
    """Returns who was asked, in the words of the instrumentation: ``openai``, ``aws.bedrock``, ``Anthropic``."""
    return text(attributes, *_PROVIDERS)


def parameters_of(attributes: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Returns the parameters of the request, and whether these are all it had.

    OpenInference writes them down together; the other conventions know some of them.
    """
    invocation = load(get(attributes, "llm.invocation_parameters"))
    if isinstance(invocation.value, Mapping):
        told = invocation.value
        if "_type" in told:  # LangChain repeats the model and lists what it does not send as null
            told = {name: value for name, value in told.items() if value is not None and name != "model_name"}
        return {name: value for name, value in told.items() if name not in _NOT_PARAMETERS}, True
    found = {name: get(attributes, *paths) for name, paths in _PARAMETERS.items()}
    # ``stream: false`` is written down whether it was sent or not.
    return {name: _plain(value) for name, value in found.items() if value is not None and value is not False}, False


def tools_of(attributes: Mapping[str, Any]) -> list[Any]:
    """Returns the definitions of tools, in OpenAI's shape where they name a function."""
    told = load(get(attributes, "gen_ai.tool.definitions")).value
    if isinstance(told, list | tuple):
        return [_definition(load(tool).value) for tool in told]
    for path in ("llm.tools", "llm.request.functions", "ai.prompt.tools"):
        found = [_definition(tool) for _, tool in items(attributes, path)]
        if found:
            return found
    asked = load(get(attributes, "model_request_parameters")).value  # pydantic-ai
    listed = [tool for name in ("function_tools", "output_tools") for tool in get(asked, name) or ()]
    invocation = load(get(attributes, "llm.invocation_parameters")).value
    return [_definition(tool) for tool in listed or get(invocation, "tools") or ()]


def usage_of(attributes: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str | None]:
    """Returns the tokens in the words of a chat completion, and what was odd about them.

    Conventions count cached tokens as part of the input. Exporters that pass Anthropic's ``input_tokens`` on
    leave them out; a total, or more cached tokens than input, gives that away.
    """
    prompt, answer = _count(attributes, _INPUT), _count(attributes, _OUTPUT)
    read, written = _count(attributes, _CACHE_READ), _count(attributes, _CACHE_WRITE)
    reasoning, total = _count(attributes, _REASONING), _count(attributes, _TOTAL)
    cached = (read or 0) + (written or 0)
    odd = None
    if prompt is not None and cached and (cached > prompt or total == prompt + cached + (answer or 0)):
        odd = f"the span's {prompt:,} input tokens leave out the {cached:,} cached ones, which are added here"
        prompt += cached
    details = {"cached_tokens": read, "cache_write_tokens": written}
    usage: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": total,
        "prompt_tokens_details": {name: value for name, value in details.items() if value is not None} or None,
        "completion_tokens_details": {"reasoning_tokens": reasoning} if reasoning is not None else None,
    }
    usage = {name: value for name, value in usage.items() if value is not None}
    return usage or None, odd


_NOT_PARAMETERS: Final = frozenset(
    {
        "_type", "billing", "completed_at", "created_at", "error", "extra_headers", "functions", "id",
        "incomplete_details", "input", "instructions", "messages", "object", "output", "status", "system", "tools",
        "usage",
    }
)  # fmt: skip
"""What stands among the invocation parameters beside parameters: of OpenAI's agents they are all of the answer."""


def _definition(tool: Any) -> Any:
    """One definition; a flat one, or one of another provider, gets OpenAI's shape."""
    told = load(get(tool, "tool.json_schema", "json_schema") or tool).value
    if not isinstance(told, Mapping):
        return told
    if isinstance(told.get("function"), Mapping) or not isinstance(told.get("name"), str):
        return dict(told)
    if told.get("type") not in (None, "function", "custom", "tool") or told.get("type") == "custom":
        return dict(told)  # a tool of the provider, named by its type
    function = {"name": told["name"], "description": told.get("description")}
    schema = load(get(told, *_SCHEMAS)).value
    function["parameters"] = schema
    return {"type": "function", "function": {name: value for name, value in function.items() if value is not None}}


_SCHEMAS: Final = ("parameters", "input_schema", "inputSchema", "parameters_json_schema")


def _count(attributes: Mapping[str, Any], paths: tuple[str, ...]) -> int | None:
    """A number of tokens; exporters write some as text."""
    value = get(attributes, *paths)
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _plain(value: Any) -> Any:
    """Tracing libraries keep lists as tuples."""
    return list(value) if isinstance(value, tuple) else value
