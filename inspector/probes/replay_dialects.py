"""Adds a question to a stored request in the request's own dialect: behind everything, and nothing before it changes.

So the prompt's beginning stays byte for byte what the provider has cached. Tools stay, as they are part of that
beginning; calling them is forbidden. Streaming and what would shape the answer otherwise are turned off.
"""

from __future__ import annotations

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


_STREAMING: Final = ("stream", "stream_options")
_CHAT_LEFT_OUT: Final = (
    "response_format", "n", "logprobs", "top_logprobs", "prediction", "modalities", "audio", "metadata", "stop",
)  # fmt: skip
_RESPONSES_LEFT_OUT: Final = ("background", "text", "metadata", "include", "max_tool_calls")
_ANTHROPIC_LEFT_OUT: Final = ("stop_sequences", "metadata", "output_format")
_GEMINI_LEFT_OUT: Final = (
    "responseMimeType", "responseSchema", "responseJsonSchema", "candidateCount", "stopSequences", "responseModalities",
    "response_mime_type", "response_schema", "candidate_count", "stop_sequences",
)  # fmt: skip
LEAST_TOKENS: Final = 1_024
"""Limit of an answer below which it is raised: a call that wrote a title may have had 20, and a model that thinks first
needs some before it answers. Every model allows as many, and the limit is no part of what a provider has cached."""
IN_WORDS: Final = {
    True: "请直接用文字回答，不要调用工具。",
    False: "Answer in words, without calling a tool.",
}
"""Said where an API has no switch that forbids calls; by whether the question is Chinese."""


_UNSPOKEN: Final[Mapping[str, str]] = {
    "bedrock": "its server wants each request signed with AWS keys, which are not held here",
    "cohere": "it is not written here: its answers and its way to forbid tool calls are its own",
    "unknown": "it is not known which one it is",
}
"""Why nothing is asked in a dialect, by its family."""


def add_question(api: str, body: Mapping[str, Any], question: str) -> Asked:
    """Add a question as a new last message of the user.

    Args:
        api: Dialect of the body.
        body: The stored request; it is not changed.
        question: What is asked.

    Raises:
        NoPlaceError: The dialect is not known here, or the body is not of its shape.
    """
    add = _ADDERS.get(api)
    if add is None:
        why = _UNSPOKEN.get(api.partition(".")[0], "questions are not written in this dialect")
        raise NoPlaceError(
            f"a request of {api} cannot be replayed in its own dialect, because {why}; "
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


def _anthropic(body: Body, question: str) -> Asked:
    body["messages"] = [
        *_items(body, "messages"),
        {"role": "user", "content": [{"type": "text", "text": question}]},
    ]
    notes = _without(body, (*_STREAMING, *_ANTHROPIC_LEFT_OUT)) + _raised(body, ("max_tokens",))
    if body.get("tools"):
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
        chinese = any("㐀" <= character <= "鿿" for character in question)
        question = f"{question}\n{IN_WORDS[chinese]}"
        notes = ("Ollama has no switch that forbids calls: the question asks for words",)
    body["messages"] = [*_items(body, "messages"), {"role": "user", "content": question}]
    notes += _without(body, ("format",))
    if isinstance(body.get("options"), Mapping):
        body["options"] = options = dict(body["options"])
        notes += _raised(options, ("num_predict",))
    body["stream"] = False
    return Asked(body, notes)


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
}
