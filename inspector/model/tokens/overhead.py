"""Tokens that are in no text: what a chat template adds around messages, and how tool definitions are written.

OpenAI's rules are the published formula, found by measuring (it gives all 36 figures of the API that
hmarr/openai-chat-tokens collected); nobody has published those of newer models, so ``unattributed`` and calibration
say how far they hold; the Responses API writes the same template. Mistral's is the frame of its published template,
Anthropic's and Gemini's are estimates; of Ollama and Cohere nothing is known. ``docs/tokens.md`` tells which is which.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.model.request import Message
from inspector.model.settings import matches_model
from inspector.model.tokens.declaration import render_declaration
from inspector.model.tokens.tokenizer import Tokenizer
from inspector.model.tokens.typescript import NAMESPACE_END, NAMESPACE_START, render_function
from inspector.model.views import TokenCount

OPENAI_PER_MESSAGE: Final = 3
OPENAI_PER_NAME: Final = 1
OPENAI_PRIMING: Final = 3
"""Tokens that open the answer."""
OPENAI_PER_CALL: Final = 3
OPENAI_FUNCTION_ROLE: Final = -2
OPENAI_TOOLS_FRAME: Final = 9
OPENAI_TOOLS_IN_SYSTEM: Final = -4
"""Tools are written into the system message that is there, not into one of their own."""
OPENAI_CHOICE_NONE: Final = 1
OPENAI_CHOICE_NAMED: Final = 4

ANTHROPIC_PER_MESSAGE: Final = 4
ANTHROPIC_PRIMING: Final = 4
"""``Say 'foo'`` (4 tokens) is billed as 12 by Claude 3.5 and 4.5 models: 8 around one message."""

MISTRAL_OPENING: Final = 1
"""``<s>``, once per prompt."""
MISTRAL_FRAMED: Final = 2
"""``[INST]`` and ``[/INST]``, and the like of system text and tool results."""
MISTRAL_ANSWERED: Final = 1
"""``</s>`` after an answer."""

GEMINI_OPENING: Final = 1
"""Tokens of a prompt beside its text: 5 for ``Say 'foo'`` (4), 8 for a question of 7 after a cached prefix."""

GEMINI_AROUND_FUNCTION: Final = 2
"""Opening and closing mark of a declaration. With it functions of 54, 16 and 15 tokens come out as 53, 16 and 16."""

_OPENAI: Final = frozenset({"openai.chat", "openai.responses"})

ANTHROPIC_TOOLS_PROMPT: Final = (
    ("*claude-3-opus*", 530),
    ("*claude-3-sonnet*", 159),
    ("*claude-3-haiku*", 264),
    ("*claude-3-5-haiku*", 264),
    ("*", 346),
)
"""Tokens of the instructions Anthropic adds when there are tools, by model and for a free choice of tool, from its
page on tool use; the last stands for Claude 3.5 Sonnet to 4, and for later models without a figure of their own."""


@dataclass(frozen=True)
class ToolsCost:
    """What tool definitions cost."""

    tools: tuple[TokenCount, ...]
    """Each definition, in order."""
    frame: TokenCount
    """What stands around them."""

    @property
    def total(self) -> int:
        """Tokens of all."""
        return sum(tool.count or 0 for tool in self.tools) + (self.frame.count or 0)


def _origin(tokenizer: Tokenizer, rule: str) -> str:
    """A formula over a model's own tokenizer is a formula; over a borrowed one it is an estimate."""
    return f"{'formula' if tokenizer.origin.startswith('tokenizer:') else 'estimate'}:{rule}"


def message_overhead(api: str, message: Message, tokenizer: Tokenizer) -> TokenCount:
    """Count what the template adds to one message: role, separators, the speaker's name, frames of tool calls.

    Args:
        api: Dialect of the request.
        message: The message. One without a role (tool definitions, system text of its own member) has none.
        tokenizer: The model's.
    """
    if message.role is None:
        return TokenCount(0, _origin(tokenizer, "no_message"))
    if api in _OPENAI:
        count = OPENAI_PER_MESSAGE + tokenizer.count(message.role)
        if message.name:
            count += OPENAI_PER_NAME + tokenizer.count(message.name)
        if message.role == "function":
            count += OPENAI_FUNCTION_ROLE
            count += sum(OPENAI_PER_NAME + tokenizer.count(name) for name in {p.name for p in message.parts if p.name})
        calls = sum(part.kind == "tool_call" for part in message.parts)
        if calls:
            # Measured for the one function_call of old; taken over for each of today's tool calls.
            return TokenCount(count + calls * OPENAI_PER_CALL, "estimate:openai_tool_calls")
        return TokenCount(count, _origin(tokenizer, "openai_chat"))
    if _is_claude(api, tokenizer):
        return TokenCount(0 if message.role == "system" else ANTHROPIC_PER_MESSAGE, "estimate:anthropic_frame")
    if api == "mistral.chat":
        framed = MISTRAL_ANSWERED if message.role == "assistant" else MISTRAL_FRAMED
        return TokenCount(framed, _origin(tokenizer, "mistral_template"))
    if api == "gemini.generate_content":
        return TokenCount(0, "estimate:gemini_frame")
    return TokenCount(None, "unknown")


def _is_claude(api: str, tokenizer: Tokenizer | None) -> bool:
    """Claude has one template, whether Anthropic serves it or Bedrock."""
    if api == "bedrock.converse":
        return tokenizer is not None and "claude" in (tokenizer.model or "").lower()
    return api == "anthropic.messages"


def prompt_overhead(
    api: str, parameters: Mapping[str, Any] | None = None, tokenizer: Tokenizer | None = None
) -> TokenCount:
    """Count what the template adds once per prompt: the opening of the answer, and a forced choice of tool.

    Args:
        api: Dialect of the request.
        parameters: The body's other members; ``tool_choice`` and ``function_call`` matter.
        tokenizer: The model's; needed to count the name of a forced function.
    """
    if _is_claude(api, tokenizer):
        return TokenCount(ANTHROPIC_PRIMING, "estimate:anthropic_frame")
    if api == "mistral.chat":
        return TokenCount(MISTRAL_OPENING, "estimate:mistral_template")
    if api == "gemini.generate_content":
        return TokenCount(GEMINI_OPENING, "estimate:gemini_frame")
    if api not in _OPENAI:
        return TokenCount(None, "unknown")
    origin = "formula:openai_chat" if tokenizer is None else _origin(tokenizer, "openai_chat")
    return TokenCount(OPENAI_PRIMING + _choice(parameters or {}, tokenizer), origin)


def _choice(parameters: Mapping[str, Any], tokenizer: Tokenizer | None) -> int:
    """Tokens of a forced ``function_call``. Of today's ``tool_choice`` nothing is known: it adds none."""
    choice = parameters.get("function_call")
    if choice == "none":
        return OPENAI_CHOICE_NONE
    if isinstance(choice, Mapping) and isinstance(choice.get("name"), str) and tokenizer is not None:
        return OPENAI_CHOICE_NAMED + tokenizer.count(choice["name"])
    return 0


def tools_cost(api: str, definitions: Sequence[Any], tokenizer: Tokenizer, system: str | None = None) -> ToolsCost:
    """Count tool definitions as the provider writes them into the prompt.

    Args:
        api: Dialect of the request.
        definitions: The definitions as the body has them.
        tokenizer: The model's.
        system: Text of the first system message; None: there is none. OpenAI puts the tools into it.
    """
    if not definitions:
        return ToolsCost((), TokenCount(0, "formula:no_tools"))
    if api in _OPENAI:
        return _openai_tools(definitions, tokenizer, system)
    if api == "gemini.generate_content":
        counts = [tokenizer.count(render_declaration(f)) + GEMINI_AROUND_FUNCTION for f in definitions]
        told = "estimate:gemini_declaration"
        return ToolsCost(tuple(TokenCount(count, told) for count in counts), TokenCount(0, told))
    claude = _is_claude(api, tokenizer)
    origin = "estimate:anthropic_tools" if claude else "estimate:json"
    tools = tuple(TokenCount(tokenizer.count(_compact(tool)), origin) for tool in definitions)
    return ToolsCost(tools, TokenCount(_tools_prompt(tokenizer.model) if claude else 0, origin))


def _tools_prompt(model: str | None) -> int:
    return next(tokens for pattern, tokens in ANTHROPIC_TOOLS_PROMPT if matches_model(pattern, model or ""))


def _openai_tools(definitions: Sequence[Any], tokenizer: Tokenizer, system: str | None) -> ToolsCost:
    origin = "estimate:openai_tools"
    pieces = [NAMESPACE_START, *(render_function(tool) for tool in definitions), NAMESPACE_END]
    text = "".join(pieces)
    cuts, at = [], 0
    for piece in pieces:
        at += len(piece)
        cuts.append(at)
    head, *tools, tail = tokenizer.count_spans(text, cuts)
    frame = head + tail + OPENAI_TOOLS_FRAME
    if system is not None:
        # The system text is padded with a line break, which often melts into its last token.
        frame += OPENAI_TOOLS_IN_SYSTEM + tokenizer.count(system + "\n") - tokenizer.count(system)
    return ToolsCost(tuple(TokenCount(tool, origin) for tool in tools), TokenCount(frame, origin))


def _compact(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return str(type(value))
