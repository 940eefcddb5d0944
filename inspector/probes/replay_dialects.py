"""Adds a question to a stored request in the request's own dialect: behind everything, and nothing before it changes.

So the prompt's beginning stays byte for byte what the provider has cached. Tools stay, as they are part of that
beginning; calling them is forbidden. Streaming and what would shape the answer otherwise are turned off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

Body = dict[str, Any]


class Asked(NamedTuple):
    """A body with the question in it."""

    body: Body
    notes: tuple[str, ...]
    """What else differs from the stored request, in words."""


class NoPlaceError(ValueError):
    """A body has no place where a question could be added; says why."""


_STREAMING: Final = ("stream", "stream_options", "streamProcessingMode")
_CHAT_LEFT_OUT: Final = (
    "response_format", "n", "logprobs", "top_logprobs", "prediction", "modalities", "audio", "metadata", "stop",
)  # fmt: skip
_RESPONSES_LEFT_OUT: Final = ("background", "text", "metadata", "include", "max_tool_calls")
_ANTHROPIC_LEFT_OUT: Final = ("stop_sequences", "metadata", "output_format")
_GEMINI_LEFT_OUT: Final = (
    "responseMimeType", "responseSchema", "responseJsonSchema", "candidateCount", "stopSequences", "responseModalities",
    "response_mime_type", "response_schema", "candidate_count", "stop_sequences",
)  # fmt: skip
_COHERE_LEFT_OUT: Final = ("response_format", "stop_sequences", "logprobs")
_CONVERSE_LEFT_OUT: Final = ("requestMetadata", "additionalModelResponseFieldPaths")
_CONVERSE_SETTINGS: Final = (
    ("inferenceConfig", ("stopSequences",), ("maxTokens", "max_new_tokens")),  # the latter of Nova, by InvokeModel
    ("outputConfig", ("textFormat",), ()),
    ("guardrailConfig", ("streamProcessingMode",), ()),  # which only a stream may have
)
"""Member → what is left out of it, and its limits of the answer."""
LEAST_TOKENS: Final = 1_024
"""Limit of an answer below which it is raised: a call that wrote a title may have had 20, and a model that thinks first
needs some before it answers. Every model allows as many, and the limit is no part of what a provider has cached."""
IN_WORDS: Final = {
    True: "请直接用文字回答，不要调用工具。",
    False: "Answer in words, without calling a tool.",
}
"""Said where an API has no switch that forbids calls; by whether the question is Chinese."""


_OLD_COHERE: Final = re.compile(r"command(?:-light|-r(?:-plus)?)?(?:-0[348]-2024)?$")
"""Models that know no ``tool_choice``: it came with Command R7B (Cohere's guide to tool use)."""
_CLAUDE_AT_BEDROCK: Final = "Claude on Bedrock"
"""Refuses the ``none`` that Anthropic's own server knows: ``tag 'none' … does not match any of the expected tags``."""


def add_question(api: str, body: Mapping[str, Any], question: str, *, at_bedrock: bool = False) -> Asked:
    """Add a question as a new last message of the user.

    Args:
        api: Dialect of the body.
        body: The stored request; it is not changed.
        question: What is asked.
        at_bedrock: It goes to Bedrock, which knows less of Anthropic's dialect than Anthropic.

    Raises:
        NoPlaceError: The dialect is not known here, or the body is not of its shape.
    """
    if at_bedrock and api == "anthropic.messages":
        return _anthropic(dict(body), question, can_forbid=False)
    add = _ADDERS.get(api)
    if add is None:
        raise NoPlaceError(
            f"a request of {api} cannot be replayed in its own dialect, because questions are not written in it; "
            "a server that speaks OpenAI's chat can be asked about it instead (name its endpoint)"
        )
    return add(dict(body), question)


def speaks(api: str) -> bool:
    """Say whether questions can be added in a dialect.

    Args:
        api: Its name.
    """
    return api in _ADDERS


def _chat(body: Body, question: str) -> Asked:
    body["messages"] = [*_items(body, "messages"), {"role": "user", "content": question}]
    notes = _without(body, (*_STREAMING, *_CHAT_LEFT_OUT)) + _raised(body, ("max_tokens", "max_completion_tokens"))
    if body.get("store"):
        body["store"] = False
    if body.get("tools"):
        body["tool_choice"] = "none"
    if body.get("functions"):
        body["function_call"] = "none"
    return Asked(body, notes)


def _responses(body: Body, question: str) -> Asked:
    before = body.get("input", [])
    if isinstance(before, str):
        before = [{"role": "user", "content": before}]
    if not isinstance(before, list):
        raise NoPlaceError("its input is neither a text nor a list")
    body["input"] = [*before, {"role": "user", "content": [{"type": "input_text", "text": question}]}]
    notes = _without(body, (*_STREAMING, *_RESPONSES_LEFT_OUT)) + _raised(body, ("max_output_tokens",))
    body["store"] = False
    if body.get("tools"):
        body["tool_choice"] = "none"
    return Asked(body, notes)


def _anthropic(body: Body, question: str, *, can_forbid: bool = True) -> Asked:
    said: tuple[str, ...] = ()
    if body.get("tools") and not can_forbid:
        body.pop("tool_choice", None)  # one that forces a call would have no answer in words
        question, said = _in_words(question, _CLAUDE_AT_BEDROCK)
    body["messages"] = [
        *_items(body, "messages"),
        {"role": "user", "content": [{"type": "text", "text": question}]},
    ]
    notes = said + _without(body, (*_STREAMING, *_ANTHROPIC_LEFT_OUT)) + _raised(body, ("max_tokens",))
    if body.get("tools") and can_forbid:
        body["tool_choice"] = {"type": "none"}
    return Asked(body, notes)


def _gemini(body: Body, question: str) -> Asked:
    body["contents"] = [*_items(body, "contents"), {"role": "user", "parts": [{"text": question}]}]
    notes: tuple[str, ...] = ()
    for name in ("generationConfig", "generation_config"):
        if isinstance(body.get(name), Mapping):
            settings = dict(body[name])
            notes += _without(settings, _GEMINI_LEFT_OUT) + _raised(settings, ("maxOutputTokens", "max_output_tokens"))
            body[name] = settings
    if body.get("tools"):
        snake = "tool_config" in body
        mode = {"mode": "NONE"}
        body["tool_config" if snake else "toolConfig"] = (
            {"function_calling_config": mode} if snake else {"functionCallingConfig": mode}
        )
    return Asked(body, notes)


def _ollama(body: Body, question: str) -> Asked:
    notes: tuple[str, ...] = ()
    if body.get("tools"):
        question, notes = _in_words(question, "Ollama")
    body["messages"] = [*_items(body, "messages"), {"role": "user", "content": question}]
    notes += _without(body, ("format",))
    if isinstance(body.get("options"), Mapping):
        body["options"] = options = dict(body["options"])
        notes += _raised(options, ("num_predict",))
    body["stream"] = False
    return Asked(body, notes)


def _cohere(body: Body, question: str) -> Asked:
    said: tuple[str, ...] = ()
    if body.get("tools"):
        if _OLD_COHERE.match(str(body.get("model"))):
            body.pop("tool_choice", None)
            question, said = _in_words(question, f"{body['model']} of Cohere")
        else:
            body["tool_choice"] = "NONE"
    body["messages"] = [*_items(body, "messages"), {"role": "user", "content": question}]
    notes = said + _without(body, (*_STREAMING, *_COHERE_LEFT_OUT)) + _raised(body, ("max_tokens",))
    return Asked(body, notes)


def _converse(body: Body, question: str) -> Asked:
    """Bedrock wants user and assistant to alternate, so behind words of the user the question is one more block."""
    notes: tuple[str, ...] = ()
    if isinstance(body.get("toolConfig"), Mapping):
        # Without its definitions a call or a result that stands in the talk is refused.
        tools = {name: value for name, value in body["toolConfig"].items() if name != "toolChoice"}
        body["toolConfig"] = tools
        question, notes = _in_words(question, "Bedrock")
    messages = list(_items(body, "messages"))
    block = {"text": question}
    last = messages[-1] if messages else None
    if isinstance(last, Mapping) and last.get("role") == "user" and isinstance(last.get("content"), list):
        messages[-1] = {**last, "content": [*last["content"], block]}
    else:
        messages.append({"role": "user", "content": [block]})
    body["messages"] = messages
    notes += _without(body, _CONVERSE_LEFT_OUT)
    for name, left_out, limits in _CONVERSE_SETTINGS:
        if isinstance(body.get(name), Mapping):
            body[name] = settings = dict(body[name])
            notes += _without(settings, left_out) + _raised(settings, limits)
    return Asked(body, notes)


def _in_words(question: str, who: str) -> tuple[str, tuple[str, ...]]:
    """Ask for words where nothing can forbid a call, and say so."""
    chinese = any("㐀" <= character <= "鿿" for character in question)
    asked = f"{question}\n{IN_WORDS[chinese]}"
    return asked, (f"{who} has no switch that forbids calls: the question asks for words",)


def _items(body: Body, name: str) -> list[Any]:
    items = body.get(name)
    if not isinstance(items, list):
        raise NoPlaceError(f"its {name} are no list")
    return items


def _without(body: Body, names: tuple[str, ...]) -> tuple[str, ...]:
    gone = [name for name in names if body.pop(name, None) is not None and name not in _STREAMING]
    return (f"left out, as they would shape the answer: {', '.join(gone)}",) if gone else ()


def _raised(settings: Body, names: tuple[str, ...]) -> tuple[str, ...]:
    """Raise limits of the answer that are too low for one; Ollama's -1 and -2 are no limits."""
    low = [
        name
        for name in names
        if isinstance(settings.get(name), int)
        and not isinstance(settings[name], bool)
        and 0 < settings[name] < LEAST_TOKENS
    ]
    for name in low:
        settings[name] = LEAST_TOKENS
    return (f"raised to {LEAST_TOKENS:,} tokens, as the answer would be cut: {', '.join(low)}",) if low else ()


_ADDERS: Final[Mapping[str, Callable[[Body, str], Asked]]] = {
    "openai.chat": _chat,
    "mistral.chat": _chat,
    "openai.responses": _responses,
    "anthropic.messages": _anthropic,
    "gemini.generate_content": _gemini,
    "ollama.chat": _ollama,
    "cohere.chat": _cohere,
    "bedrock.converse": _converse,
}
