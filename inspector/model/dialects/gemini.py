"""Google's generateContent, of the Gemini API and of Vertex AI."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from inspector.model.dialects.endpoints import path_of
from inspector.model.dialects.openai_shapes import blocks_of, result_parts
from inspector.model.dialects.shapes import (
    json_text,
    mapping,
    media_part,
    opt_str,
    other_parts,
    text_or_json,
)
from inspector.model.request import Message, Part, Usage
from inspector.model.usage import EMPTY, Figures, UsageReport, settle, total

_ENDPOINTS: Final = (":generateContent", ":streamGenerateContent", ":countTokens", "/cachedContents")
_SYSTEM: Final = ("systemInstruction", "system_instruction")
_ROLES: Final = {"model": "assistant", "function": "tool"}
"""Roles in the words all dialects share."""
_SIGNED: Final = frozenset({"thoughtSignature", "thought_signature", "thought", "videoMetadata", "mediaResolution"})
"""Members that stand beside the one that says what a part is. A signature's hidden thoughts are not in
``promptTokenCount`` (in the shared cassette 1,280 tokens hold the visible texts and nothing else)."""


class GeminiGenerateContent:
    """Reads ``models/…:generateContent`` bodies; ``model`` is in the address, not in the body."""

    @property
    def name(self) -> str:
        """Name in trace files."""
        return "gemini.generate_content"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept a body with ``contents``, or one that went to an endpoint of this API."""
        return "messages" not in body_members and ("contents" in body_members or path_of(endpoint).endswith(_ENDPOINTS))

    def part_of_prompt(self, member: str) -> bool:
        """System instruction, tools and contents are read by the model."""
        return member in self.prompt_order()

    def prompt_order(self) -> tuple[str, ...]:
        """Return the documented order of a cached prefix: system instruction, tools, contents."""
        return (*_SYSTEM, "tools", "contents")

    def decode(self, member: str, value: Any) -> Message:
        """Decode one content, the system instruction, or one entry of ``tools``, which may declare many functions."""
        if member == "tools":
            return Message(None, tuple(_tools(value)))
        if member in _SYSTEM:
            return Message("system", tuple(_content(value)))
        if not isinstance(value, Mapping):
            return Message("user" if isinstance(value, str) else None, tuple(_parts(value)))
        # The API takes a content without a role as the user's; in an answer it is the model's.
        role = opt_str(value.get("role")) or ("user" if member == "contents" else "model")
        return Message(_ROLES.get(role, role), tuple(_content(value)))

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Read ``promptTokenCount`` (cached ones included); the answer includes thoughts."""
        return self.usage_report(usage).context

    def usage_report(self, usage: Any) -> UsageReport:
        """Read ``usageMetadata``: thoughts are counted beside the candidates, tool results of the server apart."""
        if usage is None:
            return EMPTY
        figures = Figures(usage)
        prompt, tool_use = figures.count("promptTokenCount"), figures.count("toolUsePromptTokenCount")
        candidates, thoughts = figures.count("candidatesTokenCount"), figures.count("thoughtsTokenCount")
        whole = figures.count("totalTokenCount")
        beside = whole is None or whole != total(prompt, candidates, tool_use)
        answer = total(candidates, thoughts) if beside else candidates
        context = settle(
            figures,
            Usage(prompt, figures.count("cachedContentTokenCount"), None, answer, thoughts),
            cached="cachedContentTokenCount",
            reasoning="thoughtsTokenCount",
        )
        if not tool_use or context.input_tokens is None:
            return UsageReport(context, context, (), tuple(figures.problems))
        billed = Usage(context.input_tokens + tool_use, context.cached_read, None, answer, thoughts)
        note = (
            f"tools the server ran brought {tool_use:,} more tokens into the prompt; they are billed, not in its size"
        )
        return UsageReport(context, billed, (), tuple(figures.problems), (note,))


def _get(value: Mapping[str, Any], camel: str) -> Any:
    """Return a member in either spelling: the API takes ``functionCall`` and ``function_call``."""
    if camel in value:
        return value[camel]
    return value.get("".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in camel))


def _content(value: Any) -> Iterator[Part]:
    if isinstance(value, Mapping) and "parts" in value:
        value = value["parts"]
    elif isinstance(value, Mapping) and set(value) <= {"role"}:
        return
    for part in blocks_of(value):
        yield from _parts(part)


def _parts(part: Any) -> Iterator[Part]:
    if isinstance(part, str):
        yield Part("text", str(part))
        return
    if not isinstance(part, Mapping):
        yield from other_parts(part)
        return
    call, response = _get(part, "functionCall"), _get(part, "functionResponse")
    blob, file = _get(part, "inlineData"), _get(part, "fileData")
    code, outcome = _get(part, "executableCode"), _get(part, "codeExecutionResult")
    if isinstance(part.get("text"), str):
        yield Part("reasoning" if part.get("thought") is True else "text", str(part["text"]))
    elif isinstance(call, Mapping):
        arguments = json_text(call["args"]) if call.get("args") is not None else ""
        yield Part("tool_call", arguments, opt_str(call.get("name")), opt_str(call.get("id")))
    elif isinstance(response, Mapping):
        yield from _response(response)
    elif isinstance(blob, Mapping):
        mime = opt_str(_get(blob, "mimeType"))
        name = opt_str(_get(blob, "displayName"))
        yield media_part(_media_kind(mime), name, mime=mime, data=opt_str(blob.get("data")) or "")
    elif isinstance(file, Mapping):
        mime = opt_str(_get(file, "mimeType"))
        yield media_part(_media_kind(mime), None, mime=mime, url=opt_str(_get(file, "fileUri")))
    elif isinstance(code, Mapping):
        yield Part("tool_call", text_or_json(code.get("code")), "code_execution", opt_str(code.get("id")))
    elif isinstance(outcome, Mapping):
        result = text_or_json(outcome.get("output", outcome.get("outcome")))
        yield Part("tool_result", result, "code_execution", opt_str(outcome.get("id")))
    elif part and set(part) <= _SIGNED:
        yield Part("reasoning", "", opaque=True)  # a signature alone: thoughts only the model can read
    else:
        yield from other_parts(part)


def _response(response: Mapping[str, Any]) -> Iterator[Part]:
    name, call_id = opt_str(response.get("name")), opt_str(response.get("id"))
    said = response.get("response")
    text = Part("text", json_text(said)) if said is not None else Part("text", "")
    media = (part for piece in blocks_of(response.get("parts")) for part in _parts(piece))
    yield from result_parts(iter((text, *media)), name, call_id)


def _media_kind(mime: str | None) -> Any:
    return "image" if (mime or "").startswith("image/") else "file"


def _tools(value: Any) -> Iterator[Part]:
    declared = _get(mapping(value), "functionDeclarations")
    for function in blocks_of(declared):
        name = opt_str(mapping(function).get("name"))
        yield Part("tool_definition", json_text(function, indent=2), name=name)
    rest = {
        key: tool
        for key, tool in mapping(value).items()
        if key not in ("functionDeclarations", "function_declarations")
    }
    for key, tool in rest.items():  # googleSearch, codeExecution, urlContext …
        yield Part("tool_definition", json_text({key: tool}, indent=2), name=key)
    if not isinstance(value, Mapping):
        yield Part("tool_definition", json_text(value, indent=2))
