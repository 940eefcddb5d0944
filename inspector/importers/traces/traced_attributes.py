"""Prompts in the attributes of a span: OpenTelemetry's GenAI names, OpenInference's, OpenLLMetry's and Vercel's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.importers.reading.values import objects
from inspector.importers.traces.traced_values import items_in, mapping_in, nested, structure

_INPUTS: Final = ("gen_ai.input.messages", "ai.prompt.messages", "ai.prompt", "events", "all_messages_events")
_INPUT_LISTS: Final = ("gen_ai.prompt", "llm.input_messages")
_OUTPUTS: Final = ("gen_ai.output.messages", "output.value")
_OUTPUT_LISTS: Final = ("gen_ai.completion", "llm.output_messages")
_CHOICE: Final = "gen_ai.choice"
"""The event that holds an answer, among those of the prompt."""

_PARAMETERS: Final = {
    "gen_ai.request.temperature": "temperature", "gen_ai.request.top_p": "top_p",
    "gen_ai.request.max_tokens": "max_tokens", "gen_ai.request.seed": "seed",
    "gen_ai.request.frequency_penalty": "frequency_penalty", "gen_ai.request.presence_penalty": "presence_penalty",
    "gen_ai.request.stop_sequences": "stop", "gen_ai.request.top_k": "top_k",
}  # fmt: skip


def input_in(attributes: Mapping[str, Any]) -> Any:
    """Give what the attributes say was sent to the model, in whichever form; None: they do not."""
    for name in _INPUTS:
        value = structure(attributes.get(name))
        if isinstance(value, list):
            value = [one for one in value if not (isinstance(one, dict) and one.get("event.name") == _CHOICE)]
        if value:
            return value
    for name in _INPUT_LISTS:
        value = nested(attributes, name)
        if isinstance(value, list):
            return value
    return structure(attributes.get("input.value")) or None


def output_in(attributes: Mapping[str, Any]) -> Any:
    """Give what the attributes say came back, in whichever form; None: they do not."""
    for name in _OUTPUTS:
        if value := structure(attributes.get(name)):
            return value
    for name in _OUTPUT_LISTS:
        value = nested(attributes, name)
        if isinstance(value, list):
            return value
    text, calls = attributes.get("ai.response.text"), structure(attributes.get("ai.response.toolCalls"))
    if text or calls:
        return {"text": text, "toolCalls": calls}
    events = [one for one in objects(items_in(attributes.get("events"))) if one.get("event.name") == _CHOICE]
    return events or None


def system_in(attributes: Mapping[str, Any]) -> str | None:
    """Give the instructions that stand beside the messages; None: there are none, or they are among them."""
    value = structure(attributes.get("gen_ai.system_instructions"))
    if isinstance(value, list):
        texts = (one.get("content", one.get("text")) for one in objects(value))
        return "\n".join(text for text in texts if isinstance(text, str)) or None
    return value if isinstance(value, str) and value else None


def tools_in(attributes: Mapping[str, Any]) -> list[Any] | None:
    """Give the definitions of tools; None: the attributes do not say whether there were any."""
    defined = structure(attributes.get("gen_ai.tool.definitions"))
    if isinstance(defined, list):
        return [_openai(tool) for tool in objects(defined)]
    parameters = mapping_in(attributes.get("model_request_parameters"))
    if isinstance(parameters.get("function_tools"), list):  # pydantic-ai
        tools = [*objects(parameters["function_tools"]), *objects(parameters.get("output_tools"))]
        return [_openai(tool) for tool in tools]
    schemas = nested(attributes, "llm.tools")
    if isinstance(schemas, list):
        found = (mapping_in(mapping_in(one.get("tool")).get("json_schema")) for one in objects(schemas))
        return [dict(tool) for tool in found if tool]
    listed = structure(attributes.get("ai.prompt.tools"))
    if isinstance(listed, list):
        return [_openai(tool) for tool in map(mapping_in, listed) if tool]
    return None


def parameters_in(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Give the parameters of the request that the attributes name; numbers may be texts there."""
    found = {name: number(attributes[key]) for key, name in _PARAMETERS.items() if attributes.get(key) is not None}
    given = mapping_in(attributes.get("llm.invocation_parameters"))
    return {**{key: one for key, one in given.items() if key not in ("messages", "tools", "model")}, **found}


def number(value: Any) -> Any:
    """Give the number that a text is; any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        return value


def _openai(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Write a tool as OpenAI's API has it, whichever framework's words its schema is under."""
    if isinstance(tool.get("function"), dict) or "name" not in tool:
        return dict(tool)
    keys = ("parameters", "parameters_json_schema", "inputSchema", "input_schema")
    schema = next((tool[key] for key in keys if isinstance(tool.get(key), dict)), None)
    function = {"name": tool["name"], "description": tool.get("description"), "parameters": schema}
    return {"type": "function", "function": {key: one for key, one in function.items() if one is not None}}
