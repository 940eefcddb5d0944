"""What a tracing tool noted as the input of a model, put together as the request it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from inspector.importers.exchanges.exchange import CLIENT_OPTIONS, PARAMETERS, is_body
from inspector.importers.traces.traced_messages import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    Conversation,
    as_anthropic,
    read_conversation,
)
from inspector.importers.traces.traced_values import structure

TOOLS: Final = "tools"
"""Missing where the tracer did not note whether there were any."""

REQUEST_PARAMETERS: Final = "parameters"
"""Missing where not all of them are known."""

MODEL: Final = "model"
"""Missing where it was not noted."""

WIRE_FORM: Final = "wire form"
"""Missing where the messages were noted in another form than the one the provider was sent."""

_CLIENT: Final = CLIENT_OPTIONS | {"extra_query", "http_client", "organization", "default_headers"}
"""Arguments of clients that never stand in a body; some are secrets."""

_CHAT_PROVIDERS: Final = frozenset({"openai", "azure", "azure_openai", "openai-chat", "azure-openai-chat", "groq"})
"""Providers that are sent the chat messages that LangChain's become here."""

_CONFIG: Final = {"system_instruction": "systemInstruction", "tools": "tools", "tool_config": "toolConfig",
                  "safety_settings": "safetySettings", "cached_content": "cachedContent"}  # fmt: skip
"""What of the ``config`` of Google's client is a member of the body of its own; all else is generationConfig."""


@dataclass(frozen=True)
class Noted:
    """What a tracer noted beside the input."""

    model: str | None = None
    """Name of the model."""
    tools: list[Any] | None = None
    """Definitions of tools; empty: there were none; None: not noted."""
    system: Any = None
    """Instructions kept beside the messages; None: not noted, or among the messages."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the request, as the body names them."""
    all_parameters: bool = False
    """No parameter is missing among them."""
    provider: str | None = None
    """Who was asked, in the tracer's words."""
    api: str | None = None
    """Dialect that the answer gives away."""


@dataclass(frozen=True)
class Prompt:
    """A request that was put together."""

    body: dict[str, Any]
    """As it would be sent."""
    api: str | None
    """Its dialect; None: to be recognised."""
    missing: tuple[str, ...]
    """Parts that are not known; empty and ``whole``: the input was the body itself."""
    whole: bool = False
    """The tracer noted the body itself."""


def read_prompt(value: Any, noted: Noted) -> Prompt | None:
    """Put a request together; None where the input holds no prompt.

    Args:
        value: The input: a body, the arguments of a client's method, messages in any form, or a text.
        noted: What is known besides.
    """
    value = structure(value)
    if isinstance(value, str):
        if not value.strip():
            return None
        return _rebuilt(Conversation(CHAT, [{"role": "user", "content": value}], converted=True), {}, noted)
    if isinstance(value, list):
        conversation = read_conversation(value)
        return None if conversation is None else _rebuilt(conversation, {}, noted)
    return _of_object(value, noted) if isinstance(value, dict) else None


def _of_object(value: dict[str, Any], noted: Noted) -> Prompt | None:
    """Read an object: arguments or a body, or a message that stands alone."""
    inner = _arguments(value)
    if inner is not None:
        return read_prompt(inner, noted)
    body = {key: one for key, one in value.items() if key not in _CLIENT and key != "extra_body"}
    extra = value.get("extra_body")
    body |= extra if isinstance(extra, dict) else {}  # the client merges it into the body
    messages = structure(body.get("messages"))
    if isinstance(messages, list):
        return _of_messages(messages, body, noted)
    if "contents" in body:
        return _of_contents(body, noted)
    given = structure(body.get("input"))
    if isinstance(given, list | str) and given:
        return _of_input(given, body, noted)
    prompts = body.get("prompts", body.get("prompt"))
    text = prompts[0] if isinstance(prompts, list) and len(prompts) == 1 else prompts
    if isinstance(text, str) and text:
        return _of_text(text, body, noted)
    conversation = read_conversation([value])
    return None if conversation is None else _rebuilt(conversation, {}, noted)


def _arguments(value: Mapping[str, Any]) -> Any:
    """Give the arguments that a traced function was called with; None where the value is something else."""
    if not value.keys() <= {"args", "kwargs"} or not value:
        return None
    args = value.get("args")
    return value.get("kwargs") or (args[0] if isinstance(args, list) and args else None)


def _of_messages(messages: list[Any], body: dict[str, Any], noted: Noted) -> Prompt | None:
    conversation = read_conversation(messages)
    if conversation is None:
        return None
    if is_body(body) and isinstance(body.get("model"), str) and not conversation.converted:
        # Which API it is for the whole body tells better than its messages alone.
        return Prompt(body, None if conversation.api != RESPONSES else RESPONSES, (), whole=True)
    return _rebuilt(conversation, _rest(body, "messages"), noted)


def _of_contents(body: dict[str, Any], noted: Noted) -> Prompt | None:
    """Read the arguments of Google's client, or a body of generateContent."""
    contents, config = structure(body["contents"]), structure(body.get("config"))
    if config is None and is_body({**body, "contents": contents}):
        return Prompt({**body, "contents": contents}, GEMINI, (), whole=True)
    if isinstance(contents, str | dict):
        contents = [contents]
    if not isinstance(contents, list) or not contents:
        return None
    written = [_content(content) for content in contents]
    rest = _rest(body, "contents", "config")
    if isinstance(config, dict):
        rest |= {name: config[key] for key, name in _CONFIG.items() if config.get(key) is not None}
        settings = {key: one for key, one in config.items() if key not in _CONFIG and one is not None}
        rest |= {"generationConfig": settings} if settings else {}
    return _assembled({"contents": written}, GEMINI, rest, noted, found_tools=None, converted=True, arguments=True)


def _content(content: Any) -> Any:
    """Write one of the contents as a body has it; Google's client takes texts and single parts, too."""
    if isinstance(content, str):
        return {"role": "user", "parts": [{"text": content}]}
    if isinstance(content, dict) and "parts" not in content and "role" not in content:
        return {"role": "user", "parts": [content]}
    return content


def _of_input(given: Any, body: dict[str, Any], noted: Noted) -> Prompt | None:
    """Read arguments with ``input``: those of OpenAI's Responses, or of a program of the user's own."""
    if isinstance(body.get("model"), str) and (isinstance(given, str) or _is_of_responses(given)):
        return Prompt({**body, "input": given}, RESPONSES, (), whole=True)
    return read_prompt(given, noted)


def _of_text(text: str, body: dict[str, Any], noted: Noted) -> Prompt:
    """Read a prompt that is one text: a body of plain completions, or the arguments of a framework."""
    if isinstance(body.get("model"), str) and "prompt" in body and is_body(body):
        return Prompt(body, None, (), whole=True)
    system = body.get("system")
    messages = [{"role": "system", "content": system}] if isinstance(system, str) and system else []
    messages.append({"role": "user", "content": text})
    rest = _rest(body, "prompts", "prompt", "system")
    return _rebuilt(Conversation(CHAT, messages, converted=True), rest, noted)


def _is_of_responses(given: list[Any]) -> bool:
    conversation = read_conversation(given)
    return conversation is not None and (conversation.api == RESPONSES or not conversation.converted)


def _rest(body: Mapping[str, Any], *taken: str) -> dict[str, Any]:
    """Give the parameters that stand beside the prompt; an object of a user's own may have other members."""
    rest = {key: one for key, one in body.items() if key not in taken}
    if isinstance(body.get("model"), str):
        return rest
    return {key: one for key, one in rest.items() if key in PARAMETERS and key != "metadata"}


def _rebuilt(conversation: Conversation, rest: dict[str, Any], noted: Noted) -> Prompt:
    """Put a body around messages."""
    conversation = _in_dialect(conversation, noted.api)
    member = {RESPONSES: "input", GEMINI: "contents"}.get(conversation.api, "messages")
    system = noted.system if conversation.system is None else conversation.system
    before: dict[str, Any] = {}
    messages = conversation.messages
    if system is not None and not {"system", "instructions"} & rest.keys():
        if conversation.api == CHAT:
            messages = [{"role": "system", "content": system}, *messages]
        else:
            name = {RESPONSES: "instructions", GEMINI: "systemInstruction"}.get(conversation.api, "system")
            before[name] = system
    return _assembled(
        {**before, member: messages},
        conversation.api,
        rest,
        noted,
        found_tools=conversation.tools or None,
        converted=conversation.converted,
    )


def _in_dialect(conversation: Conversation, api: str | None) -> Conversation:
    """Read plain messages as the dialect that the answer gives away: alone they look alike in all."""
    plain = conversation.api == CHAT and not conversation.converted
    if not plain or api in (None, CHAT, GEMINI):
        return conversation
    if any(
        isinstance(one, dict) and ("tool_calls" in one or one.get("role") == "tool") for one in conversation.messages
    ):
        return conversation
    if api == ANTHROPIC:
        return as_anthropic(conversation)
    conversation.api = api or CHAT
    return conversation


def _assembled(
    prompt: dict[str, Any],
    api: str | None,
    rest: dict[str, Any],
    noted: Noted,
    *,
    found_tools: list[Any] | None,
    converted: bool,
    arguments: bool = False,
) -> Prompt:
    """Write the body and name what it lacks.

    Args:
        prompt: Messages and instructions.
        api: Dialect.
        rest: Members that stood beside the messages.
        noted: What is known besides.
        found_tools: Tools that stood among the messages; None: none did.
        converted: The messages had another form.
        arguments: The input was all the arguments of a client's method: nothing but their wire form is missing.
    """
    tools = _tools_of(api, rest.pop("tools", None) or found_tools or noted.tools)
    model = rest.pop("model", None) or noted.model
    body: dict[str, Any] = {"model": model} if isinstance(model, str) else {}
    body |= prompt
    if tools:
        body["tools"] = tools
    body |= {key: one for key, one in noted.parameters.items() if key not in body and key not in ("model", "tools")}
    body |= {key: one for key, one in rest.items() if key not in prompt}
    missing = [] if tools or noted.tools is not None or arguments else [TOOLS]
    missing += [] if noted.all_parameters or arguments else [REQUEST_PARAMETERS]
    missing += [] if "model" in body else [MODEL]
    same = api == CHAT and str(noted.provider).lower() in _CHAT_PROVIDERS
    missing += [WIRE_FORM] if converted and not same else []
    return Prompt(body, api, tuple(missing))


def _tools_of(api: str | None, tools: Any) -> Any:
    """Write OpenAI's definitions of tools as the other APIs have them; those in another form stay as they are."""
    if not isinstance(tools, list) or api not in (ANTHROPIC, GEMINI):
        return tools
    inner = [one.get("function") if isinstance(one, dict) else None for one in tools]
    functions = [function for function in inner if isinstance(function, dict)]
    if len(functions) != len(tools) or not tools:
        return tools
    if api == GEMINI:
        return [{"functionDeclarations": functions}]
    schema = {"parameters": "input_schema"}
    return [{schema.get(key, key): one for key, one in function.items() if key != "strict"} for function in functions]
